// Made by `npm run sdk:generate` from the OpenAPI document of the product. Do not edit.
import { ApiError } from "./api-error.ts"

/** The version of the product that these types are of. */
export const VERSION = "0.1.0"

export interface AnswerRecord {
  conversation_id: string
  message_id: string
  model: {
    value: string
    provider: string
    local: boolean
    context_length: number | null
    size_bytes: number | null
  }
  /** All in force; those that were left to the model are absent */
  options: {
    temperature?: number
    top_p?: number
    max_tokens?: number
    seed?: number
    stop?: string[]
    use_library: boolean
    thinking: boolean
    reading: "auto" | "passages" | "whole"
    tools: Array<"query_table" | "calculate" | "read_file">
    history: "summarize" | "truncate"
    response_format: "json" | Record<string, unknown> | null
    /** Window that the model was asked for */
    context_tokens: number | null
  }
  /** Changes with any of the daemon's own words in prompts, and with its version */
  prompt_version: string
  /** The search index; null where nothing was searched */
  index_generation: {
    /** How often the library had changed */
    library_changes: number
    embedding_model: string
    vectors: {
      done: number
      total: number
      tier: string
    }
    degraded: string | null
  } | null
  /** What was searched with; `rewritten` where a model wrote it */
  query: {
    text: string
    rewritten: boolean
  } | null
  scope: {
    file_ids: string[] | null
    context_id: string | null
  }
  filter: Filter | null
  /** Names in the acl of files by which the caller saw them; null: whatever the acl */
  principals: string[] | null
  /** Whose credentials; what narrows them is told to those who see the whole workspace */
  asked_by: {
    type: "key" | "user"
    id: string
    end_user: string | null
    contexts: string[] | null
    filters: Filter[] | null
  } | null
  /** What the model was given, by number */
  passages: RecordedPassage[]
  /** What was found or said and did not reach the model */
  dropped: DroppedMaterial[]
  tool_calls: RecordedToolCall[]
  /** On parts of files that were too long to be given, which the model was given instead; the passages are what they cite. Null where a file is deleted or not seen */
  notes: Array<string | null>
  /** Rules in force and what was replaced, by kind; never the values */
  redaction: {
    on: boolean
    /** Digest of the rules in force */
    rules: string | null
    searched_kinds: string[]
    custom_patterns: number
    excluded: number
    kinds: Record<string, unknown>
    count: number
    partial: boolean
  }
  /** Null where no model was asked, or where it was too long to be kept */
  prompt: RecordedPrompt | null
  usage: {
    prompt_tokens: number
    completion_tokens: number
  }
  timings: {
    search_ms: number
    first_token_ms: number
    total_ms: number
  }
  warnings: AnswerWarning[]
  /** Null of a reply that is being written */
  finish_reason: "stop" | "length" | "cancelled" | "error" | null
  error: StoredError | null
  created_at: string
  difference?: PassageDifference
}

export interface AnswerWarning {
  code: string
  message: string
  /** Of `foreign_link`: addresses, at most 20; show links and pictures that lead there as text */
  addresses?: string[]
  /** Of `foreign_link`: further addresses that are not named */
  more?: number
}

export interface ApiKey {
  id: string
  name: string
  client_id: string
  workspace: string
  /** The user whose access the key is; it works while `active`, that is, the user is enabled and in the workspace. Null for keys of the command line. */
  owner: {
    id: string
    name: string
    email: string
    active: boolean
  } | null
  scopes: Array<"models:read" | "files:read" | "files:write" | "search" | "chat" | "agents" | "sources" | "webhooks" | "batches" | "usage" | "audit" | "retention" | "tokens">
  rate_limit_per_minute: number | null
  /** Only files of these contexts exist for the key; uploads go there. Null: all */
  context_ids: string[] | null
  /** Values and globs, such as `ollama/*`; null: all */
  models: string[] | null
  /** Only files that pass it exist for the key; null: all */
  filter: Filter | null
  /** Requests and tokens of a day in UTC, and bytes that it holds; beyond it `quota_exceeded` */
  quota: {
    requests_per_day?: number
    tokens_per_day?: number
    bytes_stored?: number
  } | null
  expires_at: string | null
  created_at: string
  last_used_at: string | null
  revoked_at: string | null
}

export interface Approval {
  id: string
  /** `index` of the step that waits for it */
  step: number
  tool: string
  arguments: Record<string, unknown>
  status: "pending" | "approved" | "denied" | "expired" | "cancelled"
  reason: string | null
  decided_by: {
    type: "key" | "user"
    id: string
    name: string
    end_user: string | null
  } | null
  created_at: string
  expires_at: string
  decided_at: string | null
}

export interface ApprovalDecidedEvent {
  id: number
  event: "approval_decided"
  data: Approval
}

export interface ApprovalRequestedEvent {
  id: number
  event: "approval_requested"
  data: Approval
}

export interface AuditList {
  data: AuditRow[]
  next: string | null
}

export interface AuditRow {
  audit_version: number
  workspace_id: string
  seq: number
  id: string
  ts: string
  action: string
  outcome: "success" | "denied" | "failure"
  actor: {
    type: "key" | "token" | "user" | "link" | "anonymous" | "command" | "system"
    id: string | null
    /** As it was then */
    name: string
  }
  resource_type: string | null
  resource_id: string | null
  request_id: string | null
  endpoint: string | null
  source_ip: string | null
  /** Names of fields, counts and codes; no contents */
  details: Record<string, unknown>
  /** `hash` of the row before; empty for the first */
  prev_hash: string
  hash: string
}

export interface AuditVerification {
  ok: boolean
  /** Looked at until the first bad one */
  rows: number
  /** The first row that is changed, follows a gap, or is gone from the end */
  first_bad: string | null
  reason: "changed" | "missing" | "cut" | "anchor" | null
}

export interface Batch {
  id: string
  object: "batch"
  /** What all requests call; null where they differ, or while that is not known */
  endpoint: string | null
  /** Why it failed: what is wrong with the input, the first 100, or what ended it */
  errors: {
    object: "list"
    data: BatchError[]
  } | null
  input_file_id: string
  completion_window: string
  status: "validating" | "in_progress" | "finalizing" | "completed" | "failed" | "expired" | "cancelling" | "cancelled"
  /** Answers with a status of success */
  output_file_id: string | null
  /** All other requests */
  error_file_id: string | null
  /** Seconds since 1970 */
  created_at: number
  /** Seconds since 1970 */
  in_progress_at: number | null
  /** Seconds since 1970 */
  expires_at: number
  /** Seconds since 1970 */
  finalizing_at: number | null
  /** Seconds since 1970 */
  completed_at: number | null
  /** Seconds since 1970 */
  failed_at: number | null
  /** Seconds since 1970 */
  expired_at: number | null
  /** Seconds since 1970 */
  cancelling_at: number | null
  /** Seconds since 1970 */
  cancelled_at: number | null
  request_counts: {
    total: number
    /** Answered with success */
    completed: number
    /** Answered otherwise */
    failed: number
  }
  metadata: Record<string, unknown> | null
}

export interface BatchCompletedStreamed {
  id: string
  event: "batch.completed"
  data: EventRecord
}

export interface BatchError {
  code: string
  message: string
  param: string | null
  /** Of the input, from 1 */
  line: number | null
}

export interface BatchFailedStreamed {
  id: string
  event: "batch.failed"
  data: EventRecord
}

export interface BatchList {
  object: "list"
  data: Batch[]
  first_id: string | null
  last_id: string | null
  has_more: boolean
}

export interface BatchRequest {
  /** Its own within the batch */
  custom_id: string
  method?: "POST"
  /** /v1/chat/completions, /v1/embeddings, /v1/responses, /external/conversations, /external/agents/run, /external/search, /external/redact */
  url: string
  body: Record<string, unknown>
}

export interface ChatCompletion {
  id: string
  /** Unix seconds */
  created: number
  model: string
  object: "chat.completion"
  choices: Array<{
    index: number
    message: {
      role: "assistant"
      content: string | null
      refusal: null
      annotations: UrlCitation[]
      reasoning_content?: string
      tool_calls?: Array<{
        id: string
        type: "function"
        function: {
          name: string
          /** JSON */
          arguments: string
        }
      }>
    }
    logprobs: null
    finish_reason: "stop" | "length" | "tool_calls"
  }>
  usage: {
    /** As the model counts them */
    prompt_tokens: number
    completion_tokens: number
    total_tokens: number
  }
  carrel: CompletionExtension
}

export interface ChatCompletionChunk {
  id: string
  /** Unix seconds */
  created: number
  model: string
  object: "chat.completion.chunk"
  choices: Array<{
    index: number
    delta: {
      role?: "assistant"
      content?: string
      reasoning_content?: string
      tool_calls?: Array<{
        index: number
        id: string
        type: "function"
        function: {
          name: string
          /** JSON */
          arguments: string
        }
      }>
      annotations?: UrlCitation[]
    }
    logprobs: null
    finish_reason: "stop" | "length" | "tool_calls" | null
  }>
  usage?: {
    /** As the model counts them */
    prompt_tokens: number
    completion_tokens: number
    total_tokens: number
  } | null
  carrel?: CompletionExtension
}

export interface Citation {
  /** The [n] in the content */
  index: number
  file_id: string
  chunk_id: string
  name: string
  position: Position
  /** Opens the passage in its document, without sign-in, for 24 hours; see `GET /view/{file_id}` */
  url: string
}

export interface CompatibleModel {
  /** What requests name */
  id: string
  object: "model"
  /** When this daemon started, unix seconds */
  created: number
  owned_by: string
}

export interface CompatibleModels {
  object: "list"
  data: CompatibleModel[]
}

export interface CompletionExtension {
  /** Every passage that the model was given */
  sources: Source[]
  /** Those that the content cites */
  citations: Citation[]
  /** Values that were redacted */
  ner_count: number
  warnings: AnswerWarning[]
  /** With `store` */
  conversation_id?: string
}

export interface CompletionMessage {
  role: "system" | "developer" | "user" | "assistant" | "tool"
  content?: string | ContentPart[] | null
  /** Of an assistant; a tool message for each must follow */
  tool_calls?: Array<{
    id: string
    type: "function"
    function: {
      name: string
      /** JSON */
      arguments: string
    }
  }> | null
  /** Of a tool message: the call that it answers */
  tool_call_id?: string | null
}

export interface ContentPart {
  type: string
  text?: string | null
  refusal?: string | null
  image_url?: {
    /** `data:image/…;base64,…`: nothing is fetched */
    url: string
    detail?: string | null
  } | null
}

export interface Conversation {
  conversation_id: string
  title: string
  model: string
  ner_count: number
  message_count: number
  additional_metadata: Record<string, unknown>
  pinned: boolean
  /** Name of the group that it is kept in */
  folder: string | null
  /** The key or console user that made it; null where a former version did not know */
  owner: Owner | null
  end_user: string | null
  /** It is somebody else's, who lets the caller read it, and nothing more */
  shared: boolean
  /** Who reads it besides those who see it anyway: some users, or all of the workspace */
  shared_with: "users" | "workspace" | null
  created_at: string
  updated_at: string
  settings: ConversationSettings
  /** What models are given for the messages up to this one, which were too many for a window */
  summary: {
    text: string
    up_to_message_id: string
  } | null
  messages: Message[]
}

export interface ConversationCreatedEvent {
  id: number
  event: "conversation_created"
  data: {
    conversation_id: string
    model: string
    created_at: string
    additional_metadata: Record<string, unknown>
  }
}

export type ConversationEvent = ConversationCreatedEvent | MessageStartedEvent | StatusEvent | WarningEvent | RedactionEvent | SourcesEvent | ToolCallEvent | ToolResultEvent | ThinkingDeltaEvent | MessageDeltaEvent | MessageCompletedEvent | ErrorEvent | DoneEvent

export interface ConversationFolders {
  data: string[]
}

export interface ConversationList {
  data: ConversationSummary[]
  pagination: Pagination
}

/** What the next message is asked with where its request does not say */
export interface ConversationSettings {
  /** Null also for who only reads the conversation, and for the token of an end user */
  system_prompt: string | null
  options: {
    temperature?: number
    top_p?: number
    max_tokens?: number
    seed?: number
    stop?: string[]
  }
  use_library: boolean
  context_id: string | null
  file_ids: string[]
  filter: Filter | null
  thinking: boolean
  reading: "auto" | "passages" | "whole"
  tools: Array<"query_table" | "calculate" | "read_file">
  history: "summarize" | "truncate"
  /** True also where the daemon or the workspace insists on it */
  redaction: boolean
}

export interface ConversationSummary {
  conversation_id: string
  title: string
  model: string
  ner_count: number
  message_count: number
  additional_metadata: Record<string, unknown>
  pinned: boolean
  /** Name of the group that it is kept in */
  folder: string | null
  /** The key or console user that made it; null where a former version did not know */
  owner: Owner | null
  end_user: string | null
  /** It is somebody else's, who lets the caller read it, and nothing more */
  shared: boolean
  /** Who reads it besides those who see it anyway: some users, or all of the workspace */
  shared_with: "users" | "workspace" | null
  created_at: string
  updated_at: string
}

export interface Correction {
  /** Of the query, in lower case and without accents */
  word: string
  /** Looked up in its place, the commonest in the library first */
  tried: string[]
}

export interface CountedHold {
  id: string
  name: string
  filter: Filter | null
  end_user: string | null
  context_id: string | null
  created_at: string
  /** How many of each it covers now */
  covered: {
    files: number
    conversations: number
    runs: number
  }
}

export interface DeletedFileObject {
  id: string
  object: "file"
  deleted: true
}

export interface DeletedResponse {
  id: string
  object: "response"
  deleted: true
}

export interface DeletedVectorStore {
  id: string
  object: "vector_store.deleted"
  deleted: true
}

export interface DeletedVectorStoreFile {
  id: string
  object: "vector_store.file.deleted"
  deleted: true
}

export interface Delivery {
  event_id: string
  type: string
  /** `pending`: it is sent again at `next_attempt_at` */
  status: "pending" | "succeeded" | "failed"
  attempts: number
  /** Of the last answer; null where there was none */
  status_code: number | null
  /** Its first bytes */
  response: string | null
  /** Why the receiver did not take it */
  error: string | null
  duration_ms: number | null
  first_attempt_at: string
  last_attempt_at: string | null
  next_attempt_at: string | null
}

export interface DeliveryList {
  data: Delivery[]
  pagination: Pagination
}

export interface DocumentsAnswer {
  documents: FoundDocument[]
  /** The first of these that holds. `keyword_only`: the embedding model is down, or knows nothing of the query of a `semantic` search, such as its language: words alone were searched. `not_reranked`: too much else waited for the reranking model, or it is down: the order is that of a search without. `vectors_pending`: some passages have no vector yet, and are found by words alone. That passages still wait for better vectors is said by `index.vectors` alone */
  degraded: "keyword_only" | "not_reranked" | "vectors_pending" | null
  /** Passages that the reranking model judged; only with `rerank`. Those in languages that it does not know keep their places, as do all for such a query */
  reranked?: number
  took_ms: number
}

export interface DoneEvent {
  id: number
  event: "done"
  /** Always the last event of a reply and of a run */
  data: Record<string, unknown>
}

export interface DroppedMaterial {
  kind: "passage" | "messages" | "part" | "picture"
  /** No room in the window; told in a summary; could not be read; gone since */
  reason: "window" | "summarized" | "failed" | "gone"
  /** Of messages: how many of the oldest */
  count?: number
  file_id?: string
  chunk_id?: string
  name?: string
  score?: number
}

export interface Embeddings {
  object: "list"
  data: Array<{
    object: "embedding"
    index: number
    /** Of length 1; zeros for a text of which the model knows nothing */
    embedding: number[] | string
  }>
  model: string
  usage: {
    /** Estimated */
    prompt_tokens: number
    total_tokens: number
  }
}

export interface Entity {
  kind: string
  category: "personal" | "financial" | "credentials" | "custom"
  /** UTF-16 offset into the given text */
  start: number
  end: number
  score: number
}

export interface ErrorEnvelope {
  error: {
    code: string
    message: string
    /** Bad fields, or what else belongs to the code */
    details?: Array<Record<string, unknown>>
    /** For the operator: what was tried, what to set */
    hint?: string
    request_id: string
  }
}

export interface ErrorEvent {
  id: number
  event: "error"
  data: {
    error: {
      code: string
      message: string
      /** Bad fields, or what else belongs to the code */
      details?: Array<Record<string, unknown>>
      /** For the operator: what was tried, what to set */
      hint?: string
      request_id?: string
    }
    /** The reply that failed */
    message_id?: string
  }
}

export interface EventList {
  data: EventRecord[]
  /** Null while there is no event */
  next: string | null
}

export interface EventRecord {
  id: string
  type: "file.searchable" | "file.failed" | "file.deleted" | "batch.completed" | "batch.failed" | "job.completed" | "run.completed" | "run.failed" | "run.timed_out" | "run.cancelled" | "run.waiting_for_approval" | "schedule.failed" | "source.synced" | "source.failed" | "source.guarded" | "key.expiring" | "retention.applied" | "storage.low" | "webhook.disabled"
  timestamp: string
  /** `id` of what it is about, and little more: ask for the rest by it */
  data: Record<string, unknown>
}

export interface Facets {
  facets: Record<string, unknown>
  total_files: number
}

export interface FileAccess {
  visible: boolean
  reason: string
  acl: string[] | null
  context_id: string | null
}

export interface FileDeletedStreamed {
  id: string
  event: "file.deleted"
  data: EventRecord
}

export interface FileEvent {
  id: number
  event: "file"
  data: FileRecord
}

export interface FileFailedStreamed {
  id: string
  event: "file.failed"
  data: EventRecord
}

export interface FileList {
  data: FileRecord[]
  pagination: Pagination
  /** Leads to what follows; null at the end */
  next: string | null
  /** Leads to what goes before; null at the beginning */
  previous: string | null
}

export interface FileObject {
  id: string
  object: "file"
  bytes: number
  /** Seconds since 1970 */
  created_at: number
  filename: string
  /** `assistants` for files that came in otherwise */
  purpose: string
  /** `processed` once it can be found, `error` when it cannot be read */
  status: "uploaded" | "processed" | "error"
  /** Why it could not be read */
  status_details?: string
}

export interface FileObjectList {
  object: "list"
  data: FileObject[]
  first_id: string | null
  last_id: string | null
  has_more: boolean
}

export interface FileRecord {
  id: string
  name: string
  /** Extension, without the dot */
  type: string
  mime_type: string
  /** Bytes */
  size: number
  sha256: string
  status: "queued" | "indexing" | "searchable" | "failed"
  /** While indexing: extracting, ocr, chunking, embedding, committing */
  stage: string | null
  progress: number
  error: Issue | null
  /** What was skipped or is doubtful */
  warnings: Issue[]
  attempts: number
  page_count: number | null
  ocr_page_count: number
  chunk_count: number | null
  character_count: number | null
  context_id: string | null
  tags: string[]
  metadata: Record<string, unknown>
  /** Principals that may see it, such as `group:hr`; null: everyone in the workspace */
  acl: string[] | null
  /** What the system that brought it calls it */
  external_id: string | null
  /** Where it comes from, if a source keeps it in sync */
  source: {
    source_id: string
    /** The entry of the source */
    key: string
    url: string | null
    /** Changes with the entry's content */
    fingerprint: string | null
  } | null
  /** Where it can be seen in the place that it comes from */
  url: string | null
  created_at: string
  updated_at: string
  indexed_at: string | null
  /** Only in the answer to an upload: it was there already */
  duplicate?: true
  /** Only in the answer to an upload: the same bytes are known under its external id or its entry */
  unchanged?: true
}

