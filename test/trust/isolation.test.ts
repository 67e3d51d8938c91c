/**
 * Every route that takes an id, found in the OpenAPI document, asked with an id that its caller does not see: of another
 * workspace, or outside of what its key or token is narrowed to. 404, and no change.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"
import { until } from "../support/until.ts"

let app: TestApp
let owner: Client
const ids: Record<string, string> = {}

/** Path parameters by the kind of thing they name; a new one must be added here, or the test fails. */
const OWNED: Record<string, (path: string) => string> = {
  file_id: () => ids.file!,
  conversation_id: () => ids.conversation!,
  message_id: () => ids.message!,
  variant_id: () => ids.message!,
  run_id: () => ids.run!,
  page: () => "1",
  model: () => "library:boathouse%2Fbuiltin%2Fextractive",
  vector_store_id: () => "vs_boathouse",
  batch_id: path => (path.includes("file_batches") ? ids.fileBatch! : ids.batch!),
  response_id: () => ids.response!,
  job_id: () => ids.job!,
  receipt_id: () => ids.receipt!,
  source_id: () => ids.source!,
  webhook_id: () => ids.webhook!,
  place: () => "0",
  approval_id: () => "appr_1",
  schedule_id: () => ids.schedule!,
  hold_id: () => ids.hold!,
}
/** What any of the routes may ask for. */
const BODY = () => ({
  ...{ message: "stolen?", title: "stolen", name: "stolen.txt", query: "heron", metadata: {}, attributes: {} },
  ...{ file_id: ids.file, file_ids: [ids.file] },
})
/** Of routes that take nothing else; told apart by the end of their path. */
const OWN_BODIES: [string, Record<string, unknown>][] = [
  ["/sources/{source_id}", { name: "stolen" }],
  ["/sources/{source_id}/sync", { force: true }],
  ["/sources/{source_id}/manifest", { entries: [] }],
  ["/webhooks/{webhook_id}", { description: "stolen" }],
  ["/webhooks/{webhook_id}/test", {}],
  ["/webhooks/{webhook_id}/rotate", {}],
  ["/webhooks/{webhook_id}/redeliver", { since: "2026-01-01T00:00:00Z" }],
  ["/schedules/{schedule_id}", { name: "stolen" }],
  ["/schedules/{schedule_id}/run", {}],
  ["/approvals/{approval_id}", { decision: "approve" }],
  ["/replay", {}],
  ["/shares", { users: [] }],
  ["/token", {}],
  ["/feedback", { rating: "up" }],
  ["/variants/{variant_id}", {}],
]
const bodyFor = (path: string) => OWN_BODIES.find(([end]) => path.endsWith(end))?.[1] ?? BODY()
/** Whoever opens a link shows no credentials: `test/http/links` has them. */
const OPEN = "/view/"
/** Bodies that name an id, one per operation that has such a field. */
const BODIES: Record<string, () => Record<string, unknown>> = {
  "POST /external/send": () => ({ conversation_id: ids.conversation, message: "stolen?" }),
  "POST /external/continue": () => ({ conversation_id: ids.conversation, model: "builtin/extractive" }),
  "POST /external/search": () => ({ query: "heron", filters: { file_ids: [ids.file] } }),
  "POST /external/semantic-search": () => ({ query: "heron", context_id: ids.conversation }),
  "POST /external/start-conversation": () => ({ message: "heron?", file_ids: [ids.file] }),
  "POST /external/conversations": () => ({ message: "heron?", file_ids: [ids.file] }),
  "POST /external/agents/run": () => ({ task: "heron?", file_ids: [ids.file] }),
  "POST /external/links": () => ({ file_id: ids.file }),
  "POST /v1/responses": () => ({ model: "builtin/extractive", input: "heron?", previous_response_id: ids.response }),
  "POST /v1/vector_stores/vs_boathouse/files": () => ({ file_id: ids.file }),
}

