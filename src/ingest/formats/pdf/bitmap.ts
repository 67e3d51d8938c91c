import type { Bitmap } from "./pdfium.ts"

/**
 * The bitmap as a PGM file: a line of header and the pixels as they are. Not BMP, which tesseract.js would unpack into an
 * object with a property per byte.
 */
export function bitmapFile({ width, height, pixels }: Bitmap): Uint8Array {
  return Buffer.concat([Buffer.from(`P5 ${width} ${height} 255\n`), pixels])
}

/** Differences below this, of 255, are noise of a scan. */
const CONTRAST = 48
/** Fewer dark pixels than a short word has. */
const FEW_PIXELS = 40

/** True where the picture shows nothing: hardly a pixel differs much from the first. */
export function isBlank({ pixels }: Bitmap): boolean {
  const first = pixels[0]!
  let different = 0
  for (const pixel of pixels) if (Math.abs(pixel - first) > CONTRAST && ++different > FEW_PIXELS) return false
  return true
}
