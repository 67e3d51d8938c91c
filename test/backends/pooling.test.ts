import { describe, expect, test } from "bun:test"
import { pool, type TokenVectors, toUnitLength } from "../../src/backends/pooling.ts"

/** Two texts: the first of two tokens and padding that must not count, the second of three tokens. */
const vectors: TokenVectors = {
  data: [3, 0, 0, 4, 900, 900, 0, 1, 0, 2, 5, 0],
  mask: [1n, 1n, 0n, 1n, 1n, 1n],
  texts: 2,
  tokens: 3,
  width: 2,
}

describe("pooling of token vectors", () => {
  test.each([
    ["mean", [0.6, 0.8], [5 / Math.hypot(5, 3), 3 / Math.hypot(5, 3)]],
    ["cls", [1, 0], [0, 1]],
    ["last", [0, 1], [1, 0]],
    ["max", [0.6, 0.8], [5 / Math.hypot(5, 2), 2 / Math.hypot(5, 2)]],
  ] as const)("%s leaves padding out and gives unit length", (pooling, first, second) => {
    const rows = pool(vectors, pooling)
    for (const [at, value] of [...first, ...second].entries()) expect(rows[at]).toBeCloseTo(value, 6)
  })

  test("a row without direction becomes a unit vector, not NaN and not zero", () => {
    expect([...toUnitLength(Float32Array.of(0, 0, Number.NaN, 1, 3, 4), 2)]).toEqual([
      1,
      0,
      1,
      0,
      expect.closeTo(0.6),
      expect.closeTo(0.8),
    ])
  })
})
