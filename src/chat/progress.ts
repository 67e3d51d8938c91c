/** What the steps of a turn tell as they go: events for its readers, facts for its record. */
import type { Source } from "../grounding/passages.ts"
import type { Guarded } from "../guarded.ts"
import type { ChatEvent, Usage } from "./events.ts"

/** What only the record of a reply needs; each tells the newest state. */
export interface Fact {
  /** Of the whole reply; what comes later is added to it. */
  content: Guarded<string>
  /** The passages that its marks cite. */
  sources: Source[]
  /** The window that the model was asked for. */
  contextTokens: number | null
  searchMs: number
  /** `performance.now()` of the model's first piece. */
  firstTokenAt: number | null
}

/** One item of a turn. */
export type Progress = ChatEvent | { fact: Partial<Fact> }

/** What the model said last. */
export interface Ended {
  finishReason: "stop" | "length"
  usage: Usage
}
