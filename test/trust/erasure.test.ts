/** What was deleted leaves the disk: not only the answers, every byte of the data directory is searched. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { join } from "node:path"
import { VectorTable } from "../../src/storage/search-index.ts"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"
import { filesBelow, holding } from "../support/holding.ts"
import { until } from "../support/until.ts"

/** Removals are erased together, a second after the first; the log is emptied every 10 s. */
const ERASED = { within: 60_000, everyMs: 250 }
const FILES = 120

let app: TestApp
let api: Client

beforeAll(async () => {
  app = await startTestApp()
  api = await app.client()
}, 60_000)
afterAll(() => app.stop())

test("words of a deleted file and a deleted conversation leave every file of the data directory; others stay findable", async () => {
  const secret = "quvexolimpar"
  const note = (word: string) => `The ${word} was agreed on in the meeting about the warehouse.`
  const data = Array.from({ length: FILES }, (_, i) => ({ name: `note-${i}.txt`, data: note(`agreement${i}`) }))
  const [deleted] = await api.index([{ name: "secret.txt", data: note(secret) }, ...data])
  const asked = await api.post("/start-conversation", { message: `What about the ${secret}?`, use_library: false })
  expect(holding(app.data, secret).length).toBeGreaterThanOrEqual(3) // the original, the database, the index of words
  expect((await api.delete(`/libraries/${deleted.id}`)).status).toBe(204)
  expect((await api.delete(`/conversations/${asked.body.conversation_id}`)).status).toBe(204)
  await until(() => holding(app.data, secret).length === 0, ERASED)
  const noted = () => filesBelow(join(app.data, "vectors")).filter(path => path.includes("_deletions"))
  await until(() => noted().length === 0, ERASED)
  const { body } = await api.post("/search", { query: "agreement7", limit: 1 })
  expect(body.hits[0].file.name).toBe("note-7.txt")
  expect(body.index.searchable_files).toBe(FILES)
}, 180_000)

test("a removed vector leaves the table's files, the others stay as they were", async () => {
  const dimensions = 64
  const directory = join(app.data, "vectors-test")
  const table = await VectorTable.open(directory, "vectors", dimensions)
  const vector = (id: number) => Float32Array.from({ length: dimensions }, (_, i) => Math.sin(id * 7 + i))
  const ids = Float64Array.from({ length: 5000 }, (_, i) => i)
  const vectors = new Float32Array(ids.length * dimensions)
  for (const id of ids) vectors.set(vector(id), id * dimensions)
  await table.add({ ids, vectors })
  await table.optimize()
  const bytesOf = (id: number) => new Uint8Array(vector(id).buffer)
  expect(await table.holdsRemoved()).toBe(false)
  for (const removed of [777, 778]) {
    await table.remove(Float64Array.of(removed, removed))
    expect(await table.holdsRemoved()).toBe(true)
    expect(holding(directory, bytesOf(removed))).not.toEqual([])
    await table.erase()
    expect(await table.holdsRemoved()).toBe(false)
    expect(holding(directory, bytesOf(removed))).toEqual([])
  }
  // A file of its own, as that of the only upload, all of which goes: no note of removed rows is left then.
  await table.add({ ids: Float64Array.of(9001), vectors: vector(9001) })
  await table.remove(Float64Array.of(9001, 9001))
  expect(holding(directory, bytesOf(9001))).not.toEqual([])
  expect(await table.holdsRemoved()).toBe(true)
  await table.erase()
  expect(holding(directory, bytesOf(9001))).toEqual([])
  expect(await table.holdsRemoved()).toBe(false)
  expect(holding(directory, bytesOf(779))).toHaveLength(1)
  expect(await table.count()).toBe(4998)
  const seen: number[] = []
  for await (const batch of table.scan()) seen.push(...batch.ids)
  expect(seen.sort((a, b) => a - b)).toEqual([...ids].filter(id => id !== 777 && id !== 778))
  table.close()
}, 60_000)
