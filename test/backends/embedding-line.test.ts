/** Texts of callers before the embedding model: in turn, a few at a time, and none for whoever has left. */
import { expect, test } from "bun:test"
import type { Embedder } from "../../src/backends/backend.ts"
import { EmbeddingLine } from "../../src/backends/embedding-line.ts"
import { rejection } from "../support/rejection.ts"
import { until } from "../support/until.ts"

/** Notes every batch, and gives its vectors when it is told to. */
function heldEmbedder() {
  const batches: { texts: string[]; go: () => void }[] = []
  const embedder: Embedder = {
    model: "held",
    dimensions: 1,
    fusionWeight: 0,
    async embed(texts, role) {
      expect(role).toBe("passage")
      const { promise, resolve } = Promise.withResolvers<void>()
      batches.push({ texts, go: resolve })
      await promise
      return texts.map(text => Float32Array.of(Number(text)))
    },
    close: async () => {},
  }
  return { batches, line: new EmbeddingLine(embedder) }
}

const numbers = (count: number) => Array.from({ length: count }, (_, i) => String(i))
const forever = new AbortController().signal

test("vectors come in the order of their texts, batch after batch", async () => {
  const { batches, line } = heldEmbedder()
  const asked = line.embed("a", numbers(40), forever)
  for (const done of [0, 1, 2]) {
    await until(() => batches.length === done + 1)
    batches[done]!.go()
  }
  expect((await asked).map(([value]) => value)).toEqual(numbers(40).map(Number))
  expect(batches.map(({ texts }) => texts.length)).toEqual([16, 16, 8])
})

test("a workspace with two thousand texts delays another's one by a batch", async () => {
  const { batches, line } = heldEmbedder()
  const many = line.embed("many", numbers(2_000), forever).catch(() => {})
  await until(() => batches.length === 1)
  const one = line.embed("one", ["7"], forever)
  batches[0]!.go()
  await until(() => batches.length === 2)
  expect(batches[1]!.texts).toEqual(["7"])
  batches[1]!.go()
  expect((await one)[0]![0]).toBe(7)
  void many
})

test("whoever has left gets no further batch, and lets the next one go", async () => {
  const { batches, line } = heldEmbedder()
  const abort = new AbortController()
  const left = rejection(line.embed("left", numbers(100), abort.signal))
  await until(() => batches.length === 1)
  const next = line.embed("next", ["3"], forever)
  abort.abort(new Error("gone"))
  batches[0]!.go()
  expect((await left).message).toBe("gone")
  await until(() => batches.length === 2)
  expect(batches[1]!.texts).toEqual(["3"])
  batches[1]!.go()
  expect(await next).toHaveLength(1)
})

test("long texts make small batches", async () => {
  const { batches, line } = heldEmbedder()
  const asked = line.embed("a", ["1".padEnd(9_000), "2".padEnd(9_000)], forever)
  await until(() => batches.length === 1)
  expect(batches[0]!.texts).toHaveLength(1)
  batches[0]!.go()
  await until(() => batches.length === 2)
  batches[1]!.go()
  expect(await asked).toHaveLength(2)
})
