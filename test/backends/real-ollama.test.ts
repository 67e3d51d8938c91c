/**
 * What the stand-in promises, asked of a real Ollama server: runs where OLLAMA_HOST is set and answers, with the
 * smallest chat model that it has (or the one that CARREL_TEST_MODEL names).
 */
import { describe, expect, test } from "bun:test"
import type { ChatPiece, ChatRequest } from "../../src/backends/backend.ts"
import { ModelQueue } from "../../src/backends/model-queue.ts"
import { OllamaChat } from "../../src/backends/ollama.ts"
import { readConfig } from "../../src/config.ts"
import { rejection } from "../support/rejection.ts"
import { unguarded } from "../support/unguarded.ts"

/** A real model may have to load first, on a slow machine. */
const SLOW_MS = 300_000
const CONTEXT_TOKENS = 2_048

const host = Bun.env.OLLAMA_HOST ? readConfig([], { OLLAMA_HOST: Bun.env.OLLAMA_HOST }).config.ollama_host : ""
const backend = new OllamaChat({
  host: host || "http://127.0.0.1:9",
  keepAlive: "",
  silenceMs: SLOW_MS,
  queue: new ModelQueue({ parallel: 2, waiting: 8 }),
  allowRemoteModels: false,
})
const model = host ? await chosenModel() : undefined
console.log(
  model
    ? `real Ollama: ${model} at ${host}`
    : `real Ollama: skipped, ${host ? `no chat model at ${host}` : "OLLAMA_HOST is not set"}`,
)

async function chosenModel(): Promise<string | undefined> {
  const available = (await backend.list()).filter(({ status }) => status !== "unavailable")
  const named = available.find(({ value }) => value === `ollama/${Bun.env.CARREL_TEST_MODEL}`)
  const smallest = available.sort((a, b) => (a.sizeBytes ?? 0) - (b.sizeBytes ?? 0))[0]
  return (named ?? smallest)?.value.slice("ollama/".length)
}

function ask(content: string, more: Partial<ChatRequest> = {}): AsyncIterable<ChatPiece> {
  const request: ChatRequest = {
    model: model!,
    turns: [{ role: "user", content }],
    options: { temperature: 0, max_tokens: 200 },
    contextTokens: CONTEXT_TOKENS,
    thinking: false,
    signal: new AbortController().signal,
    ...more,
  }
  return backend.chat(unguarded(request))
}

const textOf = (pieces: ChatPiece[]): string => pieces.map(piece => (piece.type === "text" ? piece.text : "")).join("")

describe.skipIf(!model)("a real Ollama server", () => {
  test("lists the model with its window", async () => {
    const info = (await backend.list()).find(({ value }) => value === `ollama/${model}`)
    expect(info?.contextLength).toBeGreaterThan(500)
    expect(info?.capabilities).toContain("chat")
  })

  test(
    "streams text and ends once, with the counts of the server",
    async () => {
      const pieces = await Array.fromAsync(ask("Answer with the single word: hello"))
      expect(textOf(pieces).trim()).not.toBe("")
      const ends = pieces.filter(piece => piece.type === "end")
      expect(ends).toHaveLength(1)
      expect(pieces.at(-1)).toMatchObject({ type: "end" })
      expect(ends[0]!.usage.promptTokens).toBeGreaterThan(0)
      expect(ends[0]!.usage.completionTokens).toBeGreaterThan(0)
    },
    SLOW_MS,
  )

  test(
    "is loaded then, with the window that was asked for",
    async () => {
      await Array.fromAsync(ask("Say yes.", { options: { max_tokens: 4 } }))
      await backend.list(true)
      const loaded = backend.loadedContextTokens(model!)
      if (loaded !== null) expect(loaded).toBeGreaterThanOrEqual(CONTEXT_TOKENS) // older servers do not say
    },
    SLOW_MS,
  )

  test(
    "cuts at max_tokens and says so",
    async () => {
      const pieces = await Array.fromAsync(
        ask("Count from one to two hundred in words.", { options: { max_tokens: 8 } }),
      )
      expect(pieces.at(-1)).toMatchObject({ type: "end", reason: "length" })
    },
    SLOW_MS,
  )

  test(
    "keeps to a schema",
    async () => {
      const responseFormat = {
        type: "object",
        properties: { city: { type: "string" } },
        required: ["city"],
      }
      const pieces = await Array.fromAsync(ask("The capital of France, as JSON.", { responseFormat }))
      expect(JSON.parse(textOf(pieces))).toHaveProperty("city")
    },
    SLOW_MS,
  )

  test(
    "an abort ends the stream at once",
    async () => {
      const stop = new AbortController()
      const reading = (async () => {
        for await (const piece of ask("Count from one to five hundred in words.", { signal: stop.signal }))
          if (piece.type === "text") stop.abort("enough")
      })()
      expect(await rejection(reading)).toBe("enough")
    },
    SLOW_MS,
  )

  test(
    "a prompt beyond the window is refused, not cut",
    async () => {
      const long = "The harbour keeps a ledger of every boat that ties up. ".repeat(600)
      expect(await rejection(Array.fromAsync(ask(long)))).toMatchObject({ code: "model_error" })
    },
    SLOW_MS,
  )

  test("an unknown model is said, with what to do", async () => {
    const error = await rejection(Array.fromAsync(ask("hello", { model: "no-such-model:1b" })))
    expect(error).toMatchObject({ code: "model_not_found", hint: expect.stringContaining("ollama pull") })
  })
})
