/** What every chat back end keeps with every server, a stand-in or a real one: only what needs no script of the answer. */
import { beforeAll, describe, expect, test } from "bun:test"
import type { ChatBackend, ChatPiece, ChatRequest } from "../../src/backends/backend.ts"
import { rejection } from "../support/rejection.ts"
import { unguarded } from "../support/unguarded.ts"
import { until } from "../support/until.ts"

export interface ChatSubject {
  backend: ChatBackend
  /** Name on the server. */
  model: string
  /** The window to ask for; no more than the server has. */
  contextTokens: number
  /** The server answers requests for a model that it does not have with one that it has. */
  answersForAny?: boolean
}

/**
 * What is asked, by the name of the scene in which a stand-in answers. A real model answers as it likes: what is checked
 * holds for any answer.
 */
export const QUESTIONS = {
  greet: "Answer with one short sentence: what is the capital of France?",
  count: "Count from one to five hundred in words.",
  city: "The capital of France, as JSON.",
} as const

export const CITY_SCHEMA = {
  type: "object",
  properties: { city: { type: "string", maxLength: 40 } },
  required: ["city"],
  additionalProperties: false,
}

/** More than any window of a subject holds, in words of one token and more. */
const LONG = "The harbour keeps a ledger of every boat that ties up. ".repeat(1_500)

export function chatConformance(name: string, open: () => Promise<ChatSubject>): void {
  describe(`${name} as a chat back end`, () => {
    let subject: ChatSubject

    beforeAll(async () => {
      subject = await open()
    })

    const asking = (content: string, more: Partial<ChatRequest> = {}) => {
      const { backend, model, contextTokens } = subject
      return backend.chat(
        unguarded({
          model,
          turns: [{ role: "user", content }],
          options: { temperature: 0, seed: 7, max_tokens: 64 },
          contextTokens,
          signal: new AbortController().signal,
          ...more,
        }),
      )
    }
    const ask = (scene: keyof typeof QUESTIONS, more?: Partial<ChatRequest>) =>
      asking(`${QUESTIONS[scene]} (case-${scene})`, more)
    const answer = async (scene: keyof typeof QUESTIONS, more?: Partial<ChatRequest>) =>
      Array.fromAsync(ask(scene, more))

    test("lists the model as available, with a window", async () => {
      const { backend, model } = subject
      const info = (await backend.list(true)).find(({ value }) => value === `${backend.provider}/${model}`)
      expect(info).toMatchObject({ statusReason: null, local: true })
      expect(info!.status).not.toBe("unavailable")
      expect(info!.capabilities).toContain("chat")
      expect(info!.contextLength).toBeGreaterThan(500)
    })

    test("streams text in pieces and ends once, last", async () => {
      const pieces = await answer("greet")
      expect(pieces.filter(({ type }) => type === "text").length).toBeGreaterThan(1)
      expect(textOf(pieces).trim()).not.toBe("")
      expect(pieces.filter(({ type }) => type === "end")).toHaveLength(1)
      expect(pieces.at(-1)).toMatchObject({ type: "end", reason: "stop" })
    })

    test("says when the answer was cut by max_tokens", async () => {
      const pieces = await answer("count", { options: { temperature: 0, max_tokens: 8 } })
      expect(pieces.at(-1)).toMatchObject({ type: "end", reason: "length" })
    })

    test("an answer with a schema is JSON that meets it", async () => {
      const pieces = await answer("city", { responseFormat: CITY_SCHEMA })
      const value = JSON.parse(textOf(pieces))
      expect(Object.keys(value)).toEqual(["city"])
      expect(typeof value.city).toBe("string")
    })

    test("does not begin when the signal is already aborted", async () => {
      const reason = new Error("nobody waits any more")
      expect(await rejection(answer("greet", { signal: AbortSignal.abort(reason) }))).toBe(reason)
    })

    test("an abort amid the answer ends it with the reason, and the next request is answered", async () => {
      const stop = new AbortController()
      const reading = (async () => {
        for await (const piece of ask("count", { signal: stop.signal })) if (piece.type === "text") stop.abort("enough")
      })()
      expect(await rejection(reading)).toBe("enough")
      expect((await answer("greet")).at(-1)).toMatchObject({ type: "end" })
    })

    test("leaving the stream early leaves the server to the next request", async () => {
      for await (const piece of ask("count")) if (piece.type === "text") break
      expect((await answer("greet")).at(-1)).toMatchObject({ type: "end" })
    })

    test("requests made at the same time are each answered whole", async () => {
      const both = await Promise.all([answer("greet"), answer("city", { responseFormat: CITY_SCHEMA })])
      for (const pieces of both) expect(pieces.at(-1)).toMatchObject({ type: "end", reason: "stop" })
      expect(Object.keys(JSON.parse(textOf(both[1])))).toEqual(["city"])
    })

    test("a prompt beyond the window is refused as that, and never cut", async () => {
      expect(await rejection(Array.fromAsync(asking(`${LONG} (case-long)`)))).toMatchObject({
        code: "model_error",
        message: "the prompt is longer than the model's context window",
      })
    })

    test("a model that the server does not have is not found, or answered for by another", async () => {
      const asked = answer("greet", { model: "no-such-model:1b" })
      if (subject.answersForAny) expect((await asked).at(-1)).toMatchObject({ type: "end" })
      else expect(await rejection(asked)).toMatchObject({ code: "model_not_found" })
    })

    test("the model stays in the list after all of that", async () => {
      const { backend, model } = subject
      await until(async () =>
        (await backend.list(true)).some(
          ({ value, status }) => value === `${backend.provider}/${model}` && status !== "unavailable",
        ),
      )
    })
  })
}

export const textOf = (pieces: readonly ChatPiece[]): string =>
  pieces.map(piece => (piece.type === "text" ? piece.text : "")).join("")
