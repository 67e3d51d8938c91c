/** The audit log as callers see it: what has a row, what no row holds, and who reads it. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"

setDefaultTimeout(30_000)

let app: TestApp
let api: Client
beforeAll(async () => {
  app = await startTestApp()
  api = await app.client()
}, 60_000)
afterAll(() => app.stop())

// biome-ignore lint/suspicious/noExplicitAny: rows of any shape
const rows = async (query = ""): Promise<any[]> => (await api.get(`/audit?limit=1000${query}`)).body.data

test("a change, a refusal and an upload have a row each, and a page without a filter shows all of them", async () => {
  const [{ id }] = await api.index([{ name: "heron.txt", data: "The heron nests in April." }])
  const reader = await app.client("default", { scopes: ["files:read"] })
  expect((await reader.delete(`/libraries/${id}`)).status).toBe(403)
  expect((await api.delete(`/libraries/${id}`)).status).toBe(204)
  const told = (await rows()).map(({ action, outcome, resource_id }) => [action, outcome, resource_id])
  expect(told).toContainEqual(["file.upload", "success", id])
  expect(told).toContainEqual(["file.delete", "success", id])
  expect(told.filter(([, outcome]) => outcome === "denied").length).toBeGreaterThan(0)
  expect((await rows("&outcome=denied")).every(({ outcome }) => outcome === "denied")).toBe(true)
  expect((await rows(`&resource=${id}&action=file.delete`)).map(({ outcome }) => outcome)).toContain("success")
})

test("no row and no export holds what people wrote, named, searched or were let in with", async () => {
  const planted = "quvexolimpar"
  const [{ id }] = await api.index([{ name: `${planted}.txt`, data: `The ${planted} was agreed on.` }])
  await api.post("/search", { query: planted })
  const { body } = await api.post("/start-conversation", { message: `What of ${planted}?` })
  await api.patch(`/conversations/${body.conversation_id}`, { title: planted })
  await api.patch(`/libraries/${id}`, { metadata: { note: planted }, tags: [planted] })
  await api.get(`/libraries?name=${planted}&q=${planted}`)
  await api.delete(`/conversations/${body.conversation_id}`)
  const exported = await (await api.raw("GET", "/audit.jsonl")).text()
  expect(exported.split("\n").length).toBeGreaterThan(4)
  for (const text of [JSON.stringify(await rows()), exported]) expect(text).not.toContain(planted)
})

test("the chain is whole while forty change things at once", async () => {
  const before = (await api.get("/audit/verify")).body
  const files = Array.from({ length: 40 }, (_, at) => ({ name: `gull-${at}.txt`, data: `Gull ${at} was counted.` }))
  await Promise.all(files.map(file => api.upload([file])))
  const { body } = await api.get("/audit/verify")
  expect(body).toMatchObject({ ok: true, first_bad: null })
  expect(body.rows).toBeGreaterThanOrEqual(before.rows + files.length)
})

test("another workspace sees none of it, a narrowed key and one without the scope nothing", async () => {
  const other = await app.client("another")
  const seen = (await other.get("/audit?limit=1000")).body.data
  expect(seen.filter((row: { workspace_id: string }) => row.workspace_id === (seen[0]?.workspace_id ?? ""))).toEqual(
    seen,
  )
  const own = new Set((await rows()).map(({ id }) => id))
  expect(seen.filter(({ id }: { id: string }) => own.has(id))).toEqual([])
  const narrow = await app.client("default", { context_ids: ["ctx"] })
  expect((await narrow.get("/audit")).status).toBe(403)
  const without = await app.client("default", { scopes: ["files:read"] })
  for (const path of ["/audit", "/audit.jsonl", "/audit/verify"]) expect((await without.get(path)).status).toBe(403)
})
