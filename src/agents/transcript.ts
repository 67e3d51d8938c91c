/** Keeps what a run sends to its model within the window: old tool results shrink first, the prompt and the task always stay. */
import type { ChatTurn } from "../backends/backend.ts"
import { type Count, guessTokens, turnTokens } from "../grounding/tokens.ts"

/** Characters that are taken out for one token too many; taking too few only costs another round. */
const CUT_CHARACTERS_PER_TOKEN = 3
/** What is left of an old result at first, enough to recognize it. */
const EXCERPT_CHARACTERS = 400

export const transcriptTokens = (turns: ChatTurn[], count: Count = guessTokens): number =>
  turns.reduce((sum, turn) => sum + turnTokens(turn, count), 0)

/**
 * The turns, made to fit `budget` tokens: old results become excerpts, then stubs, then whole exchanges go,
 * then the newest results are cut. The first two turns (system prompt and task) stay; a task too long for any window is cut in its middle.
 */
export function fitTranscript(turns: ChatTurn[], budget: number, count: Count = guessTokens): ChatTurn[] {
  let fitted = turns
  // Kept along: a run of a hundred long results would be counted a hundred times for each of its turns.
  let tokens = transcriptTokens(turns, count)
  for (const characters of [EXCERPT_CHARACTERS, 0]) {
    for (const at of oldResults(fitted)) {
      if (tokens <= budget) return fitted
      const [whole, short] = [fitted[at]!, shortened(fitted[at]!, characters)]
      tokens += turnTokens(short, count) - turnTokens(whole, count)
      fitted = replaced(fitted, at, short)
    }
  }
  while (tokens > budget) {
    const cut = endOfFirstExchange(fitted)
    if (cut === undefined) break
    tokens -= transcriptTokens(fitted.slice(2, cut), count)
    fitted = [...fitted.slice(0, 2), ...fitted.slice(cut)]
  }
  return tokens <= budget ? fitted : cutLongest(fitted, budget, count)
}

const isResult = (turn: ChatTurn): boolean =>
  turn.role === "tool" || (turn.role === "user" && turn.content.startsWith(RESULTS_HEAD))

/** Head of the user turn that carries results in the text protocol. */
export const RESULTS_HEAD = "Results of your calls:"

/** Results before the newest exchange, oldest first. */
function oldResults(turns: ChatTurn[]): number[] {
  const lastAssistant = turns.findLastIndex(turn => turn.role === "assistant")
  return turns.flatMap((turn, at) => (at > 1 && at < lastAssistant && isResult(turn) ? [at] : []))
}

function shortened(turn: ChatTurn, characters: number): ChatTurn {
  if (turn.content.length <= characters + 100) return turn
  const excerpt =
    characters > 0 ? `${turn.content.slice(0, characters)}\n` : turn.role === "user" ? `${RESULTS_HEAD}\n` : ""
  return { ...turn, content: `${excerpt}[shortened to save room; call the tool again if you need it]` }
}

/** End (exclusive) of the oldest assistant turn and its results; undefined when only the newest exchange is left. */
function endOfFirstExchange(turns: ChatTurn[]): number | undefined {
  const first = turns.findIndex((turn, at) => at > 1 && turn.role === "assistant")
  const next = turns.findIndex((turn, at) => at > first && turn.role === "assistant")
  return first < 0 || next < 0 ? undefined : next
}

/** Cuts the longest turns in their middle, the system prompt excepted, until the rest fits. */
function cutLongest(turns: ChatTurn[], budget: number, count: Count): ChatTurn[] {
  let fitted = turns
  for (
    let excess = transcriptTokens(fitted, count) - budget;
    excess > 0;
    excess = transcriptTokens(fitted, count) - budget
  ) {
    const at = fitted.reduce(
      (longest, turn, i) => (i > 0 && turn.content.length > (fitted[longest]?.content.length ?? 0) ? i : longest),
      1,
    )
    const turn = fitted[at]
    const keep = Math.max(200, (turn?.content.length ?? 0) - (excess + 50) * CUT_CHARACTERS_PER_TOKEN)
    if (!turn || turn.content.length <= keep) return fitted
    const half = Math.floor(keep / 2)
    fitted = replaced(fitted, at, {
      ...turn,
      content: `${turn.content.slice(0, half)}\n… [cut to save room] …\n${turn.content.slice(-half)}`,
    })
    if (keep === 200) break
  }
  return fitted
}

const replaced = (turns: ChatTurn[], at: number, turn: ChatTurn): ChatTurn[] =>
  turns.map((each, i) => (i === at ? turn : each))
