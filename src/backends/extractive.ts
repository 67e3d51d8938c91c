/**
 * `builtin/extractive`: answers without a language model, by quoting the sentences of the given passages that speak
 * about the question, word for word and with their citation. Says plainly when there are none.
 */
import type { Guarded } from "../guarded.ts"
import type { ChatBackend, ChatPiece, ChatRequest, Grounding, ModelInfo } from "./backend.ts"
import { bestSentences, type Quote } from "./best-sentences.ts"

const EXTRACTIVE_MODEL = "extractive"
export const NOTHING_FOUND = "The library holds nothing that answers this."
const NOT_SEARCHED = "The library cannot be searched at present. Ask again a little later."
const NOTHING_ASKED =
  "Ask something about the files of the library: without a language model the answer is quoted from them."

export class ExtractiveChat implements ChatBackend {
  readonly provider = "builtin"

  async list(): Promise<ModelInfo[]> {
    return [
      {
        value: `builtin/${EXTRACTIVE_MODEL}`,
        label: "Quotes from the library",
        provider: "builtin",
        status: "loaded",
        statusReason: null,
        local: true,
        capabilities: ["chat"],
        contextLength: null,
        sizeBytes: null,
        checkedAt: new Date().toISOString(),
      },
    ]
  }

  async *chat(request: Guarded<ChatRequest>): AsyncGenerator<ChatPiece> {
    request.signal.throwIfAborted()
    const { grounding } = request
    const written = request.continueLast ? (request.turns.at(-1)?.content ?? "") : ""
    const quotes = grounding ? bestSentences(grounding) : []
    const text = quotes.length > 0 ? paragraphs(quotes) : withoutQuotes(grounding)
    let count = 0
    for (const piece of remaining(text, written)
      .trimEnd()
      .match(/\S+|\s+\S+/g) ?? []) {
      request.signal.throwIfAborted()
      count++
      yield { type: "text", text: piece }
    }
    const promptTokens = request.turns.reduce((sum, turn) => sum + Math.ceil(turn.content.length / 4), 0)
    yield { type: "end", reason: "stop", usage: { promptTokens, completionTokens: count } }
  }
}

const withoutQuotes = (grounding: Grounding | undefined): string =>
  !grounding ? NOTHING_ASKED : grounding.unavailable ? NOT_SEARCHED : NOTHING_FOUND

/** Sentences of one passage stand together; every one carries its number. */
function paragraphs(quotes: Quote[]): string {
  const byPassage = new Map<number, string[]>()
  for (const { index, text } of quotes) byPassage.set(index, [...(byPassage.get(index) ?? []), `${text} [${index}]`])
  return [...byPassage.values()].map(sentences => sentences.join(" ")).join("\n\n")
}

/** What is still to be said where a beginning stands already. */
function remaining(text: string, written: string): string {
  if (!written) return text
  return text.startsWith(written) ? text.slice(written.length) : `\n\n${text}`
}
