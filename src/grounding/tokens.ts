/**
 * How many tokens a text has, guessed from its characters: 0.26 a letter of Latin text, more for digits and marks,
 * one a character for Chinese, Japanese and Korean. High by about a fifth for English, so that what fits by the guess
 * fits in fact. What a model server counts corrects the guess for that model.
 */
import type { ChatTurn } from "../backends/backend.ts"

const LATIN = 0.26
const MARK = 0.5
const OTHER = 0.55
const IDEOGRAPH = 1.1
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

export function guessTokens(text: string): number {
  let sum = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < 0x80) sum += isPlain(code) ? LATIN : MARK
    else if (code >= 0x2e80 && code < 0xd800) sum += IDEOGRAPH
    else sum += OTHER
  }
  return Math.ceil(sum)
}

/** Letters and the space: what Latin words are made of. */
const isPlain = (code: number): boolean => code === 32 || (code >= 97 && code <= 122) || (code >= 65 && code <= 90)

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
