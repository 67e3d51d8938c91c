/** Conversations and runs on two nodes of one cluster, each with its own server: asked of either, they are the same. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { get } from "node:http"
import { ApiKeys, ensureWorkspace } from "../../src/access/keys.ts"
import { SIGNATURE_HEADER, Signatures } from "../../src/nodes/signature.ts"
import type { Database } from "../../src/storage/database.ts"
import { openPostgres } from "../../src/storage/postgres/open.ts"
import { Client } from "../support/app.ts"
import { holdToDocument } from "../support/documented.ts"
import { postgres } from "../support/engines.ts"
import { dataOf, type ReadEvent, readEvents, textOf } from "../support/events.ts"
import {
  freePort,
  type LiveNode,
  SECRET,
  type SpawnedNode,
  spawnLiveNode,
  startLiveNode,
} from "../support/live-node.ts"
import { type OllamaStandIn, startOllama } from "../support/ollama.ts"
import { OFF } from "../support/talk.ts"
import { until } from "../support/until.ts"

const url = await postgres()
const stack = new AsyncDisposableStack()
let database: Database
let ollama: OllamaStandIn
let [a, b] = [] as unknown as [LiveNode, LiveNode]
let [onA, onB] = [] as unknown as [Client, Client]
const clientOf = (node: { url: string }, { key }: Client) => new Client(() => node.url, key)

beforeAll(async () => {
  if (!url) return
  holdToDocument()
  ollama = await startOllama()
  stack.defer(() => ollama.server.stop())
  database = stack.adopt(await openPostgres(url, { poolSize: 2 }), each => each.destroy())
  const options = { database: url, ollama: ollama.server.url }
  a = stack.adopt(await startLiveNode(options), node => node.stop())
  b = stack.adopt(await startLiveNode(options), node => node.stop())
  const key = await new ApiKeys(database).create(await ensureWorkspace(database, "default"), { name: "test" })
  onA = new Client(() => a.url, key)
  onB = clientOf(b, onA)
})
afterAll(() => stack.disposeAsync())

const SLOW = "word ".repeat(40)
let scenes = 0
/** A message that is answered at that pace. */
function slow(text = SLOW, delayMs = 50): { message: string; open(): number } {
  const name = `slow${++scenes}`
  ollama.server.scenes.add(name, { text, delayMs })
  return { message: `case-${name}`, open: () => ollama.server.open }
}
/** A message whose answer is held back until `goOn`. */
function held(text = "ok"): { message: string; goOn(): void } {
  const name = `held${++scenes}`
  const { promise, resolve } = Promise.withResolvers<void>()
  ollama.server.scenes.add(name, { text, held: promise })
  return { message: `case-${name}`, goOn: resolve }
}

const eventsOf = async (api: Client, id: string, after = 0, upTo?: (event: ReadEvent) => boolean) =>
  readEvents(
    await api.raw("GET", `/conversations/${id}/events`, undefined, after ? { "last-event-id": String(after) } : {}),
    upTo,
  )

/** The events of its replies that stand in the database. */
async function keptOf(conversationId: string): Promise<ReadEvent[]> {
  const rows = await database
    .selectFrom("reply_events")
    .innerJoin("messages", "messages.id", "reply_events.message_id")
    .select("reply_events.events")
    .where("conversation_id", "=", conversationId)
    .execute()
  return rows.flatMap(({ events }) => JSON.parse(events))
}

/** Begins a reply and stays with it. */
async function begin(api: Client, message: string) {
  const response = await api.raw("POST", "/conversations", { ...OFF, message })
  const own = readEvents(response)
  const id = await until(async () => {
    const { body } = await api.get("/conversations?page_size=1")
    const newest = body.data[0]
    return newest?.title.startsWith(message.slice(0, 12)) && (newest.conversation_id as string)
  })
  return { id, own }
}

