/** `/v1/responses` beyond what its clients send: what is kept, what the model receives, what is refused, who sees it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Client } from "../../support/app.ts"
import { QWEN } from "../../support/ollama.ts"
import { MODEL, startTalk, type Talk } from "../../support/talk.ts"
import { until } from "../../support/until.ts"

let talk: Talk
let client: Client
let stranger: Client
const v1 = (of: Client) => new Client(() => talk.app.url, of.key, "/v1")
beforeAll(async () => {
  talk = await startTalk()
  client = v1(talk.api)
  stranger = v1(await talk.app.client("another"))
})
afterAll(() => talk.stop())

const respond = (body: object) => client.post("/responses", { model: MODEL, ...body })
const sent = (scene: string) => talk.scenes.got(scene).at(-1).messages as { role: string; content: string }[]
const textIn = ({ body }: { body: any }) =>
  body.output.find((item: { type: string }) => item.type === "message")?.content[0].text

interface Told {
  type: string
  sequence_number: number
  [field: string]: any
}
/** The events of a stream; `upTo` leaves it early. */
const stream = async (body: object, upTo?: (event: Told) => boolean): Promise<Told[]> =>
  eventsIn(await client.raw("POST", "/responses", { model: MODEL, stream: true, ...body }), upTo)

async function eventsIn(response: Response, upTo: (event: Told) => boolean = () => false): Promise<Told[]> {
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"])
  const events: Told[] = []
  let rest = ""
  for await (const bytes of response.body!.pipeThrough(new TextDecoderStream())) {
    rest += bytes
    const blocks = rest.split("\n\n")
    rest = blocks.pop()!
    for (const block of blocks.filter(each => !each.startsWith(":"))) {
      const [, name, data] = /^event: (.*)\ndata: (.*)$/.exec(block)!
      const event = JSON.parse(data!)
      expect(event.type).toBe(name)
      events.push(event)
      if (upTo(event)) return events
    }
  }
  return events
}

