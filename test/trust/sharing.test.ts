/** Conversations and runs that are shared: who reads them, on every route that takes one, and what nobody but their owner does. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"
import { readEvents } from "../support/events.ts"
import { startOllama } from "../support/ollama.ts"
import { People } from "../support/people.ts"
import { until } from "../support/until.ts"

setDefaultTimeout(60_000)
let app: TestApp
let all: People
const ollama = await startOllama()
let key: Client
const people: Record<string, { id: string; session: { authorization: string } }> = {}
const ids: Record<string, string> = {}

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
type Body = any
async function ask(who: string, method: string, path: string, body?: unknown): Promise<{ status: number; body: Body }> {
  const response = await fetch(`${app.url}${path}`, {
    method,
    headers: { ...people[who]!.session, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get("content-type")?.includes("json")
  return { status: response.status, body: isJson && text ? JSON.parse(text) : text }
}
const API = "/external-docs/external"
const MODEL = "builtin/extractive"
const share = (users: string[] | "workspace", who = "owner") =>
  Promise.all([
    ask(who, "PUT", `${API}/conversations/${ids.conversation}/shares`, { users }),
    ask(who, "PUT", `${API}/agents/runs/${ids.run}/shares`, { users }),
  ])

beforeAll(async () => {
  app = await startTestApp({ "ollama-host": ollama.server.url })
  key = await app.client()
  all = new People(app)
  people.administrator = await all.add({ admin: true })
  for (const name of ["owner", "receiver", "stranger"]) people[name] = await all.add()
  await key.index([{ name: "heron.txt", data: "The heron stands in the reeds." }])
  const asked = { message: "Where does the heron stand?", model: MODEL }
  const started = (await ask("owner", "POST", `${API}/start-conversation`, asked)).body
  ids.conversation = started.conversation_id
  ids.message = started.messages[1].id
  ids.run = (await ask("owner", "POST", `${API}/agents/run`, { task: asked.message, model: MODEL })).body.run_id
  await until(async () => (await ask("owner", "GET", `${API}/agents/runs/${ids.run}`)).body.finished_at)
  expect(Object.values(ids).every(Boolean)).toBe(true)
})
afterAll(async () => {
  await app.stop()
  await ollama.server.stop()
})

const OWNED: Record<string, () => string> = {
  conversation_id: () => ids.conversation!,
  message_id: () => ids.message!,
  run_id: () => ids.run!,
  place: () => "0",
  approval_id: () => "appr_1",
  variant_id: () => "msg_1",
}
/** Bodies of routes that take one, told apart by the end of their path. */
const BODIES: [string, object][] = [
  ["/shares", { users: [] }],
  ["/approvals/{approval_id}", { decision: "approve" }],
  ["/replay", {}],
  ["/feedback", { rating: "up" }],
  ["/variants/{variant_id}", {}],
  ["/token", {}],
  ["/regenerate", {}],
  ["/cancel", {}],
]
const bodyFor = (path: string) =>
  BODIES.find(([end]) => path.endsWith(end))?.[1] ?? { message: "stolen?", title: "stolen" }
/** Of things that are not there, though the conversation is. */
const MISSING = "/images/{place}"

async function walk(who: string, expected: (method: string, path: string) => number): Promise<number> {
  const { paths } = (await (await fetch(`${app.url}/external-docs/docs/json`)).json()) as {
    paths: Record<string, object>
  }
  let count = 0
  for (const [path, item] of Object.entries(paths)) {
    if (!/\{(conversation_id|run_id)\}/.test(path)) continue
    const asked = path.replace(/\{(\w+)\}/g, (_, name: string) => {
      expect(Object.keys(OWNED)).toContain(name)
      return OWNED[name]!()
    })
    for (const method of Object.keys(item)) {
      const body = ["post", "patch", "put"].includes(method) ? bodyFor(path) : undefined
      const answer = await ask(who, method.toUpperCase(), asked, body)
      expect({ who, method, path, status: answer.status }).toEqual({
        ...{ who, method, path },
        status: expected(method, path),
      })
      count++
    }
  }
  return count
}

