/** Conversations over HTTP, against a stand-in for the model server. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { Client } from "../support/app.ts"
import { dataOf, readEvents, textOf } from "../support/events.ts"
import { MODEL, OFF, startTalk, type Talk } from "../support/talk.ts"
import { until } from "../support/until.ts"

let talk: Talk
let api: Client

beforeAll(async () => {
  talk = await startTalk()
  api = talk.api
})
afterAll(() => talk.stop())

const scenes = () => talk.scenes
const stream: Talk["stream"] = (...turn) => talk.stream(...turn)
const stored = (id: string) => talk.stored(id)

test("a reply is streamed in order, numbered from 1, and stored", async () => {
  scenes().add("plain", { text: "The answer is seven." })
  const response = await api.raw("POST", "/conversations", { ...OFF, message: "case-plain Which?" })
  expect(response.headers.get("content-type")).toContain("text/event-stream")
  expect(response.headers.get("cache-control")).toBe("no-cache, no-transform")
  expect(response.headers.get("x-accel-buffering")).toBe("no")
  const events = await readEvents(response)
  expect(events.map(({ id }) => id)).toEqual(events.map((_, i) => i + 1))
  expect(events[0]?.event).toBe("conversation_created")
  expect(events[1]?.event).toBe("message_started")
  expect(events.at(-1)).toMatchObject({ event: "done", data: {} })
  const completed = dataOf(events, "message_completed")
  expect(completed).toMatchObject({
    content: "The answer is seven.",
    finish_reason: "stop",
    citations: [],
    ner_count: 0,
  })
  expect(textOf(events)).toBe(completed.content)
  const conversation = await stored(dataOf(events, "conversation_created").conversation_id)
  expect(conversation).toMatchObject({ title: "case-plain Which?", model: MODEL })
  expect(conversation.messages.map((message: { role: string }) => message.role)).toEqual(["user", "assistant"])
  expect(Object.keys(conversation.messages[1]).sort()).toEqual([
    "citations",
    "content",
    "created_at",
    "error",
    "feedback",
    "finish_reason",
    "id",
    "images",
    "model",
    "ner_count",
    "role",
    "tool_calls",
    "variants",
    "warnings",
  ])
})

test("what is wrong with a request is said before the stream, and nothing is stored", async () => {
  const before = (await api.get("/conversations?page_size=1")).body.pagination.total_items
  const cases: [object, number, string][] = [
    [{}, 400, "invalid_request"],
    [{ message: "" }, 400, "invalid_request"],
    [{ message: "a", options: { temperature: "hot" } }, 400, "invalid_request"],
    [{ message: "a", additional_metadata: [] }, 400, "invalid_request"],
    [{ message: "a", additional_metadata: { system_prompt: 5 } }, 400, "invalid_request"],
    [{ message: "a", model: "ollama/none" }, 404, "model_not_found"],
    [{ message: "a", file_ids: ["file_unknown"] }, 404, "not_found"],
    [{ message: "a", context_id: "conv_unknown" }, 404, "not_found"],
    [{ message: "a", redaction: { custom_patterns: [{ name: "BAD", pattern: "(" }] } }, 422, "invalid_pattern"],
  ]
  for (const [body, status, code] of cases) {
    const answer = await api.post("/conversations", { ...OFF, ...body }, { accept: "text/event-stream" })
    expect([body, answer.status, answer.body.error?.code]).toEqual([body, status, code])
  }
  expect((await api.get("/conversations?page_size=1")).body.pagination.total_items).toBe(before)
})

test("null is the same as absent", async () => {
  scenes().add("nulls", { text: "Fine." })
  const nulls = {
    system_prompt: null,
    context_id: null,
    options: null,
    response_format: null,
    redaction: null,
    thinking: null,
    initial_message: null,
  }
  const answer = await api.post("/start-conversation", { ...OFF, ...nulls, message: "case-nulls" })
  expect(answer.status).toBe(200)
  expect(answer.body.messages[1].content).toBe("Fine.")
})

test("the answer is JSON for clients that accept JSON, in any case of letters, and else a stream", async () => {
  scenes().add("accept", { text: "Fine." })
  const typeFor = async (accept: string) => {
    const answer = await api.raw("POST", "/conversations", { ...OFF, message: "case-accept" }, { accept })
    await answer.text()
    return answer.headers.get("content-type")!.split(";")[0]
  }
  for (const accept of ["application/json", "Application/JSON", "application/json, text/plain, */*"])
    expect([accept, await typeFor(accept)]).toEqual([accept, "application/json"])
  for (const accept of ["*/*", "text/event-stream", "application/json, text/event-stream"])
    expect([accept, await typeFor(accept)]).toEqual([accept, "text/event-stream"])
})

