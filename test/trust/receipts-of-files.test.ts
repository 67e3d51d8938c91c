/** Receipts where bytes are shared, replaced, being read, or many. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"
import { holding } from "../support/holding.ts"
import { longText } from "../support/long-text.ts"
import { until } from "../support/until.ts"

const WRITTEN = { within: 120_000, everyMs: 50 }

let app: TestApp
let api: Client

beforeAll(async () => {
  app = await startTestApp()
  api = await app.client()
}, 60_000)
afterAll(() => app.stop())

const word = (what: string) => `xvq${what}marlindo`
const note = (what: string) => `The ${word(what)} was agreed on in the meeting about the warehouse.`
const remove = async (path: string, by = api) => (await by.delete(path)).headers.get("x-receipt-id")!
const written = (id: string, by = api) =>
  until(async () => {
    const { status, body } = await by.get(`/receipts/${id}`)
    return status === 200 && body
  }, WRITTEN)

test("the receipt of a conversation waits for the log of the database", async () => {
  const asked = await api.post("/start-conversation", { message: word("message"), use_library: false })
  expect(holding(app.data, word("message"))).not.toEqual([])
  await written(await remove(`/conversations/${asked.body.conversation_id}`))
  expect(holding(app.data, word("message"))).toEqual([])
}, 60_000)

test("of two files with the same bytes, in two contexts and in two workspaces, one goes and the others stay whole", async () => {
  const other = await app.client("other")
  const upload = [{ name: "twin.txt", data: note("twin") }]
  const [here] = await api.index(upload, { context_id: "left" })
  const [beside] = await api.index(upload, { context_id: "right" })
  const [elsewhere] = await other.index(upload)
  const receipt = await written(await remove(`/libraries/${here.id}`))
  expect(receipt).toMatchObject({ ids: [here.id], sha256s: [beside.sha256] })
  for (const [by, { id }] of [[api, beside] as const, [other, elsewhere] as const]) {
    expect(await (await by.raw("GET", `/libraries/${id}/content`)).text()).toBe(note("twin"))
    const { body } = await by.post("/search", { query: word("twin") })
    expect(body.hits.map((hit: { file: { id: string } }) => hit.file.id)).toEqual([id])
  }
  expect((await other.get(`/receipts?resource=${here.id}`)).body.data).toEqual([])
}, 120_000)

test("the former bytes of a file that is replaced have a receipt of their own, once the new ones are found", async () => {
  const [file] = await api.index([{ name: "plan.txt", data: note("former") }])
  await api.index([{ name: "plan.txt", data: note("present") }], { on_duplicate: "replace" })
  const [receipt] = await until(async () => {
    const { body } = await api.get(`/receipts?resource=${file.id}`)
    return body.data.length > 0 && body.data
  }, WRITTEN)
  expect(receipt).toMatchObject({ what: "version", ids: [file.id], sha256s: [file.sha256] })
  expect(holding(app.data, word("former"))).toEqual([])
  const { body } = await api.post("/search", { query: word("present") })
  expect(body.hits[0].file.id).toBe(file.id)
}, 120_000)

test("a file that is deleted while it is read leaves nothing behind, though its reader may come later", async () => {
  const { body } = await api.upload([{ name: "long.txt", data: `${note("read")} ${longText(600, 5_000)}` }])
  const { id } = body.files[0]
  await until(async () => (await api.get(`/libraries/${id}`)).body.status === "indexing", { everyMs: 1 })
  await written(await remove(`/libraries/${id}`))
  expect(holding(app.data, word("read"))).toEqual([])
  expect(holding(app.data, id).filter(path => path.includes(id))).toEqual([])
}, 180_000)

test("the former bytes of a file that is replaced while it is read leave nothing behind either", async () => {
  const { body } = await api.upload([{ name: "changing.txt", data: `${note("early")} ${longText(601, 5_000)}` }])
  const { id } = body.files[0]
  await until(async () => (await api.get(`/libraries/${id}`)).body.status === "indexing", { everyMs: 1 })
  await api.index([{ name: "changing.txt", data: note("late") }], { on_duplicate: "replace" })
  await until(async () => (await api.get(`/receipts?resource=${id}`)).body.data.length > 0, WRITTEN)
  expect(holding(app.data, word("early"))).toEqual([])
  expect((await (await api.raw("GET", `/libraries/${id}/content`)).text()).includes(word("late"))).toBe(true)
}, 180_000)

test("all files of one bulk deletion share a receipt, which the job names", async () => {
  const files = await api.index(
    Array.from({ length: 12 }, (_, i) => ({ name: `bulk-${i}.txt`, data: note(`bulk${i}`) })),
  )
  const filter = { type: "starts_with", key: "file.name", value: "bulk-" }
  const started = await api.post("/libraries/bulk", { action: "delete", filter })
  const job = await until(async () => {
    const { body } = await api.get(`/jobs/${started.body.job_id}`)
    return body.status === "completed" && body
  })
  const receipt = await written(job.receipt_id)
  expect(receipt.what).toBe("bulk")
  expect(receipt.ids.toSorted()).toEqual(files.map(({ id }) => id).toSorted())
  expect(receipt.sha256s).toHaveLength(12)
  for (const at of [0, 7, 11]) expect(holding(app.data, word(`bulk${at}`))).toEqual([])
}, 120_000)

test("a bulk deletion whose files all are held has no receipt, and names them; one that finds none has neither", async () => {
  const [file] = await api.index([{ name: "kept-1.txt", data: note("kept") }])
  const filter = { type: "starts_with", key: "file.name", value: "kept-" }
  const hold = await api.post("/holds", { name: "h", filter })
  const before = (await api.get("/receipts?page_size=1")).body.pagination.total_items
  const ended = async (given: object) => {
    const { body } = await api.post("/libraries/bulk", { action: "delete", filter: given })
    return until(async () => {
      const job = (await api.get(`/jobs/${body.job_id}`)).body
      return job.status === "completed" && job
    })
  }
  expect(await ended(filter)).toMatchObject({ receipt_id: null, failed: [file.id], done: 1 })
  expect(await ended({ ...filter, value: "nothing-" })).toMatchObject({ receipt_id: null, failed: [], done: 0 })
  await api.delete(`/holds/${hold.body.id}`)
  const { receipt_id } = await ended(filter)
  expect((await written(receipt_id)).ids).toEqual([file.id])
  // Written in their order: an empty one would have been written before it.
  expect((await api.get("/receipts?page_size=1")).body.pagination.total_items).toBe(before + 1)
}, 120_000)

test("files and responses of the other API have receipts too, and a batch's file", async () => {
  const openai = api.under("/v1")
  const { body: response } = await openai.post("/responses", { model: "builtin/extractive", input: word("response") })
  const form = new FormData()
  form.append("purpose", "batch")
  const line = { custom_id: "1", method: "POST", url: "/v1/embeddings", body: { input: word("line") } }
  form.append("file", new Blob([`${JSON.stringify(line)}\n`]), "lines.jsonl")
  const { body: file } = await openai.post("/files", form)
  for (const [path, what, planted] of [
    [`/responses/${response.id}`, "response", word("response")],
    [`/files/${file.id}`, "batch_file", word("line")],
  ] as const) {
    expect(holding(app.data, planted)).not.toEqual([])
    const { status, headers } = await openai.delete(path)
    expect(status).toBe(200)
    expect((await written(headers.get("x-receipt-id")!)).what).toBe(what)
    expect(holding(app.data, planted)).toEqual([])
  }
}, 120_000)