const snapshot = async () =>
  JSON.stringify(
    [
      await ask("owner", "GET", `${API}/conversations/${ids.conversation}`),
      await ask("owner", "GET", `${API}/agents/runs/${ids.run}`),
      await ask("owner", "GET", `${API}/conversations/${ids.conversation}/shares`),
      await ask("owner", "GET", `${API}/agents/runs/${ids.run}/shares`),
    ],
    (name, value) => (name === "url" ? undefined : value), // links are made when they are shown
  )

const asReader = (method: string, path: string) => {
  if (method !== "get" || path.endsWith("/shares")) return 403
  return path.endsWith(MISSING) ? 404 : 200
}

describe("on every route with a conversation or a run", () => {
  test("a stranger finds nothing, a receiver reads and changes nothing, and a stranger again once it is over", async () => {
    expect((await share([people.receiver!.id])).map(({ status, body }) => [status, body.users])).toEqual([
      [200, [{ id: people.receiver!.id, name: expect.any(String) }]],
      [200, [{ id: people.receiver!.id, name: expect.any(String) }]],
    ])
    const before = await snapshot()
    expect(await walk("stranger", () => 404)).toBeGreaterThan(15)
    await walk("receiver", asReader)
    expect(await snapshot()).toBe(before)
    await share("workspace")
    await walk("stranger", asReader)
    await walk("receiver", asReader)
    await share([])
    await walk("receiver", () => 404)
    await walk("stranger", () => 404)
  })

  test("nor does a receiver write by the routes that name it in the body, or as a kept answer", async () => {
    await share([people.receiver!.id])
    const { conversation } = ids
    for (const [path, body] of [
      ["/send", { conversation_id: conversation, message: "stolen?" }],
      ["/continue", { conversation_id: conversation, model: "builtin/extractive" }],
    ] as const)
      expect((await ask("receiver", "POST", `${API}${path}`, body)).status).toBe(403)
    const kept = (await ask("owner", "POST", "/v1/responses", { model: MODEL, input: "Where does the heron stand?" }))
      .body
    const listed = (await ask("owner", "GET", `${API}/conversations`)).body.data
    const of = listed.find((each: Body) => each.conversation_id !== conversation).conversation_id
    await ask("owner", "PUT", `${API}/conversations/${of}/shares`, { users: [people.receiver!.id] })
    expect((await ask("receiver", "GET", `${API}/conversations/${of}`)).status).toBe(200)
    expect((await ask("receiver", "DELETE", `/v1/responses/${kept.id}`)).status).toBe(404)
    const onward = { model: MODEL, input: "And now?", previous_response_id: kept.id }
    expect((await ask("receiver", "POST", "/v1/responses", onward)).status).toBe(404)
    await ask("owner", "DELETE", `${API}/conversations/${of}`)
  })
})

