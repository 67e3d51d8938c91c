import { describe, expect, test } from "bun:test"
import { RerankLine, type RerankRequest, TooLate } from "../../../src/search/rerank/rerank-line.ts"
import { rejection } from "../../support/rejection.ts"
import { until } from "../../support/until.ts"
import { testReranker } from "./support.ts"

const texts = (count: number, name = "text") =>
  Array.from({ length: count }, (_, i) => `${name} ${i} ${"x".repeat(1_000)}`)

const request = (more: Partial<RerankRequest> = {}): RerankRequest => ({
  workspaceId: "ws_a",
  query: "q",
  texts: texts(10),
  foreign: "score",
  budgetMs: 60_000,
  ...more,
})

async function all(line: RerankLine, asked: RerankRequest): Promise<number[]> {
  const scores: number[] = []
  for await (const { from, scores: part } of line.judge(asked))
    for (const [i, score] of part.entries()) scores[from + i] = score
  return scores
}

describe("the line before the reranking model", () => {
  test("gives every text its score, in the order given, a few at a time", async () => {
    const model = testReranker(text => Number(text.split(" ")[1]) / 100)
    const scores = await all(new RerankLine(model), request())
    expect(scores.map(score => Math.round(score * 100))).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(model.asked.length).toBeGreaterThan(2)
    expect(Math.max(...model.asked.map(each => each.texts.length))).toBeLessThan(5)
  })

  test("a text of a megabyte goes alone", async () => {
    const model = testReranker(() => 0.5)
    await all(new RerankLine(model), request({ texts: ["a", "b".repeat(1_000_000), "c"] }))
    expect(model.asked.map(each => each.texts.map(({ length }) => length))).toEqual([[1], [1_000_000], [1]])
  })

  test("serves requests in turn: a short one is not behind the whole of a long one, of its own workspace or another's", async () => {
    for (const workspaceId of ["ws_a", "ws_b"]) {
      const model = testReranker(() => 0.5)
      const line = new RerankLine(model)
      const long = all(line, request({ texts: texts(400, "long"), budgetMs: 600_000 }))
      await all(line, request({ workspaceId, texts: texts(4, "short") }))
      expect(model.asked.length).toBeLessThan(10)
      await long
    }
  })

  test("those who may take a share of the cores rest for as long as it asks, and hold back nobody else", async () => {
    const model = testReranker(() => 0.5)
    const line = new RerankLine(model, { cores: 2 })
    const shared = (more: Partial<RerankRequest> = {}) => all(line, request({ coreShare: 1 / 6, ...more }))
    const release = Promise.withResolvers<void>()
    model.hold = release.promise
    const first = shared()
    await Bun.sleep(100)
    expect(await rejection(shared())).toBeInstanceOf(TooLate)
    release.resolve()
    expect(await first).toHaveLength(10)
    // It took .1 s of one of two cores: a sixth of both is used up for .2 s more.
    expect(await rejection(shared({ workspaceId: "ws_b" }))).toBeInstanceOf(TooLate)
    expect(await all(line, request())).toHaveLength(10)
    await until(async () => (await shared().catch(() => []))?.length === 10)
  })

  test("on many cores the next of a share is served at once", async () => {
    const line = new RerankLine(
      testReranker(() => 0.5),
      { cores: 12 },
    )
    for (let i = 0; i < 3; i++) expect(await all(line, request({ coreShare: 1 / 6 }))).toHaveLength(10)
  })

  test("tells at once whoever cannot be served in his time, and asks the model nothing for him", async () => {
    const model = testReranker(() => 0.5)
    const line = new RerankLine(model)
    const release = Promise.withResolvers<void>()
    model.hold = release.promise
    const first = all(line, request({ texts: texts(30), budgetMs: 600_000 }))
    await Bun.sleep(1)
    const before = model.asked.length
    expect(await rejection(all(line, request({ texts: texts(30), budgetMs: 1_200 })))).toBeInstanceOf(TooLate)
    expect(model.asked.length).toBe(before)
    release.resolve()
    await first
  })

  test("learns how slow the model is, also from what nobody waited for, and forgets a slow spell", async () => {
    const model = testReranker(() => 0.5)
    const line = new RerankLine(model, { forgetMs: 400 })
    model.hold = Bun.sleep(900)
    const asked = request({ texts: texts(3), budgetMs: 150 })
    expect(await rejection(all(line, asked))).toBeInstanceOf(TooLate)
    await Bun.sleep(950)
    model.hold = undefined
    expect(await rejection(all(line, asked))).toBeInstanceOf(TooLate)
    expect(model.asked.length).toBe(1) // turned away without being tried
    await Bun.sleep(450)
    expect((await all(line, asked)).length).toBe(3)
  })

  test("ends when the time is over, and the model is free again when it has done what it was at", async () => {
    const model = testReranker(() => 0.5)
    const line = new RerankLine(model)
    const release = Promise.withResolvers<void>()
    model.hold = release.promise
    expect(await rejection(all(line, request({ texts: ["short"], budgetMs: 20 })))).toBeInstanceOf(TooLate)
    const next = all(line, request({ texts: ["next"] }))
    await Bun.sleep(40)
    expect(model.asked.map(each => each.texts)).toEqual([["short"]])
    release.resolve()
    expect(await next).toEqual([0.5])
  })

  test("asks nothing more for a client that has gone", async () => {
    const model = testReranker(() => 0.5)
    const line = new RerankLine(model)
    const gone = new AbortController()
    const parts = line.judge(request({ texts: texts(40), signal: gone.signal }))
    await parts.next()
    gone.abort(new Error("gone"))
    expect((await rejection(parts.next())).message).toBe("gone")
    expect(model.asked.length).toBe(1)
    expect(await all(line, request({ texts: ["next"] }))).toEqual([0.5])
  })

  test("a model that fails fails the request alone", async () => {
    const model = testReranker(() => 0.5)
    const line = new RerankLine(model)
    model.failing = true
    expect((await rejection(all(line, request()))).message).toBe("the model fails")
    model.failing = false
    expect((await all(line, request())).length).toBe(10)
  })
})