export interface FileSearchableStreamed {
  id: string
  event: "file.searchable"
  data: EventRecord
}

export type FileStreamEvent = FileEvent | ErrorEvent | DoneEvent

/** `{type, key, value}` with one of eq, ne, gt, gte, lt, lte, in, nin, contains, starts_with, exists, or `{type, filters}` with and, or, not. Keys are file.id, .name, .type, .size, .sha256, .external_id, .context_id, .tags, .status, .source_id, .created_at, .updated_at and metadata.<path>. At most 6 levels and 100 comparisons; joined by and with what else narrows. A bad one is 422 and its place is named */
export type Filter = unknown

export interface FoundDocument {
  file: FileRecord
  score: number
  /** How surely this answers the query, comparable between queries: of the hits at .5 about half are right, and filters do not change it. `score` only orders the hits of one answer. */
  relevance: number
  passages: Hit[]
}

export interface FunctionTool {
  type: string
  function?: {
    name: string
    description?: string | null
    parameters?: Record<string, unknown> | null
    strict?: boolean | null
  } | null
}

export interface GraphqlErrorExtensions {
  /** As of all errors */
  code: string
  request_id?: string
  details?: Array<Record<string, unknown>>
  hint?: string
  /** Seconds until a retry makes sense */
  retry_after?: number
}

export interface GraphqlFieldError {
  message: string
  locations?: GraphqlLocation[]
  /** The field that failed */
  path?: Array<string | number>
  extensions: GraphqlErrorExtensions
}

export interface GraphqlLocation {
  line: number
  column: number
}

export interface GraphqlQuery {
  /** A document; at most 100 000 characters and 2 000 tokens. Not needed with its hash */
  query?: string | null
  /** Which one, of a document with several */
  operationName?: string | null
  variables?: Record<string, unknown> | null
  /** `persistedQuery: {version: 1, sha256Hash}` names a query that was sent before by its hash */
  extensions?: Record<string, unknown> | null
}

export interface GraphqlResult {
  /** As the query asks for it; null where the hash of a persisted query is not known */
  data: Record<string, unknown> | null
  /** Of the fields that are null because they failed */
  errors?: GraphqlFieldError[]
  extensions: {
    /** Of this query */
    cost: number
    /** What one query may cost */
    max_cost: number
  }
}

/** `ok` of the process; the others of its readiness */
export interface Health {
  status: "ok" | "ready" | "degraded" | "starting" | "model_failed" | "unwritable" | "without_database" | "cut_off"
  /** Engines of several machines that do not answer; absent on one machine */
  missing?: Array<"database" | "blobs" | "search">
}

export interface Hit {
  id: string
  score: number
  /** How surely this answers the query, comparable between queries: of the hits at .5 about half are right, and filters do not change it. `score` only orders the hits of one answer. */
  relevance: number
  /** Exactly the slice of the file's text that `position` names */
  text: string
  /** Offsets into `text` */
  highlights: Array<{
    start: number
    end: number
  }>
  file: {
    id: string
    name: string
    type: string
    context_id: string | null
    tags: string[]
  }
  position: Position
  /** Opens the passage in its document, without sign-in, for 24 hours; see `GET /view/{file_id}` */
  url: string
  /** Only with `explain`; `rerank` only where it was asked for, null where the model judged nothing */
  scores?: {
    keyword: {
      rank: number
      score: number
    } | null
    semantic: {
      rank: number
      score: number
    } | null
    rerank?: {
      rank: number
      score: number
    } | null
    /** Words of this passage that were looked up in the place of misspelt ones */
    corrected?: string[]
  }
}

export interface HitGroup {
  file_id: string
  score: number
  /** How surely this answers the query, comparable between queries: of the hits at .5 about half are right, and filters do not change it. `score` only orders the hits of one answer. */
  relevance: number
  /** How many of `hits` are this file's: they follow each other */
  hits: number
}

export interface Hold {
  id: string
  name: string
  filter: Filter | null
  end_user: string | null
  context_id: string | null
  created_at: string
}

export interface HoldList {
  data: Hold[]
  pagination: Pagination
}

export interface Issue {
  code: string
  message: string
}

export interface Job {
  job_id: string
  kind: string
  status: "queued" | "running" | "completed" | "failed" | "cancelled"
  /** Files dealt with, those that failed included */
  done: number
  total: number
  /** Ids of files that could not be dealt with, the first 1 000 */
  failed: string[]
  created_at: string
  finished_at: string | null
  /** Of a deletion: the receipt of all its files, which is written when no store has them any more. Null also where it deleted none, such as one whose files all are held: `failed` names these */
  receipt_id: string | null
}

export interface JobCompletedStreamed {
  id: string
  event: "job.completed"
  data: EventRecord
}

export interface KeyExpiringStreamed {
  id: string
  event: "key.expiring"
  data: EventRecord
}

export interface KeyList {
  data: ApiKey[]
  pagination: Pagination
}

export interface LibrarySummary {
  /** Files */
  total: number
  by_status: {
    queued: number
    indexing: number
    searchable: number
    failed: number
  }
  /** Files by the code of their error */
  by_error: Record<string, unknown>
  /** Files by the code of each warning that they have */
  warnings: Record<string, unknown>
  bytes: number
  pages: number
  ocr_pages: number
  /** Passages */
  chunks: number
}

export interface ManifestAnswer {
  /** Keys that are new or have changed, to be uploaded with `source_id` and `source_key` */
  upload: string[]
  /** Entries */
  unchanged: number
  /** Files */
  deleted: number
  /** Entries that the source's rules leave out, or that are empty */
  skipped: number
  /** Entries as they were that cannot be found, and why; asked for again once they change */
  failed: Array<{
    key: string
    error: Issue
  }>
  /** Only with `dry_run`: so much would be deleted that it must be forced */
  guarded: boolean
}

export interface Message {
  id: string
  role: "user" | "assistant"
  content: string
  citations: Citation[]
  /** Pictures that came with it */
  images: Array<{
    mime_type: string
    /** Bytes */
    size: number
    /** Path of GET …/images/{place}, for the same credentials */
    url: string
  }>
  /** Null for a user's message and while a reply is being written */
  finish_reason: "stop" | "length" | "cancelled" | "error" | null
  model: string | null
  /** Values that were redacted */
  ner_count: number
  error: StoredError | null
  /** What the stream of the reply warned of: `context_truncated`, `keyword_only_search`, `library_unavailable` where the library could not be searched, `invalid_citation`, `foreign_link` where it leads to addresses that stand in nothing the model was given, or `redaction_partial` where the text held writing whose names are not known to redaction */
  warnings: AnswerWarning[]
  /** Calls of tools that were carried out for the reply; its record tells them */
  tool_calls: number
  /** What its reader thought of an answer */
  feedback: {
    rating: "up" | "down"
    /** Empty for none */
    note: string
  } | null
  /** Answers that it took the place of when it was written anew, oldest first, 20 at most */
  variants: Array<{
    /** What the answer was called when it was written */
    id: string
    content: string
    citations: Citation[]
    finish_reason: "stop" | "length" | "cancelled" | "error" | null
    model: string | null
    ner_count: number
    warnings: AnswerWarning[]
    /** What its reader thought of an answer */
    feedback: {
      rating: "up" | "down"
      /** Empty for none */
      note: string
    } | null
    created_at: string
  }>
  created_at: string
}

export interface MessageCompletedEvent {
  id: number
  event: "message_completed"
  data: {
    message_id: string
    /** The joined deltas */
    content: string
    citations: Citation[]
    finish_reason: "stop" | "length" | "cancelled" | "error"
    usage: {
      prompt_tokens: number
      completion_tokens: number
    }
    ner_count: number
    timings: {
      search_ms: number
      first_token_ms: number
      total_ms: number
    }
  }
}

export interface MessageDeltaEvent {
  id: number
  event: "message_delta"
  data: {
    text: string
  }
}

export interface MessageStartedEvent {
  id: number
  event: "message_started"
  data: {
    message_id: string
    conversation_id: string
    model: string
    user_message_id: string
  }
}

export interface Model {
  label: string
  /** What requests name */
  value: string
  available: boolean
  status: "loaded" | "ready" | "unavailable"
  /** Why it is unavailable */
  status_reason: string | null
  provider: string
  /** False where prompts would leave this network */
  local: boolean
  capabilities: Array<"chat" | "tools" | "vision" | "thinking">
  /** Tokens */
  context_length: number | null
  size_bytes: number | null
  /** Used by requests that name no model */
  default: boolean
  checked_at: string
}

export interface NewKey {
  id: string
  name: string
  client_id: string
  workspace: string
  /** The user whose access the key is; it works while `active`, that is, the user is enabled and in the workspace. Null for keys of the command line. */
  owner: {
    id: string
    name: string
    email: string
    active: boolean
  } | null
  scopes: Array<"models:read" | "files:read" | "files:write" | "search" | "chat" | "agents" | "sources" | "webhooks" | "batches" | "usage" | "audit" | "retention" | "tokens">
  rate_limit_per_minute: number | null
  /** Only files of these contexts exist for the key; uploads go there. Null: all */
  context_ids: string[] | null
  /** Values and globs, such as `ollama/*`; null: all */
  models: string[] | null
  /** Only files that pass it exist for the key; null: all */
  filter: Filter | null
  /** Requests and tokens of a day in UTC, and bytes that it holds; beyond it `quota_exceeded` */
  quota: {
    requests_per_day?: number
    tokens_per_day?: number
    bytes_stored?: number
  } | null
  expires_at: string | null
  created_at: string
  last_used_at: string | null
  revoked_at: string | null
  private_key: string
  secret: string
  /** All three values in one: `Authorization: Bearer <token>` */
  token: string
}

export interface NewLink {
  url: string
  expires_at: string
}

export interface NewWebhook {
  id: string
  url: string
  /** Null: all of them */
  types: Array<"file.searchable" | "file.failed" | "file.deleted" | "batch.completed" | "batch.failed" | "job.completed" | "run.completed" | "run.failed" | "run.timed_out" | "run.cancelled" | "run.waiting_for_approval" | "schedule.failed" | "source.synced" | "source.failed" | "source.guarded" | "key.expiring" | "retention.applied" | "storage.low" | "webhook.disabled"> | null
  description: string
  status: "active" | "disabled"
  /** Null while it is active */
  disabled_reason: string | null
  created_at: string
  updated_at: string
  secret: string
}

export interface Owner {
  type: "key" | "user"
  id: string
  name: string
}

export interface Page {
  page: number
  /** As it is shown: points of a PDF, pixels of a picture */
  width: number
  height: number
  /** UTF-16 code units of the extracted text on it */
  characters: number
  /** Its text was recognized */
  ocr: boolean
}

export interface PageMark {
  /** Of the upper left corner, in shares (0 to 1) of the page's width */
  x: number
  /** The same of its height */
  y: number
  width: number
  height: number
}

export type PageMarks = PageMark[]

export type Pages = Page[]

export interface Pagination {
  page: number
  page_size: number
  total_items: number
  total_pages: number
  has_next: boolean
}

/** What the same query in the same scope finds for the caller now */
export interface PassageDifference {
  /** Nothing below differs */
  unchanged: boolean
  compared_at: string
  library_changes: {
    before: number
    now: number
  }
  /** What the searches lacked; where that differs their scores are not compared */
  degraded: {
    before: string | null
    now: string | null
  }
  /** Passages of the answer that would not be given now */
  gone: Array<{
    index: number
    file_id: string
    chunk_id: string
    /** Deleted or not seen by the caller; other bytes now; as it was, and others are found before it */
    reason: "file_gone" | "file_changed" | "outranked"
  }>
  /** Found now and not then */
  added: Source[]
  rescored: Array<{
    index: number
    before: number
    now: number
  }>
}

export interface Position {
  page: number | null
  sheet: string | null
  slide: number | null
  /** Path inside a zip */
  member: string | null
  section: string | null
  /** Offset into the file's extracted text */
  start: number
  end: number
}

export interface PromptTurn {
  role: "system" | "user" | "assistant" | "tool"
  content: string
  images?: Array<{
    mimeType: string
    sha256: string
  }>
  toolCalls?: Array<{
    id: string
    name: string
    arguments: Record<string, unknown>
  }>
  toolCallId?: string
  name?: string
}

export interface Receipt {
  id: string
  /** What was deleted: `file`, `version` (the former bytes of a file that was replaced), `conversation`, `run`, `response`, `batch_file`, `end_user`, `workspace`; or what deleted it: `bulk`, `retention` */
  what: string
  ids: string[]
  /** Of the bytes that were deleted; of an end user that of the name in UTF-8 as well */
  sha256s: string[]
  /** Stores that have none of it */
  removed_from: string[]
  at: string
  /** When the last backup is gone that may hold it, as far as `--backup-retention-days` says; null where it does not */
  backups_until: string | null
  /** Base64 of the Ed25519 signature over the RFC 8785 form of the receipt without it */
  signature: string
}

export interface ReceiptKey {
  kty: "OKP"
  crv: "Ed25519"
  x: string
  kid: string
  use: "sig"
  alg: "EdDSA"
}

export interface ReceiptList {
  data: Receipt[]
  pagination: Pagination
}

/** `name`, `position` and `text` are null where the file is deleted since or is none that the caller sees; the digest of the text stays */
export interface RecordedPassage {
  /** The [n] in the content */
  index: number
  file_id: string
  chunk_id: string
  score: number
  /** Of a file that was given whole */
  whole?: boolean
  name: string | null
  position: Position | null
  text: string | null
  sha256: string
  /** Of the file's bytes when the answer was made */
  file_sha256: string | null
  /** Opens the passage in its document, without sign-in, for 24 hours; see `GET /view/{file_id}` */
  url?: string
}

export interface RecordedPrompt {
  sha256: string
  /** Every text of it is there, so that it can be asked again */
  complete: boolean
  /** With `prompt=true`: what the model read, `[no longer shown]` for texts that are gone or not seen */
  turns?: PromptTurn[]
}

export interface RecordedToolCall {
  id: string
  name: string
  arguments: Record<string, unknown>
  /** Null where a file that it is from is deleted or not seen */
  result: string | null
  is_error: boolean
  duration_ms: number
  file_ids: string[]
}

export interface RedactedText {
  text: string
  ner_count: number
  entities: Entity[]
  warnings: Array<{
    /** the text contains a script in which names and addresses of people are not recognized */
    code: "redaction_partial"
    message: string
  }>
}

export interface RedactionEvent {
  id: number
  event: "redaction"
  data: {
    ner_count: number
    kinds: Record<string, unknown>
  }
}

export interface Redelivery {
  queued: number
}

export interface ReplayedAnswer {
  conversation_id: string
  /** The stored answer */
  message_id: string
  model: string
  content: string
  citations: Citation[]
  finish_reason: "stop" | "length" | "cancelled" | "error"
  /** What the model calls; none is carried out */
  tool_calls: Array<{
    id: string
    name: string
    arguments: Record<string, unknown>
  }>
  usage: {
    prompt_tokens: number
    completion_tokens: number
  }
  ner_count: number
  timings: {
    search_ms: number
    first_token_ms: number
    total_ms: number
  }
  warnings: AnswerWarning[]
  /** The model got what it got then, byte for byte; false where it is redacted by other rules now */
  same_prompt: boolean
  /** It wrote what is stored */
  same_content: boolean
  /** Null where the library cannot be searched */
  difference: PassageDifference | null
}

export interface Reranked {
  id: string
  model: string
  /** Best first; equal ones in the order in which they were given */
  results: Array<{
    /** Of the document as given, from 0 */
    index: number
    relevance_score: number
    document?: {
      text: string
    }
  }>
  usage: {
    /** What the model read */
    total_tokens: number
  }
}

export interface ResponseObject {
  id: string
  object: "response"
  /** Seconds since 1970 */
  created_at: number
  status: "completed" | "failed" | "in_progress" | "cancelled" | "incomplete"
  background: boolean
  store: boolean
  model: string
  output: Array<{
    type: "file_search_call"
    id: string
    status: "in_progress" | "searching" | "completed" | "incomplete"
    queries: string[]
    results: Array<{
      file_id: string
      filename: string
      score: number
      text: string
      attributes: Record<string, unknown>
      page: number | null
      url: string
    }> | null
  } | {
    type: "message"
    id: string
    role: "assistant"
    status: "in_progress" | "completed" | "incomplete"
    content: Array<{
      type: "output_text"
      text: string
      annotations: Array<{
        type: "file_citation"
        /** Where the mark `[n]` begins in the text, in UTF-16 units */
        index: number
        file_id: string
        filename: string
        page: number | null
        /** Opens the passage, without sign-in, for 24 hours */
        url: string
      }>
      logprobs: unknown[]
    }>
  } | {
    type: "function_call"
    id: string
    call_id: string
    name: string
    /** JSON */
    arguments: string
    status: "in_progress" | "completed"
  }>
  error: {
    code: string
    message: string
  } | null
  incomplete_details: {
    reason: "max_output_tokens"
  } | null
  conversation: {
    id: string
  } | null
  previous_response_id: string | null
  instructions: string | null
  max_output_tokens: number | null
  metadata: Record<string, unknown>
  parallel_tool_calls: boolean
  reasoning: {
    effort: string | null
    summary: null
  }
  temperature: number | null
  text: {
    format: Record<string, unknown>
  }
  tool_choice: string | Record<string, unknown>
  tools: Array<Record<string, unknown>>
  top_p: number | null
  truncation: "auto"
  usage: {
    input_tokens: number
    input_tokens_details: {
      cached_tokens: number
    }
    output_tokens: number
    output_tokens_details: {
      reasoning_tokens: number
    }
    total_tokens: number
  } | null
  user: string | null
  /** Values that were redacted */
  ner_count: number
}

export interface ResponseStreamError {
  event: "error"
  data: {
    type: "error"
    sequence_number: number
    code: string
    message: string
    param: null
  }
}

export interface ResponseStreamResponseCompleted {
  event: "response.completed"
  data: {
    type: "response.completed"
    sequence_number: number
    response: ResponseObject
  }
}

export interface ResponseStreamResponseContentPartAdded {
  event: "response.content_part.added"
  data: {
    type: "response.content_part.added"
    sequence_number: number
    output_index: number
    item_id: string
    content_index: number
    part: {
      type: "output_text"
      text: string
      annotations: Array<{
        type: "file_citation"
        /** Where the mark `[n]` begins in the text, in UTF-16 units */
        index: number
        file_id: string
        filename: string
        page: number | null
        /** Opens the passage, without sign-in, for 24 hours */
        url: string
      }>
      logprobs: unknown[]
    }
  }
}

