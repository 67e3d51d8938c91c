/** What a credential opened ends with it, and nothing else does. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { ApiKeys, type NewApiKey } from "../../src/access/keys.ts"
import { openSqlite } from "../../src/storage/sqlite/open.ts"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"
import { type ReadEvent, readEvents, textOf } from "../support/events.ts"
import { type OllamaStandIn, startOllama } from "../support/ollama.ts"
import { People, type Session } from "../support/people.ts"
import { until } from "../support/until.ts"

const MODEL = "ollama/llama3.2:3b"
const PIECES = Array.from({ length: 40 }, (_, i) => `w${i} `)
const WORDS = PIECES.join("")

let app: TestApp
let ollama: OllamaStandIn
let people: People
let admin: Session
/** Lets the model write on: it waits after a few words, so that no reply ends before its credential does. */
let writeOn: () => void

beforeAll(async () => {
  ollama = await startOllama()
  app = await startTestApp({ "ollama-host": ollama.server.url })
  people = new People(app)
  admin = (await people.add({ admin: true })).session
}, 60_000)
beforeEach(() => {
  const { promise: held, resolve } = Promise.withResolvers<void>()
  writeOn = resolve
  ollama.server.scenes.add("long", { pieces: PIECES, held, holdAfter: 5 })
})
afterEach(() => writeOn())
afterAll(async () => {
  await app.stop()
  ollama.server.stop()
})

/** As the command line does it, beside the daemon. */
async function revoke({ id }: NewApiKey): Promise<void> {
  const database = await openSqlite(app.data)
  await new ApiKeys(database).revoke(id)
  await database.destroy()
}

const ask = { message: "case-long Write.", model: MODEL, use_library: false }
const errorOf = (events: ReadEvent[]) => events.find(({ event }) => event === "error")?.data.error.code

/** Reads a stream and tells when its first delta has come. */
function follow(response: Response): { begun: Promise<void>; all: Promise<ReadEvent[]> } {
  const { promise: begun, resolve } = Promise.withResolvers<void>()
  const all = readEvents(response, ({ event }) => {
    if (event === "message_delta") resolve()
    return false
  })
  return { begun, all }
}
const startReply = async (client: Client) => follow(await client.raw("POST", "/conversations", ask))

test("a revoked key's stream closes with an error, others go on, and the reply is stored whole", async () => {
  const [client, other] = [await app.client(), await app.client()]
  const [cut, whole] = [await startReply(client), await startReply(other)]
  await Promise.all([cut.begun, whole.begun])
  await revoke(client.key)
  const events = await cut.all
  expect(events.map(({ event }) => event).slice(-2)).toEqual(["error", "done"])
  expect(errorOf(events)).toBe("unauthorized")
  expect(textOf(events).length).toBeLessThan(WORDS.length)
  writeOn()
  expect(textOf(await whole.all)).toBe(WORDS)
  const { conversation_id } = events[0]!.data
  const { body } = await other.get(`/conversations/${conversation_id}`)
  expect(body.messages.at(-1)).toMatchObject({ content: WORDS, finish_reason: "stop" })
}, 30_000)

test("streams end when their key is narrowed, and those of a token with its key", async () => {
  const [narrowed, revoked, other] = [await app.client(), await app.client(), await app.client()]
  const [cut, ofToken, whole] = [
    await startReply(narrowed),
    await startReply(await revoked.scoped()),
    await startReply(other),
  ]
  await Promise.all([cut.begun, ofToken.begun, whole.begun])
  const database = await openSqlite(app.data)
  await new ApiKeys(database).change(narrowed.key.id, { context_ids: ["a"] })
  await database.destroy()
  await revoke(revoked.key)
  for (const { all } of [cut, ofToken]) expect(errorOf(await all)).toBe("unauthorized")
  writeOn()
  expect(textOf(await whole.all)).toBe(WORDS)
}, 30_000)

test("a revoked key's blocking calls are answered 401 and its run is cancelled", async () => {
  const [client, other] = [await app.client(), await app.client()]
  const reply = client.post("/start-conversation", ask)
  const run = client.post("/agents/run", { task: "case-long Write.", model: MODEL, tools: [] })
  await until(async () => (await other.get("/agents/runs?status=running")).body.data.length > 0)
  await revoke(client.key)
  expect((await reply).status).toBe(401)
  expect((await run).status).toBe(401)
  const [{ run_id }] = (await other.get("/agents/runs")).body.data
  await until(async () => (await other.get(`/agents/runs/${run_id}`)).body.status === "cancelled")
}, 30_000)

test("a revoked key's upload ends and stores nothing", async () => {
  const [client, other] = [await app.client(), await app.client()]
  const boundary = "b0undary"
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="files"; filename="late.txt"\r\n\r\nBegun `
  const body = new ReadableStream({
    start: controller => controller.enqueue(new TextEncoder().encode(head)), // and no more of it
  })
  const type = { "content-type": `multipart/form-data; boundary=${boundary}` }
  const upload = client.raw("POST", "/upload", body, type).then(
    ({ status }) => status,
    () => "closed",
  )
  const beginnings = () => readdirSync(join(app.data, "tmp")).filter(name => name.startsWith("file_"))
  await until(() => beginnings().length === 1)
  await revoke(client.key)
  expect([401, "closed"]).toContain(await upload)
  await until(() => beginnings().length === 0)
  expect((await other.get("/libraries?name=late.txt")).body.data).toEqual([])
}, 30_000)

test("an expired key's stream ends", async () => {
  const client = await app.client("default", { expires_at: new Date(Date.now() + 4_000).toISOString() })
  expect(errorOf(await (await startReply(client)).all)).toBe("unauthorized")
}, 30_000)

test("a rotated key's stream goes on within the grace of its pair, and ends with it", async () => {
  const member = await people.add()
  const made = await people.call("POST", "", { name: "rotated" }, member.session)
  const headers = { "client-id": made.body.client_id, "private-key": made.body.private_key, secret: made.body.secret }
  const client = await app.client()
  const start = async (pair: Record<string, string>) => follow(await client.raw("POST", "/conversations", ask, pair))
  const rotate = (grace_seconds?: number) =>
    people.call("POST", `/${made.body.id}/rotate`, grace_seconds ? { grace_seconds } : {}, member.session)
  const reply = await start(headers)
  await reply.begun
  const rotated = (await rotate(60)).body
  writeOn()
  expect(textOf(await reply.all)).toBe(WORDS)
  ollama.server.scenes.add("long", { pieces: PIECES, hangAfter: 5 })
  const late = await start({ ...headers, "private-key": rotated.private_key, secret: rotated.secret })
  await late.begun
  expect((await rotate()).status).toBe(200)
  expect(errorOf(await late.all)).toBe("unauthorized")
}, 30_000)

test("the streams of a disabled user's session and key end", async () => {
  const member = await people.add()
  const key = (await people.call("POST", "", { name: "theirs" }, member.session)).body
  const headers = { "client-id": key.client_id, "private-key": key.private_key, secret: key.secret }
  const client = await app.client()
  const withSession = await fetch(`${app.url}/external/conversations`, {
    method: "POST",
    headers: { ...member.session, "content-type": "application/json" },
    body: JSON.stringify(ask),
  })
  const replies = [follow(withSession), follow(await client.raw("POST", "/conversations", ask, headers))]
  await Promise.all(replies.map(({ begun }) => begun))
  await people.call("PATCH", `/users/${member.id}`, { disabled: true }, admin)
  for (const { all } of replies) expect(errorOf(await all)).toBe("unauthorized")
}, 30_000)
