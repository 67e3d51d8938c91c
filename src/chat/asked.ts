/** What an answer is made from. */
import type { View } from "../access/view.ts"
import type { ChatImage, ChatTurn, ToolChoice, ToolDefinition } from "../backends/backend.ts"
import type { ResolvedModel } from "../backends/index.ts"
import type { Guard } from "../grounding/guard.ts"
import type { Source } from "../grounding/passages.ts"
import type { Scope } from "../grounding/scope.ts"
import type { Guarded } from "../guarded.ts"
import type { Tool } from "../tools/tool.ts"
import type { Memory } from "./history/summary.ts"
import type { Excerpt, PlacedUse } from "./record/facts.ts"
import type { ChatSettings } from "./settings.ts"

/** Tools of the caller: offered to the model, whose calls are told and never carried out. */
export interface OfferedTools {
  definitions: ToolDefinition[]
  choice?: ToolChoice
  /** False: at most one call. */
  parallel?: boolean
}

/** Tools of the daemon that a model may use by itself. */
export interface Lent {
  tools: readonly Tool[]
  /** Empty in a turn in which nothing may be called. */
  definitions: ToolDefinition[]
  /** For the model: the files that the tools reach. */
  guide: string
  /** What the guide quotes of files. */
  excerpts: readonly Excerpt[]
  /** Calls so far and their results, which shrink where the window is too small. */
  exchanges: readonly ChatTurn[]
  /** What the model is told behind them: that nothing more can be called. */
  note?: string
}

/** Calls of a reply that was cut. */
export interface KeptCalls {
  /** As they are kept; what is deleted of their results is empty. */
  uses: readonly PlacedUse[]
  /** As the model may see them: text before calls, calls, results. */
  exchanges: readonly ChatTurn[]
  /** What the reply says behind its last call. */
  rest: Guarded<string>
}

/** A reply that was cut. */
export interface Cut {
  written: Guarded<string>
  /** The passages that its marks cite, those of its calls included. */
  sources: Source[]
  calls: KeptCalls
}

export interface PassageRules {
  limit?: number
  /** 0..1 */
  minRelevance?: number
}

/** Checked, every text as the model may see it. */
export interface Asked {
  view: View
  /** Where the answer is kept; absent outside of conversations. */
  conversationId?: string
  model: ResolvedModel
  guard: Guard
  scope: Scope
  settings: Pick<
    ChatSettings,
    "system_prompt" | "use_library" | "options" | "thinking" | "reading" | "tools" | "response_format"
  >
  /** What was said before the message, oldest first. */
  history: readonly ChatTurn[]
  /** How what is too long for the window is remembered; null where it is left out. */
  memory: Memory | null
  /** What stands for what was said before the history. */
  summary?: Guarded<string>
  /** It could not be made of all that it should stand for. */
  unsummarized?: boolean
  /** The message that is answered, and searched with; null where there is none. */
  message: string | null
  /** Name of the request's field that holds it, for errors. */
  field: string
  /** Of the message. */
  images: readonly ChatImage[]
  /** What followed the message: calls of the model, and their results. */
  after: readonly ChatTurn[]
  tools: OfferedTools | null
  /** Tools of the daemon that the model may use for this answer. */
  lent?: Lent
  passages?: PassageRules
  /** A reply that was cut and is written on; null for a new one. */
  continued: Cut | null
  /** The window that the conversation asked for last, in tokens. */
  contextTokens: number | null
}
