/** What goes between the main thread and the one that searches custom patterns. Offsets count from the text's beginning. */
import type { CustomPattern } from "./policy.ts"

export type PatternAsk =
  | { kind: "open"; session: number; patterns: { custom: CustomPattern; ofGiven: boolean }[] }
  /** More text: as it was given, and plain. Only one of a session at a time. */
  | { kind: "push"; session: number; given: string; plain: string; final: boolean }
  | { kind: "close"; session: number }

export interface PatternAnswer {
  session: number
  /** Number of the pattern, start, end; by pattern, then by position. Undefined where the search took too long. */
  found?: Uint32Array
  /** Per pattern: where the earliest match that is still open begins. */
  pending: number[]
}
