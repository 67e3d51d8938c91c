import { expect, test } from "bun:test"
import { calibration } from "../../../src/search/vector/calibration.ts"

const ids = (first: number, last: number) => Float64Array.of(first, last)
const plain = { usual: null, slope: 1 }

test("a cosine as many deviations above the mean by the fast model is as many above it by the other", () => {
  const fast = { vector: plain, cosineOf: (id: number) => 0.1 + (id % 2 === 0 ? 0.05 : -0.05) }
  const quality = { vector: plain, cosineOf: (id: number) => 0.8 + (id % 2 === 0 ? 0.02 : -0.02) }
  const scaled = calibration(ids(1, 100), fast, quality)
  expect(scaled(0.1)).toBeCloseTo(0.8, 6)
  expect(scaled(0.2)).toBeCloseTo(0.84, 6)
  const careful = calibration(ids(1, 100), { ...fast, vector: { usual: null, slope: 0.5 } }, quality)
  expect(careful(0.2)).toBeCloseTo(0.82, 6)
})

test("few passages with both vectors say less than what is usual for the models", () => {
  const fast = { vector: { usual: { mean: 0, deviation: 0.1 }, slope: 1 }, cosineOf: () => 0.3 }
  const quality = { vector: { usual: { mean: 0.75, deviation: 0.03 }, slope: 1 }, cosineOf: () => 0.85 }
  const scaled = calibration(ids(7, 7), fast, quality)
  expect(scaled(0.3)).toBeGreaterThan(0.75)
  expect(scaled(0.3)).toBeLessThan(0.85)
  expect(scaled(0.4)).toBeGreaterThan(scaled(0.3))
})

test("without a passage that has both vectors cosines stay as they are", () => {
  const measure = { vector: plain, cosineOf: () => undefined }
  expect(calibration(ids(1, 10), measure, measure)(0.4)).toBe(0.4)
})