describe.skipIf(!url)("conversations", () => {
  test("are followed, taken up and read on any node, with the same events", async () => {
    const { id, own } = await begin(onA, slow().message)
    const [whole, again] = await Promise.all([
      eventsOf(onB, id),
      eventsOf(onB, id, 0, ({ id: at }) => at === 9).then(first => eventsOf(onB, id, first.at(-1)!.id)),
    ])
    const events = await own
    expect(whole).toEqual(events)
    expect(again).toEqual(events.slice(9))
    expect(textOf(whole).trim()).toBe(SLOW.trim())
    await until(async () => (await keptOf(id)).some(({ event }) => event === "done"))
    const later = await Promise.all(events.map(event => eventsOf(onB, id, event.id)))
    for (const [at, rest] of later.entries()) expect(rest).toEqual(events.slice(at + 1))
    expect((await onB.get(`/conversations/${id}`)).body.messages[1].content.trim()).toBe(SLOW.trim())
  }, 30_000)

  test("keep responses that are followed, read and stopped on any node", async () => {
    const v1 = (api: Client) => api.under("/v1")
    const { message, open } = slow()
    const { body: begun } = await v1(onA).post("/responses", { model: OFF.model, input: message, background: true })
    await until(() => open() > 0)
    expect((await v1(onB).get(`/responses/${begun.id}`)).body.status).toBe("in_progress")
    const followed = readEvents(await v1(onB).raw("GET", `/responses/${begun.id}?stream=true`))
    await until(async () => (await onB.get(`/conversations/${begun.conversation.id}`)).body.messages[1].content !== "")
    const { body: stopped } = await v1(onB).post(`/responses/${begun.id}/cancel`)
    expect(stopped.status).toBe("cancelled")
    expect((await followed).at(-1)!.data.response.status).toBe("cancelled")
    expect((await v1(onA).get(`/responses/${begun.id}`)).body).toEqual(stopped)
    const next = await v1(onB).post("/responses", { model: OFF.model, input: "On.", previous_response_id: begun.id })
    expect([next.status, next.body.conversation]).toEqual([200, begun.conversation])
  }, 30_000)

  test("are busy on every node while one writes in them", async () => {
    const { message, goOn } = held()
    const { id, own } = await begin(onA, message)
    await until(() => ollama.server.open === 1)
    const asks = [
      onB.post("/send", { ...OFF, conversation_id: id, message: "and?" }),
      onB.post(`/conversations/${id}`, { ...OFF, message: "and?" }),
      onB.post("/continue", { ...OFF, conversation_id: id }),
      (async () => {
        const { body } = await onB.get(`/conversations/${id}`)
        return onB.post(`/conversations/${id}/messages/${body.messages[0].id}/regenerate`, {})
      })(),
    ]
    for (const { status, body } of await Promise.all(asks))
      expect([status, body.error.code]).toEqual([409, "conversation_busy"])
    goOn()
    await own
    expect((await onB.get(`/conversations/${id}`)).body.messages).toHaveLength(2)
    const { status, body } = await onB.post("/send", { ...OFF, conversation_id: id, message: slow("yes", 1).message })
    expect([status, body.messages[1].content]).toEqual([200, "yes"])
  }, 30_000)

  test("take one of two turns that begin on two nodes at the same moment", async () => {
    const { body } = await onA.post("/start-conversation", { ...OFF, message: slow("first", 1).message })
    const id = body.conversation_id
    for (let round = 0; round < 5; round++) {
      const { message, goOn } = held("next")
      const turns = [onA, onB].map(api => api.post("/send", { ...OFF, conversation_id: id, message }))
      await until(() => ollama.server.open >= 1)
      await Promise.race(turns)
      goOn()
      expect((await Promise.all(turns)).map(({ status }) => status).sort()).toEqual([200, 409])
    }
    const { messages } = (await onA.get(`/conversations/${id}`)).body
    expect(messages.map(({ role }: { role: string }) => role[0]).join("")).toBe("ua".repeat(6))
  }, 30_000)

  test("whose last reply says that a node writes it, which does not, go on there, and nowhere else", async () => {
    const { body } = await onA.post("/start-conversation", { ...OFF, message: slow("first", 1).message })
    const id = body.conversation_id
    const unfinished = { finish_reason: null, owner: a.id }
    await database.updateTable("messages").set(unfinished).where("id", "=", body.messages[1].id).execute()
    const send = (api: Client) => api.post("/send", { ...OFF, conversation_id: id, message: slow("second", 1).message })
    expect((await send(onB)).body.error.code).toBe("conversation_busy")
    expect((await send(onA)).status).toBe(200)
    const { messages } = (await onB.get(`/conversations/${id}`)).body
    expect(messages.map((message: { finish_reason: string }) => message.finish_reason)).toEqual([
      null,
      "error",
      null,
      "stop",
    ])
  })

  test("are stopped on any node", async () => {
    const { id, own } = await begin(onA, slow().message)
    await eventsOf(onB, id, 0, ({ event }) => event === "message_delta")
    const { status, body } = await onB.post(`/conversations/${id}/cancel`)
    expect([status, body.messages[1].finish_reason]).toEqual([202, "cancelled"])
    expect(dataOf(await own, "message_completed").finish_reason).toBe("cancelled")
    await until(() => ollama.server.open === 0)
  }, 30_000)

  test("are removed on any node, which stops what another writes in them", async () => {
    const { id, own } = await begin(onA, slow().message)
    const there = eventsOf(onB, id)
    await eventsOf(onB, id, 0, ({ event }) => event === "message_delta")
    expect((await onB.delete(`/conversations/${id}`)).status).toBe(204)
    expect((await onA.get(`/conversations/${id}`)).status).toBe(404)
    expect((await own).at(-1)?.event).toBe("done")
    expect((await there).at(-1)?.event).toBe("done")
    await until(() => ollama.server.open === 0)
  }, 30_000)

  test("give a call that is repeated on another node the reply that the first one began", async () => {
    const { message, goOn } = held("once")
    const headers = { "idempotency-key": `key-${message}` }
    const body = { ...OFF, message }
    const first = onA.post("/start-conversation", body, headers)
    await until(() => ollama.server.open === 1)
    const repeated = onB.post("/start-conversation", body, headers)
    await Bun.sleep(200)
    goOn()
    const answers = await Promise.all([first, repeated])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(answers[1]!.body.messages).toEqual(answers[0]!.body.messages)
    expect(answers[1]!.body.messages[1].content).toBe("once")
  }, 30_000)

  test("of others are not to be seen through another node either", async () => {
    const { id, own } = await begin(onA, slow("mine", 1).message)
    await own
    const key = await new ApiKeys(database).create(await ensureWorkspace(database, "other"), { name: "other" })
    const stranger = new Client(() => b.url, key)
    expect((await stranger.get(`/conversations/${id}/events`)).status).toBe(404)
    expect((await stranger.post(`/conversations/${id}/cancel`)).status).toBe(404)
  })
})

