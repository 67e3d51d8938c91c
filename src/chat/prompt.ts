/**
 * Fits a turn into the model's window. The system prompt and the newest message always stay. What room is left goes, in
 * this order, to the answer, the passages (best first) and the history (newest first). Pure.
 */
import type { ChatTurn } from "../backends/backend.ts"
import { withoutMarks } from "../grounding/citations.ts"
import { headOf, type Source } from "../grounding/passages.ts"
import { type Count, turnTokens } from "../grounding/tokens.ts"
import notSearchedText from "./prompts/not-searched.txt" with { type: "text" }
import nothingFoundText from "./prompts/nothing-found.txt" with { type: "text" }
import passagesText from "./prompts/passages.txt" with { type: "text" }

/** What was said, called and found before, as the model may see it. */
export type PastMessage = ChatTurn

export interface PromptParts {
  systemPrompt: string | null
  /** Oldest first. */
  history: readonly PastMessage[]
  sources: readonly Source[]
  /** The library was searched for this message and holds nothing that bears on it. */
  inVain: boolean
  /** The library could not be searched for it. */
  unavailable?: boolean
  /** Null where nobody has asked anything. */
  message: string | null
  /** What followed the message: calls of the model, and their results. */
  after?: readonly ChatTurn[]
  /** The part of the reply that stands already and is to be continued; null for a new reply. */
  written: string | null
  /** Tokens of the whole window; null for a backend without one. */
  windowTokens: number | null
  /** Tokens kept free for the answer. */
  answerTokens: number
  /** Tokens that pictures of the message take. */
  imageTokens: number
  /** Tokens that the description of tools takes. */
  toolTokens?: number
  count: Count
}

export interface FittedPrompt {
  turns: ChatTurn[]
  /** Passages that fit. */
  sources: Source[]
  droppedMessages: number
  droppedSources: number
  promptTokens: number
}

/** Share of the window that passages may take, so that a conversation does not lose its memory to them. */
const PASSAGE_SHARE = 0.45

const GUIDE = passagesText.trim()
const NOTHING_FOUND = nothingFoundText.trim()
const NOT_SEARCHED = notSearchedText.trim()

/** What the daemon itself writes around passages. */
export const OWN_WORDS = [GUIDE, NOTHING_FOUND, NOT_SEARCHED]

export function fitPrompt(parts: PromptParts): FittedPrompt {
  const { systemPrompt, history, sources, message, after = [], written, count } = parts
  const tokensOf = (turns: readonly ChatTurn[]) => turns.reduce((sum, turn) => sum + turnTokens(turn, count), 0)
  const remark = parts.unavailable ? NOT_SEARCHED : parts.inVain ? NOTHING_FOUND : undefined
  const system: ChatTurn[] = systemPrompt ? [{ role: "system", content: systemPrompt }] : []
  const asked = askedTurn(message, remark)
  const last: ChatTurn[] = [...after, ...(written ? [{ role: "assistant" as const, content: written }] : [])]
  const fixed = tokensOf([...system, ...asked, ...last]) + parts.imageTokens + (parts.toolTokens ?? 0)
  const room = parts.windowTokens === null ? Number.POSITIVE_INFINITY : parts.windowTokens - parts.answerTokens - fixed
  const passageRoom = Math.min(room, parts.windowTokens === null ? room : parts.windowTokens * PASSAGE_SHARE)
  const kept = keepSources(sources, passageRoom - (sources.length > 0 ? count(GUIDE) : 0), count)
  const passageTokens = kept.length > 0 ? count(passageText(kept)) : 0
  const from = firstKept(history, room - passageTokens, count)
  const remembered = history.slice(from)
  const question = kept.length > 0 ? askedTurn(message, passageText(kept)) : asked
  return {
    turns: [...system, ...remembered, ...question, ...last],
    sources: kept,
    droppedMessages: from,
    droppedSources: sources.length - kept.length,
    promptTokens: fixed + passageTokens + tokensOf(remembered),
  }
}

/** @param head what the daemon says before the message */
const askedTurn = (message: string | null, head?: string): ChatTurn[] =>
  message === null ? [] : [{ role: "user", content: head ? `${head}\n\n${message}` : message }]

/** Passages stand in the newest message, not in the system prompt: the beginning of the prompt stays the same from turn
 * to turn, and the model server need not read it again. */
const passageText = (sources: readonly Source[]): string =>
  [GUIDE, ...sources.map(source => `${headOf(source)}\n${withoutMarks(source.text)}`)].join("\n\n")

function keepSources(sources: readonly Source[], room: number, count: Count): Source[] {
  const kept: Source[] = []
  let left = room
  for (const source of sources) {
    left -= count(source.text) + count(headOf(source)) + 2
    if (left < 0) break
    kept.push(source)
  }
  return kept
}

/** Index of the oldest message that still fits; a turn of user and assistant goes as a whole, with all it called. */
function firstKept(history: readonly PastMessage[], room: number, count: Count): number {
  let left = room
  let first = history.length
  for (let at = history.length - 1; at >= 0; at--) {
    left -= turnTokens(history[at]!, count)
    if (left < 0) return first
    if (history[at]!.role === "user") first = at
  }
  return 0
}

/** Window sizes that are asked for: few, because another size makes the model server load the model anew. */
const STEPS = [4_096, 8_192, 16_384, 32_768, 65_536, 131_072, 262_144, 524_288, 1_048_576]

export interface WindowChoice {
  neededTokens: number
  /** What the model can do at most. */
  windowTokens: number
  /** What the conversation asked for before. */
  stickyTokens: number | null
  /** With what the model is loaded now. */
  loadedTokens: number | null
}

/** The window to ask for: as it is loaded where that is enough, else the conversation's own, grown in steps. */
export function chooseWindow({ neededTokens, windowTokens, stickyTokens, loadedTokens }: WindowChoice): number {
  if (loadedTokens !== null && loadedTokens >= neededTokens && loadedTokens <= windowTokens) return loadedTokens
  const step = STEPS.find(size => size >= neededTokens) ?? neededTokens
  return Math.min(windowTokens, Math.max(step, stickyTokens ?? 0))
}