describe("an answer", () => {
  test("to a text is a conversation of its owner, and can be asked for again", async () => {
    const answer = await respond({ input: "Who are you?", instructions: "Be brief.", metadata: { a: "b" } })
    expect([answer.status, answer.body.id.slice(0, 5)]).toEqual([200, "resp_"])
    expect(answer.body).toMatchObject({
      object: "response",
      status: "completed",
      model: MODEL,
      instructions: "Be brief.",
      metadata: { a: "b" },
      store: true,
      background: false,
      error: null,
      incomplete_details: null,
      previous_response_id: null,
      output: [
        {
          type: "message",
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text: "Hello from the model.", annotations: [], logprobs: [] }],
        },
      ],
    })
    const { usage } = answer.body
    expect(usage.total_tokens).toBe(usage.input_tokens + usage.output_tokens)
    expect((await client.get(`/responses/${answer.body.id}`)).body).toEqual(answer.body)
    const stored = await talk.stored(answer.body.conversation.id)
    expect(stored.messages.map(({ role, content }: any) => [role, content])).toEqual([
      ["user", "Who are you?"],
      ["assistant", "Hello from the model."],
    ])
    expect(stored).toMatchObject({ title: "Who are you?", owner: { type: "key", id: talk.api.key.id } })
    const { data } = (await talk.api.get("/conversations")).body
    expect(data.map(({ conversation_id }: any) => conversation_id)).toContain(answer.body.conversation.id)
  })

  test("goes on from another, whose instructions it does not inherit", async () => {
    talk.scenes.add("first", { text: "The first answer." })
    const first = await respond({ input: "case-first one", instructions: "Sing." })
    const second = await respond({ input: "case-second two", previous_response_id: first.body.id })
    expect(second.body.previous_response_id).toBe(first.body.id)
    expect(second.body.conversation).toEqual(first.body.conversation)
    expect(sent("second").map(({ role, content }) => [role, content])).toEqual([
      ["user", "case-first one"],
      ["assistant", "The first answer."],
      ["user", "case-second two"],
    ])
    expect((await talk.stored(first.body.conversation.id)).messages.length).toBe(4)
    // A second way on from the first one does not see the other.
    await respond({ input: "case-third three", previous_response_id: first.body.id })
    expect(sent("third").map(({ content }) => content)).toEqual([
      "case-first one",
      "The first answer.",
      "case-third three",
    ])
  })

  test("that nobody keeps is no conversation, and may go on from one that is", async () => {
    const before = (await talk.api.get("/conversations")).body.pagination.total_items
    const unkept = await respond({ input: "case-unkept", store: false })
    expect(unkept.body).toMatchObject({ store: false, conversation: null, status: "completed" })
    expect((await client.get(`/responses/${unkept.body.id}`)).status).toBe(404)
    expect((await talk.api.get("/conversations")).body.pagination.total_items).toBe(before)
    const kept = await respond({ input: "case-kept" })
    const next = await respond({ input: "case-next", store: false, previous_response_id: kept.body.id })
    expect(next.body.previous_response_id).toBe(kept.body.id)
    expect(sent("next").length).toBe(3)
    expect((await talk.stored(kept.body.conversation.id)).messages.length).toBe(2)
  })

  test("to a whole exchange keeps it all", async () => {
    const { body } = await respond({
      input: [
        { role: "developer", content: "Answer in Norwegian." },
        { role: "user", content: [{ type: "input_text", text: "One" }] },
        { type: "message", role: "assistant", content: [{ type: "output_text", text: "Two" }] },
        { role: "user", content: "case-whole Three" },
      ],
    })
    expect(sent("whole").map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"])
    const { messages } = await talk.stored(body.conversation.id)
    expect(messages.map(({ content }: any) => content)).toEqual([
      "One",
      "Two",
      "case-whole Three",
      "Hello from the model.",
    ])
  })

  test("that is cut off says so", async () => {
    talk.scenes.add("cut", { text: "It goes on and", reason: "length" })
    const { body } = await respond({ input: "case-cut", max_output_tokens: 5 })
    expect(body).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
      max_output_tokens: 5,
      output: [{ status: "incomplete" }],
    })
    expect(talk.scenes.got("cut")[0].options.num_predict).toBe(5)
  })

  test("of a model that fails is an error, and kept as failed", async () => {
    talk.scenes.add("fails", { status: 500, error: "out of memory" })
    const answer = await respond({ input: "case-fails" })
    expect([answer.status, answer.body.error.code]).toEqual([502, "model_error"])
    const events = await stream({ input: "case-fails" })
    const last = events.at(-1)!
    expect([last.type, last.response.status, last.response.error.code]).toEqual([
      "response.failed",
      "failed",
      "model_error",
    ])
    expect((await client.get(`/responses/${last.response.id}`)).body).toMatchObject({
      status: "failed",
      error: { code: "model_error", message: expect.stringContaining("out of memory") },
    })
  })

  test("has the form that is asked for", async () => {
    const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] }
    talk.scenes.add("form", { text: '{"n":1}' })
    const format = { type: "json_schema", name: "number", schema, strict: true }
    const { body } = await respond({ input: "case-form", text: { format }, temperature: 0, top_p: 0.5 })
    expect(body).toMatchObject({ text: { format }, temperature: 0, top_p: 0.5 })
    expect(talk.scenes.got("form")[0]).toMatchObject({ format: schema, options: { temperature: 0, top_p: 0.5 } })
  })
})

