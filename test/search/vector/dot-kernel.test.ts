import { expect, test } from "bun:test"
import { assembleKernel } from "../../../scripts/build/assemble-kernel.ts"
import { CodeRows } from "../../../src/search/vector/code-rows.ts"
import { DOT_KERNEL } from "../../../src/search/vector/dot-kernel-bytes.ts"
import { SignRows } from "../../../src/search/vector/sign-rows.ts"

function random(seed: number) {
  let state = seed
  return () => {
    state = (state * 1103515245 + 12345) & 0x7fffffff
    return state / 0x7fffffff
  }
}

for (const dimensions of [1, 15, 16, 17, 256, 384, 1024])
  test(`the kernel multiplies ${dimensions} signed bytes like plain arithmetic`, () => {
    const next = random(dimensions)
    const rows = new CodeRows(dimensions)
    const vectors = Array.from({ length: 50 }, () =>
      Int8Array.from({ length: dimensions }, () => Math.round(next() * 254 - 127)),
    )
    const bytes = new Uint8Array(50 * rows.stride)
    for (const [row, vector] of vectors.entries()) bytes.set(new Uint8Array(vector.buffer), row * rows.stride)
    rows.write(0, bytes)
    rows.setQuery(new Uint8Array(vectors[7]!.buffer))
    const expected = vectors.map(vector => vector.reduce((sum, value, i) => sum + value * vectors[7]![i]!, 0))
    expect([...rows.score(0, 50).subarray(0, 50)]).toEqual(expected)
  })

for (const dimensions of [1, 7, 16, 256, 384, 1024, 4096])
  test(`estimates from sign bits of ${dimensions} dimensions follow the sum of the query's part on either side`, () => {
    const next = random(dimensions)
    const count = 40
    const centre = Float32Array.from({ length: dimensions }, () => next() * 40 - 20)
    const codes = Int8Array.from({ length: count * dimensions }, () => Math.round(next() * 254 - 127))
    const scales = new Float32Array(count).fill(1)
    const rows = new SignRows(centre)
    // In two pieces that do not end where a block does, as rows come.
    rows.write(0, new Uint8Array(codes.buffer, 0, 19 * dimensions), dimensions, scales.subarray(0, 19))
    rows.write(19, new Uint8Array(codes.buffer, 19 * dimensions), dimensions, scales.subarray(19))
    const query = Float32Array.from({ length: dimensions }, () => next() - 0.5)
    rows.setQuery(query)
    const estimates = [...rows.estimate(0, count)]
    const exact = estimates.map((_, row) =>
      query.reduce((sum, value, i) => sum + (codes[row * dimensions + i]! > centre[i]! ? value : 0), 0),
    )
    // Both are in a unit of their own: they differ by a constant and a factor, and by the rounding of the tables.
    const span = (values: number[]) => Math.max(...values) - Math.min(...values)
    const factor = span(exact) > 0 ? span(estimates) / span(exact) : 0
    const shift = Math.min(...estimates) - factor * Math.min(...exact)
    for (const [row, estimate] of estimates.entries())
      expect(Math.abs(estimate - (factor * exact[row]! + shift))).toBeLessThan(2 + dimensions / 8)
    if (dimensions >= 256) expect(span(estimates)).toBeGreaterThan(100)
  })

test("the kernel's bytes are those of its text", () => {
  expect(DOT_KERNEL).toBe(Buffer.from(assembleKernel()).toString("base64"))
})
