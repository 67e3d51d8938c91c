import { expect, test } from "bun:test"
import { guessTokens } from "../../src/backends/guess-tokens.ts"
import { chooseWindow, fitPrompt, type PastMessage, type PromptParts } from "../../src/chat/prompt.ts"
import type { Source } from "../../src/grounding/passages.ts"
import { TokenMeter } from "../../src/grounding/tokens.ts"

const NOWHERE = { page: null, sheet: null, slide: null, member: null, section: null }

const source = (index: number, text: string): Source => ({
  index,
  file_id: "file_1",
  chunk_id: `chunk_${index}`,
  name: "a.txt",
  score: 0.5,
  text,
  position: { ...NOWHERE, start: 0, end: text.length },
})

/** One token a character keeps the arithmetic visible. */
const parts = (more: Partial<PromptParts>): PromptParts => ({
  systemPrompt: "SYSTEM",
  history: [],
  sources: [],
  inVain: false,
  message: "NEWEST",
  written: null,
  windowTokens: 1_000,
  answerTokens: 100,
  imageTokens: 0,
  count: text => text.length,
  ...more,
})

const turns = (count: number, length: number): PastMessage[] =>
  Array.from({ length: count * 2 }, (_, i) => ({
    role: i % 2 === 0 ? ("user" as const) : ("assistant" as const),
    content: `${i % 2 === 0 ? "Q" : "A"}${i >> 1}`.padEnd(length, "."),
  }))

test("everything that fits is sent, in order", () => {
  const fitted = fitPrompt(parts({ history: turns(2, 20) }))
  expect(fitted.turns.map(turn => turn.content.slice(0, 2))).toEqual(["SY", "Q0", "A0", "Q1", "A1", "NE"])
  expect(fitted.droppedMessages).toBe(0)
})

test("the oldest turns go first, whole ones, and what is left fits", () => {
  const fitted = fitPrompt(parts({ history: turns(20, 50) }))
  const kept = fitted.turns.slice(1, -1)
  expect(kept.length).toBeGreaterThan(4)
  expect(kept[0]?.role).toBe("user")
  expect(kept.at(-1)?.content).toStartWith("A19")
  expect(fitted.droppedMessages).toBe(40 - kept.length)
  expect(fitted.promptTokens).toBeLessThanOrEqual(900)
  expect(fitted.turns[0]?.content).toBe("SYSTEM")
})

test("system prompt and newest message stay even where nothing fits", () => {
  const fitted = fitPrompt(
    parts({ history: turns(3, 50), sources: [source(1, "x".repeat(400))], message: "M".repeat(2_000) }),
  )
  expect(fitted.turns.map(turn => turn.role)).toEqual(["system", "user"])
  expect(fitted.sources).toEqual([])
  expect(fitted).toMatchObject({ droppedMessages: 6, droppedSources: 1 })
})

test("passages stand before the question under their numbers, and take part of the window only", () => {
  const sources = Array.from({ length: 6 }, (_, i) => source(i + 1, `passage ${i + 1} `.repeat(100)))
  const fitted = fitPrompt(parts({ sources, windowTokens: 6_000, history: turns(4, 100) }))
  const question = fitted.turns.at(-1)!.content
  expect(question).toContain("[1] a.txt\npassage 1")
  expect(question).toEndWith("NEWEST")
  expect(fitted.sources.length).toBeLessThan(6)
  expect(fitted.droppedSources).toBe(6 - fitted.sources.length)
  expect(fitted.droppedMessages).toBe(0)
})

test("a reply that is continued comes last", () => {
  const fitted = fitPrompt(parts({ written: "The first half" }))
  expect(fitted.turns.at(-1)).toEqual({ role: "assistant", content: "The first half" })
})

test("a backend without a window gets everything", () => {
  expect(fitPrompt(parts({ windowTokens: null, history: turns(200, 500) })).droppedMessages).toBe(0)
})

test.each([
  ["a small prompt takes the smallest step", { neededTokens: 900, stickyTokens: null, loadedTokens: null }, 4_096],
  ["a larger one the next", { neededTokens: 5_000, stickyTokens: null, loadedTokens: null }, 8_192],
  [
    "the conversation's window does not shrink",
    { neededTokens: 900, stickyTokens: 16_384, loadedTokens: null },
    16_384,
  ],
  ["a loaded model is used as it is", { neededTokens: 900, stickyTokens: 4_096, loadedTokens: 10_000 }, 10_000],
  ["unless its window is too small", { neededTokens: 5_000, stickyTokens: null, loadedTokens: 4_096 }, 8_192],
  ["never more than the model has", { neededTokens: 40_000, stickyTokens: 65_536, loadedTokens: 65_536 }, 40_960],
])("%s", (_, choice, expected) => {
  expect(chooseWindow({ windowTokens: 40_960, ...choice })).toBe(expected)
})

test("the guess is somewhat high for English and one a character for Chinese", () => {
  const english = "The harbour keeps a ledger of every boat that ties up in the evening. ".repeat(100) // 1 501 tokens in Llama 3
  expect(guessTokens(english)).toBeGreaterThan(1_501)
  expect(guessTokens(english)).toBeLessThan(2_100)
  expect(guessTokens("租赁合同规定租户必须")).toBeGreaterThanOrEqual(10)
})

test("the meter believes a longer count at once, a shorter one slowly, and an absurd one not at all", () => {
  const meter = new TokenMeter()
  const text = "word ".repeat(1_000)
  const guess = meter.count("m", text)
  meter.learn("m", guess, guess * 1.5)
  expect(meter.count("m", text)).toBeCloseTo(guess * 1.5, -1)
  meter.learn("m", guess * 1.5, guess * 1.4)
  expect(meter.count("m", text)).toBeGreaterThan(guess * 1.4)
  const before = meter.count("m", text)
  meter.learn("m", before, before / 10) // a prompt that the server had cached
  expect(meter.count("m", text)).toBe(before)
  expect(meter.count("other", text)).toBe(guess)
})

test("a summary stands right behind the system prompt, and is left out whole where it does not fit", () => {
  const fitted = fitPrompt(parts({ summary: "SUMMARY", history: turns(2, 20) }))
  expect(fitted.turns.map(({ role }) => role)).toEqual([
    "system",
    "user",
    "assistant",
    ...Array(2).fill(["user", "assistant"]).flat(),
    "user",
  ])
  expect(fitted.turns[1]?.content).toEndWith("\n\nSUMMARY")
  expect(fitted.droppedSummary).toBe(false)
  const tight = fitPrompt(parts({ summary: "S".repeat(2_000), history: turns(2, 20) }))
  expect([tight.droppedSummary, tight.droppedMessages, tight.turns.length]).toEqual([true, 0, 6])
})
