/** Tools as real servers know them: what they say a model can do, and calls as they spell them. */
import { describe, expect, test } from "bun:test"
import type { ChatBackend, ChatPiece, ChatRequest, ChatTurn } from "../../src/backends/backend.ts"
import { LLAMA_CPP_MODELS, LLAMA_CPP_WINDOW, OLLAMA_MODELS, REAL } from "../support/real-models.ts"
import { rejection } from "../support/rejection.ts"
import { unguarded } from "../support/unguarded.ts"
import { ollamaAt, openAiAt } from "./servers.ts"

const TOOL = {
  name: "weather",
  description: "The weather in a city",
  parameters: { type: "object", properties: { city: { type: "string", maxLength: 30 } }, required: ["city"] },
}

const ask = (backend: ChatBackend, model: string, turns: ChatTurn[], more: Partial<ChatRequest> = {}) =>
  Array.fromAsync(
    backend.chat(
      unguarded({
        model,
        turns,
        options: { temperature: 0, seed: 1, max_tokens: 80 },
        contextTokens: LLAMA_CPP_WINDOW,
        tools: [TOOL],
        signal: new AbortController().signal,
        ...more,
      }),
    ),
  )
const callsOf = (pieces: ChatPiece[]) => pieces.flatMap(piece => (piece.type === "tool_call" ? [piece.call] : []))

/** A call as the template spells it: the model is too small to make one unless a grammar has it do so. */
const CALL = {
  type: "object",
  properties: { name: { type: "string", enum: [TOOL.name] }, arguments: TOOL.parameters },
  required: ["name", "arguments"],
}
const CALLED: ChatTurn[] = [
  { role: "user", content: "What is the weather in Oslo?" },
  { role: "assistant", content: "", toolCalls: [{ id: "c1", name: TOOL.name, arguments: { city: "Oslo" } }] },
  { role: "tool", content: "sunny", toolCallId: "c1", name: TOOL.name },
]
const QUESTION: ChatTurn = { role: "user", content: "What is the weather in Paris?" }

describe("Ollama", () => {
  const backend = ollamaAt(REAL.ollama_host)

  test("says of the template that declares tools that the model can call them, and not of the other", async () => {
    const models = await backend.list(true)
    const capabilities = (name: string) => models.find(({ value }) => value === `ollama/${name}`)?.capabilities
    expect(capabilities(OLLAMA_MODELS.tools)).toContain("tools")
    expect(capabilities(OLLAMA_MODELS.chat)).toEqual(["chat"])
  })

  test("reads a native call out of what the model writes", async () => {
    const pieces = await ask(backend, OLLAMA_MODELS.tools, [QUESTION], { responseFormat: CALL })
    const [call] = callsOf(pieces)
    expect(call).toMatchObject({ name: "weather", arguments: { city: expect.any(String) } })
    expect(call!.id).not.toBe("")
    expect(pieces.at(-1)).toMatchObject({ type: "end" })
  })

  test("takes calls and results of earlier turns, and answers after them", async () => {
    const pieces = await ask(backend, OLLAMA_MODELS.tools, CALLED, { toolChoice: "none" })
    expect(pieces.at(-1)).toMatchObject({ type: "end" })
  })

  test("refuses tools for a model without them, and says why", async () => {
    expect(await rejection(ask(backend, OLLAMA_MODELS.chat, [QUESTION]))).toMatchObject({
      code: "model_error",
      hint: expect.stringContaining("does not support tools"),
    })
  })
})

describe("llama.cpp's server", () => {
  const backend = openAiAt(REAL.openai_base_url)

  test("makes the call that must be made, with arguments that meet its schema", async () => {
    const pieces = await ask(backend, LLAMA_CPP_MODELS.tools, [QUESTION], { toolChoice: { name: "weather" } })
    const calls = callsOf(pieces)
    expect(calls).toHaveLength(1)
    expect(calls[0]).toMatchObject({ name: "weather", arguments: { city: expect.any(String) } })
    expect(calls[0]!.problem).toBeUndefined()
  })

  test("has no stream in which it may write or call, and fails without a word: that is an error, and not an answer", async () => {
    const asked = ask(backend, LLAMA_CPP_MODELS.tools, [QUESTION], { toolChoice: "auto" })
    expect(await rejection(asked)).toMatchObject({ code: "model_error" })
  })
})
