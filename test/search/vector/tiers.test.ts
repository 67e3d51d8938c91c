/** Two tables of vectors: passages are found by fast ones at once, and by quality ones as these come. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Embedder } from "../../../src/backends/backend.ts"
import { setLogSink } from "../../../src/log.ts"
import { until } from "../../support/until.ts"
import { TestLibrary, wordEmbedder } from "../library.ts"

setDefaultTimeout(120_000)
setLogSink(() => {}) // of models that fail as they are told to

const directories: string[] = []
const newDirectory = () => directories[directories.push(mkdtempSync(join(tmpdir(), "tiers-"))) - 1]!
afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true })
})

const POND = "The heron stands in the water.\nThe otter swims by night.\nThe kingfisher dives for fish."
const WOOD = "The badger digs in the wood.\nThe owl hunts by night.\nThe fox sleeps under a tree."
const ALL = [...POND.split("\n"), ...WOOD.split("\n")].sort()

type Role = "query" | "passage"

/** A model of the quality tier: `act` comes before each of its answers. */
function qualityModel(act: (role: Role, texts: string[]) => unknown = () => {}, model = "test/quality") {
  const inner = wordEmbedder(model, 32)
  const passages: string[] = []
  const embedder: Embedder = {
    ...inner,
    async embed(texts, role, signal) {
      await act(role, texts)
      if (role === "passage") passages.push(...texts)
      return inner.embed(texts, role, signal)
    },
  }
  return Object.assign(embedder, { passages })
}

const counts = async ({ index }: TestLibrary) => {
  const { fast, quality } = (await index.stats()).vectors
  return [fast?.count ?? 0, quality?.count ?? 0]
}
const upgraded = (library: TestLibrary, passages: number) =>
  until(async () => (await counts(library))[1] === passages, { everyMs: 50 })
const bySense = (library: TestLibrary, query: string) => library.texts(query, { mode: "semantic", limit: 100 })

test("a file is found by fast vectors while its quality vectors are still made, and by these afterwards", async () => {
  const open = Promise.withResolvers<void>()
  const quality = qualityModel(role => role === "passage" && open.promise)
  const library = await TestLibrary.open({ quality })
  try {
    await library.put("file_a", POND)
    expect((await bySense(library, "the otter swims by night"))[0]).toBe("The otter swims by night.")
    expect(await counts(library)).toMatchObject([3, 0])
    open.resolve()
    await upgraded(library, 3)
    expect((await bySense(library, "the otter swims by night"))[0]).toBe("The otter swims by night.")
    expect(quality.passages).toEqual(POND.split("\n"))
    const tables = await library.db.selectFrom("vector_tables").select(["tier", "model", "state"]).execute()
    expect(tables.toSorted((a, b) => a.tier.localeCompare(b.tier))).toEqual([
      { tier: "fast", model: "test/words", state: "live" },
      { tier: "quality", model: "test/quality", state: "live" },
    ])
    expect(await library.index.check()).toEqual({ problems: [] })
  } finally {
    open.resolve()
    await library.close()
  }
})

test("where some passages have quality vectors each is listed once, and the right one first, whichever vector it has", async () => {
  const open = Promise.withResolvers<void>()
  const quality = qualityModel(
    (role, texts) => role === "passage" && texts.some(text => WOOD.includes(text)) && open.promise,
  )
  const library = await TestLibrary.open({ quality })
  try {
    await library.put("file_pond", POND)
    await upgraded(library, 3)
    await library.put("file_wood", WOOD)
    expect(await counts(library)).toEqual([6, 3])
    for (const text of ALL) {
      const found = await bySense(library, text)
      expect(found[0]).toBe(text)
      expect(found.toSorted()).toEqual(ALL)
    }
    const narrow = await library.texts("hunts by night", { mode: "semantic", filters: { file_ids: ["file_wood"] } })
    expect(narrow.toSorted()).toEqual(WOOD.split("\n").sort())
    expect((await library.index.check()).unmade).toEqual(["3 passages wait for their vector of the better model"])
  } finally {
    open.resolve()
    await library.close()
  }
})

