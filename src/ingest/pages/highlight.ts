/** Marks places of a picture as a text marker does. */
import type { PageBox, Pixels } from "./page.ts"

/** Covers so much, 0..1: light enough for black type, and seen on black paper too. */
const STRENGTH = 0.4
const YELLOW = [255, 214, 0] as const

/** Changes the pixels. */
export function highlight({ width, height, pixels }: Pixels, boxes: readonly PageBox[]): void {
  const marked = new Uint8Array(width * height) // where boxes of two lines overlap, no place is darker
  for (const box of boxes) {
    const [left, right] = [Math.floor(box.x * width), Math.min(width, Math.ceil((box.x + box.width) * width))]
    const [top, bottom] = [Math.floor(box.y * height), Math.min(height, Math.ceil((box.y + box.height) * height))]
    for (let y = top; y < bottom; y++) marked.fill(1, y * width + left, y * width + right)
  }
  for (let at = 0; at < marked.length; at++) {
    if (marked[at] === 0) continue
    for (const [i, value] of YELLOW.entries())
      pixels[at * 3 + i] = Math.round(pixels[at * 3 + i]! * (1 - STRENGTH) + value * STRENGTH)
  }
}
