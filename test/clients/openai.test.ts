/** OpenAI's own client of Node against `/v1/models`, `/v1/chat/completions` and `/v1/embeddings`. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { rejection } from "../support/rejection.ts"
import { until } from "../support/until.ts"
import { npmClients, npmPackage } from "./installed.ts"
import { type OpenDoor, startOpenDoor } from "./open.ts"

const MODEL = "openai/mistral-7b"
const ask = (content: string) => ({ model: MODEL, messages: [{ role: "user", content }] })
const QUESTION = { messages: [{ role: "user", content: "What is the notice period of the lease?" }] }
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
const WEATHER = {
  type: "function",
  function: {
    name: "weather",
    description: "Tells the weather",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
}

describe.skipIf(!npmClients)("OpenAI's client", () => {
  let door: OpenDoor
  // biome-ignore lint/suspicious/noExplicitAny: the client's types are not installed when tests are checked
  let openai: any
  // biome-ignore lint/suspicious/noExplicitAny: the same
  let OpenAI: any

  beforeAll(async () => {
    door = await startOpenDoor()
    OpenAI = (await npmPackage("openai")).default
    openai = new OpenAI({ apiKey: door.token, baseURL: door.baseUrl, maxRetries: 0 })
  }, 60_000)
  afterAll(() => door?.stop())

  /** The chunks of a stream. */
  const chunksOf = async (request: object) => {
    const chunks = []
    for await (const chunk of await openai.chat.completions.create({ ...request, stream: true })) chunks.push(chunk)
    return chunks
  }
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const textOf = (chunks: any[]): string => chunks.map(chunk => chunk.choices[0]?.delta.content ?? "").join("")

  describe("models", () => {
    test("are listed bare, with the library and with each context; then the embedding model", async () => {
      const { data } = await openai.models.list()
      const ids: string[] = data.map(({ id }: { id: string }) => id)
      for (const value of ["ollama/llama3.2:3b", MODEL, "builtin/extractive"])
        expect(ids).toEqual(expect.arrayContaining([value, `library/${value}`, `library:boats/${value}`]))
      expect(ids).toContain("carrel-embed-multi-v1")
      expect(data[0]).toMatchObject({ object: "model", owned_by: expect.any(String), created: expect.any(Number) })
    })

    test("are found by their id, whose slashes and colons the client encodes", async () => {
      const id = "library:boats/ollama/llama3.2:3b"
      expect(await openai.models.retrieve(id)).toMatchObject({ id, object: "model", owned_by: "ollama" })
    })

    test("that there are not are NotFoundError, of contexts as well", async () => {
      for (const id of ["gpt-6", "library:planes/ollama/llama3.2:3b", "library/"]) {
        const error = await rejection(openai.models.retrieve(id))
        expect(error).toBeInstanceOf(OpenAI.NotFoundError)
        expect(error).toMatchObject({ code: "model_not_found", param: "model", type: "invalid_request_error" })
      }
    })
  })

  describe("a chat", () => {
    test("is one answer with usage as the model's server counts it", async () => {
      door.openai.scenes.add("plain", { text: "Hello there.", promptTokens: 17 })
      const completion = await openai.chat.completions.create(ask("case-plain"))
      expect(completion).toMatchObject({
        object: "chat.completion",
        model: MODEL,
        choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "Hello there." } }],
        usage: { prompt_tokens: 17, completion_tokens: 2, total_tokens: 19 },
      })
    })

    test("reaches the model as it was sent, system messages and history included", async () => {
      const messages = [
        { role: "developer", content: "Be brief." },
        {
          role: "user",
          content: [
            { type: "text", text: "First." },
            { type: "text", text: "Second." },
          ],
        },
        { role: "assistant", content: "Yes." },
        { role: "user", content: "case-sent" },
      ]
      await openai.chat.completions.create({
        ...{ model: MODEL, messages, temperature: 0.3, top_p: 0.9, max_completion_tokens: 50, seed: 7, stop: "END" },
        ...{ user: "u-1", metadata: { a: "b" }, frequency_penalty: 0.5, unheard_of: { x: 1 } },
      })
      expect(door.openai.scenes.got("sent").at(-1)).toMatchObject({
        messages: [
          { role: "system", content: "Be brief." },
          { role: "user", content: "First.\nSecond." },
          { role: "assistant", content: "Yes." },
          { role: "user", content: "case-sent" },
        ],
        ...{ temperature: 0.3, top_p: 0.9, max_tokens: 50, seed: 7, stop: ["END"] },
      })
    })

    test("is streamed piece by piece, with usage where it is asked for", async () => {
      door.openai.scenes.add("streamed", { pieces: ["Ha", "lf ", "and 🙂 half"], promptTokens: 9 })
      const chunks = await chunksOf({ ...ask("case-streamed"), stream_options: { include_usage: true } })
      expect(chunks[0].choices[0].delta).toEqual({ role: "assistant", content: "" })
      expect(chunks.slice(1, 4).map(chunk => chunk.choices[0].delta.content)).toEqual(["Ha", "lf ", "and 🙂 half"])
      expect(chunks.at(-2).choices[0].finish_reason).toBe("stop")
      expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 9, total_tokens: 12 } })
      expect(chunks.slice(0, -1).every(chunk => chunk.usage === null)).toBe(true)
      expect(new Set(chunks.map(chunk => chunk.id)).size).toBe(1)
    })

    test("without stream_options has no usage in its stream", async () => {
      const chunks = await chunksOf(ask("case-none"))
      expect(chunks.some(chunk => "usage" in chunk)).toBe(false)
      expect(chunks.at(-1).choices[0].finish_reason).toBe("stop")
    })

    test("that ends at its length says so", async () => {
      door.openai.scenes.add("long", { text: "And so", reason: "length" })
      const { choices } = await openai.chat.completions.create({ ...ask("case-long"), max_tokens: 2 })
      expect(choices[0].finish_reason).toBe("length")
    })

    test("is collected by the client's own helper", async () => {
      door.openai.scenes.add("helper", { text: "All of it." })
      const stream = openai.chat.completions.stream(ask("case-helper"))
      expect((await stream.finalChatCompletion()).choices[0].message.content).toBe("All of it.")
    })

    test("with a reasoning effort shows the thoughts beside the content, without one it does not", async () => {
      door.openai.scenes.add("thinks", { thinking: "Let me see.", text: "Four." })
      const { message } = (await openai.chat.completions.create({ ...ask("case-thinks"), reasoning_effort: "low" }))
        .choices[0]
      expect(message).toMatchObject({ content: "Four.", reasoning_content: "Let me see." })
      const silent = await openai.chat.completions.create(ask("case-thinks"))
      expect(silent.choices[0].message).not.toHaveProperty("reasoning_content")
    })

    test("keeps a schema for the model's server", async () => {
      const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] }
      door.openai.scenes.add("schema", { text: '{"city": "Bergen"}' })
      const format = { type: "json_schema", json_schema: { name: "place", schema, strict: true } }
      const { choices } = await openai.chat.completions.create({ ...ask("case-schema"), response_format: format })
      expect(JSON.parse(choices[0].message.content)).toEqual({ city: "Bergen" })
      const got = door.openai.scenes.got("schema").at(-1)
      expect(got.response_format).toMatchObject({ type: "json_schema", json_schema: { schema } })
      await openai.chat.completions.create({ ...ask("case-schema"), response_format: { type: "json_object" } })
      expect(door.openai.scenes.got("schema").at(-1).response_format).toEqual({ type: "json_object" })
    })
  })

  describe("tools of the client", () => {
    test("are offered to the model, and its calls come back instead of being carried out", async () => {
      door.openai.scenes.add("calls", { tools: [{ name: "weather", arguments: { city: "Bergen" } }] })
      const request = { ...ask("case-calls"), tools: [WEATHER], tool_choice: "required", parallel_tool_calls: false }
      const { choices } = await openai.chat.completions.create(request)
      expect(choices[0]).toMatchObject({
        finish_reason: "tool_calls",
        message: {
          content: null,
          tool_calls: [{ type: "function", function: { name: "weather", arguments: '{"city":"Bergen"}' } }],
        },
      })
      const { tools, ...got } = door.openai.scenes.got("calls").at(-1)
      expect(tools).toEqual([WEATHER])
      expect(got).toMatchObject({ tool_choice: "required", parallel_tool_calls: false })
    })

    test("that must be used are named to the model's server", async () => {
      const choice = { type: "function", function: { name: "weather" } }
      await openai.chat.completions.create({ ...ask("case-chosen"), tools: [WEATHER], tool_choice: choice })
      expect(door.openai.scenes.got("chosen").at(-1).tool_choice).toEqual(choice)
    })

    test("are streamed with their index", async () => {
      const tools = [
        { name: "weather", arguments: { city: "Bergen" } },
        { name: "weather", arguments: { city: "Oslo" } },
      ]
      door.openai.scenes.add("deltas", { text: "Let me look.", tools })
      const chunks = await chunksOf({ ...ask("case-deltas"), tools: [WEATHER] })
      const calls = chunks.flatMap(chunk => chunk.choices[0]?.delta.tool_calls ?? [])
      expect(calls.map(({ index }) => index)).toEqual([0, 1])
      expect(calls[1].function).toEqual({ name: "weather", arguments: '{"city":"Oslo"}' })
      expect(chunks.at(-1).choices[0].finish_reason).toBe("tool_calls")
    })

    test("have their results read in a further request", async () => {
      door.openai.scenes.add("results", { text: "It rains." })
      const call = { id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Bergen"}' } }
      const messages = [
        { role: "user", content: "case-results" },
        { role: "assistant", content: null, tool_calls: [call] },
        { role: "tool", tool_call_id: "call_1", content: "rain" },
      ]
      const { choices } = await openai.chat.completions.create({ model: MODEL, messages, tools: [WEATHER] })
      expect(choices[0].message.content).toBe("It rains.")
      expect(door.openai.scenes.got("results").at(-1).messages.slice(1)).toEqual([
        { role: "assistant", content: "", tool_calls: [call] },
        { role: "tool", content: "rain", tool_call_id: "call_1" },
      ])
    })

    test("are carried out by the client's own runner, round by round", async () => {
      door.openai.scenes.add("runner", (_, count) =>
        count === 0 ? { tools: [{ name: "weather", arguments: { city: "Bergen" } }] } : { text: "Rain in Bergen." },
      )
      const asked: string[] = []
      const weather = async ({ city }: { city: string }) => {
        asked.push(city)
        return "rain"
      }
      const run = openai.chat.completions.runTools({
        ...ask("case-runner"),
        tools: [{ type: "function", function: { ...WEATHER.function, parse: JSON.parse, function: weather } }],
      })
      expect(await run.finalContent()).toBe("Rain in Bergen.")
      expect(asked).toEqual(["Bergen"])
    })

    test("reach Ollama too, without those that may not be called", async () => {
      door.ollama.server.scenes.add("ollama", { tools: [{ name: "weather", arguments: { city: "Bergen" } }] })
      const request = { ...ask("case-ollama"), model: "ollama/llama3.2:3b", tools: [WEATHER] }
      const { choices } = await openai.chat.completions.create(request)
      expect(choices[0].message.tool_calls[0].function).toEqual({ name: "weather", arguments: '{"city":"Bergen"}' })
      await openai.chat.completions.create({ ...request, tool_choice: "none" })
      const [first, second] = door.ollama.server.scenes.got("ollama")
      expect([first.tools.length, second.tools]).toEqual([1, undefined])
    })
  })

  describe("an answer from the library", () => {
    test("cites twice: as annotations that span its marks, and beside the choices", async () => {
      door.openai.scenes.add("cited", request => {
        const [, heron] = /\[(\d)\] heron/.exec(JSON.stringify(request.messages)) ?? []
        return { text: `🙂 In April [${heron}], they say [${heron}].` }
      })
      const { choices, carrel } = await openai.chat.completions.create({
        model: `library/${MODEL}`,
        messages: [{ role: "user", content: "When does the heron of Mjøsa nest? case-cited" }],
      })
      const { content, annotations } = choices[0].message
      expect(annotations).toHaveLength(2)
      for (const { type, url_citation: cited } of annotations) {
        expect(type).toBe("url_citation")
        expect(content.slice(cited.start_index, cited.end_index)).toMatch(/^\[\d\]$/)
        expect(cited.title).toBe("heron.txt")
        expect(cited.url).toStartWith(`${door.app.url}/view/file_`)
      }
      expect(carrel.citations).toHaveLength(1)
      expect(carrel.citations[0]).toMatchObject({ name: "heron.txt", url: annotations[0].url_citation.url })
      expect(carrel.sources.map(({ name }: { name: string }) => name)).toContain("heron.txt")
      expect(carrel).toMatchObject({ ner_count: 0, warnings: [] })
    })

    test("streamed has its annotations in the delta before the last", async () => {
      const chunks = await chunksOf({ model: "library/builtin/extractive", ...QUESTION })
      expect(textOf(chunks)).toContain("90 days")
      expect(chunks.at(-2).choices[0].delta.annotations[0].url_citation.title).toBe("lease.txt")
      expect(chunks.at(-1)).toMatchObject({
        choices: [{ finish_reason: "stop" }],
        carrel: { citations: [{ index: 1 }] },
      })
    })

    test("of one context knows nothing of the others", async () => {
      const request = {
        model: "library:boats/builtin/extractive",
        messages: [{ role: "user", content: "When does the heron nest?" }],
      }
      const { choices, carrel } = await openai.chat.completions.create(request)
      expect(choices[0].message.annotations).toEqual([])
      expect(carrel.sources.map(({ name }: { name: string }) => name)).not.toContain("heron.txt")
    })

    test("is narrowed by a filter, whose bare keys are metadata, and by files", async () => {
      const model = "library/builtin/extractive"
      const narrowed = async (carrel: object) => {
        const answer = await openai.chat.completions.create({ model, ...QUESTION, carrel })
        return answer.carrel.sources.map(({ name }: { name: string }) => name)
      }
      expect(await narrowed({ filter: { type: "eq", key: "year", value: 2024 } })).toEqual(["lease.txt"])
      expect(await narrowed({ filter: { type: "eq", key: "year", value: 2025 } })).not.toContain("lease.txt")
      const { data } = (await door.client.get("/libraries?name=heron")).body
      expect(await narrowed({ file_ids: [data[0].id] })).not.toContain("lease.txt")
    })

    test("of a bare model there is none: the model gets what was sent and nothing else", async () => {
      await openai.chat.completions.create(ask("What is the notice period of the lease? case-bare"))
      expect(door.openai.scenes.got("bare").at(-1).messages).toEqual([
        { role: "user", content: "What is the notice period of the lease? case-bare" },
      ])
    })
  })

  describe("pictures", () => {
    const picture = (url: string) => ({
      model: "ollama/llava:7b",
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "case-picture" },
            { type: "image_url", image_url: { url } },
          ],
        },
      ],
    })

    test("reach a model that sees", async () => {
      await openai.chat.completions.create(picture(`data:image/png;base64,${PIXEL}`))
      expect(door.ollama.server.scenes.got("picture").at(-1).messages[0].images).toEqual([PIXEL])
    })

    test("are refused where the model sees none, or where they would have to be fetched", async () => {
      const blind = { ...picture(`data:image/png;base64,${PIXEL}`), model: "ollama/llama3.2:3b" }
      for (const request of [blind, picture("https://example.org/a.png")]) {
        const error = await rejection(openai.chat.completions.create(request))
        expect(error).toBeInstanceOf(OpenAI.BadRequestError)
        expect((error as unknown as { param: string }).param).toStartWith("messages.0.content")
      }
    })
  })

  describe("errors", () => {
    const refused = async (request: object) =>
      (await rejection(openai.chat.completions.create({ ...ask("Hi"), ...request }))) as unknown as {
        status: number
        param: string
      }

    test("name the parameter that is not supported", async () => {
      const call = { id: "c", type: "function", function: { name: "weather", arguments: "{}" } }
      const cases: [string, object][] = [
        ["n", { n: 2 }],
        ["temperature", { temperature: 3 }],
        ["response_format.type", { response_format: { type: "xml" } }],
        ["tools.0.type", { tools: [{ type: "custom", custom: { name: "x" } }] }],
        ["tool_choice", { tools: [WEATHER], tool_choice: { type: "function", function: { name: "other" } } }],
        ["reasoning_effort", { reasoning_effort: "enormous" }],
        ["messages", { messages: [] }],
        ["messages.0.content.0.type", { messages: [{ role: "user", content: [{ type: "input_audio" }] }] }],
        ["carrel.filter", { carrel: { filter: { type: "eq", key: "year", value: 1 } } }],
        [
          "messages.1",
          {
            messages: [
              { role: "user", content: "a" },
              { role: "tool", tool_call_id: "c", content: "b" },
            ],
          },
        ],
        [
          "messages.1",
          {
            messages: [
              { role: "assistant", tool_calls: [call] },
              { role: "user", content: "b" },
            ],
          },
        ],
        ["messages.0", { messages: [{ role: "assistant", tool_calls: [call] }] }],
      ]
      for (const [param, request] of cases)
        expect([param, await refused(request)]).toMatchObject([param, { status: 400, param }])
    })

    test("of a bad filter name its place", async () => {
      const carrel = { filter: { type: "near", key: "year", value: 1 } }
      expect(await refused({ model: `library/${MODEL}`, carrel })).toMatchObject({
        status: 422,
        param: "carrel.filter.type",
      })
    })

    test("of the model's server before the first word have their status, also of a stream", async () => {
      door.openai.scenes.add("broken", { status: 500, error: "out of memory" })
      for (const stream of [false, true]) {
        const error = await rejection(openai.chat.completions.create({ ...ask("case-broken"), stream }))
        expect(error).toBeInstanceOf(OpenAI.InternalServerError)
        expect(error).toMatchObject({ status: 502, code: "model_error", type: "server_error" })
      }
    })

    test("in the middle of a stream are thrown by the client, after what came before", async () => {
      door.openai.scenes.add("middle", { pieces: ["Ha", "lf", "way"], errorAfter: 2 })
      const seen: string[] = []
      const read = async () => {
        for await (const chunk of await openai.chat.completions.create({ ...ask("case-middle"), stream: true }))
          seen.push(chunk.choices[0].delta.content ?? "")
      }
      expect(await rejection(read())).toMatchObject({ code: "model_error" })
      expect(seen.join("")).toBe("Half")
    })

    test("of wrong credentials are AuthenticationError", async () => {
      const stranger = new OpenAI({ apiKey: "cid_a.cpk_b.csk_c", baseURL: door.baseUrl, maxRetries: 0 })
      expect(await rejection(stranger.models.list())).toBeInstanceOf(OpenAI.AuthenticationError)
    })

    test("of a key without the scope are PermissionDeniedError", async () => {
      const { key } = await door.app.client("default", { scopes: ["models:read"] })
      const reader = new OpenAI({ apiKey: key.token, baseURL: door.baseUrl, maxRetries: 0 })
      expect((await reader.models.list()).data.length).toBeGreaterThan(3)
      expect(await rejection(reader.chat.completions.create(ask("Hi")))).toBeInstanceOf(OpenAI.PermissionDeniedError)
      const embedding = reader.embeddings.create({ model: "carrel-embed-multi-v1", input: "a" })
      expect(await rejection(embedding)).toBeInstanceOf(OpenAI.PermissionDeniedError)
    })
  })

  describe("a client that leaves", () => {
    test("a stream stops the model", async () => {
      door.openai.scenes.add("leaves", { pieces: ["One", "two", "three"], hangAfter: 2 })
      for await (const chunk of await openai.chat.completions.create({ ...ask("case-leaves"), stream: true }))
        if (chunk.choices[0].delta.content === "two") break
      await until(() => door.openai.open === 0)
    })

    test("before the first word stops the model, whether it waits for a stream or for all of the answer", async () => {
      door.openai.scenes.add("waits", { hang: true })
      for (const stream of [false, true]) {
        const abort = new AbortController()
        const request = { ...ask("case-waits"), stream }
        const asked = rejection(openai.chat.completions.create(request, { signal: abort.signal }))
        await until(() => door.openai.open === 1)
        abort.abort()
        await asked
        await until(() => door.openai.open === 0)
      }
    })
  })

  test("nothing of all this is stored", async () => {
    expect((await door.client.get("/conversations")).body.data).toEqual([])
  })

  describe("embeddings", () => {
    const model = "carrel-embed-multi-v1"

    test("are vectors of length 1, in base64 as the client asks for by itself and as numbers", async () => {
      const input = ["The heron nests.", "Rent is due in March."]
      const packed = await openai.embeddings.create({ model, input })
      const plain = await openai.embeddings.create({ model, input, encoding_format: "float" })
      expect(packed.data.map(({ index }: { index: number }) => index)).toEqual([0, 1])
      for (const [at, { embedding }] of plain.data.entries()) {
        expect(Math.hypot(...embedding)).toBeCloseTo(1, 4)
        expect(packed.data[at].embedding).toEqual(embedding)
      }
      expect(plain.usage.total_tokens).toBeGreaterThan(5)
      const one = await openai.embeddings.create({ model, input: input[0] })
      expect(one.data[0].embedding).toEqual(packed.data[0].embedding)
    })

    test("of 2 048 texts are all there, and of one more are refused", async () => {
      const input = Array.from({ length: 2_048 }, (_, i) => `text ${i} of a long list`)
      const { data } = await openai.embeddings.create({ model, input })
      expect(data.length).toBe(2_048)
      const [alone] = (await openai.embeddings.create({ model, input: input[2_047] })).data
      expect(data[2_047].embedding).toEqual(alone.embedding)
      const error = await rejection(openai.embeddings.create({ model, input: [...input, "more"] }))
      expect(error).toMatchObject({ status: 400, param: "input" })
    })

    test("take the model's own dimensions only, its own name, and texts only", async () => {
      const { data } = await openai.embeddings.create({ model, input: "a" })
      const dimensions = data[0].embedding.length
      await openai.embeddings.create({ model, input: "a", dimensions })
      const cases: [object, object][] = [
        [{ dimensions: dimensions + 1 }, { status: 400, param: "dimensions" }],
        [{ model: "text-embedding-3-small" }, { status: 404, param: "model" }],
        [{ input: [] }, { status: 400, param: "input" }],
        [{ input: "" }, { status: 400, param: "input" }],
        [{ input: ["a", 1] }, { status: 400, param: "input.1" }],
        [{ encoding_format: "hex" }, { status: 400, param: "encoding_format" }],
      ]
      for (const [change, expected] of cases)
        expect(await rejection(openai.embeddings.create({ model, input: "a", ...change }))).toMatchObject(expected)
    })

    test("of token ids, few or a million, are refused with the setting that helps", async () => {
      const many = Array.from({ length: 1_000_000 }, (_, i) => i % 30_000)
      for (const input of [[1, 2, 3], [[1, 2], [3]], many]) {
        const error = (await rejection(openai.embeddings.create({ model, input }))) as unknown as {
          status: number
          message: string
        }
        expect(error.status).toBe(400)
        expect(error.message).toContain("check_embedding_ctx_length=False")
      }
    })
  })
})
