/** Idempotency-Key on conversations: a call that is sent again follows the turn that the first one began. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { Client, TestApp } from "../support/app.ts"
import { startDaemon } from "../support/daemon.ts"
import { dataOf, readEvents, textOf } from "../support/events.ts"
import type { OllamaStandIn } from "../support/ollama.ts"
import { OFF, replyStored, startTalk, type Talk } from "../support/talk.ts"

const JSON_ANSWER = { accept: "application/json" }

let talk: Talk
let app: TestApp
let api: Client
let ollama: OllamaStandIn
beforeAll(async () => {
  talk = await startTalk()
  ;({ app, api, ollama } = talk)
})
afterAll(() => talk.stop())

const asked = (scene: string) => ollama.server.scenes.got(scene).length
const conversations = async () => (await api.get("/conversations?page_size=1")).body.pagination.total_items
let keys = 0
const newKey = () => ({ "idempotency-key": `key-${++keys}` })
const stream = (path: string, body: unknown, headers: Record<string, string>) => talk.stream(path, body, { headers })

describe("a call that is repeated under its key", () => {
  test("gets the same stream while the reply is written, and after, and the model is asked once", async () => {
    ollama.server.scenes.add("once", { text: "one answer ".repeat(10), delayMs: 30 })
    const body = { ...OFF, message: "case-once Which?" }
    const key = newKey()
    const before = await conversations()
    const [left, right] = await Promise.all([
      stream("/conversations", body, key),
      stream("/conversations", { message: body.message, ...OFF }, key),
    ])
    expect(right).toEqual(left)
    expect(left[0]?.event).toBe("conversation_created")
    expect(await stream("/conversations", body, key)).toEqual(left)
    expect([asked("once"), (await conversations()) - before]).toEqual([1, 1])
  })

  test("gets the stored reply after a restart, as a stream and as JSON", async () => {
    ollama.server.scenes.add("kept", { text: "kept answer" })
    const body = { ...OFF, message: "case-kept Which?", additional_metadata: { ticket: 7 } }
    const key = newKey()
    const first = await stream("/conversations", body, key)
    await app.restart()
    const again = await stream("/conversations", body, key)
    const created = dataOf(first, "conversation_created")
    expect(dataOf(again, "conversation_created")).toEqual(created)
    expect(dataOf(again, "message_started")).toEqual(dataOf(first, "message_started"))
    expect(textOf(again)).toBe("kept answer")
    expect(again.map(({ id }) => id)).toEqual(again.map((_, i) => i + 1))
    const json = await api.post("/conversations", body, { ...JSON_ANSWER, ...key })
    expect(json.body.messages.map(({ content }: any) => content)).toEqual([body.message, "kept answer"])
    expect(asked("kept")).toBe(1)
  })

  test.each([
    ["responses", (input: string) => ({ model: OFF.model, input })],
    [
      "chat/completions",
      (content: string) => ({ model: OFF.model, store: true, messages: [{ role: "user", content }] }),
    ],
  ])("is kept once by /v1/%s, and another request under the key is refused", async (path, body) => {
    const scene = `kept${path.length}`
    ollama.server.scenes.add(scene, { text: "kept once", delayMs: 30 })
    const v1 = api.under("/v1")
    const key = newKey()
    const before = await conversations()
    const send = () => v1.post(`/${path}`, body(`case-${scene}`), key)
    const told = ({ status, body: { output, choices } }: Awaited<ReturnType<typeof send>>) => [
      status,
      output?.[0].content[0].text ?? choices[0].message.content,
    ]
    for (const answer of [...(await Promise.all([send(), send()])), await send()])
      expect(told(answer)).toEqual([200, "kept once"])
    expect([asked(scene), (await conversations()) - before]).toEqual([1, 1])
    expect((await v1.post(`/${path}`, body("other"), key)).status).toBe(409)
  })

  test("adds no second message to a conversation, in either set", async () => {
    ollama.server.scenes.add("again", { text: "fine" })
    const { body: started } = await api.post("/start-conversation", { ...OFF, message: "case-again first" }, newKey())
    const id = started.conversation_id
    for (const [path, body] of [
      ["/send", { conversation_id: id, message: "case-again second" }],
      ["/continue", { conversation_id: id, model: OFF.model, message: "case-again third" }],
      [`/conversations/${id}`, { message: "case-again fourth" }],
    ] as const) {
      const key = newKey()
      const answers = await Promise.all([1, 2, 3].map(() => api.post(path, body, { ...JSON_ANSWER, ...key })))
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
      const ids = answers.map(({ body }) => body.messages.map((message: any) => message.id))
      expect(ids[0]).toHaveLength(2)
      expect([ids[1], ids[2]]).toEqual([ids[0], ids[0]])
    }
    expect((await api.get(`/conversations/${id}`)).body.messages).toHaveLength(8)
    const last = (await api.get(`/conversations/${id}`)).body.messages.at(-1).id
    const key = newKey()
    const regenerate = () =>
      api.post(`/conversations/${id}/messages/${last}/regenerate`, {}, { ...JSON_ANSWER, ...key })
    const anew = await regenerate()
    expect((await regenerate()).body.messages).toEqual(anew.body.messages)
    expect(asked("again")).toBe(5)
  })

  test("is carried out when the first was refused", async () => {
    ollama.server.scenes.add("late", { text: "now" })
    const key = newKey()
    const refused = await api.post("/start-conversation", { ...OFF, model: "none", message: "case-late" }, key)
    expect(refused.status).toBe(404)
    const { status } = await api.post("/start-conversation", { ...OFF, message: "case-late" }, key)
    expect(status).toBe(200)
  })
})

describe("a key that is used for another request", () => {
  test("is a conflict, and nothing of that request is done", async () => {
    ollama.server.scenes.add("other", { text: "yes" })
    const key = newKey()
    const body = { ...OFF, message: "case-other one" }
    const { body: first } = await api.post("/start-conversation", body, key)
    const before = await conversations()
    for (const [path, other] of [
      ["/start-conversation", { ...body, message: "case-other two" }],
      ["/start-conversation", { ...body, use_library: true }],
      ["/conversations", body],
      ["/send", { conversation_id: first.conversation_id, message: "case-other one" }],
    ] as const) {
      const { status, body: refusal } = await api.post(path, other, { ...JSON_ANSWER, ...key })
      expect([path, status, refusal.error?.code]).toEqual([path, 409, "conflict"])
    }
    expect(await conversations()).toBe(before)
    expect(asked("other")).toBe(1)
  })

  test("is free in another workspace, for an upload, and for a run", async () => {
    const key = newKey()
    expect((await api.post("/start-conversation", { ...OFF, message: "hello" }, key)).status).toBe(200)
    const stranger = await app.client("elsewhere")
    expect((await stranger.post("/start-conversation", { ...OFF, message: "other" }, key)).status).toBe(200)
    expect((await api.upload([{ name: "a.txt", data: "ferry" }], {}, key)).status).toBe(202)
    expect((await api.post("/agents/run", { ...OFF, use_library: undefined, task: "say yes" }, key)).status).toBe(200)
    const reused = await api.post("/agents/run", { model: OFF.model, task: "say no" }, key)
    expect([reused.status, reused.body.error.code]).toEqual([409, "conflict"])
  })

  test.each(["", "x".repeat(256)])("must have a sensible length", async key => {
    const headers = { "idempotency-key": key }
    for (const path of ["/start-conversation", "/agents/run"]) {
      const { status, body } = await api.post(path, { ...OFF, message: "hello", task: "hello" }, headers)
      expect([path, status, body.error?.details[0].field]).toEqual([path, 400, "Idempotency-Key"])
    }
  })
})

test("a reply that was cut by a kill is what a repetition gets, and the message stands once", async () => {
  const daemon = await startDaemon(["--ollama-host", ollama.server.url])
  try {
    ollama.server.scenes.add("cut", { text: "word ".repeat(200), delayMs: 100 })
    const ask = () =>
      fetch(`${daemon.url}/external/conversations`, {
        method: "POST",
        headers: { ...daemon.credentials, "content-type": "application/json", "idempotency-key": "cut" },
        body: JSON.stringify({ ...OFF, message: "case-cut" }),
      })
    let words = 0
    const first = await readEvents(await ask(), ({ event }) => event === "message_delta" && ++words === 6)
    await replyStored(daemon.data, "word word word")
    await daemon.kill()
    await daemon.start()
    const again = await readEvents(await ask())
    expect(dataOf(again, "message_started").message_id).toBe(dataOf(first, "message_started").message_id)
    expect(dataOf(again, "message_completed").finish_reason).toBe("error")
    expect(textOf(again)).toStartWith("word word word")
    const { pagination } = await daemon.call("GET", "/conversations")
    expect(pagination.total_items).toBe(1)
  } finally {
    await daemon.remove()
  }
}, 60_000)
