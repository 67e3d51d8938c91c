/** Pictures in another size. */
import type { PageSize, Pixels } from "./page.ts"

/** Each pixel is the mean of what it covers; where the picture grows, of its neighbors by their nearness. */
export function scaled(picture: Pixels, { width, height }: PageSize): Pixels {
  if (picture.width === width && picture.height === height) return { ...picture, pixels: picture.pixels.slice() }
  const columns = sharesOf(picture.width, width)
  const rows = sharesOf(picture.height, height)
  const pixels = new Uint8Array(width * height * 3)
  const narrow = new Float32Array(width * 3)
  const sum = new Float32Array(width * 3)
  let narrowed = -1
  for (let y = 0; y < height; y++) {
    const { first, weights } = rows[y]!
    sum.fill(0)
    for (const [i, weight] of weights.entries()) {
      if (narrowed !== first + i) narrowRow(picture, first + i, columns, narrow)
      narrowed = first + i
      for (let x = 0; x < sum.length; x++) sum[x]! += narrow[x]! * weight
    }
    for (let x = 0; x < sum.length; x++) pixels[y * width * 3 + x] = sum[x]! + 0.5
  }
  return { width, height, pixels }
}

interface Shares {
  first: number
  /** Of the pixels from the first one on; 1 together. */
  weights: number[]
}

function narrowRow({ width, pixels }: Pixels, y: number, columns: readonly Shares[], into: Float32Array): void {
  for (const [x, { first, weights }] of columns.entries()) {
    let [red, green, blue] = [0, 0, 0]
    let at = (y * width + first) * 3
    for (const weight of weights) {
      red += pixels[at]! * weight
      green += pixels[at + 1]! * weight
      blue += pixels[at + 2]! * weight
      at += 3
    }
    into[x * 3] = red
    into[x * 3 + 1] = green
    into[x * 3 + 2] = blue
  }
}

/** Of each of `to` places in a row: what of the `from` that there were it is made of. */
function sharesOf(from: number, to: number): Shares[] {
  const step = from / to
  const reach = Math.max(1, step) / 2
  return Array.from({ length: to }, (_, i) => {
    const middle = (i + 0.5) * step
    const first = Math.max(0, Math.floor(middle - reach))
    const last = Math.min(from - 1, Math.ceil(middle + reach) - 1)
    const weights = Array.from({ length: Math.max(1, last - first + 1) }, (_, j) =>
      Math.max(0, Math.min(first + j + 1, middle + reach) - Math.max(first + j, middle - reach)),
    )
    const all = weights.reduce((sum, weight) => sum + weight, 0)
    return { first: Math.min(first, from - 1), weights: weights.map(weight => weight / all) }
  })
}
