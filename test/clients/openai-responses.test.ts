/** Responses with OpenAI's own clients, of npm and of Python. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { MODEL, startTalk, type Talk } from "../support/talk.ts"
import { npmClients, npmPackage, python, runPython } from "./installed.ts"

const LEASE = "The tenant of the boathouse may end the lease with a notice of ninety days."

let talk: Talk
let token: string
let store: string
let fileId: string
beforeAll(async () => {
  talk = await startTalk()
  token = talk.api.key.token
  const [file] = await talk.api.index([{ name: "lease.txt", data: LEASE }], { context_id: "leases" })
  fileId = file.id
  store = "vs_leases"
  talk.scenes.add("lease", { text: "Ninety days [1]." })
  const call = { tools: [{ name: "weather", arguments: { city: "Bergen" } }] }
  for (const name of ["npmcall", "pycall"])
    talk.scenes.add(name, (_, count) => (count === 0 ? call : { text: "It rains." }))
  talk.scenes.add("form", { text: '{"days":90}' })
})
afterAll(() => talk.stop())

const SCHEMA = {
  type: "object",
  properties: { days: { type: "integer" } },
  required: ["days"],
  additionalProperties: false,
}

describe.skipIf(!npmClients)("the npm client", () => {
  // biome-ignore lint/suspicious/noExplicitAny: its types are not there
  let openai: any
  // biome-ignore lint/suspicious/noExplicitAny: the same
  let loaded: any
  beforeAll(async () => {
    loaded = await npmPackage("openai")
    openai = new loaded.OpenAI({ apiKey: token, baseURL: `${talk.app.url}/v1`, maxRetries: 0 })
  })
  const search = () => [{ type: "file_search", vector_store_ids: [store], max_num_results: 3 }]

  test("is answered, asks again, goes on, and deletes", async () => {
    const first = await openai.responses.create({ model: MODEL, input: "Who are you?" })
    expect(first.output_text).toBe("Hello from the model.")
    const again = await openai.responses.retrieve(first.id)
    expect(again.output_text).toBe(first.output_text)
    const second = await openai.responses.create({ model: MODEL, input: "And now?", previous_response_id: first.id })
    expect(second.previous_response_id).toBe(first.id)
    await openai.responses.delete(first.id)
    const gone = await openai.responses.retrieve(first.id).catch((error: unknown) => error)
    expect(gone).toBeInstanceOf(loaded.NotFoundError)
  })

  test("streams an answer from a store, whose events make the same response", async () => {
    const include = ["file_search_call.results"]
    const stream = openai.responses.stream({ model: MODEL, input: "case-lease notice?", tools: search(), include })
    const seen: string[] = []
    stream.on("response.output_text.delta", ({ snapshot }: { snapshot: string }) => seen.push(snapshot))
    const response = await stream.finalResponse()
    expect(seen.at(-1)).toBe("Ninety days [1].")
    expect(response.status).toBe("completed")
    const [found, message] = response.output
    expect(found.results[0]).toMatchObject({ file_id: fileId, filename: "lease.txt", text: LEASE })
    const [annotation] = message.content[0].annotations
    expect(annotation).toMatchObject({ type: "file_citation", file_id: fileId, filename: "lease.txt" })
    expect(annotation.url).toContain(`/view/${fileId}`)
    const stored = await openai.responses.retrieve(response.id, { include })
    expect(stored.output.map(({ id }: { id: string }) => id)).toEqual(
      response.output.map(({ id }: { id: string }) => id),
    )
    expect(stored.output[0].results.length).toBe(1)
  })

  test("reads every event of a plain stream, in order", async () => {
    const types: string[] = []
    let last = -1
    const events = await openai.responses.create({ model: MODEL, input: "case-lease?", tools: search(), stream: true })
    for await (const { type, sequence_number } of events) {
      expect(sequence_number).toBe(++last)
      if (type !== types.at(-1)) types.push(type)
    }
    expect([types[0], types.at(-1)]).toEqual(["response.created", "response.completed"])
    expect(types).toContain("response.output_text.annotation.added")
  })

  test("carries out a function and parses a form", async () => {
    const tools = [{ type: "function", name: "weather", parameters: { type: "object", properties: {} }, strict: false }]
    const first = await openai.responses.create({ model: MODEL, input: "case-npmcall", tools })
    const call = first.output.find(({ type }: { type: string }) => type === "function_call")
    const output = { type: "function_call_output", call_id: call.call_id, output: "rain" }
    const whole = await openai.responses.create({
      model: MODEL,
      tools,
      store: false,
      input: [{ role: "user", content: "case-npmcall" }, ...first.output, output],
    })
    expect(whole.output_text).toBe("It rains.")
    const next = await openai.responses.create({ model: MODEL, tools, input: [output], previous_response_id: first.id })
    expect(next.output_text).toBe("It rains.")
    const format = { type: "json_schema", name: "notice", schema: SCHEMA, strict: true }
    const parsed = await openai.responses.parse({ model: MODEL, input: "case-form", text: { format } })
    expect(JSON.parse(parsed.output_text)).toEqual({ days: 90 })
  })

  test("polls an answer in the background, and stops another", async () => {
    let response = await openai.responses.create({ model: MODEL, input: "Hello", background: true })
    while (response.status === "queued" || response.status === "in_progress") {
      await Bun.sleep(20)
      response = await openai.responses.retrieve(response.id)
    }
    expect(response.output_text).toBe("Hello from the model.")
    const followed = await openai.responses.stream({ response_id: response.id, starting_after: 3 }).finalResponse()
    expect(followed.output_text).toBe("Hello from the model.")
    talk.scenes.add("hangs", { pieces: ["It"], hangAfter: 1 })
    const hanging = await openai.responses.create({ model: MODEL, input: "case-hangs", background: true })
    expect((await openai.responses.cancel(hanging.id)).status).toBe("cancelled")
  })
})

test.skipIf(!python)(
  "the Python client does the same",
  async () => {
    const settings = { BASE_URL: `${talk.app.url}/v1`, TOKEN: token, MODEL, STORE: store }
    expect(await runPython("responses.py", settings)).toEqual({
      text: "Hello from the model.",
      again: "Hello from the model.",
      streamed: "Ninety days [1].",
      cited: "lease.txt",
      found: LEASE,
      called: { city: "Bergen" },
      result: "It rains.",
      parsed: 90,
      background: "completed",
      missing: [404, "not_found"],
    })
  },
  60_000,
)
