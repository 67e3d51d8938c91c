/** How a vector becomes signed bytes with a scale of its own. */

/** Writes the vector as signed bytes. @returns what a byte stands for. */
export function quantize(vector: Float32Array, bytes: Uint8Array): number {
  let largest = 0
  for (let i = 0; i < vector.length; i++) {
    const size = Math.abs(vector[i]!)
    if (size > largest) largest = size
  }
  if (largest === 0) {
    bytes.fill(0)
    return 0
  }
  const factor = 127 / largest
  // Rounded half up: adding 128.5 makes it positive, `|` cuts.
  for (let i = 0; i < vector.length; i++) bytes[i] = ((vector[i]! * factor + 128.5) | 0) - 128
  return largest / 127
}
