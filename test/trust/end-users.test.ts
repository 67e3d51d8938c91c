/** What there is of an end user goes with one call, the name as well; what others have stays. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { createHash } from "node:crypto"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"
import { holding } from "../support/holding.ts"
import { until } from "../support/until.ts"

const WRITTEN = { within: 90_000, everyMs: 200 }

let app: TestApp
let api: Client

beforeAll(async () => {
  app = await startTestApp()
  api = await app.client()
  await api.index([{ name: "kept.txt", data: "The agreement of the warehouse stays." }])
}, 60_000)
afterAll(() => app.stop())

const word = (what: string) => `zwx${what}brunelli`
const said = async (by: Client, what: string, fields: object) =>
  (await by.post("/start-conversation", { message: `About the ${word(what)}?`, use_library: false, ...fields })).body
    .conversation_id as string

/** Does it again and again until the scope ends. */
function busyWith(work: () => Promise<unknown>): AsyncDisposable {
  let isOver = false
  const ended = (async () => {
    while (!isOver) await work()
  })()
  return {
    async [Symbol.asyncDispose]() {
      isOver = true
      await ended
    },
  }
}

test("an end user is erased with conversations, runs and batches, and others are not", async () => {
  const name = `${word("name")}@example.com`
  const token = await api.scoped({ end_user: name })
  const conversation = await said(api, "message", { end_user: name })
  await said(token, "token", {})
  const run = (await api.post("/agents/run", { task: `Find the ${word("task")}.`, end_user: name })).body.run_id
  const line = { url: "/external/search", method: "POST", body: { query: word("line") } }
  const batch = (await token.post("/batches", { requests: [{ custom_id: "1", ...line }] })).body.id
  await until(async () => (await token.get(`/batches/${batch}`)).body.status === "completed")
  const other = await said(api, "other", { end_user: "somebody else" })
  const planted = ["name", "message", "token", "task", "line"].map(word)
  expect(planted.filter(each => holding(app.data, each).length === 0)).toEqual([])

  await using _ = busyWith(async () => {
    await token.get("/conversations")
    await api.get("/files")
  })
  const erased = await api.delete(`/end-users/${encodeURIComponent(name)}`)
  expect(erased.status).toBe(202)
  const id: string = erased.body.receipt_id
  expect(id).toMatch(/^rcpt_/)
  expect((await token.get("/conversations")).status).toBe(401)
  expect((await api.delete(`/end-users/${encodeURIComponent(name)}`)).body.receipt_id).toBe(id)
  await until(async () => (await api.get(`/receipts/${id}`)).status === 200, WRITTEN)
  for (const each of planted) expect(holding(app.data, each)).toEqual([])
  const { body: receipt } = await api.get(`/receipts/${id}`)
  expect(receipt.what).toBe("end_user")
  for (const gone of [conversation, run, batch]) expect(receipt.ids).toContain(gone)
  expect(receipt.ids).not.toContain(other)
  expect(receipt.sha256s).toContain(createHash("sha256").update(name).digest("hex"))
  const { body: listed } = await api.get(`/receipts?resource=${encodeURIComponent(name)}`)
  expect(listed.data.map((each: { id: string }) => each.id)).toEqual([id])
  expect((await api.get(`/conversations/${other}`)).status).toBe(200)
  expect((await api.get(`/conversations/${conversation}`)).status).toBe(404)
  expect((await api.delete(`/end-users/${encodeURIComponent(name)}`)).body.receipt_id).toBe(id)
}, 180_000)

test("what a hold covers is not erased, and nothing else of that end user; the call works once it is lifted", async () => {
  const conversation = await said(api, "held", { end_user: "held" })
  const hold = (await api.post("/holds", { name: "case 1", end_user: "held" })).body.id
  expect(await api.delete("/end-users/held")).toMatchObject({ status: 409, body: { error: { code: "on_hold" } } })
  expect((await api.get(`/conversations/${conversation}`)).status).toBe(200)
  expect((await api.delete(`/holds/${hold}`)).status).toBe(204)
  expect((await api.delete("/end-users/held")).status).toBe(202)
  await until(async () => (await api.get(`/conversations/${conversation}`)).status === 404)
}, 60_000)

test("only who sees the whole workspace erases, and a narrow key sees receipts of what it deleted itself", async () => {
  const conversation = await said(api, "mine", { end_user: "mine" })
  const narrow = await app.client("default", { context_ids: ["x"] })
  const without = await app.client("default", { scopes: ["chat"] })
  for (const by of [narrow, without, await api.scoped({ end_user: "mine" })])
    expect((await by.delete("/end-users/mine")).status).toBe(403)
  expect((await api.get(`/conversations/${conversation}`)).status).toBe(200)
  const foreign = (await api.delete(`/conversations/${conversation}`)).headers.get("x-receipt-id")
  const own = (await narrow.delete(`/conversations/${await said(narrow, "own", {})}`)).headers.get("x-receipt-id")
  await until(async () => (await narrow.get(`/receipts/${own}`)).status === 200, WRITTEN)
  await until(async () => (await api.get(`/receipts/${foreign}`)).status === 200, WRITTEN)
  expect((await narrow.get(`/receipts/${foreign}`)).status).toBe(404)
  const { body } = await narrow.get("/receipts")
  expect(body.data.map((each: { id: string }) => each.id)).toEqual([own])
  expect((await without.get("/receipts")).status).toBe(403)
  expect((await (await app.client("elsewhere")).get(`/receipts/${foreign}`)).status).toBe(404)
}, 120_000)
