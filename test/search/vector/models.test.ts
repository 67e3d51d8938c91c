import { expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { evaluate, readExpectations } from "../../../src/search/evaluate.ts"
import { onlooker } from "../../../src/search/writing/membership.ts"
import { until } from "../../support/until.ts"
import { inMemory, TestLibrary, wordEmbedder } from "../library.ts"

const TEXT = "The heron stands in the water.\nThe otter swims by night.\nThe kingfisher dives for fish."

test("a model change is served by the old model until all is done, and by the new one from then on", async () => {
  const directory = mkdtempSync(join(tmpdir(), "search-models-"))
  const former = wordEmbedder("test/former", 64)
  const next = wordEmbedder("test/next", 32)
  const first = await TestLibrary.open({ directory, embedder: former })
  await first.put("file_a", TEXT)
  expect((await first.search("otter")).index.embedding_model).toBe("test/former")
  await first.close()
  const embedderNamed = async (name: string) => (name === former.model ? former : undefined)
  const library = await TestLibrary.open({ directory, embedder: next, embedderNamed })
  try {
    const servedMeanwhile = Promise.withResolvers<unknown>()
    const embed = next.embed
    next.embed = async (...args) => {
      const { degraded, index } = await library.search("otter", { mode: "semantic" })
      servedMeanwhile.resolve({ degraded, model: index.embedding_model })
      next.embed = embed
      return embed.apply(next, args)
    }
    expect(await servedMeanwhile.promise).toEqual({ degraded: null, model: "test/former" })
    await until(async () => (await library.search("otter")).index.embedding_model === "test/next")
    const { hits, degraded } = await library.search("the otter swims by night", { mode: "semantic" })
    expect(degraded).toBeNull()
    expect(hits[0]!.text).toBe("The otter swims by night.")
    await library.put("file_b", "A badger digs.")
    expect((await library.texts("a badger digs", { mode: "semantic" }))[0]).toBe("A badger digs.")
    await library.whole()
    const tables = () => library.db.selectFrom("vector_tables").select(["model", "state"]).execute()
    await until(async () => (await tables()).length === 1) // the former one is dropped when the new one serves
    expect(await tables()).toEqual([{ model: "test/next", state: "live" }])
  } finally {
    await library.close()
    rmSync(directory, { recursive: true, force: true })
  }
})

test("vectors of another model are never compared: without the old model, words alone are searched until it is done", async () => {
  const directory = mkdtempSync(join(tmpdir(), "search-models-"))
  try {
    const first = await TestLibrary.open({ directory, embedder: wordEmbedder("test/former", 64) })
    await first.put("file_a", TEXT)
    await first.close()
    const second = await TestLibrary.open({ directory, embedder: wordEmbedder("test/next", 64) })
    expect((await second.search("otter")).degraded).toBe("keyword_only")
    await until(async () => !(await second.search("otter")).degraded, { everyMs: 100 })
    const { degraded, index } = await second.search("otter")
    expect({ degraded, model: index.embedding_model }).toEqual({ degraded: null, model: "test/next" })
    await second.close()
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}, 20_000)

test("what was indexed while the model failed is found by its words at once and by meaning after a restart", async () => {
  const directory = mkdtempSync(join(tmpdir(), "search-models-"))
  try {
    const embedder = wordEmbedder()
    embedder.failing = true
    const first = await TestLibrary.open({ directory, embedder })
    await first.put("file_a", TEXT)
    expect(await first.texts("otter", { mode: "keyword" })).toEqual(["The otter swims by night."])
    await first.close()
    const second = await TestLibrary.open({ directory, embedder: wordEmbedder() })
    await second.whole()
    expect((await second.texts("the otter swims by night", { mode: "semantic" }))[0]).toBe("The otter swims by night.")
    await second.close()
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}, 20_000)

test("what is completed at once says how many of all passages have their vectors", async () => {
  const embedder = wordEmbedder()
  const library = await TestLibrary.open({ embedder, members: onlooker() })
  try {
    embedder.failing = true
    await library.put("file_a", Array.from({ length: 100 }, (_, i) => `heron ${i}`).join("\n"))
    embedder.failing = false
    const told: [done: number, total: number][] = []
    await library.index.complete((done, total) => void told.push([done, total]))
    expect(told.length).toBeGreaterThan(1)
    expect(told.map(([, total]) => total)).toEqual(told.map(() => 100))
    expect(told.at(-1)).toEqual([100, 100])
  } finally {
    await library.close()
  }
})

test("a lost keyword index is made again from the chunks", async () => {
  const directory = mkdtempSync(join(tmpdir(), "search-models-"))
  try {
    const first = await TestLibrary.open({ directory })
    await first.put("file_a", TEXT)
    await first.close()
    for (const suffix of ["", "-wal", "-shm"]) rmSync(join(directory, `keyword.db${suffix}`), { force: true })
    const second = await TestLibrary.open({ directory })
    await second.whole()
    expect(await second.texts("otter", { mode: "keyword" })).toEqual(["The otter swims by night."])
    await second.close()
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}, 20_000)

test("words that several find missing at the same time are made once", async () => {
  const directory = mkdtempSync(join(tmpdir(), "search-models-"))
  try {
    const first = await TestLibrary.open({ directory })
    await first.put("file_a", TEXT)
    await first.close()
    for (const suffix of ["", "-wal", "-shm"]) rmSync(join(directory, `keyword.db${suffix}`), { force: true })
    const second = await TestLibrary.open({ directory })
    await Promise.all([second.index.repair(), second.index.repair(), second.index.complete(() => {})])
    expect(await second.texts("otter", { mode: "keyword" })).toEqual(["The otter swims by night."])
    await second.close()
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}, 20_000)

test("an aborted stage leaves nothing behind after the sweep, and can be done again", async () => {
  const library = await TestLibrary.open()
  try {
    const generation = await library.register("file_a")
    const chunks = [{ start: 0, end: 9, place: { page: null, sheet: null, slide: null, member: null, section: null } }]
    const stop = new AbortController()
    const staging = library.index.stage(
      { id: "file_a", workspaceId: "ws_a" },
      generation,
      inMemory("The heron", chunks),
      () => stop.abort(new Error("cancelled")),
      stop.signal,
    )
    const error = await staging.catch(reason => reason)
    expect(error.message).toBe("cancelled")
    await library.index.sweep()
    expect(await library.db.selectFrom("chunks").select("id").execute()).toEqual([])
    expect(await library.index.check()).toEqual({ problems: [] })
    const refused = await library.publish("file_a", generation).catch(reason => reason)
    expect(refused.message).toContain("is not staged")
  } finally {
    await library.close()
  }
})

test("evaluation counts the rank of the first right file", async () => {
  const library = await TestLibrary.open()
  try {
    await library.put("file_a", "The heron stands in the water.")
    await library.put("file_b", "The heron heron heron.")
    const expectations = readExpectations(
      '{"query":"heron","file":"file_a"}\n\n{"query":"heron","file":["file_b.txt"]}\n{"query":"zebra","file":"file_a"}\n',
    )
    const [keyword] = await evaluate(library.index, "ws_a", expectations, ["keyword"])
    expect(keyword).toEqual({
      mode: "keyword",
      queries: 3,
      hit_at: { 1: 0.3333, 3: 0.6667, 5: 0.6667, 10: 0.6667 },
      mrr: 0.5,
      ndcg: 0.5436,
      missed: ["zebra"],
      gains: [0.6309, 1, 0],
    })
    expect(() => readExpectations('{"query":"a"}')).toThrow("line 1")
    expect(() => readExpectations("nonsense")).toThrow("line 1")
  } finally {
    await library.close()
  }
})
