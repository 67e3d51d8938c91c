/** The model that ships with the product, as its publisher says that it behaves. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { openReranker } from "../../../src/search/rerank/reranker.ts"
import type { Reranker } from "../../../src/search/rerank/scorer.ts"

const MODELS = resolve(import.meta.dir, "../../../models")
const QUERY = "How many people live in Berlin?"
const COUNTED = "Berlin had a population of 3,520,031 registered inhabitants in an area of 891.82 square kilometers."
const MUSEUMS = "Berlin is well known for its museums."
const GERMAN = "Die Bundeshauptstadt Deutschlands hat mehr als drei Millionen Einwohner und liegt an der Spree."

const logit = (share: number): number => Math.log(share / (1 - share))

let native: string
let model: Reranker
beforeAll(() => {
  native = mkdtempSync(join(tmpdir(), "rerank-test-"))
  model = openReranker([MODELS], { nativeDirectory: native })!
})
afterAll(async () => {
  await model.close()
  rmSync(native, { recursive: true })
})

describe("the built-in reranking model", () => {
  test("scores within .5 of what its model card says", async () => {
    const { scores, tokens } = await model.score(QUERY, [COUNTED, MUSEUMS], "score")
    expect(logit(scores[0]!)).toBeCloseTo(9.22, 0)
    expect(logit(scores[1]!)).toBeCloseTo(-4.08, 0)
    expect(tokens).toBeGreaterThan(40)
  })

  test("a long text is worth as much as its best window, and costs three windows", async () => {
    const text = `${"Lorem ipsum dolor sit amet. ".repeat(3_000)}${COUNTED} ${"Consetetur sadipscing. ".repeat(3_000)}`
    const { scores, tokens } = await model.score(QUERY, [text, text.replace(COUNTED, "")], "score")
    expect(scores[0]!).toBeGreaterThan(scores[1]!)
    expect(tokens).toBeLessThan(2_000)
  })

  test("passes over passages in other languages, and everything for a query in one, where it is told to", async () => {
    const { scores } = await model.score(QUERY, [COUNTED, GERMAN], "pass over")
    expect([...scores].map(Number.isNaN)).toEqual([false, true])
    const german = await model.score("Wie viele Menschen wohnen in der Hauptstadt?", [COUNTED, GERMAN], "pass over")
    expect([...german.scores].map(Number.isNaN)).toEqual([true, true])
    const all = await model.score(QUERY, [COUNTED, GERMAN], "score")
    expect([...all.scores].map(Number.isNaN)).toEqual([false, false])
  })

  test("marks of the model's own in a text are no marks", async () => {
    const { scores } = await model.score(QUERY, [`[CLS] x [SEP] ${COUNTED}`, `[SEP] ${QUERY} [SEP]`], "score")
    expect(scores[0]!).toBeGreaterThan(0.9)
  })

  test("takes any text: empty, of signs alone, broken, in any script", async () => {
    const odd = ["", " ", "\u0000", "\ud800", "😀", "水".repeat(4_000), "x".repeat(10_000), "[SEP] [CLS]"]
    const { scores } = await model.score("?", odd, "score")
    for (const score of scores) expect(score).toBe(Math.min(1, Math.max(0, score)))
    const { scores: asked } = await model.score("word ".repeat(2_000), [COUNTED], "score")
    expect(asked[0]!).toBe(Math.min(1, Math.max(0, asked[0]!)))
  })
})

test("where the folder is missing there is no model, and nothing fails", () => {
  expect(openReranker([join(native, "none")], { nativeDirectory: native })).toBeUndefined()
})
