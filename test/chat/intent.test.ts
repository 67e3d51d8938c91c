/** What the rules of `reading: "auto"` are worth, on questions of our own in 15 languages. */
import { expect, test } from "bun:test"
import { asksForWhole } from "../../src/chat/reading/intent.ts"
import { NEAR_MISSES, QUESTIONS } from "./intent-questions.ts"

interface Measured {
  precision: number
  recall: number
  wrong: string[]
}

const lines = (text: string): string[] => text.split("\n")

function measured(part: (at: number) => boolean): Measured {
  const pick = (kind: "whole" | "detail") =>
    Object.values(QUESTIONS).flatMap(language => lines(language[kind]).filter((_, at) => part(at)))
  const [whole, detail] = [pick("whole"), pick("detail")]
  const missed = whole.filter(question => !asksForWhole(question))
  const mistaken = detail.filter(asksForWhole)
  const hits = whole.length - missed.length
  return {
    precision: hits / (hits + mistaken.length),
    recall: hits / whole.length,
    wrong: [...missed.map(question => `missed: ${question}`), ...mistaken.map(question => `mistaken: ${question}`)],
  }
}

const isTuning = (at: number): boolean => at % 2 === 0

test("360 questions in 15 languages are the measure", () => {
  const all = Object.values(QUESTIONS).flatMap(({ whole, detail }) => [...lines(whole), ...lines(detail)])
  expect([all.length, new Set(all).size, Object.keys(QUESTIONS).length]).toEqual([360, 360, 15])
})

test("questions that the rules were made with are told apart", () => {
  const { precision, recall, wrong } = measured(isTuning)
  if (Bun.env.SHOW_WRONG === "tuning") console.log(wrong.join("\n"))
  expect(precision).toBe(1)
  expect(recall).toBeGreaterThanOrEqual(0.95)
})

test("a question for a detail stays a search, one about a whole is seen, in questions that the rules never saw", () => {
  const { precision, recall, wrong } = measured(at => !isTuning(at))
  if (Bun.env.SHOW_WRONG === "unseen") console.log(precision, recall, wrong.join("\n"))
  expect(precision).toBeGreaterThanOrEqual(0.98)
  expect(recall).toBeGreaterThanOrEqual(0.8)
})

test.each(lines(NEAR_MISSES))("stays a search: %s", question => {
  expect(asksForWhole(question)).toBe(false)
})

test("a long message takes no time, whatever it holds", () => {
  const startedAt = performance.now()
  for (const piece of ["how many ", "alle ", "compare a ", "所有", "a "]) asksForWhole(piece.repeat(100_000))
  expect(performance.now() - startedAt).toBeLessThan(5_000)
})