test("a passage that has both vectors is scored by both where the quality model says so", async () => {
  const alike: Embedder = {
    ...qualityModel(),
    embed: async texts => texts.map(() => Float32Array.from({ length: 32 }, (_, i) => (i === 0 ? 1 : 0))),
  }
  const found: string[][] = []
  for (const fastShare of [0, 0.33]) {
    const library = await TestLibrary.open({ quality: { ...alike, fastShare } })
    try {
      await library.put("file_pond", POND)
      await upgraded(library, 3)
      found.push(await bySense(library, "the kingfisher dives for fish"))
    } finally {
      await library.close()
    }
  }
  const [heron, otter, kingfisher] = POND.split("\n")
  expect(found[0]).toEqual([heron!, otter!, kingfisher!])
  expect(found[1]![0]).toBe(kingfisher!)
})

test("what is removed or replaced while its quality vectors are made is in neither table afterwards", async () => {
  const begun = Promise.withResolvers<void>()
  const open = Promise.withResolvers<void>()
  const quality = qualityModel(role => {
    if (role === "query") return
    begun.resolve()
    return open.promise
  })
  const library = await TestLibrary.open({ quality })
  try {
    await library.put("file_pond", POND)
    await library.put("file_wood", WOOD)
    await begun.promise
    await library.remove("file_pond")
    await library.put("file_wood", "The owl sleeps by day.")
    await library.index.sweep()
    open.resolve()
    await upgraded(library, 1)
    await library.whole()
    expect(await counts(library)).toEqual([1, 1])
    expect(await bySense(library, "heron badger owl")).toEqual(["The owl sleeps by day."])
    await library.remove("file_wood")
    await library.index.sweep()
    expect(await counts(library)).toEqual([0, 0])
  } finally {
    open.resolve()
    await library.close()
  }
})

test("a restart goes on where the upgrade was, and makes no vector twice", async () => {
  const directory = newDirectory()
  const stuck = qualityModel(
    (role, texts) => role === "passage" && texts.some(text => WOOD.includes(text)) && new Promise(() => {}),
  )
  const first = await TestLibrary.open({ directory, quality: { ...stuck, embed: abortable(stuck) } })
  await first.put("file_pond", POND)
  await upgraded(first, 3)
  await first.put("file_wood", WOOD)
  await first.close()
  const quality = qualityModel()
  const second = await TestLibrary.open({ directory, quality })
  try {
    await upgraded(second, 6)
    expect(quality.passages).toEqual(WOOD.split("\n"))
    await second.whole()
  } finally {
    await second.close()
  }
})

/** As real models do: a call that was given up ends. */
function abortable({ embed }: Embedder): Embedder["embed"] {
  return (texts, role, signal) => {
    const { promise, reject } = Promise.withResolvers<never>()
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true })
    return Promise.race([embed(texts, role, signal), promise])
  }
}

test("the quality model is changed amid an upgrade: the former one serves until the new one has all", async () => {
  const directory = newDirectory()
  const former = qualityModel()
  const first = await TestLibrary.open({ directory, quality: former })
  await first.put("file_pond", POND)
  await upgraded(first, 3)
  await first.close()
  const open = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const next = qualityModel(role => {
    if (role === "query") return
    begun.resolve()
    return open.promise
  }, "test/next")
  const embedderNamed = async (name: string) => (name === former.model ? former : undefined)
  const library = await TestLibrary.open({ directory, quality: next, embedderNamed })
  try {
    await begun.promise
    expect((await library.search("otter", { mode: "semantic" })).index.embedding_model).toBe("test/quality")
    await library.put("file_wood", WOOD) // by fast vectors at once, also amid a change
    expect((await bySense(library, "the owl hunts by night"))[0]).toBe("The owl hunts by night.")
    open.resolve()
    await until(async () => (await library.search("otter")).index.embedding_model === "test/next")
    await upgraded(library, 6)
    await library.whole()
    expect(next.passages.toSorted()).toEqual(ALL)
    const tables = () => library.db.selectFrom("vector_tables").select("model").orderBy("model").execute()
    await until(async () => (await tables()).length === 2)
    expect(await tables()).toEqual([{ model: "test/next" }, { model: "test/words" }])
  } finally {
    open.resolve()
    await library.close()
  }
})

