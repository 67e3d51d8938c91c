/** What happens to real servers while they answer: left, killed, frozen, their model removed; and how long a model stays loaded. */
import { describe, expect, test } from "bun:test"
import { createModels } from "../../scripts/real-models/ollama.ts"
import type { ChatBackend, ChatRequest } from "../../src/backends/backend.ts"
import { startTestApp } from "../support/app.ts"
import { dataOf, readEvents } from "../support/events.ts"
import { flagsFor, LLAMA_CPP_MODELS, OLLAMA_MODELS, ownServer } from "../support/real-models.ts"
import { rejection } from "../support/rejection.ts"
import { unguarded } from "../support/unguarded.ts"
import { until } from "../support/until.ts"
import { ollamaAt, openAiAt } from "./servers.ts"

const LONG = "Count from one to five hundred in words, and do not stop."
const MODEL = `ollama/${OLLAMA_MODELS.chat}`

const ask = (backend: ChatBackend, model: string, content: string, more: Partial<ChatRequest> = {}) =>
  backend.chat(
    unguarded({
      model,
      turns: [{ role: "user", content }],
      options: { temperature: 0, max_tokens: 16 },
      contextTokens: 2_048,
      signal: new AbortController().signal,
      ...more,
    }),
  )
/** An answer that goes on for long after it began. */
const endless = (backend: ChatBackend, model: string, signal?: AbortSignal) =>
  ask(backend, model, LONG, { options: { temperature: 0, max_tokens: 1_500 }, ...(signal ? { signal } : {}) })

/** Reads until text has come, then does it, and reads on. */
async function amid(pieces: ReturnType<typeof endless>, act: () => unknown): Promise<void> {
  let began = false
  for await (const { type } of pieces)
    if (type === "text" && !began) {
      began = true
      await act()
    }
}

const ollama = await ownServer("ollama")
const llamaCpp = await ownServer("llamaCpp")

describe.each([
  { name: "ollama", server: ollama, model: OLLAMA_MODELS.chat, open: ollamaAt },
  { name: "llamaCpp", server: llamaCpp, model: LLAMA_CPP_MODELS.chat, open: openAiAt },
])("$name", ({ server, model, open }) => {
  test("stops working for an answer that nobody reads any more", async () => {
    const stop = new AbortController()
    const pieces = endless(open(server.url), model, stop.signal)
    expect(await rejection(amid(pieces, () => stop.abort("enough")))).toBe("enough")
    await until(async () => {
      const before = server.cpuSeconds()
      await Bun.sleep(500)
      return server.cpuSeconds() - before < 0.05
    })
  })

  test("killed amid an answer ends it with an error, is unavailable, and answers again once it is back", async () => {
    const backend = open(server.url)
    expect((await backend.list(true)).length).toBeGreaterThan(0)
    expect(await rejection(amid(endless(backend, model), () => server.kill()))).toMatchObject({ code: "model_error" })
    await until(async () => (await backend.list(true)).every(({ status }) => status === "unavailable"))
    expect(await rejection(Array.fromAsync(ask(backend, model, "Hello")))).toMatchObject({ code: "model_unavailable" })
    await server.startAgain()
    await until(async () => (await backend.list(true)).some(({ status }) => status !== "unavailable"))
    expect((await Array.fromAsync(ask(backend, model, "Hello"))).at(-1)).toMatchObject({ type: "end" })
  })

  test("that falls silent amid an answer is given up after the silence, and is asked again later", async () => {
    const backend = open(server.url, { silenceMs: 5_000 })
    try {
      expect(await rejection(amid(endless(backend, model), () => server.freeze()))).toMatchObject({
        code: "model_error",
        hint: expect.stringContaining("--model-silence-seconds"),
      })
    } finally {
      server.thaw()
    }
    expect((await Array.fromAsync(ask(open(server.url), model, "Hello"))).at(-1)).toMatchObject({ type: "end" })
  })
})

describe("Ollama", () => {
  const server = ollama

  const loaded = async (): Promise<{ name: string; expires_at: string }[]> => {
    const { models } = (await (await fetch(`${server.url}/api/ps`)).json()) as { models: never[] }
    return models
  }

  test("keeps a model loaded for as long as keep_alive says, or lets it go at once", async () => {
    await Array.fromAsync(ask(ollamaAt(server.url, { keepAlive: "30m" }), OLLAMA_MODELS.chat, "Hello"))
    // The server sets the time a moment after the answer's end; that of the requests before was its own, five minutes.
    const minutes = await until(async () => {
      const [model] = await loaded()
      const left = (Date.parse(model!.expires_at) - Date.now()) / 60_000
      return left > 25 && left
    })
    expect(minutes).toBeLessThan(31)
    await Array.fromAsync(ask(ollamaAt(server.url, { keepAlive: "0" }), OLLAMA_MODELS.chat, "Hello"))
    await until(async () => (await loaded()).length === 0)
  })

  test("killed amid an answer of a conversation ends it with the error, and the next turn is answered once it is back", async () => {
    const app = await startTestApp(flagsFor({ ollama_host: server.url }))
    try {
      const api = await app.client()
      const body = { model: MODEL, use_library: false, message: LONG, options: { max_tokens: 1_500 } }
      const response = await api.raw("POST", "/conversations", body)
      let killed: Promise<void> | undefined
      const events = await readEvents(response, ({ event }) => {
        if (event === "message_delta") killed ??= server.kill()
        return false
      })
      await killed
      expect(dataOf(events, "error")).toMatchObject({ error: { code: "model_error" } })
      const status = async () => (await fetch(`${app.url}/readyz`)).json()
      expect(await status()).toEqual({ status: "ready" })
      await until(async () =>
        (await api.get("/models")).body.some(
          (model: { value: string; available: boolean }) => model.value === MODEL && !model.available,
        ),
      )
      await server.startAgain()
      const id = dataOf(events, "message_started").conversation_id
      const next = { ...body, message: "Hello", options: { max_tokens: 16 } }
      const after = await until(async () => {
        const answered = await api.raw("POST", `/conversations/${id}`, next)
        if (answered.status === 200) return readEvents(answered)
        await answered.body?.cancel()
        return undefined
      })
      expect(dataOf(after, "message_completed")).toBeDefined()
    } finally {
      await app.stop()
    }
  })

  test("whose model is deleted amid an answer ends it, and the next request is told that there is no such model", async () => {
    const backend = ollamaAt(server.url)
    const remove = () =>
      fetch(`${server.url}/api/delete`, { method: "DELETE", body: JSON.stringify({ model: OLLAMA_MODELS.chat }) })
    const pieces = ask(backend, OLLAMA_MODELS.chat, LONG, { options: { temperature: 0, max_tokens: 200 } })
    const ended = await amid(pieces, remove).then(
      () => "whole",
      error => error.code,
    )
    expect(["whole", "model_error", "model_not_found"]).toContain(ended)
    expect(await rejection(Array.fromAsync(ask(backend, OLLAMA_MODELS.chat, "Hello")))).toMatchObject({
      code: "model_not_found",
      hint: expect.stringContaining("ollama pull"),
    })
    expect((await backend.list(true)).map(({ value }) => value)).not.toContain(MODEL)
    await createModels(server.url)
    expect((await Array.fromAsync(ask(backend, OLLAMA_MODELS.chat, "Hello"))).at(-1)).toMatchObject({ type: "end" })
  })
})