describe("functions", () => {
  const WEATHER = {
    type: "function",
    name: "weather",
    description: "of a city",
    parameters: { type: "object", properties: { city: { type: "string" } } },
    strict: true,
  }
  const call = { text: "Let me see.", tools: [{ name: "weather", arguments: { city: "Bergen" } }] }

  test("are called, and the answer goes on with their results", async () => {
    talk.scenes.add("weather", (_, count) => (count === 0 ? call : { text: "It rains." }))
    const first = await respond({ input: "case-weather", tools: [WEATHER], tool_choice: "auto" })
    expect(first.body.output.map(({ type }: any) => type)).toEqual(["message", "function_call"])
    const { call_id, name, arguments: given, status } = first.body.output[1]
    expect([name, JSON.parse(given), status]).toEqual(["weather", { city: "Bergen" }, "completed"])
    expect(first.body.tools[0]).toMatchObject({ type: "function", name: "weather" })
    const result = { type: "function_call_output", call_id, output: '{"rain":true}' }
    const second = await respond({ input: [result], tools: [WEATHER], previous_response_id: first.body.id })
    expect(textIn(second)).toBe("It rains.")
    expect(sent("weather").map(({ role }) => role)).toEqual(["user", "assistant", "tool"])
    expect((await client.get(`/responses/${first.body.id}`)).body).toEqual(first.body)
  })

  test("are called in an exchange that comes whole", async () => {
    talk.scenes.add("whole2", { text: "It rains." })
    const { body } = await respond({
      store: false,
      tools: [WEATHER],
      input: [
        { role: "user", content: "case-whole2" },
        { type: "reasoning", id: "rs_1", summary: [] },
        { type: "function_call", id: "fc_1", call_id: "call_a", name: "weather", arguments: '{"city":"Bergen"}' },
        { type: "function_call", call_id: "call_b", name: "weather", arguments: '{"city":"Oslo"}' },
        { type: "function_call_output", call_id: "call_b", output: "sun" },
        { type: "function_call_output", call_id: "call_a", output: [{ type: "input_text", text: "rain" }] },
      ],
    })
    expect(textIn({ body })).toBe("It rains.")
    expect(sent("whole2").map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool"])
  })

  test("stream their calls", async () => {
    talk.scenes.add("streamed", { tools: call.tools })
    const events = await stream({ input: "case-streamed", tools: [WEATHER] })
    expect(events.map(({ type }) => type)).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.function_call_arguments.delta",
      "response.function_call_arguments.done",
      "response.output_item.done",
      "response.completed",
    ])
    expect(events[2]).toMatchObject({ output_index: 0, item: { type: "function_call", arguments: "" } })
    expect(events[4]).toMatchObject({ name: "weather", arguments: '{"city":"Bergen"}' })
    expect(events[6]!.response.output).toEqual([events[5]!.item])
  })
})

