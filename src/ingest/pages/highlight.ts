/** Marks places of a picture as a text marker does. */
import type { PageBox, Pixels } from "./page.ts"

const YELLOW = [255, 226, 92] as const
/** Paper is lighter, of 255; type covers a fifth of a line. */
const DARK_PAPER = 96
/** How much of the yellow lies over dark paper, 0..1, where ink cannot shine through it. */
const COVER = 0.4

/** Changes the pixels. Black type stays black. */
export function highlight(picture: Pixels, boxes: readonly PageBox[]): void {
  const { width, height, pixels } = picture
  const marked = new Uint8Array(width * height) // where boxes of two lines overlap, no place is darker
  for (const box of boxes) {
    const [left, right] = [Math.floor(box.x * width), Math.min(width, Math.ceil((box.x + box.width) * width))]
    const [top, bottom] = [Math.floor(box.y * height), Math.min(height, Math.ceil((box.y + box.height) * height))]
    let sum = 0
    for (let y = top; y < bottom; y++) for (let x = left; x < right; x++) sum += pixels[(y * width + x) * 3 + 1]!
    const isDark = sum < DARK_PAPER * (right - left) * (bottom - top)
    for (let y = top; y < bottom; y++)
      for (let at = y * width + left; at < y * width + right; at++) {
        if (marked[at] === 1) continue
        marked[at] = 1
        for (const [i, value] of YELLOW.entries()) {
          const before = pixels[at * 3 + i]!
          pixels[at * 3 + i] = isDark ? before * (1 - COVER) + value * COVER : (before * value) / 255
        }
      }
  }
}
