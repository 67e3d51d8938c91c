import { describe, expect, test } from "bun:test"
import { seeded } from "../../../scripts/bench/random.ts"
import { joint, plain } from "../../../src/search/vector/scale.ts"

describe("the score of a passage that has vectors of both tiers", () => {
  const scale = joint(0.25, id => (id === 1 ? 0.9 : undefined))

  test("is that of the quality model, and a share of the fast one's", () => {
    expect(scale.of(1, 0.5)).toBeCloseTo(0.6)
  })

  test("is the quality model's where the fast one knows nothing of it", () => {
    expect(scale.of(2, 0.5)).toBe(0.5)
  })

  test("puts a passage before others that are a little nearer by the quality model", () => {
    const nearest = [
      { id: 2, score: 0.55 },
      { id: 1, score: 0.5 },
    ]
    expect(scale.ordered(nearest).map(({ id }) => id)).toEqual([1, 2])
    expect(plain().ordered(nearest)).toEqual(nearest)
  })
})

test("whatever the length of a list, it begins as a shorter one does, and no score rises", () => {
  const next = seeded(11)
  const fast = Array.from({ length: 300 }, next)
  const nearest = fast.map((_, id) => ({ id, score: 0.9 - id / 1000 }))
  const { ordered, head } = joint(0.33, id => fast[id])
  const all = ordered(nearest)
  expect(all.map(({ id }) => id)).not.toEqual(nearest.map(({ id }) => id))
  for (const length of [head, head + 1, 170, 300])
    expect(all.slice(0, length)).toEqual(ordered(nearest.slice(0, length)))
  for (const [i, { score }] of all.entries()) expect(score).toBeLessThanOrEqual(all[i - 1]?.score ?? 1)
})
