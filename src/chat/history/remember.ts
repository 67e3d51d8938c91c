/**
 * Second stage of an answer: what of the history the model is given. Where it is longer than the window, the oldest turns
 * become a summary, made by the same model of the one before and the turns that fall out. As many fall out at once that
 * what stays takes half of its room: so several turns pass before the next summary, and the prompt keeps its beginning.
 */
import { log } from "../../log.ts"
import { type Windowed, windowed } from "../answer-window.ts"
import type { Asked } from "../asked.ts"
import type { ChatDependencies } from "../dependencies.ts"
import type { Progress } from "../progress.ts"
import { firstKept, summaryTurns } from "../prompt.ts"
import type { Retrieved } from "../retrieval.ts"
import { partsOf } from "./parts.ts"
import { type SummarySizes, sizesFor, summarize } from "./summarize.ts"
import type { Memory } from "./summary.ts"

/** Share of their room that turns keep when others become a summary. */
const KEPT_SHARE = 0.5
/** Requests that one answer may make for its summary: some 60 000 tokens of history at a window of 4 096. */
const MAX_PARTS = 32

/** What falls out of the history. */
interface FallOut {
  /** Turns, the oldest of the history. */
  turns: number
  sizes: SummarySizes
}

/** The same with what the model remembers; without a summary where none is needed, or none could be made. */
export async function* remembered(
  asked: Asked,
  found: Retrieved,
  dependencies: ChatDependencies,
  signal: AbortSignal,
): AsyncGenerator<Progress, Asked> {
  const { memory, model } = asked
  if (!memory || model.info.provider === "builtin") return asked
  const known = recalled(asked, memory)
  const fitted = windowed(known, found, dependencies)
  if (fitted.droppedMessages === 0) return known
  const fallOut = fallOutOf(known, memory, fitted, dependencies)
  return fallOut ? yield* summarized(known, memory, fallOut, dependencies, signal) : known
}

/** With the summary that the conversation has in place of its turns. */
function recalled(asked: Asked, { summary }: Memory): Asked {
  if (!summary) return asked
  const { history } = asked
  const next = history.findIndex((turn, at) => at >= summary.turns && turn.role === "user")
  return { ...asked, history: next < 0 ? [] : history.slice(next), summary: summary.text }
}

function fallOutOf(
  { history, model, memory: _ }: Asked,
  { places }: Memory,
  { memoryTokens, contextTokens }: Windowed,
  { meter }: ChatDependencies,
): FallOut | null {
  if (contextTokens === null) return null
  const count = (text: string) => meter.count(model.info.value, text)
  const sizes = sizesFor(contextTokens)
  const frame = summaryTurns("").reduce((sum, turn) => sum + count(turn.content) + 8, 0)
  const room = memoryTokens - sizes.summary - frame
  // The message alone fills the window, or the window is too small to read anything for a summary.
  if (room < 0 || sizes.read < sizes.summary) return null
  const half = firstKept(history, room * KEPT_SHARE, count)
  const newest = history.findLastIndex(turn => turn.role === "user")
  const wanted = half < history.length ? half : Math.max(firstKept(history, room, count), newest)
  const offset = places.length - history.length
  const turns = endBefore(history, wanted, at => places[offset + at - 1])
  return turns > 0 ? { turns, sizes } : null
}

/** The last place up to `wanted` where a turn of a user begins and what is before it is stored. */
function endBefore(history: Asked["history"], wanted: number, isStored: (at: number) => unknown): number {
  for (let at = wanted; at > 0; at--)
    if ((at === history.length || history[at]!.role === "user") && isStored(at)) return at
  return 0
}

async function* summarized(
  asked: Asked,
  memory: Memory,
  { turns, sizes }: FallOut,
  dependencies: ChatDependencies,
  signal: AbortSignal,
): AsyncGenerator<Progress, Asked> {
  const { history, model } = asked
  const count = (text: string) => dependencies.meter.count(model.info.value, text)
  const offset = memory.places.length - history.length
  const parts = partsOf(history.slice(0, turns), sizes.read, count).slice(0, MAX_PARTS)
  let summary = asked.summary
  let done = 0
  let unsummarized = false
  try {
    for (const [at, { text, turns: ended }] of parts.entries()) {
      yield { event: "status", data: { phase: "summarizing", detail: { done: at, total: parts.length } } }
      const made = yield* summarize(asked, { soFar: summary, text, sizes }, dependencies, signal)
      if (!made) throw new Error("the model wrote no summary")
      summary = made
      const end = endBefore(history, ended, place => memory.places[offset + place - 1])
      if (end <= done) continue
      // Each part at once: what ends the reply here need not be read again.
      await memory.keep(summary, memory.places[offset + end - 1]!)
      done = end
    }
  } catch (error) {
    signal.throwIfAborted()
    log.warn("a history could not be summed up", { model: model.info.value, error })
    unsummarized = true
  }
  // Where the window was asked for in this size once, the model need not be loaded anew for the answer.
  const contextTokens = Math.max(asked.contextTokens ?? 0, sizes.window)
  const remembering = { ...asked, history: history.slice(done), contextTokens, unsummarized }
  return summary === undefined ? remembering : { ...remembering, summary }
}
