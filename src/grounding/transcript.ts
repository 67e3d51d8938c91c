/**
 * Keeps calls of tools and their results within the window: old results shrink first. Of an agent's run the prompt and the
 * task always stay; of a reply these are only the turns behind its question.
 */
import type { ChatTurn, ToolCall } from "../backends/backend.ts"
import { guessTokens } from "../backends/guess-tokens.ts"
import { type Count, turnTokens } from "./tokens.ts"

/** Characters that are taken out for one token too many; taking too few only costs another round. */
const CUT_CHARACTERS_PER_TOKEN = 3
/** What is left of an old result at first, enough to recognize it; then of its call. */
const EXCERPT_CHARACTERS = 400
const CALL_CHARACTERS = 100
/** Of the arguments of each of the newest calls, where there is no room for more: first so many, then so few. */
const NEW_CALL_CHARACTERS = [1_000, 200]
/** Of a turn that is cut in its middle. */
const LEAST_CHARACTERS = 200

export const transcriptTokens = (turns: readonly ChatTurn[], count: Count = guessTokens): number =>
  turns.reduce((sum, turn) => sum + turnTokens(turn, count), 0)

/**
 * The turns, made to fit `budget` tokens: old results and calls become excerpts, then stubs, then whole exchanges go, then
 * the newest are cut, and the last of their calls go where there are too many. What needs more room all the same is a system
 * prompt and task too long for any window; the task is cut in its middle.
 * @param lead turns at the beginning that stay: system prompt and task
 * @returns the same list where it fits
 */
export function fitTranscript(
  turns: readonly ChatTurn[],
  budget: number,
  count: Count = guessTokens,
  lead = 2,
): readonly ChatTurn[] {
  let fitted = turns
  // Kept along: a run of a hundred long results would be counted a hundred times for each of its turns.
  let tokens = transcriptTokens(turns, count)
  const shorten = (at: number, short: ChatTurn) => {
    tokens += turnTokens(short, count) - turnTokens(fitted[at]!, count)
    fitted = replaced(fitted, at, short)
  }
  for (const characters of [EXCERPT_CHARACTERS, 0]) {
    for (const at of oldTurns(fitted, lead)) {
      if (tokens <= budget) return fitted
      shorten(at, shortened(fitted[at]!, characters))
    }
  }
  while (tokens > budget) {
    const cut = endOfFirstExchange(fitted, lead)
    if (cut === undefined) break
    tokens -= transcriptTokens(fitted.slice(lead, cut), count)
    fitted = [...fitted.slice(0, lead), ...fitted.slice(cut)]
  }
  for (const characters of NEW_CALL_CHARACTERS)
    for (const at of fitted.keys()) if (tokens > budget) shorten(at, withShortCalls(fitted[at]!, characters))
  if (tokens <= budget) return fitted
  return withFewerCalls(cutLongest(fitted, budget, count, Math.min(1, lead)), budget, count)
}

const isResult = (turn: ChatTurn): boolean =>
  turn.role === "tool" || (turn.role === "user" && turn.content.startsWith(RESULTS_HEAD))

/** Head of the user turn that carries results in the text protocol. */
export const RESULTS_HEAD = "Results of your calls:"

/** Calls and results before the newest exchange, oldest first. */
function oldTurns(turns: readonly ChatTurn[], lead: number): number[] {
  const lastAssistant = turns.findLastIndex(turn => turn.role === "assistant")
  return turns.flatMap((turn, at) => (at >= lead && at < lastAssistant && (isResult(turn) || calls(turn)) ? [at] : []))
}

const calls = (turn: ChatTurn): boolean => turn.role === "assistant" && (turn.toolCalls?.length ?? 0) > 0

function shortened(turn: ChatTurn, characters: number): ChatTurn {
  if (turn.role === "assistant") return withShortCalls(turn, Math.max(characters, CALL_CHARACTERS))
  if (turn.content.length <= characters + 100) return turn
  const excerpt =
    characters > 0 ? `${begin(turn.content, characters)}\n` : turn.role === "user" ? `${RESULTS_HEAD}\n` : ""
  return { ...turn, content: `${excerpt}${SHORTENED}` }
}

