/** What a turn is made of, and what has come of it so far. */
import type { ResolvedModel } from "../backends/index.ts"
import type { Guard } from "../grounding/guard.ts"
import type { Scope } from "../grounding/scope.ts"
import { type Guarded, NOTHING } from "../guarded.ts"
import type { Warning } from "../storage/document.ts"
import type { ConversationRow, MessageRow } from "./conversation-rows.ts"
import type { QueryRewriter } from "./query-rewriter.ts"
import type { RetrievalDependencies } from "./retrieval.ts"
import type { ChatSettings } from "./settings.ts"
import type { TokenMeter } from "./tokens.ts"
import type { Citation, FinishReason, Source, Usage } from "./types.ts"

export interface Turn {
  workspaceId: string
  conversation: ConversationRow
  /** The conversation was made by this turn. */
  created: boolean
  /** Messages before the one that is answered, oldest first. */
  history: MessageRow[]
  userMessage: MessageRow
  replyId: string
  /** Its texts redacted already. */
  settings: ChatSettings
  scope: Scope
  model: ResolvedModel
  guard: Guard
  /** A reply that was cut and is written on; null for a new one. */
  continued: { written: Guarded<string>; sources: Source[]; nerCount: number } | null
  /** Found in message and system prompt when this turn was prepared. */
  promptEntities: number
}

/** What has come of a turn so far. */
export interface Draft {
  content: Guarded<string>
  sources: Source[]
  citations: Citation[]
  warnings: Warning[]
  finishReason: FinishReason
  usage: Usage
  contextTokens: number | null
  searchMs: number
  startedAt: number
  firstTokenAt: number | null
}

export const newDraft = (): Draft => ({
  content: NOTHING,
  sources: [],
  citations: [],
  warnings: [],
  finishReason: "stop",
  usage: { prompt_tokens: 0, completion_tokens: 0 },
  contextTokens: null,
  searchMs: 0,
  startedAt: performance.now(),
  firstTokenAt: null,
})

export interface ReplyDependencies extends RetrievalDependencies {
  meter: TokenMeter
  rewriter: QueryRewriter
  /** The operator's bound on windows; 0 for the models' own. */
  maxContextTokens: number
}