describe("the library", () => {
  const LEASE = "The tenant of the boathouse may end the lease with a notice of ninety days."
  let store: string
  let fileId: string
  beforeAll(async () => {
    store = (await client.post("/vector_stores", { name: "Leases" })).body.id
    const context_id = store.slice(3)
    const [file] = await talk.api.index([{ name: "lease.txt", data: LEASE }], { context_id, metadata: '{"year":2026}' })
    fileId = file.id
    await talk.api.index([{ name: "other.txt", data: "The lease of the boathouse: a notice of a year, elsewhere." }])
    talk.scenes.add("lease", { text: "Ninety days [1]." })
  })
  const SEARCH = () => ({ type: "file_search", vector_store_ids: [store] })
  const input = "case-lease How long is the notice to end the lease of the boathouse?"

  test("is searched in stores, and what is cited is annotated", async () => {
    const { body } = await respond({ input, tools: [SEARCH()] })
    expect(body.output.map(({ type }: any) => type)).toEqual(["file_search_call", "message"])
    expect(body.output[0]).toMatchObject({ status: "completed", queries: [input], results: null })
    const [annotation] = body.output[1].content[0].annotations
    expect(annotation).toMatchObject({
      type: "file_citation",
      index: 12,
      file_id: fileId,
      filename: "lease.txt",
      page: null,
    })
    expect(new URL(annotation.url).pathname).toBe(`/view/${fileId}`)
    expect(JSON.stringify(sent("lease"))).toContain("ninety days")
    expect(JSON.stringify(sent("lease"))).not.toContain("elsewhere")
  })

  test("shows what was found where that is included", async () => {
    const include = ["file_search_call.results"]
    const { body } = await respond({ input, tools: [SEARCH()], include })
    const [result] = body.output[0].results
    expect(result).toMatchObject({ file_id: fileId, filename: "lease.txt", text: LEASE, page: null })
    expect(result.score).toBeGreaterThan(0)
    const again = await client.get(`/responses/${body.id}?include[]=${include[0]}`)
    expect(again.body.output[0].results).toMatchObject([{ file_id: fileId, text: LEASE }])
    expect((await client.get(`/responses/${body.id}`)).body.output[0].results).toBeNull()
  })

  test("is narrowed by filters, by files and to a number of passages", async () => {
    const found = async (more: object, tool: object = {}) => {
      const include = ["file_search_call.results"]
      const { body } = await respond({ input, include, tools: [{ ...SEARCH(), ...tool }], ...more })
      return body.output[0].results.map(({ filename }: any) => filename)
    }
    expect(await found({}, { filters: { type: "eq", key: "year", value: 2026 } })).toEqual(["lease.txt"])
    expect(await found({}, { filters: { type: "eq", key: "year", value: 2025 } })).toEqual([])
    expect(await found({}, { ranking_options: { score_threshold: 1 } })).toEqual([])
    const both = (await client.post("/vector_stores", {})).body.id
    expect(await found({}, { vector_store_ids: [store, both] })).toEqual(["lease.txt"])
    const all = await found({ model: `library/${MODEL}`, tools: [] })
    expect(all.sort()).toEqual(["lease.txt", "other.txt"])
    expect(await found({ model: `library/${MODEL}`, tools: [], carrel: { file_ids: [fileId] } })).toEqual(["lease.txt"])
    const byFile = [
      {
        role: "user",
        content: [
          { type: "input_file", file_id: fileId },
          { type: "input_text", text: input },
        ],
      },
    ]
    expect(await found({ input: byFile, tools: [] })).toEqual(["lease.txt"])
  })

  test("is streamed in the order that clients expect", async () => {
    const events = await stream({ input, tools: [SEARCH()], include: ["file_search_call.results"] })
    const types = events.map(({ type }) => type)
    const deltas = types.filter(type => type === "response.output_text.delta").length
    expect(deltas).toBeGreaterThan(0)
    expect(types).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.file_search_call.in_progress",
      "response.file_search_call.searching",
      "response.file_search_call.completed",
      "response.output_item.done",
      "response.output_item.added",
      "response.content_part.added",
      ...Array<string>(deltas).fill("response.output_text.delta"),
      "response.output_text.annotation.added",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.completed",
    ])
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, i) => i))
    const last = events.at(-1)!.response
    const text = events.filter(({ type }) => type === "response.output_text.delta").map(({ delta }) => delta)
    expect(text.join("")).toBe("Ninety days [1].")
    // A link is made when it is shown, and ends a day later.
    const withoutLinks = (items: unknown) => JSON.stringify(items).replace(/"url":"[^"]*"/g, "")
    const items = events.filter(({ type }) => type === "response.output_item.done").map(({ item }) => item)
    expect(withoutLinks(items)).toBe(withoutLinks(last.output))
    const {
      output: [search, message],
    } = (await client.get(`/responses/${last.id}?include[]=file_search_call.results`)).body
    expect([search.id, message.id]).toEqual(last.output.map(({ id }: any) => id))
  })
})

describe("a kept stream", () => {
  const again = async (id: string, after?: number) =>
    eventsIn(
      await client.raw("GET", `/responses/${id}?stream=true${after === undefined ? "" : `&starting_after=${after}`}`),
    )

  test("comes again from its beginning or from behind an event, while it is written and after", async () => {
    const held = Promise.withResolvers<void>()
    talk.scenes.add("again", { pieces: ["It", " goes", " on"], held: held.promise, holdAfter: 1 })
    const first = stream({ input: "case-again" })
    const begun = await until(async () => {
      const { data } = (await talk.api.get("/conversations?q=case-again")).body
      return data[0] && (await talk.stored(data[0].conversation_id)).messages[1]?.content === "It" && data[0]
    })
    expect(begun.title).toBe("case-again")
    held.resolve()
    const events = await first
    const { id } = events[0]!.response
    expect(await again(id)).toEqual(events)
    expect(await again(id, 4)).toEqual(events.slice(5))
    expect(await again(id, 1_000)).toEqual(events.slice(-1))
  })

  test("of one that has long ended comes with its text in one piece", async () => {
    const { body } = await respond({ input: "Before the restart" })
    await talk.app.restart()
    const events = await again(body.id)
    expect(events.map(({ type }) => type)).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.completed",
    ])
    expect(events.at(-1)!.response).toEqual(body)
  })
})

