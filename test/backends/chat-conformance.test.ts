/** What every chat backend over HTTP keeps, whatever its server's protocol, with servers that answer as they are told. */
import { afterAll, describe, expect, test } from "bun:test"
import type { ChatBackend, ChatPiece, ChatRequest } from "../../src/backends/backend.ts"
import { ModelQueue } from "../../src/backends/model-queue.ts"
import { OllamaChat } from "../../src/backends/ollama.ts"
import { OpenAiChat } from "../../src/backends/openai.ts"
import { SilenceWatch } from "../../src/backends/silence-watch.ts"
import { readArguments, readLineBatches } from "../../src/backends/wire.ts"
import { AppError } from "../../src/errors.ts"
import type { ModelServer } from "../support/model-server.ts"
import { startOllama } from "../support/ollama.ts"
import { startOpenAi } from "../support/openai.ts"
import { rejection } from "../support/rejection.ts"
import { unguarded } from "../support/unguarded.ts"
import { until } from "../support/until.ts"
import { chatConformance } from "./chat-conformance.ts"

const queue = new ModelQueue({ parallel: 2, waiting: 1 })
/** Long, for a process that is kept from the processor for a while takes it for the silence of its server. */
const SILENCE_MS = 3_000
const ollama = await startOllama()
const openai = await startOpenAi()

const backends: { name: string; server: ModelServer; model: string; backend: ChatBackend }[] = [
  {
    name: "ollama",
    server: ollama.server,
    model: "qwen3:8b",
    backend: new OllamaChat({
      host: ollama.server.url,
      keepAlive: "",
      silenceMs: SILENCE_MS,
      queue,
      allowRemoteModels: false,
    }),
  },
  {
    name: "openai",
    server: openai,
    model: "mistral-7b",
    backend: new OpenAiChat({
      baseUrl: `${openai.url}/v1`,
      apiKey: "",
      contextTokens: 8_192,
      silenceMs: SILENCE_MS,
      queue,
      allowRemoteModels: false,
    }),
  },
]

afterAll(() => {
  ollama.server.stop()
  openai.stop()
})

for (const { name, server, model, backend } of backends) {
  const refusal = { status: 400, error: "the prompt exceeds the context length" }
  chatConformance(name, async () => {
    server.scenes.add("greet", ({ model: asked }) =>
      asked === model
        ? { text: "Paris, of course." }
        : { status: 404, error: `model '${asked}' not found, try pulling it first` },
    )
    server.scenes.add("count", request => {
      const cut = request.max_tokens ?? request.options?.num_predict
      return cut === 8 ? { text: "one two three", reason: "length" } : { text: "one two three four", hangAfter: 3 }
    })
    server.scenes.add("city", { text: '{"city": "Paris"}' })
    server.scenes.add("long", refusal)
    return { backend, model, contextTokens: 4_096 }
  })
}

const join = (pieces: ChatPiece[], type: "text" | "thinking"): string =>
  pieces.map(piece => (piece.type === type ? piece.text : "")).join("")