export interface ResponseStreamResponseContentPartDone {
  event: "response.content_part.done"
  data: {
    type: "response.content_part.done"
    sequence_number: number
    output_index: number
    item_id: string
    content_index: number
    part: {
      type: "output_text"
      text: string
      annotations: Array<{
        type: "file_citation"
        /** Where the mark `[n]` begins in the text, in UTF-16 units */
        index: number
        file_id: string
        filename: string
        page: number | null
        /** Opens the passage, without sign-in, for 24 hours */
        url: string
      }>
      logprobs: unknown[]
    }
  }
}

export interface ResponseStreamResponseCreated {
  event: "response.created"
  data: {
    type: "response.created"
    sequence_number: number
    response: ResponseObject
  }
}

export interface ResponseStreamResponseFailed {
  event: "response.failed"
  data: {
    type: "response.failed"
    sequence_number: number
    response: ResponseObject
  }
}

export interface ResponseStreamResponseFileSearchCallCompleted {
  event: "response.file_search_call.completed"
  data: {
    type: "response.file_search_call.completed"
    sequence_number: number
    output_index: number
    item_id: string
  }
}

export interface ResponseStreamResponseFileSearchCallInProgress {
  event: "response.file_search_call.in_progress"
  data: {
    type: "response.file_search_call.in_progress"
    sequence_number: number
    output_index: number
    item_id: string
  }
}

export interface ResponseStreamResponseFileSearchCallSearching {
  event: "response.file_search_call.searching"
  data: {
    type: "response.file_search_call.searching"
    sequence_number: number
    output_index: number
    item_id: string
  }
}

export interface ResponseStreamResponseFunctionCallArgumentsDelta {
  event: "response.function_call_arguments.delta"
  data: {
    type: "response.function_call_arguments.delta"
    sequence_number: number
    output_index: number
    item_id: string
    delta: string
  }
}

export interface ResponseStreamResponseFunctionCallArgumentsDone {
  event: "response.function_call_arguments.done"
  data: {
    type: "response.function_call_arguments.done"
    sequence_number: number
    output_index: number
    item_id: string
    name: string
    arguments: string
  }
}

export interface ResponseStreamResponseIncomplete {
  event: "response.incomplete"
  data: {
    type: "response.incomplete"
    sequence_number: number
    response: ResponseObject
  }
}

export interface ResponseStreamResponseInProgress {
  event: "response.in_progress"
  data: {
    type: "response.in_progress"
    sequence_number: number
    response: ResponseObject
  }
}

export interface ResponseStreamResponseOutputItemAdded {
  event: "response.output_item.added"
  data: {
    type: "response.output_item.added"
    sequence_number: number
    output_index: number
    item: {
      type: "file_search_call"
      id: string
      status: "in_progress" | "searching" | "completed" | "incomplete"
      queries: string[]
      results: Array<{
        file_id: string
        filename: string
        score: number
        text: string
        attributes: Record<string, unknown>
        page: number | null
        url: string
      }> | null
    } | {
      type: "message"
      id: string
      role: "assistant"
      status: "in_progress" | "completed" | "incomplete"
      content: Array<{
        type: "output_text"
        text: string
        annotations: Array<{
          type: "file_citation"
          /** Where the mark `[n]` begins in the text, in UTF-16 units */
          index: number
          file_id: string
          filename: string
          page: number | null
          /** Opens the passage, without sign-in, for 24 hours */
          url: string
        }>
        logprobs: unknown[]
      }>
    } | {
      type: "function_call"
      id: string
      call_id: string
      name: string
      /** JSON */
      arguments: string
      status: "in_progress" | "completed"
    }
  }
}

export interface ResponseStreamResponseOutputItemDone {
  event: "response.output_item.done"
  data: {
    type: "response.output_item.done"
    sequence_number: number
    output_index: number
    item: {
      type: "file_search_call"
      id: string
      status: "in_progress" | "searching" | "completed" | "incomplete"
      queries: string[]
      results: Array<{
        file_id: string
        filename: string
        score: number
        text: string
        attributes: Record<string, unknown>
        page: number | null
        url: string
      }> | null
    } | {
      type: "message"
      id: string
      role: "assistant"
      status: "in_progress" | "completed" | "incomplete"
      content: Array<{
        type: "output_text"
        text: string
        annotations: Array<{
          type: "file_citation"
          /** Where the mark `[n]` begins in the text, in UTF-16 units */
          index: number
          file_id: string
          filename: string
          page: number | null
          /** Opens the passage, without sign-in, for 24 hours */
          url: string
        }>
        logprobs: unknown[]
      }>
    } | {
      type: "function_call"
      id: string
      call_id: string
      name: string
      /** JSON */
      arguments: string
      status: "in_progress" | "completed"
    }
  }
}

export interface ResponseStreamResponseOutputTextAnnotationAdded {
  event: "response.output_text.annotation.added"
  data: {
    type: "response.output_text.annotation.added"
    sequence_number: number
    output_index: number
    item_id: string
    content_index: number
    annotation_index: number
    annotation: {
      type: "file_citation"
      /** Where the mark `[n]` begins in the text, in UTF-16 units */
      index: number
      file_id: string
      filename: string
      page: number | null
      /** Opens the passage, without sign-in, for 24 hours */
      url: string
    }
  }
}

export interface ResponseStreamResponseOutputTextDelta {
  event: "response.output_text.delta"
  data: {
    type: "response.output_text.delta"
    sequence_number: number
    output_index: number
    item_id: string
    content_index: number
    delta: string
    logprobs: unknown[]
  }
}

export interface ResponseStreamResponseOutputTextDone {
  event: "response.output_text.done"
  data: {
    type: "response.output_text.done"
    sequence_number: number
    output_index: number
    item_id: string
    content_index: number
    text: string
    logprobs: unknown[]
  }
}

export interface Retention {
  rules: RetentionRule[]
  updated_at: string | null
  /** The last time that the rules were applied to the end, with what was deleted */
  last_applied: {
    started_at: string
    finished_at: string
    counts: RetentionCounts
  } | null
}

export interface RetentionAppliedStreamed {
  id: string
  event: "retention.applied"
  data: EventRecord
}

export interface RetentionCounts {
  conversations: number
  runs: number
  files: number
  events: number
  audit: number
}

export interface RetentionPreview {
  counts: RetentionCounts
}

export interface RetentionRule {
  kind: "conversations" | "runs" | "files" | "events" | "audit"
  after_days: number
  context_id: string | null
  filter: Filter | null
}

export interface RetrievalRecords {
  /** Best first */
  records: Array<{
    content: string
    /** How surely the passage answers, as `relevance` */
    score: number
    title: string
    /** The file's metadata, and where the passage stands; nothing in it is null */
    metadata: Record<string, unknown>
  }>
}

export interface Run {
  run_id: string
  status: "running" | "waiting_for_approval" | "completed" | "failed" | "timed_out" | "cancelled"
  output: string
  /** The answer as JSON that meets output_schema; null without one */
  structured_output: unknown
  model: string
  /** What the markers [1], [2] … in the output stand for */
  citations: RunCitation[]
  /** Null while running */
  finish_reason: "final_answer" | "max_steps" | "cancelled" | "timeout" | "error" | null
  error: StoredError | null
  /** `redaction_partial`: writing whose names are not known; `foreign_link`: the output leads to addresses that stand in nothing the model was given */
  warnings: AnswerWarning[]
  usage: Usage
  /** Values that were redacted */
  ner_count: number
  started_at: string
  finished_at: string | null
  /** As the model saw it */
  task: string
  additional_metadata: Record<string, unknown>
  /** The key or console user that made it; null where a former version did not know */
  owner: Owner | null
  end_user: string | null
  /** It is somebody else's, who lets the caller read it, and nothing more */
  shared: boolean
  /** Who reads it besides those who see it anyway: some users, or all of the workspace */
  shared_with: "users" | "workspace" | null
  steps: Step[]
  /** Calls that a person must allow, or had to */
  approvals: Approval[]
}

export interface RunCancelledStreamed {
  id: string
  event: "run.cancelled"
  data: EventRecord
}

export interface RunCitation {
  index: number
  file_id: string
  /** Null for a stretch that was read */
  chunk_id: string | null
  name: string
  position: Position
  /** Opens the passage in its document, without sign-in, for 24 hours; see `GET /view/{file_id}` */
  url: string
}

export interface RunCompletedStreamed {
  id: string
  event: "run.completed"
  data: EventRecord
}

export type RunEvent = RunStartedEvent | StepStartedEvent | StepCompletedEvent | ApprovalRequestedEvent | ApprovalDecidedEvent | RunFinishedEvent | ErrorEvent | DoneEvent

export interface RunFailedStreamed {
  id: string
  event: "run.failed"
  data: EventRecord
}

export interface RunFinishedEvent {
  id: number
  event: "run_finished"
  data: Run
}

export interface RunList {
  data: RunSummary[]
  pagination: Pagination
}

export interface RunStartedEvent {
  id: number
  event: "run_started"
  data: {
    run_id: string
    model: string
    started_at: string
  }
}

export interface RunSummary {
  run_id: string
  status: "running" | "waiting_for_approval" | "completed" | "failed" | "timed_out" | "cancelled"
  output: string
  /** The answer as JSON that meets output_schema; null without one */
  structured_output: unknown
  model: string
  /** What the markers [1], [2] … in the output stand for */
  citations: RunCitation[]
  /** Null while running */
  finish_reason: "final_answer" | "max_steps" | "cancelled" | "timeout" | "error" | null
  error: StoredError | null
  /** `redaction_partial`: writing whose names are not known; `foreign_link`: the output leads to addresses that stand in nothing the model was given */
  warnings: AnswerWarning[]
  usage: Usage
  /** Values that were redacted */
  ner_count: number
  started_at: string
  finished_at: string | null
  /** As the model saw it */
  task: string
  additional_metadata: Record<string, unknown>
  /** The key or console user that made it; null where a former version did not know */
  owner: Owner | null
  end_user: string | null
  /** It is somebody else's, who lets the caller read it, and nothing more */
  shared: boolean
  /** Who reads it besides those who see it anyway: some users, or all of the workspace */
  shared_with: "users" | "workspace" | null
  step_count: number
}

export interface RunTimedOutStreamed {
  id: string
  event: "run.timed_out"
  data: EventRecord
}

export interface RunWaitingForApprovalStreamed {
  id: string
  event: "run.waiting_for_approval"
  data: EventRecord
}

export interface Schedule {
  id: string
  name: string
  cron: string | null
  every: string | null
  timezone: string | null
  request: {
    /** /v1/chat/completions, /v1/embeddings, /v1/responses, /external/conversations, /external/agents/run, /external/search, /external/redact */
    url: string
    body: Record<string, unknown>
  }
  /** Also by itself, when the key or user whose it is may not go on with it */
  paused: boolean
  next_run_at: string | null
  /** The key or console user that made it; null where a former version did not know */
  owner: Owner | null
  created_at: string
  updated_at: string
}

export interface ScheduleFailedStreamed {
  id: string
  event: "schedule.failed"
  data: EventRecord
}

export interface ScheduleList {
  data: Schedule[]
  pagination: Pagination
}

export interface ScheduleRun {
  run_id: string
  status: "running" | "completed" | "failed"
  /** Null while it is running, and where nothing was answered */
  response: {
    status_code: number
    /** As the route answered; of a body over 256 KB its beginning, as a text */
    body: unknown
    truncated: boolean
  } | null
  error: {
    code: string
    message: string
  } | null
  started_at: string
  finished_at: string | null
}

export interface ScopedToken {
  /** `Authorization: Bearer <token>`; shown this once */
  token: string
  expires_at: string
}

export interface SearchAnswer {
  query: string
  mode: "hybrid" | "keyword" | "semantic"
  took_ms: number
  /** Hits there are in all; with `group_by` the files that the best 1 000 passages stand in, 10 000 for pages further down */
  total: number
  /** The first of these that holds. `keyword_only`: the embedding model is down, or knows nothing of the query of a `semantic` search, such as its language: words alone were searched. `not_reranked`: too much else waited for the reranking model, or it is down: the order is that of a search without. `vectors_pending`: some passages have no vector yet, and are found by words alone. That passages still wait for better vectors is said by `index.vectors` alone */
  degraded: "keyword_only" | "not_reranked" | "vectors_pending" | null
  /** Passages that the reranking model judged; only with `rerank`. Those in languages that it does not know keep their places, as do all for such a query */
  reranked?: number
  index: {
    searchable_files: number
    pending_files: number
    embedding_model: string
    vectors: VectorProgress
  }
  /** Words that stand in no passage of the library, and the words at one letter's distance that were looked up too */
  corrections: Correction[]
  hits: Hit[]
  /** Only with `group_by`: whose the hits are, files in the order of their best passages */
  groups?: HitGroup[]
}

export interface Shares {
  users: Array<{
    id: string
    name: string
  }> | "workspace"
}

export interface Source {
  /** The [n] in the content */
  index: number
  file_id: string
  chunk_id: string
  name: string
  position: Position
  /** Opens the passage in its document, without sign-in, for 24 hours; see `GET /view/{file_id}` */
  url: string
  score: number
  text: string
  /** Of a file that was given whole */
  whole?: boolean
}

export interface SourceCoverage {
  /** Keys */
  total: number
  /** Keys whose file is searchable */
  searchable: number
  /** Keys that are yet to be fetched or indexed */
  pending: number
  /** Keys that could not be fetched, or whose file could not be read */
  failed: number
  /** Keys of types that cannot be read */
  unsupported: number
  /** Keys that are not meant to be files */
  skipped: number
  items: SourceEntry[]
  pagination: Pagination
}

export interface SourceDryRun {
  dry_run: true
  /** Entries that became files */
  added: number
  /** Files that were replaced */
  updated: number
  /** Files that were deleted */
  deleted: number
  /** Entries that are as they were */
  unchanged: number
  /** Entries that are not taken: by `include`, `exclude`, size or type */
  skipped: number
  /** Entries that could not be fetched, now or before; see the coverage */
  failed: number
  /** Files that are gone and were not deleted, because they are too many at once */
  guarded: number
  /** 20 keys of each at most */
  sample: {
    added: string[]
    updated: string[]
    deleted: string[]
  }
}

export interface SourceEntry {
  key: string
  status: "searchable" | "pending" | "failed" | "unsupported" | "skipped"
  error: Issue | null
  file_id: string | null
  url: string | null
}

export interface SourceFailedStreamed {
  id: string
  event: "source.failed"
  data: EventRecord
}

export interface SourceGuardedStreamed {
  id: string
  event: "source.guarded"
  data: EventRecord
}

export interface SourcesEvent {
  id: number
  event: "sources"
  data: {
    sources: Source[]
  }
}

export interface SourceSync {
  sync_id: string
  started_at: string
  /** Null while it goes on */
  finished_at: string | null
  /** Entries that became files */
  added: number
  /** Files that were replaced */
  updated: number
  /** Files that were deleted */
  deleted: number
  /** Entries that are as they were */
  unchanged: number
  /** Entries that are not taken: by `include`, `exclude`, size or type */
  skipped: number
  /** Entries that could not be fetched, now or before; see the coverage */
  failed: number
  /** Files that are gone and were not deleted, because they are too many at once */
  guarded: number
  error: Issue | null
}

export interface SourceSyncedStreamed {
  id: string
  event: "source.synced"
  data: EventRecord
}

export interface SourceSyncList {
  data: SourceSync[]
  pagination: Pagination
}

export interface StatusEvent {
  id: number
  event: "status"
  data: {
    phase: "retrieving" | "reading" | "summarizing" | "loading_model" | "thinking" | "calling_tool" | "generating"
    /** In words, or how many parts of a whole are done */
    detail?: string | {
      done: number
      total: number
    }
  }
}

export interface Step {
  index: number
  type: "tool_call"
  name: string
  arguments: Record<string, unknown>
  /** Null while the tool runs; at most 20 000 characters */
  result: string | null
  is_error: boolean
  started_at: string
  duration_ms: number | null
}

export interface StepCompletedEvent {
  id: number
  event: "step_completed"
  data: Step
}

export interface StepStartedEvent {
  id: number
  event: "step_started"
  data: Step
}

export interface StorageLowStreamed {
  id: string
  event: "storage.low"
  data: EventRecord
}

export interface StoredError {
  code: string
  message: string
  /** Bad fields, or what else belongs to the code */
  details?: Array<Record<string, unknown>>
  /** For the operator: what was tried, what to set */
  hint?: string
}

export interface StreamEnd {
  event: "done"
  data: Record<string, unknown>
}

export interface StreamError {
  event: "error"
  data: {
    error: {
      code: string
      message: string
      /** Bad fields, or what else belongs to the code */
      details?: Array<Record<string, unknown>>
      /** For the operator: what was tried, what to set */
      hint?: string
      request_id?: string
    }
    /** The reply that failed */
    message_id?: string
  }
}

export interface StreamToken {
  /** Of the stream, on this server, with the token */
  url: string
  token: string
  expires_at: string
}

export interface SyncedSource {
  id: string
  type: "folder" | "webdav" | "s3" | "git" | "imap" | "web" | "push"
  name: string
  /** By type: `folder {path}`, `webdav {url}`, `s3 {endpoint, bucket, prefix?, region?}`, `git {url, branch?, path?}`, `imap {host, port, mailbox, since?, tls?}`, `web {url, limit, include_paths?, exclude_paths?}`, `push {}` */
  config: Record<string, unknown>
  has_credentials: boolean
  context_id: string | null
  tags: string[]
  acl: string[] | null
  /** Only keys that one of them matches; all where there is none. `*.pdf` matches in every folder */
  include: string[]
  /** No key that one of them matches */
  exclude: string[]
  max_bytes: number | null
  /** `15m`, `6h`, `1d`, or cron of five fields; a folder is watched for changes as well. Null: on request alone */
  schedule: string | null
  /** Of cron; UTC unless told */
  timezone: string | null
  /** Files go when their entries do */
  delete_missing: boolean
  /** `failed`: it could not be read and is tried again; `guarded`: so much is gone that nothing was deleted */
  status: "idle" | "syncing" | "failed" | "guarded" | "paused"
  /** The newest, ended or not */
  last_sync: SourceSync | null
  next_sync_at: string | null
  created_at: string
  updated_at: string
}

export interface SyncedSourceList {
  data: SyncedSource[]
  pagination: Pagination
}

export interface ThinkingDeltaEvent {
  id: number
  event: "thinking_delta"
  data: {
    text: string
  }
}

export interface ToolCallEvent {
  id: number
  event: "tool_call"
  data: {
    tool_call_id: string
    name: string
    arguments: Record<string, unknown>
  }
}

export interface ToolResultEvent {
  id: number
  event: "tool_result"
  data: {
    tool_call_id: string
    result: string
    is_error: boolean
  }
}

export interface TurnAnswer {
  conversation_id: string
  model: string
  messages: Message[]
  ner_count: number
  timestamp: string
}

