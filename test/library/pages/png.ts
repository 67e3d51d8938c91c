/** Reads the PNG files that the daemon writes, and others of 8 bits a sample that are not interlaced. */
import { inflateSync } from "node:zlib"

export const PNG_SIGNATURE = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

export interface ReadPng {
  width: number
  height: number
  /** Samples of a pixel. */
  samples: number
  pixels: Uint8Array
  /** Pixels that are nearly black. */
  dark: number
}

const SAMPLES: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }

export function readPng(file: Uint8Array): ReadPng {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  const [width, height, samples] = [view.getUint32(16), view.getUint32(20), SAMPLES[file[25]!]!]
  const data: Uint8Array[] = []
  for (let at = 8; at < file.length; at += 12 + view.getUint32(at))
    if (view.getUint32(at + 4) === 0x49444154) data.push(file.subarray(at + 8, at + 8 + view.getUint32(at))) // IDAT
  const pixels = unfiltered(inflateSync(Buffer.concat(data)), width * samples, height, samples)
  let dark = 0
  for (let at = 0; at < pixels.length; at += samples) if (pixels[at]! < 64) dark++
  return { width, height, samples, pixels, dark }
}

function unfiltered(bytes: Uint8Array, row: number, height: number, samples: number): Uint8Array {
  const pixels = new Uint8Array(row * height)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < row; x++) {
      const [at, filter] = [y * row + x, bytes[y * (row + 1)]!]
      const left = x >= samples ? pixels[at - samples]! : 0
      const up = y > 0 ? pixels[at - row]! : 0
      const corner = x >= samples && y > 0 ? pixels[at - row - samples]! : 0
      const predicted = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter]!
      pixels[at] = bytes[y * (row + 1) + 1 + x]! + predicted
    }
  return pixels
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)] as const
  return a <= b && a <= c ? left : b <= c ? up : corner
}
