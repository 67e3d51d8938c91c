/** The context window of a real server: what was asked for is in force, and the server cuts no prompt unseen. */
import { describe, expect, test } from "bun:test"
import type { ChatTurn } from "../../src/backends/backend.ts"
import { guessTokens } from "../../src/backends/guess-tokens.ts"
import { startTestApp } from "../support/app.ts"
import { dataOf, readEvents } from "../support/events.ts"
import { OLLAMA_MODELS, REAL, REAL_FLAGS } from "../support/real-models.ts"
import { rejection } from "../support/rejection.ts"
import { unguarded } from "../support/unguarded.ts"
import { ollamaAt } from "./servers.ts"

const WINDOW = 512
const SENTENCE = "The harbour keeps a ledger of every boat that ties up. "

describe("Ollama", () => {
  const backend = ollamaAt(REAL.ollama_host)

  /** Tokens of the prompt, as the server counted them. */
  async function counted(turns: ChatTurn[], contextTokens = WINDOW): Promise<number> {
    const request = { model: OLLAMA_MODELS.chat, turns, options: { max_tokens: 1 }, contextTokens }
    const pieces = await Array.fromAsync(backend.chat(unguarded({ ...request, signal: new AbortController().signal })))
    const end = pieces.at(-1)!
    return end.type === "end" ? end.usage.promptTokens : 0
  }
  const sentences = (count: number): ChatTurn[] => [{ role: "user", content: SENTENCE.repeat(count) }]

  test("loads the model with the window that was asked for, and again with another", async () => {
    for (const tokens of [384, WINDOW]) {
      await counted(sentences(1), tokens)
      await backend.list(true)
      expect(backend.loadedContextTokens(OLLAMA_MODELS.chat)).toBe(tokens)
    }
  })

  test("counts a prompt the same when it has read it before", async () => {
    expect(await counted(sentences(30))).toBe(await counted(sentences(30)))
  })

  test("reads all of a prompt that just fits, from its first word, and refuses one that just does not", async () => {
    const [one, two] = [await counted(sentences(1)), await counted(sentences(2))]
    const each = two - one
    const most = Math.floor((WINDOW - 1 - one) / each) + 1
    const needle: ChatTurn = { role: "system", content: "Pelican." }
    const beside = (await counted([needle, ...sentences(1)])) - one
    // Each sentence and the needle before them are in the count: nothing was cut.
    expect(await counted(sentences(most))).toBe(one + (most - 1) * each)
    const fewer = most - Math.ceil(beside / each)
    expect(await counted([needle, ...sentences(fewer)])).toBe(one + (fewer - 1) * each + beside)
    expect(await rejection(counted(sentences(most + 1)))).toMatchObject({
      message: "the prompt is longer than the model's context window",
    })
  })

  test("counts about as many tokens as we guess, and never many more", async () => {
    const turns = sentences(30)
    const server = await counted(turns)
    const ours = guessTokens(turns[0]!.content)
    expect(server / ours).toBeGreaterThan(0.5)
    expect(server / ours).toBeLessThan(1.2)
  })

  test("of a history too long for it, Carrel leaves out the oldest, says so, and the server cuts nothing", async () => {
    const app = await startTestApp({ ...REAL_FLAGS, "max-context-tokens": String(WINDOW) })
    try {
      const api = await app.client()
      const model = `ollama/${OLLAMA_MODELS.chat}`
      const body = {
        model,
        use_library: false,
        history: "truncate",
        options: { max_tokens: 16 },
        message: SENTENCE.repeat(10),
      }
      const first = await readEvents(await api.raw("POST", "/conversations", body))
      const id = dataOf(first, "message_started").conversation_id
      let events = first
      for (let turn = 0; turn < 5 && !dataOf(events, "warning"); turn++) {
        const response = await api.raw("POST", `/conversations/${id}`, body)
        events = await readEvents(response)
      }
      expect(dataOf(events, "warning")).toMatchObject({ code: "context_truncated" })
      const { usage } = dataOf(events, "message_completed")
      expect(usage.prompt_tokens).toBeGreaterThan(200)
      expect(usage.prompt_tokens + usage.completion_tokens).toBeLessThanOrEqual(WINDOW)
      await backend.list(true)
      expect(backend.loadedContextTokens(OLLAMA_MODELS.chat)).toBeLessThanOrEqual(WINDOW)
    } finally {
      await app.stop()
    }
  })
})
