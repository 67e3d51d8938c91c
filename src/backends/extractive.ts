/**
 * `builtin/extractive`: answers without a language model, by quoting the sentences of the given passages that answer the
 * question, word for word and with their citation. Says plainly when there are none, and what it is when nothing was asked.
 */
import type { Guarded } from "../guarded.ts"
import type { ChatBackend, ChatPiece, ChatRequest, MeaningModels, ModelInfo } from "./backend.ts"
import { answering, type Quote } from "./best-sentences.ts"
import { countingWords } from "./counting.ts"
import { isSmallTalk, withoutGreeting } from "./small-talk.ts"
import { tellingSentences } from "./telling-sentences.ts"

const EXTRACTIVE_MODEL = "extractive"
const NOTHING_FOUND = "The library holds nothing that answers this."
const NOTHING_SURE = "The library holds nothing that plainly answers this. Nearest to it is:"
const NOT_SEARCHED = "The library cannot be searched at present. Ask again a little later."
const NOTHING_ASKED =
  "Ask something about the files of the library: without a language model the answer is quoted from them."

const MEANWHILE =
  "Ask something about the files of the library, such as “What is the notice period?”: what answers is quoted from them, word for word and with its source."
const NOT_CONNECTED = `No language model is connected, so there is nobody here to talk to. ${MEANWHILE}

To connect one, start Ollama (\`--ollama-host\` says where it is, if not on this machine), or name a server that speaks OpenAI’s protocol by \`--openai-base-url\`, and its key by \`--openai-api-key\` if it wants one. Its models appear by themselves; \`--default-model\` says which one answers.`
const NOT_CHOSEN = `This is \`builtin/extractive\`, which is no language model: there is nobody here to talk to. ${MEANWHILE}

A language model is connected: choose it for this conversation, or make it the default with \`--default-model\`.`

export interface ExtractiveOptions {
  /** Asked at each answer. Words alone choose without any. */
  meaning?: (() => MeaningModels) | undefined
  /** The back ends that have language models. */
  others?: readonly ChatBackend[]
}

export class ExtractiveChat implements ChatBackend {
  readonly provider = "builtin"

  constructor(private readonly options: ExtractiveOptions = {}) {}

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
    const written = request.continueLast ? (request.turns.at(-1)?.content ?? "") : ""
    const text = await this.textFor(request)
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

  private async textFor({ grounding, turns, signal }: Guarded<ChatRequest>): Promise<string> {
    const asked = grounding?.question ?? turns.findLast(({ role }) => role === "user")?.content ?? ""
    if (isSmallTalk(asked)) return (await this.isConnected()) ? NOT_CHOSEN : NOT_CONNECTED
    if (!grounding) return NOTHING_ASKED
    if (grounding.unavailable) return NOT_SEARCHED
    const question = withoutGreeting(grounding.question)
    const counting = countingWords(question)
    const needed = counting && ((await this.isConnected()) ? counting.choose : counting.connect)
    const said = (...parts: (string | undefined)[]) => [...parts, needed].filter(Boolean).join("\n\n")
    const telling = grounding.whole ? tellingSentences(grounding.passages) : []
    if (telling.length > 0) return said(paragraphs(telling))
    const { quotes, nearest } = await answering({ ...grounding, question }, this.options.meaning?.() ?? {}, signal)
    if (quotes.length > 0) return paragraphs(quotes)
    if (!nearest) return said(counting?.nothing ?? NOTHING_FOUND)
    return said(counting?.nearest ?? NOTHING_SURE, paragraphs([nearest]))
  }

  private async isConnected(): Promise<boolean> {
    const models = await Promise.all((this.options.others ?? []).map(backend => backend.list()))
    return models.flat().some(({ status, capabilities }) => status !== "unavailable" && capabilities.includes("chat"))
  }
}

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
