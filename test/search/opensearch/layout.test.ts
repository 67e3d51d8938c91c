/** What of a passage goes into the engine's documents. */
import { describe, expect, test } from "bun:test"
import {
  bitmapNumber,
  type IndexedPassage,
  vectorDocument,
  wordsDocument,
} from "../../../src/search/opensearch/layout.ts"
import { termsOf } from "../../../src/search/text/analyze.ts"
import { PassageLanguages } from "../../../src/search/text/language.ts"

function passage(text: string, more: Partial<IndexedPassage> = {}): IndexedPassage {
  const language = new PassageLanguages().next(text)
  const terms = termsOf(text, "english")
  return { workspaceId: "w1", generation: 7, id: 42, ordinal: 0, passages: 1, terms, language, ...more }
}

describe("documents of passages", () => {
  test("words: every term as often as it is said, and how many there are", () => {
    const { w, g, i, t, n, c } = wordsDocument(passage("Ferry timetables: the ferry leaves at nine"))
    expect({ w, g, i, t, n, c }).toEqual({ w: "w1", g: 7, i: 42, t: "ferri timet ferri leav nine", n: 5, c: undefined })
  })

  test("a passage tells how long its surroundings are, at the ends of its document and within it", () => {
    const lengths = [0, 1, 2, 3, 9].map(ordinal => {
      const { n, m } = wordsDocument(passage("ferry timetable", { ordinal, passages: 10 }))
      return m / n
    })
    expect(lengths).toEqual([3, 4, 5, 5, 3])
  })

  test("a single character counts as often as it stands in the text, whatever pairs it is part of", () => {
    const { c } = wordsDocument(passage("山中山 山 水"))
    const counts = Object.fromEntries(Map.groupBy(c!.split(" "), each => each))
    expect(Object.entries(counts).map(([character, all]) => [character, (all as string[]).length])).toEqual([
      ["山", 2],
      ["中", 1],
      ["水", 1],
    ])
  })

  test("a vector of zeros is left out, and words are there once", () => {
    expect(vectorDocument(passage("ferry ferry"), new Float32Array([0.6, 0.8])).v).toEqual([0.60000002, 0.80000001])
    const { v, t } = vectorDocument(passage("ferry ferry"), new Float32Array(2))
    expect({ v, t }).toEqual({ v: undefined, t: "ferri" })
  })

  test("generations beyond 31 bits have a number that a bitmap can hold", () => {
    expect([5, 2 ** 31 + 5, 2 ** 31].map(bitmapNumber)).toEqual([5, 5, 0])
  })
})