describe.each(backends)("$name", ({ server, model, backend }) => {
  const ask = (scene: string, more: Partial<ChatRequest> = {}) =>
    backend.chat(
      unguarded({
        model,
        turns: [{ role: "user", content: `case-${scene}` }],
        options: {},
        signal: new AbortController().signal,
        ...more,
      }),
    )
  const failure = async (scene: string) => {
    const pieces: ChatPiece[] = []
    try {
      for await (const piece of ask(scene)) pieces.push(piece)
    } catch (error) {
      return { error: error as AppError, text: join(pieces, "text") }
    }
    throw new Error("did not fail")
  }

  test("lists its models as available with their window", async () => {
    const info = (await backend.list()).find(({ value }) => value === `${backend.provider}/${model}`)
    expect(info).toMatchObject({ status: "ready", statusReason: null, local: true })
    expect(info!.contextLength).toBeGreaterThan(1_000)
  })

  test("relays the text piece by piece and ends once, with usage", async () => {
    server.scenes.add("plain", { pieces: ["One", " two", " three."], promptTokens: 17 })
    const pieces = await Array.fromAsync(ask("plain"))
    expect(pieces.filter(({ type }) => type === "text")).toHaveLength(3)
    expect(join(pieces, "text")).toBe("One two three.")
    expect(pieces.filter(({ type }) => type === "end")).toEqual([
      { type: "end", reason: "stop", usage: { promptTokens: 17, completionTokens: 3 } },
    ])
    expect(pieces.at(-1)?.type).toBe("end")
  })

  test("says when the answer was cut by its length", async () => {
    server.scenes.add("length", { text: "Half an", reason: "length" })
    expect((await Array.fromAsync(ask("length"))).at(-1)).toMatchObject({ type: "end", reason: "length" })
  })

  test("understands a stream cut anywhere, inside lines and characters", async () => {
    server.scenes.add("chunks", { text: "Größe: 日本語 🙂 fine", chunkBytes: 3 })
    expect(join(await Array.fromAsync(ask("chunks")), "text")).toBe("Größe: 日本語 🙂 fine")
  })

  test("keeps thoughts apart, in their own field and inline", async () => {
    server.scenes.add("think", { thinking: "hmm well", text: "Seven." })
    const own = await Array.fromAsync(ask("think", { thinking: true }))
    expect([join(own, "thinking"), join(own, "text")]).toEqual(["hmm well", "Seven."])
    server.scenes.add("inline", { pieces: ["<th", "ink>se", "cret</thi", "nk>", "\n\nIt is", " 3 < 4."] })
    const inline = await Array.fromAsync(ask("inline"))
    expect([join(inline, "thinking"), join(inline, "text")]).toEqual(["secret", "It is 3 < 4."])
  })

  test("passes options, tools, schema and earlier calls on, and reads calls", async () => {
    server.scenes.add("tools", { tools: [{ name: "lookup", arguments: { query: "rent", n: 2 } }] })
    const tool = { name: "lookup", description: "finds", parameters: { type: "object" } }
    const pieces = await Array.fromAsync(
      ask("tools", {
        turns: [
          { role: "system", content: "Be brief." },
          { role: "user", content: "case-tools" },
          { role: "assistant", content: "", toolCalls: [{ id: "c1", name: "lookup", arguments: { query: "x" } }] },
          { role: "tool", content: "nothing", toolCallId: "c1", name: "lookup" },
        ],
        options: { temperature: 0.1, seed: 4, stop: ["END"] },
        tools: [tool],
        responseFormat: { type: "object" },
      }),
    )
    const call = pieces.find(piece => piece.type === "tool_call")
    expect(call).toMatchObject({ call: { name: "lookup", arguments: { query: "rent", n: 2 } } })
    const [request] = server.scenes.got("tools")
    expect(request.messages.map((message: { role: string }) => message.role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
    ])
    expect(request.tools[0].function.name).toBe("lookup")
    expect(JSON.stringify(request)).toContain('"temperature":0.1')
    expect(JSON.stringify(request)).toContain('"stop":["END"]')
    expect(request.format ?? request.response_format.json_schema.schema).toEqual({ type: "object" })
  })

  test.each([
    [
      "status 500 with the server's words",
      "e500",
      { status: 500, error: "runner stopped" },
      "model_error",
      "runner stopped",
      "",
    ],
    ["an unknown model", "e404", { status: 404, error: "model not found" }, "model_not_found", "model not found", ""],
    [
      "an error in the middle",
      "emid",
      { pieces: ["a ", "b "], errorAfter: 2, error: "out of memory" },
      "model_error",
      "out of memory",
      "a b ",
    ],
    ["a stream that ends too early", "eend", { pieces: ["a ", "b "], endAfter: 2 }, "model_error", "", "a b "],
    ["a connection that is reset", "ereset", { pieces: ["a "], delayMs: 30, resetAfter: 1 }, "model_error", "", "a "],
    [
      "a server that falls silent",
      "esilent",
      { pieces: ["a "], hangAfter: 1 },
      "model_error",
      "--model-silence-seconds",
      "a ",
    ],
    ["a server that never answers", "ehang", { hang: true }, "model_error", "--model-silence-seconds", ""],
    ["something that is not JSON", "egarbage", { pieces: ["a "], garbageAfter: 1 }, "model_error", "bad gateway", "a "],
    [
      "a prompt beyond the window",
      "elong",
      { status: 400, error: "the prompt exceeds the context length" },
      "model_error",
      "context length",
      "",
    ],
  ] as const)("%s", async (_, scene, turn, code, hint, text) => {
    server.scenes.add(scene, { ...turn, pieces: "pieces" in turn ? [...turn.pieces] : [] })
    const failed = await failure(scene)
    expect(failed.error).toBeInstanceOf(AppError)
    expect(failed.error.code).toBe(code)
    expect(failed.error.hint).toContain(hint)
    expect(failed.text).toBe(text)
  })

  test("a busy server is asked again", async () => {
    server.scenes.add("busy", (_, count) => (count < 2 ? { status: 503, error: "server busy" } : { text: "Now." }))
    const before = server.scenes.got("busy").length
    const pieces = await Array.fromAsync(ask("busy"))
    expect(join(pieces, "text")).toBe("Now.")
    expect(server.scenes.got("busy").length - before).toBe(3)
    expect(pieces.some(piece => piece.type === "waiting" && piece.phase === "queued")).toBe(true)
  })

  test("an abort closes the request at once, before and while the model writes", async () => {
    server.scenes.add("abort", { text: "a b c d e f g h i j", hangAfter: 3 })
    server.scenes.add("abortearly", { hang: true })
    for (const scene of ["abort", "abortearly"]) {
      const stop = new AbortController()
      const reading = (async () => {
        for await (const { type } of ask(scene, { signal: stop.signal })) if (type === "text") stop.abort("enough")
      })()
      if (scene === "abortearly") void until(() => server.open === 1).then(() => stop.abort("enough"))
      expect(await rejection(reading)).toBe("enough")
      await until(() => server.open === 0)
    }
  })

  test("leaving the stream early closes the request", async () => {
    server.scenes.add("leave", { text: "a b c d e f g h i j", hangAfter: 3 })
    for await (const piece of ask("leave")) if (piece.type === "text") break
    await until(() => server.open === 0)
  })

  test("calls beyond the bound wait with their position, and beyond that are refused", async () => {
    const { promise: held, resolve: goOn } = Promise.withResolvers<void>()
    server.scenes.add("line", { text: "done", held })
    const running = [Array.fromAsync(ask("line")), Array.fromAsync(ask("line"))]
    const waiting = Array.fromAsync(ask("line"))
    await until(() => server.open === 2)
    expect(await rejection(Array.fromAsync(ask("line")))).toMatchObject({ code: "overloaded" })
    goOn()
    expect(await waiting).toContainEqual(
      expect.objectContaining({ type: "waiting", phase: "queued", detail: expect.stringContaining("position 1") }),
    )
    await Promise.all(running)
    expect(join(await Array.fromAsync(ask("line")), "text")).toBe("done")
  })

  test("calls made at the same time do not mix", async () => {
    server.scenes.add("mixa", { text: "alpha alpha alpha", delayMs: 5 })
    server.scenes.add("mixb", { text: "beta beta beta", delayMs: 5 })
    const [a, b] = await Promise.all([Array.fromAsync(ask("mixa")), Array.fromAsync(ask("mixb"))])
    expect([join(a, "text"), join(b, "text")]).toEqual(["alpha alpha alpha", "beta beta beta"])
  })
})

