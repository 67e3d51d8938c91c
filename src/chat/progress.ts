/** What the steps of a turn tell as they go: events for its readers, facts for its record. */
import type { ToolCall } from "../backends/backend.ts"
import type { Source } from "../grounding/passages.ts"
import type { Fields, Guarded } from "../guarded.ts"
import type { ChatEvent } from "./events.ts"
import type { Dropped, PlacedUse, Searched, Sent } from "./record/facts.ts"

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
  /** Null where the library was not searched. */
  searched: Searched | null
  /** The model is asked with it; told before. */
  sent: Sent
}

/** The same where each adds to what was told before. */
export interface Added {
  dropped: Dropped[]
  /** In their order. */
  toolCalls: PlacedUse[]
}

export const TOOL_CALL: Fields<ToolCall> = { id: "own", name: "text", arguments: "json" }

/** A call of one of the caller's own tools, which the caller carries out. */
export interface ToolCalled {
  event: "caller_call"
  data: Guarded<ToolCall>
}

/** What readers may be told. */
export type Told = ChatEvent | ToolCalled

/** One item of a turn. */
export type Progress = Told | { fact: Partial<Fact> } | { added: Partial<Added> }

/** What the model said last. */
export interface Ended {
  finishReason: "stop" | "length"
}