describe("a reply belongs to the daemon", () => {
  test("a client that leaves loses nothing, and takes up exactly where it left", async () => {
    scenes().add("leave", { text: "one two three four five six seven eight nine ten", delayMs: 40 })
    let deltas = 0
    const first = await stream(
      "/conversations",
      { ...OFF, message: "case-leave" },
      { upTo: ({ event }) => event === "message_delta" && ++deltas === 3 },
    )
    const id = dataOf(first, "conversation_created").conversation_id
    const last = first.at(-1)!.id
    const follow = () => api.raw("GET", `/conversations/${id}/events`, undefined, { "last-event-id": String(last) })
    const rest = await readEvents(await follow())
    expect(rest.map(event => event.id)).toEqual(rest.map((_, i) => last + 1 + i))
    expect(textOf(first) + textOf(rest)).toBe("one two three four five six seven eight nine ten")
    expect((await readEvents(await follow())).map(event => event.id)).toEqual(rest.map(event => event.id))
    const all = await readEvents(await api.raw("GET", `/conversations/${id}/events`))
    expect([...first, ...rest]).toEqual(all)
  })

  test("it can be stopped, which closes the request to the model", async () => {
    scenes().add("stop", { text: "word ".repeat(20), hangAfter: 5 })
    const { promise: written, resolve } = Promise.withResolvers<void>()
    let deltas = 0
    const streamed = stream(
      "/conversations",
      { ...OFF, message: "case-stop" },
      {
        upTo({ event }) {
          if (event === "message_delta" && ++deltas === 3) resolve()
          return false
        },
      },
    )
    await written
    const [newest] = (await api.get("/conversations?page_size=1")).body.data
    const cancelled = await api.post(`/conversations/${newest.conversation_id}/cancel`)
    expect(cancelled.status).toBe(202)
    expect(cancelled.body.messages[1].finish_reason).toBe("cancelled")
    await until(() => talk.ollama.server.open === 0)
    const events = await streamed
    const completed = dataOf(events, "message_completed")
    expect(completed).toMatchObject({ finish_reason: "cancelled", content: textOf(events) })
    expect(completed.content.length).toBeGreaterThan(4)
    expect(events.at(-1)?.event).toBe("done")
  })

  test("there is one at a time in a conversation", async () => {
    const { promise: held, resolve: goOn } = Promise.withResolvers<void>()
    scenes().add("busy", { text: "slow answer", held })
    const first = await stream(
      "/conversations",
      { ...OFF, message: "case-busy" },
      { upTo: ({ event }) => event === "message_started" },
    )
    const id = dataOf(first, "conversation_created").conversation_id
    const attempts = await Promise.all([
      api.post(`/conversations/${id}`, { message: "me too" }),
      api.post("/send", { conversation_id: id, message: "me three" }),
      api.post("/continue", { conversation_id: id, model: MODEL }),
    ])
    for (const { status, body } of attempts) expect([status, body.error.code]).toEqual([409, "conversation_busy"])
    goOn()
    await readEvents(await api.raw("GET", `/conversations/${id}/events`))
    expect((await stored(id)).messages).toHaveLength(2)
  })

  test("a conversation that is deleted stops its reply", async () => {
    scenes().add("deleted", { hang: true })
    const first = await stream(
      "/conversations",
      { ...OFF, message: "case-deleted" },
      { upTo: ({ event }) => event === "message_started" },
    )
    const id = dataOf(first, "conversation_created").conversation_id
    expect((await api.delete(`/conversations/${id}`)).status).toBe(204)
    expect((await api.get(`/conversations/${id}`)).status).toBe(404)
    expect((await api.raw("GET", `/conversations/${id}/events`)).status).toBe(404)
    await until(() => talk.ollama.server.open === 0)
  })

  test("a reply that fails is stored as far as it came, and the conversation goes on", async () => {
    scenes().add("fails", { pieces: ["a ", "b ", "c "], delayMs: 20, errorAfter: 2, error: "out of memory" })
    const events = await stream("/conversations", { ...OFF, message: "case-fails" })
    const { error } = dataOf(events, "error")
    expect(error).toMatchObject({ code: "model_error", hint: expect.stringContaining("out of memory") })
    expect(error.request_id).toStartWith("req_")
    expect(dataOf(events, "message_completed")).toBeUndefined()
    expect(events.at(-1)?.event).toBe("done")
    const id = dataOf(events, "conversation_created").conversation_id
    expect((await stored(id)).messages[1]).toMatchObject({ content: "a b ", finish_reason: "error" })
    scenes().add("recovers", { text: "Better." })
    expect(textOf(await stream(`/conversations/${id}`, { message: "case-recovers" }))).toBe("Better.")
  })

  test("the calls that wait for the reply answer a failure with its status, naming where the turn is kept", async () => {
    scenes().add("waiting", { status: 500, error: "broken runner" })
    const answer = await api.post("/start-conversation", { ...OFF, message: "case-waiting" })
    expect([answer.status, answer.body.error.code]).toEqual([502, "model_error"])
    const [{ conversation_id }] = answer.body.error.details
    expect((await stored(conversation_id)).messages[1].finish_reason).toBe("error")
  })
})

