/** What every step of a turn may use. `app/chat.ts` fills it; a step takes the whole and destructures what it needs. */
import type { Filter } from "../access/filter/filter.ts"
import type { View } from "../access/view.ts"
import type { ModelCatalog } from "../backends/index.ts"
import type { Usage } from "../governance/usage/usage.ts"
import type { TokenMeter } from "../grounding/tokens.ts"
import type { RedactionRules } from "../grounding/under-guard.ts"
import type { WholeTexts } from "../library/whole-texts.ts"
import type { SearchService } from "../search/types.ts"
import type { StoredBytes } from "../storage/blobs/blobs.ts"
import type { Idempotency } from "../storage/idempotency.ts"
import type { ToolContext } from "../tools/tool.ts"
import type { ConversationStore } from "./conversation-store.ts"
import type { SummaryStore } from "./history/summary-store.ts"
import type { MessageImages } from "./images/message-images.ts"
import type { KeptAnswerStore } from "./kept-answer-store.ts"
import type { LiveEvents } from "./live-events.ts"
import type { QueryRewriter } from "./query-rewriter.ts"
import type { NoteStore } from "./reading/note-store.ts"
import type { RecordStore } from "./record/record-store.ts"
import type { Replies } from "./replies.ts"
import type { ReplyStore } from "./reply-store.ts"

export interface ChatDependencies extends RedactionRules {
  store: ConversationStore
  replyStore: ReplyStore
  /** How answers were made. */
  records: RecordStore
  /** Those that are written here. */
  replies: Replies
  /** Those that are written anywhere. */
  live: LiveEvents
  /** Answers whose questions came with their own messages. */
  kept: KeptAnswerStore
  summaries: SummaryStore
  /** Pictures of messages. */
  images: MessageImages
  idempotency: Idempotency
  models: ModelCatalog
  search: SearchService
  files: ChatFiles
  /** Longest wait for given files that are still being indexed. */
  fileWaitMs: number
  /** For answers that are made from whole files. */
  texts: WholeTexts
  notes: NoteStore
  /** Notes that one model is asked for at the same time. */
  notesAtOnce: number
  /** What tools work with that a model is lent. */
  bench: Bench
  meter: TokenMeter
  /** Whom what models take is counted for. */
  usage: Usage
  rewriter: QueryRewriter
  /** The operator's bound on windows, in tokens; 0 for the models' own. */
  maxContextTokens: number
}

/** What tools work with. */
export type Bench = Pick<ToolContext, "library" | "tables" | "evaluator">

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
  sha256: string
  status: string
}