/** A turn whose calls have at most about so many characters of arguments each. */
function withShortCalls(turn: ChatTurn, characters: number): ChatTurn {
  if (turn.role !== "assistant" || !turn.toolCalls?.some(call => lengthOf(call) > characters)) return turn
  return {
    ...turn,
    toolCalls: turn.toolCalls.map(call =>
      lengthOf(call) > characters ? { ...call, arguments: shortArguments(call, characters) } : call,
    ),
  }
}

const lengthOf = ({ arguments: given }: ToolCall): number => JSON.stringify(given).length

function shortArguments({ arguments: given }: ToolCall, characters: number): ToolCall["arguments"] {
  const short: ToolCall["arguments"] = {}
  let left = characters
  for (const [name, value] of Object.entries(given)) {
    const text = typeof value === "string" ? value : JSON.stringify(value)
    short[begin(name, CALL_CHARACTERS)] = text.length <= left ? value : `${begin(text, left)}… [cut]`
    left -= text.length + name.length
    if (left <= 0) break
  }
  return short
}

/** End (exclusive) of the oldest assistant turn and its results; undefined when only the newest exchange is left. */
function endOfFirstExchange(turns: readonly ChatTurn[], lead: number): number | undefined {
  const first = turns.findIndex((turn, at) => at >= lead && turn.role === "assistant")
  const next = turns.findIndex((turn, at) => at > first && turn.role === "assistant")
  return first < 0 || next < 0 ? undefined : next
}

/** Cuts the longest turns in their middle, the system prompt excepted, until the rest fits. @param from the first that may be cut */
function cutLongest(turns: readonly ChatTurn[], budget: number, count: Count, from: number): readonly ChatTurn[] {
  let fitted = turns
  for (
    let excess = transcriptTokens(fitted, count) - budget;
    excess > 0;
    excess = transcriptTokens(fitted, count) - budget
  ) {
    const at = fitted.reduce(
      (longest, turn, i) => (i >= from && turn.content.length > (fitted[longest]?.content.length ?? 0) ? i : longest),
      from,
    )
    const turn = fitted[at]
    const keep = Math.max(LEAST_CHARACTERS, (turn?.content.length ?? 0) - (excess + 50) * CUT_CHARACTERS_PER_TOKEN)
    if (!turn || turn.content.length <= keep + CUT.length) return fitted
    const half = Math.floor(keep / 2)
    fitted = replaced(fitted, at, {
      ...turn,
      content: `${begin(turn.content, half)}${CUT}${turn.content.slice(-half).replace(/^[\uDC00-\uDFFF]/, "")}`,
    })
  }
  return fitted
}

const CUT = "\n… [cut to save room]\n"
const SHORTENED = "[shortened to save room; call the tool again if you need it]"
const LEFT_OUT = "further calls and their results are left out to save room"
const REMARKS = [CUT.trim(), SHORTENED, LEFT_OUT].map(text => text.replaceAll(/[[\]]/g, "\\$&"))

/** What is left of a result that was shortened, without the remarks that say so. */
export const leftParts = (content: string): string[] =>
  content.split(new RegExp(REMARKS.join("|"))).map(part => part.trim())

/** Leaves out the last of the newest calls, with their results, until the rest fits; the model is told how many. */
function withFewerCalls(turns: readonly ChatTurn[], budget: number, count: Count): readonly ChatTurn[] {
  const at = turns.findLastIndex(calls)
  const turn = turns[at]
  if (turn?.role !== "assistant" || transcriptTokens(turns, count) <= budget) return turns
  const made = turn.toolCalls ?? []
  for (let kept = made.length - 1; kept > 0; kept--) {
    const note = `\n[${made.length - kept} ${LEFT_OUT}]`
    const results = turns.slice(at + 1, at + 1 + kept)
    const fewer = [
      ...turns.slice(0, at),
      { ...turn, toolCalls: made.slice(0, kept) },
      ...results.map((result, i) => (i === kept - 1 ? { ...result, content: result.content + note } : result)),
      ...turns.slice(at + 1 + made.length),
    ]
    if (transcriptTokens(fewer, count) <= budget) return fewer
  }
  return [...turns.slice(0, at), ...turns.slice(at + 1 + made.length)]
}

/** The first characters, no pair of them split. */
const begin = (text: string, characters: number): string => text.slice(0, characters).replace(/[\uD800-\uDBFF]$/, "")

const replaced = (turns: readonly ChatTurn[], at: number, turn: ChatTurn): readonly ChatTurn[] =>
  turns.map((each, i) => (i === at ? turn : each))