beforeAll(async () => {
  app = await startTestApp()
  owner = await app.client("owner")
  const fields = { context_id: "boathouse", acl: '["group:keepers"]' }
  const text = "The spare gaskets are kept in the tin labelled Heron."
  const [file] = await owner.index([{ name: "heron.txt", data: text }], fields)
  ids.file = file.id
  const started = await owner.post("/start-conversation", {
    message: "Where are the spare gaskets?",
    file_ids: [file.id],
  })
  ids.conversation = started.body.conversation_id
  ids.message = started.body.messages[1].id
  const batch = await owner.under("").post("/v1/vector_stores/vs_boathouse/file_batches", { file_ids: [file.id] })
  ids.fileBatch = batch.body.id
  ids.response = (await owner.under("").post("/v1/responses", { input: "Where are the spare gaskets?" })).body.id
  const all = { type: "exists", key: "file.id", value: true }
  ids.job = (await owner.post("/libraries/bulk", { action: "reindex", filter: all })).body.job_id
  await until(async () => (await owner.get(`/jobs/${ids.job}`)).body.status === "completed")
  await owner.settled(file.id)
  const source = { type: "push", name: "Boathouse", config: {}, context_id: "boathouse" }
  ids.source = (await owner.post("/sources", source)).body.id
  ids.webhook = (await owner.post("/webhooks", { url: "http://127.0.0.1:9/hook" })).body.id
  const request = { url: "/external/search", body: { query: "heron" } }
  ids.schedule = (await owner.post("/schedules", { name: "Herons", every: "1d", request })).body.id
  ids.hold = (await owner.post("/holds", { name: "Herons", end_user: "nobody" })).body.id
  ids.batch = (await owner.post("/batches", { requests: [{ custom_id: "1", method: "POST", ...request }] })).body.id
  ids.run = (await owner.post("/agents/run", { task: "Where are the gaskets?" })).body.run_id
  const [passing] = await owner.index([{ name: "passing.txt", data: "Of no importance." }])
  ids.receipt = (await owner.delete(`/libraries/${passing.id}`)).headers.get("x-receipt-id")!
  expect(ids).toEqual({
    receipt: expect.any(String),
    file: expect.any(String),
    conversation: expect.any(String),
    message: expect.any(String),
    run: expect.any(String),
    batch: expect.any(String),
    response: expect.any(String),
    job: expect.any(String),
    fileBatch: expect.any(String),
    source: expect.any(String),
    webhook: expect.any(String),
    schedule: expect.any(String),
    hold: expect.any(String),
  })
})
afterAll(() => app.stop())

/** Links are made when they are shown. */
const withoutLinks = (key: string, value: unknown) => (key === "url" ? undefined : value)
const snapshot = async () =>
  JSON.stringify(
    [
      (await owner.get(`/libraries/${ids.file}`)).body,
      (await owner.get(`/conversations/${ids.conversation}`)).body,
      (await owner.get(`/agents/runs/${ids.run}`)).body,
      (await owner.get(`/sources/${ids.source}`)).body,
      (await owner.get(`/webhooks/${ids.webhook}`)).body,
      (await owner.get(`/schedules/${ids.schedule}`)).body,
      (await owner.get(`/holds/${ids.hold}`)).body,
      (await owner.post("/search", { query: "heron" })).body.hits,
    ],
    withoutLinks,
  )

const NOT_TXT = { type: "ne", key: "file.type", value: "txt" }
const STRANGERS: [string, () => Promise<Client>][] = [
  ["a key of another workspace", () => app.client("stranger")],
  ["a key of other contexts", () => app.client("owner", { context_ids: ["garage"] })],
  ["a key with a filter that the file does not pass", () => app.client("owner", { filter: NOT_TXT })],
  ["a token without the file's principals", () => owner.scoped({ principals: ["group:guests"] })],
  ["a token of other contexts", () => owner.scoped({ context_ids: ["garage"] })],
  ["a token with a filter", () => owner.scoped({ filter: NOT_TXT })],
]

describe.each(STRANGERS)("ids that %s does not see", (_, make) => {
  let stranger: Client
  beforeAll(async () => {
    stranger = await make()
  })

  test("are unknown to every route that takes one in its path", async () => {
    const before = await snapshot()
    const { paths } = (await (await fetch(`${app.url}/external-docs/docs/json`)).json()) as {
      paths: Record<string, object>
    }
    let count = 0
    for (const [path, item] of Object.entries(paths)) {
      const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(match => match[1]!)
      if (parameters.length === 0 || path.includes("/external/keys/")) continue // the console's own, with a session
      if (path.startsWith(OPEN)) continue
      if (path.includes("/end-users/")) continue // a name, which each workspace may have: see end-users.test.ts
      const asked = path.replace(/\{(\w+)\}/g, (_, name: string) => {
        expect(Object.keys(OWNED)).toContain(name)
        return OWNED[name]!(path)
      })
      for (const method of Object.keys(item)) {
        const body = ["post", "patch", "put"].includes(method) ? bodyFor(path) : undefined
        const answer = await stranger.under("").send(method.toUpperCase(), asked, body)
        expect({ method, path, status: answer.status, code: answer.body?.error?.code }).toEqual({
          method,
          path,
          status: 404,
          code: path.includes("{model}") ? "model_not_found" : "not_found",
        })
        count++
      }
    }
    expect(count).toBeGreaterThan(35)
    expect(await snapshot()).toBe(before)
  })

  test.each(Object.keys(BODIES))("in the body of %s are unknown", async operation => {
    const before = await snapshot()
    const [method, path] = operation.split(" ") as [string, string]
    const answer = await stranger.under("").send(method, path, BODIES[operation]!())
    expect([answer.status, answer.body?.error?.code]).toEqual([404, "not_found"])
    expect(await snapshot()).toBe(before)
  })

  test("are in no list, search or answer", async () => {
    for (const path of ["/libraries", "/conversations", "/agents/runs"])
      expect((await stranger.get(path)).body.pagination.total_items).toBe(0)
    for (const mode of ["hybrid", "keyword", "semantic"])
      expect((await stranger.post("/search", { query: "spare gaskets heron", mode })).body.hits).toEqual([])
    const reply = await stranger.post("/start-conversation", { message: "Where are the spare gaskets?" })
    expect(JSON.stringify(reply.body)).not.toContain("Heron")
  })
})