describe("a share", () => {
  test("is in the lists of whom it is for, told apart and filtered, and nowhere else", async () => {
    await share([people.receiver!.id])
    const own = (
      await ask("receiver", "POST", `${API}/start-conversation`, { model: MODEL, message: "My own question" })
    ).body
    const mine = own.conversation_id
    const list = async (who: string, query = "") =>
      (await ask(who, "GET", `${API}/conversations?page_size=100${query}`)).body.data.map((each: Body) => [
        each.conversation_id,
        each.shared,
        each.shared_with,
      ])
    const theirs = [ids.conversation, true, "users"]
    expect(await list("receiver")).toEqual([[mine, false, null], theirs])
    expect(await list("receiver", "&shared=true")).toEqual([theirs])
    expect(await list("receiver", "&shared=false")).toEqual([[mine, false, null]])
    expect(await list("stranger")).toEqual([])
    expect(await list("owner")).toEqual([[ids.conversation, false, "users"]])
    expect(await list("owner", "&shared=true")).toEqual([])
    const runs = (await ask("receiver", "GET", `${API}/agents/runs?shared=true`)).body.data
    expect(runs.map((each: Body) => [each.run_id, each.shared, each.owner.id])).toEqual([
      [ids.run, true, people.owner!.id],
    ])
    expect((await ask("stranger", "GET", `${API}/agents/runs`)).body.data).toEqual([])
    const whole = (await ask("receiver", "GET", `${API}/agents/runs/${ids.run}`)).body
    expect([whole.shared, whole.shared_with]).toEqual([true, "users"])
    await ask("receiver", "DELETE", `${API}/conversations/${mine}`)
  })

  test("shows links that are made for its reader", async () => {
    await share([people.receiver!.id])
    const { messages } = (await ask("receiver", "GET", `${API}/conversations/${ids.conversation}`)).body
    const [{ url }] = messages[1].citations
    expect((await fetch(url)).status).toBe(200)
    const signer = (link: string) => new URL(link).searchParams.get("sig")!.split(".")[0]
    expect(signer(url)).toBe(people.receiver!.id)
  })

  test("streams no passage of a file that its reader does not see", async () => {
    const acl = JSON.stringify([`user:${people.owner!.id}`])
    const [hidden] = await key.index([{ name: "vault.txt", data: "The larkspur key opens the vault." }], { acl })
    const asked = { message: "What does the larkspur key open?", model: MODEL, file_ids: [hidden.id] }
    const { conversation_id } = (await ask("owner", "POST", `${API}/start-conversation`, asked)).body
    const at = `${API}/conversations/${conversation_id}`
    await ask("owner", "PUT", `${at}/shares`, { users: [people.receiver!.id] })
    const sourcesOf = async (who: string) => {
      const events = await readEvents(await fetch(`${app.url}${at}/events`, { headers: people[who]!.session }))
      expect(events.at(-1)!.event).toBe("done")
      return events.find(({ event }) => event === "sources")!.data.sources
    }
    expect(await sourcesOf("owner")).toMatchObject([{ file_id: hidden.id, text: expect.stringContaining("larkspur") }])
    expect(await sourcesOf("receiver")).toEqual([])
    expect((await ask("receiver", "GET", `${API}/libraries/${hidden.id}`)).status).toBe(404)
    await ask("owner", "DELETE", at)
    await key.delete(`/libraries/${hidden.id}`)
  })

  test("is given by its owner, administrators and keys that see the whole workspace, and taken by them", async () => {
    const path = `/conversations/${ids.conversation}/shares`
    expect((await share([people.receiver!.id], "administrator"))[0].status).toBe(200)
    expect((await key.get(path)).body.users).toHaveLength(1)
    expect((await key.send("PUT", path, { users: [] })).status).toBe(200)
    expect((await ask("receiver", "GET", `${API}${path}`)).status).toBe(404)
    const token = await key.scoped({ end_user: "ana" })
    const theirs = (await token.post("/start-conversation", { model: MODEL, message: "heron?" })).body.conversation_id
    expect((await token.send("PUT", `/conversations/${theirs}/shares`, { users: "workspace" })).status).toBe(403)
    const narrow = await app.client("default", { context_ids: ["garage"] })
    expect((await narrow.get(path)).status).toBe(404)
  })

  test("names users of the workspace alone, and says which is none", async () => {
    await share([])
    const put = (users: unknown) => ask("owner", "PUT", `${API}/conversations/${ids.conversation}/shares`, { users })
    for (const users of [["user_nobody"], [people.receiver!.id, "user_nobody"]]) {
      const { status, body } = await put(users)
      expect([status, body.error.details[0].field]).toEqual([400, `users.${users.length - 1}`])
    }
    for (const users of ["everybody", null, [1]]) expect((await put(users)).status).toBe(400)
    expect((await ask("owner", "GET", `${API}/conversations/${ids.conversation}/shares`)).body).toEqual({ users: [] })
  })

  test("ends with the account of whom it was for, and goes with what was shared", async () => {
    const other = await all.add()
    await share([other.id])
    const { body } = await ask("owner", "POST", `${API}/start-conversation`, { model: MODEL, message: "heron?" })
    await ask("owner", "PUT", `${API}/conversations/${body.conversation_id}/shares`, { users: "workspace" })
    expect((await ask("owner", "DELETE", `${API}/conversations/${body.conversation_id}`)).status).toBe(204)
    await all.call("DELETE", `/users/${other.id}`, undefined, people.administrator!.session)
    expect((await ask("owner", "GET", `${API}/conversations/${ids.conversation}/shares`)).body).toEqual({ users: [] })
  })
})