const MODEL = { model: OFF.model }
const runEvents = async (api: Client, id: string, after = 0) =>
  readEvents(
    await api.raw("GET", `/agents/runs/${id}/events`, undefined, after ? { "last-event-id": String(after) } : {}),
  )

describe.skipIf(!url)("runs", () => {
  const start = async (message: string) =>
    (await onA.post("/agents/run", { ...MODEL, task: message }, { prefer: "respond-async" })).body.run_id as string

  test("are followed, read and taken up on any node, with the same events", async () => {
    const { message, goOn } = held("answer")
    const id = await start(message)
    const [here, there] = [runEvents(onA, id), runEvents(onB, id)]
    await until(() => ollama.server.open === 1)
    expect((await onB.get(`/agents/runs/${id}`)).body.status).toBe("running")
    goOn()
    const events = await here
    expect(await there).toEqual(events)
    expect(events.map(({ event }) => event)).toEqual(["run_started", "run_finished", "done"])
    for (const event of events) expect(await runEvents(onB, id, event.id)).toEqual(events.slice(event.id))
  }, 30_000)

  test("are ended on any node, and removed once they have ended", async () => {
    const { message, goOn } = held("never")
    const id = await start(message)
    await until(() => ollama.server.open === 1)
    expect((await onB.delete(`/agents/runs/${id}`)).status).toBe(409)
    const { status, body } = await onB.post(`/agents/runs/${id}/cancel`)
    expect([status, body.status]).toEqual([202, "cancelled"])
    await until(() => ollama.server.open === 0)
    goOn()
    expect((await onB.delete(`/agents/runs/${id}`)).status).toBe(204)
  }, 30_000)

  test("are waited for on another node by a call that repeats the first, and go on while one of the two waits", async () => {
    const { message, goOn } = held("for both")
    const headers = { "idempotency-key": `run-${message}` }
    const ask = (api: Client, init: RequestInit = {}) =>
      api.raw("POST", "/agents/run", { ...MODEL, task: message }, headers, init)
    const leaving = new AbortController()
    const first = ask(onA, { signal: leaving.signal }).catch(() => "left")
    await until(() => ollama.server.open === 1)
    const repeated = ask(onB)
    await Bun.sleep(500)
    leaving.abort()
    expect(await first).toBe("left")
    await Bun.sleep(500)
    goOn()
    const answer = await repeated
    expect([answer.status, ((await answer.json()) as { output: string }).output]).toEqual([200, "for both"])
  }, 30_000)

  test("are cancelled when the last who waits leaves, wherever that is", async () => {
    const { message, goOn } = held("nobody")
    const headers = { "idempotency-key": `run-${message}` }
    const leaving = new AbortController()
    const ask = (api: Client) =>
      api
        .raw("POST", "/agents/run", { ...MODEL, task: message }, headers, { signal: leaving.signal })
        .catch(() => "left")
    const first = ask(onA)
    await until(() => ollama.server.open === 1)
    const repeated = ask(onB)
    await Bun.sleep(500)
    leaving.abort()
    await Promise.all([first, repeated])
    await until(() => ollama.server.open === 0)
    goOn()
  }, 30_000)
})

