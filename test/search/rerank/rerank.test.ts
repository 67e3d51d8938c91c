import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { wholeOf } from "../../../src/access/view.ts"
import { RerankLine } from "../../../src/search/rerank/rerank-line.ts"
import { rejection } from "../../support/rejection.ts"
import { TestLibrary } from "../library.ts"
import { type TestReranker, testReranker } from "./support.ts"

let library: TestLibrary
let model: TestReranker

/** The later the better, which no leg would say; a line in brackets is in a language that the model does not know. */
const scoreOf = (text: string): number => {
  if (text.startsWith("[")) return Number.NaN
  return 1 / (1 + Math.exp(30 - Number(/\d+/.exec(text)![0])))
}
const RERANK = { candidates: 30, budgetMs: 60_000 }
const LINES = Array.from({ length: 40 }, (_, i) => `otter number ${10 + i} swims`)

beforeEach(async () => {
  model = testReranker(scoreOf)
  library = await TestLibrary.open({ reranker: new RerankLine(model) })
})
afterEach(() => library.close())

const numbers = (hits: { text: string }[]) => hits.map(({ text }) => Number(/\d+/.exec(text)![0]))
const ask = (more: object = {}) =>
  library.index.search({ view: wholeOf("ws_a"), query: "otter swims", limit: 10, rerank: RERANK, ...more })

