import { Database } from "bun:sqlite"
import { afterEach, expect, test } from "bun:test"
import { join } from "node:path"
import { BUILT_IN_EMBEDDING_MODELS } from "../../src/backends/embedder.ts"
import { startTestApp } from "../support/app.ts"
import { until } from "../support/until.ts"
import { writeBeside } from "../support/write-beside.ts"

const open: { stop(): unknown }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.stop()
})

const FORMER = "carrel-embed-en-v1"

test("a directory whose vectors are of the former built-in model answers by words, and gets vectors of the present one", async () => {
  const app = await startTestApp()
  open.push(app)
  const client = await app.client()
  await client.index([{ name: "a.txt", data: "The river is wide." }])
  const file = join(app.data, "carrel.db")
  const models = () => {
    using database = new Database(file)
    return database
      .query("select model from vector_tables where state = 'live' and tier = 'fast'")
      .all()
      .map(row => (row as { model: string }).model)
  }
  await until(() => models().includes(BUILT_IN_EMBEDDING_MODELS.fast))
  await writeBeside(app.data, "update vector_tables set model = ? where tier = 'fast'", FORMER)
  await app.restart()
  const { body } = await client.post("/search", { query: "river" })
  expect(body.hits).toMatchObject([{ text: "The river is wide." }])
  await until(() => models().join() === BUILT_IN_EMBEDDING_MODELS.fast)
  await until(async () => (await client.post("/search", { query: "river" })).body.degraded === null)
}, 60_000)
