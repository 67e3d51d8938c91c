/**
 * Fits a turn into the model's window. The system prompt and the newest message always stay. What room is left goes, in
 * this order, to the answer, the passages (best first) and the history (newest first). Passages stand in the newest
 * message, the whole text of files before all that was said. Pure.
 */
import type { ChatTurn } from "../backends/backend.ts"
import { withoutMarks } from "../grounding/citations.ts"
import { headOf, type Source } from "../grounding/passages.ts"
import { type Count, turnTokens } from "../grounding/tokens.ts"
import { fitTranscript } from "../grounding/transcript.ts"
import notSearchedText from "./prompts/not-searched.txt" with { type: "text" }
import notesText from "./prompts/notes.txt" with { type: "text" }
import nothingFoundText from "./prompts/nothing-found.txt" with { type: "text" }
import passagesText from "./prompts/passages.txt" with { type: "text" }
import rememberedText from "./prompts/remembered.txt" with { type: "text" }
import wholeText from "./prompts/whole-text.txt" with { type: "text" }

/** What was said, called and found before, as the model may see it. */
export type PastMessage = ChatTurn

export interface PromptParts {
  systemPrompt: string | null
  /** What stands for what was said before the history; null where nothing was. */
  summary?: string | null
  /** Oldest first. */
  history: readonly PastMessage[]
  sources: readonly Source[]
  /** The library was searched for this message and holds nothing that bears on it. */
  inVain: boolean
  /** The library could not be searched for it. */
  unavailable?: boolean
  /** The sources are a whole text, or what notes of one cite. */
  whole?: boolean
  /** Notes on parts of a text, which are given in the place of the sources that they cite. */
  notes?: readonly string[] | undefined
  /** Null where nobody has asked anything. */
  message: string | null
  /** What followed the message: calls of the model, and their results. */
  after?: readonly ChatTurn[]
  /** What the model called of the daemon's tools, and the results, which shrink to their share of the window. */
  exchanges?: readonly ChatTurn[]
  /** What the model is told last. */
  note?: string | undefined
  /** The part of the reply that stands already and is to be continued; null for a new reply. */
  written: string | null
  /** Tokens of the whole window; null for a backend without one. */
  windowTokens: number | null
  /** Tokens kept free for the answer. */
  answerTokens: number
  /** Tokens that pictures of the message take. */
  imageTokens: number
  /** What the model is told of tools that it may use and the files that they reach; null where it has none. */
  guide?: string | null
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
  /** Even the summary does not fit. */
  droppedSummary: boolean
  promptTokens: number
  /** Room for exchanges. */
  exchangeTokens: number
  /** They had to shrink. */
  shortened: boolean
  /** What summary and history may take together. */
  memoryTokens: number
}

/** Share of the window that passages may take, so that a conversation does not lose its memory to them. */
const PASSAGE_SHARE = 0.45
/** What calls of tools and their results may take. */
const EXCHANGE_SHARE = 0.4

const GUIDE = passagesText.trim()
const WHOLE_GUIDE = wholeText.trim()
const NOTES_GUIDE = notesText.trim()
const NOTHING_FOUND = nothingFoundText.trim()
const NOT_SEARCHED = notSearchedText.trim()
const REMEMBERED = rememberedText.trim()
const UNDERSTOOD = "I remember."
const READ = "I have read it."

/** What the daemon itself writes around passages. */
export const OWN_WORDS = [GUIDE, WHOLE_GUIDE, NOTES_GUIDE, NOTHING_FOUND, NOT_SEARCHED, REMEMBERED, UNDERSTOOD, READ]