describe("continue", () => {
  const start = async (scene: string, turn: Parameters<ReturnType<typeof scenes>["add"]>[1]) => {
    scenes().add(scene, turn)
    const events = await stream("/conversations", { ...OFF, message: `case-${scene}` })
    return {
      id: dataOf(events, "conversation_created").conversation_id,
      reply: dataOf(events, "message_started").message_id,
    }
  }

  test("finishes a reply that was cut, in place", async () => {
    const { id, reply } = await start("cut", (_, count) =>
      count === 0 ? { text: "The first half", reason: "length" } : { text: " and the second." },
    )
    const { status, body } = await api.post("/continue", { conversation_id: id, model: MODEL })
    expect(status).toBe(200)
    expect(body.messages).toHaveLength(1)
    expect(body.messages[0]).toMatchObject({
      id: reply,
      content: "The first half and the second.",
      finish_reason: "stop",
    })
    expect(scenes().got("cut")[1].messages.at(-1)).toEqual({ role: "assistant", content: "The first half" })
    const replayed = await readEvents(await api.raw("GET", `/conversations/${id}/events`))
    expect(textOf(replayed)).toBe("The first half and the second.")
  })

  test("writes a reply that failed before its first word, with another model", async () => {
    const { id, reply } = await start("nothing", request =>
      request.model === "qwen3:8b" ? { text: "Done." } : { status: 500 },
    )
    const { body } = await api.post("/continue", { conversation_id: id, model: "ollama/qwen3:8b" })
    expect(body).toMatchObject({
      model: "ollama/qwen3:8b",
      messages: [{ id: reply, content: "Done.", finish_reason: "stop" }],
    })
    expect((await stored(id)).messages).toHaveLength(2)
  })

  test("does nothing to a whole reply but sets the model, which send then uses", async () => {
    const { id } = await start("whole", { text: "Whole." })
    const { body } = await api.post("/continue", { conversation_id: id, model: "qwen3:8b" })
    expect(body).toMatchObject({ model: "ollama/qwen3:8b", messages: [] })
    await api.post("/send", { conversation_id: id, message: "case-whole again" })
    expect(scenes().got("whole")[1].model).toBe("qwen3:8b")
  })
})

describe("regenerate", () => {
  test("replaces a reply and what came after it; with a message, the question too", async () => {
    scenes().add("again", (_, count) => ({ text: `Version ${count}.` }))
    const { body } = await api.post("/start-conversation", { ...OFF, message: "case-again one" })
    const id = body.conversation_id
    await api.post("/send", { conversation_id: id, message: "case-again two" })
    const [question, reply] = body.messages
    const path = (message: string) => `/conversations/${id}/messages/${message}/regenerate`
    const events = await stream(path(reply.id), {})
    expect(textOf(events)).toBe("Version 2.")
    expect(dataOf(events, "message_started").user_message_id).toBe(question.id)
    expect((await stored(id)).messages.map((message: { content: string }) => message.content)).toEqual([
      "case-again one",
      "Version 2.",
    ])
    const edited = await api.post(path(question.id), { message: "case-again three" }, { accept: "application/json" })
    expect(edited.body.messages.map((message: { content: string }) => message.content)).toEqual([
      "case-again three",
      "Version 3.",
    ])
    expect((await stored(id)).messages).toHaveLength(2)
    expect((await api.post(path("msg_unknown"), {})).status).toBe(404)
  })
})