test("the tier is switched off and on: its vectors lie untouched but for removed files, and the rest follows", async () => {
  const directory = newDirectory()
  const first = await TestLibrary.open({ directory, quality: qualityModel() })
  await first.put("file_pond", POND)
  await first.put("file_gone", "The stork flies south.")
  await upgraded(first, 4)
  await first.close()
  const off = await TestLibrary.open({ directory, tiers: ["fast"] })
  expect((await off.search("the otter swims by night", { mode: "semantic" })).index.embedding_model).toBe("test/words")
  await off.put("file_wood", WOOD)
  await off.remove("file_gone")
  await off.index.sweep()
  expect(await off.index.check()).toEqual({ problems: [] })
  await off.close()
  const quality = qualityModel()
  const on = await TestLibrary.open({ directory, quality })
  try {
    await upgraded(on, 6)
    expect(quality.passages).toEqual(WOOD.split("\n"))
    await on.whole()
    expect((await bySense(on, "stork")).toSorted()).toEqual(ALL)
  } finally {
    await on.close()
  }
})

test("while the quality model cannot answer, all passages are scored by their fast vectors", async () => {
  let works = true
  const library = await TestLibrary.open({
    quality: qualityModel(() => {
      if (!works) throw new Error("the model cannot be loaded")
    }),
  })
  try {
    await library.put("file_pond", POND)
    await upgraded(library, 3)
    works = false
    await library.put("file_wood", WOOD)
    for (const text of ALL) {
      const { hits, degraded } = await library.search(text, { mode: "semantic", limit: 100 })
      expect([hits.length, hits[0]!.text, degraded]).toEqual([6, text, null])
    }
  } finally {
    await library.close()
  }
})

test("a quality model that is slow, or still to be loaded, is not waited for, and asked no second time meanwhile", async () => {
  const open = Promise.withResolvers<void>()
  let asked = 0
  let isStuck = false
  const quality = qualityModel(role => {
    if (role === "passage" || !isStuck) return
    asked++
    return open.promise
  })
  const library = await TestLibrary.open({
    quality: Object.defineProperty(quality, "isLoaded", { get: () => !isStuck }),
  })
  try {
    await library.put("file_pond", POND)
    await upgraded(library, 3)
    isStuck = true
    for (let i = 0; i < 3; i++)
      expect((await bySense(library, "the otter swims by night"))[0]).toBe("The otter swims by night.")
    expect(asked).toBe(1)
    open.resolve()
    isStuck = false
    await until(async () => {
      await bySense(library, "otter")
      return (await library.search("otter", { mode: "semantic" })).hits.length === 3
    })
  } finally {
    open.resolve()
    await library.close()
  }
})

test("a directory of before, with vectors of a named model alone, gets fast ones as well and keeps its own", async () => {
  const directory = newDirectory()
  const named = wordEmbedder("ollama/named", 32)
  const before = await TestLibrary.open({ directory, embedder: named, tiers: ["fast"] })
  await before.put("file_pond", POND)
  await before.db.updateTable("vector_tables").set({ tier: "quality" }).execute() // as the migration finds it
  await before.close()
  const quality = qualityModel(() => {}, named.model)
  const library = await TestLibrary.open({ directory, quality })
  try {
    await until(async () => (await counts(library)).join() === "3,3", { everyMs: 50 })
    expect(quality.passages).toEqual([])
    await library.whole()
  } finally {
    await library.close()
  }
})