describe("a search that asks for reranking", () => {
  test("puts first what the model says answers best, among so many candidates and no more", async () => {
    await library.put("file_a", LINES.join("\n"))
    const plain = await ask({ rerank: undefined, limit: 40 })
    const { hits, reranked, degraded } = await ask({ rerank: { ...RERANK, candidates: 12 }, limit: 40 })
    expect({ reranked, degraded }).toEqual({ reranked: 12, degraded: null })
    const head = numbers(plain.hits).slice(0, 12)
    expect(numbers(hits)[0]).toBe(Math.max(...head))
    expect(numbers(hits).slice(0, 12).sort()).toEqual(head.sort())
    expect(numbers(hits).slice(12)).toEqual(numbers(plain.hits).slice(12))
    expect(plain).not.toHaveProperty("reranked")
  })

  test("scores never rise down the list, and explain says what the model said", async () => {
    await library.put("file_a", LINES.join("\n"))
    const { hits } = await ask({ limit: 40, explain: true })
    const scores = hits.map(({ score }) => score)
    expect(scores).toEqual([...scores].sort((a, b) => b - a))
    const judged = hits.flatMap(({ scores, text }) => (scores?.rerank ? [{ ...scores.rerank, text }] : []))
    expect(judged.length).toBe(30)
    for (const { score, text } of judged) expect(score).toBeCloseTo(scoreOf(text), 5)
    expect(judged.map(({ rank }) => rank).sort((a, b) => a - b)).toEqual(judged.map((_, i) => i + 1))
    expect(hits.filter(({ scores }) => scores?.rerank === null).length).toBe(10)
  })

  test("pages continue one list, and the model is asked once", async () => {
    await library.put("file_a", LINES.join("\n"))
    const whole = await ask({ limit: 40 })
    const batches = model.asked.length
    const pages = [
      await ask({ offset: 0 }),
      await ask({ offset: 10 }),
      await ask({ offset: 20 }),
      await ask({ offset: 30 }),
    ]
    expect(pages.flatMap(({ hits }) => numbers(hits))).toEqual(numbers(whole.hits))
    expect(model.asked.length).toBe(batches)
  })

  test("a passage that the model passes over keeps its place", async () => {
    await library.put("file_a", [...LINES.slice(0, 9), "[otter swims swims]"].join("\n"))
    const plain = await ask({ rerank: undefined })
    const { hits, reranked } = await ask()
    expect(reranked).toBe(9)
    const place = (of: { text: string }[]) => of.findIndex(({ text }) => text.startsWith("["))
    expect(place(hits)).toBe(place(plain.hits))
  })

  test("keeps the order of before, and says so, when there is no time", async () => {
    await library.put("file_a", LINES.join("\n"))
    const plain = await ask({ rerank: undefined })
    const { hits, reranked, degraded } = await ask({ rerank: { candidates: 30, budgetMs: 1 } })
    expect({ reranked, degraded }).toEqual({ reranked: 0, degraded: "not_reranked" })
    expect(hits).toEqual(plain.hits)
  })

  test("judges as many of the best as fit in the time, and its pages continue one list", async () => {
    const long = LINES.map(line => `${line} ${"on ".repeat(300)}`) // a thousand characters, 35 ms as long as none was measured
    await library.put("file_a", long.join("\n"))
    const rerank = { candidates: 40, budgetMs: 700 }
    const plain = await ask({ rerank: undefined, limit: 40 })
    const whole = await ask({ rerank, limit: 40 })
    expect(whole.degraded).toBeNull()
    expect(whole.reranked).toBeGreaterThanOrEqual(10)
    expect(whole.reranked).toBeLessThan(30)
    const judged = model.asked.flatMap(({ texts }) => texts)
    expect(judged).toEqual(plain.hits.slice(0, whole.reranked).map(({ text }) => text))
    const pages = [await ask({ rerank }), await ask({ rerank, offset: 10 }), await ask({ rerank, offset: 20 })]
    expect(pages.flatMap(({ hits }) => numbers(hits))).toEqual(numbers(whole.hits.slice(0, 30)))
  })

  test("keeps the order of before when the model fails, and reranks when it works again", async () => {
    await library.put("file_a", LINES.join("\n"))
    const plain = await ask({ rerank: undefined })
    model.failing = true
    const failed = await ask()
    expect(failed.degraded).toBe("not_reranked")
    expect(failed.hits).toEqual(plain.hits)
    model.failing = false
    expect((await ask()).reranked).toBe(30)
  })

  test("what the model finds irrelevant falls below min_relevance, what it finds relevant rises above", async () => {
    await library.put("file_a", "otter number 99 swims\notter number 0 swims")
    const { hits } = await ask()
    const [best, worst] = hits.map(({ relevance }) => relevance)
    expect(best!).toBeGreaterThan(worst!)
    const left = await ask({ min_relevance: (best! + worst!) / 2 })
    expect([numbers(left.hits), left.total]).toEqual([[99], 1])
  })

  test("the model reads passages of the asking workspace that the filters let through, and no others", async () => {
    await library.put("file_a", LINES.slice(0, 5).join("\n"))
    await library.put("file_b", LINES.slice(5, 10).join("\n"))
    await ask({ filters: { file_ids: ["file_b"] } })
    const read = model.asked.flatMap(({ texts }) => texts)
    expect(numbers(read.map(text => ({ text }))).sort()).toEqual([15, 16, 17, 18, 19])
    model.asked.length = 0
    expect((await ask({ view: wholeOf("ws_b") })).reranked).toBe(0)
    expect(model.asked).toEqual([])
  })

  test("ends with the client", async () => {
    await library.put("file_a", LINES.join("\n"))
    const release = Promise.withResolvers<void>()
    model.hold = release.promise
    const gone = new AbortController()
    const search = library.index.search(
      { view: wholeOf("ws_a"), query: "otter", limit: 10, rerank: RERANK },
      gone.signal,
    )
    setTimeout(() => gone.abort(new Error("gone")), 50)
    expect((await rejection(search)).message).toBe("gone")
    release.resolve()
  })
})

test("without a reranking model a search that asks for it says so", async () => {
  const bare = await TestLibrary.open({})
  await bare.put("file_a", LINES.slice(0, 3).join("\n"))
  const { degraded, reranked, hits } = await bare.index.search({
    view: wholeOf("ws_a"),
    query: "otter",
    limit: 3,
    rerank: RERANK,
  })
  expect({ degraded, reranked, count: hits.length }).toEqual({ degraded: "not_reranked", reranked: 0, count: 3 })
  await bare.close()
})
