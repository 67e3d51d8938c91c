/** Has a model sum up turns that are too old for its window. */
import { CHAT_REQUEST, type ChatRequest, type ChatTurn } from "../../backends/backend.ts"
import { withoutMarks } from "../../grounding/citations.ts"
import { askFitted } from "../../grounding/window.ts"
import type { Guarded } from "../../guarded.ts"
import type { Asked } from "../asked.ts"
import type { ChatDependencies } from "../dependencies.ts"
import type { ChatEvent } from "../events.ts"
import taskText from "../prompts/summary.txt" with { type: "text" }
import { headOf, OWN_MARKS } from "./parts.ts"

const TASK = taskText.trim()
const SO_FAR = "Written down so far:"
const MESSAGES = "Messages:"

/** Share of the window that a summary may take, so that what is said now keeps its room, and its bounds in tokens. */
const SUMMARY_SHARE = 0.12
const MAX_SUMMARY_TOKENS = 1_024
/** What a model that thinks may use up before it writes: some cannot be told not to. */
const THINKING_TOKENS = 1_024
/** Words of a language have about so many tokens. */
const TOKENS_A_WORD = 1.6
/** Our count of tokens may be too low by a tenth before the server refuses. */
const SURE_SHARE = 0.9

/** How much is read and written at once, in tokens. */
export interface SummarySizes {
  /** Window to ask for. */
  window: number
  /** Of the summary. */
  summary: number
  /** What the model may write in all. */
  written: number
  /** Of the messages that one request holds. */
  read: number
}

export function sizesFor(window: number): SummarySizes {
  const summary = Math.min(MAX_SUMMARY_TOKENS, Math.floor(window * SUMMARY_SHARE))
  const written = summary + Math.min(THINKING_TOKENS, Math.floor(window / 8))
  const read = Math.floor(window * SURE_SHARE) - written - summary - TASK_TOKENS
  return { window, summary, written, read }
}

/** Task, labels and template. */
const TASK_TOKENS = 250

/**
 * One summary in place of an older one and the messages behind it; empty where the model wrote none.
 * @throws AppError of the backend; the signal's reason
 */
export async function* summarize(
  { model, guard, settings }: Pick<Asked, "model" | "guard" | "settings">,
  { soFar, text, sizes }: { soFar: string | undefined; text: string; sizes: SummarySizes },
  { meter }: Pick<ChatDependencies, "meter">,
  signal: AbortSignal,
): AsyncGenerator<ChatEvent, Guarded<string>> {
  const count = (given: string) => meter.count(model.info.value, given)
  guard.trust(TASK, SO_FAR, MESSAGES, ...OWN_MARKS)
  const { seed } = settings.options
  const pieces = askFitted(model, meter, async () => {
    const turns = turnsOf(soFar && headOf(soFar, sizes.summary, count), headOf(text, sizes.read, count), sizes)
    const request: ChatRequest = {
      model: model.name,
      turns,
      options: { temperature: 0, max_tokens: sizes.written, ...(seed === undefined ? {} : { seed }) },
      contextTokens: sizes.window,
      thinking: false,
      signal,
    }
    return {
      request: await guard.pass(request, CHAT_REQUEST),
      promptTokens: count(turns.map(turn => turn.content).join("\n")),
    }
  })
  let written = ""
  for await (const piece of pieces) {
    if (piece.type === "waiting") yield { event: "status", data: { phase: "loading_model", ...detailOf(piece) } }
    if (piece.type !== "text") continue
    written += piece.text
    if (written.length > sizes.written * MAX_TOKEN_LENGTH) break
  }
  return guard.silently(withinSize(withoutMarks(answerOf(written)), sizes.summary, count))
}

/** A server that heeds no bound is left off here: no writing has longer tokens on average, in UTF-16 units. */
const MAX_TOKEN_LENGTH = 8

const detailOf = ({ detail }: { detail?: string }) => (detail ? { detail } : {})

function turnsOf(soFar: string | undefined, text: string, { summary }: SummarySizes): ChatTurn[] {
  const words = Math.floor(summary / TOKENS_A_WORD)
  const before = soFar ? `${SO_FAR}\n\n${soFar}\n\n` : ""
  return [
    { role: "system", content: TASK },
    { role: "user", content: `${before}${MESSAGES}\n\n${text}\n\nSummary, in at most ${words} words:` },
  ]
}

/** Templates that open the thought themselves leave only its end in the text. */
const THOUGHT_END = /^[\s\S]*<\/(?:think|thinking|reasoning)>/

const answerOf = (written: string): string => written.replace(THOUGHT_END, "").trim()

/** Cut behind a line or a sentence where it is too long. */
function withinSize(text: string, tokens: number, count: (text: string) => number): string {
  const head = headOf(text, tokens, count)
  if (head.length === text.length) return text
  const end = Math.max(head.lastIndexOf("\n"), head.search(/[.!?。！？।](?=[^.!?。！？।]*$)/) + 1)
  return head.slice(0, end > head.length / 2 ? end : head.length).trim()
}
