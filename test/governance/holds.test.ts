/** What a hold covers is deleted by nobody, on no way, until it is lifted; and what it does not cover is. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"
import { until } from "../support/until.ts"

setDefaultTimeout(60_000)
let app: TestApp
let client: Client

beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

/** A workspace of its own for each test: holds of one do not reach the others. */
let count = 0
const fresh = async () => {
  client = await app.client(`workspace-${++count}`)
  return client
}
const hold = async (given: Record<string, unknown>) => (await client.post("/holds", { name: "Case", ...given })).body
const held = (id: string) => ({ status: 409, body: { error: { code: "on_hold", details: [{ id }] } } })
const file = async (
  name: string,
  fields: Record<string, string> = {},
  data = `The ${name} heron stands in the reeds.`,
) => (await client.index([{ name, data }], fields))[0].id as string
const talk = async (fields: Record<string, unknown> = {}) => {
  const { body } = await client.post("/start-conversation", { message: "Where does the heron stand?", ...fields })
  return body.conversation_id as string
}
const run = async (fields: Record<string, unknown> = {}) =>
  (await client.post("/agents/run", { task: "Where does the heron stand?", ...fields })).body.run_id as string
const CASE = { type: "eq", key: "metadata.case", value: 14 }
const METADATA = { metadata: '{"case":14}' }

describe("a hold with a filter", () => {
  test("keeps its files from being deleted on any way, and no others, until it is lifted", async () => {
    await fresh()
    const [covered, other] = [await file("covered.txt", METADATA), await file("other.txt")]
    const made = await hold({ filter: CASE })
    expect(made).toMatchObject({ name: "Case", filter: CASE, covered: { files: 1, conversations: 0, runs: 0 } })
    expect(await client.delete(`/libraries/${covered}`)).toMatchObject(held(covered))
    expect((await client.under("").delete(`/v1/files/${covered}`)).status).toBe(409)
    expect((await client.delete(`/libraries/${other}`)).status).toBe(204)
    const all = { type: "exists", key: "file.id", value: true }
    const job = (await client.post("/libraries/bulk", { action: "delete", filter: all })).body.job_id
    await until(async () => (await client.get(`/jobs/${job}`)).body.status === "completed")
    expect((await client.get(`/jobs/${job}`)).body).toMatchObject({ done: 1, failed: [covered] })
    expect((await client.get(`/libraries/${covered}/content`)).status).toBe(200)
    expect((await client.delete(`/holds/${made.id}`)).status).toBe(204)
    expect((await client.get(`/holds/${made.id}`)).status).toBe(404)
    expect((await client.delete(`/libraries/${covered}`)).status).toBe(204)
  })

  test("keeps the bytes of its files: another version is refused, the same bytes are not", async () => {
    await fresh()
    const covered = await file("covered.txt", METADATA, "first words")
    await hold({ filter: CASE })
    const replace = (data: string) =>
      client.upload([{ name: "covered.txt", data }], { ...METADATA, on_duplicate: "replace" })
    expect(await replace("other words")).toMatchObject(held(covered))
    expect((await replace("first words")).body.files[0].id).toBe(covered)
    await client.settled(covered)
    expect((await client.get(`/libraries/${covered}/text`)).body).toContain("first words")
    const text = { name: "Ticket", external_id: "t-1", text: "first", metadata: { case: 14 } }
    const ticket = (await client.post("/libraries/text", text)).body.id
    expect(await client.post("/libraries/text", { ...text, text: "second" })).toMatchObject(held(ticket))
    expect((await client.post("/libraries/text", text)).body).toMatchObject({ id: ticket, unchanged: true })
  })

  test("goes on to keep a file that is changed out of it, and keeps one that is changed into it", async () => {
    await fresh()
    const [leaving, arriving] = [await file("leaving.txt", METADATA), await file("arriving.txt")]
    const { id } = await hold({ filter: CASE })
    expect((await client.patch(`/libraries/${leaving}`, { metadata: {} })).status).toBe(200)
    expect((await client.patch(`/libraries/${arriving}`, { metadata: { case: 14 } })).status).toBe(200)
    expect(await client.delete(`/libraries/${leaving}`)).toMatchObject(held(leaving))
    expect(await client.delete(`/libraries/${arriving}`)).toMatchObject(held(arriving))
    expect((await client.get(`/holds/${id}`)).body.covered.files).toBe(2)
    await client.delete(`/holds/${id}`)
    await hold({ filter: CASE })
    expect((await client.delete(`/libraries/${leaving}`)).status).toBe(204) // the former hold has kept it, this one never did
  })

  test("by what no caller changes keeps what passed when it was made", async () => {
    await fresh()
    const before = await file("before.txt")
    await hold({ filter: { type: "lt", key: "file.updated_at", value: new Date(Date.now() + 1).toISOString() } })
    await client.post(`/libraries/${before}/reindex`)
    await client.settled(before)
    expect(await client.delete(`/libraries/${before}`)).toMatchObject(held(before))
  })

  test("covers no conversations and runs", async () => {
    await fresh()
    await file("covered.txt", METADATA)
    const [conversation, task] = [await talk(), await run()]
    await hold({ filter: CASE })
    expect((await client.delete(`/conversations/${conversation}`)).status).toBe(204)
    expect((await client.delete(`/agents/runs/${task}`)).status).toBe(204)
  })
})