describe("in the background", () => {
  test("an answer is written though nobody waits", async () => {
    const held = Promise.withResolvers<void>()
    talk.scenes.add("held", { text: "It took a while.", held: held.promise })
    const begun = await respond({ input: "case-held", background: true })
    expect(begun.body).toMatchObject({ status: "in_progress", background: true, output: [], usage: null })
    expect((await client.get(`/responses/${begun.body.id}`)).body.status).toBe("in_progress")
    const busy = await respond({ input: "more", previous_response_id: begun.body.id })
    expect([busy.status, busy.body.error.code]).toEqual([409, "conversation_busy"])
    held.resolve()
    const done = await until(async () => {
      const { body } = await client.get(`/responses/${begun.body.id}`)
      return body.status !== "in_progress" && body
    })
    expect([done.status, textIn({ body: done })]).toEqual(["completed", "It took a while."])
  })

  test("one that is stopped keeps what it has", async () => {
    talk.scenes.add("stopped", { pieces: ["It goes", " on"], hangAfter: 2 })
    const begun = await respond({ input: "case-stopped", background: true })
    await until(async () => (await talk.stored(begun.body.conversation.id)).messages[1]?.content === "It goes on")
    const { body } = await client.post(`/responses/${begun.body.id}/cancel`)
    expect([body.status, textIn({ body })]).toEqual(["cancelled", "It goes on"])
    expect((await client.post(`/responses/${begun.body.id}/cancel`)).body).toEqual(body)
  })

  test("a client that leaves a kept stream loses nothing; one that leaves another stops the model", async () => {
    const held = Promise.withResolvers<void>()
    talk.scenes.add("left", { pieces: ["It", " goes", " on"], held: held.promise, holdAfter: 1 })
    const events = await stream({ input: "case-left" }, ({ type }) => type === "response.output_text.delta")
    held.resolve()
    const { id } = events[0]!.response
    const done = await until(async () => {
      const { body } = await client.get(`/responses/${id}`)
      return body.status === "completed" && body
    })
    expect(textIn({ body: done })).toBe("It goes on")
    talk.scenes.add("gone", { pieces: ["It", " goes"], hangAfter: 1 })
    await stream({ input: "case-gone", store: false }, ({ type }) => type === "response.output_text.delta")
    await until(() => talk.ollama.server.open === 0)
  })
})

test("a deleted answer is gone with its messages, and its conversation with the last of them", async () => {
  const first = (await respond({ input: "One" })).body
  const second = (await respond({ input: "Two", previous_response_id: first.id })).body
  expect((await client.delete(`/responses/${second.id}`)).body).toEqual({
    id: second.id,
    object: "response",
    deleted: true,
  })
  expect((await client.get(`/responses/${second.id}`)).status).toBe(404)
  expect((await talk.stored(first.conversation.id)).messages.map(({ content }: any) => content)).toEqual([
    "One",
    "Hello from the model.",
  ])
  await client.delete(`/responses/${first.id}`)
  expect((await talk.api.get(`/conversations/${first.conversation.id}`)).status).toBe(404)
  const third = (await respond({ input: "Three" })).body
  await talk.api.delete(`/conversations/${third.conversation.id}`)
  expect((await client.get(`/responses/${third.id}`)).status).toBe(404)
})

