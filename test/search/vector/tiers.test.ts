/** Two tables of vectors: passages are found by fast ones at once, and by quality ones as these come. */
import { expect, setDefaultTimeout, test } from "bun:test"
import type { Embedder } from "../../../src/backends/backend.ts"
import { until } from "../../support/until.ts"
import { TestLibrary, wordEmbedder } from "../library.ts"

setDefaultTimeout(30_000)

/** A model of the quality tier that makes vectors of passages only when it is let. */
function held(model = "test/quality", dimensions = 32) {
  const inner = wordEmbedder(model, dimensions)
  const gate = Promise.withResolvers<void>()
  let passages = 0
  const embedder: Embedder = {
    ...inner,
    async embed(texts, role, signal) {
      if (role === "passage") {
        await gate.promise
        passages += texts.length
      }
      return inner.embed(texts, role, signal)
    },
  }
  return {
    embedder,
    open: gate.resolve,
    get passages() {
      return passages
    },
  }
}

test("a file is found by its fast vectors at once, and by its quality vectors once they are made", async () => {
  const quality = held()
  const library = await TestLibrary.open({ quality: quality.embedder })
  try {
    await library.put("file_a", "The heron stands in the water.\nThe otter swims by night.")
    const found = await library.search("the otter swims by night", { mode: "semantic", explain: true })
    expect(found.hits[0]!.text).toBe("The otter swims by night.")
    expect((await library.index.stats()).vectors).toMatchObject({ fast: { count: 2 } })
    quality.open()
    await until(async () => (await library.index.stats()).vectors.quality?.count === 2)
    expect((await library.texts("the otter swims by night", { mode: "semantic" }))[0]).toBe("The otter swims by night.")
    expect(quality.passages).toBe(2)
    const tables = await library.db.selectFrom("vector_tables").select(["tier", "model", "state"]).execute()
    expect(tables.toSorted((a, b) => a.tier.localeCompare(b.tier))).toEqual([
      { tier: "fast", model: "test/words", state: "live" },
      { tier: "quality", model: "test/quality", state: "live" },
    ])
  } finally {
    await library.close()
  }
})