describe("a server such as llama-cpp-python's", () => {
  const { backend, model } = backends[1]!
  const ask = (scene: string, more: Partial<ChatRequest> = {}) =>
    Array.fromAsync(
      backend.chat(
        unguarded({
          model,
          turns: [{ role: "user", content: `case-${scene}` }],
          options: {},
          signal: new AbortController().signal,
          ...more,
        }),
      ),
    )

  test("that refuses a prompt with an empty stream is asked for the reason", async () => {
    const error = "This model's maximum context length is 2048 tokens. However, you requested 3015 tokens."
    openai.scenes.add("silent", { status: 400, error, emptyStream: true })
    expect(await rejection(ask("silent"))).toMatchObject({
      message: "the prompt is longer than the model's context window",
      hint: expect.stringContaining("2048 tokens"),
    })
    expect(openai.scenes.got("silent").map(({ stream, max_tokens }) => [stream, max_tokens])).toEqual([
      [true, undefined],
      [false, 1],
    ])
  })

  test("whose empty stream has no reason has ended too early", async () => {
    openai.scenes.add("mute", { text: "Well.", emptyStream: true })
    expect(await rejection(ask("mute"))).toMatchObject({ message: expect.stringContaining("before it was complete") })
  })

  test("that counts no tokens has one counted for each piece of the answer", async () => {
    openai.scenes.add("uncounted", { pieces: ["a", " b", " c"], uncounted: true })
    expect((await ask("uncounted")).at(-1)).toMatchObject({ usage: { promptTokens: 0, completionTokens: 3 } })
  })

  test("that knows no schemas but within JSON objects gets them there, and later ones at once", async () => {
    const error = "1 validation error: ('body', 'response_format', 'type'): Input should be 'text' or 'json_object'"
    openai.scenes.add("older", request =>
      request.response_format?.type === "json_schema" ? { status: 500, error } : { text: "{}" },
    )
    const responseFormat = { type: "object" }
    for (let asked = 0; asked < 2; asked++) expect(join(await ask("older", { responseFormat }), "text")).toBe("{}")
    const older = { type: "json_object", schema: responseFormat }
    expect(openai.scenes.got("older").map(({ response_format }) => response_format)).toEqual([
      { type: "json_schema", json_schema: { name: "answer", schema: responseFormat, strict: true } },
      older,
      older,
    ])
  })
})