test("under redaction neither the model nor the store sees what is private, and a chain with calls goes on", async () => {
  const CARD = "4111 1111 1111 1111"
  const tools = [
    { type: "function", name: "pay", parameters: { type: "object", properties: { card: { type: "string" } } } },
  ]
  talk.scenes.add("card", (_, count) =>
    count === 0 ? { tools: [{ name: "pay", arguments: { card: CARD } }] } : { text: `Paid with ${CARD}.` },
  )
  const carrel = { redaction: true }
  const first = (await respond({ input: `case-card Pay with ${CARD}`, tools, carrel, instructions: `Use ${CARD}` }))
    .body
  const { call_id } = first.output[0]
  const output = { type: "function_call_output", call_id, output: `paid ${CARD}` }
  const second = await respond({ input: [output], tools, carrel, previous_response_id: first.id })
  expect([second.status, textIn(second)]).toEqual([200, "Paid with [REDACTED_CREDIT_CARD]."])
  const seen = [talk.scenes.got("card"), first, second.body, await talk.stored(first.conversation.id)]
  expect(JSON.stringify(seen)).not.toContain("1111 1111")
  expect(JSON.stringify((await client.get(`/responses/${first.id}`)).body)).not.toContain("1111 1111")
})

describe("what is wrong is refused and named", () => {
  const call = { type: "function_call", call_id: "c", name: "f", arguments: "{}" }
  const wrong: [string, object, number, string | null][] = [
    ["no input", {}, 400, "input"],
    ["an empty list", { input: [] }, 400, "input"],
    ["an item of another type", { input: [{ type: "item_reference", id: "msg_1" }] }, 400, "input.0.type"],
    ["a message without a role", { input: [{ content: "a" }] }, 400, "input.0.role"],
    ["a message without content", { input: [{ role: "user" }] }, 400, "input.0.content"],
    [
      "a part of another type",
      { input: [{ role: "user", content: [{ type: "input_audio" }] }] },
      400,
      "input.0.content.0.type",
    ],
    [
      "a file's bytes",
      { input: [{ role: "user", content: [{ type: "input_file", file_data: "x" }] }] },
      400,
      "input.0.content.0.file_data",
    ],
    [
      "a file's address",
      { input: [{ role: "user", content: [{ type: "input_file", file_url: "http://x" }] }] },
      400,
      "input.0.content.0.file_url",
    ],
    [
      "a picture's address",
      { input: [{ role: "user", content: [{ type: "input_image", image_url: "http://x" }] }] },
      400,
      "input.0.content.0.image_url",
    ],
    ["arguments that are no JSON", { input: [{ ...call, arguments: "{" }] }, 400, "input.0.arguments"],
    [
      "a result without its call",
      { input: [{ type: "function_call_output", call_id: "x", output: "a" }] },
      400,
      "input.0",
    ],
    ["a call without its result", { input: [{ role: "user", content: "a" }, call] }, 400, "input.1"],
    ["another tool", { input: "a", tools: [{ type: "web_search" }] }, 400, "tools.0.type"],
    ["a function without a name", { input: "a", tools: [{ type: "function" }] }, 400, "tools.0.name"],
    ["a search without stores", { input: "a", tools: [{ type: "file_search" }] }, 400, "tools.0.vector_store_ids"],
    [
      "an unknown store",
      { input: "a", tools: [{ type: "file_search", vector_store_ids: ["vs_none"] }] },
      404,
      "tools.0.vector_store_ids",
    ],
    ["an unknown model", { input: "a", model: "ollama/none" }, 404, "model"],
    ["an unknown file", { input: [{ role: "user", content: [{ type: "input_file", file_id: "file_x" }] }] }, 404, null],
    ["an unknown previous answer", { input: "a", previous_response_id: "resp_none" }, 404, null],
    ["the same where nothing is kept", { input: "a", previous_response_id: "resp_none", store: false }, 404, null],
    [
      "a function to choose that there is not",
      { input: "a", tool_choice: { type: "function", name: "f" } },
      400,
      "tool_choice.name",
    ],
    ["the background without a store", { input: "a", background: true, store: false }, 400, "background"],
    ["a conversation", { input: "a", conversation: "conv_1" }, 400, "conversation"],
    ["a stored prompt", { input: "a", prompt: { id: "p" } }, 400, "prompt"],
    [
      "a filter without a search",
      { input: "a", carrel: { filter: { type: "exists", key: "a", value: true } } },
      400,
      "carrel.filter",
    ],
    ["a temperature of 3", { input: "a", temperature: 3 }, 400, "temperature"],
  ]
  for (const [name, body, status, param] of wrong)
    test(name, async () => {
      const before = (await talk.api.get("/conversations")).body.pagination.total_items
      const answer = await respond(body)
      expect([answer.status, answer.body.error?.param]).toEqual([status, param])
      expect(Object.keys(answer.body.error).sort()).toEqual(["code", "message", "param", "request_id", "type"])
      expect((await talk.api.get("/conversations")).body.pagination.total_items).toBe(before)
    })

  test("a place counts the request's own input, whatever stands before it", async () => {
    const { id } = (await respond({ input: "One" })).body
    const output = { type: "function_call_output", call_id: "x", output: "a" }
    const image_url = `data:image/png;base64,${Buffer.from("png").toString("base64")}`
    const picture = { role: "user", content: [{ type: "input_image", image_url }] }
    const params = async (more: object) => {
      const asked = { instructions: "Be brief.", previous_response_id: id, ...more }
      const answers = [await respond({ ...asked, input: [output] }), await respond({ ...asked, input: [picture] })]
      return answers.map(({ body }) => body.error?.param)
    }
    expect(await params({})).toEqual(["input.0", "input.0.content"])
    expect(await params({ store: false })).toEqual(["input.0", "input.0.content"])
  })

  test("a picture for a model that sees none", async () => {
    const image_url = `data:image/png;base64,${Buffer.from("png").toString("base64")}`
    const input = [{ role: "user", content: [{ type: "input_image", image_url }] }]
    expect(QWEN.capabilities).not.toContain("vision")
    expect((await respond({ input })).body.error).toMatchObject({ param: "input.0.content" })
  })
})

