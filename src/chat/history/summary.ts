/** What a conversation remembers of messages that are too old for the window of its model. */
import type { Fields, Guarded } from "../../guarded.ts"

/** Longest text that a caller may put in place of a summary, in UTF-16 units. */
export const MAX_SUMMARY = 20_000

/** As it is stored. */
export interface Summary {
  text: string
  /** The last message that it stands for. */
  up_to_message_id: string
  /** Digest of the redaction that the text went through; null for none. */
  redaction: string | null
}

export const SUMMARY: Fields<Summary> = { text: "text", up_to_message_id: "own", redaction: "own" }

/** @param stored column `summary` of a conversation */
export const summaryOf = (stored: string | null): Summary | null =>
  stored === null ? null : (JSON.parse(stored) as Summary)

/** A stored message. */
export interface Place {
  id: string
  /** Within its conversation. */
  position: number
}

/** How an answer remembers, and where it keeps what it comes to remember. */
export interface Memory {
  /** For each turn of the history the stored message that it is; null for one that is none. */
  places: readonly (Place | null)[]
  /** What stands for the oldest of them, as the model may see it; null for nothing yet. */
  summary: { text: Guarded<string>; turns: number } | null
  /** Keeps a text for the turns up to a place, unless somebody has changed the summary meanwhile. */
  keep(text: Guarded<string>, upTo: Place): Promise<void>
}