export interface UploadAnswer {
  message: string
  files: FileRecord[]
  rejected: Array<{
    name: string
    source_key?: string
    error: Issue
  }>
}

export interface UrlCitation {
  type: "url_citation"
  url_citation: {
    /** Opens the passage, without sign-in, for 24 hours */
    url: string
    title: string
    /** Of the mark `[n]` in the content, in UTF-16 units */
    start_index: number
    /** Exclusive */
    end_index: number
  }
}

export interface Usage {
  prompt_tokens: number
  completion_tokens: number
}

export interface UsageReport {
  data: UsageRow[]
}

export interface UsageRow {
  /** When the bucket begins, in UTC */
  bucket: string
  /** Id of the key; null for the console. With `group_by=key`, as the others */
  key?: string | null
  /** Whom it was for */
  end_user?: string | null
  /** Value of the chat model */
  model?: string | null
  /** Context of the conversation, the run or the file */
  context?: string | null
  /** Authenticated requests that no limit refused */
  requests: number
  /** As the answers said */
  prompt_tokens: number
  /** As the answers said */
  completion_tokens: number
  /** Of passages that became searchable, of queries, and what /v1/embeddings and rerank said */
  embedded_tokens: number
  /** Of files that became searchable */
  pages: number
  /** Of them, those that were read by character recognition */
  ocr_pages: number
  /** Sizes of accepted files */
  bytes_in: number
  /** Held at the bucket's end */
  bytes_stored: number
  /** Searches that callers asked for */
  searches: number
}

/** Passages that have a vector of the best tier in use */
export interface VectorProgress {
  done: number
  /** Passages of the library */
  total: number
  /** `fast` vectors are there with the words; `quality` ones follow in the background */
  tier: "fast" | "quality"
}

export interface VectorStore {
  id: string
  object: "vector_store"
  /** Seconds since 1970 */
  created_at: number
  /** The context's id where it was given none */
  name: string
  description: string | null
  /** Sizes of the files */
  usage_bytes: number
  file_counts: VectorStoreFileCounts
  /** `completed` when no file is waiting */
  status: "in_progress" | "completed"
  /** Seconds since 1970 */
  last_active_at: number
  /** Stores of this server do not expire */
  expires_after: null
  expires_at: null
  metadata: Record<string, unknown>
}

export interface VectorStoreFile {
  id: string
  object: "vector_store.file"
  /** Seconds since 1970 */
  created_at: number
  vector_store_id: string
  /** Size of the file */
  usage_bytes: number
  /** `completed` once it can be found */
  status: "in_progress" | "completed" | "failed"
  last_error: {
    code: "server_error" | "unsupported_file" | "invalid_file"
    message: string
  } | null
  chunking_strategy: {
    type: "other"
  }
  attributes: Record<string, unknown>
}

export interface VectorStoreFileBatch {
  id: string
  object: "vector_store.files_batch"
  /** Seconds since 1970 */
  created_at: number
  vector_store_id: string
  status: "in_progress" | "completed" | "cancelled"
  file_counts: VectorStoreFileCounts
}

export interface VectorStoreFileContent {
  object: "vector_store.file_content.page"
  data: Array<{
    type: "text"
    text: string
  }>
  has_more: false
  next_page: null
}

export interface VectorStoreFileCounts {
  in_progress: number
  completed: number
  failed: number
  /** Taken out again when a batch was cancelled */
  cancelled: number
  total: number
}

export interface VectorStoreFileList {
  object: "list"
  data: VectorStoreFile[]
  first_id: string | null
  last_id: string | null
  has_more: boolean
}

export interface VectorStoreList {
  object: "list"
  data: VectorStore[]
  first_id: string | null
  last_id: string | null
  has_more: boolean
}

export interface VectorStoreSearchResults {
  object: "vector_store.search_results.page"
  search_query: string[]
  data: Array<{
    file_id: string
    filename: string
    /** How surely the passage answers, as `relevance` */
    score: number
    attributes: Record<string, unknown>
    content: Array<{
      type: "text"
      text: string
    }>
  }>
  has_more: false
  next_page: null
}

export interface WarningEvent {
  id: number
  event: "warning"
  data: {
    code: "context_truncated" | "keyword_only_search" | "library_unavailable" | "invalid_citation" | "redaction_partial" | "partial_reading" | "foreign_link"
    message: string
    /** Of `foreign_link`: addresses, at most 20; show links and pictures that lead there as text */
    addresses?: string[]
    /** Of `foreign_link`: further addresses that are not named */
    more?: number
  }
}

export interface Webhook {
  id: string
  url: string
  /** Null: all of them */
  types: Array<"file.searchable" | "file.failed" | "file.deleted" | "batch.completed" | "batch.failed" | "job.completed" | "run.completed" | "run.failed" | "run.timed_out" | "run.cancelled" | "run.waiting_for_approval" | "schedule.failed" | "source.synced" | "source.failed" | "source.guarded" | "key.expiring" | "retention.applied" | "storage.low" | "webhook.disabled"> | null
  description: string
  status: "active" | "disabled"
  /** Null while it is active */
  disabled_reason: string | null
  created_at: string
  updated_at: string
}

export interface WebhookDisabledStreamed {
  id: string
  event: "webhook.disabled"
  data: EventRecord
}

export interface WebhookList {
  data: Webhook[]
  pagination: Pagination
}

export interface WebhookSecret {
  secret: string
}

/** The codes of errors, each with its HTTP status. */
export const ERROR_CODES = {
  /** the body is not valid JSON */
  invalid_json: 400,
  /** the request is not valid */
  invalid_request: 400,
  /** the body is not valid multipart/form-data with at least one file part */
  invalid_multipart: 400,
  /** the file is empty */
  empty_file: 400,
  /** the credentials are not valid */
  unauthorized: 401,
  /** the credentials do not allow this */
  forbidden: 403,
  /** there is nothing here */
  not_found: 404,
  /** there is no such model */
  model_not_found: 404,
  /** this path does not support that method */
  method_not_allowed: 405,
  /** the request did not arrive completely in time */
  request_timeout: 408,
  /** the agent run passed its timeout */
  agent_timeout: 408,
  /** a reply is already being written in this conversation */
  conversation_busy: 409,
  /** so much is gone at once that nothing was deleted */
  guarded: 409,
  /** the current state does not allow this */
  conflict: 409,
  /** a hold keeps it */
  on_hold: 409,
  /** the file is larger than allowed */
  file_too_large: 413,
  /** the request body is larger than allowed */
  request_too_large: 413,
  /** files of this type cannot be read */
  unsupported_file_type: 415,
  /** the Content-Type is not supported here */
  unsupported_media_type: 415,
  /** the requested range lies outside the file */
  range_not_satisfiable: 416,
  /** the filter is not valid */
  invalid_filter: 422,
  /** a custom redaction pattern is not valid */
  invalid_pattern: 422,
  /** the answer never met output_schema */
  output_schema_violation: 422,
  /** too many requests */
  rate_limited: 429,
  /** the quota is used up */
  quota_exceeded: 429,
  /** something went wrong inside the daemon */
  internal_error: 500,
  /** the address could not be fetched */
  fetch_failed: 502,
  /** the model server answered with an error */
  model_error: 502,
  /** the model server cannot be reached */
  model_unavailable: 503,
  /** too much work is already queued */
  overloaded: 503,
  /** a store that this needs cannot be reached at present */
  store_unavailable: 503,
  /** there is no space left to store this */
  insufficient_storage: 507,
} as const

export type ErrorCode = keyof typeof ERROR_CODES

/** `invalid_json`: the body is not valid JSON */
export class InvalidJsonError extends ApiError {}
/** `invalid_request`: the request is not valid */
export class InvalidRequestError extends ApiError {}
/** `invalid_multipart`: the body is not valid multipart/form-data with at least one file part */
export class InvalidMultipartError extends ApiError {}
/** `empty_file`: the file is empty */
export class EmptyFileError extends ApiError {}
/** `unauthorized`: the credentials are not valid */
export class UnauthorizedError extends ApiError {}
/** `forbidden`: the credentials do not allow this */
export class ForbiddenError extends ApiError {}
/** `not_found`: there is nothing here */
export class NotFoundError extends ApiError {}
/** `model_not_found`: there is no such model */
export class ModelNotFoundError extends ApiError {}
/** `method_not_allowed`: this path does not support that method */
export class MethodNotAllowedError extends ApiError {}
/** `request_timeout`: the request did not arrive completely in time */
export class RequestTimeoutError extends ApiError {}
/** `agent_timeout`: the agent run passed its timeout */
export class AgentTimeoutError extends ApiError {}
/** `conversation_busy`: a reply is already being written in this conversation */
export class ConversationBusyError extends ApiError {}
/** `guarded`: so much is gone at once that nothing was deleted */
export class GuardedError extends ApiError {}
/** `conflict`: the current state does not allow this */
export class ConflictError extends ApiError {}
/** `on_hold`: a hold keeps it */
export class OnHoldError extends ApiError {}
/** `file_too_large`: the file is larger than allowed */
export class FileTooLargeError extends ApiError {}
/** `request_too_large`: the request body is larger than allowed */
export class RequestTooLargeError extends ApiError {}
/** `unsupported_file_type`: files of this type cannot be read */
export class UnsupportedFileTypeError extends ApiError {}
/** `unsupported_media_type`: the Content-Type is not supported here */
export class UnsupportedMediaTypeError extends ApiError {}
/** `range_not_satisfiable`: the requested range lies outside the file */
export class RangeNotSatisfiableError extends ApiError {}
/** `invalid_filter`: the filter is not valid */
export class InvalidFilterError extends ApiError {}
/** `invalid_pattern`: a custom redaction pattern is not valid */
export class InvalidPatternError extends ApiError {}
/** `output_schema_violation`: the answer never met output_schema */
export class OutputSchemaViolationError extends ApiError {}
/** `rate_limited`: too many requests */
export class RateLimitedError extends ApiError {}
/** `quota_exceeded`: the quota is used up */
export class QuotaExceededError extends ApiError {}
/** `internal_error`: something went wrong inside the daemon */
export class InternalError extends ApiError {}
/** `fetch_failed`: the address could not be fetched */
export class FetchFailedError extends ApiError {}
/** `model_error`: the model server answered with an error */
export class ModelError extends ApiError {}
/** `model_unavailable`: the model server cannot be reached */
export class ModelUnavailableError extends ApiError {}
/** `overloaded`: too much work is already queued */
export class OverloadedError extends ApiError {}
/** `store_unavailable`: a store that this needs cannot be reached at present */
export class StoreUnavailableError extends ApiError {}
/** `insufficient_storage`: there is no space left to store this */
export class InsufficientStorageError extends ApiError {}

/** The class of each code. */
export const ERROR_CLASSES: { readonly [Code in ErrorCode]: typeof ApiError } = {
  invalid_json: InvalidJsonError,
  invalid_request: InvalidRequestError,
  invalid_multipart: InvalidMultipartError,
  empty_file: EmptyFileError,
  unauthorized: UnauthorizedError,
  forbidden: ForbiddenError,
  not_found: NotFoundError,
  model_not_found: ModelNotFoundError,
  method_not_allowed: MethodNotAllowedError,
  request_timeout: RequestTimeoutError,
  agent_timeout: AgentTimeoutError,
  conversation_busy: ConversationBusyError,
  guarded: GuardedError,
  conflict: ConflictError,
  on_hold: OnHoldError,
  file_too_large: FileTooLargeError,
  request_too_large: RequestTooLargeError,
  unsupported_file_type: UnsupportedFileTypeError,
  unsupported_media_type: UnsupportedMediaTypeError,
  range_not_satisfiable: RangeNotSatisfiableError,
  invalid_filter: InvalidFilterError,
  invalid_pattern: InvalidPatternError,
  output_schema_violation: OutputSchemaViolationError,
  rate_limited: RateLimitedError,
  quota_exceeded: QuotaExceededError,
  internal_error: InternalError,
  fetch_failed: FetchFailedError,
  model_error: ModelError,
  model_unavailable: ModelUnavailableError,
  overloaded: OverloadedError,
  store_unavailable: StoreUnavailableError,
  insufficient_storage: InsufficientStorageError,
}

