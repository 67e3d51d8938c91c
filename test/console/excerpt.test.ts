import { describe, expect, test } from "bun:test"
import { excerptOf } from "../../src/console/excerpt.ts"

describe("the excerpt of a passage", () => {
  const words = "word ".repeat(400)

  test("is the whole passage when that is short", () => {
    expect(excerptOf("short text", [{ start: 0, end: 5 }], 420)).toEqual({ start: 0, end: 10 })
  })

  test("begins at the start when nothing is highlighted", () => {
    const { start, end } = excerptOf(words, [], 420)
    expect(start).toBe(0)
    expect(end).toBeGreaterThan(370)
    expect(end).toBeLessThanOrEqual(420)
  })

  test("holds the densest highlights, at word boundaries", () => {
    const spans = [10, 1200, 1210, 1220].map(start => ({ start, end: start + 4 }))
    const { start, end } = excerptOf(words, spans, 420)
    expect(start).toBeGreaterThan(1000)
    expect(start).toBeLessThan(1200)
    expect(end).toBeGreaterThan(1224)
    expect(words[start - 1]).toBe(" ")
    expect(words[end]).toBe(" ")
  })

  test("reaches the end of the passage for a highlight there", () => {
    const { end } = excerptOf(words, [{ start: 1990, end: 1994 }], 420)
    expect(end).toBe(words.length)
  })
})