test("another workspace's answer is 404, wherever it is named", async () => {
  const { id } = (await respond({ input: "Mine" })).body
  for (const [method, path, body] of [
    ["GET", `/responses/${id}`],
    ["GET", `/responses/${id}?stream=true`],
    ["DELETE", `/responses/${id}`],
    ["POST", `/responses/${id}/cancel`],
    ["POST", "/responses", { model: MODEL, input: "a", previous_response_id: id }],
    ["POST", "/responses", { model: MODEL, input: "a", previous_response_id: id, store: false }],
  ] as const) {
    const answer = await stranger.send(method, path, body)
    expect([method, path, answer.status, answer.body.error?.code]).toEqual([method, path, 404, "not_found"])
  }
  expect((await client.get(`/responses/${id}`)).status).toBe(200)
})

test("an end user is kept with the conversation, and its token sees it alone", async () => {
  const token = async (end_user: string) => (await talk.api.post("/tokens", { end_user })).body.token
  const [ada, bob] = [await token("ada"), await token("bob")]
  const as = (given: string, method: string, path: string, body?: object) =>
    fetch(`${talk.app.url}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${given}`, "content-type": "application/json" },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
  const made = (await (await as(ada, "POST", "/responses", { model: MODEL, input: "Hello" })).json()) as any
  expect((await talk.stored(made.conversation.id)).end_user).toBe("ada")
  expect((await as(ada, "GET", `/responses/${made.id}`)).status).toBe(200)
  expect((await as(bob, "GET", `/responses/${made.id}`)).status).toBe(404)
  const other = await as(bob, "POST", "/responses", { model: MODEL, input: "Hello", user: "ada" })
  expect(other.status).toBe(403)
  const named = (await respond({ input: "Hello", user: "carol" })).body
  expect([named.user, (await talk.stored(named.conversation.id)).end_user]).toEqual(["carol", "carol"])
})