describe("a hold with an end user", () => {
  test("keeps that one's conversations and runs whole, with the files that they were given and quote", async () => {
    await fresh()
    const [quoted, other] = [await file("quoted.txt"), await file("other.txt", {}, "Nothing of interest.")]
    const [theirs, others] = [await talk({ end_user: "ana", file_ids: [quoted] }), await talk({ end_user: "bo" })]
    const given = await file("given.txt", { context_id: theirs }, "An attachment.")
    const inRun = await file("in-run.txt")
    const [task, foreign] = [await run({ end_user: "ana", file_ids: [inRun] }), await run({ end_user: "bo" })]
    const made = await hold({ end_user: "ana" })
    expect(made.covered).toEqual({ files: 3, conversations: 1, runs: 1 })
    expect(await client.delete(`/conversations/${theirs}`)).toMatchObject(held(theirs))
    const { messages } = (await client.get(`/conversations/${theirs}`)).body
    const anew = await client.post(`/conversations/${theirs}/messages/${messages[1].id}/regenerate`, {})
    expect(anew).toMatchObject(held(theirs))
    expect((await client.get(`/conversations/${theirs}`)).body.messages).toEqual(messages)
    const more = await client.post("/send", { conversation_id: theirs, message: "And the otter?" })
    expect(more.status).toBe(200)
    expect(await client.delete(`/agents/runs/${task}`)).toMatchObject(held(task))
    for (const id of [quoted, given, inRun]) expect(await client.delete(`/libraries/${id}`)).toMatchObject(held(id))
    for (const path of [`/libraries/${other}`, `/conversations/${others}`, `/agents/runs/${foreign}`])
      expect((await client.delete(path)).status).toBe(204)
    await client.delete(`/holds/${made.id}`)
    for (const path of [`/conversations/${theirs}`, `/agents/runs/${task}`, `/libraries/${quoted}`])
      expect((await client.delete(path)).status).toBe(204)
  })

  test("keeps kept answers", async () => {
    await fresh()
    const plain = client.under("")
    const asked = await plain.post("/v1/responses", { input: "Where does the heron stand?", user: "ana" })
    const { id } = await hold({ end_user: "ana" })
    expect((await plain.delete(`/v1/responses/${asked.body.id}`)).status).toBe(409)
    expect((await plain.get(`/v1/responses/${asked.body.id}`)).status).toBe(200)
    await client.delete(`/holds/${id}`)
    expect((await plain.delete(`/v1/responses/${asked.body.id}`)).status).toBe(200)
  })
})