describe("a stream that is open", () => {
  const SLOW = { text: "word ".repeat(300), delayMs: 100 }
  const follow = (who: string, path: string) =>
    fetch(`${app.url}${API}${path}/events`, { headers: people[who]!.session })
  const asyncHeaders = () => ({ ...people.owner!.session, "content-type": "application/json", prefer: "respond-async" })

  test("of a reply goes on for its owner and ends for a receiver whom it is not shared with any more", async () => {
    ollama.server.scenes.add("slow", SLOW)
    const asked = await fetch(`${app.url}${API}/conversations`, {
      method: "POST",
      headers: { ...people.owner!.session, "content-type": "application/json" },
      body: JSON.stringify({ message: "case-slow", model: "ollama/llama3.2:3b", use_library: false }),
    })
    const begun = await readEvents(asked, ({ event }) => event === "message_delta")
    const id = (begun[0]!.data as Body).conversation_id
    const path = `${API}/conversations/${id}/shares`
    await ask("owner", "PUT", path, { users: [people.receiver!.id] })
    const theirs = follow("receiver", `/conversations/${id}`)
    const lost = readEvents(await theirs)
    await Bun.sleep(1_200) // the share is looked at meanwhile, and stands
    await ask("owner", "PUT", path, { users: [] })
    const events = await lost
    expect(events.filter(({ event }) => event === "message_delta").length).toBeGreaterThan(5)
    expect(events.slice(-2)).toMatchObject([
      { event: "error", data: { error: { code: "not_found" } } },
      { event: "done" },
    ])
    expect((await ask("owner", "GET", `${API}/conversations/${id}`)).body.messages[1].finish_reason).toBeNull()
    await ask("owner", "POST", `${API}/conversations/${id}/cancel`)
    await ask("owner", "DELETE", `${API}/conversations/${id}`)
  })

  test("of a run too, though nothing happens in it", async () => {
    ollama.server.scenes.add("slow", SLOW)
    const started = await fetch(`${app.url}${API}/agents/run`, {
      method: "POST",
      headers: asyncHeaders(),
      body: JSON.stringify({ task: "case-slow", model: "ollama/llama3.2:3b" }),
    })
    const { run_id: id } = (await started.json()) as Body
    const path = `${API}/agents/runs/${id}/shares`
    await ask("owner", "PUT", path, { users: "workspace" })
    const lost = readEvents(await follow("stranger", `/agents/runs/${id}`))
    await Bun.sleep(1_200)
    await ask("owner", "PUT", path, { users: [] })
    expect((await lost).slice(-2)).toMatchObject([
      { event: "error", data: { error: { code: "not_found" } } },
      { event: "done" },
    ])
    expect((await ask("owner", "GET", `${API}/agents/runs/${id}`)).body.status).toBe("running")
    await ask("owner", "POST", `${API}/agents/runs/${id}/cancel`)
    await ask("owner", "DELETE", `${API}/agents/runs/${id}`)
  })
})

test("traffic of keys is told apart from that of users", async () => {
  const { body } = await key.post("/start-conversation", { model: MODEL, message: "from an application" })
  const run = (await key.post("/agents/run", { model: MODEL, task: "from an application" })).body.run_id
  const types = async (path: string, type: string) =>
    (await ask("administrator", "GET", `${API}${path}?page_size=100&owner_type=${type}`)).body.data as Body[]
  const ofKeys = await types("/conversations", "key")
  expect(ofKeys.some(each => each.conversation_id === body.conversation_id)).toBe(true)
  expect(ofKeys.every(each => each.owner.type === "key")).toBe(true)
  const ofUsers = await types("/conversations", "user")
  expect(ofUsers.map(each => each.owner.type)).toContain("user")
  expect(ofUsers.every(each => each.owner.type === "user")).toBe(true)
  expect((await types("/agents/runs", "key")).map(each => each.run_id)).toEqual([run])
  expect((await types("/agents/runs", "user")).map(each => each.run_id)).toEqual([ids.run])
  expect((await ask("administrator", "GET", `${API}/conversations?owner_type=robot`)).status).toBe(400)
})
