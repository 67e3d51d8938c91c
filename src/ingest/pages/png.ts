/** Writes PNG files (third edition of the standard): 8 bits of red, green and blue a pixel. */
import { crc32, deflateSync } from "node:zlib"
import type { Pixels } from "./page.ts"

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const TRUE_COLOR = 2
/** Each byte as its difference from the one above it: what pages have most of, white and straight strokes, becomes zeros. */
const UP = 2
/** Twice as fast as the default, for a tenth more bytes. */
const LEVEL = 4

export function pngOf({ width, height, pixels }: Pixels): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, TRUE_COLOR, 0, 0, 0], 8)
  const data = deflateSync(filtered(pixels, width * 3), { level: LEVEL })
  return Buffer.concat([SIGNATURE, chunk("IHDR", header), chunk("IDAT", data), chunk("IEND", Buffer.alloc(0))])
}

function filtered(pixels: Uint8Array, rowBytes: number): Uint8Array {
  const rows = pixels.length / rowBytes
  const bytes = new Uint8Array(rows * (rowBytes + 1))
  for (let row = 0; row < rows; row++) {
    const to = row * (rowBytes + 1)
    const at = row * rowBytes
    bytes[to] = UP
    if (row === 0) bytes.set(pixels.subarray(0, rowBytes), 1)
    else for (let i = 0; i < rowBytes; i++) bytes[to + 1 + i] = pixels[at + i]! - pixels[at + i - rowBytes]!
  }
  return bytes
}

function chunk(name: string, data: Uint8Array): Buffer {
  const bytes = Buffer.alloc(12 + data.length)
  bytes.writeUInt32BE(data.length, 0)
  bytes.write(name, 4, "latin1")
  bytes.set(data, 8)
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length)
  return bytes
}
