import type { Bitmap } from "./pdfium.ts"

const HEADER_BYTES = 54

/** The bitmap as a BMP file of 24 bits per pixel, which costs a copy and no compression. */
export function bitmapFile({ width, height, pixels, stride }: Bitmap): Uint8Array {
  const file = new Uint8Array(HEADER_BYTES + stride * height)
  const view = new DataView(file.buffer)
  file.set([0x42, 0x4d])
  view.setUint32(2, file.length, true)
  view.setUint32(10, HEADER_BYTES, true)
  view.setUint32(14, 40, true)
  view.setInt32(18, width, true)
  view.setInt32(22, height, true)
  view.setUint16(26, 1, true)
  view.setUint16(28, 24, true)
  view.setUint32(34, stride * height, true)
  // BMP rows run from the bottom to the top.
  for (let row = 0; row < height; row++)
    file.set(pixels.subarray(row * stride, (row + 1) * stride), HEADER_BYTES + (height - 1 - row) * stride)
  return file
}

/** Differences below this, of 255, are noise of a scan. */
const CONTRAST = 48

/** True where the picture shows nothing: no sampled pixel differs much from the first. */
export function isBlank({ width, height, pixels, stride }: Bitmap): boolean {
  const first = pixels[1]!
  let different = 0
  for (let row = 0; row < height; row += 2)
    for (let column = 0; column < width; column += 2)
      if (Math.abs(pixels[row * stride + column * 3 + 1]! - first) > CONTRAST) different++
  // Less than a short word would have.
  return different < 20
}
