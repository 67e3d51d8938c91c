/** What every step of a turn may use. `app/chat.ts` fills it; a step takes the whole and destructures what it needs. */
import type { Filter } from "../access/filter/filter.ts"
import type { View } from "../access/view.ts"
import type { ModelCatalog } from "../backends/index.ts"
import type { TokenMeter } from "../grounding/tokens.ts"
import type { RedactionRules } from "../grounding/under-guard.ts"
import type { SearchService } from "../search/types.ts"
import type { StoredBytes } from "../storage/blobs/blobs.ts"
import type { Idempotency } from "../storage/idempotency.ts"
import type { ConversationStore } from "./conversation-store.ts"
import type { KeptAnswerStore } from "./kept-answer-store.ts"
import type { LiveEvents } from "./live-events.ts"
import type { QueryRewriter } from "./query-rewriter.ts"
import type { Replies } from "./replies.ts"
import type { ReplyStore } from "./reply-store.ts"

export interface ChatDependencies extends RedactionRules {
  store: ConversationStore
  replyStore: ReplyStore
  /** Those that are written here. */
  replies: Replies
  /** Those that are written anywhere. */
  live: LiveEvents
  /** Answers whose questions came with their own messages. */
  kept: KeptAnswerStore
  idempotency: Idempotency
  models: ModelCatalog
  search: SearchService
  files: ChatFiles
  /** Longest wait for given files that are still being indexed. */
  fileWaitMs: number
  meter: TokenMeter
  rewriter: QueryRewriter
  /** The operator's bound on windows, in tokens; 0 for the models' own. */
  maxContextTokens: number
}

/** What chat asks of the library. */
export interface ChatFiles {
  /** Those of the files that exist and pass the filter, in the given order; one query. */
  existing(view: View, fileIds: readonly string[], filter?: Filter | null): Promise<ChatFile[]>
  /** Ids of the files that were uploaded with this context. */
  idsOfContext(view: View, contextId: string): Promise<string[]>
  /** Whether there are any. */
  hasContext(view: View, contextId: string): Promise<boolean>
  /** The original. @throws AppError not_found */
  content(view: View, fileId: string): Promise<{ bytes: StoredBytes }>
  /** Calls `listener` when the record of one of the files has changed. @returns ends that */
  listen(fileIds: readonly string[], listener: () => void): () => void
}

/** A file as chat knows it; a FileRecord has all of these. */
export interface ChatFile {
  id: string
  name: string
  mime_type: string
  size: number
  status: string
}
