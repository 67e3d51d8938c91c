/** Whether a difference between two ways of searching is one, by the questions that were asked of both. */
import { expect, test } from "bun:test"
import { chanceOf, differenceOf, verdictOf } from "../../src/search/comparison.ts"
import type { Evaluation } from "../../src/search/evaluate.ts"

const evaluation = (gains: number[]): Evaluation => ({
  mode: "hybrid",
  queries: gains.length,
  hit_at: { 1: 0, 3: 0, 5: 0, 10: 0 },
  mrr: 0,
  ndcg: 0,
  missed: [],
  gains,
})

const verdict = (current: number[], candidate: number[]) =>
  verdictOf(differenceOf(evaluation(current), evaluation(candidate)))

test("chance is what the exact count of signs says", () => {
  expect(chanceOf([0, 0])).toBe(1)
  expect(chanceOf([0.3])).toBe(1)
  // Of 2⁵ ways to sign five equal differences two are as far from zero.
  expect(chanceOf([1, 1, 1, 1, 1, 0])).toBeCloseTo(2 / 32, 1)
  expect(chanceOf(Array.from({ length: 20 }, () => 0.1))).toBeLessThan(0.001)
  expect(chanceOf([0.1, -0.1, 0.1, -0.1])).toBe(1)
})

test("a difference counts questions by what became of them", () => {
  expect(differenceOf(evaluation([1, 0.5, 0]), evaluation([0.5, 0.5, 1]))).toMatchObject({
    mode: "hybrid",
    ndcg: 0.1667,
    better: 1,
    worse: 1,
  })
})

test("a candidate is worse where it loses surely or much, and better only where it gains surely", () => {
  const many = (value: number) => Array.from({ length: 40 }, () => value)
  expect(verdict(many(0.5), many(0.48))).toBe("worse")
  expect(verdict(many(0.5), many(0.52))).toBe("better")
  expect(verdict([1, 1, 0.5], [1, 1, 0])).toBe("worse")
  expect(verdict([1, 1, 0.5], [1, 1, 0.4])).toBe("alike")
  expect(verdict([0, 1], [1, 1])).toBe("alike")
})