describe.skipIf(!url)("the door for nodes", () => {
  const sign = (secret: string, to: string, target: string, now = Date.now()) =>
    new Signatures(secret, { id: "node_x" }, () => now).sign(to, { method: "GET", target, body: new Uint8Array() })
  const ask = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(a.url + path, { headers })
    const body = (await response.text()).replace(/req_\w+/, "")
    return { status: response.status, body, type: response.headers.get("content-type") }
  }

  test("is not there for anybody else: another secret, another node, a time that is past, a request that comes again", async () => {
    const { id, own } = await begin(onA, slow("hello", 1).message)
    await own
    const { messages } = (await onA.get(`/conversations/${id}`)).body
    const path = `/_node/replies/${messages[1].id}/events?after=0`
    const nothing = await ask("/_nothing/of/the/kind")
    expect(nothing.status).toBe(404)
    const good = sign(SECRET, a.id, path)
    expect((await ask(path, good)).body).toContain("hello")
    const refused: Record<string, string>[] = [
      {},
      onA.credentials,
      { [SIGNATURE_HEADER]: "x" },
      good,
      sign("another secret", a.id, path),
      sign(SECRET, b.id, path),
      sign(SECRET, a.id, path, Date.now() - 125_000),
      sign(SECRET, a.id, path, Date.now() + 125_000),
      sign(SECRET, a.id, `${path}1`),
    ]
    for (const headers of refused) expect(await ask(path, headers)).toEqual(nothing)
  }, 30_000)

  test("is not in the reference", async () => {
    expect((await ask("/external-docs/docs/json")).body).not.toContain("_node")
  })

  test("is not there on one machine's server", async () => {
    const { startTestApp } = await import("../support/app.ts")
    const app = await startTestApp()
    const path = "/_node/replies/msg_1/events?after=0"
    const response = await fetch(app.url + path, { headers: sign(SECRET, a.id, path) })
    expect(response.status).toBe(404)
    await app.stop()
  })
})

describe.skipIf(!url)("a node that only works", () => {
  test("answers for its health and its figures, and nothing else", async () => {
    const worker = await startLiveNode({ database: url!, ollama: ollama.server.url, role: "worker" })
    try {
      const statusOf = (path: string) =>
        new Promise(resolve =>
          get(worker.url + path, { headers: onA.credentials }, answer => resolve(answer.resume().statusCode)),
        )
      for (const path of ["/healthz", "/readyz", "/metrics"]) expect([path, await statusOf(path)]).toEqual([path, 200])
      for (const path of ["/", "/external-docs/docs", "/external-docs/docs/json", "/external/models", "/external/keys"])
        expect([path, await statusOf(path)]).toEqual([path, 404])
    } finally {
      await worker.stop()
    }
  })
})