export interface Calls {
  /** Is the process up? */
  getHealth: {
    answer: Health
  }
  /** Is it ready for work? */
  getReadiness: {
    answer: Health
  }
  /** List models in OpenAI's shape */
  listCompatibleModels: {
    answer: CompatibleModels
  }
  /** One model in OpenAI's shape */
  getCompatibleModel: {
    path: {
      model: string
    }
    answer: CompatibleModel
  }
  /** Answer messages in OpenAI's shape */
  createChatCompletion: {
    body: {
      /** An `id` of `GET /v1/models`; `library/…` answers from the files, with citations */
      model: string
      messages: CompletionMessage[]
      stream?: boolean | null
      stream_options?: {
        include_usage?: boolean | null
      } | null
      max_tokens?: number | null
      /** Wins over `max_tokens` */
      max_completion_tokens?: number | null
      temperature?: number | null
      top_p?: number | null
      seed?: number | null
      stop?: string | string[] | null
      n?: number | null
      /** The client's own: calls are handed to it and not carried out */
      tools?: FunctionTool[] | null
      tool_choice?: "auto" | "none" | "required" | {
        type: "function"
        function: {
          name: string
        }
      } | null
      parallel_tool_calls?: boolean | null
      response_format?: {
        type: "text" | "json_object" | "json_schema"
        json_schema?: Record<string, unknown> | null
      } | null
      /** Models that think do so from `low` on, and not where it is left out; thoughts come as `reasoning_content` */
      reasoning_effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max" | null
      user?: string | null
      safety_identifier?: string | null
      metadata?: Record<string, unknown> | null
      /** Keep it as a conversation, with what was said before; pictures are not kept */
      store?: boolean | null
      /** What this daemon knows beyond the shape */
      carrel?: {
        filter?: unknown
        /** Only these files */
        file_ids?: string[] | null
        redaction?: unknown
        reading?: "auto" | "passages" | "whole" | null
        /** Tools of the daemon that the model may use by itself; all where absent, none where empty */
        tools?: Array<"query_table" | "calculate" | "read_file"> | null
      } | null
    }
    answer: ChatCompletion
    event: ChatCompletionChunk | {
      error: {
        message: string
        type: string
        param: string | null
        code: string
        request_id?: string
      }
    }
  }
  /** Answer in the shape of OpenAI's responses */
  createResponse: {
    body: {
      input: string | Array<{
        /** `message` where absent */
        type?: string | null
        role?: "user" | "assistant" | "system" | "developer" | null
        content?: string | Array<{
          type: string
          text?: string | null
          refusal?: string | null
          /** `data:image/…;base64,…`: nothing is fetched */
          image_url?: string | null
          file_id?: string | null
          file_data?: string | null
          file_url?: string | null
        }> | null
        call_id?: string | null
        name?: string | null
        /** JSON */
        arguments?: string | null
        output?: string | Array<{
          type: string
          text?: string | null
          refusal?: string | null
          /** `data:image/…;base64,…`: nothing is fetched */
          image_url?: string | null
          file_id?: string | null
          file_data?: string | null
          file_url?: string | null
        }> | null
      }>
      /** The default one where it is left out */
      model?: string | null
      /** For this answer alone: a later one does not inherit them */
      instructions?: string | null
      previous_response_id?: string | null
      store?: boolean | null
      background?: boolean | null
      stream?: boolean | null
      /** `file_search_call.results` */
      include?: string[] | null
      tools?: Array<{
        /** `file_search` or `function` */
        type: string
        name?: string | null
        description?: string | null
        parameters?: Record<string, unknown> | null
        strict?: boolean | null
        vector_store_ids?: string[] | null
        max_num_results?: number | null
        filters?: unknown
        ranking_options?: {
          ranker?: string | null
          score_threshold?: number | null
        } | null
      }> | null
      tool_choice?: "none" | "auto" | "required" | {
        type: string
        name?: string | null
      } | null
      parallel_tool_calls?: boolean | null
      text?: {
        format?: Record<string, unknown> | null
      } | null
      max_output_tokens?: number | null
      temperature?: number | null
      top_p?: number | null
      reasoning?: {
        effort?: string | null
      } | null
      metadata?: Record<string, unknown> | null
      user?: string | null
      safety_identifier?: string | null
      conversation?: unknown
      prompt?: unknown
      carrel?: {
        filter?: unknown
        /** Search only these files */
        file_ids?: string[] | null
        redaction?: unknown
        /** Tools of the daemon that the model may use by itself; all where absent, none where empty */
        tools?: Array<"query_table" | "calculate" | "read_file"> | null
        reading?: "auto" | "passages" | "whole" | null
      } | null
    }
    answer: ResponseObject
    event: ResponseStreamResponseCreated | ResponseStreamResponseInProgress | ResponseStreamResponseCompleted | ResponseStreamResponseIncomplete | ResponseStreamResponseFailed | ResponseStreamResponseOutputItemAdded | ResponseStreamResponseOutputItemDone | ResponseStreamResponseFileSearchCallInProgress | ResponseStreamResponseFileSearchCallSearching | ResponseStreamResponseFileSearchCallCompleted | ResponseStreamResponseContentPartAdded | ResponseStreamResponseContentPartDone | ResponseStreamResponseOutputTextDelta | ResponseStreamResponseOutputTextAnnotationAdded | ResponseStreamResponseOutputTextDone | ResponseStreamResponseFunctionCallArgumentsDelta | ResponseStreamResponseFunctionCallArgumentsDone | ResponseStreamError
  }
  /** Get a stored response */
  getResponse: {
    path: {
      response_id: string
    }
    query?: {
      stream?: boolean | string
      /** `sequence_number` of the last event that the client has */
      starting_after?: number
    }
    answer: ResponseObject
    event: ResponseStreamResponseCreated | ResponseStreamResponseInProgress | ResponseStreamResponseCompleted | ResponseStreamResponseIncomplete | ResponseStreamResponseFailed | ResponseStreamResponseOutputItemAdded | ResponseStreamResponseOutputItemDone | ResponseStreamResponseFileSearchCallInProgress | ResponseStreamResponseFileSearchCallSearching | ResponseStreamResponseFileSearchCallCompleted | ResponseStreamResponseContentPartAdded | ResponseStreamResponseContentPartDone | ResponseStreamResponseOutputTextDelta | ResponseStreamResponseOutputTextAnnotationAdded | ResponseStreamResponseOutputTextDone | ResponseStreamResponseFunctionCallArgumentsDelta | ResponseStreamResponseFunctionCallArgumentsDone | ResponseStreamError
  }
  /** Delete a stored response */
  deleteResponse: {
    path: {
      response_id: string
    }
    answer: DeletedResponse
  }
  /** Stop a stored response that is being written */
  cancelResponse: {
    path: {
      response_id: string
    }
    answer: ResponseObject
  }
  /** Vectors of texts in OpenAI's shape */
  createEmbeddings: {
    body: {
      model: string
      /** A text, or up to 2048. Token ids are refused: LangChain sends them unless it is told `check_embedding_ctx_length=False` */
      input: unknown
      /** `float` by default */
      encoding_format?: "float" | "base64" | null
      /** Only the model's own */
      dimensions?: number | null
      user?: string | null
    }
    answer: Embeddings
  }
  /** Judge texts by a query */
  rerank: {
    body: {
      /** The one that there is, when left out */
      model?: string | null
      /** Its first 96 tokens count */
      query: string
      /** Texts, or objects with a `text`. Of one longer than about 1 500 characters the best of three windows counts: its beginning, and those that hold most words of the query */
      documents: Array<string | {
        text: string
      }>
      /** Best ones to answer with; all when left out */
      top_n?: number | null
      return_documents?: boolean | null
    }
    answer: Reranked
  }
  /** Judge texts by a query (v2) */
  rerankV2: {
    body: {
      /** The one that there is, when left out */
      model?: string | null
      /** Its first 96 tokens count */
      query: string
      /** Texts, or objects with a `text`. Of one longer than about 1 500 characters the best of three windows counts: its beginning, and those that hold most words of the query */
      documents: Array<string | {
        text: string
      }>
      /** Best ones to answer with; all when left out */
      top_n?: number | null
      return_documents?: boolean | null
    }
    answer: Reranked
  }
  /** Search for Dify */
  retrieve: {
    body: {
      /** A context, or `*` for the whole library */
      knowledge_id: string
      /** Its first 2 000 characters count */
      query: string
      retrieval_setting?: {
        top_k?: number | null
        score_threshold?: number | null
      } | null
      metadata_condition?: {
        logical_operator?: "and" | "or" | null
        conditions?: Array<{
          /** A key of the files' metadata; of several, one has to satisfy the condition */
          name: string | string[]
          /** contains, not contains, start with, is, is not, in, not in, empty, not empty, null, not null, =, ≠, >, <, ≥, ≤, before, after */
          comparison_operator: string
          /** A text, a number, or a list of them; none where nothing is compared */
          value?: unknown
        }> | null
      } | null
    }
    answer: RetrievalRecords
  }
  /** Search for Dify (v1) */
  retrieveV1: {
    body: {
      /** A context, or `*` for the whole library */
      knowledge_id: string
      /** Its first 2 000 characters count */
      query: string
      retrieval_setting?: {
        top_k?: number | null
        score_threshold?: number | null
      } | null
      metadata_condition?: {
        logical_operator?: "and" | "or" | null
        conditions?: Array<{
          /** A key of the files' metadata; of several, one has to satisfy the condition */
          name: string | string[]
          /** contains, not contains, start with, is, is not, in, not in, empty, not empty, null, not null, =, ≠, >, <, ≥, ≤, before, after */
          comparison_operator: string
          /** A text, a number, or a list of them; none where nothing is compared */
          value?: unknown
        }> | null
      } | null
    }
    answer: RetrievalRecords
  }
  /** Upload a file (OpenAI) */
  createFileObject: {
    answer: FileObject
  }
  /** List files (OpenAI) */
  listFileObjects: {
    query?: {
      /** How many of them */
      limit?: number
      /** By the time of making */
      order?: "asc" | "desc"
      /** Id that the page begins behind */
      after?: string
      /** Only files for this purpose */
      purpose?: string
    }
    answer: FileObjectList
  }
  /** Get a file (OpenAI) */
  getFileObject: {
    path: {
      file_id: string
    }
    answer: FileObject
  }
  /** Delete a file (OpenAI) */
  deleteFileObject: {
    path: {
      file_id: string
    }
    answer: DeletedFileObject
  }
  /** Download a file (OpenAI) */
  downloadFileObject: {
    path: {
      file_id: string
    }
    answer: ReadableStream<Uint8Array>
  }
  /** Carry many requests out in the background (OpenAI) */
  createBatch: {
    body: {
      /** Of a file with the purpose `batch` */
      input_file_id: string
      endpoint: "/v1/chat/completions" | "/v1/embeddings" | "/v1/responses" | "/external/conversations" | "/external/agents/run" | "/external/search" | "/external/redact"
      /** Time that it has, from `1m` to `7d`: `24h` by default */
      completion_window?: string | null
      /** At most 16 texts */
      metadata?: Record<string, unknown> | null
    }
    answer: Batch
  }
  /** List batches (OpenAI) */
  listBatches: {
    query?: {
      /** How many of them */
      limit?: number
      /** By the time of making */
      order?: "asc" | "desc"
      /** Id that the page begins behind */
      after?: string
    }
    answer: BatchList
  }
  /** Get a batch (OpenAI) */
  getBatch: {
    path: {
      batch_id: string
    }
    answer: Batch
  }
  /** Cancel a batch (OpenAI) */
  cancelBatch: {
    path: {
      batch_id: string
    }
    answer: Batch
  }
  /** Create a vector store (OpenAI) */
  createVectorStore: {
    body: {
      name?: string | null
      description?: string | null
      file_ids?: string[] | null
      metadata?: Record<string, unknown> | null
      expires_after?: unknown
      chunking_strategy?: {
        /** `auto`; others are 400: passages are cut in one way */
        type: string
      } | null
    }
    answer: VectorStore
  }
  /** List vector stores (OpenAI) */
  listVectorStores: {
    query?: {
      /** How many of them */
      limit?: number
      /** By the time of making */
      order?: "asc" | "desc"
      /** Id that the page begins behind */
      after?: string
      /** Id that the page ends before */
      before?: string
    }
    answer: VectorStoreList
  }
  /** Get a vector store (OpenAI) */
  getVectorStore: {
    path: {
      /** `vs_` and the context's id */
      vector_store_id: string
    }
    answer: VectorStore
  }
  /** Name or describe a vector store (OpenAI) */
  updateVectorStore: {
    path: {
      /** `vs_` and the context's id */
      vector_store_id: string
    }
    body: {
      name?: string | null
      metadata?: Record<string, unknown> | null
      expires_after?: unknown
    }
    answer: VectorStore
  }
  /** Delete a vector store (OpenAI) */
  deleteVectorStore: {
    path: {
      /** `vs_` and the context's id */
      vector_store_id: string
    }
    answer: DeletedVectorStore
  }
  /** Search a vector store (OpenAI) */
  searchVectorStore: {
    path: {
      /** `vs_` and the context's id */
      vector_store_id: string
    }
    body: {
      query: string | string[]
      filters?: unknown
      max_num_results?: number | null
      ranking_options?: {
        ranker?: string | null
        score_threshold?: number | null
      } | null
      rewrite_query?: boolean | null
    }
    answer: VectorStoreSearchResults
  }
  /** Put a file into a vector store (OpenAI) */
  createVectorStoreFile: {
    path: {
      /** `vs_` and the context's id */
      vector_store_id: string
    }
    body: {
      file_id: string
      /** The file's `metadata`: replaced where it is given */
      attributes?: Record<string, unknown> | null
      chunking_strategy?: {
        /** `auto`; others are 400: passages are cut in one way */
        type: string
      } | null
    }
    answer: VectorStoreFile
  }
  /** List the files of a vector store (OpenAI) */
  listVectorStoreFiles: {
    path: {
      /** `vs_` and the context's id */
      vector_store_id: string
    }
    query?: {
      /** How many of them */
      limit?: number
      /** By the time of making */
      order?: "asc" | "desc"
      /** Id that the page begins behind */
      after?: string
      /** Id that the page ends before */
      before?: string
      /** Only files in this state: in_progress, completed, failed, cancelled */
      filter?: string
    }
    answer: VectorStoreFileList
  }
  /** Get a file of a vector store (OpenAI) */
  getVectorStoreFile: {
    path: {
      /** `vs_` and the context's id */
      vector_store_id: string
      file_id: string
    }
    answer: VectorStoreFile
  }
  /** Change the attributes of a file (OpenAI) */
  updateVectorStoreFile: {
    path: {
      /** `vs_` and the context's id */
      vector_store_id: string
      file_id: string
    }
    body: {
      attributes: Record<string, unknown> | null
    }
    answer: VectorStoreFile
  }
  /** Take a file out of a vector store (OpenAI) */
  deleteVectorStoreFile: {
    path: {
      /** `vs_` and the context's id */
      vector_store_id: string
      file_id: string
    }
    answer: DeletedVectorStoreFile
  }
  /** Read the text of a file in a vector store (OpenAI) */
  getVectorStoreFileContent: {
    path: {
      /** `vs_` and the context's id */
      vector_store_id: string
      file_id: string
    }
    answer: VectorStoreFileContent
  }
  /** Put files into a vector store (OpenAI) */
  createVectorStoreFileBatch: {
    path: {
      /** `vs_` and the context's id */
      vector_store_id: string
    }
    body: {
      file_ids?: string[] | null
      files?: Array<{
        file_id: string
        /** The file's `metadata`: replaced where it is given */
        attributes?: Record<string, unknown> | null
        chunking_strategy?: {
          /** `auto`; others are 400: passages are cut in one way */
          type: string
        } | null
      }> | null
      /** The file's `metadata`: replaced where it is given */
      attributes?: Record<string, unknown> | null
      chunking_strategy?: {
        /** `auto`; others are 400: passages are cut in one way */
        type: string
      } | null
    }
    answer: VectorStoreFileBatch
  }
  /** Ask how far a batch of files is (OpenAI) */
  getVectorStoreFileBatch: {
    path: {
      /** `vs_` and the context's id */
      vector_store_id: string
      batch_id: string
    }
    answer: VectorStoreFileBatch
  }
  /** Cancel a batch of files (OpenAI) */
  cancelVectorStoreFileBatch: {
    path: {
      /** `vs_` and the context's id */
      vector_store_id: string
      batch_id: string
    }
    answer: VectorStoreFileBatch
  }
  /** List the files of a batch (OpenAI) */
  listVectorStoreFileBatchFiles: {
    path: {
      /** `vs_` and the context's id */
      vector_store_id: string
      batch_id: string
    }
    query?: {
      /** How many of them */
      limit?: number
      /** By the time of making */
      order?: "asc" | "desc"
      /** Id that the page begins behind */
      after?: string
      /** Id that the page ends before */
      before?: string
      /** Only files in this state: in_progress, completed, failed, cancelled */
      filter?: string
    }
    answer: VectorStoreFileList
  }
  /** GraphQL: read files, passages, search, conversations, runs, usage */
  queryGraphql: {
    body: GraphqlQuery
    answer: GraphqlResult
  }
  /** GraphQL: a query in the address */
  queryGraphqlByAddress: {
    query?: {
      query?: string
      operationName?: string
      /** JSON */
      variables?: string
      /** JSON */
      extensions?: string
    }
    answer: GraphqlResult
  }
  /** GraphQL: the schema */
  getGraphqlSchema: {
    answer: string
  }
  /** Upload files */
  uploadFiles: {
    answer: UploadAnswer
  }
  /** Add a text */
  addText: {
    body: {
      /** Gets the extension .txt, .md or .html where it has none that fits */
      name: string
      /** Plain text */
      text?: string | null
      /** Markdown, whose headings name sections */
      markdown?: string | null
      /** A page, or a part of one; scripts and styles are left out */
      html?: string | null
      /** What your system calls it: sent again, it replaces the former text */
      external_id?: string | null
      /** Where people see it */
      url?: string | null
      /** ISO-8601; kept as `metadata.updated_at` */
      updated_at?: string | null
      context_id?: string | null
      tags?: string[] | null
      metadata?: Record<string, unknown> | null
      /** As in an upload */
      acl?: string[] | null
    }
    answer: FileRecord
  }
  /** Add a page of the web */
  addUrl: {
    body: {
      url: string
      /** `true` by default */
      only_main_content?: boolean | null
      /** How often it is fetched anew: `1d`, `6h`, at least `1m`. Null: only when it is asked for again */
      refresh?: string | null
      context_id?: string | null
      tags?: string[] | null
      metadata?: Record<string, unknown> | null
      /** As in an upload */
      acl?: string[] | null
    }
    answer: FileRecord
  }
  /** List files */
  listFiles: {
    query?: {
      /** From 1 */
      page?: number
      /** 1 to 100 */
      page_size?: number
      /** `next` of an answer in the same order: `page_size` files behind it */
      after?: string
      /** `previous` of an answer in the same order: the files before it */
      before?: string
      /** Comma-separated: queued, indexing, searchable, failed */
      status?: string
      /** Comma-separated extensions */
      type?: string
      /** Comma-separated; any of them */
      tag?: string
      /** Part of the name, any case */
      name?: string
      /** Only files of this scope */
      context_id?: string
      /** ISO-8601 */
      created_after?: string
      /** ISO-8601 */
      created_before?: string
      /** JSON of a filter: `{type, key, value}` or `{type: and | or | not, filters}` */
      filter?: string
      sort?: "created_at" | "updated_at" | "name" | "size" | "status"
      order?: "asc" | "desc"
    }
    answer: FileList
  }
  /** Get a file's record */
  getFile: {
    path: {
      file_id: string
    }
    answer: FileRecord
  }
  /** Change a file's name, tags, metadata, context or acl */
  updateFile: {
    path: {
      file_id: string
    }
    body: {
      name?: string
      tags?: string[]
      /** Beside those that a file has; not with `tags` */
      add_tags?: string[]
      /** Of those that a file has; not with `tags` */
      remove_tags?: string[]
      metadata?: Record<string, unknown>
      /** Fields beside those that a file has, in the place of those of the same name; not with `metadata` */
      add_metadata?: Record<string, unknown>
      /** Names of fields that a file loses; not with `metadata` */
      remove_metadata?: string[]
      context_id?: string | null
      /** See the record */
      acl?: string[] | null
    }
    answer: FileRecord
  }
  /** Delete a file */
  deleteFile: {
    path: {
      file_id: string
    }
    answer: undefined
  }
  /** Download the original */
  downloadFile: {
    path: {
      file_id: string
    }
    answer: ReadableStream<Uint8Array>
  }
  /** Get the extracted text */
  getFileText: {
    path: {
      file_id: string
    }
    answer: string
  }
  /** Why does somebody see a file, or not? */
  explainAccess: {
    path: {
      file_id: string
    }
    query?: {
      /** Comma-separated, such as `group:hr,user:42`; may be empty */
      principals?: string
    }
    answer: FileAccess
  }
  /** Read and index a file again */
  reindexFile: {
    path: {
      file_id: string
    }
    answer: FileRecord
  }
  /** Watch a file until it is searchable or failed */
  watchFile: {
    path: {
      file_id: string
    }
    query?: {
      /** In place of credentials: made under the stream's address, `…/token` */
      stream_token?: string
    }
    answer: undefined
    event: FileStreamEvent
  }
  /** Count the values that files have */
  getFacets: {
    query: {
      /** Comma-separated keys of filters, 20 at most */
      keys: string
      /** JSON of a filter: `{type, key, value}` or `{type: and | or | not, filters}` */
      filter?: string
    }
    answer: Facets
  }
  /** Sum up the library */
  getSummary: {
    query?: {
      /** JSON of a filter: `{type, key, value}` or `{type: and | or | not, filters}` */
      filter?: string
    }
    answer: LibrarySummary
  }
  /** Delete, re-index or change all files that pass a filter */
  changeFiles: {
    body: {
      action: "delete" | "reindex" | "patch"
      filter: Filter
      /** With `patch`: as of one file */
      patch?: {
        name?: string
        tags?: string[]
        /** Beside those that a file has; not with `tags` */
        add_tags?: string[]
        /** Of those that a file has; not with `tags` */
        remove_tags?: string[]
        metadata?: Record<string, unknown>
        /** Fields beside those that a file has, in the place of those of the same name; not with `metadata` */
        add_metadata?: Record<string, unknown>
        /** Names of fields that a file loses; not with `metadata` */
        remove_metadata?: string[]
        context_id?: string | null
        /** See the record */
        acl?: string[] | null
      } | null
      /** Only says how many files there are, and shows some */
      dry_run?: boolean | null
    }
    answer: {
      /** Files that the caller sees and the filter lets pass */
      matched: number
      /** The newest, 20 at most */
      sample: FileRecord[]
    } | {
      job_id: string
      /** Files that the caller sees and the filter lets pass */
      matched: number
    }
  }
  /** Get the state of a job */
  getJob: {
    path: {
      job_id: string
    }
    answer: Job
  }
  /** List the pages of a document */
  listPages: {
    path: {
      file_id: string
    }
    answer: Pages
  }
  /** Get a page as a picture */
  getPagePicture: {
    path: {
      file_id: string
      /** Its number, from 1, and `.png`: `4.png` */
      page: string
    }
    query?: {
      /** Pixels, 320 to 2400; 1200 by default */
      width?: number
      /** Offset into the file's extracted text, as positions have it */
      start?: number
      /** The same; what lies on other pages is left out */
      end?: number
    }
    answer: ReadableStream<Uint8Array>
  }
  /** Find where a passage stands on a page */
  getPageMarks: {
    path: {
      file_id: string
      /** Its number, from 1: `4` */
      page: string
    }
    query?: {
      /** Offset into the file's extracted text, as positions have it */
      start?: number
      /** The same; what lies on other pages is left out */
      end?: number
    }
    answer: PageMarks
  }
  /** Make a link that opens one place of a file without sign-in */
  createLink: {
    body: {
      file_id: string
      /** Page or slide */
      page?: number | null
      /** With `end`: a passage, as in positions of hits */
      start?: number | null
      end?: number | null
      /** Seconds; 86 400 unless given */
      expires_in?: number | null
    }
    answer: NewLink
  }
  /** Keep a place in sync */
  createSource: {
    body: {
      type: "folder" | "webdav" | "s3" | "git" | "imap" | "web" | "push"
      name: string
      /** By type: `folder {path}`, `webdav {url}`, `s3 {endpoint, bucket, prefix?, region?}`, `git {url, branch?, path?}`, `imap {host, port, mailbox, since?, tls?}`, `web {url, limit, include_paths?, exclude_paths?}`, `push {}` */
      config?: Record<string, unknown> | null
      /** `{username, password}`, of s3 `{access_key_id, secret_access_key}`. Kept encrypted, never shown */
      credentials?: Record<string, unknown> | null
      /** Where its files lie */
      context_id?: string | null
      tags?: string[] | null
      /** Principals that may see its files; null: everyone */
      acl?: string[] | null
      /** Only keys that one of them matches; all where there is none. `*.pdf` matches in every folder */
      include?: string[] | null
      /** No key that one of them matches */
      exclude?: string[] | null
      /** Larger entries are skipped */
      max_bytes?: number | null
      /** `15m`, `6h`, `1d`, or cron of five fields; a folder is watched for changes as well. Null: on request alone */
      schedule?: string | null
      /** Of cron; UTC unless told */
      timezone?: string | null
      delete_missing?: boolean | null
    }
    answer: SyncedSource
  }
  /** List sources */
  listSources: {
    query?: {
      /** From 1 */
      page?: number
      /** 1 to 100 */
      page_size?: number
    }
    answer: SyncedSourceList
  }
  /** Get a source */
  getSource: {
    path: {
      source_id: string
    }
    answer: SyncedSource
  }
  /** Change, pause or resume a source */
  updateSource: {
    path: {
      source_id: string
    }
    body: {
      name?: string
      /** By type: `folder {path}`, `webdav {url}`, `s3 {endpoint, bucket, prefix?, region?}`, `git {url, branch?, path?}`, `imap {host, port, mailbox, since?, tls?}`, `web {url, limit, include_paths?, exclude_paths?}`, `push {}` */
      config?: Record<string, unknown>
      /** Null takes them away */
      credentials?: Record<string, unknown> | null
      /** Its files move there */
      context_id?: string | null
      tags?: string[]
      acl?: string[] | null
      /** Only keys that one of them matches; all where there is none. `*.pdf` matches in every folder */
      include?: string[]
      /** No key that one of them matches */
      exclude?: string[]
      /** Larger entries are skipped */
      max_bytes?: number | null
      /** `15m`, `6h`, `1d`, or cron of five fields; a folder is watched for changes as well. Null: on request alone */
      schedule?: string | null
      /** Of cron; UTC unless told */
      timezone?: string | null
      delete_missing?: boolean
      /** Nothing is looked at until it is false; what was under way goes on then */
      paused?: boolean
    }
    answer: SyncedSource
  }
  /** Remove a source */
  deleteSource: {
    path: {
      source_id: string
    }
    query?: {
      delete_files?: boolean
    }
    answer: undefined
  }
  /** Sync now */
  syncSource: {
    path: {
      source_id: string
    }
    body?: {
      dry_run?: boolean | null
      force?: boolean | null
    }
    answer: SourceDryRun | {
      /** Of the sync that is under way, or of the last one while this has not begun */
      sync_id: string | null
      status: "syncing"
    }
  }
  /** How syncs went */
  listSourceSyncs: {
    path: {
      source_id: string
    }
    query?: {
      /** From 1 */
      page?: number
      /** 1 to 100 */
      page_size?: number
    }
    answer: SourceSyncList
  }
  /** Every key of a source, with what became of it */
  getSourceCoverage: {
    path: {
      source_id: string
    }
    query?: {
      /** From 1 */
      page?: number
      /** 1 to 100 */
      page_size?: number
      /** Comma-separated: searchable, pending, failed, unsupported, skipped */
      status?: string
    }
    answer: SourceCoverage
  }
  /** Say what a source has, and learn what is to be uploaded */
  sendManifest: {
    path: {
      source_id: string
    }
    body: {
      /** All that there is, each key once */
      entries: Array<{
        /** What the entry is called there, the same as long as it is the same thing: a path, an id. At most 2 000 bytes */
        key: string
        /** Changes with the content: a hash, a version, a size with a time. This or `sha256` */
        fingerprint?: string | null
        /** Of the bytes */
        sha256?: string | null
        /** Bytes: what is too large is told without an upload */
        size?: number | null
        /** ISO-8601 */
        updated_at?: string | null
        /** What the file will be called: of what type it is, is then told without an upload */
        name?: string | null
      }>
      /** Delete the files of entries that are no more; as the source says where absent */
      delete_missing?: boolean | null
      /** Only says what would be done */
      dry_run?: boolean | null
      /** Also where more than 20 % of the files would go; what failed, or was deleted here, is asked for again */
      force?: boolean | null
    }
    answer: ManifestAnswer
  }
  /** Search the library */
  search: {
    body: {
      /** Plain words, in any language. "A phrase" in quotes and +word must stand in the passage, -word must not; with nothing but excluded words there is nothing to rank by, and they are taken as plain ones. No text is an error. */
      query: string
      limit?: number
      offset?: number
      mode?: "hybrid" | "keyword" | "semantic"
      highlight?: boolean
      /** Adds each leg's rank and score */
      explain?: boolean
      /** Hits of a lower `relevance` are left out. A question that no file answers still has its nearest passages, of low relevance: .01 drops what came near by chance, .3 all but 2 % of the hits of such questions, .5 keeps what is likelier right than wrong */
      min_relevance?: number
      /** Looks words up only as they are written. Otherwise one that stands in no passage is also looked up at one letter's distance (one inserted, missing, changed, or two swapped): words of 4 to 24 letters without digits, in scripts with spaces, where no more than four of the query are unknown. `corrections` says which; they count for less than words found as they are written. A `+word` and a phrase are never corrected. Words are compared by their stems either way, outside English by their first five letters (`Vertrag` finds `Vertreter`); in quotes they are compared as they are written. English function words (`the`, `from`) ask for nothing alone. With more than four words beside it a quotation is a name in a question, and no condition unless a `+` stands before it */
      exact?: boolean
      /** Hits of one file follow each other, files in the order of their best passages. `limit`, `offset` and `total` then count files, and `groups` says whose the hits are */
      group_by?: "file"
      /** With `group_by`: hits of a file, at most; 3 unless given */
      group_size?: number
      rerank?: boolean | {
        candidates?: number
      } | null
      /** Each one narrows, as does `filter`; lists are any-of; empty ones narrow nothing. Others are refused. */
      filters?: {
        /** Any of these files; an unknown one is 404 */
        file_ids?: string[] | null
        /** Any of these extensions */
        types?: string[] | null
        /** Any of these tags */
        tags?: string[] | null
        /** The scope named at upload */
        context_id?: string | null
        /** ISO-8601 */
        created_after?: string | null
        /** ISO-8601 */
        created_before?: string | null
        /** Every key must have exactly this value */
        metadata?: Record<string, unknown> | null
      } | null
      filter?: Filter | null
      /** Your own user, for whom this is; a scoped token may fix it, and another one is then 403 */
      end_user?: string | null
    }
    answer: SearchAnswer
  }
  /** Find the most relevant documents */
  findDocuments: {
    body: {
      /** Plain words, in any language. "A phrase" in quotes and +word must stand in the passage, -word must not; with nothing but excluded words there is nothing to rank by, and they are taken as plain ones. No text is an error. */
      query?: string
      /** Plain words, in any language. "A phrase" in quotes and +word must stand in the passage, -word must not; with nothing but excluded words there is nothing to rank by, and they are taken as plain ones. No text is an error. */
      keywords?: string
      /** A scope named at upload, or a conversation: then its files only */
      context_id?: string | null
      limit?: number
      /** Hits of a lower `relevance` are left out. A question that no file answers still has its nearest passages, of low relevance: .01 drops what came near by chance, .3 all but 2 % of the hits of such questions, .5 keeps what is likelier right than wrong */
      min_relevance?: number
      /** Looks words up only as they are written. Otherwise one that stands in no passage is also looked up at one letter's distance (one inserted, missing, changed, or two swapped): words of 4 to 24 letters without digits, in scripts with spaces, where no more than four of the query are unknown. `corrections` says which; they count for less than words found as they are written. A `+word` and a phrase are never corrected. Words are compared by their stems either way, outside English by their first five letters (`Vertrag` finds `Vertreter`); in quotes they are compared as they are written. English function words (`the`, `from`) ask for nothing alone. With more than four words beside it a quotation is a name in a question, and no condition unless a `+` stands before it */
      exact?: boolean
      rerank?: boolean | {
        candidates?: number
      } | null
      /** Each one narrows, as does `filter`; lists are any-of; empty ones narrow nothing. Others are refused. */
      filters?: {
        /** Any of these files; an unknown one is 404 */
        file_ids?: string[] | null
        /** Any of these extensions */
        types?: string[] | null
        /** Any of these tags */
        tags?: string[] | null
        /** The scope named at upload */
        context_id?: string | null
        /** ISO-8601 */
        created_after?: string | null
        /** ISO-8601 */
        created_before?: string | null
        /** Every key must have exactly this value */
        metadata?: Record<string, unknown> | null
      } | null
      filter?: Filter | null
      /** Your own user, for whom this is; a scoped token may fix it, and another one is then 403 */
      end_user?: string | null
    }
    answer: DocumentsAnswer
  }
  /** List chat models */
  listModels: {
    answer: Model[]
  }
  /** Start a conversation */
  createConversation: {
    body: {
      message: string
      /** Pictures of the message, for models that see; each image/png, image/jpeg, image/gif, image/webp, at most 10 MB. Kept with it and shown to the model again with later messages. Under redaction 400: what they show cannot be redacted */
      images?: Array<{
        mime_type: string
        /** Base64 */
        data: string
      }> | null
      /** A `value` of the model list */
      model?: string | null
      title?: string | null
      system_prompt?: string | null
      /** Search the library for the answer; true by default */
      use_library?: boolean | null
      /** Search only this scope, or the files given to this `conv_…`; an empty one takes the scope off again. Under redaction a private name that no file has is 400 */
      context_id?: string | null
      /** Search only these files; pictures go to models that see */
      file_ids?: string[] | null
      filter?: unknown
      /** Left to the model where absent */
      options?: {
        temperature?: number | null
        top_p?: number | null
        max_tokens?: number | null
        seed?: number | null
        stop?: string[] | null
      } | null
      /** How much of the named files (or of the context) the answer is made from: `passages` that a search finds, the `whole` of them, part by part where they are longer than the model's window, or what the question needs (`auto`) */
      reading?: "auto" | "passages" | "whole" | null
      /** What the model may use by itself while it answers, where it can call tools; none where empty */
      tools?: Array<"query_table" | "calculate" | "read_file"> | null
      /** What becomes of the oldest turns where the history is longer than the model's window */
      history?: "summarize" | "truncate" | null
      /** Let the model think before it answers, where it can */
      thinking?: boolean | null
      response_format?: string | Record<string, unknown> | null
      redaction?: unknown
      /** Your own user, for whom this is; a scoped token may fix it, and another one is then 403 */
      end_user?: string | null
      /** Stored and returned with the conversation, at most 16 KB; under redaction its values and keys are redacted. Its keys model, system_prompt, context_id, file_ids, redaction and title stand in for missing fields */
      additional_metadata?: Record<string, unknown> | null
    }
    answer: TurnAnswer
    event: ConversationEvent
  }
  /** List conversations */
  listConversations: {
    query?: {
      /** From 1 */
      page?: number
      /** 1 to 100 */
      page_size?: number
      /** Your own user, for whom this is; a scoped token may fix it, and another one is then 403 */
      end_user?: string
      owner_type?: "key" | "user"
      shared?: "true" | "false"
      pinned?: "true" | "false"
      /** Only those of this folder */
      folder?: string
      /** Part of a title or of a message */
      q?: string
    }
    answer: ConversationList
  }
  /** Send a follow-up */
  sendMessage: {
    path: {
      conversation_id: string
    }
    body: {
      message: string
      /** Pictures of the message, for models that see; each image/png, image/jpeg, image/gif, image/webp, at most 10 MB. Kept with it and shown to the model again with later messages. Under redaction 400: what they show cannot be redacted */
      images?: Array<{
        mime_type: string
        /** Base64 */
        data: string
      }> | null
      /** A `value` of the model list */
      model?: string | null
      title?: string | null
      system_prompt?: string | null
      /** Search the library for the answer; true by default */
      use_library?: boolean | null
      /** Search only this scope, or the files given to this `conv_…`; an empty one takes the scope off again. Under redaction a private name that no file has is 400 */
      context_id?: string | null
      /** Search only these files; pictures go to models that see */
      file_ids?: string[] | null
      filter?: unknown
      /** Left to the model where absent */
      options?: {
        temperature?: number | null
        top_p?: number | null
        max_tokens?: number | null
        seed?: number | null
        stop?: string[] | null
      } | null
      /** How much of the named files (or of the context) the answer is made from: `passages` that a search finds, the `whole` of them, part by part where they are longer than the model's window, or what the question needs (`auto`) */
      reading?: "auto" | "passages" | "whole" | null
      /** What the model may use by itself while it answers, where it can call tools; none where empty */
      tools?: Array<"query_table" | "calculate" | "read_file"> | null
      /** What becomes of the oldest turns where the history is longer than the model's window */
      history?: "summarize" | "truncate" | null
      /** Let the model think before it answers, where it can */
      thinking?: boolean | null
      response_format?: string | Record<string, unknown> | null
      redaction?: unknown
      /** Your own user, for whom this is; a scoped token may fix it, and another one is then 403 */
      end_user?: string | null
      /** Stored and returned with the conversation, at most 16 KB; under redaction its values and keys are redacted. Its keys model, system_prompt, context_id, file_ids, redaction and title stand in for missing fields */
      additional_metadata?: Record<string, unknown> | null
    }
    answer: TurnAnswer
    event: ConversationEvent
  }
  /** Get a conversation with its messages */
  getConversation: {
    path: {
      conversation_id: string
    }
    answer: Conversation
  }
  /** Change title, metadata or what is remembered */
  updateConversation: {
    path: {
      conversation_id: string
    }
    body: {
      /** Is listed apart by `?pinned=`; its time does not change */
      pinned?: boolean
      /** Name of the group to keep it in; an empty one takes it out */
      folder?: string
      title?: string
      additional_metadata?: Record<string, unknown>
      /** What becomes of the oldest turns where the history is longer than the model's window */
      history?: "summarize" | "truncate"
      /** Put in place of the summary that the conversation has; the next answer is given it so. Null removes it: a new one is made of the messages when it is needed */
      summary?: {
        text: string
      } | null
    }
    answer: Conversation
  }
  /** Delete a conversation */
  deleteConversation: {
    path: {
      conversation_id: string
    }
    answer: undefined
  }
  /** Write a reply anew */
  regenerateMessage: {
    path: {
      conversation_id: string
      message_id: string
    }
    body?: {
      message?: string
      /** Pictures of the message, for models that see; each image/png, image/jpeg, image/gif, image/webp, at most 10 MB. Kept with it and shown to the model again with later messages. Under redaction 400: what they show cannot be redacted */
      images?: Array<{
        mime_type: string
        /** Base64 */
        data: string
      }> | null
      /** A `value` of the model list */
      model?: string | null
      title?: string | null
      system_prompt?: string | null
      /** Search the library for the answer; true by default */
      use_library?: boolean | null
      /** Search only this scope, or the files given to this `conv_…`; an empty one takes the scope off again. Under redaction a private name that no file has is 400 */
      context_id?: string | null
      /** Search only these files; pictures go to models that see */
      file_ids?: string[] | null
      filter?: unknown
      /** Left to the model where absent */
      options?: {
        temperature?: number | null
        top_p?: number | null
        max_tokens?: number | null
        seed?: number | null
        stop?: string[] | null
      } | null
      /** How much of the named files (or of the context) the answer is made from: `passages` that a search finds, the `whole` of them, part by part where they are longer than the model's window, or what the question needs (`auto`) */
      reading?: "auto" | "passages" | "whole" | null
      /** What the model may use by itself while it answers, where it can call tools; none where empty */
      tools?: Array<"query_table" | "calculate" | "read_file"> | null
      /** What becomes of the oldest turns where the history is longer than the model's window */
      history?: "summarize" | "truncate" | null
      /** Let the model think before it answers, where it can */
      thinking?: boolean | null
      response_format?: string | Record<string, unknown> | null
      redaction?: unknown
      /** Your own user, for whom this is; a scoped token may fix it, and another one is then 403 */
      end_user?: string | null
      /** Stored and returned with the conversation, at most 16 KB; under redaction its values and keys are redacted. Its keys model, system_prompt, context_id, file_ids, redaction and title stand in for missing fields */
      additional_metadata?: Record<string, unknown> | null
    }
    answer: TurnAnswer
    event: ConversationEvent
  }
  /** List the folders of conversations */
  listConversationFolders: {
    query?: {
      owner_type?: "key" | "user"
      shared?: "true" | "false"
    }
    answer: ConversationFolders
  }
  /** Say what an answer was worth */
  rateAnswer: {
    path: {
      conversation_id: string
      message_id: string
    }
    body: {
      rating: "up" | "down" | null
      note?: string
    }
    answer: Conversation
  }
  /** Put a former answer in the place of the last one */
  chooseVariant: {
    path: {
      conversation_id: string
      message_id: string
      variant_id: string
    }
    answer: Conversation
  }
  /** Get a picture of a message */
  getMessageImage: {
    path: {
      conversation_id: string
      message_id: string
      place: string
    }
    answer: ReadableStream<Uint8Array>
  }
  /** Follow the newest reply */
  followConversation: {
    path: {
      conversation_id: string
    }
    query?: {
      /** As `Last-Event-ID`, which goes before it */
      after?: string
      /** In place of credentials: made under the stream's address, `…/token` */
      stream_token?: string
    }
    answer: undefined
    event: ConversationEvent
  }
  /** Stop the reply that is being written */
  cancelReply: {
    path: {
      conversation_id: string
    }
    answer: Conversation
  }
  /** Start a conversation and wait for the reply */
  startConversation: {
    body: {
      message?: string | null
      /** Another name of message */
      initial_message?: string | null
      /** Pictures of the message, for models that see; each image/png, image/jpeg, image/gif, image/webp, at most 10 MB. Kept with it and shown to the model again with later messages. Under redaction 400: what they show cannot be redacted */
      images?: Array<{
        mime_type: string
        /** Base64 */
        data: string
      }> | null
      /** A `value` of the model list */
      model?: string | null
      title?: string | null
      system_prompt?: string | null
      /** Search the library for the answer; true by default */
      use_library?: boolean | null
      /** Search only this scope, or the files given to this `conv_…`; an empty one takes the scope off again. Under redaction a private name that no file has is 400 */
      context_id?: string | null
      /** Search only these files; pictures go to models that see */
      file_ids?: string[] | null
      filter?: unknown
      /** Left to the model where absent */
      options?: {
        temperature?: number | null
        top_p?: number | null
        max_tokens?: number | null
        seed?: number | null
        stop?: string[] | null
      } | null
      /** How much of the named files (or of the context) the answer is made from: `passages` that a search finds, the `whole` of them, part by part where they are longer than the model's window, or what the question needs (`auto`) */
      reading?: "auto" | "passages" | "whole" | null
      /** What the model may use by itself while it answers, where it can call tools; none where empty */
      tools?: Array<"query_table" | "calculate" | "read_file"> | null
      /** What becomes of the oldest turns where the history is longer than the model's window */
      history?: "summarize" | "truncate" | null
      /** Let the model think before it answers, where it can */
      thinking?: boolean | null
      response_format?: string | Record<string, unknown> | null
      redaction?: unknown
      /** Your own user, for whom this is; a scoped token may fix it, and another one is then 403 */
      end_user?: string | null
      /** Stored and returned with the conversation, at most 16 KB; under redaction its values and keys are redacted. Its keys model, system_prompt, context_id, file_ids, redaction and title stand in for missing fields */
      additional_metadata?: Record<string, unknown> | null
    }
    answer: TurnAnswer
  }
  /** Send a message and wait for the reply */
  send: {
    body: {
      conversation_id: string
      message: string
      /** Pictures of the message, for models that see; each image/png, image/jpeg, image/gif, image/webp, at most 10 MB. Kept with it and shown to the model again with later messages. Under redaction 400: what they show cannot be redacted */
      images?: Array<{
        mime_type: string
        /** Base64 */
        data: string
      }> | null
      /** A `value` of the model list */
      model?: string | null
      title?: string | null
      system_prompt?: string | null
      /** Search the library for the answer; true by default */
      use_library?: boolean | null
      /** Search only this scope, or the files given to this `conv_…`; an empty one takes the scope off again. Under redaction a private name that no file has is 400 */
      context_id?: string | null
      /** Search only these files; pictures go to models that see */
      file_ids?: string[] | null
      filter?: unknown
      /** Left to the model where absent */
      options?: {
        temperature?: number | null
        top_p?: number | null
        max_tokens?: number | null
        seed?: number | null
        stop?: string[] | null
      } | null
      /** How much of the named files (or of the context) the answer is made from: `passages` that a search finds, the `whole` of them, part by part where they are longer than the model's window, or what the question needs (`auto`) */
      reading?: "auto" | "passages" | "whole" | null
      /** What the model may use by itself while it answers, where it can call tools; none where empty */
      tools?: Array<"query_table" | "calculate" | "read_file"> | null
      /** What becomes of the oldest turns where the history is longer than the model's window */
      history?: "summarize" | "truncate" | null
      /** Let the model think before it answers, where it can */
      thinking?: boolean | null
      response_format?: string | Record<string, unknown> | null
      redaction?: unknown
      /** Your own user, for whom this is; a scoped token may fix it, and another one is then 403 */
      end_user?: string | null
      /** Stored and returned with the conversation, at most 16 KB; under redaction its values and keys are redacted. Its keys model, system_prompt, context_id, file_ids, redaction and title stand in for missing fields */
      additional_metadata?: Record<string, unknown> | null
    }
    answer: TurnAnswer
  }
  /** Continue with a model */
  continueConversation: {
    body: {
      conversation_id: string
      message?: string | null
      /** Pictures of the message, for models that see; each image/png, image/jpeg, image/gif, image/webp, at most 10 MB. Kept with it and shown to the model again with later messages. Under redaction 400: what they show cannot be redacted */
      images?: Array<{
        mime_type: string
        /** Base64 */
        data: string
      }> | null
      model: string
      title?: string | null
      system_prompt?: string | null
      /** Search the library for the answer; true by default */
      use_library?: boolean | null
      /** Search only this scope, or the files given to this `conv_…`; an empty one takes the scope off again. Under redaction a private name that no file has is 400 */
      context_id?: string | null
      /** Search only these files; pictures go to models that see */
      file_ids?: string[] | null
      filter?: unknown
      /** Left to the model where absent */
      options?: {
        temperature?: number | null
        top_p?: number | null
        max_tokens?: number | null
        seed?: number | null
        stop?: string[] | null
      } | null
      /** How much of the named files (or of the context) the answer is made from: `passages` that a search finds, the `whole` of them, part by part where they are longer than the model's window, or what the question needs (`auto`) */
      reading?: "auto" | "passages" | "whole" | null
      /** What the model may use by itself while it answers, where it can call tools; none where empty */
      tools?: Array<"query_table" | "calculate" | "read_file"> | null
      /** What becomes of the oldest turns where the history is longer than the model's window */
      history?: "summarize" | "truncate" | null
      /** Let the model think before it answers, where it can */
      thinking?: boolean | null
      response_format?: string | Record<string, unknown> | null
      redaction?: unknown
      /** Your own user, for whom this is; a scoped token may fix it, and another one is then 403 */
      end_user?: string | null
      /** Stored and returned with the conversation, at most 16 KB; under redaction its values and keys are redacted. Its keys model, system_prompt, context_id, file_ids, redaction and title stand in for missing fields */
      additional_metadata?: Record<string, unknown> | null
    }
    answer: TurnAnswer
  }
  /** Show what made an answer */
  getAnswerRecord: {
    path: {
      conversation_id: string
      message_id: string
    }
    query?: {
      prompt?: "true" | "false"
      /** Tell what the passages would be now */
      compare?: "now"
    }
    answer: AnswerRecord
  }
  /** Ask the model with the prompt of a stored answer again */
  replayAnswer: {
    path: {
      conversation_id: string
      message_id: string
    }
    body?: {
      /** A `value` of the model list */
      model?: string | null
    }
    answer: ReplayedAnswer
    event: ConversationEvent
  }
  /** Get whom a conversation is shared with */
  getConversationShares: {
    path: {
      conversation_id: string
    }
    answer: Shares
  }
  /** Share a conversation with console users, or end that */
  shareConversation: {
    path: {
      conversation_id: string
    }
    body: {
      /** Ids of console users of the workspace, or all of them; nobody where empty */
      users: string[] | "workspace"
    }
    answer: Shares
  }
  /** Get whom a run is shared with */
  getRunShares: {
    path: {
      run_id: string
    }
    answer: Shares
  }
  /** Share a run with console users, or end that */
  shareRun: {
    path: {
      run_id: string
    }
    body: {
      /** Ids of console users of the workspace, or all of them; nobody where empty */
      users: string[] | "workspace"
    }
    answer: Shares
  }
  /** Run an agent */
  runAgent: {
    header?: {
      /** `respond-async`: answer at once and let the run go on */
      Prefer?: "respond-async"
    }
    body: {
      task: string
      /** `value` of a model; the default one unless told */
      model?: string | null
      /** Names of the tools that may be used; all built-in ones by default. Tools of external servers, `server.tool` or `server.*`, only join when named */
      tools?: string[] | null
      /** Only these files; an empty list does not narrow */
      file_ids?: string[] | null
      /** Only the files of this scope, or of the conversation `conv_…` */
      context_id?: string | null
      filter?: Filter | null
      /** Counts from acceptance */
      timeout_seconds?: number | null
      /** How long a call waits for its approval; it is not counted in timeout_seconds */
      approval_timeout_seconds?: number | null
      /** Model turns; the last one is asked for an answer */
      max_steps?: number | null
      /** JSON Schema that the answer must meet. Under redaction its texts are redacted, and the answer is held to it as the model saw it; names of properties that are private are 400 */
      output_schema?: Record<string, unknown> | null
      redaction?: boolean | Record<string, unknown> | null
      /** Your own user, for whom this is; a scoped token may fix it, and another one is then 403 */
      end_user?: string | null
      additional_metadata?: Record<string, unknown> | null
    }
    answer: Run
  }
  /** List runs */
  listRuns: {
    query?: {
      /** From 1 */
      page?: number
      /** 1 to 100 */
      page_size?: number
      /** Comma-separated: running, waiting_for_approval, completed, failed, timed_out, cancelled */
      status?: string
      /** Your own user, for whom this is; a scoped token may fix it, and another one is then 403 */
      end_user?: string
      owner_type?: "key" | "user"
      shared?: "true" | "false"
    }
    answer: RunList
  }
  /** Get a run */
  getRun: {
    path: {
      run_id: string
    }
    answer: Run
  }
  /** Delete a run */
  deleteRun: {
    path: {
      run_id: string
    }
    answer: undefined
  }
  /** Cancel a run */
  cancelRun: {
    path: {
      run_id: string
    }
    answer: Run
  }
  /** Approve or deny a call */
  decideApproval: {
    path: {
      run_id: string
      approval_id: string
    }
    body: {
      decision: "approve" | "deny"
      /** Kept with the approval; the model is told why it is denied */
      reason?: string | null
    }
    answer: Approval
  }
  /** Watch a run */
  watchRun: {
    path: {
      run_id: string
    }
    query?: {
      /** As `Last-Event-ID`, which goes before it */
      after?: string
      /** In place of credentials: made under the stream's address, `…/token` */
      stream_token?: string
    }
    answer: undefined
    event: RunEvent
  }
  /** Redact a text */
  redact: {
    body: {
      text: string
      /** `true`: everything; `false`: nothing; or an object: `enabled`, `categories` (personal, financial, credentials), `kinds` (overrides categories), `exclude` (whole values that are left alone, any case), `custom_patterns` (at most 50 of `{name, pattern, flags}` in RE2 syntax, 1 000 characters each, matches of at most 4 096 characters) */
      redaction?: unknown
    }
    answer: RedactedText
  }
  /** Carry many requests out in the background */
  startBatch: {
    query?: {
      /** With `application/jsonl` */
      completion_window?: string
    }
    body: {
      /** Needed in JSON */
      requests?: BatchRequest[]
      /** Time that it has, from `1m` to `7d`: `24h` by default */
      completion_window?: string | null
      /** At most 16 texts */
      metadata?: Record<string, unknown> | null
    }
    answer: Batch
  }
  /** List batches */
  listStartedBatches: {
    query?: {
      /** How many of them */
      limit?: number
      /** By the time of making */
      order?: "asc" | "desc"
      /** Id that the page begins behind */
      after?: string
    }
    answer: BatchList
  }
  /** Get a batch */
  getStartedBatch: {
    path: {
      batch_id: string
    }
    answer: Batch
  }
  /** Cancel a batch */
  cancelStartedBatch: {
    path: {
      batch_id: string
    }
    answer: Batch
  }
  /** Make a request again and again at set times */
  createSchedule: {
    body: {
      name: string
      /** Five fields: minute, hour, day of the month, month, day of the week */
      cron?: string | null
      /** In the place of `cron`: `90s`, `15m`, `6h`, `1d` */
      every?: string | null
      /** Of `cron`, by its name in the IANA database: UTC by default */
      timezone?: string | null
      paused?: boolean | null
      request: {
        /** /v1/chat/completions, /v1/embeddings, /v1/responses, /external/conversations, /external/agents/run, /external/search, /external/redact */
        url: string
        body: Record<string, unknown>
      }
    }
    answer: Schedule
  }
  /** List schedules */
  listSchedules: {
    query?: {
      /** From 1 */
      page?: number
      /** 1 to 100 */
      page_size?: number
    }
    answer: ScheduleList
  }
  /** Get a schedule */
  getSchedule: {
    path: {
      schedule_id: string
    }
    answer: Schedule
  }
  /** Change or pause a schedule */
  updateSchedule: {
    path: {
      schedule_id: string
    }
    body: {
      name?: string | null
      /** Five fields: minute, hour, day of the month, month, day of the week */
      cron?: string | null
      /** In the place of `cron`: `90s`, `15m`, `6h`, `1d` */
      every?: string | null
      /** Of `cron`, by its name in the IANA database: UTC by default */
      timezone?: string | null
      paused?: boolean | null
      request?: {
        /** /v1/chat/completions, /v1/embeddings, /v1/responses, /external/conversations, /external/agents/run, /external/search, /external/redact */
        url: string
        body: Record<string, unknown>
      } | null
    }
    answer: Schedule
  }
  /** Delete a schedule */
  deleteSchedule: {
    path: {
      schedule_id: string
    }
    answer: undefined
  }
  /** List the runs of a schedule */
  listScheduleRuns: {
    path: {
      schedule_id: string
    }
    query?: {
      limit?: number
    }
    answer: ScheduleRun[]
  }
  /** Run a schedule now */
  runSchedule: {
    path: {
      schedule_id: string
    }
    answer: ScheduleRun
  }
  /** List receipts of deletions */
  listReceipts: {
    query?: {
      /** From 1 */
      page?: number
      /** 1 to 100 */
      page_size?: number
      /** Id of something that was deleted, or the name of an end user */
      resource?: string
    }
    answer: ReceiptList
  }
  /** Get the key of receipts */
  getReceiptKey: {
    answer: ReceiptKey
  }
  /** Get the receipt of a deletion */
  getReceipt: {
    path: {
      receipt_id: string
    }
    answer: Receipt
  }
  /** Erase an end user */
  eraseEndUser: {
    path: {
      end_user: string
    }
    answer: {
      receipt_id: string
    }
  }
  /** Generate an API key */
  createKey: {
    body: {
      name: string
      /** models:read, files:read, files:write, search, chat, agents, sources, webhooks, batches, usage, audit, retention, tokens */
      scopes?: string[]
      expires_at?: string | null
      rate_limit_per_minute?: number | null
      /** Only files of these contexts exist for the key; uploads go there. Null: all */
      context_ids?: string[] | null
      /** Values and globs, such as `ollama/*`; null: all */
      models?: string[] | null
      /** Only files that pass it exist for the key; null: all */
      filter?: Filter | null
      /** Requests and tokens of a day in UTC, and bytes that it holds; beyond it `quota_exceeded` */
      quota?: {
        requests_per_day?: number
        tokens_per_day?: number
        bytes_stored?: number
      } | null
    }
    answer: NewKey
  }
  /** List API keys */
  listKeys: {
    query?: {
      /** From 1 */
      page?: number
      /** 1 to 100 */
      page_size?: number
    }
    answer: KeyList
  }
  /** Change an API key, or hand it over to another user */
  updateKey: {
    path: {
      id: string
    }
    body: {
      name?: string
      /** models:read, files:read, files:write, search, chat, agents, sources, webhooks, batches, usage, audit, retention, tokens */
      scopes?: string[]
      expires_at?: string | null
      rate_limit_per_minute?: number | null
      /** Only files of these contexts exist for the key; uploads go there. Null: all */
      context_ids?: string[] | null
      /** Values and globs, such as `ollama/*`; null: all */
      models?: string[] | null
      /** Only files that pass it exist for the key; null: all */
      filter?: Filter | null
      /** Requests and tokens of a day in UTC, and bytes that it holds; beyond it `quota_exceeded` */
      quota?: {
        requests_per_day?: number
        tokens_per_day?: number
        bytes_stored?: number
      } | null
      /** A user of the workspace; null: nobody's. For administrators */
      owner_id?: string | null
    }
    answer: ApiKey
  }
  /** Revoke an API key */
  revokeKey: {
    path: {
      id: string
    }
    answer: undefined
  }
  /** Replace private key and secret */
  rotateKey: {
    path: {
      id: string
    }
    body?: {
      grace_seconds?: number
    }
    answer: NewKey
  }
  /** Make a token that narrows this key */
  createToken: {
    body: {
      /** Seconds */
      expires_in?: number | null
      /** It sees and makes this one's conversations and runs only */
      end_user?: string | null
      principals?: string[] | null
      /** Only files of these contexts */
      context_ids?: string[] | null
      filter?: Filter | null
      /** Those of the key unless told, but `tokens` */
      scopes?: string[] | null
    }
    answer: ScopedToken
  }
  /** Make a token that opens the stream of a conversation */
  createConversationStreamToken: {
    path: {
      conversation_id: string
    }
    body?: {
      /** Seconds */
      expires_in?: number | null
    } | null
    answer: StreamToken
  }
  /** Make a token that opens the stream of a run */
  createRunStreamToken: {
    path: {
      run_id: string
    }
    body?: {
      /** Seconds */
      expires_in?: number | null
    } | null
    answer: StreamToken
  }
  /** Make a token that opens the stream of a file */
  createFileStreamToken: {
    path: {
      file_id: string
    }
    body?: {
      /** Seconds */
      expires_in?: number | null
    } | null
    answer: StreamToken
  }
  /** Make a token that opens the stream of events */
  createEventStreamToken: {
    body?: {
      /** Seconds */
      expires_in?: number | null
    } | null
    answer: StreamToken
  }
  /** Read or follow what happened */
  listEvents: {
    query?: {
      /** Id of an event: only what came after it. Else from the oldest that is kept */
      after?: string
      /** Only these, with commas between them */
      types?: string
      /** 1 to 1000 */
      limit?: number
      /** In place of credentials: made under the stream's address, `…/token` */
      stream_token?: string
    }
    answer: EventList
    event: FileSearchableStreamed | FileFailedStreamed | FileDeletedStreamed | BatchCompletedStreamed | BatchFailedStreamed | JobCompletedStreamed | RunCompletedStreamed | RunFailedStreamed | RunTimedOutStreamed | RunCancelledStreamed | RunWaitingForApprovalStreamed | ScheduleFailedStreamed | SourceSyncedStreamed | SourceFailedStreamed | SourceGuardedStreamed | KeyExpiringStreamed | RetentionAppliedStreamed | StorageLowStreamed | WebhookDisabledStreamed | StreamError | StreamEnd
  }
  /** Have events sent to a receiver */
  createWebhook: {
    body: {
      /** http or https, to an address that --webhook-allow admits */
      url: string
      types?: Array<"file.searchable" | "file.failed" | "file.deleted" | "batch.completed" | "batch.failed" | "job.completed" | "run.completed" | "run.failed" | "run.timed_out" | "run.cancelled" | "run.waiting_for_approval" | "schedule.failed" | "source.synced" | "source.failed" | "source.guarded" | "key.expiring" | "retention.applied" | "storage.low" | "webhook.disabled"> | null
      description?: string | null
      /** `whsec_` and 24 to 64 bytes in base64; one is made where absent */
      secret?: string | null
    }
    answer: NewWebhook
  }
  /** List webhooks */
  listWebhooks: {
    query?: {
      /** From 1 */
      page?: number
      /** 1 to 100 */
      page_size?: number
    }
    answer: WebhookList
  }
  /** Get a webhook */
  getWebhook: {
    path: {
      webhook_id: string
    }
    answer: Webhook
  }
  /** Change, disable or enable a webhook */
  changeWebhook: {
    path: {
      webhook_id: string
    }
    body: {
      /** http or https, to an address that --webhook-allow admits */
      url?: string | null
      types?: Array<"file.searchable" | "file.failed" | "file.deleted" | "batch.completed" | "batch.failed" | "job.completed" | "run.completed" | "run.failed" | "run.timed_out" | "run.cancelled" | "run.waiting_for_approval" | "schedule.failed" | "source.synced" | "source.failed" | "source.guarded" | "key.expiring" | "retention.applied" | "storage.low" | "webhook.disabled"> | null
      description?: string | null
      status?: "active" | "disabled" | null
    }
    answer: Webhook
  }
  /** Delete a webhook */
  deleteWebhook: {
    path: {
      webhook_id: string
    }
    answer: undefined
  }
  /** Send a test message to a receiver */
  testWebhook: {
    path: {
      webhook_id: string
    }
    answer: Delivery
  }
  /** Give a webhook a new secret */
  rotateWebhook: {
    path: {
      webhook_id: string
    }
    body?: {
      /** The former secret signs too for so long */
      grace_seconds?: number | null
    } | null
    answer: WebhookSecret
  }
  /** List what was sent to a receiver */
  listDeliveries: {
    path: {
      webhook_id: string
    }
    query?: {
      /** Only these, with commas between them */
      status?: string
      /** From 1 */
      page?: number
      /** 1 to 100 */
      page_size?: number
    }
    answer: DeliveryList
  }
  /** Send events to a receiver once more */
  redeliver: {
    path: {
      webhook_id: string
    }
    body: {
      event_id?: string | null
      /** A time: all events from then on that it hears of */
      since?: string | null
    }
    answer: Redelivery
  }
  /** Keep files, conversations and runs from being deleted */
  createHold: {
    body: {
      name: string
      filter?: Filter | null
      end_user?: string | null
      context_id?: string | null
    }
    answer: CountedHold
  }
  /** List holds */
  listHolds: {
    query?: {
      /** From 1 */
      page?: number
      /** 1 to 100 */
      page_size?: number
    }
    answer: HoldList
  }
  /** Get a hold, with how much it covers */
  getHold: {
    path: {
      hold_id: string
    }
    answer: CountedHold
  }
  /** Lift a hold */
  liftHold: {
    path: {
      hold_id: string
    }
    answer: undefined
  }
  /** Read the audit log */
  listAudit: {
    query?: {
      /** ISO-8601: not before it */
      from?: string
      /** ISO-8601: before it */
      to?: string
      /** Id of a key, token or user; or a type of actor */
      actor?: string
      /** `file.delete`, or `file` for all about files */
      action?: string
      outcome?: "success" | "denied" | "failure"
      /** Id of what it is about; or a type */
      resource?: string
      /** Id of a row: only what follows it, in the order that is asked for */
      after?: string
      order?: "asc" | "desc"
      /** 1 to 1000 */
      limit?: number
    }
    answer: AuditList
  }
  /** Export the audit log */
  exportAudit: {
    query?: {
      /** ISO-8601: not before it */
      from?: string
      /** ISO-8601: before it */
      to?: string
      /** Id of a key, token or user; or a type of actor */
      actor?: string
      /** `file.delete`, or `file` for all about files */
      action?: string
      outcome?: "success" | "denied" | "failure"
      /** Id of what it is about; or a type */
      resource?: string
    }
    answer: ReadableStream<Uint8Array>
  }
  /** Is the audit log as it was written? */
  verifyAudit: {
    answer: AuditVerification
  }
  /** Get the rules of retention */
  getRetention: {
    answer: Retention
  }
  /** Say what is deleted by itself, and when */
  setRetention: {
    body: {
      rules: Array<{
        kind: "conversations" | "runs" | "files" | "events" | "audit"
        after_days: number
        /** Of files, conversations and runs: only those of this context */
        context_id?: string | null
        filter?: Filter | null
      }>
    }
    answer: Retention
  }
  /** Count what rules would delete now */
  previewRetention: {
    body?: {
      rules?: Array<{
        kind: "conversations" | "runs" | "files" | "events" | "audit"
        after_days: number
        /** Of files, conversations and runs: only those of this context */
        context_id?: string | null
        filter?: Filter | null
      }> | null
    } | null
    answer: RetentionPreview
  }
  /** Read what was used */
  getUsage: {
    query?: {
      /** Time or date; 30 days before `to` by default */
      from?: string
      /** Time or date, not included; now by default. Whole hours count */
      to?: string
      bucket?: "hour" | "day" | "month"
      /** Some of key, end_user, model, context, separated by commas */
      group_by?: string
    }
    answer: UsageReport
  }
}

