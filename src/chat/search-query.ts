/** What a message of a conversation is searched with: a follow-up such as "and in 2023?" takes its subject from before. */
import { termsOf } from "../backends/question-words.ts"
import { behindGreeting } from "../backends/small-talk.ts"

export interface ChatQuery {
  query: string
  /** What was asked before, where the message needs it; empty for a message that stands alone. */
  topic: string
}

/** Longest query that search takes. */
const MAX_QUERY = 2_000
/** A message with fewer words of its own says too little to be searched alone. */
const FEW_TERMS = 2
/** Above this many words of its own a message stands alone, whatever it refers to. */
const MANY_TERMS = 7
/** Earlier messages that one follow-up may lean on. */
const MAX_LOOK_BACK = 3

const OPENS_AS_FOLLOW_UP =
  /^(?:and|or|but|so|also|then|what about|how about|why(?: not)?\??$|und|oder|aber|et|ou|mais|y|o|pero)\b/i
const REFERS_BACK =
  /\b(?:it|its|they|them|their|theirs|that|those|this|these|he|him|his|she|her|hers|there|former|latter|same|else)\b/i

/** @param earlier the user's messages before this one, oldest first */
export function searchQuery(message: string, earlier: readonly string[]): ChatQuery {
  // A greeting stands in no file: with it in the query every passage seems less likely to answer.
  const text = behindGreeting(message.trim()) ?? message.trim()
  if (!leansOnContext(text)) return { query: cut(text), topic: "" }
  const leanedOn: string[] = []
  for (const previous of earlier.slice(-MAX_LOOK_BACK).reverse()) {
    leanedOn.unshift(previous.trim())
    if (!leansOnContext(previous.trim())) break
  }
  const topic = cut(leanedOn.join(" "))
  // The message's own words count twice: its question is the one to be answered.
  return { query: cut(topic ? `${text} ${text} ${topic}` : text), topic }
}

function leansOnContext(text: string): boolean {
  if (text.length > MAX_QUERY) return false // it says enough, and need not be taken apart
  const count = new Set(termsOf(text)).size
  if (count <= FEW_TERMS) return true
  return count < MANY_TERMS && (OPENS_AS_FOLLOW_UP.test(text) || REFERS_BACK.test(text))
}

/** Head and tail of a long text: a question stands at one of the two. */
function cut(text: string): string {
  if (text.length <= MAX_QUERY) return text
  const half = MAX_QUERY / 2 - 1
  return `${text.slice(0, half)} ${text.slice(-half)}`.toWellFormed()
}