describe("windows", () => {
  test("the window grows in steps, stays for the conversation, and uses what is loaded", async () => {
    scenes().add("window", { text: "ok" })
    const { body } = await api.post("/start-conversation", {
      ...OFF,
      message: `case-window ${"long text ".repeat(4_000)}`,
    })
    await api.post("/send", { conversation_id: body.conversation_id, message: "case-window short" })
    const [first, second] = scenes().got("window")
    expect(first.options.num_ctx).toBe(16_384)
    expect(second.options.num_ctx).toBe(16_384)
    expect([first.truncate, first.shift]).toEqual([false, false])
  })

  test("a prompt that the server finds too long is fitted again, smaller", async () => {
    let refusals = 0
    scenes().add("refit", request => {
      const length = JSON.stringify(request.messages).length
      if (length <= 60_000) return { text: "Fits." }
      refusals++
      return { status: 400, error: "the prompt exceeds the available context size" }
    })
    const model = "ollama/qwen3:8b"
    scenes().add("fill", { text: "ok", promptTokens: 0 })
    const { body } = await api.post("/start-conversation", {
      model,
      use_library: false,
      message: `case-fill ${"palaver ".repeat(6_000)}`,
    })
    await api.post("/send", { conversation_id: body.conversation_id, message: `case-fill ${"palaver ".repeat(6_000)}` })
    const events = await stream(`/conversations/${body.conversation_id}`, { message: "case-refit what now?" })
    expect(textOf(events)).toBe("Fits.")
    expect(refusals).toBeGreaterThan(0)
    expect(events.filter(({ event }) => event === "message_started")).toHaveLength(1)
    const warning = events.find(({ event, data }) => event === "warning" && data.code === "context_truncated")
    expect(warning?.data.message).toContain("the oldest 2 messages")
  })

  test("a message that no window of the model can hold is refused, not cut", async () => {
    const huge = "租赁合同规定".repeat(16_000)
    const events = await stream("/conversations", {
      model: "ollama/qwen3:8b",
      use_library: false,
      message: huge.slice(0, 100_000),
    })
    expect(dataOf(events, "error").error).toMatchObject({ code: "invalid_request", details: [{ field: "message" }] })
  })
})

test("a conversation shows what its next message inherits; an empty context takes the scope off again", async () => {
  const { body } = await api.post("/start-conversation", {
    model: MODEL,
    message: "Hello",
    context_id: "boats",
    thinking: true,
    reading: "passages",
    tools: [],
    history: "truncate",
    redaction: { kinds: ["EMAIL"] },
    system_prompt: "Answer ada@example.org briefly.",
    options: { temperature: 0.2, stop: ["END"] },
  })
  const { settings } = await stored(body.conversation_id)
  expect(settings).toEqual({
    system_prompt: "Answer [REDACTED_EMAIL] briefly.",
    options: { temperature: 0.2, stop: ["END"] },
    use_library: true,
    context_id: "boats",
    file_ids: [],
    filter: null,
    thinking: true,
    reading: "passages",
    tools: [],
    history: "truncate",
    redaction: true,
  })
  await api.post("/send", { conversation_id: body.conversation_id, message: "Again", context_id: "", redaction: false })
  expect((await stored(body.conversation_id)).settings).toEqual({ ...settings, context_id: null, redaction: false })
})

test("what an application tells the model is not shown to its end users", async () => {
  const token = await api.scoped({ end_user: "eve" })
  const asked = { message: "Hello", model: MODEL, system_prompt: "Sell boats." }
  const { body } = await token.post("/start-conversation", asked)
  const path = `/conversations/${body.conversation_id}`
  expect((await token.get(path)).body.settings.system_prompt).toBeNull()
  expect((await api.get(path)).body.settings.system_prompt).toBe("Sell boats.")
})

test("lists are paged and searched by title and text", async () => {
  scenes().add("zebra", { text: "Stripes 50% off_season." })
  const { body } = await api.post("/start-conversation", { ...OFF, message: "case-zebra What about zebras?" })
  const found = async (q: string) =>
    (await api.get(`/conversations?q=${encodeURIComponent(q)}`)).body.data.map(
      (item: { conversation_id: string }) => item.conversation_id,
    )
  expect(await found("ZEBRAS")).toEqual([body.conversation_id])
  expect(await found("50% off_s")).toEqual([body.conversation_id])
  expect(await found("50%%off")).toEqual([])
  const page = (await api.get("/conversations?page=2&page_size=3")).body
  expect(page.data).toHaveLength(3)
  expect(page.data[0]).not.toHaveProperty("messages")
})