test("a hold with a context keeps its files, and the conversations and runs that were asked in it", async () => {
  await fresh()
  const [covered, other] = [await file("a.txt", { context_id: "case" }), await file("b.txt", { context_id: "rest" })]
  const [inside, outside] = [await talk({ context_id: "case" }), await talk({ context_id: "rest" })]
  const [task, foreign] = [await run({ context_id: "case" }), await run()]
  const made = await hold({ context_id: "case" })
  expect(made.covered).toEqual({ files: 1, conversations: 1, runs: 1 })
  await client.post("/send", { conversation_id: inside, message: "And here?", context_id: "rest" })
  for (const path of [`/libraries/${covered}`, `/conversations/${inside}`, `/agents/runs/${task}`])
    expect((await client.delete(path)).status).toBe(409)
  await client.under("").delete(`/v1/vector_stores/vs_case`)
  expect((await client.get(`/libraries/${covered}`)).body.context_id).toBeNull()
  expect((await client.delete(`/libraries/${covered}`)).status).toBe(409)
  for (const path of [`/conversations/${outside}`, `/agents/runs/${foreign}`])
    expect((await client.delete(path)).status).toBe(204)
  expect((await client.delete(`/libraries/${other}`)).status).toBe(409) // the held conversation quotes it by now
})

test("a hold with nothing keeps all of its workspace, and nothing of another", async () => {
  await fresh()
  const [first, conversation, task] = [await file("a.txt"), await talk(), await run()]
  const input = '{"custom_id":"1","method":"POST","url":"/v1/embeddings","body":{"model":"x","input":"heron"}}\n'
  const form = new FormData()
  form.append("purpose", "batch")
  form.append("file", new Blob([input]), "in.jsonl")
  const batchFile = (await client.under("/v1").post("/files", form)).body
  const { id } = await hold({})
  const all = [`/libraries/${first}`, `/conversations/${conversation}`, `/agents/runs/${task}`]
  for (const path of all) expect((await client.delete(path)).status).toBe(409)
  expect((await client.under("/v1").delete(`/files/${batchFile.id}`)).status).toBe(409)
  const former = client
  const theirs = await fresh().then(() => file("b.txt"))
  expect((await client.delete(`/libraries/${theirs}`)).status).toBe(204)
  expect((await client.get("/holds")).body.data).toEqual([])
  expect((await client.get(`/holds/${id}`)).status).toBe(404)
  expect((await client.delete(`/holds/${id}`)).status).toBe(404)
  await former.delete(`/holds/${id}`)
  for (const path of all) expect((await former.delete(path)).status).toBe(204)
})

test("holds are made by who sees the whole workspace; a held file that somebody does not see is not there", async () => {
  await fresh()
  const covered = await file("covered.txt", { context_id: "case" })
  const { id } = await hold({})
  const workspace = `workspace-${count}`
  const narrow = [
    await app.client(workspace, { context_ids: ["garage"] }),
    await client.scoped({ end_user: "ana" }),
    await client.scoped({ principals: [] }),
  ]
  for (const each of narrow) {
    expect((await each.post("/holds", { name: "Mine" })).status).toBe(403)
    expect((await each.get("/holds")).body.data).toEqual([])
    expect((await each.delete(`/holds/${id}`)).status).toBe(404)
  }
  expect((await narrow[0]!.delete(`/libraries/${covered}`)).status).toBe(404)
  expect((await (await app.client(workspace, { scopes: ["files:write"] })).get("/holds")).status).toBe(403)
  expect((await client.get("/holds")).body.data.map((each: { id: string }) => each.id)).toEqual([id])
})

test("a bad hold is refused by its field", async () => {
  await fresh()
  const issues = async (body: unknown) => {
    const { status, body: answer } = await client.post("/holds", body)
    return [status, answer.error.code, answer.error.details?.[0]?.field]
  }
  expect(await issues({})).toEqual([400, "invalid_request", "name"])
  expect(await issues({ name: " " })).toEqual([400, "invalid_request", "name"])
  expect(await issues({ name: "\ud800" })).toEqual([400, "invalid_request", "name"])
  expect(await issues({ name: "x", end_user: "a\u0000" })).toEqual([400, "invalid_request", "end_user"])
  expect(await issues({ name: "x", end_user: "\ud800" })).toEqual([400, "invalid_request", "end_user"])
  expect(await issues({ name: "x", filtre: {} })).toEqual([400, "invalid_request", "filtre"])
  expect(await issues({ name: "x", context_id: "a b" })).toEqual([400, "invalid_request", "context_id"])
  expect(await issues({ name: "x", filter: { type: "eq", key: "file.name" } })).toEqual([
    422,
    "invalid_filter",
    "filter.value",
  ])
})