export function fitPrompt(parts: PromptParts): FittedPrompt {
  const { systemPrompt, history, sources, message, after = [], written, count } = parts
  const tokensOf = (turns: readonly ChatTurn[]) => turns.reduce((sum, turn) => sum + turnTokens(turn, count), 0)
  const remark = parts.unavailable ? NOT_SEARCHED : parts.inVain ? NOTHING_FOUND : undefined
  const system: ChatTurn[] = systemPrompt ? [{ role: "system", content: systemPrompt }] : []
  const head = (first?: string) => [first, parts.guide].filter(Boolean).join("\n\n")
  const asked = askedTurn(message, head(remark))
  const end: ChatTurn[] = [
    ...(written ? [{ role: "assistant" as const, content: written }] : []),
    ...(parts.note ? [{ role: "user" as const, content: parts.note }] : []),
  ]
  const base = tokensOf([...system, ...asked, ...after, ...end]) + parts.imageTokens + (parts.toolTokens ?? 0)
  const window = parts.windowTokens ?? Number.POSITIVE_INFINITY
  const exchangeTokens = Math.max(0, Math.min(window * EXCHANGE_SHARE, window - parts.answerTokens - base))
  const exchanges = fitTranscript(parts.exchanges ?? [], exchangeTokens, count, 0)
  const last: ChatTurn[] = [...after, ...exchanges, ...end]
  const fixed = base + tokensOf(exchanges)
  const all = window - parts.answerTokens - fixed
  const summary = parts.summary ? summaryTurns(parts.summary) : []
  // A whole text goes before what is remembered, passages after it.
  const forSummary = parts.whole ? 0 : tokensOf(summary)
  const { kept, text } = materialOf(parts, forSummary <= all ? all - forSummary : all)
  const passageTokens = text ? count(text) : 0
  const memo = tokensOf(summary) <= (parts.whole ? all - passageTokens : all) ? summary : []
  const room = all - tokensOf(memo)
  const from = firstKept(history, room - passageTokens, count)
  const remembered = history.slice(from)
  const isFirst = text !== "" && parts.whole && !parts.notes
  const question = text && !isFirst ? askedTurn(message, head(text)) : asked
  return {
    turns: [...system, ...(isFirst ? wholeTurns(text) : []), ...memo, ...remembered, ...question, ...last],
    sources: kept,
    droppedMessages: from,
    droppedSources: sources.length - kept.length,
    droppedSummary: memo.length < summary.length,
    promptTokens: fixed + passageTokens + tokensOf([...memo, ...remembered]),
    memoryTokens: all - passageTokens,
    exchangeTokens,
    shortened: parts.exchanges !== undefined && exchanges !== parts.exchanges,
  }
}

/**
 * Two turns of its own right behind the system prompt: so the words of users and models get no weight of the system, turns
 * of user and model alternate as templates want them, and the beginning of the prompt stays the same from turn to turn.
 */
export const summaryTurns = (summary: string): ChatTurn[] => [
  { role: "user", content: `${REMEMBERED}\n\n${summary}` },
  { role: "assistant", content: UNDERSTOOD },
]

/** Whether a turn holds a summary, which a model wrote: what it leads to was not given. */
export const isSummary = ({ content }: ChatTurn): boolean => content.startsWith(REMEMBERED)

/** What is given of the library, as one text; empty where nothing is. */
function materialOf(
  { sources, notes, whole, windowTokens, count }: PromptParts,
  room: number,
): { kept: Source[]; text: string } {
  if (notes?.length) return { kept: [...sources], text: [NOTES_GUIDE, ...notes].join("\n\n") }
  const guide = whole ? WHOLE_GUIDE : GUIDE
  const share = windowTokens === null || whole ? room : Math.min(room, windowTokens * PASSAGE_SHARE)
  const kept = keepSources(sources, share - (sources.length > 0 ? count(guide) : 0), count)
  return { kept, text: kept.length > 0 ? passageText(guide, kept) : "" }
}

/** The whole text of files goes before all that was said: so a follow-up begins as the turn before it did. */
const wholeTurns = (text: string): ChatTurn[] => [
  { role: "user", content: text },
  { role: "assistant", content: READ },
]

/** @param head what the daemon says before the message */
const askedTurn = (message: string | null, head?: string): ChatTurn[] =>
  message === null ? [] : [{ role: "user", content: head ? `${head}\n\n${message}` : message }]

/** Not in the system prompt: the beginning of the prompt stays the same from turn to turn, and the model server need not
 * read it again. */
const passageText = (guide: string, sources: readonly Source[]): string =>
  [guide, ...sources.map(source => `${headOf(source)}\n${withoutMarks(source.text)}`)].join("\n\n")

/** Tokens of a whole text as `fitPrompt` counts them. */
export const wholeTokens = (sources: readonly Source[], count: Count): number =>
  sources.reduce((sum, source) => sum + count(source.text) + count(headOf(source)) + 2, count(WHOLE_GUIDE))

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
export function firstKept(history: readonly PastMessage[], room: number, count: Count): number {
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