test("entries of a list of calls that are not calls are left out, and null is not an answer", async () => {
  const bodies: Record<string, string> = {
    "ollama calls": '{"message":{"content":"a","tool_calls":[null,{"function":null}]}}\n{"done":true}\n',
    "openai calls": `data: {"error":null,"choices":[{"delta":{"content":"a","tool_calls":[null]},"finish_reason":"stop"}]}\n\n`,
    "ollama null": "null\n",
    "openai null": "data: null\n\n",
  }
  const asked = async (provider: "ollama" | "openai", body: string) => {
    const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(body) })
    const url = server.url.origin
    const shared = { silenceMs: SILENCE_MS, queue, allowRemoteModels: false }
    const backend =
      provider === "ollama"
        ? new OllamaChat({ host: url, keepAlive: "", ...shared })
        : new OpenAiChat({ baseUrl: url, apiKey: "", contextTokens: 8_192, ...shared })
    try {
      return await Array.fromAsync(
        backend.chat(
          unguarded({
            model: "m",
            turns: [{ role: "user", content: "x" }],
            options: {},
            signal: new AbortController().signal,
          }),
        ),
      )
    } finally {
      await server.stop(true)
    }
  }
  for (const provider of ["ollama", "openai"] as const) {
    expect(await asked(provider, bodies[`${provider} calls`]!)).toContainEqual({ type: "text", text: "a" })
    expect(await rejection(asked(provider, bodies[`${provider} null`]!))).toMatchObject({ code: "model_error" })
  }
})

test("arguments nested too deep come as a problem of the call, and a line without an end is refused", async () => {
  const deepText = `${"[".repeat(100_000)}${"]".repeat(100_000)}`
  for (const given of [`{"a": ${deepText}}`, JSON.parse(`{"a": ${deepText}}`)]) {
    const { arguments: args, problem } = readArguments(given)
    expect(args).toEqual({})
    expect(problem).toContain("nested deeper than 64 levels")
  }
  expect(readArguments('{"a": [[1]]}')).toEqual({ arguments: { a: [[1]] } })
  const watch = new SilenceWatch(new AbortController().signal, 10_000)
  const endless = new ReadableStream({ pull: controller => controller.enqueue(new Uint8Array(100_000).fill(97)) })
  const reading = Array.fromAsync(readLineBatches(new Response(endless), watch))
  expect(await reading.catch((error: Error) => error.message)).toContain("a line of more than")
  watch.close()
})