export interface Route {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  /** With `{name}` for each parameter. */
  path: string
  answers: "json" | "text" | "bytes" | "events" | "none"
  /** Carried out once under an Idempotency-Key. */
  idempotent?: true
  /** A POST that may be sent twice. */
  harmless?: true
  /** May answer as a stream of events. */
  events?: true
  /** Goes on behind the event that Last-Event-ID names. */
  resumes?: true
}

export const ROUTES: { readonly [Id in keyof Calls]: Route } = {
  getHealth: { method: "GET", path: "/healthz", answers: "json" },
  getReadiness: { method: "GET", path: "/readyz", answers: "json" },
  listCompatibleModels: { method: "GET", path: "/v1/models", answers: "json" },
  getCompatibleModel: { method: "GET", path: "/v1/models/{model}", answers: "json" },
  createChatCompletion: { method: "POST", path: "/v1/chat/completions", answers: "json", idempotent: true, events: true },
  createResponse: { method: "POST", path: "/v1/responses", answers: "json", idempotent: true, events: true },
  getResponse: { method: "GET", path: "/v1/responses/{response_id}", answers: "json", events: true },
  deleteResponse: { method: "DELETE", path: "/v1/responses/{response_id}", answers: "json" },
  cancelResponse: { method: "POST", path: "/v1/responses/{response_id}/cancel", answers: "json" },
  createEmbeddings: { method: "POST", path: "/v1/embeddings", answers: "json", harmless: true },
  rerank: { method: "POST", path: "/v1/rerank", answers: "json", harmless: true },
  rerankV2: { method: "POST", path: "/v2/rerank", answers: "json", harmless: true },
  retrieve: { method: "POST", path: "/retrieval", answers: "json", harmless: true },
  retrieveV1: { method: "POST", path: "/v1/retrieval", answers: "json", harmless: true },
  createFileObject: { method: "POST", path: "/v1/files", answers: "json" },
  listFileObjects: { method: "GET", path: "/v1/files", answers: "json" },
  getFileObject: { method: "GET", path: "/v1/files/{file_id}", answers: "json" },
  deleteFileObject: { method: "DELETE", path: "/v1/files/{file_id}", answers: "json" },
  downloadFileObject: { method: "GET", path: "/v1/files/{file_id}/content", answers: "bytes" },
  createBatch: { method: "POST", path: "/v1/batches", answers: "json", idempotent: true },
  listBatches: { method: "GET", path: "/v1/batches", answers: "json" },
  getBatch: { method: "GET", path: "/v1/batches/{batch_id}", answers: "json" },
  cancelBatch: { method: "POST", path: "/v1/batches/{batch_id}/cancel", answers: "json" },
  createVectorStore: { method: "POST", path: "/v1/vector_stores", answers: "json" },
  listVectorStores: { method: "GET", path: "/v1/vector_stores", answers: "json" },
  getVectorStore: { method: "GET", path: "/v1/vector_stores/{vector_store_id}", answers: "json" },
  updateVectorStore: { method: "POST", path: "/v1/vector_stores/{vector_store_id}", answers: "json" },
  deleteVectorStore: { method: "DELETE", path: "/v1/vector_stores/{vector_store_id}", answers: "json" },
  searchVectorStore: { method: "POST", path: "/v1/vector_stores/{vector_store_id}/search", answers: "json", harmless: true },
  createVectorStoreFile: { method: "POST", path: "/v1/vector_stores/{vector_store_id}/files", answers: "json" },
  listVectorStoreFiles: { method: "GET", path: "/v1/vector_stores/{vector_store_id}/files", answers: "json" },
  getVectorStoreFile: { method: "GET", path: "/v1/vector_stores/{vector_store_id}/files/{file_id}", answers: "json" },
  updateVectorStoreFile: { method: "POST", path: "/v1/vector_stores/{vector_store_id}/files/{file_id}", answers: "json" },
  deleteVectorStoreFile: { method: "DELETE", path: "/v1/vector_stores/{vector_store_id}/files/{file_id}", answers: "json" },
  getVectorStoreFileContent: { method: "GET", path: "/v1/vector_stores/{vector_store_id}/files/{file_id}/content", answers: "json" },
  createVectorStoreFileBatch: { method: "POST", path: "/v1/vector_stores/{vector_store_id}/file_batches", answers: "json" },
  getVectorStoreFileBatch: { method: "GET", path: "/v1/vector_stores/{vector_store_id}/file_batches/{batch_id}", answers: "json" },
  cancelVectorStoreFileBatch: { method: "POST", path: "/v1/vector_stores/{vector_store_id}/file_batches/{batch_id}/cancel", answers: "json" },
  listVectorStoreFileBatchFiles: { method: "GET", path: "/v1/vector_stores/{vector_store_id}/file_batches/{batch_id}/files", answers: "json" },
  queryGraphql: { method: "POST", path: "/graphql", answers: "json", harmless: true },
  queryGraphqlByAddress: { method: "GET", path: "/graphql", answers: "json" },
  getGraphqlSchema: { method: "GET", path: "/graphql/schema", answers: "text" },
  uploadFiles: { method: "POST", path: "/external-docs/external/upload", answers: "json", idempotent: true },
  addText: { method: "POST", path: "/external-docs/external/libraries/text", answers: "json", idempotent: true },
  addUrl: { method: "POST", path: "/external-docs/external/libraries/url", answers: "json", idempotent: true },
  listFiles: { method: "GET", path: "/external-docs/external/libraries", answers: "json" },
  getFile: { method: "GET", path: "/external-docs/external/libraries/{file_id}", answers: "json" },
  updateFile: { method: "PATCH", path: "/external-docs/external/libraries/{file_id}", answers: "json" },
  deleteFile: { method: "DELETE", path: "/external-docs/external/libraries/{file_id}", answers: "none" },
  downloadFile: { method: "GET", path: "/external-docs/external/libraries/{file_id}/content", answers: "bytes" },
  getFileText: { method: "GET", path: "/external-docs/external/libraries/{file_id}/text", answers: "text" },
  explainAccess: { method: "GET", path: "/external-docs/external/libraries/{file_id}/access", answers: "json" },
  reindexFile: { method: "POST", path: "/external-docs/external/libraries/{file_id}/reindex", answers: "json" },
  watchFile: { method: "GET", path: "/external-docs/external/libraries/{file_id}/events", answers: "events", events: true },
  getFacets: { method: "GET", path: "/external-docs/external/libraries/facets", answers: "json" },
  getSummary: { method: "GET", path: "/external-docs/external/libraries/summary", answers: "json" },
  changeFiles: { method: "POST", path: "/external-docs/external/libraries/bulk", answers: "json" },
  getJob: { method: "GET", path: "/external-docs/external/jobs/{job_id}", answers: "json" },
  listPages: { method: "GET", path: "/external-docs/external/libraries/{file_id}/pages", answers: "json" },
  getPagePicture: { method: "GET", path: "/external-docs/external/libraries/{file_id}/pages/{page}", answers: "bytes" },
  getPageMarks: { method: "GET", path: "/external-docs/external/libraries/{file_id}/pages/{page}/marks", answers: "json" },
  createLink: { method: "POST", path: "/external-docs/external/links", answers: "json" },
  createSource: { method: "POST", path: "/external-docs/external/sources", answers: "json", idempotent: true },
  listSources: { method: "GET", path: "/external-docs/external/sources", answers: "json" },
  getSource: { method: "GET", path: "/external-docs/external/sources/{source_id}", answers: "json" },
  updateSource: { method: "PATCH", path: "/external-docs/external/sources/{source_id}", answers: "json" },
  deleteSource: { method: "DELETE", path: "/external-docs/external/sources/{source_id}", answers: "none" },
  syncSource: { method: "POST", path: "/external-docs/external/sources/{source_id}/sync", answers: "json" },
  listSourceSyncs: { method: "GET", path: "/external-docs/external/sources/{source_id}/history", answers: "json" },
  getSourceCoverage: { method: "GET", path: "/external-docs/external/sources/{source_id}/coverage", answers: "json" },
  sendManifest: { method: "POST", path: "/external-docs/external/sources/{source_id}/manifest", answers: "json" },
  search: { method: "POST", path: "/external-docs/external/search", answers: "json", harmless: true },
  findDocuments: { method: "POST", path: "/external-docs/external/semantic-search", answers: "json", harmless: true },
  listModels: { method: "GET", path: "/external-docs/external/models", answers: "json" },
  createConversation: { method: "POST", path: "/external-docs/external/conversations", answers: "json", idempotent: true, events: true },
  listConversations: { method: "GET", path: "/external-docs/external/conversations", answers: "json" },
  sendMessage: { method: "POST", path: "/external-docs/external/conversations/{conversation_id}", answers: "json", idempotent: true, events: true },
  getConversation: { method: "GET", path: "/external-docs/external/conversations/{conversation_id}", answers: "json" },
  updateConversation: { method: "PATCH", path: "/external-docs/external/conversations/{conversation_id}", answers: "json" },
  deleteConversation: { method: "DELETE", path: "/external-docs/external/conversations/{conversation_id}", answers: "none" },
  regenerateMessage: { method: "POST", path: "/external-docs/external/conversations/{conversation_id}/messages/{message_id}/regenerate", answers: "json", idempotent: true, events: true },
  listConversationFolders: { method: "GET", path: "/external-docs/external/conversation-folders", answers: "json" },
  rateAnswer: { method: "PUT", path: "/external-docs/external/conversations/{conversation_id}/messages/{message_id}/feedback", answers: "json" },
  chooseVariant: { method: "POST", path: "/external-docs/external/conversations/{conversation_id}/messages/{message_id}/variants/{variant_id}", answers: "json" },
  getMessageImage: { method: "GET", path: "/external-docs/external/conversations/{conversation_id}/messages/{message_id}/images/{place}", answers: "bytes" },
  followConversation: { method: "GET", path: "/external-docs/external/conversations/{conversation_id}/events", answers: "events", events: true, resumes: true },
  cancelReply: { method: "POST", path: "/external-docs/external/conversations/{conversation_id}/cancel", answers: "json" },
  startConversation: { method: "POST", path: "/external-docs/external/start-conversation", answers: "json", idempotent: true },
  send: { method: "POST", path: "/external-docs/external/send", answers: "json", idempotent: true },
  continueConversation: { method: "POST", path: "/external-docs/external/continue", answers: "json", idempotent: true },
  getAnswerRecord: { method: "GET", path: "/external-docs/external/conversations/{conversation_id}/messages/{message_id}/record", answers: "json" },
  replayAnswer: { method: "POST", path: "/external-docs/external/conversations/{conversation_id}/messages/{message_id}/replay", answers: "json", events: true },
  getConversationShares: { method: "GET", path: "/external-docs/external/conversations/{conversation_id}/shares", answers: "json" },
  shareConversation: { method: "PUT", path: "/external-docs/external/conversations/{conversation_id}/shares", answers: "json" },
  getRunShares: { method: "GET", path: "/external-docs/external/agents/runs/{run_id}/shares", answers: "json" },
  shareRun: { method: "PUT", path: "/external-docs/external/agents/runs/{run_id}/shares", answers: "json" },
  runAgent: { method: "POST", path: "/external-docs/external/agents/run", answers: "json", idempotent: true },
  listRuns: { method: "GET", path: "/external-docs/external/agents/runs", answers: "json" },
  getRun: { method: "GET", path: "/external-docs/external/agents/runs/{run_id}", answers: "json" },
  deleteRun: { method: "DELETE", path: "/external-docs/external/agents/runs/{run_id}", answers: "none" },
  cancelRun: { method: "POST", path: "/external-docs/external/agents/runs/{run_id}/cancel", answers: "json" },
  decideApproval: { method: "POST", path: "/external-docs/external/agents/runs/{run_id}/approvals/{approval_id}", answers: "json" },
  watchRun: { method: "GET", path: "/external-docs/external/agents/runs/{run_id}/events", answers: "events", events: true, resumes: true },
  redact: { method: "POST", path: "/external-docs/external/redact", answers: "json", harmless: true },
  startBatch: { method: "POST", path: "/external-docs/external/batches", answers: "json", idempotent: true },
  listStartedBatches: { method: "GET", path: "/external-docs/external/batches", answers: "json" },
  getStartedBatch: { method: "GET", path: "/external-docs/external/batches/{batch_id}", answers: "json" },
  cancelStartedBatch: { method: "POST", path: "/external-docs/external/batches/{batch_id}/cancel", answers: "json" },
  createSchedule: { method: "POST", path: "/external-docs/external/schedules", answers: "json", idempotent: true },
  listSchedules: { method: "GET", path: "/external-docs/external/schedules", answers: "json" },
  getSchedule: { method: "GET", path: "/external-docs/external/schedules/{schedule_id}", answers: "json" },
  updateSchedule: { method: "PATCH", path: "/external-docs/external/schedules/{schedule_id}", answers: "json" },
  deleteSchedule: { method: "DELETE", path: "/external-docs/external/schedules/{schedule_id}", answers: "none" },
  listScheduleRuns: { method: "GET", path: "/external-docs/external/schedules/{schedule_id}/runs", answers: "json" },
  runSchedule: { method: "POST", path: "/external-docs/external/schedules/{schedule_id}/run", answers: "json" },
  listReceipts: { method: "GET", path: "/external-docs/external/receipts", answers: "json" },
  getReceiptKey: { method: "GET", path: "/external-docs/external/receipts/key", answers: "json" },
  getReceipt: { method: "GET", path: "/external-docs/external/receipts/{receipt_id}", answers: "json" },
  eraseEndUser: { method: "DELETE", path: "/external-docs/external/end-users/{end_user}", answers: "json" },
  createKey: { method: "POST", path: "/external-docs/external/keys", answers: "json" },
  listKeys: { method: "GET", path: "/external-docs/external/keys", answers: "json" },
  updateKey: { method: "PATCH", path: "/external-docs/external/keys/{id}", answers: "json" },
  revokeKey: { method: "DELETE", path: "/external-docs/external/keys/{id}", answers: "none" },
  rotateKey: { method: "POST", path: "/external-docs/external/keys/{id}/rotate", answers: "json" },
  createToken: { method: "POST", path: "/external-docs/external/tokens", answers: "json", harmless: true },
  createConversationStreamToken: { method: "POST", path: "/external-docs/external/conversations/{conversation_id}/events/token", answers: "json" },
  createRunStreamToken: { method: "POST", path: "/external-docs/external/agents/runs/{run_id}/events/token", answers: "json" },
  createFileStreamToken: { method: "POST", path: "/external-docs/external/libraries/{file_id}/events/token", answers: "json" },
  createEventStreamToken: { method: "POST", path: "/external-docs/external/events/token", answers: "json" },
  listEvents: { method: "GET", path: "/external-docs/external/events", answers: "json", events: true, resumes: true },
  createWebhook: { method: "POST", path: "/external-docs/external/webhooks", answers: "json", idempotent: true },
  listWebhooks: { method: "GET", path: "/external-docs/external/webhooks", answers: "json" },
  getWebhook: { method: "GET", path: "/external-docs/external/webhooks/{webhook_id}", answers: "json" },
  changeWebhook: { method: "PATCH", path: "/external-docs/external/webhooks/{webhook_id}", answers: "json" },
  deleteWebhook: { method: "DELETE", path: "/external-docs/external/webhooks/{webhook_id}", answers: "none" },
  testWebhook: { method: "POST", path: "/external-docs/external/webhooks/{webhook_id}/test", answers: "json" },
  rotateWebhook: { method: "POST", path: "/external-docs/external/webhooks/{webhook_id}/rotate", answers: "json" },
  listDeliveries: { method: "GET", path: "/external-docs/external/webhooks/{webhook_id}/deliveries", answers: "json" },
  redeliver: { method: "POST", path: "/external-docs/external/webhooks/{webhook_id}/redeliver", answers: "json" },
  createHold: { method: "POST", path: "/external-docs/external/holds", answers: "json", idempotent: true },
  listHolds: { method: "GET", path: "/external-docs/external/holds", answers: "json" },
  getHold: { method: "GET", path: "/external-docs/external/holds/{hold_id}", answers: "json" },
  liftHold: { method: "DELETE", path: "/external-docs/external/holds/{hold_id}", answers: "none" },
  listAudit: { method: "GET", path: "/external-docs/external/audit", answers: "json" },
  exportAudit: { method: "GET", path: "/external-docs/external/audit.jsonl", answers: "bytes" },
  verifyAudit: { method: "GET", path: "/external-docs/external/audit/verify", answers: "json" },
  getRetention: { method: "GET", path: "/external-docs/external/retention", answers: "json" },
  setRetention: { method: "PUT", path: "/external-docs/external/retention", answers: "json" },
  previewRetention: { method: "POST", path: "/external-docs/external/retention/preview", answers: "json", harmless: true },
  getUsage: { method: "GET", path: "/external-docs/external/usage", answers: "json" },
}
