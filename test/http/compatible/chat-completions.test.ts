/** `/v1/chat/completions` seen from both sides: what the model receives, what a caller and the store get. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Workspaces } from "../../../src/access/workspaces.ts"
import { openSqlite } from "../../../src/storage/sqlite/open.ts"
import { type OpenDoor, startOpenDoor } from "../../clients/open.ts"
import { Client } from "../../support/app.ts"
import { until } from "../../support/until.ts"

const MODEL = "openai/mistral-7b"
const ADDRESS = "ola.hansen@example.com"

let door: OpenDoor
let client: Client
beforeAll(async () => {
  door = await startOpenDoor()
  client = new Client(() => door.app.url, door.client.key, "")
}, 60_000)
afterAll(() => door?.stop())

const user = (content: string) => [{ role: "user", content }]
const ask = (body: object, by = client) => by.post("/v1/chat/completions", { model: MODEL, ...body })
const got = (scene: string) => door.openai.scenes.got(scene)
// biome-ignore lint/suspicious/noExplicitAny: chunks of every shape
const dataOf = (text: string): any[] =>
  text
    .split("\n\n")
    .slice(0, -1) // the last may not be whole yet
    .filter(block => block.startsWith("data: {"))
    .map(block => JSON.parse(block.slice("data: ".length)))
const textOf = (text: string): string =>
  dataOf(text)
    .map(chunk => chunk.choices?.[0]?.delta.content ?? "")
    .join("")

test("a parameter that has one value only is told so", async () => {
  const { status, body } = await ask({ messages: user("Hi"), n: 2 })
  expect([status, body.error.param, body.error.message]).toEqual([400, "n", "n: must be 1"])
})

describe("a stream", () => {
  test("passes 2 000 pieces one by one, each as soon as it is there", async () => {
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
    const pieces = Array.from({ length: 2_000 }, (_, i) => `${i} `)
    door.openai.scenes.add("many", { pieces, held, holdAfter: 1_000 })
    const response = await client.raw("POST", "/v1/chat/completions", {
      ...{ model: MODEL, messages: user("case-many"), stream: true },
    })
    let text = ""
    const decoder = new TextDecoder()
    for await (const part of response.body!) {
      text += decoder.decode(part, { stream: true })
      // The model waits in the middle: what it has written must be there by then.
      if (textOf(text).endsWith("999 ")) letGo()
    }
    expect(dataOf(text).filter(chunk => chunk.choices[0]?.delta.content)).toHaveLength(2_000)
    expect(textOf(text)).toBe(pieces.join(""))
    expect(text).toEndWith("data: [DONE]\n\n")
    expect(response.headers.get("content-type")).toContain("text/event-stream")
  })

  test("has its head before a slow model's first word", async () => {
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
    door.openai.scenes.add("slow", { text: "At last.", held })
    const body = { model: MODEL, messages: user("case-slow"), stream: true }
    const response = await client.raw("POST", "/v1/chat/completions", body)
    letGo()
    expect(textOf(await response.text())).toBe("At last.")
  })

  test("that is under way when the daemon stops ends with an error", async () => {
    const own = await startOpenDoor()
    own.openai.scenes.add("stops", { pieces: ["One ", "two"], hangAfter: 1 })
    const by = new Client(() => own.app.url, own.client.key, "")
    const body = { model: MODEL, messages: user("case-stops"), stream: true }
    const response = await by.raw("POST", "/v1/chat/completions", body)
    const stopped = own.stop()
    const text = await response.text()
    expect(dataOf(text).at(-1)).toMatchObject({ error: { code: "overloaded", type: "server_error" } })
    await stopped
  })

  test("that fails in the middle ends with an error that names the request", async () => {
    door.openai.scenes.add("half", { pieces: ["Ha", "lf"], errorAfter: 1 })
    const response = await client.raw("POST", "/v1/chat/completions", {
      ...{ model: MODEL, messages: user("case-half"), stream: true },
    })
    const text = await response.text()
    expect(dataOf(text).at(-1)).toMatchObject({
      error: { type: "server_error", code: "model_error", request_id: response.headers.get("x-request-id") },
    })
    expect(text).toEndWith("data: [DONE]\n\n")
  })
})

describe("under redaction", () => {
  const tools = [
    {
      type: "function",
      function: { name: "send", parameters: { type: "object", properties: { to: { type: "string" } } } },
    },
  ]
  const call = { id: `call ${ADDRESS}`, type: "function", function: { name: "send", arguments: `{"to":"${ADDRESS}"}` } }
  const exchange = [
    { role: "system", content: `You write to ${ADDRESS}.` },
    { role: "user", content: `Before: ${ADDRESS}` },
    { role: "assistant", content: `Yes, ${ADDRESS}.`, tool_calls: [call] },
    { role: "tool", tool_call_id: call.id, content: `Sent to ${ADDRESS}.` },
    { role: "user", content: `case-hidden Now ${ADDRESS}` },
  ]

  test("the model sees no private value, wherever it stands, and the caller none that the model makes up", async () => {
    door.openai.scenes.add("hidden", {
      pieces: ["Write to kari.", "nordmann@exam", "ple.com now."],
      tools: [{ name: "send", arguments: { to: "kari.nordmann@example.com" } }],
    })
    const described = [{ ...tools[0], function: { ...tools[0]!.function, description: `Asks ${ADDRESS}` } }]
    for (const stream of [false, true]) {
      const body = { model: MODEL, messages: exchange, tools: described, stream, carrel: { redaction: true } }
      const response = await client.raw("POST", "/v1/chat/completions", body)
      const text = await response.text()
      expect(response.status).toBe(200)
      expect(text).toContain("[REDACTED_EMAIL]")
      expect(text).not.toContain("nordmann")
      expect(text).toMatch(/"ner_count":[1-9]/)
    }
    expect(JSON.stringify(got("hidden"))).not.toContain("hansen")
    const [, , assistant, result] = got("hidden").at(-1).messages
    expect(result.tool_call_id).toBe(assistant.tool_calls[0].id)
  })

  test("names of tools that are private are refused, as nothing could stand for them", async () => {
    const named = {
      ...tools[0],
      function: { name: "send", parameters: { type: "object", properties: { [ADDRESS]: {} } } },
    }
    const { status, body } = await ask({ messages: user("Hi"), tools: [named], carrel: { redaction: true } })
    expect([status, body.error.param]).toEqual([400, "tools.0.function.parameters: the name of a property"])
    expect(JSON.stringify(body)).not.toContain(ADDRESS)
  })

  test("that a workspace enforces no request gets round", async () => {
    const strict = await door.app.client("strict")
    const database = await openSqlite(door.app.data)
    const { id } = await database
      .selectFrom("workspaces")
      .select("id")
      .where("name", "=", "strict")
      .executeTakeFirstOrThrow()
    await new Workspaces(database).change(id, { enforce_redaction: true })
    await database.destroy()
    const by = new Client(() => door.app.url, strict.key, "")
    door.openai.scenes.add("strict", { text: "Yes." })
    await until(async () => {
      await ask({ messages: user(`case-strict ${ADDRESS}`), carrel: { redaction: false } }, by)
      return !JSON.stringify(got("strict").at(-1)).includes(ADDRESS)
    })
  })

  test("pictures are refused, as what they show cannot be redacted", async () => {
    const url = "data:image/png;base64,iVBORw0KGgo="
    const content = [
      { type: "text", text: "What is this?" },
      { type: "image_url", image_url: { url } },
    ]
    const messages = [{ role: "user", content }]
    const { status, body } = await ask({ model: "ollama/llava:7b", messages, carrel: { redaction: true } })
    expect([status, body.error.param]).toEqual([400, "messages.0.content"])
  })
})

describe("with store", () => {
  const conversations = async () => (await door.client.get("/conversations")).body.data

  test("the exchange is a conversation, and its answer the same", async () => {
    door.openai.scenes.add("kept", { text: "Rent is due in March.", promptTokens: 33 })
    const messages = [
      { role: "system", content: "Be brief." },
      { role: "user", content: "When is the notice?" },
      { role: "assistant", content: "90 days before." },
      { role: "user", content: "case-kept And the rent?" },
    ]
    const asked = { messages, store: true, metadata: { topic: "boats" }, user: "u-7", temperature: 0.2 }
    const { status, body } = await ask({ model: `library/${MODEL}`, ...asked })
    expect(status).toBe(200)
    expect(body.choices[0].message.content).toBe("Rent is due in March.")
    expect(body.usage.prompt_tokens).toBe(33)
    const kept = (await door.client.get(`/conversations/${body.carrel.conversation_id}`)).body
    expect(kept).toMatchObject({ model: MODEL, end_user: "u-7", additional_metadata: { topic: "boats" } })
    expect(kept.messages.map(({ role, content }: { role: string; content: string }) => [role, content])).toEqual([
      ["user", "When is the notice?"],
      ["assistant", "90 days before."],
      ["user", "case-kept And the rent?"],
      ["assistant", "Rent is due in March."],
    ])
    const sent = got("kept").at(-1)
    expect(sent.messages.map(({ role }: { role: string }) => role)).toEqual(["system", "user", "assistant", "user"])
    expect(sent.temperature).toBe(0.2)
  })

  test("a stream names the conversation, and a client that leaves it does not stop the reply", async () => {
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
    door.openai.scenes.add("left", { pieces: ["One ", "two."], held, holdAfter: 1 })
    const body = { model: MODEL, messages: user("case-left"), stream: true, store: true }
    const abort = new AbortController()
    const response = await client.raw("POST", "/v1/chat/completions", body, {}, { signal: abort.signal })
    await response.body!.getReader().read()
    abort.abort()
    letGo()
    const [newest] = await conversations()
    const content = async () =>
      (await door.client.get(`/conversations/${newest.conversation_id}`)).body.messages[1].content
    await until(async () => (await content()) === "One two.")
  })

  test("calls of tools come at the end of a stream, and their results can be kept too", async () => {
    const tool = { type: "function", function: { name: "look", parameters: { type: "object", properties: {} } } }
    door.openai.scenes.add("tooled", ({ messages }) =>
      messages.at(-1).role === "tool"
        ? { text: "Seen." }
        : { text: "Wait.", tools: [{ name: "look", arguments: { at: 1 } }] },
    )
    const body = { model: MODEL, messages: user("case-tooled"), tools: [tool], store: true }
    const response = await client.raw("POST", "/v1/chat/completions", { ...body, stream: true })
    const chunks = dataOf(await response.text())
    const [called] = chunks.flatMap(chunk => chunk.choices[0]?.delta.tool_calls ?? [])
    expect(called).toMatchObject({ index: 0, function: { name: "look", arguments: '{"at":1}' } })
    expect(chunks.at(-1).choices[0].finish_reason).toBe("tool_calls")
    const result = { role: "tool", tool_call_id: called.id, content: "a heron" }
    const { index: _, ...call } = called
    const messages = [...body.messages, { role: "assistant", content: "Wait.", tool_calls: [call] }, result]
    const { body: second } = await ask({ ...body, messages })
    expect(second.choices[0].message.content).toBe("Seen.")
  })

  test("metadata that is too large is refused and nothing is stored", async () => {
    const before = (await conversations()).length
    const { status, body } = await ask({ messages: user("Hi"), store: true, metadata: { a: "x".repeat(20_000) } })
    expect([status, body.error.param]).toEqual([400, "metadata"])
    expect((await conversations()).length).toBe(before)
  })
})

describe("what is sent", () => {
  test("stands in the model's window: the oldest exchange goes first, and the answer says so", async () => {
    const long = "word ".repeat(9_000)
    const messages = Array.from({ length: 6 }, (_, i) => [
      { role: "user", content: `Question ${i}. ${long}` },
      { role: "assistant", content: `Answer ${i}.` },
    ]).flat()
    const { body } = await ask({ messages: [...messages, ...user("case-window")] })
    expect(body.carrel.warnings).toMatchObject([{ code: "context_truncated" }])
    const sent = got("window").at(-1).messages
    expect(sent.length).toBeLessThan(messages.length)
    expect(sent[0].content).toStartWith("Question")
    expect(sent.at(-1).content).toBe("case-window")
  })

  test("of a loop of tools keeps every call with its result, behind the question and its passages", async () => {
    const call = (id: string) => ({ id, type: "function", function: { name: "look", arguments: '{"at":1}' } })
    const messages = [
      ...user("case-loop When is the rent of the boathouse due?"),
      { role: "assistant", content: null, tool_calls: [call("a"), call("b")] },
      { role: "tool", tool_call_id: "b", content: "second" },
      { role: "tool", tool_call_id: "a", content: "first" },
    ]
    const tools = [{ type: "function", function: { name: "look" } }]
    await ask({ model: `library/${MODEL}`, messages, tools })
    const sent = got("loop").at(-1).messages
    expect(sent.map(({ role }: { role: string }) => role)).toEqual(["user", "assistant", "tool", "tool"])
    expect(sent[0].content).toContain("[1] lease.txt")
    expect(sent.slice(2).map(({ tool_call_id: id, content }: Record<string, string>) => [id, content])).toEqual([
      ["b", "second"],
      ["a", "first"],
    ])
  })

  test("is refused where the newest message alone is longer than the window", async () => {
    const { status, body } = await ask({ messages: user("word ".repeat(60_000)) })
    expect([status, body.error.param]).toEqual([400, "messages"])
  })

  test("may be megabytes where the window is large, and 32 at most", async () => {
    const huge = await ask({ messages: user("x".repeat(33 * 1_048_576)) })
    expect([huge.status, huge.body.error.code]).toEqual([413, "request_too_large"])
    const picture = { type: "image_url", image_url: { url: `data:image/png;base64,${"A".repeat(6_000_000)}` } }
    const messages = [{ role: "user", content: [{ type: "text", text: "case-big" }, picture] }]
    expect((await ask({ model: "ollama/llava:7b", messages })).status).toBe(200)
    expect(door.ollama.server.scenes.got("big").at(-1).messages[0].images[0]).toHaveLength(6_000_000)
  })
})

describe("models", () => {
  const one = async (path: string, by = client) => by.get(`/v1/models/${path}`)

  test("are found by ids whose slashes stand as they are, or encoded", async () => {
    const id = "library:boats/ollama/llama3.2:3b"
    for (const path of [id, encodeURIComponent(id)])
      expect(await one(path)).toMatchObject({ status: 200, body: { id, object: "model" } })
    for (const path of ["library:boats/ollama/none", "library:/builtin/extractive"])
      expect(await one(path)).toMatchObject({
        status: 404,
        body: { error: { code: "model_not_found", param: "model" } },
      })
  })

  test("and contexts that a narrow key does not see are not there for it", async () => {
    const { key } = await door.app.client("default", { context_ids: ["planes"], models: ["openai/*"] })
    const narrow = new Client(() => door.app.url, key, "")
    const { body } = await narrow.get("/v1/models")
    const ids: string[] = body.data.map(({ id }: { id: string }) => id)
    expect(ids).toContain(`library/${MODEL}`)
    expect(ids.filter(id => id.includes("ollama") || id.includes("boats"))).toEqual([])
    for (const model of ["ollama/llama3.2:3b", `library:boats/${MODEL}`]) {
      expect((await one(model, narrow)).status).toBe(404)
      const answer = await ask({ model, messages: user("Hi") }, narrow)
      expect([answer.status, answer.body.error.code]).toEqual([404, "model_not_found"])
    }
    const { body: answered } = await ask({ model: `library/${MODEL}`, messages: user("What is the notice?") }, narrow)
    expect(answered.carrel.sources).toEqual([])
  })
})

test("a page of an allowed origin may ask, another may not", async () => {
  const origin = "https://chat.example.org"
  const preflight = (from: string) =>
    fetch(`${door.app.url}/v1/chat/completions`, {
      method: "OPTIONS",
      headers: { origin: from, "access-control-request-method": "POST" },
    })
  await door.app.restart({ "cors-origins": origin })
  const allowed = await preflight(origin)
  expect(allowed.headers.get("access-control-allow-origin")).toBe(origin)
  expect(allowed.headers.get("access-control-allow-headers")).toContain("authorization")
  expect((await preflight("https://other.example.org")).status).toBe(403)
})

test("a key is limited here as elsewhere", async () => {
  const limited = await door.app.client("default", { rate_limit_per_minute: 2 })
  const by = new Client(() => door.app.url, limited.key, "")
  const statuses: number[] = []
  for (let i = 0; i < 3; i++) statuses.push((await by.get("/v1/models")).status)
  expect(statuses).toEqual([200, 200, 429])
})
