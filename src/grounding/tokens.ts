/** Tokens of prompts: guessed, and corrected by what model servers count. */
import type { ChatTurn } from "../backends/backend.ts"
import { guessTokens } from "../backends/guess-tokens.ts"

/** Role marks and separators of one turn in common templates. */
const TURN_TOKENS = 8
/** A picture takes 256–1 600 tokens, by model. */
export const IMAGE_TOKENS = 1_600

/** Tokens of a text. */
export type Count = (text: string) => number

/** What one turn takes of a window, its calls and pictures included. */
export function turnTokens(turn: ChatTurn, count: Count): number {
  const calls = turn.role === "assistant" && turn.toolCalls?.length ? count(JSON.stringify(turn.toolCalls)) : 0
  const images = turn.role === "user" ? (turn.images?.length ?? 0) * IMAGE_TOKENS : 0
  return TURN_TOKENS + count(turn.content) + calls + images
}

/** Corrections stay within what tokenizers differ by; a count outside is of something else, such as a cached prompt. */
const MIN_FACTOR = 0.75
const MAX_FACTOR = 2.5
/** Share of a new count in the correction. */
const LEARNING_RATE = 0.3
/** A short prompt says little about the tokenizer and much about its template. */
const MIN_TOKENS_TO_LEARN = 500

export class TokenMeter {
  private readonly factors = new Map<string, number>()

  count(model: string, text: string): number {
    return Math.ceil(guessTokens(text) * (this.factors.get(model) ?? 1))
  }

  /** What the server counted for a prompt that was guessed at `expected` tokens, corrections included. */
  learn(model: string, expected: number, counted: number): void {
    const ratio = counted / expected
    if (expected < MIN_TOKENS_TO_LEARN || ratio < 0.5 || ratio > 3) return
    // A prompt that is longer than thought is the dangerous direction: believed at once.
    this.adjust(model, ratio > 1 ? ratio : 1 + (ratio - 1) * LEARNING_RATE)
  }

  /** The server refused a prompt that should have fitted. */
  raise(model: string): void {
    this.adjust(model, 1.3)
  }

  private adjust(model: string, by: number): void {
    const factor = (this.factors.get(model) ?? 1) * by
    this.factors.set(model, Math.min(MAX_FACTOR, Math.max(MIN_FACTOR, factor)))
  }
}
