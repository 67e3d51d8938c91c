/**
 * Lets the model that answers write the search query of a follow-up: "and in 2023?" becomes "costs of the Tromsø branch
 * in 2023". Only an aid: where it fails, takes too long or would load a model, the query is made of words of the history.
 */
import { CHAT_REQUEST, type ChatRequest, type ChatTurn } from "../backends/backend.ts"
import type { ResolvedModel } from "../backends/index.ts"
import type { Guard } from "../grounding/guard.ts"
import { log } from "../log.ts"
import type { PastMessage } from "./prompt.ts"
import taskText from "./prompts/search-query.txt" with { type: "text" }

/** Longest wait for the query: the reader waits for it before anything is searched. */
const LIMIT_MS = 3_000
/** How long a model that was too slow is left alone, so that it does not delay every follow-up. */
const SLOW_MODEL_REST_MS = 10 * 60_000
const MAX_TOKENS = 64
const MAX_QUERY_LENGTH = 300
/** Messages of the history that the model is shown, and how much of each: reading them must stay quick. */
const SHOWN_MESSAGES = 4
const SHOWN_LENGTH = 500

const TASK = taskText.trim()

export class QueryRewriter {
  private readonly restingUntil = new Map<string, number>()

  /** @param mode `off` never asks a model */
  constructor(private readonly mode: "auto" | "off") {}

  /**
   * The query, or undefined where there is none to be had. History and message are as the model may see them.
   * @throws the signal's reason
   */
  async rewrite(
    model: ResolvedModel,
    history: readonly PastMessage[],
    message: string,
    guard: Guard,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    if (!this.mayAsk(model) || history.length === 0) return undefined
    const late = AbortSignal.timeout(LIMIT_MS)
    try {
      return cleaned(await firstLine(model, turnsOf(history, message), guard, AbortSignal.any([signal, late])))
    } catch (error) {
      signal.throwIfAborted()
      if (late.aborted) this.restingUntil.set(model.info.value, Date.now() + SLOW_MODEL_REST_MS)
      log.debug("a follow-up is searched with history terms", { model: model.info.value, error })
      return undefined
    }
  }

  private mayAsk({ backend, info, name }: ResolvedModel): boolean {
    if (this.mode === "off" || info.provider === "builtin") return false
    if ((this.restingUntil.get(info.value) ?? 0) > Date.now()) return false
    // A model that is not loaded, or whose window is unknown, might have to load twice: for this and for the answer.
    return !backend.loadedContextTokens || backend.loadedContextTokens(name) !== null
  }
}

async function firstLine(
  { backend, name }: ResolvedModel,
  turns: ChatTurn[],
  guard: Guard,
  signal: AbortSignal,
): Promise<string> {
  const contextTokens = backend.loadedContextTokens?.(name) ?? null
  let text = ""
  guard.trust(TASK)
  const request = await guard.pass<ChatRequest>(
    {
      model: name,
      turns,
      options: { temperature: 0, max_tokens: MAX_TOKENS },
      ...(contextTokens === null ? {} : { contextTokens }),
      thinking: false,
      signal,
    },
    CHAT_REQUEST,
  )
  for await (const piece of backend.chat(request)) {
    if (piece.type === "waiting" && piece.phase === "queued") return "" // others wait already: this is not worth a place
    if (piece.type !== "text") continue
    text = (text + piece.text).trimStart()
    if (text.includes("\n") || text.length > MAX_QUERY_LENGTH) break
  }
  return text.split("\n")[0]!
}

function turnsOf(history: readonly PastMessage[], message: string): ChatTurn[] {
  const shown = history.slice(-SHOWN_MESSAGES).map(({ role, content }) => `${role}: ${head(content)}`)
  return [
    { role: "system", content: TASK },
    {
      role: "user",
      content: `Conversation:\n${shown.join("\n")}\n\nNewest message: ${head(message)}\n\nSearch query:`,
    },
  ]
}

const head = (text: string): string => text.replace(/\s+/g, " ").trim().slice(0, SHOWN_LENGTH).toWellFormed()

/** Of what a model wrote, in lengths of a query: a label and signs may stand around one. */
const LOOKED_AT = 4

/** Models like to put a label in front, quotes around and a full stop behind. */
function cleaned(line: string): string | undefined {
  const query = line
    .slice(0, LOOKED_AT * MAX_QUERY_LENGTH) // what follows takes its square in steps
    .replace(/^\W*(?:search )?query\s*:/i, "")
    .replace(/^[\s"'`“”„«»*]+|[\s"'`“”„«»*.]+$/g, "")
    .slice(0, MAX_QUERY_LENGTH)
    .toWellFormed()
  return /[\p{L}\p{N}]/u.test(query) ? query : undefined
}