describe.skipIf(!url)("a node that stops", () => {
  test("ends its replies for who follows elsewhere as it does for its own readers", async () => {
    const node = await startLiveNode({ database: url!, ollama: ollama.server.url })
    const { id, own } = await begin(clientOf(node, onA), slow("word ".repeat(400), 50).message)
    const there = eventsOf(onB, id)
    await eventsOf(onB, id, 0, ({ event }) => event === "message_delta")
    await node.stop()
    const events = await own
    expect(events.slice(-2).map(({ event }) => event)).toEqual(["error", "done"])
    const textless = ({ id: at, event }: ReadEvent) => [at, event]
    expect((await there).map(textless)).toEqual(events.map(textless))
    expect((await onB.get(`/conversations/${id}`)).body.messages[1].finish_reason).toBe("error")
  }, 30_000)
})

describe.skipIf(!url)("a process of its own", () => {
  const spawn = async (nodeUrl?: string): Promise<{ node: SpawnedNode; api: Client }> => {
    const options = { database: url!, ollama: ollama.server.url, ...(nodeUrl ? { nodeUrl } : {}) }
    const node = stack.adopt(await spawnLiveNode(options), each => each.stop())
    return { node, api: clientOf(node, onA) }
  }

  test("that is killed ends its replies for who follows elsewhere: error, then done; and its runs are failed", async () => {
    const { node, api } = await spawn()
    const { id, own } = await begin(api, slow("word ".repeat(400), 50).message)
    own.catch(() => {})
    const { body } = await api.post("/agents/run", { ...MODEL, task: held().message }, { prefer: "respond-async" })
    let deltas = 0
    const following = eventsOf(onB, id, 0, ({ event }) => {
      if (event === "message_delta") deltas++
      return false
    })
    const runFollowing = runEvents(onB, body.run_id)
    await until(() => deltas > 10)
    node.signal("SIGKILL")
    const events = await following
    expect(events.slice(-2)).toMatchObject([
      { event: "error", data: { error: { code: "interrupted" } } },
      { event: "done" },
    ])
    expect(events.map(each => each.id)).toEqual(events.map((_, at) => at + 1))
    const { messages } = (await onB.get(`/conversations/${id}`)).body
    expect(messages[1].finish_reason).toBe("error")
    expect(textOf(events)).toStartWith(messages[1].content)
    expect((await runFollowing).at(-2)).toMatchObject({
      event: "run_finished",
      data: { status: "failed", error: { code: "interrupted" } },
    })
    expect((await onB.post("/send", { ...OFF, conversation_id: id, message: slow("on", 1).message })).status).toBe(200)
  }, 60_000)

  test("that others do not reach goes on, and its reply is told from what it stores", async () => {
    const { api } = await spawn(`http://127.0.0.1:${freePort()}`)
    const { id, own } = await begin(api, slow().message)
    const there = eventsOf(onB, id)
    const events = await own
    expect(await there).toEqual(events)
    const second = await begin(api, slow("word ".repeat(400), 50).message)
    await eventsOf(onB, second.id, 0, ({ event }) => event === "message_delta")
    const { body } = await onB.post(`/conversations/${second.id}/cancel`)
    expect(body.messages[1].finish_reason).toBe("cancelled")
    expect(dataOf(await second.own, "message_completed").finish_reason).toBe("cancelled")
    const run = await api.post("/agents/run", { ...MODEL, task: held().message }, { prefer: "respond-async" })
    expect((await onB.post(`/agents/runs/${run.body.run_id}/cancel`)).body.status).toBe("cancelled")
  }, 60_000)

  test("that hung and was declared dead finds nothing to write to when it wakes", async () => {
    const { node, api } = await spawn()
    const { id, own } = await begin(api, slow("word ".repeat(400), 50).message)
    own.catch(() => {})
    await eventsOf(onB, id, 0, ({ id: at }) => at > 20)
    const following = eventsOf(onB, id)
    node.signal("SIGSTOP")
    expect((await following).slice(-2).map(({ event }) => event)).toEqual(["error", "done"])
    const { messages } = (await onB.get(`/conversations/${id}`)).body
    node.signal("SIGCONT")
    await own
    expect((await onB.get(`/conversations/${id}`)).body.messages).toEqual(messages)
    await until(async () => (await fetch(`${node.url}/readyz`)).ok)
  }, 60_000)
})
