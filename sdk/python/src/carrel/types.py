"""Made by `npm run sdk:generate`. Do not edit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Literal, Optional, TypedDict, Union

if TYPE_CHECKING:
    from typing_extensions import NotRequired

VERSION = "0.1.0"
"""The version of the product that these types are of."""



class AnswerRecordModel(TypedDict):
    value: str
    provider: str
    local: bool
    context_length: Optional[int]
    size_bytes: Optional[int]



class AnswerRecordOptions(TypedDict):
    temperature: NotRequired[float]
    top_p: NotRequired[float]
    max_tokens: NotRequired[int]
    seed: NotRequired[int]
    stop: NotRequired[List[str]]
    use_library: bool
    thinking: bool
    reading: Literal["auto", "passages", "whole"]
    tools: List[Literal["query_table", "calculate", "read_file"]]
    history: Literal["summarize", "truncate"]
    response_format: Optional[Union[Literal["json"], Dict[str, Any]]]
    context_tokens: Optional[int]
    """Window that the model was asked for"""



class AnswerRecordIndexGenerationVectors(TypedDict):
    done: int
    total: int
    tier: str



class AnswerRecordIndexGeneration(TypedDict):
    library_changes: int
    """How often the library had changed"""
    embedding_model: str
    vectors: AnswerRecordIndexGenerationVectors
    degraded: Optional[str]



class AnswerRecordQuery(TypedDict):
    text: str
    rewritten: bool



class AnswerRecordScope(TypedDict):
    file_ids: Optional[List[str]]
    context_id: Optional[str]



class AnswerRecordAskedBy(TypedDict):
    type: Literal["key", "user"]
    id: str
    end_user: Optional[str]
    contexts: Optional[List[str]]
    filters: Optional[List[Filter]]



class AnswerRecordRedaction(TypedDict):
    on: bool
    rules: Optional[str]
    """Digest of the rules in force"""
    searched_kinds: List[str]
    custom_patterns: int
    excluded: int
    kinds: Dict[str, Any]
    count: int
    partial: bool



class AnswerRecordUsage(TypedDict):
    prompt_tokens: int
    completion_tokens: int



class AnswerRecordTimings(TypedDict):
    search_ms: float
    first_token_ms: float
    total_ms: float



class AnswerRecord(TypedDict):
    conversation_id: str
    message_id: str
    model: AnswerRecordModel
    options: AnswerRecordOptions
    """All in force; those that were left to the model are absent"""
    prompt_version: str
    """Changes with any of the daemon's own words in prompts, and with its version"""
    index_generation: Optional[AnswerRecordIndexGeneration]
    """The search index; null where nothing was searched"""
    query: Optional[AnswerRecordQuery]
    """What was searched with; `rewritten` where a model wrote it"""
    scope: AnswerRecordScope
    filter: Optional[Filter]
    principals: Optional[List[str]]
    """Names in the acl of files by which the caller saw them; null: whatever the acl"""
    asked_by: Optional[AnswerRecordAskedBy]
    """Whose credentials; what narrows them is told to those who see the whole workspace"""
    passages: List[RecordedPassage]
    """What the model was given, by number"""
    dropped: List[DroppedMaterial]
    """What was found or said and did not reach the model"""
    tool_calls: List[RecordedToolCall]
    notes: List[Optional[str]]
    """On parts of files that were too long to be given, which the model was given instead; the passages are what they cite. Null where a file is deleted or not seen"""
    redaction: AnswerRecordRedaction
    """Rules in force and what was replaced, by kind; never the values"""
    prompt: Optional[RecordedPrompt]
    """Null where no model was asked, or where it was too long to be kept"""
    usage: AnswerRecordUsage
    timings: AnswerRecordTimings
    warnings: List[AnswerWarning]
    finish_reason: Optional[Literal["stop", "length", "cancelled", "error"]]
    """Null of a reply that is being written"""
    error: Optional[StoredError]
    created_at: str
    difference: NotRequired[PassageDifference]



class AnswerWarning(TypedDict):
    code: str
    message: str
    addresses: NotRequired[List[str]]
    """Of `foreign_link`: addresses, at most 20; show links and pictures that lead there as text"""
    more: NotRequired[int]
    """Of `foreign_link`: further addresses that are not named"""



class ApiKeyOwner(TypedDict):
    id: str
    name: str
    email: str
    active: bool



class ApiKeyQuota(TypedDict):
    requests_per_day: NotRequired[int]
    tokens_per_day: NotRequired[int]
    bytes_stored: NotRequired[int]



class ApiKey(TypedDict):
    id: str
    name: str
    client_id: str
    workspace: str
    owner: Optional[ApiKeyOwner]
    """The user whose access the key is; it works while `active`, that is, the user is enabled and in the workspace. Null for keys of the command line."""
    scopes: List[Literal["models:read", "files:read", "files:write", "search", "chat", "agents", "sources", "webhooks", "batches", "usage", "audit", "retention", "tokens"]]
    rate_limit_per_minute: Optional[int]
    context_ids: Optional[List[str]]
    """Only files of these contexts exist for the key; uploads go there. Null: all"""
    models: Optional[List[str]]
    """Values and globs, such as `ollama/*`; null: all"""
    filter: Optional[Filter]
    """Only files that pass it exist for the key; null: all"""
    quota: Optional[ApiKeyQuota]
    """Requests and tokens of a day in UTC, and bytes that it holds; beyond it `quota_exceeded`"""
    expires_at: Optional[str]
    created_at: str
    last_used_at: Optional[str]
    revoked_at: Optional[str]



class ApprovalDecidedBy(TypedDict):
    type: Literal["key", "user"]
    id: str
    name: str
    end_user: Optional[str]



class Approval(TypedDict):
    id: str
    step: int
    """`index` of the step that waits for it"""
    tool: str
    arguments: Dict[str, Any]
    status: Literal["pending", "approved", "denied", "expired", "cancelled"]
    reason: Optional[str]
    decided_by: Optional[ApprovalDecidedBy]
    created_at: str
    expires_at: str
    decided_at: Optional[str]



class ApprovalDecidedEvent(TypedDict):
    id: int
    event: Literal["approval_decided"]
    data: Approval



class ApprovalRequestedEvent(TypedDict):
    id: int
    event: Literal["approval_requested"]
    data: Approval



class AuditList(TypedDict):
    data: List[AuditRow]
    next: Optional[str]



class AuditRowActor(TypedDict):
    type: Literal["key", "token", "user", "link", "anonymous", "command", "system"]
    id: Optional[str]
    name: str
    """As it was then"""



class AuditRow(TypedDict):
    audit_version: int
    workspace_id: str
    seq: int
    id: str
    ts: str
    action: str
    outcome: Literal["success", "denied", "failure"]
    actor: AuditRowActor
    resource_type: Optional[str]
    resource_id: Optional[str]
    request_id: Optional[str]
    endpoint: Optional[str]
    source_ip: Optional[str]
    details: Dict[str, Any]
    """Names of fields, counts and codes; no contents"""
    prev_hash: str
    """`hash` of the row before; empty for the first"""
    hash: str



class AuditVerification(TypedDict):
    ok: bool
    rows: int
    """Looked at until the first bad one"""
    first_bad: Optional[str]
    """The first row that is changed, follows a gap, or is gone from the end"""
    reason: Optional[Literal["changed", "missing", "cut", "anchor"]]



class BatchErrors(TypedDict):
    object: Literal["list"]
    data: List[BatchError]



class BatchRequestCounts(TypedDict):
    total: int
    completed: int
    """Answered with success"""
    failed: int
    """Answered otherwise"""



class Batch(TypedDict):
    id: str
    object: Literal["batch"]
    endpoint: Optional[str]
    """What all requests call; null where they differ, or while that is not known"""
    errors: Optional[BatchErrors]
    """Why it failed: what is wrong with the input, the first 100, or what ended it"""
    input_file_id: str
    completion_window: str
    status: Literal["validating", "in_progress", "finalizing", "completed", "failed", "expired", "cancelling", "cancelled"]
    output_file_id: Optional[str]
    """Answers with a status of success"""
    error_file_id: Optional[str]
    """All other requests"""
    created_at: int
    """Seconds since 1970"""
    in_progress_at: Optional[int]
    """Seconds since 1970"""
    expires_at: int
    """Seconds since 1970"""
    finalizing_at: Optional[int]
    """Seconds since 1970"""
    completed_at: Optional[int]
    """Seconds since 1970"""
    failed_at: Optional[int]
    """Seconds since 1970"""
    expired_at: Optional[int]
    """Seconds since 1970"""
    cancelling_at: Optional[int]
    """Seconds since 1970"""
    cancelled_at: Optional[int]
    """Seconds since 1970"""
    request_counts: BatchRequestCounts
    metadata: Optional[Dict[str, Any]]



class BatchCompletedStreamed(TypedDict):
    id: str
    event: Literal["batch.completed"]
    data: EventRecord



class BatchError(TypedDict):
    code: str
    message: str
    param: Optional[str]
    line: Optional[int]
    """Of the input, from 1"""



class BatchFailedStreamed(TypedDict):
    id: str
    event: Literal["batch.failed"]
    data: EventRecord



class BatchList(TypedDict):
    object: Literal["list"]
    data: List[Batch]
    first_id: Optional[str]
    last_id: Optional[str]
    has_more: bool



class BatchRequest(TypedDict):
    custom_id: str
    """Its own within the batch"""
    method: NotRequired[Literal["POST"]]
    url: str
    """/v1/chat/completions, /v1/embeddings, /v1/responses, /external/conversations, /external/agents/run, /external/search, /external/redact"""
    body: Dict[str, Any]



class ChatCompletionChoicesItemMessageToolCallsItemFunction(TypedDict):
    name: str
    arguments: str
    """JSON"""



class ChatCompletionChoicesItemMessageToolCallsItem(TypedDict):
    id: str
    type: Literal["function"]
    function: ChatCompletionChoicesItemMessageToolCallsItemFunction



class ChatCompletionChoicesItemMessage(TypedDict):
    role: Literal["assistant"]
    content: Optional[str]
    refusal: None
    annotations: List[UrlCitation]
    reasoning_content: NotRequired[str]
    tool_calls: NotRequired[List[ChatCompletionChoicesItemMessageToolCallsItem]]



class ChatCompletionChoicesItem(TypedDict):
    index: int
    message: ChatCompletionChoicesItemMessage
    logprobs: None
    finish_reason: Literal["stop", "length", "tool_calls"]



class ChatCompletionUsage(TypedDict):
    prompt_tokens: int
    """As the model counts them"""
    completion_tokens: int
    total_tokens: int



class ChatCompletion(TypedDict):
    id: str
    created: int
    """Unix seconds"""
    model: str
    object: Literal["chat.completion"]
    choices: List[ChatCompletionChoicesItem]
    usage: ChatCompletionUsage
    carrel: CompletionExtension



class ChatCompletionChunkChoicesItemDeltaToolCallsItemFunction(TypedDict):
    name: str
    arguments: str
    """JSON"""



class ChatCompletionChunkChoicesItemDeltaToolCallsItem(TypedDict):
    index: int
    id: str
    type: Literal["function"]
    function: ChatCompletionChunkChoicesItemDeltaToolCallsItemFunction



class ChatCompletionChunkChoicesItemDelta(TypedDict):
    role: NotRequired[Literal["assistant"]]
    content: NotRequired[str]
    reasoning_content: NotRequired[str]
    tool_calls: NotRequired[List[ChatCompletionChunkChoicesItemDeltaToolCallsItem]]
    annotations: NotRequired[List[UrlCitation]]



class ChatCompletionChunkChoicesItem(TypedDict):
    index: int
    delta: ChatCompletionChunkChoicesItemDelta
    logprobs: None
    finish_reason: Optional[Literal["stop", "length", "tool_calls"]]



class ChatCompletionChunkUsage(TypedDict):
    prompt_tokens: int
    """As the model counts them"""
    completion_tokens: int
    total_tokens: int



class ChatCompletionChunk(TypedDict):
    id: str
    created: int
    """Unix seconds"""
    model: str
    object: Literal["chat.completion.chunk"]
    choices: List[ChatCompletionChunkChoicesItem]
    usage: NotRequired[Optional[ChatCompletionChunkUsage]]
    carrel: NotRequired[CompletionExtension]



class Citation(TypedDict):
    index: int
    """The [n] in the content"""
    file_id: str
    chunk_id: str
    name: str
    position: Position
    url: str
    """Opens the passage in its document, without sign-in, for 24 hours; see `GET /view/{file_id}`"""



class CompatibleModel(TypedDict):
    id: str
    """What requests name"""
    object: Literal["model"]
    created: int
    """When this daemon started, unix seconds"""
    owned_by: str



class CompatibleModels(TypedDict):
    object: Literal["list"]
    data: List[CompatibleModel]



class CompletionExtension(TypedDict):
    sources: List[Source]
    """Every passage that the model was given"""
    citations: List[Citation]
    """Those that the content cites"""
    ner_count: int
    """Values that were redacted"""
    warnings: List[AnswerWarning]
    conversation_id: NotRequired[str]
    """With `store`"""



class CompletionMessageToolCallsItemFunction(TypedDict):
    name: str
    arguments: str
    """JSON"""



class CompletionMessageToolCallsItem(TypedDict):
    id: str
    type: Literal["function"]
    function: CompletionMessageToolCallsItemFunction



class CompletionMessage(TypedDict):
    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: NotRequired[Optional[Union[str, List[ContentPart]]]]
    tool_calls: NotRequired[Optional[List[CompletionMessageToolCallsItem]]]
    """Of an assistant; a tool message for each must follow"""
    tool_call_id: NotRequired[Optional[str]]
    """Of a tool message: the call that it answers"""



class ContentPartImageUrl(TypedDict):
    url: str
    """`data:image/…;base64,…`: nothing is fetched"""
    detail: NotRequired[Optional[str]]



class ContentPart(TypedDict):
    type: str
    text: NotRequired[Optional[str]]
    refusal: NotRequired[Optional[str]]
    image_url: NotRequired[Optional[ContentPartImageUrl]]



class ConversationSummary(TypedDict):
    text: str
    up_to_message_id: str



class Conversation(TypedDict):
    conversation_id: str
    title: str
    model: str
    ner_count: int
    message_count: int
    additional_metadata: Dict[str, Any]
    pinned: bool
    folder: Optional[str]
    """Name of the group that it is kept in"""
    owner: Optional[Owner]
    """The key or console user that made it; null where a former version did not know"""
    end_user: Optional[str]
    shared: bool
    """It is somebody else's, who lets the caller read it, and nothing more"""
    shared_with: Optional[Literal["users", "workspace"]]
    """Who reads it besides those who see it anyway: some users, or all of the workspace"""
    created_at: str
    updated_at: str
    settings: ConversationSettings
    summary: Optional[ConversationSummary]
    """What models are given for the messages up to this one, which were too many for a window"""
    messages: List[Message]



class ConversationCreatedEventData(TypedDict):
    conversation_id: str
    model: str
    created_at: str
    additional_metadata: Dict[str, Any]



class ConversationCreatedEvent(TypedDict):
    id: int
    event: Literal["conversation_created"]
    data: ConversationCreatedEventData


ConversationEvent = Union["Union[ConversationCreatedEvent, MessageStartedEvent, StatusEvent, WarningEvent, RedactionEvent, SourcesEvent, ToolCallEvent, ToolResultEvent, ThinkingDeltaEvent, MessageDeltaEvent, MessageCompletedEvent, ErrorEvent, DoneEvent]", "Union[ConversationCreatedEvent, MessageStartedEvent, StatusEvent, WarningEvent, RedactionEvent, SourcesEvent, ToolCallEvent, ToolResultEvent, ThinkingDeltaEvent, MessageDeltaEvent, MessageCompletedEvent, ErrorEvent, DoneEvent]"]



class ConversationFolders(TypedDict):
    data: List[str]



class ConversationList(TypedDict):
    data: List[ConversationSummary]
    pagination: Pagination



class ConversationSettingsOptions(TypedDict):
    temperature: NotRequired[float]
    top_p: NotRequired[float]
    max_tokens: NotRequired[int]
    seed: NotRequired[int]
    stop: NotRequired[List[str]]



class ConversationSettings(TypedDict):
    """What the next message is asked with where its request does not say"""
    system_prompt: Optional[str]
    """Null also for who only reads the conversation, and for the token of an end user"""
    options: ConversationSettingsOptions
    use_library: bool
    context_id: Optional[str]
    file_ids: List[str]
    filter: Optional[Filter]
    thinking: bool
    reading: Literal["auto", "passages", "whole"]
    tools: List[Literal["query_table", "calculate", "read_file"]]
    history: Literal["summarize", "truncate"]
    redaction: bool
    """True also where the daemon or the workspace insists on it"""



class ConversationSummary2(TypedDict):
    conversation_id: str
    title: str
    model: str
    ner_count: int
    message_count: int
    additional_metadata: Dict[str, Any]
    pinned: bool
    folder: Optional[str]
    """Name of the group that it is kept in"""
    owner: Optional[Owner]
    """The key or console user that made it; null where a former version did not know"""
    end_user: Optional[str]
    shared: bool
    """It is somebody else's, who lets the caller read it, and nothing more"""
    shared_with: Optional[Literal["users", "workspace"]]
    """Who reads it besides those who see it anyway: some users, or all of the workspace"""
    created_at: str
    updated_at: str



class Correction(TypedDict):
    word: str
    """Of the query, in lower case and without accents"""
    tried: List[str]
    """Looked up in its place, the commonest in the library first"""



class CountedHoldCovered(TypedDict):
    files: int
    conversations: int
    runs: int



class CountedHold(TypedDict):
    id: str
    name: str
    filter: Optional[Filter]
    end_user: Optional[str]
    context_id: Optional[str]
    created_at: str
    covered: CountedHoldCovered
    """How many of each it covers now"""



class DeletedFileObject(TypedDict):
    id: str
    object: Literal["file"]
    deleted: Literal[True]



class DeletedResponse(TypedDict):
    id: str
    object: Literal["response"]
    deleted: Literal[True]



class DeletedVectorStore(TypedDict):
    id: str
    object: Literal["vector_store.deleted"]
    deleted: Literal[True]



class DeletedVectorStoreFile(TypedDict):
    id: str
    object: Literal["vector_store.file.deleted"]
    deleted: Literal[True]



class Delivery(TypedDict):
    event_id: str
    type: str
    status: Literal["pending", "succeeded", "failed"]
    """`pending`: it is sent again at `next_attempt_at`"""
    attempts: int
    status_code: Optional[int]
    """Of the last answer; null where there was none"""
    response: Optional[str]
    """Its first bytes"""
    error: Optional[str]
    """Why the receiver did not take it"""
    duration_ms: Optional[int]
    first_attempt_at: str
    last_attempt_at: Optional[str]
    next_attempt_at: Optional[str]



class DeliveryList(TypedDict):
    data: List[Delivery]
    pagination: Pagination



class DocumentsAnswer(TypedDict):
    documents: List[FoundDocument]
    degraded: Optional[Literal["keyword_only", "not_reranked", "vectors_pending"]]
    """The first of these that holds. `keyword_only`: the embedding model is down, or knows nothing of the query of a `semantic` search, such as its language: words alone were searched. `not_reranked`: too much else waited for the reranking model, or it is down: the order is that of a search without. `vectors_pending`: some passages have no vector yet, and are found by words alone. That passages still wait for better vectors is said by `index.vectors` alone"""
    reranked: NotRequired[int]
    """Passages that the reranking model judged; only with `rerank`. Those in languages that it does not know keep their places, as do all for such a query"""
    took_ms: float



class DoneEvent(TypedDict):
    id: int
    event: Literal["done"]
    data: Dict[str, Any]
    """Always the last event of a reply and of a run"""



class DroppedMaterial(TypedDict):
    kind: Literal["passage", "messages", "part", "picture"]
    reason: Literal["window", "summarized", "failed", "gone"]
    """No room in the window; told in a summary; could not be read; gone since"""
    count: NotRequired[int]
    """Of messages: how many of the oldest"""
    file_id: NotRequired[str]
    chunk_id: NotRequired[str]
    name: NotRequired[str]
    score: NotRequired[float]



class EmbeddingsDataItem(TypedDict):
    object: Literal["embedding"]
    index: int
    embedding: Union[List[float], str]
    """Of length 1; zeros for a text of which the model knows nothing"""



class EmbeddingsUsage(TypedDict):
    prompt_tokens: int
    """Estimated"""
    total_tokens: int



class Embeddings(TypedDict):
    object: Literal["list"]
    data: List[EmbeddingsDataItem]
    model: str
    usage: EmbeddingsUsage



class Entity(TypedDict):
    kind: str
    category: Literal["personal", "financial", "credentials", "custom"]
    start: int
    """UTF-16 offset into the given text"""
    end: int
    score: float



class ErrorEnvelopeError(TypedDict):
    code: str
    message: str
    details: NotRequired[List[Dict[str, Any]]]
    """Bad fields, or what else belongs to the code"""
    hint: NotRequired[str]
    """For the operator: what was tried, what to set"""
    request_id: str



class ErrorEnvelope(TypedDict):
    error: ErrorEnvelopeError



class ErrorEventDataError(TypedDict):
    code: str
    message: str
    details: NotRequired[List[Dict[str, Any]]]
    """Bad fields, or what else belongs to the code"""
    hint: NotRequired[str]
    """For the operator: what was tried, what to set"""
    request_id: NotRequired[str]



class ErrorEventData(TypedDict):
    error: ErrorEventDataError
    message_id: NotRequired[str]
    """The reply that failed"""



class ErrorEvent(TypedDict):
    id: int
    event: Literal["error"]
    data: ErrorEventData



class EventList(TypedDict):
    data: List[EventRecord]
    next: Optional[str]
    """Null while there is no event"""



class EventRecord(TypedDict):
    id: str
    type: Literal["file.searchable", "file.failed", "file.deleted", "batch.completed", "batch.failed", "job.completed", "run.completed", "run.failed", "run.timed_out", "run.cancelled", "run.waiting_for_approval", "schedule.failed", "source.synced", "source.failed", "source.guarded", "key.expiring", "retention.applied", "storage.low", "webhook.disabled"]
    timestamp: str
    data: Dict[str, Any]
    """`id` of what it is about, and little more: ask for the rest by it"""



class Facets(TypedDict):
    facets: Dict[str, Any]
    total_files: int



class FileAccess(TypedDict):
    visible: bool
    reason: str
    acl: Optional[List[str]]
    context_id: Optional[str]



class FileDeletedStreamed(TypedDict):
    id: str
    event: Literal["file.deleted"]
    data: EventRecord



class FileEvent(TypedDict):
    id: int
    event: Literal["file"]
    data: FileRecord



class FileFailedStreamed(TypedDict):
    id: str
    event: Literal["file.failed"]
    data: EventRecord



class FileList(TypedDict):
    data: List[FileRecord]
    pagination: Pagination
    next: Optional[str]
    """Leads to what follows; null at the end"""
    previous: Optional[str]
    """Leads to what goes before; null at the beginning"""



class FileObject(TypedDict):
    id: str
    object: Literal["file"]
    bytes: int
    created_at: int
    """Seconds since 1970"""
    filename: str
    purpose: str
    """`assistants` for files that came in otherwise"""
    status: Literal["uploaded", "processed", "error"]
    """`processed` once it can be found, `error` when it cannot be read"""
    status_details: NotRequired[str]
    """Why it could not be read"""



class FileObjectList(TypedDict):
    object: Literal["list"]
    data: List[FileObject]
    first_id: Optional[str]
    last_id: Optional[str]
    has_more: bool



class FileRecordSource(TypedDict):
    source_id: str
    key: str
    """The entry of the source"""
    url: Optional[str]
    fingerprint: Optional[str]
    """Changes with the entry's content"""



class FileRecord(TypedDict):
    id: str
    name: str
    type: str
    """Extension, without the dot"""
    mime_type: str
    size: int
    """Bytes"""
    sha256: str
    status: Literal["queued", "indexing", "searchable", "failed"]
    stage: Optional[str]
    """While indexing: extracting, ocr, chunking, embedding, committing"""
    progress: float
    error: Optional[Issue]
    warnings: List[Issue]
    """What was skipped or is doubtful"""
    attempts: int
    page_count: Optional[int]
    ocr_page_count: int
    chunk_count: Optional[int]
    character_count: Optional[int]
    context_id: Optional[str]
    tags: List[str]
    metadata: Dict[str, Any]
    acl: Optional[List[str]]
    """Principals that may see it, such as `group:hr`; null: everyone in the workspace"""
    external_id: Optional[str]
    """What the system that brought it calls it"""
    source: Optional[FileRecordSource]
    """Where it comes from, if a source keeps it in sync"""
    url: Optional[str]
    """Where it can be seen in the place that it comes from"""
    created_at: str
    updated_at: str
    indexed_at: Optional[str]
    duplicate: NotRequired[Literal[True]]
    """Only in the answer to an upload: it was there already"""
    unchanged: NotRequired[Literal[True]]
    """Only in the answer to an upload: the same bytes are known under its external id or its entry"""



class FileSearchableStreamed(TypedDict):
    id: str
    event: Literal["file.searchable"]
    data: EventRecord


FileStreamEvent = Union["Union[FileEvent, ErrorEvent, DoneEvent]", "Union[FileEvent, ErrorEvent, DoneEvent]"]


Filter = Union["Any", "Any"]
"""`{type, key, value}` with one of eq, ne, gt, gte, lt, lte, in, nin, contains, starts_with, exists, or `{type, filters}` with and, or, not. Keys are file.id, .name, .type, .size, .sha256, .external_id, .context_id, .tags, .status, .source_id, .created_at, .updated_at and metadata.<path>. At most 6 levels and 100 comparisons; joined by and with what else narrows. A bad one is 422 and its place is named"""



class FoundDocument(TypedDict):
    file: FileRecord
    score: float
    relevance: float
    """How surely this answers the query, comparable between queries: of the hits at .5 about half are right, and filters do not change it. `score` only orders the hits of one answer."""
    passages: List[Hit]



class FunctionToolFunction(TypedDict):
    name: str
    description: NotRequired[Optional[str]]
    parameters: NotRequired[Optional[Dict[str, Any]]]
    strict: NotRequired[Optional[bool]]



class FunctionTool(TypedDict):
    type: str
    function: NotRequired[Optional[FunctionToolFunction]]



class GraphqlErrorExtensions(TypedDict):
    code: str
    """As of all errors"""
    request_id: NotRequired[str]
    details: NotRequired[List[Dict[str, Any]]]
    hint: NotRequired[str]
    retry_after: NotRequired[float]
    """Seconds until a retry makes sense"""



class GraphqlFieldError(TypedDict):
    message: str
    locations: NotRequired[List[GraphqlLocation]]
    path: NotRequired[List[Union[str, int]]]
    """The field that failed"""
    extensions: GraphqlErrorExtensions



class GraphqlLocation(TypedDict):
    line: int
    column: int



class GraphqlQuery(TypedDict):
    query: NotRequired[Optional[str]]
    """A document; at most 100 000 characters and 2 000 tokens. Not needed with its hash"""
    operationName: NotRequired[Optional[str]]
    """Which one, of a document with several"""
    variables: NotRequired[Optional[Dict[str, Any]]]
    extensions: NotRequired[Optional[Dict[str, Any]]]
    """`persistedQuery: {version: 1, sha256Hash}` names a query that was sent before by its hash"""



class GraphqlResultExtensions(TypedDict):
    cost: int
    """Of this query"""
    max_cost: int
    """What one query may cost"""



class GraphqlResult(TypedDict):
    data: Optional[Dict[str, Any]]
    """As the query asks for it; null where the hash of a persisted query is not known"""
    errors: NotRequired[List[GraphqlFieldError]]
    """Of the fields that are null because they failed"""
    extensions: GraphqlResultExtensions



class Health(TypedDict):
    """`ok` of the process; the others of its readiness"""
    status: Literal["ok", "ready", "degraded", "starting", "model_failed", "unwritable", "without_database", "cut_off"]
    missing: NotRequired[List[Literal["database", "blobs", "search"]]]
    """Engines of several machines that do not answer; absent on one machine"""



class HitHighlightsItem(TypedDict):
    start: int
    end: int



class HitFile(TypedDict):
    id: str
    name: str
    type: str
    context_id: Optional[str]
    tags: List[str]



class HitScoresKeyword(TypedDict):
    rank: int
    score: float



class HitScoresSemantic(TypedDict):
    rank: int
    score: float



class HitScoresRerank(TypedDict):
    rank: int
    score: float



class HitScores(TypedDict):
    keyword: Optional[HitScoresKeyword]
    semantic: Optional[HitScoresSemantic]
    rerank: NotRequired[Optional[HitScoresRerank]]
    corrected: NotRequired[List[str]]
    """Words of this passage that were looked up in the place of misspelt ones"""



class Hit(TypedDict):
    id: str
    score: float
    relevance: float
    """How surely this answers the query, comparable between queries: of the hits at .5 about half are right, and filters do not change it. `score` only orders the hits of one answer."""
    text: str
    """Exactly the slice of the file's text that `position` names"""
    highlights: List[HitHighlightsItem]
    """Offsets into `text`"""
    file: HitFile
    position: Position
    url: str
    """Opens the passage in its document, without sign-in, for 24 hours; see `GET /view/{file_id}`"""
    scores: NotRequired[HitScores]
    """Only with `explain`; `rerank` only where it was asked for, null where the model judged nothing"""



class HitGroup(TypedDict):
    file_id: str
    score: float
    relevance: float
    """How surely this answers the query, comparable between queries: of the hits at .5 about half are right, and filters do not change it. `score` only orders the hits of one answer."""
    hits: int
    """How many of `hits` are this file's: they follow each other"""



class Hold(TypedDict):
    id: str
    name: str
    filter: Optional[Filter]
    end_user: Optional[str]
    context_id: Optional[str]
    created_at: str



class HoldList(TypedDict):
    data: List[Hold]
    pagination: Pagination



class Issue(TypedDict):
    code: str
    message: str



class Job(TypedDict):
    job_id: str
    kind: str
    status: Literal["queued", "running", "completed", "failed", "cancelled"]
    done: int
    """Files dealt with, those that failed included"""
    total: int
    failed: List[str]
    """Ids of files that could not be dealt with, the first 1 000"""
    created_at: str
    finished_at: Optional[str]
    receipt_id: Optional[str]
    """Of a deletion: the receipt of all its files, which is written when no store has them any more. Null also where it deleted none, such as one whose files all are held: `failed` names these"""



class JobCompletedStreamed(TypedDict):
    id: str
    event: Literal["job.completed"]
    data: EventRecord



class KeyExpiringStreamed(TypedDict):
    id: str
    event: Literal["key.expiring"]
    data: EventRecord



class KeyList(TypedDict):
    data: List[ApiKey]
    pagination: Pagination



class LibrarySummaryByStatus(TypedDict):
    queued: int
    indexing: int
    searchable: int
    failed: int



class LibrarySummary(TypedDict):
    total: int
    """Files"""
    by_status: LibrarySummaryByStatus
    by_error: Dict[str, Any]
    """Files by the code of their error"""
    warnings: Dict[str, Any]
    """Files by the code of each warning that they have"""
    bytes: int
    pages: int
    ocr_pages: int
    chunks: int
    """Passages"""



class ManifestAnswerFailedItem(TypedDict):
    key: str
    error: Issue



class ManifestAnswer(TypedDict):
    upload: List[str]
    """Keys that are new or have changed, to be uploaded with `source_id` and `source_key`"""
    unchanged: int
    """Entries"""
    deleted: int
    """Files"""
    skipped: int
    """Entries that the source's rules leave out, or that are empty"""
    failed: List[ManifestAnswerFailedItem]
    """Entries as they were that cannot be found, and why; asked for again once they change"""
    guarded: bool
    """Only with `dry_run`: so much would be deleted that it must be forced"""



class MessageImagesItem(TypedDict):
    mime_type: str
    size: int
    """Bytes"""
    url: str
    """Path of GET …/images/{place}, for the same credentials"""



class MessageFeedback(TypedDict):
    rating: Literal["up", "down"]
    note: str
    """Empty for none"""



class MessageVariantsItemFeedback(TypedDict):
    rating: Literal["up", "down"]
    note: str
    """Empty for none"""



class MessageVariantsItem(TypedDict):
    id: str
    """What the answer was called when it was written"""
    content: str
    citations: List[Citation]
    finish_reason: Optional[Literal["stop", "length", "cancelled", "error"]]
    model: Optional[str]
    ner_count: int
    warnings: List[AnswerWarning]
    feedback: Optional[MessageVariantsItemFeedback]
    """What its reader thought of an answer"""
    created_at: str



class Message(TypedDict):
    id: str
    role: Literal["user", "assistant"]
    content: str
    citations: List[Citation]
    images: List[MessageImagesItem]
    """Pictures that came with it"""
    finish_reason: Optional[Literal["stop", "length", "cancelled", "error"]]
    """Null for a user's message and while a reply is being written"""
    model: Optional[str]
    ner_count: int
    """Values that were redacted"""
    error: Optional[StoredError]
    warnings: List[AnswerWarning]
    """What the stream of the reply warned of: `context_truncated`, `keyword_only_search`, `library_unavailable` where the library could not be searched, `invalid_citation`, `foreign_link` where it leads to addresses that stand in nothing the model was given, or `redaction_partial` where the text held writing whose names are not known to redaction"""
    tool_calls: int
    """Calls of tools that were carried out for the reply; its record tells them"""
    feedback: Optional[MessageFeedback]
    """What its reader thought of an answer"""
    variants: List[MessageVariantsItem]
    """Answers that it took the place of when it was written anew, oldest first, 20 at most"""
    created_at: str



class MessageCompletedEventDataUsage(TypedDict):
    prompt_tokens: int
    completion_tokens: int



class MessageCompletedEventDataTimings(TypedDict):
    search_ms: float
    first_token_ms: float
    total_ms: float



class MessageCompletedEventData(TypedDict):
    message_id: str
    content: str
    """The joined deltas"""
    citations: List[Citation]
    finish_reason: Literal["stop", "length", "cancelled", "error"]
    usage: MessageCompletedEventDataUsage
    ner_count: int
    timings: MessageCompletedEventDataTimings



class MessageCompletedEvent(TypedDict):
    id: int
    event: Literal["message_completed"]
    data: MessageCompletedEventData



class MessageDeltaEventData(TypedDict):
    text: str



class MessageDeltaEvent(TypedDict):
    id: int
    event: Literal["message_delta"]
    data: MessageDeltaEventData



class MessageStartedEventData(TypedDict):
    message_id: str
    conversation_id: str
    model: str
    user_message_id: str



class MessageStartedEvent(TypedDict):
    id: int
    event: Literal["message_started"]
    data: MessageStartedEventData



class Model(TypedDict):
    label: str
    value: str
    """What requests name"""
    available: bool
    status: Literal["loaded", "ready", "unavailable"]
    status_reason: Optional[str]
    """Why it is unavailable"""
    provider: str
    local: bool
    """False where prompts would leave this network"""
    capabilities: List[Literal["chat", "tools", "vision", "thinking"]]
    context_length: Optional[int]
    """Tokens"""
    size_bytes: Optional[int]
    default: bool
    """Used by requests that name no model"""
    checked_at: str



class NewKeyOwner(TypedDict):
    id: str
    name: str
    email: str
    active: bool



class NewKeyQuota(TypedDict):
    requests_per_day: NotRequired[int]
    tokens_per_day: NotRequired[int]
    bytes_stored: NotRequired[int]



class NewKey(TypedDict):
    id: str
    name: str
    client_id: str
    workspace: str
    owner: Optional[NewKeyOwner]
    """The user whose access the key is; it works while `active`, that is, the user is enabled and in the workspace. Null for keys of the command line."""
    scopes: List[Literal["models:read", "files:read", "files:write", "search", "chat", "agents", "sources", "webhooks", "batches", "usage", "audit", "retention", "tokens"]]
    rate_limit_per_minute: Optional[int]
    context_ids: Optional[List[str]]
    """Only files of these contexts exist for the key; uploads go there. Null: all"""
    models: Optional[List[str]]
    """Values and globs, such as `ollama/*`; null: all"""
    filter: Optional[Filter]
    """Only files that pass it exist for the key; null: all"""
    quota: Optional[NewKeyQuota]
    """Requests and tokens of a day in UTC, and bytes that it holds; beyond it `quota_exceeded`"""
    expires_at: Optional[str]
    created_at: str
    last_used_at: Optional[str]
    revoked_at: Optional[str]
    private_key: str
    secret: str
    token: str
    """All three values in one: `Authorization: Bearer <token>`"""



class NewLink(TypedDict):
    url: str
    expires_at: str



class NewWebhook(TypedDict):
    id: str
    url: str
    types: Optional[List[Literal["file.searchable", "file.failed", "file.deleted", "batch.completed", "batch.failed", "job.completed", "run.completed", "run.failed", "run.timed_out", "run.cancelled", "run.waiting_for_approval", "schedule.failed", "source.synced", "source.failed", "source.guarded", "key.expiring", "retention.applied", "storage.low", "webhook.disabled"]]]
    """Null: all of them"""
    description: str
    status: Literal["active", "disabled"]
    disabled_reason: Optional[str]
    """Null while it is active"""
    created_at: str
    updated_at: str
    secret: str



class Owner(TypedDict):
    type: Literal["key", "user"]
    id: str
    name: str



class Page(TypedDict):
    page: int
    width: float
    """As it is shown: points of a PDF, pixels of a picture"""
    height: float
    characters: int
    """UTF-16 code units of the extracted text on it"""
    ocr: bool
    """Its text was recognized"""



class PageMark(TypedDict):
    x: float
    """Of the upper left corner, in shares (0 to 1) of the page's width"""
    y: float
    """The same of its height"""
    width: float
    height: float


PageMarks = Union["List[PageMark]", "List[PageMark]"]


Pages = Union["List[Page]", "List[Page]"]



class Pagination(TypedDict):
    page: int
    page_size: int
    total_items: int
    total_pages: int
    has_next: bool



class PassageDifferenceLibraryChanges(TypedDict):
    before: int
    now: int



class PassageDifferenceDegraded(TypedDict):
    before: Optional[str]
    now: Optional[str]



class PassageDifferenceGoneItem(TypedDict):
    index: int
    file_id: str
    chunk_id: str
    reason: Literal["file_gone", "file_changed", "outranked"]
    """Deleted or not seen by the caller; other bytes now; as it was, and others are found before it"""



class PassageDifferenceRescoredItem(TypedDict):
    index: int
    before: float
    now: float



class PassageDifference(TypedDict):
    """What the same query in the same scope finds for the caller now"""
    unchanged: bool
    """Nothing below differs"""
    compared_at: str
    library_changes: PassageDifferenceLibraryChanges
    degraded: PassageDifferenceDegraded
    """What the searches lacked; where that differs their scores are not compared"""
    gone: List[PassageDifferenceGoneItem]
    """Passages of the answer that would not be given now"""
    added: List[Source]
    """Found now and not then"""
    rescored: List[PassageDifferenceRescoredItem]



class Position(TypedDict):
    page: Optional[int]
    sheet: Optional[str]
    slide: Optional[int]
    member: Optional[str]
    """Path inside a zip"""
    section: Optional[str]
    start: int
    """Offset into the file's extracted text"""
    end: int



class PromptTurnImagesItem(TypedDict):
    mimeType: str
    sha256: str



class PromptTurnToolCallsItem(TypedDict):
    id: str
    name: str
    arguments: Dict[str, Any]



class PromptTurn(TypedDict):
    role: Literal["system", "user", "assistant", "tool"]
    content: str
    images: NotRequired[List[PromptTurnImagesItem]]
    toolCalls: NotRequired[List[PromptTurnToolCallsItem]]
    toolCallId: NotRequired[str]
    name: NotRequired[str]



class Receipt(TypedDict):
    id: str
    what: str
    """What was deleted: `file`, `version` (the former bytes of a file that was replaced), `conversation`, `run`, `response`, `batch_file`, `end_user`, `workspace`; or what deleted it: `bulk`, `retention`"""
    ids: List[str]
    sha256s: List[str]
    """Of the bytes that were deleted; of an end user that of the name in UTF-8 as well"""
    removed_from: List[str]
    """Stores that have none of it"""
    at: str
    backups_until: Optional[str]
    """When the last backup is gone that may hold it, as far as `--backup-retention-days` says; null where it does not"""
    signature: str
    """Base64 of the Ed25519 signature over the RFC 8785 form of the receipt without it"""



class ReceiptKey(TypedDict):
    kty: Literal["OKP"]
    crv: Literal["Ed25519"]
    x: str
    kid: str
    use: Literal["sig"]
    alg: Literal["EdDSA"]



class ReceiptList(TypedDict):
    data: List[Receipt]
    pagination: Pagination



class RecordedPassage(TypedDict):
    """`name`, `position` and `text` are null where the file is deleted since or is none that the caller sees; the digest of the text stays"""
    index: int
    """The [n] in the content"""
    file_id: str
    chunk_id: str
    score: float
    whole: NotRequired[bool]
    """Of a file that was given whole"""
    name: Optional[str]
    position: Optional[Position]
    text: Optional[str]
    sha256: str
    file_sha256: Optional[str]
    """Of the file's bytes when the answer was made"""
    url: NotRequired[str]
    """Opens the passage in its document, without sign-in, for 24 hours; see `GET /view/{file_id}`"""



class RecordedPrompt(TypedDict):
    sha256: str
    complete: bool
    """Every text of it is there, so that it can be asked again"""
    turns: NotRequired[List[PromptTurn]]
    """With `prompt=true`: what the model read, `[no longer shown]` for texts that are gone or not seen"""



class RecordedToolCall(TypedDict):
    id: str
    name: str
    arguments: Dict[str, Any]
    result: Optional[str]
    """Null where a file that it is from is deleted or not seen"""
    is_error: bool
    duration_ms: float
    file_ids: List[str]



class RedactedTextWarningsItem(TypedDict):
    code: Literal["redaction_partial"]
    """the text contains a script in which names and addresses of people are not recognized"""
    message: str



class RedactedText(TypedDict):
    text: str
    ner_count: int
    entities: List[Entity]
    warnings: List[RedactedTextWarningsItem]



class RedactionEventData(TypedDict):
    ner_count: int
    kinds: Dict[str, Any]



class RedactionEvent(TypedDict):
    id: int
    event: Literal["redaction"]
    data: RedactionEventData



class Redelivery(TypedDict):
    queued: int



class ReplayedAnswerToolCallsItem(TypedDict):
    id: str
    name: str
    arguments: Dict[str, Any]



class ReplayedAnswerUsage(TypedDict):
    prompt_tokens: int
    completion_tokens: int



class ReplayedAnswerTimings(TypedDict):
    search_ms: float
    first_token_ms: float
    total_ms: float



class ReplayedAnswer(TypedDict):
    conversation_id: str
    message_id: str
    """The stored answer"""
    model: str
    content: str
    citations: List[Citation]
    finish_reason: Literal["stop", "length", "cancelled", "error"]
    tool_calls: List[ReplayedAnswerToolCallsItem]
    """What the model calls; none is carried out"""
    usage: ReplayedAnswerUsage
    ner_count: int
    timings: ReplayedAnswerTimings
    warnings: List[AnswerWarning]
    same_prompt: bool
    """The model got what it got then, byte for byte; false where it is redacted by other rules now"""
    same_content: bool
    """It wrote what is stored"""
    difference: Optional[PassageDifference]
    """Null where the library cannot be searched"""



class RerankedResultsItemDocument(TypedDict):
    text: str



class RerankedResultsItem(TypedDict):
    index: int
    """Of the document as given, from 0"""
    relevance_score: float
    document: NotRequired[RerankedResultsItemDocument]



class RerankedUsage(TypedDict):
    total_tokens: int
    """What the model read"""



class Reranked(TypedDict):
    id: str
    model: str
    results: List[RerankedResultsItem]
    """Best first; equal ones in the order in which they were given"""
    usage: RerankedUsage



class ResponseObjectOutputItem1ResultsItem(TypedDict):
    file_id: str
    filename: str
    score: float
    text: str
    attributes: Dict[str, Any]
    page: Optional[int]
    url: str



class ResponseObjectOutputItem1(TypedDict):
    type: Literal["file_search_call"]
    id: str
    status: Literal["in_progress", "searching", "completed", "incomplete"]
    queries: List[str]
    results: Optional[List[ResponseObjectOutputItem1ResultsItem]]



class ResponseObjectOutputItem2ContentItemAnnotationsItem(TypedDict):
    type: Literal["file_citation"]
    index: int
    """Where the mark `[n]` begins in the text, in UTF-16 units"""
    file_id: str
    filename: str
    page: Optional[int]
    url: str
    """Opens the passage, without sign-in, for 24 hours"""



class ResponseObjectOutputItem2ContentItem(TypedDict):
    type: Literal["output_text"]
    text: str
    annotations: List[ResponseObjectOutputItem2ContentItemAnnotationsItem]
    logprobs: List[Any]



class ResponseObjectOutputItem2(TypedDict):
    type: Literal["message"]
    id: str
    role: Literal["assistant"]
    status: Literal["in_progress", "completed", "incomplete"]
    content: List[ResponseObjectOutputItem2ContentItem]



class ResponseObjectOutputItem3(TypedDict):
    type: Literal["function_call"]
    id: str
    call_id: str
    name: str
    arguments: str
    """JSON"""
    status: Literal["in_progress", "completed"]



class ResponseObjectError(TypedDict):
    code: str
    message: str



class ResponseObjectIncompleteDetails(TypedDict):
    reason: Literal["max_output_tokens"]



class ResponseObjectConversation(TypedDict):
    id: str



class ResponseObjectReasoning(TypedDict):
    effort: Optional[str]
    summary: None



class ResponseObjectText(TypedDict):
    format: Dict[str, Any]



class ResponseObjectUsageInputTokensDetails(TypedDict):
    cached_tokens: int



class ResponseObjectUsageOutputTokensDetails(TypedDict):
    reasoning_tokens: int



class ResponseObjectUsage(TypedDict):
    input_tokens: int
    input_tokens_details: ResponseObjectUsageInputTokensDetails
    output_tokens: int
    output_tokens_details: ResponseObjectUsageOutputTokensDetails
    total_tokens: int



class ResponseObject(TypedDict):
    id: str
    object: Literal["response"]
    created_at: int
    """Seconds since 1970"""
    status: Literal["completed", "failed", "in_progress", "cancelled", "incomplete"]
    background: bool
    store: bool
    model: str
    output: List[Union[ResponseObjectOutputItem1, ResponseObjectOutputItem2, ResponseObjectOutputItem3]]
    error: Optional[ResponseObjectError]
    incomplete_details: Optional[ResponseObjectIncompleteDetails]
    conversation: Optional[ResponseObjectConversation]
    previous_response_id: Optional[str]
    instructions: Optional[str]
    max_output_tokens: Optional[int]
    metadata: Dict[str, Any]
    parallel_tool_calls: bool
    reasoning: ResponseObjectReasoning
    temperature: Optional[float]
    text: ResponseObjectText
    tool_choice: Union[str, Dict[str, Any]]
    tools: List[Dict[str, Any]]
    top_p: Optional[float]
    truncation: Literal["auto"]
    usage: Optional[ResponseObjectUsage]
    user: Optional[str]
    ner_count: int
    """Values that were redacted"""



class ResponseStreamErrorData(TypedDict):
    type: Literal["error"]
    sequence_number: int
    code: str
    message: str
    param: None



class ResponseStreamError(TypedDict):
    event: Literal["error"]
    data: ResponseStreamErrorData



class ResponseStreamResponseCompletedData(TypedDict):
    type: Literal["response.completed"]
    sequence_number: int
    response: ResponseObject



class ResponseStreamResponseCompleted(TypedDict):
    event: Literal["response.completed"]
    data: ResponseStreamResponseCompletedData



class ResponseStreamResponseContentPartAddedDataPartAnnotationsItem(TypedDict):
    type: Literal["file_citation"]
    index: int
    """Where the mark `[n]` begins in the text, in UTF-16 units"""
    file_id: str
    filename: str
    page: Optional[int]
    url: str
    """Opens the passage, without sign-in, for 24 hours"""



class ResponseStreamResponseContentPartAddedDataPart(TypedDict):
    type: Literal["output_text"]
    text: str
    annotations: List[ResponseStreamResponseContentPartAddedDataPartAnnotationsItem]
    logprobs: List[Any]



class ResponseStreamResponseContentPartAddedData(TypedDict):
    type: Literal["response.content_part.added"]
    sequence_number: int
    output_index: int
    item_id: str
    content_index: int
    part: ResponseStreamResponseContentPartAddedDataPart



class ResponseStreamResponseContentPartAdded(TypedDict):
    event: Literal["response.content_part.added"]
    data: ResponseStreamResponseContentPartAddedData



class ResponseStreamResponseContentPartDoneDataPartAnnotationsItem(TypedDict):
    type: Literal["file_citation"]
    index: int
    """Where the mark `[n]` begins in the text, in UTF-16 units"""
    file_id: str
    filename: str
    page: Optional[int]
    url: str
    """Opens the passage, without sign-in, for 24 hours"""



class ResponseStreamResponseContentPartDoneDataPart(TypedDict):
    type: Literal["output_text"]
    text: str
    annotations: List[ResponseStreamResponseContentPartDoneDataPartAnnotationsItem]
    logprobs: List[Any]



class ResponseStreamResponseContentPartDoneData(TypedDict):
    type: Literal["response.content_part.done"]
    sequence_number: int
    output_index: int
    item_id: str
    content_index: int
    part: ResponseStreamResponseContentPartDoneDataPart



class ResponseStreamResponseContentPartDone(TypedDict):
    event: Literal["response.content_part.done"]
    data: ResponseStreamResponseContentPartDoneData



class ResponseStreamResponseCreatedData(TypedDict):
    type: Literal["response.created"]
    sequence_number: int
    response: ResponseObject



class ResponseStreamResponseCreated(TypedDict):
    event: Literal["response.created"]
    data: ResponseStreamResponseCreatedData



class ResponseStreamResponseFailedData(TypedDict):
    type: Literal["response.failed"]
    sequence_number: int
    response: ResponseObject



class ResponseStreamResponseFailed(TypedDict):
    event: Literal["response.failed"]
    data: ResponseStreamResponseFailedData



class ResponseStreamResponseFileSearchCallCompletedData(TypedDict):
    type: Literal["response.file_search_call.completed"]
    sequence_number: int
    output_index: int
    item_id: str



class ResponseStreamResponseFileSearchCallCompleted(TypedDict):
    event: Literal["response.file_search_call.completed"]
    data: ResponseStreamResponseFileSearchCallCompletedData



class ResponseStreamResponseFileSearchCallInProgressData(TypedDict):
    type: Literal["response.file_search_call.in_progress"]
    sequence_number: int
    output_index: int
    item_id: str



class ResponseStreamResponseFileSearchCallInProgress(TypedDict):
    event: Literal["response.file_search_call.in_progress"]
    data: ResponseStreamResponseFileSearchCallInProgressData



class ResponseStreamResponseFileSearchCallSearchingData(TypedDict):
    type: Literal["response.file_search_call.searching"]
    sequence_number: int
    output_index: int
    item_id: str



class ResponseStreamResponseFileSearchCallSearching(TypedDict):
    event: Literal["response.file_search_call.searching"]
    data: ResponseStreamResponseFileSearchCallSearchingData



class ResponseStreamResponseFunctionCallArgumentsDeltaData(TypedDict):
    type: Literal["response.function_call_arguments.delta"]
    sequence_number: int
    output_index: int
    item_id: str
    delta: str



class ResponseStreamResponseFunctionCallArgumentsDelta(TypedDict):
    event: Literal["response.function_call_arguments.delta"]
    data: ResponseStreamResponseFunctionCallArgumentsDeltaData



class ResponseStreamResponseFunctionCallArgumentsDoneData(TypedDict):
    type: Literal["response.function_call_arguments.done"]
    sequence_number: int
    output_index: int
    item_id: str
    name: str
    arguments: str



class ResponseStreamResponseFunctionCallArgumentsDone(TypedDict):
    event: Literal["response.function_call_arguments.done"]
    data: ResponseStreamResponseFunctionCallArgumentsDoneData



class ResponseStreamResponseIncompleteData(TypedDict):
    type: Literal["response.incomplete"]
    sequence_number: int
    response: ResponseObject



class ResponseStreamResponseIncomplete(TypedDict):
    event: Literal["response.incomplete"]
    data: ResponseStreamResponseIncompleteData



class ResponseStreamResponseInProgressData(TypedDict):
    type: Literal["response.in_progress"]
    sequence_number: int
    response: ResponseObject



class ResponseStreamResponseInProgress(TypedDict):
    event: Literal["response.in_progress"]
    data: ResponseStreamResponseInProgressData



class ResponseStreamResponseOutputItemAddedDataItem1ResultsItem(TypedDict):
    file_id: str
    filename: str
    score: float
    text: str
    attributes: Dict[str, Any]
    page: Optional[int]
    url: str



class ResponseStreamResponseOutputItemAddedDataItem1(TypedDict):
    type: Literal["file_search_call"]
    id: str
    status: Literal["in_progress", "searching", "completed", "incomplete"]
    queries: List[str]
    results: Optional[List[ResponseStreamResponseOutputItemAddedDataItem1ResultsItem]]



class ResponseStreamResponseOutputItemAddedDataItem2ContentItemAnnotationsItem(TypedDict):
    type: Literal["file_citation"]
    index: int
    """Where the mark `[n]` begins in the text, in UTF-16 units"""
    file_id: str
    filename: str
    page: Optional[int]
    url: str
    """Opens the passage, without sign-in, for 24 hours"""



class ResponseStreamResponseOutputItemAddedDataItem2ContentItem(TypedDict):
    type: Literal["output_text"]
    text: str
    annotations: List[ResponseStreamResponseOutputItemAddedDataItem2ContentItemAnnotationsItem]
    logprobs: List[Any]



class ResponseStreamResponseOutputItemAddedDataItem2(TypedDict):
    type: Literal["message"]
    id: str
    role: Literal["assistant"]
    status: Literal["in_progress", "completed", "incomplete"]
    content: List[ResponseStreamResponseOutputItemAddedDataItem2ContentItem]



class ResponseStreamResponseOutputItemAddedDataItem3(TypedDict):
    type: Literal["function_call"]
    id: str
    call_id: str
    name: str
    arguments: str
    """JSON"""
    status: Literal["in_progress", "completed"]



class ResponseStreamResponseOutputItemAddedData(TypedDict):
    type: Literal["response.output_item.added"]
    sequence_number: int
    output_index: int
    item: Union[ResponseStreamResponseOutputItemAddedDataItem1, ResponseStreamResponseOutputItemAddedDataItem2, ResponseStreamResponseOutputItemAddedDataItem3]



class ResponseStreamResponseOutputItemAdded(TypedDict):
    event: Literal["response.output_item.added"]
    data: ResponseStreamResponseOutputItemAddedData



class ResponseStreamResponseOutputItemDoneDataItem1ResultsItem(TypedDict):
    file_id: str
    filename: str
    score: float
    text: str
    attributes: Dict[str, Any]
    page: Optional[int]
    url: str



class ResponseStreamResponseOutputItemDoneDataItem1(TypedDict):
    type: Literal["file_search_call"]
    id: str
    status: Literal["in_progress", "searching", "completed", "incomplete"]
    queries: List[str]
    results: Optional[List[ResponseStreamResponseOutputItemDoneDataItem1ResultsItem]]



class ResponseStreamResponseOutputItemDoneDataItem2ContentItemAnnotationsItem(TypedDict):
    type: Literal["file_citation"]
    index: int
    """Where the mark `[n]` begins in the text, in UTF-16 units"""
    file_id: str
    filename: str
    page: Optional[int]
    url: str
    """Opens the passage, without sign-in, for 24 hours"""



class ResponseStreamResponseOutputItemDoneDataItem2ContentItem(TypedDict):
    type: Literal["output_text"]
    text: str
    annotations: List[ResponseStreamResponseOutputItemDoneDataItem2ContentItemAnnotationsItem]
    logprobs: List[Any]



class ResponseStreamResponseOutputItemDoneDataItem2(TypedDict):
    type: Literal["message"]
    id: str
    role: Literal["assistant"]
    status: Literal["in_progress", "completed", "incomplete"]
    content: List[ResponseStreamResponseOutputItemDoneDataItem2ContentItem]



class ResponseStreamResponseOutputItemDoneDataItem3(TypedDict):
    type: Literal["function_call"]
    id: str
    call_id: str
    name: str
    arguments: str
    """JSON"""
    status: Literal["in_progress", "completed"]



class ResponseStreamResponseOutputItemDoneData(TypedDict):
    type: Literal["response.output_item.done"]
    sequence_number: int
    output_index: int
    item: Union[ResponseStreamResponseOutputItemDoneDataItem1, ResponseStreamResponseOutputItemDoneDataItem2, ResponseStreamResponseOutputItemDoneDataItem3]



class ResponseStreamResponseOutputItemDone(TypedDict):
    event: Literal["response.output_item.done"]
    data: ResponseStreamResponseOutputItemDoneData



class ResponseStreamResponseOutputTextAnnotationAddedDataAnnotation(TypedDict):
    type: Literal["file_citation"]
    index: int
    """Where the mark `[n]` begins in the text, in UTF-16 units"""
    file_id: str
    filename: str
    page: Optional[int]
    url: str
    """Opens the passage, without sign-in, for 24 hours"""



class ResponseStreamResponseOutputTextAnnotationAddedData(TypedDict):
    type: Literal["response.output_text.annotation.added"]
    sequence_number: int
    output_index: int
    item_id: str
    content_index: int
    annotation_index: int
    annotation: ResponseStreamResponseOutputTextAnnotationAddedDataAnnotation



class ResponseStreamResponseOutputTextAnnotationAdded(TypedDict):
    event: Literal["response.output_text.annotation.added"]
    data: ResponseStreamResponseOutputTextAnnotationAddedData



class ResponseStreamResponseOutputTextDeltaData(TypedDict):
    type: Literal["response.output_text.delta"]
    sequence_number: int
    output_index: int
    item_id: str
    content_index: int
    delta: str
    logprobs: List[Any]



class ResponseStreamResponseOutputTextDelta(TypedDict):
    event: Literal["response.output_text.delta"]
    data: ResponseStreamResponseOutputTextDeltaData



class ResponseStreamResponseOutputTextDoneData(TypedDict):
    type: Literal["response.output_text.done"]
    sequence_number: int
    output_index: int
    item_id: str
    content_index: int
    text: str
    logprobs: List[Any]



class ResponseStreamResponseOutputTextDone(TypedDict):
    event: Literal["response.output_text.done"]
    data: ResponseStreamResponseOutputTextDoneData



class RetentionLastApplied(TypedDict):
    started_at: str
    finished_at: str
    counts: RetentionCounts



class Retention(TypedDict):
    rules: List[RetentionRule]
    updated_at: Optional[str]
    last_applied: Optional[RetentionLastApplied]
    """The last time that the rules were applied to the end, with what was deleted"""



class RetentionAppliedStreamed(TypedDict):
    id: str
    event: Literal["retention.applied"]
    data: EventRecord



class RetentionCounts(TypedDict):
    conversations: int
    runs: int
    files: int
    events: int
    audit: int



class RetentionPreview(TypedDict):
    counts: RetentionCounts



class RetentionRule(TypedDict):
    kind: Literal["conversations", "runs", "files", "events", "audit"]
    after_days: int
    context_id: Optional[str]
    filter: Optional[Filter]



class RetrievalRecordsRecordsItem(TypedDict):
    content: str
    score: float
    """How surely the passage answers, as `relevance`"""
    title: str
    metadata: Dict[str, Any]
    """The file's metadata, and where the passage stands; nothing in it is null"""



class RetrievalRecords(TypedDict):
    records: List[RetrievalRecordsRecordsItem]
    """Best first"""



class Run(TypedDict):
    run_id: str
    status: Literal["running", "waiting_for_approval", "completed", "failed", "timed_out", "cancelled"]
    output: str
    structured_output: Any
    """The answer as JSON that meets output_schema; null without one"""
    model: str
    citations: List[RunCitation]
    """What the markers [1], [2] … in the output stand for"""
    finish_reason: Optional[Literal["final_answer", "max_steps", "cancelled", "timeout", "error"]]
    """Null while running"""
    error: Optional[StoredError]
    warnings: List[AnswerWarning]
    """`redaction_partial`: writing whose names are not known; `foreign_link`: the output leads to addresses that stand in nothing the model was given"""
    usage: Usage
    ner_count: int
    """Values that were redacted"""
    started_at: str
    finished_at: Optional[str]
    task: str
    """As the model saw it"""
    additional_metadata: Dict[str, Any]
    owner: Optional[Owner]
    """The key or console user that made it; null where a former version did not know"""
    end_user: Optional[str]
    shared: bool
    """It is somebody else's, who lets the caller read it, and nothing more"""
    shared_with: Optional[Literal["users", "workspace"]]
    """Who reads it besides those who see it anyway: some users, or all of the workspace"""
    steps: List[Step]
    approvals: List[Approval]
    """Calls that a person must allow, or had to"""



class RunCancelledStreamed(TypedDict):
    id: str
    event: Literal["run.cancelled"]
    data: EventRecord



class RunCitation(TypedDict):
    index: int
    file_id: str
    chunk_id: Optional[str]
    """Null for a stretch that was read"""
    name: str
    position: Position
    url: str
    """Opens the passage in its document, without sign-in, for 24 hours; see `GET /view/{file_id}`"""



class RunCompletedStreamed(TypedDict):
    id: str
    event: Literal["run.completed"]
    data: EventRecord


RunEvent = Union["Union[RunStartedEvent, StepStartedEvent, StepCompletedEvent, ApprovalRequestedEvent, ApprovalDecidedEvent, RunFinishedEvent, ErrorEvent, DoneEvent]", "Union[RunStartedEvent, StepStartedEvent, StepCompletedEvent, ApprovalRequestedEvent, ApprovalDecidedEvent, RunFinishedEvent, ErrorEvent, DoneEvent]"]



class RunFailedStreamed(TypedDict):
    id: str
    event: Literal["run.failed"]
    data: EventRecord



class RunFinishedEvent(TypedDict):
    id: int
    event: Literal["run_finished"]
    data: Run



class RunList(TypedDict):
    data: List[RunSummary]
    pagination: Pagination



class RunStartedEventData(TypedDict):
    run_id: str
    model: str
    started_at: str



class RunStartedEvent(TypedDict):
    id: int
    event: Literal["run_started"]
    data: RunStartedEventData



class RunSummary(TypedDict):
    run_id: str
    status: Literal["running", "waiting_for_approval", "completed", "failed", "timed_out", "cancelled"]
    output: str
    structured_output: Any
    """The answer as JSON that meets output_schema; null without one"""
    model: str
    citations: List[RunCitation]
    """What the markers [1], [2] … in the output stand for"""
    finish_reason: Optional[Literal["final_answer", "max_steps", "cancelled", "timeout", "error"]]
    """Null while running"""
    error: Optional[StoredError]
    warnings: List[AnswerWarning]
    """`redaction_partial`: writing whose names are not known; `foreign_link`: the output leads to addresses that stand in nothing the model was given"""
    usage: Usage
    ner_count: int
    """Values that were redacted"""
    started_at: str
    finished_at: Optional[str]
    task: str
    """As the model saw it"""
    additional_metadata: Dict[str, Any]
    owner: Optional[Owner]
    """The key or console user that made it; null where a former version did not know"""
    end_user: Optional[str]
    shared: bool
    """It is somebody else's, who lets the caller read it, and nothing more"""
    shared_with: Optional[Literal["users", "workspace"]]
    """Who reads it besides those who see it anyway: some users, or all of the workspace"""
    step_count: int



class RunTimedOutStreamed(TypedDict):
    id: str
    event: Literal["run.timed_out"]
    data: EventRecord



class RunWaitingForApprovalStreamed(TypedDict):
    id: str
    event: Literal["run.waiting_for_approval"]
    data: EventRecord



class ScheduleRequest(TypedDict):
    url: str
    """/v1/chat/completions, /v1/embeddings, /v1/responses, /external/conversations, /external/agents/run, /external/search, /external/redact"""
    body: Dict[str, Any]



class Schedule(TypedDict):
    id: str
    name: str
    cron: Optional[str]
    every: Optional[str]
    timezone: Optional[str]
    request: ScheduleRequest
    paused: bool
    """Also by itself, when the key or user whose it is may not go on with it"""
    next_run_at: Optional[str]
    owner: Optional[Owner]
    """The key or console user that made it; null where a former version did not know"""
    created_at: str
    updated_at: str



class ScheduleFailedStreamed(TypedDict):
    id: str
    event: Literal["schedule.failed"]
    data: EventRecord



class ScheduleList(TypedDict):
    data: List[Schedule]
    pagination: Pagination



class ScheduleRunResponse(TypedDict):
    status_code: int
    body: Any
    """As the route answered; of a body over 256 KB its beginning, as a text"""
    truncated: bool



class ScheduleRunError(TypedDict):
    code: str
    message: str



class ScheduleRun(TypedDict):
    run_id: str
    status: Literal["running", "completed", "failed"]
    response: Optional[ScheduleRunResponse]
    """Null while it is running, and where nothing was answered"""
    error: Optional[ScheduleRunError]
    started_at: str
    finished_at: Optional[str]



class ScopedToken(TypedDict):
    token: str
    """`Authorization: Bearer <token>`; shown this once"""
    expires_at: str



class SearchAnswerIndex(TypedDict):
    searchable_files: int
    pending_files: int
    embedding_model: str
    vectors: VectorProgress



class SearchAnswer(TypedDict):
    query: str
    mode: Literal["hybrid", "keyword", "semantic"]
    took_ms: float
    total: int
    """Hits there are in all; with `group_by` the files that the best 1 000 passages stand in, 10 000 for pages further down"""
    degraded: Optional[Literal["keyword_only", "not_reranked", "vectors_pending"]]
    """The first of these that holds. `keyword_only`: the embedding model is down, or knows nothing of the query of a `semantic` search, such as its language: words alone were searched. `not_reranked`: too much else waited for the reranking model, or it is down: the order is that of a search without. `vectors_pending`: some passages have no vector yet, and are found by words alone. That passages still wait for better vectors is said by `index.vectors` alone"""
    reranked: NotRequired[int]
    """Passages that the reranking model judged; only with `rerank`. Those in languages that it does not know keep their places, as do all for such a query"""
    index: SearchAnswerIndex
    corrections: List[Correction]
    """Words that stand in no passage of the library, and the words at one letter's distance that were looked up too"""
    hits: List[Hit]
    groups: NotRequired[List[HitGroup]]
    """Only with `group_by`: whose the hits are, files in the order of their best passages"""



class SharesUsersItem(TypedDict):
    id: str
    name: str



class Shares(TypedDict):
    users: Union[List[SharesUsersItem], Literal["workspace"]]



class Source(TypedDict):
    index: int
    """The [n] in the content"""
    file_id: str
    chunk_id: str
    name: str
    position: Position
    url: str
    """Opens the passage in its document, without sign-in, for 24 hours; see `GET /view/{file_id}`"""
    score: float
    text: str
    whole: NotRequired[bool]
    """Of a file that was given whole"""



class SourceCoverage(TypedDict):
    total: int
    """Keys"""
    searchable: int
    """Keys whose file is searchable"""
    pending: int
    """Keys that are yet to be fetched or indexed"""
    failed: int
    """Keys that could not be fetched, or whose file could not be read"""
    unsupported: int
    """Keys of types that cannot be read"""
    skipped: int
    """Keys that are not meant to be files"""
    items: List[SourceEntry]
    pagination: Pagination



class SourceDryRunSample(TypedDict):
    added: List[str]
    updated: List[str]
    deleted: List[str]



class SourceDryRun(TypedDict):
    dry_run: Literal[True]
    added: int
    """Entries that became files"""
    updated: int
    """Files that were replaced"""
    deleted: int
    """Files that were deleted"""
    unchanged: int
    """Entries that are as they were"""
    skipped: int
    """Entries that are not taken: by `include`, `exclude`, size or type"""
    failed: int
    """Entries that could not be fetched, now or before; see the coverage"""
    guarded: int
    """Files that are gone and were not deleted, because they are too many at once"""
    sample: SourceDryRunSample
    """20 keys of each at most"""



class SourceEntry(TypedDict):
    key: str
    status: Literal["searchable", "pending", "failed", "unsupported", "skipped"]
    error: Optional[Issue]
    file_id: Optional[str]
    url: Optional[str]



class SourceFailedStreamed(TypedDict):
    id: str
    event: Literal["source.failed"]
    data: EventRecord



class SourceGuardedStreamed(TypedDict):
    id: str
    event: Literal["source.guarded"]
    data: EventRecord



class SourcesEventData(TypedDict):
    sources: List[Source]



class SourcesEvent(TypedDict):
    id: int
    event: Literal["sources"]
    data: SourcesEventData



class SourceSync(TypedDict):
    sync_id: str
    started_at: str
    finished_at: Optional[str]
    """Null while it goes on"""
    added: int
    """Entries that became files"""
    updated: int
    """Files that were replaced"""
    deleted: int
    """Files that were deleted"""
    unchanged: int
    """Entries that are as they were"""
    skipped: int
    """Entries that are not taken: by `include`, `exclude`, size or type"""
    failed: int
    """Entries that could not be fetched, now or before; see the coverage"""
    guarded: int
    """Files that are gone and were not deleted, because they are too many at once"""
    error: Optional[Issue]



class SourceSyncedStreamed(TypedDict):
    id: str
    event: Literal["source.synced"]
    data: EventRecord



class SourceSyncList(TypedDict):
    data: List[SourceSync]
    pagination: Pagination



class StatusEventDataDetail(TypedDict):
    done: int
    total: int



class StatusEventData(TypedDict):
    phase: Literal["retrieving", "reading", "summarizing", "loading_model", "thinking", "calling_tool", "generating"]
    detail: NotRequired[Union[str, StatusEventDataDetail]]
    """In words, or how many parts of a whole are done"""



class StatusEvent(TypedDict):
    id: int
    event: Literal["status"]
    data: StatusEventData



class Step(TypedDict):
    index: int
    type: Literal["tool_call"]
    name: str
    arguments: Dict[str, Any]
    result: Optional[str]
    """Null while the tool runs; at most 20 000 characters"""
    is_error: bool
    started_at: str
    duration_ms: Optional[float]



class StepCompletedEvent(TypedDict):
    id: int
    event: Literal["step_completed"]
    data: Step



class StepStartedEvent(TypedDict):
    id: int
    event: Literal["step_started"]
    data: Step



class StorageLowStreamed(TypedDict):
    id: str
    event: Literal["storage.low"]
    data: EventRecord



class StoredError(TypedDict):
    code: str
    message: str
    details: NotRequired[List[Dict[str, Any]]]
    """Bad fields, or what else belongs to the code"""
    hint: NotRequired[str]
    """For the operator: what was tried, what to set"""



class StreamEnd(TypedDict):
    event: Literal["done"]
    data: Dict[str, Any]



class StreamErrorDataError(TypedDict):
    code: str
    message: str
    details: NotRequired[List[Dict[str, Any]]]
    """Bad fields, or what else belongs to the code"""
    hint: NotRequired[str]
    """For the operator: what was tried, what to set"""
    request_id: NotRequired[str]



class StreamErrorData(TypedDict):
    error: StreamErrorDataError
    message_id: NotRequired[str]
    """The reply that failed"""



class StreamError(TypedDict):
    event: Literal["error"]
    data: StreamErrorData



class StreamToken(TypedDict):
    url: str
    """Of the stream, on this server, with the token"""
    token: str
    expires_at: str



class SyncedSource(TypedDict):
    id: str
    type: Literal["folder", "webdav", "s3", "git", "imap", "web", "push"]
    name: str
    config: Dict[str, Any]
    """By type: `folder {path}`, `webdav {url}`, `s3 {endpoint, bucket, prefix?, region?}`, `git {url, branch?, path?}`, `imap {host, port, mailbox, since?, tls?}`, `web {url, limit, include_paths?, exclude_paths?}`, `push {}`"""
    has_credentials: bool
    context_id: Optional[str]
    tags: List[str]
    acl: Optional[List[str]]
    include: List[str]
    """Only keys that one of them matches; all where there is none. `*.pdf` matches in every folder"""
    exclude: List[str]
    """No key that one of them matches"""
    max_bytes: Optional[int]
    schedule: Optional[str]
    """`15m`, `6h`, `1d`, or cron of five fields; a folder is watched for changes as well. Null: on request alone"""
    timezone: Optional[str]
    """Of cron; UTC unless told"""
    delete_missing: bool
    """Files go when their entries do"""
    status: Literal["idle", "syncing", "failed", "guarded", "paused"]
    """`failed`: it could not be read and is tried again; `guarded`: so much is gone that nothing was deleted"""
    last_sync: Optional[SourceSync]
    """The newest, ended or not"""
    next_sync_at: Optional[str]
    created_at: str
    updated_at: str



class SyncedSourceList(TypedDict):
    data: List[SyncedSource]
    pagination: Pagination



class ThinkingDeltaEventData(TypedDict):
    text: str



class ThinkingDeltaEvent(TypedDict):
    id: int
    event: Literal["thinking_delta"]
    data: ThinkingDeltaEventData



class ToolCallEventData(TypedDict):
    tool_call_id: str
    name: str
    arguments: Dict[str, Any]



class ToolCallEvent(TypedDict):
    id: int
    event: Literal["tool_call"]
    data: ToolCallEventData



class ToolResultEventData(TypedDict):
    tool_call_id: str
    result: str
    is_error: bool



class ToolResultEvent(TypedDict):
    id: int
    event: Literal["tool_result"]
    data: ToolResultEventData



class TurnAnswer(TypedDict):
    conversation_id: str
    model: str
    messages: List[Message]
    ner_count: int
    timestamp: str



class UploadAnswerRejectedItem(TypedDict):
    name: str
    source_key: NotRequired[str]
    error: Issue



class UploadAnswer(TypedDict):
    message: str
    files: List[FileRecord]
    rejected: List[UploadAnswerRejectedItem]



class UrlCitationUrlCitation(TypedDict):
    url: str
    """Opens the passage, without sign-in, for 24 hours"""
    title: str
    start_index: int
    """Of the mark `[n]` in the content, in UTF-16 units"""
    end_index: int
    """Exclusive"""



class UrlCitation(TypedDict):
    type: Literal["url_citation"]
    url_citation: UrlCitationUrlCitation



class Usage(TypedDict):
    prompt_tokens: int
    completion_tokens: int



class UsageReport(TypedDict):
    data: List[UsageRow]



class UsageRow(TypedDict):
    bucket: str
    """When the bucket begins, in UTC"""
    key: NotRequired[Optional[str]]
    """Id of the key; null for the console. With `group_by=key`, as the others"""
    end_user: NotRequired[Optional[str]]
    """Whom it was for"""
    model: NotRequired[Optional[str]]
    """Value of the chat model"""
    context: NotRequired[Optional[str]]
    """Context of the conversation, the run or the file"""
    requests: int
    """Authenticated requests that no limit refused"""
    prompt_tokens: int
    """As the answers said"""
    completion_tokens: int
    """As the answers said"""
    embedded_tokens: int
    """Of passages that became searchable, of queries, and what /v1/embeddings and rerank said"""
    pages: int
    """Of files that became searchable"""
    ocr_pages: int
    """Of them, those that were read by character recognition"""
    bytes_in: int
    """Sizes of accepted files"""
    bytes_stored: int
    """Held at the bucket's end"""
    searches: int
    """Searches that callers asked for"""



class VectorProgress(TypedDict):
    """Passages that have a vector of the best tier in use"""
    done: int
    total: int
    """Passages of the library"""
    tier: Literal["fast", "quality"]
    """`fast` vectors are there with the words; `quality` ones follow in the background"""



class VectorStore(TypedDict):
    id: str
    object: Literal["vector_store"]
    created_at: int
    """Seconds since 1970"""
    name: str
    """The context's id where it was given none"""
    description: Optional[str]
    usage_bytes: int
    """Sizes of the files"""
    file_counts: VectorStoreFileCounts
    status: Literal["in_progress", "completed"]
    """`completed` when no file is waiting"""
    last_active_at: int
    """Seconds since 1970"""
    expires_after: None
    """Stores of this server do not expire"""
    expires_at: None
    metadata: Dict[str, Any]



class VectorStoreFileLastError(TypedDict):
    code: Literal["server_error", "unsupported_file", "invalid_file"]
    message: str



class VectorStoreFileChunkingStrategy(TypedDict):
    type: Literal["other"]



class VectorStoreFile(TypedDict):
    id: str
    object: Literal["vector_store.file"]
    created_at: int
    """Seconds since 1970"""
    vector_store_id: str
    usage_bytes: int
    """Size of the file"""
    status: Literal["in_progress", "completed", "failed"]
    """`completed` once it can be found"""
    last_error: Optional[VectorStoreFileLastError]
    chunking_strategy: VectorStoreFileChunkingStrategy
    attributes: Dict[str, Any]



class VectorStoreFileBatch(TypedDict):
    id: str
    object: Literal["vector_store.files_batch"]
    created_at: int
    """Seconds since 1970"""
    vector_store_id: str
    status: Literal["in_progress", "completed", "cancelled"]
    file_counts: VectorStoreFileCounts



class VectorStoreFileContentDataItem(TypedDict):
    type: Literal["text"]
    text: str



class VectorStoreFileContent(TypedDict):
    object: Literal["vector_store.file_content.page"]
    data: List[VectorStoreFileContentDataItem]
    has_more: Literal[False]
    next_page: None



class VectorStoreFileCounts(TypedDict):
    in_progress: int
    completed: int
    failed: int
    cancelled: int
    """Taken out again when a batch was cancelled"""
    total: int



class VectorStoreFileList(TypedDict):
    object: Literal["list"]
    data: List[VectorStoreFile]
    first_id: Optional[str]
    last_id: Optional[str]
    has_more: bool



class VectorStoreList(TypedDict):
    object: Literal["list"]
    data: List[VectorStore]
    first_id: Optional[str]
    last_id: Optional[str]
    has_more: bool



class VectorStoreSearchResultsDataItemContentItem(TypedDict):
    type: Literal["text"]
    text: str



class VectorStoreSearchResultsDataItem(TypedDict):
    file_id: str
    filename: str
    score: float
    """How surely the passage answers, as `relevance`"""
    attributes: Dict[str, Any]
    content: List[VectorStoreSearchResultsDataItemContentItem]



class VectorStoreSearchResults(TypedDict):
    object: Literal["vector_store.search_results.page"]
    search_query: List[str]
    data: List[VectorStoreSearchResultsDataItem]
    has_more: Literal[False]
    next_page: None



class WarningEventData(TypedDict):
    code: Literal["context_truncated", "keyword_only_search", "library_unavailable", "invalid_citation", "redaction_partial", "partial_reading", "foreign_link"]
    message: str
    addresses: NotRequired[List[str]]
    """Of `foreign_link`: addresses, at most 20; show links and pictures that lead there as text"""
    more: NotRequired[int]
    """Of `foreign_link`: further addresses that are not named"""



class WarningEvent(TypedDict):
    id: int
    event: Literal["warning"]
    data: WarningEventData



class Webhook(TypedDict):
    id: str
    url: str
    types: Optional[List[Literal["file.searchable", "file.failed", "file.deleted", "batch.completed", "batch.failed", "job.completed", "run.completed", "run.failed", "run.timed_out", "run.cancelled", "run.waiting_for_approval", "schedule.failed", "source.synced", "source.failed", "source.guarded", "key.expiring", "retention.applied", "storage.low", "webhook.disabled"]]]
    """Null: all of them"""
    description: str
    status: Literal["active", "disabled"]
    disabled_reason: Optional[str]
    """Null while it is active"""
    created_at: str
    updated_at: str



class WebhookDisabledStreamed(TypedDict):
    id: str
    event: Literal["webhook.disabled"]
    data: EventRecord



class WebhookList(TypedDict):
    data: List[Webhook]
    pagination: Pagination



class WebhookSecret(TypedDict):
    secret: str



class CreateChatCompletionBodyStreamOptions(TypedDict):
    include_usage: NotRequired[Optional[bool]]



class CreateChatCompletionBodyToolChoiceFunction(TypedDict):
    name: str



class CreateChatCompletionBodyToolChoice(TypedDict):
    type: Literal["function"]
    function: CreateChatCompletionBodyToolChoiceFunction



class CreateChatCompletionBodyResponseFormat(TypedDict):
    type: Literal["text", "json_object", "json_schema"]
    json_schema: NotRequired[Optional[Dict[str, Any]]]



class CreateChatCompletionBodyCarrel(TypedDict):
    filter: NotRequired[Any]
    file_ids: NotRequired[Optional[List[str]]]
    """Only these files"""
    redaction: NotRequired[Any]
    reading: NotRequired[Optional[Literal["auto", "passages", "whole"]]]
    tools: NotRequired[Optional[List[Literal["query_table", "calculate", "read_file"]]]]
    """Tools of the daemon that the model may use by itself; all where absent, none where empty"""



class CreateChatCompletionBody(TypedDict):
    model: str
    """An `id` of `GET /v1/models`; `library/…` answers from the files, with citations"""
    messages: List[CompletionMessage]
    stream: NotRequired[Optional[bool]]
    stream_options: NotRequired[Optional[CreateChatCompletionBodyStreamOptions]]
    max_tokens: NotRequired[Optional[int]]
    max_completion_tokens: NotRequired[Optional[int]]
    """Wins over `max_tokens`"""
    temperature: NotRequired[Optional[float]]
    top_p: NotRequired[Optional[float]]
    seed: NotRequired[Optional[int]]
    stop: NotRequired[Optional[Union[str, List[str]]]]
    n: NotRequired[Optional[float]]
    tools: NotRequired[Optional[List[FunctionTool]]]
    """The client's own: calls are handed to it and not carried out"""
    tool_choice: NotRequired[Optional[Union[Literal["auto", "none", "required"], CreateChatCompletionBodyToolChoice]]]
    parallel_tool_calls: NotRequired[Optional[bool]]
    response_format: NotRequired[Optional[CreateChatCompletionBodyResponseFormat]]
    reasoning_effort: NotRequired[Optional[Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]]]
    """Models that think do so from `low` on, and not where it is left out; thoughts come as `reasoning_content`"""
    user: NotRequired[Optional[str]]
    safety_identifier: NotRequired[Optional[str]]
    metadata: NotRequired[Optional[Dict[str, Any]]]
    store: NotRequired[Optional[bool]]
    """Keep it as a conversation, with what was said before; pictures are not kept"""
    carrel: NotRequired[Optional[CreateChatCompletionBodyCarrel]]
    """What this daemon knows beyond the shape"""



class CreateChatCompletionEventPartError(TypedDict):
    message: str
    type: str
    param: Optional[str]
    code: str
    request_id: NotRequired[str]



class CreateChatCompletionEventPart(TypedDict):
    error: CreateChatCompletionEventPartError


CreateChatCompletionEvent = Union["Union[ChatCompletionChunk, CreateChatCompletionEventPart]", "Union[ChatCompletionChunk, CreateChatCompletionEventPart]"]



class CreateResponseBodyInputItemContentItem(TypedDict):
    type: str
    text: NotRequired[Optional[str]]
    refusal: NotRequired[Optional[str]]
    image_url: NotRequired[Optional[str]]
    """`data:image/…;base64,…`: nothing is fetched"""
    file_id: NotRequired[Optional[str]]
    file_data: NotRequired[Optional[str]]
    file_url: NotRequired[Optional[str]]



class CreateResponseBodyInputItemOutputItem(TypedDict):
    type: str
    text: NotRequired[Optional[str]]
    refusal: NotRequired[Optional[str]]
    image_url: NotRequired[Optional[str]]
    """`data:image/…;base64,…`: nothing is fetched"""
    file_id: NotRequired[Optional[str]]
    file_data: NotRequired[Optional[str]]
    file_url: NotRequired[Optional[str]]



class CreateResponseBodyInputItem(TypedDict):
    type: NotRequired[Optional[str]]
    """`message` where absent"""
    role: NotRequired[Optional[Literal["user", "assistant", "system", "developer"]]]
    content: NotRequired[Optional[Union[str, List[CreateResponseBodyInputItemContentItem]]]]
    call_id: NotRequired[Optional[str]]
    name: NotRequired[Optional[str]]
    arguments: NotRequired[Optional[str]]
    """JSON"""
    output: NotRequired[Optional[Union[str, List[CreateResponseBodyInputItemOutputItem]]]]



class CreateResponseBodyToolsItemRankingOptions(TypedDict):
    ranker: NotRequired[Optional[str]]
    score_threshold: NotRequired[Optional[float]]



class CreateResponseBodyToolsItem(TypedDict):
    type: str
    """`file_search` or `function`"""
    name: NotRequired[Optional[str]]
    description: NotRequired[Optional[str]]
    parameters: NotRequired[Optional[Dict[str, Any]]]
    strict: NotRequired[Optional[bool]]
    vector_store_ids: NotRequired[Optional[List[str]]]
    max_num_results: NotRequired[Optional[int]]
    filters: NotRequired[Any]
    ranking_options: NotRequired[Optional[CreateResponseBodyToolsItemRankingOptions]]



class CreateResponseBodyToolChoice(TypedDict):
    type: str
    name: NotRequired[Optional[str]]



class CreateResponseBodyText(TypedDict):
    format: NotRequired[Optional[Dict[str, Any]]]



class CreateResponseBodyReasoning(TypedDict):
    effort: NotRequired[Optional[str]]



class CreateResponseBodyCarrel(TypedDict):
    filter: NotRequired[Any]
    file_ids: NotRequired[Optional[List[str]]]
    """Search only these files"""
    redaction: NotRequired[Any]
    tools: NotRequired[Optional[List[Literal["query_table", "calculate", "read_file"]]]]
    """Tools of the daemon that the model may use by itself; all where absent, none where empty"""
    reading: NotRequired[Optional[Literal["auto", "passages", "whole"]]]



class CreateResponseBody(TypedDict):
    input: Union[str, List[CreateResponseBodyInputItem]]
    model: NotRequired[Optional[str]]
    """The default one where it is left out"""
    instructions: NotRequired[Optional[str]]
    """For this answer alone: a later one does not inherit them"""
    previous_response_id: NotRequired[Optional[str]]
    store: NotRequired[Optional[bool]]
    background: NotRequired[Optional[bool]]
    stream: NotRequired[Optional[bool]]
    include: NotRequired[Optional[List[str]]]
    """`file_search_call.results`"""
    tools: NotRequired[Optional[List[CreateResponseBodyToolsItem]]]
    tool_choice: NotRequired[Optional[Union[Literal["none", "auto", "required"], CreateResponseBodyToolChoice]]]
    parallel_tool_calls: NotRequired[Optional[bool]]
    text: NotRequired[Optional[CreateResponseBodyText]]
    max_output_tokens: NotRequired[Optional[int]]
    temperature: NotRequired[Optional[float]]
    top_p: NotRequired[Optional[float]]
    reasoning: NotRequired[Optional[CreateResponseBodyReasoning]]
    metadata: NotRequired[Optional[Dict[str, Any]]]
    user: NotRequired[Optional[str]]
    safety_identifier: NotRequired[Optional[str]]
    conversation: NotRequired[Any]
    prompt: NotRequired[Any]
    carrel: NotRequired[Optional[CreateResponseBodyCarrel]]


CreateResponseEvent = Union["Union[ResponseStreamResponseCreated, ResponseStreamResponseInProgress, ResponseStreamResponseCompleted, ResponseStreamResponseIncomplete, ResponseStreamResponseFailed, ResponseStreamResponseOutputItemAdded, ResponseStreamResponseOutputItemDone, ResponseStreamResponseFileSearchCallInProgress, ResponseStreamResponseFileSearchCallSearching, ResponseStreamResponseFileSearchCallCompleted, ResponseStreamResponseContentPartAdded, ResponseStreamResponseContentPartDone, ResponseStreamResponseOutputTextDelta, ResponseStreamResponseOutputTextAnnotationAdded, ResponseStreamResponseOutputTextDone, ResponseStreamResponseFunctionCallArgumentsDelta, ResponseStreamResponseFunctionCallArgumentsDone, ResponseStreamError]", "Union[ResponseStreamResponseCreated, ResponseStreamResponseInProgress, ResponseStreamResponseCompleted, ResponseStreamResponseIncomplete, ResponseStreamResponseFailed, ResponseStreamResponseOutputItemAdded, ResponseStreamResponseOutputItemDone, ResponseStreamResponseFileSearchCallInProgress, ResponseStreamResponseFileSearchCallSearching, ResponseStreamResponseFileSearchCallCompleted, ResponseStreamResponseContentPartAdded, ResponseStreamResponseContentPartDone, ResponseStreamResponseOutputTextDelta, ResponseStreamResponseOutputTextAnnotationAdded, ResponseStreamResponseOutputTextDone, ResponseStreamResponseFunctionCallArgumentsDelta, ResponseStreamResponseFunctionCallArgumentsDone, ResponseStreamError]"]


GetResponseEvent = Union["Union[ResponseStreamResponseCreated, ResponseStreamResponseInProgress, ResponseStreamResponseCompleted, ResponseStreamResponseIncomplete, ResponseStreamResponseFailed, ResponseStreamResponseOutputItemAdded, ResponseStreamResponseOutputItemDone, ResponseStreamResponseFileSearchCallInProgress, ResponseStreamResponseFileSearchCallSearching, ResponseStreamResponseFileSearchCallCompleted, ResponseStreamResponseContentPartAdded, ResponseStreamResponseContentPartDone, ResponseStreamResponseOutputTextDelta, ResponseStreamResponseOutputTextAnnotationAdded, ResponseStreamResponseOutputTextDone, ResponseStreamResponseFunctionCallArgumentsDelta, ResponseStreamResponseFunctionCallArgumentsDone, ResponseStreamError]", "Union[ResponseStreamResponseCreated, ResponseStreamResponseInProgress, ResponseStreamResponseCompleted, ResponseStreamResponseIncomplete, ResponseStreamResponseFailed, ResponseStreamResponseOutputItemAdded, ResponseStreamResponseOutputItemDone, ResponseStreamResponseFileSearchCallInProgress, ResponseStreamResponseFileSearchCallSearching, ResponseStreamResponseFileSearchCallCompleted, ResponseStreamResponseContentPartAdded, ResponseStreamResponseContentPartDone, ResponseStreamResponseOutputTextDelta, ResponseStreamResponseOutputTextAnnotationAdded, ResponseStreamResponseOutputTextDone, ResponseStreamResponseFunctionCallArgumentsDelta, ResponseStreamResponseFunctionCallArgumentsDone, ResponseStreamError]"]



class CreateEmbeddingsBody(TypedDict):
    model: str
    input: Any
    """A text, or up to 2048. Token ids are refused: LangChain sends them unless it is told `check_embedding_ctx_length=False`"""
    encoding_format: NotRequired[Optional[Literal["float", "base64"]]]
    """`float` by default"""
    dimensions: NotRequired[Optional[int]]
    """Only the model's own"""
    user: NotRequired[Optional[str]]



class RerankBodyDocumentsItem(TypedDict):
    text: str



class RerankBody(TypedDict):
    model: NotRequired[Optional[str]]
    """The one that there is, when left out"""
    query: str
    """Its first 96 tokens count"""
    documents: List[Union[str, RerankBodyDocumentsItem]]
    """Texts, or objects with a `text`. Of one longer than about 1 500 characters the best of three windows counts: its beginning, and those that hold most words of the query"""
    top_n: NotRequired[Optional[int]]
    """Best ones to answer with; all when left out"""
    return_documents: NotRequired[Optional[bool]]



class RerankV2BodyDocumentsItem(TypedDict):
    text: str



class RerankV2Body(TypedDict):
    model: NotRequired[Optional[str]]
    """The one that there is, when left out"""
    query: str
    """Its first 96 tokens count"""
    documents: List[Union[str, RerankV2BodyDocumentsItem]]
    """Texts, or objects with a `text`. Of one longer than about 1 500 characters the best of three windows counts: its beginning, and those that hold most words of the query"""
    top_n: NotRequired[Optional[int]]
    """Best ones to answer with; all when left out"""
    return_documents: NotRequired[Optional[bool]]



class RetrieveBodyRetrievalSetting(TypedDict):
    top_k: NotRequired[Optional[int]]
    score_threshold: NotRequired[Optional[float]]



class RetrieveBodyMetadataConditionConditionsItem(TypedDict):
    name: Union[str, List[str]]
    """A key of the files' metadata; of several, one has to satisfy the condition"""
    comparison_operator: str
    """contains, not contains, start with, is, is not, in, not in, empty, not empty, null, not null, =, ≠, >, <, ≥, ≤, before, after"""
    value: NotRequired[Any]
    """A text, a number, or a list of them; none where nothing is compared"""



class RetrieveBodyMetadataCondition(TypedDict):
    logical_operator: NotRequired[Optional[Literal["and", "or"]]]
    conditions: NotRequired[Optional[List[RetrieveBodyMetadataConditionConditionsItem]]]



class RetrieveBody(TypedDict):
    knowledge_id: str
    """A context, or `*` for the whole library"""
    query: str
    """Its first 2 000 characters count"""
    retrieval_setting: NotRequired[Optional[RetrieveBodyRetrievalSetting]]
    metadata_condition: NotRequired[Optional[RetrieveBodyMetadataCondition]]



class RetrieveV1BodyRetrievalSetting(TypedDict):
    top_k: NotRequired[Optional[int]]
    score_threshold: NotRequired[Optional[float]]



class RetrieveV1BodyMetadataConditionConditionsItem(TypedDict):
    name: Union[str, List[str]]
    """A key of the files' metadata; of several, one has to satisfy the condition"""
    comparison_operator: str
    """contains, not contains, start with, is, is not, in, not in, empty, not empty, null, not null, =, ≠, >, <, ≥, ≤, before, after"""
    value: NotRequired[Any]
    """A text, a number, or a list of them; none where nothing is compared"""



class RetrieveV1BodyMetadataCondition(TypedDict):
    logical_operator: NotRequired[Optional[Literal["and", "or"]]]
    conditions: NotRequired[Optional[List[RetrieveV1BodyMetadataConditionConditionsItem]]]



class RetrieveV1Body(TypedDict):
    knowledge_id: str
    """A context, or `*` for the whole library"""
    query: str
    """Its first 2 000 characters count"""
    retrieval_setting: NotRequired[Optional[RetrieveV1BodyRetrievalSetting]]
    metadata_condition: NotRequired[Optional[RetrieveV1BodyMetadataCondition]]



class CreateBatchBody(TypedDict):
    input_file_id: str
    """Of a file with the purpose `batch`"""
    endpoint: Literal["/v1/chat/completions", "/v1/embeddings", "/v1/responses", "/external/conversations", "/external/agents/run", "/external/search", "/external/redact"]
    completion_window: NotRequired[Optional[str]]
    """Time that it has, from `1m` to `7d`: `24h` by default"""
    metadata: NotRequired[Optional[Dict[str, Any]]]
    """At most 16 texts"""



class CreateVectorStoreBodyChunkingStrategy(TypedDict):
    type: str
    """`auto`; others are 400: passages are cut in one way"""



class CreateVectorStoreBody(TypedDict):
    name: NotRequired[Optional[str]]
    description: NotRequired[Optional[str]]
    file_ids: NotRequired[Optional[List[str]]]
    metadata: NotRequired[Optional[Dict[str, Any]]]
    expires_after: NotRequired[Any]
    chunking_strategy: NotRequired[Optional[CreateVectorStoreBodyChunkingStrategy]]



class UpdateVectorStoreBody(TypedDict):
    name: NotRequired[Optional[str]]
    metadata: NotRequired[Optional[Dict[str, Any]]]
    expires_after: NotRequired[Any]



class SearchVectorStoreBodyRankingOptions(TypedDict):
    ranker: NotRequired[Optional[str]]
    score_threshold: NotRequired[Optional[float]]



class SearchVectorStoreBody(TypedDict):
    query: Union[str, List[str]]
    filters: NotRequired[Any]
    max_num_results: NotRequired[Optional[int]]
    ranking_options: NotRequired[Optional[SearchVectorStoreBodyRankingOptions]]
    rewrite_query: NotRequired[Optional[bool]]



class CreateVectorStoreFileBodyChunkingStrategy(TypedDict):
    type: str
    """`auto`; others are 400: passages are cut in one way"""



class CreateVectorStoreFileBody(TypedDict):
    file_id: str
    attributes: NotRequired[Optional[Dict[str, Any]]]
    """The file's `metadata`: replaced where it is given"""
    chunking_strategy: NotRequired[Optional[CreateVectorStoreFileBodyChunkingStrategy]]



class UpdateVectorStoreFileBody(TypedDict):
    attributes: Optional[Dict[str, Any]]



class CreateVectorStoreFileBatchBodyFilesItemChunkingStrategy(TypedDict):
    type: str
    """`auto`; others are 400: passages are cut in one way"""



class CreateVectorStoreFileBatchBodyFilesItem(TypedDict):
    file_id: str
    attributes: NotRequired[Optional[Dict[str, Any]]]
    """The file's `metadata`: replaced where it is given"""
    chunking_strategy: NotRequired[Optional[CreateVectorStoreFileBatchBodyFilesItemChunkingStrategy]]



class CreateVectorStoreFileBatchBodyChunkingStrategy(TypedDict):
    type: str
    """`auto`; others are 400: passages are cut in one way"""



class CreateVectorStoreFileBatchBody(TypedDict):
    file_ids: NotRequired[Optional[List[str]]]
    files: NotRequired[Optional[List[CreateVectorStoreFileBatchBodyFilesItem]]]
    attributes: NotRequired[Optional[Dict[str, Any]]]
    """The file's `metadata`: replaced where it is given"""
    chunking_strategy: NotRequired[Optional[CreateVectorStoreFileBatchBodyChunkingStrategy]]



class AddTextBody(TypedDict):
    name: str
    """Gets the extension .txt, .md or .html where it has none that fits"""
    text: NotRequired[Optional[str]]
    """Plain text"""
    markdown: NotRequired[Optional[str]]
    """Markdown, whose headings name sections"""
    html: NotRequired[Optional[str]]
    """A page, or a part of one; scripts and styles are left out"""
    external_id: NotRequired[Optional[str]]
    """What your system calls it: sent again, it replaces the former text"""
    url: NotRequired[Optional[str]]
    """Where people see it"""
    updated_at: NotRequired[Optional[str]]
    """ISO-8601; kept as `metadata.updated_at`"""
    context_id: NotRequired[Optional[str]]
    tags: NotRequired[Optional[List[str]]]
    metadata: NotRequired[Optional[Dict[str, Any]]]
    acl: NotRequired[Optional[List[str]]]
    """As in an upload"""



class AddUrlBody(TypedDict):
    url: str
    only_main_content: NotRequired[Optional[bool]]
    """`true` by default"""
    refresh: NotRequired[Optional[str]]
    """How often it is fetched anew: `1d`, `6h`, at least `1m`. Null: only when it is asked for again"""
    context_id: NotRequired[Optional[str]]
    tags: NotRequired[Optional[List[str]]]
    metadata: NotRequired[Optional[Dict[str, Any]]]
    acl: NotRequired[Optional[List[str]]]
    """As in an upload"""



class UpdateFileBody(TypedDict):
    name: NotRequired[str]
    tags: NotRequired[List[str]]
    add_tags: NotRequired[List[str]]
    """Beside those that a file has; not with `tags`"""
    remove_tags: NotRequired[List[str]]
    """Of those that a file has; not with `tags`"""
    metadata: NotRequired[Dict[str, Any]]
    add_metadata: NotRequired[Dict[str, Any]]
    """Fields beside those that a file has, in the place of those of the same name; not with `metadata`"""
    remove_metadata: NotRequired[List[str]]
    """Names of fields that a file loses; not with `metadata`"""
    context_id: NotRequired[Optional[str]]
    acl: NotRequired[Optional[List[str]]]
    """See the record"""



class ChangeFilesBodyPatch(TypedDict):
    name: NotRequired[str]
    tags: NotRequired[List[str]]
    add_tags: NotRequired[List[str]]
    """Beside those that a file has; not with `tags`"""
    remove_tags: NotRequired[List[str]]
    """Of those that a file has; not with `tags`"""
    metadata: NotRequired[Dict[str, Any]]
    add_metadata: NotRequired[Dict[str, Any]]
    """Fields beside those that a file has, in the place of those of the same name; not with `metadata`"""
    remove_metadata: NotRequired[List[str]]
    """Names of fields that a file loses; not with `metadata`"""
    context_id: NotRequired[Optional[str]]
    acl: NotRequired[Optional[List[str]]]
    """See the record"""



class ChangeFilesBody(TypedDict):
    action: Literal["delete", "reindex", "patch"]
    filter: Filter
    patch: NotRequired[Optional[ChangeFilesBodyPatch]]
    """With `patch`: as of one file"""
    dry_run: NotRequired[Optional[bool]]
    """Only says how many files there are, and shows some"""



class ChangeFilesAnswer1(TypedDict):
    matched: int
    """Files that the caller sees and the filter lets pass"""
    sample: List[FileRecord]
    """The newest, 20 at most"""



class ChangeFilesAnswer2(TypedDict):
    job_id: str
    matched: int
    """Files that the caller sees and the filter lets pass"""



class CreateLinkBody(TypedDict):
    file_id: str
    page: NotRequired[Optional[int]]
    """Page or slide"""
    start: NotRequired[Optional[int]]
    """With `end`: a passage, as in positions of hits"""
    end: NotRequired[Optional[int]]
    expires_in: NotRequired[Optional[int]]
    """Seconds; 86 400 unless given"""



class CreateSourceBody(TypedDict):
    type: Literal["folder", "webdav", "s3", "git", "imap", "web", "push"]
    name: str
    config: NotRequired[Optional[Dict[str, Any]]]
    """By type: `folder {path}`, `webdav {url}`, `s3 {endpoint, bucket, prefix?, region?}`, `git {url, branch?, path?}`, `imap {host, port, mailbox, since?, tls?}`, `web {url, limit, include_paths?, exclude_paths?}`, `push {}`"""
    credentials: NotRequired[Optional[Dict[str, Any]]]
    """`{username, password}`, of s3 `{access_key_id, secret_access_key}`. Kept encrypted, never shown"""
    context_id: NotRequired[Optional[str]]
    """Where its files lie"""
    tags: NotRequired[Optional[List[str]]]
    acl: NotRequired[Optional[List[str]]]
    """Principals that may see its files; null: everyone"""
    include: NotRequired[Optional[List[str]]]
    """Only keys that one of them matches; all where there is none. `*.pdf` matches in every folder"""
    exclude: NotRequired[Optional[List[str]]]
    """No key that one of them matches"""
    max_bytes: NotRequired[Optional[int]]
    """Larger entries are skipped"""
    schedule: NotRequired[Optional[str]]
    """`15m`, `6h`, `1d`, or cron of five fields; a folder is watched for changes as well. Null: on request alone"""
    timezone: NotRequired[Optional[str]]
    """Of cron; UTC unless told"""
    delete_missing: NotRequired[Optional[bool]]



class UpdateSourceBody(TypedDict):
    name: NotRequired[str]
    config: NotRequired[Dict[str, Any]]
    """By type: `folder {path}`, `webdav {url}`, `s3 {endpoint, bucket, prefix?, region?}`, `git {url, branch?, path?}`, `imap {host, port, mailbox, since?, tls?}`, `web {url, limit, include_paths?, exclude_paths?}`, `push {}`"""
    credentials: NotRequired[Optional[Dict[str, Any]]]
    """Null takes them away"""
    context_id: NotRequired[Optional[str]]
    """Its files move there"""
    tags: NotRequired[List[str]]
    acl: NotRequired[Optional[List[str]]]
    include: NotRequired[List[str]]
    """Only keys that one of them matches; all where there is none. `*.pdf` matches in every folder"""
    exclude: NotRequired[List[str]]
    """No key that one of them matches"""
    max_bytes: NotRequired[Optional[int]]
    """Larger entries are skipped"""
    schedule: NotRequired[Optional[str]]
    """`15m`, `6h`, `1d`, or cron of five fields; a folder is watched for changes as well. Null: on request alone"""
    timezone: NotRequired[Optional[str]]
    """Of cron; UTC unless told"""
    delete_missing: NotRequired[bool]
    paused: NotRequired[bool]
    """Nothing is looked at until it is false; what was under way goes on then"""



class SyncSourceBody(TypedDict):
    dry_run: NotRequired[Optional[bool]]
    force: NotRequired[Optional[bool]]



class SyncSourceAnswer(TypedDict):
    sync_id: Optional[str]
    """Of the sync that is under way, or of the last one while this has not begun"""
    status: Literal["syncing"]



class SendManifestBodyEntriesItem(TypedDict):
    key: str
    """What the entry is called there, the same as long as it is the same thing: a path, an id. At most 2 000 bytes"""
    fingerprint: NotRequired[Optional[str]]
    """Changes with the content: a hash, a version, a size with a time. This or `sha256`"""
    sha256: NotRequired[Optional[str]]
    """Of the bytes"""
    size: NotRequired[Optional[int]]
    """Bytes: what is too large is told without an upload"""
    updated_at: NotRequired[Optional[str]]
    """ISO-8601"""
    name: NotRequired[Optional[str]]
    """What the file will be called: of what type it is, is then told without an upload"""



class SendManifestBody(TypedDict):
    entries: List[SendManifestBodyEntriesItem]
    """All that there is, each key once"""
    delete_missing: NotRequired[Optional[bool]]
    """Delete the files of entries that are no more; as the source says where absent"""
    dry_run: NotRequired[Optional[bool]]
    """Only says what would be done"""
    force: NotRequired[Optional[bool]]
    """Also where more than 20 % of the files would go; what failed, or was deleted here, is asked for again"""



class SearchBodyRerank(TypedDict):
    candidates: NotRequired[int]



class SearchBodyFilters(TypedDict):
    file_ids: NotRequired[Optional[List[str]]]
    """Any of these files; an unknown one is 404"""
    types: NotRequired[Optional[List[str]]]
    """Any of these extensions"""
    tags: NotRequired[Optional[List[str]]]
    """Any of these tags"""
    context_id: NotRequired[Optional[str]]
    """The scope named at upload"""
    created_after: NotRequired[Optional[str]]
    """ISO-8601"""
    created_before: NotRequired[Optional[str]]
    """ISO-8601"""
    metadata: NotRequired[Optional[Dict[str, Any]]]
    """Every key must have exactly this value"""



class SearchBody(TypedDict):
    query: str
    """Plain words, in any language. "A phrase" in quotes and +word must stand in the passage, -word must not; with nothing but excluded words there is nothing to rank by, and they are taken as plain ones. No text is an error."""
    limit: NotRequired[int]
    offset: NotRequired[int]
    mode: NotRequired[Literal["hybrid", "keyword", "semantic"]]
    highlight: NotRequired[bool]
    explain: NotRequired[bool]
    """Adds each leg's rank and score"""
    min_relevance: NotRequired[float]
    """Hits of a lower `relevance` are left out. A question that no file answers still has its nearest passages, of low relevance: .01 drops what came near by chance, .3 all but 2 % of the hits of such questions, .5 keeps what is likelier right than wrong"""
    exact: NotRequired[bool]
    """Looks words up only as they are written. Otherwise one that stands in no passage is also looked up at one letter's distance (one inserted, missing, changed, or two swapped): words of 4 to 24 letters without digits, in scripts with spaces, where no more than four of the query are unknown. `corrections` says which; they count for less than words found as they are written. A `+word` and a phrase are never corrected. Words are compared by their stems either way, outside English by their first five letters (`Vertrag` finds `Vertreter`); in quotes they are compared as they are written. English function words (`the`, `from`) ask for nothing alone. With more than four words beside it a quotation is a name in a question, and no condition unless a `+` stands before it"""
    group_by: NotRequired[Literal["file"]]
    """Hits of one file follow each other, files in the order of their best passages. `limit`, `offset` and `total` then count files, and `groups` says whose the hits are"""
    group_size: NotRequired[int]
    """With `group_by`: hits of a file, at most; 3 unless given"""
    rerank: NotRequired[Optional[Union[bool, SearchBodyRerank]]]
    filters: NotRequired[Optional[SearchBodyFilters]]
    """Each one narrows, as does `filter`; lists are any-of; empty ones narrow nothing. Others are refused."""
    filter: NotRequired[Optional[Filter]]
    end_user: NotRequired[Optional[str]]
    """Your own user, for whom this is; a scoped token may fix it, and another one is then 403"""



class FindDocumentsBodyRerank(TypedDict):
    candidates: NotRequired[int]



class FindDocumentsBodyFilters(TypedDict):
    file_ids: NotRequired[Optional[List[str]]]
    """Any of these files; an unknown one is 404"""
    types: NotRequired[Optional[List[str]]]
    """Any of these extensions"""
    tags: NotRequired[Optional[List[str]]]
    """Any of these tags"""
    context_id: NotRequired[Optional[str]]
    """The scope named at upload"""
    created_after: NotRequired[Optional[str]]
    """ISO-8601"""
    created_before: NotRequired[Optional[str]]
    """ISO-8601"""
    metadata: NotRequired[Optional[Dict[str, Any]]]
    """Every key must have exactly this value"""



class FindDocumentsBody(TypedDict):
    query: NotRequired[str]
    """Plain words, in any language. "A phrase" in quotes and +word must stand in the passage, -word must not; with nothing but excluded words there is nothing to rank by, and they are taken as plain ones. No text is an error."""
    keywords: NotRequired[str]
    """Plain words, in any language. "A phrase" in quotes and +word must stand in the passage, -word must not; with nothing but excluded words there is nothing to rank by, and they are taken as plain ones. No text is an error."""
    context_id: NotRequired[Optional[str]]
    """A scope named at upload, or a conversation: then its files only"""
    limit: NotRequired[int]
    min_relevance: NotRequired[float]
    """Hits of a lower `relevance` are left out. A question that no file answers still has its nearest passages, of low relevance: .01 drops what came near by chance, .3 all but 2 % of the hits of such questions, .5 keeps what is likelier right than wrong"""
    exact: NotRequired[bool]
    """Looks words up only as they are written. Otherwise one that stands in no passage is also looked up at one letter's distance (one inserted, missing, changed, or two swapped): words of 4 to 24 letters without digits, in scripts with spaces, where no more than four of the query are unknown. `corrections` says which; they count for less than words found as they are written. A `+word` and a phrase are never corrected. Words are compared by their stems either way, outside English by their first five letters (`Vertrag` finds `Vertreter`); in quotes they are compared as they are written. English function words (`the`, `from`) ask for nothing alone. With more than four words beside it a quotation is a name in a question, and no condition unless a `+` stands before it"""
    rerank: NotRequired[Optional[Union[bool, FindDocumentsBodyRerank]]]
    filters: NotRequired[Optional[FindDocumentsBodyFilters]]
    """Each one narrows, as does `filter`; lists are any-of; empty ones narrow nothing. Others are refused."""
    filter: NotRequired[Optional[Filter]]
    end_user: NotRequired[Optional[str]]
    """Your own user, for whom this is; a scoped token may fix it, and another one is then 403"""



class CreateConversationBodyImagesItem(TypedDict):
    mime_type: str
    data: str
    """Base64"""



class CreateConversationBodyOptions(TypedDict):
    temperature: NotRequired[Optional[float]]
    top_p: NotRequired[Optional[float]]
    max_tokens: NotRequired[Optional[int]]
    seed: NotRequired[Optional[int]]
    stop: NotRequired[Optional[List[str]]]



class CreateConversationBody(TypedDict):
    message: str
    images: NotRequired[Optional[List[CreateConversationBodyImagesItem]]]
    """Pictures of the message, for models that see; each image/png, image/jpeg, image/gif, image/webp, at most 10 MB. Kept with it and shown to the model again with later messages. Under redaction 400: what they show cannot be redacted"""
    model: NotRequired[Optional[str]]
    """A `value` of the model list"""
    title: NotRequired[Optional[str]]
    system_prompt: NotRequired[Optional[str]]
    use_library: NotRequired[Optional[bool]]
    """Search the library for the answer; true by default"""
    context_id: NotRequired[Optional[str]]
    """Search only this scope, or the files given to this `conv_…`; an empty one takes the scope off again. Under redaction a private name that no file has is 400"""
    file_ids: NotRequired[Optional[List[str]]]
    """Search only these files; pictures go to models that see"""
    filter: NotRequired[Any]
    options: NotRequired[Optional[CreateConversationBodyOptions]]
    """Left to the model where absent"""
    reading: NotRequired[Optional[Literal["auto", "passages", "whole"]]]
    """How much of the named files (or of the context) the answer is made from: `passages` that a search finds, the `whole` of them, part by part where they are longer than the model's window, or what the question needs (`auto`)"""
    tools: NotRequired[Optional[List[Literal["query_table", "calculate", "read_file"]]]]
    """What the model may use by itself while it answers, where it can call tools; none where empty"""
    history: NotRequired[Optional[Literal["summarize", "truncate"]]]
    """What becomes of the oldest turns where the history is longer than the model's window"""
    thinking: NotRequired[Optional[bool]]
    """Let the model think before it answers, where it can"""
    response_format: NotRequired[Optional[Union[str, Dict[str, Any]]]]
    redaction: NotRequired[Any]
    end_user: NotRequired[Optional[str]]
    """Your own user, for whom this is; a scoped token may fix it, and another one is then 403"""
    additional_metadata: NotRequired[Optional[Dict[str, Any]]]
    """Stored and returned with the conversation, at most 16 KB; under redaction its values and keys are redacted. Its keys model, system_prompt, context_id, file_ids, redaction and title stand in for missing fields"""



class SendMessageBodyImagesItem(TypedDict):
    mime_type: str
    data: str
    """Base64"""



class SendMessageBodyOptions(TypedDict):
    temperature: NotRequired[Optional[float]]
    top_p: NotRequired[Optional[float]]
    max_tokens: NotRequired[Optional[int]]
    seed: NotRequired[Optional[int]]
    stop: NotRequired[Optional[List[str]]]



class SendMessageBody(TypedDict):
    message: str
    images: NotRequired[Optional[List[SendMessageBodyImagesItem]]]
    """Pictures of the message, for models that see; each image/png, image/jpeg, image/gif, image/webp, at most 10 MB. Kept with it and shown to the model again with later messages. Under redaction 400: what they show cannot be redacted"""
    model: NotRequired[Optional[str]]
    """A `value` of the model list"""
    title: NotRequired[Optional[str]]
    system_prompt: NotRequired[Optional[str]]
    use_library: NotRequired[Optional[bool]]
    """Search the library for the answer; true by default"""
    context_id: NotRequired[Optional[str]]
    """Search only this scope, or the files given to this `conv_…`; an empty one takes the scope off again. Under redaction a private name that no file has is 400"""
    file_ids: NotRequired[Optional[List[str]]]
    """Search only these files; pictures go to models that see"""
    filter: NotRequired[Any]
    options: NotRequired[Optional[SendMessageBodyOptions]]
    """Left to the model where absent"""
    reading: NotRequired[Optional[Literal["auto", "passages", "whole"]]]
    """How much of the named files (or of the context) the answer is made from: `passages` that a search finds, the `whole` of them, part by part where they are longer than the model's window, or what the question needs (`auto`)"""
    tools: NotRequired[Optional[List[Literal["query_table", "calculate", "read_file"]]]]
    """What the model may use by itself while it answers, where it can call tools; none where empty"""
    history: NotRequired[Optional[Literal["summarize", "truncate"]]]
    """What becomes of the oldest turns where the history is longer than the model's window"""
    thinking: NotRequired[Optional[bool]]
    """Let the model think before it answers, where it can"""
    response_format: NotRequired[Optional[Union[str, Dict[str, Any]]]]
    redaction: NotRequired[Any]
    end_user: NotRequired[Optional[str]]
    """Your own user, for whom this is; a scoped token may fix it, and another one is then 403"""
    additional_metadata: NotRequired[Optional[Dict[str, Any]]]
    """Stored and returned with the conversation, at most 16 KB; under redaction its values and keys are redacted. Its keys model, system_prompt, context_id, file_ids, redaction and title stand in for missing fields"""



class UpdateConversationBodySummary(TypedDict):
    text: str



class UpdateConversationBody(TypedDict):
    pinned: NotRequired[bool]
    """Is listed apart by `?pinned=`; its time does not change"""
    folder: NotRequired[str]
    """Name of the group to keep it in; an empty one takes it out"""
    title: NotRequired[str]
    additional_metadata: NotRequired[Dict[str, Any]]
    history: NotRequired[Literal["summarize", "truncate"]]
    """What becomes of the oldest turns where the history is longer than the model's window"""
    summary: NotRequired[Optional[UpdateConversationBodySummary]]
    """Put in place of the summary that the conversation has; the next answer is given it so. Null removes it: a new one is made of the messages when it is needed"""



class RegenerateMessageBodyImagesItem(TypedDict):
    mime_type: str
    data: str
    """Base64"""



class RegenerateMessageBodyOptions(TypedDict):
    temperature: NotRequired[Optional[float]]
    top_p: NotRequired[Optional[float]]
    max_tokens: NotRequired[Optional[int]]
    seed: NotRequired[Optional[int]]
    stop: NotRequired[Optional[List[str]]]



class RegenerateMessageBody(TypedDict):
    message: NotRequired[str]
    images: NotRequired[Optional[List[RegenerateMessageBodyImagesItem]]]
    """Pictures of the message, for models that see; each image/png, image/jpeg, image/gif, image/webp, at most 10 MB. Kept with it and shown to the model again with later messages. Under redaction 400: what they show cannot be redacted"""
    model: NotRequired[Optional[str]]
    """A `value` of the model list"""
    title: NotRequired[Optional[str]]
    system_prompt: NotRequired[Optional[str]]
    use_library: NotRequired[Optional[bool]]
    """Search the library for the answer; true by default"""
    context_id: NotRequired[Optional[str]]
    """Search only this scope, or the files given to this `conv_…`; an empty one takes the scope off again. Under redaction a private name that no file has is 400"""
    file_ids: NotRequired[Optional[List[str]]]
    """Search only these files; pictures go to models that see"""
    filter: NotRequired[Any]
    options: NotRequired[Optional[RegenerateMessageBodyOptions]]
    """Left to the model where absent"""
    reading: NotRequired[Optional[Literal["auto", "passages", "whole"]]]
    """How much of the named files (or of the context) the answer is made from: `passages` that a search finds, the `whole` of them, part by part where they are longer than the model's window, or what the question needs (`auto`)"""
    tools: NotRequired[Optional[List[Literal["query_table", "calculate", "read_file"]]]]
    """What the model may use by itself while it answers, where it can call tools; none where empty"""
    history: NotRequired[Optional[Literal["summarize", "truncate"]]]
    """What becomes of the oldest turns where the history is longer than the model's window"""
    thinking: NotRequired[Optional[bool]]
    """Let the model think before it answers, where it can"""
    response_format: NotRequired[Optional[Union[str, Dict[str, Any]]]]
    redaction: NotRequired[Any]
    end_user: NotRequired[Optional[str]]
    """Your own user, for whom this is; a scoped token may fix it, and another one is then 403"""
    additional_metadata: NotRequired[Optional[Dict[str, Any]]]
    """Stored and returned with the conversation, at most 16 KB; under redaction its values and keys are redacted. Its keys model, system_prompt, context_id, file_ids, redaction and title stand in for missing fields"""



class RateAnswerBody(TypedDict):
    rating: Optional[Literal["up", "down"]]
    note: NotRequired[str]



class StartConversationBodyImagesItem(TypedDict):
    mime_type: str
    data: str
    """Base64"""



class StartConversationBodyOptions(TypedDict):
    temperature: NotRequired[Optional[float]]
    top_p: NotRequired[Optional[float]]
    max_tokens: NotRequired[Optional[int]]
    seed: NotRequired[Optional[int]]
    stop: NotRequired[Optional[List[str]]]



class StartConversationBody(TypedDict):
    message: NotRequired[Optional[str]]
    initial_message: NotRequired[Optional[str]]
    """Another name of message"""
    images: NotRequired[Optional[List[StartConversationBodyImagesItem]]]
    """Pictures of the message, for models that see; each image/png, image/jpeg, image/gif, image/webp, at most 10 MB. Kept with it and shown to the model again with later messages. Under redaction 400: what they show cannot be redacted"""
    model: NotRequired[Optional[str]]
    """A `value` of the model list"""
    title: NotRequired[Optional[str]]
    system_prompt: NotRequired[Optional[str]]
    use_library: NotRequired[Optional[bool]]
    """Search the library for the answer; true by default"""
    context_id: NotRequired[Optional[str]]
    """Search only this scope, or the files given to this `conv_…`; an empty one takes the scope off again. Under redaction a private name that no file has is 400"""
    file_ids: NotRequired[Optional[List[str]]]
    """Search only these files; pictures go to models that see"""
    filter: NotRequired[Any]
    options: NotRequired[Optional[StartConversationBodyOptions]]
    """Left to the model where absent"""
    reading: NotRequired[Optional[Literal["auto", "passages", "whole"]]]
    """How much of the named files (or of the context) the answer is made from: `passages` that a search finds, the `whole` of them, part by part where they are longer than the model's window, or what the question needs (`auto`)"""
    tools: NotRequired[Optional[List[Literal["query_table", "calculate", "read_file"]]]]
    """What the model may use by itself while it answers, where it can call tools; none where empty"""
    history: NotRequired[Optional[Literal["summarize", "truncate"]]]
    """What becomes of the oldest turns where the history is longer than the model's window"""
    thinking: NotRequired[Optional[bool]]
    """Let the model think before it answers, where it can"""
    response_format: NotRequired[Optional[Union[str, Dict[str, Any]]]]
    redaction: NotRequired[Any]
    end_user: NotRequired[Optional[str]]
    """Your own user, for whom this is; a scoped token may fix it, and another one is then 403"""
    additional_metadata: NotRequired[Optional[Dict[str, Any]]]
    """Stored and returned with the conversation, at most 16 KB; under redaction its values and keys are redacted. Its keys model, system_prompt, context_id, file_ids, redaction and title stand in for missing fields"""



class SendBodyImagesItem(TypedDict):
    mime_type: str
    data: str
    """Base64"""



class SendBodyOptions(TypedDict):
    temperature: NotRequired[Optional[float]]
    top_p: NotRequired[Optional[float]]
    max_tokens: NotRequired[Optional[int]]
    seed: NotRequired[Optional[int]]
    stop: NotRequired[Optional[List[str]]]



class SendBody(TypedDict):
    conversation_id: str
    message: str
    images: NotRequired[Optional[List[SendBodyImagesItem]]]
    """Pictures of the message, for models that see; each image/png, image/jpeg, image/gif, image/webp, at most 10 MB. Kept with it and shown to the model again with later messages. Under redaction 400: what they show cannot be redacted"""
    model: NotRequired[Optional[str]]
    """A `value` of the model list"""
    title: NotRequired[Optional[str]]
    system_prompt: NotRequired[Optional[str]]
    use_library: NotRequired[Optional[bool]]
    """Search the library for the answer; true by default"""
    context_id: NotRequired[Optional[str]]
    """Search only this scope, or the files given to this `conv_…`; an empty one takes the scope off again. Under redaction a private name that no file has is 400"""
    file_ids: NotRequired[Optional[List[str]]]
    """Search only these files; pictures go to models that see"""
    filter: NotRequired[Any]
    options: NotRequired[Optional[SendBodyOptions]]
    """Left to the model where absent"""
    reading: NotRequired[Optional[Literal["auto", "passages", "whole"]]]
    """How much of the named files (or of the context) the answer is made from: `passages` that a search finds, the `whole` of them, part by part where they are longer than the model's window, or what the question needs (`auto`)"""
    tools: NotRequired[Optional[List[Literal["query_table", "calculate", "read_file"]]]]
    """What the model may use by itself while it answers, where it can call tools; none where empty"""
    history: NotRequired[Optional[Literal["summarize", "truncate"]]]
    """What becomes of the oldest turns where the history is longer than the model's window"""
    thinking: NotRequired[Optional[bool]]
    """Let the model think before it answers, where it can"""
    response_format: NotRequired[Optional[Union[str, Dict[str, Any]]]]
    redaction: NotRequired[Any]
    end_user: NotRequired[Optional[str]]
    """Your own user, for whom this is; a scoped token may fix it, and another one is then 403"""
    additional_metadata: NotRequired[Optional[Dict[str, Any]]]
    """Stored and returned with the conversation, at most 16 KB; under redaction its values and keys are redacted. Its keys model, system_prompt, context_id, file_ids, redaction and title stand in for missing fields"""



class ContinueConversationBodyImagesItem(TypedDict):
    mime_type: str
    data: str
    """Base64"""



class ContinueConversationBodyOptions(TypedDict):
    temperature: NotRequired[Optional[float]]
    top_p: NotRequired[Optional[float]]
    max_tokens: NotRequired[Optional[int]]
    seed: NotRequired[Optional[int]]
    stop: NotRequired[Optional[List[str]]]



class ContinueConversationBody(TypedDict):
    conversation_id: str
    message: NotRequired[Optional[str]]
    images: NotRequired[Optional[List[ContinueConversationBodyImagesItem]]]
    """Pictures of the message, for models that see; each image/png, image/jpeg, image/gif, image/webp, at most 10 MB. Kept with it and shown to the model again with later messages. Under redaction 400: what they show cannot be redacted"""
    model: str
    title: NotRequired[Optional[str]]
    system_prompt: NotRequired[Optional[str]]
    use_library: NotRequired[Optional[bool]]
    """Search the library for the answer; true by default"""
    context_id: NotRequired[Optional[str]]
    """Search only this scope, or the files given to this `conv_…`; an empty one takes the scope off again. Under redaction a private name that no file has is 400"""
    file_ids: NotRequired[Optional[List[str]]]
    """Search only these files; pictures go to models that see"""
    filter: NotRequired[Any]
    options: NotRequired[Optional[ContinueConversationBodyOptions]]
    """Left to the model where absent"""
    reading: NotRequired[Optional[Literal["auto", "passages", "whole"]]]
    """How much of the named files (or of the context) the answer is made from: `passages` that a search finds, the `whole` of them, part by part where they are longer than the model's window, or what the question needs (`auto`)"""
    tools: NotRequired[Optional[List[Literal["query_table", "calculate", "read_file"]]]]
    """What the model may use by itself while it answers, where it can call tools; none where empty"""
    history: NotRequired[Optional[Literal["summarize", "truncate"]]]
    """What becomes of the oldest turns where the history is longer than the model's window"""
    thinking: NotRequired[Optional[bool]]
    """Let the model think before it answers, where it can"""
    response_format: NotRequired[Optional[Union[str, Dict[str, Any]]]]
    redaction: NotRequired[Any]
    end_user: NotRequired[Optional[str]]
    """Your own user, for whom this is; a scoped token may fix it, and another one is then 403"""
    additional_metadata: NotRequired[Optional[Dict[str, Any]]]
    """Stored and returned with the conversation, at most 16 KB; under redaction its values and keys are redacted. Its keys model, system_prompt, context_id, file_ids, redaction and title stand in for missing fields"""



class ReplayAnswerBody(TypedDict):
    model: NotRequired[Optional[str]]
    """A `value` of the model list"""



class ShareConversationBody(TypedDict):
    users: Union[List[str], Literal["workspace"]]
    """Ids of console users of the workspace, or all of them; nobody where empty"""



class ShareRunBody(TypedDict):
    users: Union[List[str], Literal["workspace"]]
    """Ids of console users of the workspace, or all of them; nobody where empty"""



class RunAgentBody(TypedDict):
    task: str
    model: NotRequired[Optional[str]]
    """`value` of a model; the default one unless told"""
    tools: NotRequired[Optional[List[str]]]
    """Names of the tools that may be used; all built-in ones by default. Tools of external servers, `server.tool` or `server.*`, only join when named"""
    file_ids: NotRequired[Optional[List[str]]]
    """Only these files; an empty list does not narrow"""
    context_id: NotRequired[Optional[str]]
    """Only the files of this scope, or of the conversation `conv_…`"""
    filter: NotRequired[Optional[Filter]]
    timeout_seconds: NotRequired[Optional[int]]
    """Counts from acceptance"""
    approval_timeout_seconds: NotRequired[Optional[int]]
    """How long a call waits for its approval; it is not counted in timeout_seconds"""
    max_steps: NotRequired[Optional[int]]
    """Model turns; the last one is asked for an answer"""
    output_schema: NotRequired[Optional[Dict[str, Any]]]
    """JSON Schema that the answer must meet. Under redaction its texts are redacted, and the answer is held to it as the model saw it; names of properties that are private are 400"""
    redaction: NotRequired[Optional[Union[bool, Dict[str, Any]]]]
    end_user: NotRequired[Optional[str]]
    """Your own user, for whom this is; a scoped token may fix it, and another one is then 403"""
    additional_metadata: NotRequired[Optional[Dict[str, Any]]]



class DecideApprovalBody(TypedDict):
    decision: Literal["approve", "deny"]
    reason: NotRequired[Optional[str]]
    """Kept with the approval; the model is told why it is denied"""



class RedactBody(TypedDict):
    text: str
    redaction: NotRequired[Any]
    """`true`: everything; `false`: nothing; or an object: `enabled`, `categories` (personal, financial, credentials), `kinds` (overrides categories), `exclude` (whole values that are left alone, any case), `custom_patterns` (at most 50 of `{name, pattern, flags}` in RE2 syntax, 1 000 characters each, matches of at most 4 096 characters)"""



class StartBatchBody(TypedDict):
    requests: NotRequired[List[BatchRequest]]
    """Needed in JSON"""
    completion_window: NotRequired[Optional[str]]
    """Time that it has, from `1m` to `7d`: `24h` by default"""
    metadata: NotRequired[Optional[Dict[str, Any]]]
    """At most 16 texts"""



class CreateScheduleBodyRequest(TypedDict):
    url: str
    """/v1/chat/completions, /v1/embeddings, /v1/responses, /external/conversations, /external/agents/run, /external/search, /external/redact"""
    body: Dict[str, Any]



class CreateScheduleBody(TypedDict):
    name: str
    cron: NotRequired[Optional[str]]
    """Five fields: minute, hour, day of the month, month, day of the week"""
    every: NotRequired[Optional[str]]
    """In the place of `cron`: `90s`, `15m`, `6h`, `1d`"""
    timezone: NotRequired[Optional[str]]
    """Of `cron`, by its name in the IANA database: UTC by default"""
    paused: NotRequired[Optional[bool]]
    request: CreateScheduleBodyRequest



class UpdateScheduleBodyRequest(TypedDict):
    url: str
    """/v1/chat/completions, /v1/embeddings, /v1/responses, /external/conversations, /external/agents/run, /external/search, /external/redact"""
    body: Dict[str, Any]



class UpdateScheduleBody(TypedDict):
    name: NotRequired[Optional[str]]
    cron: NotRequired[Optional[str]]
    """Five fields: minute, hour, day of the month, month, day of the week"""
    every: NotRequired[Optional[str]]
    """In the place of `cron`: `90s`, `15m`, `6h`, `1d`"""
    timezone: NotRequired[Optional[str]]
    """Of `cron`, by its name in the IANA database: UTC by default"""
    paused: NotRequired[Optional[bool]]
    request: NotRequired[Optional[UpdateScheduleBodyRequest]]



class EraseEndUserAnswer(TypedDict):
    receipt_id: str



class CreateKeyBodyQuota(TypedDict):
    requests_per_day: NotRequired[int]
    tokens_per_day: NotRequired[int]
    bytes_stored: NotRequired[int]



class CreateKeyBody(TypedDict):
    name: str
    scopes: NotRequired[List[str]]
    """models:read, files:read, files:write, search, chat, agents, sources, webhooks, batches, usage, audit, retention, tokens"""
    expires_at: NotRequired[Optional[str]]
    rate_limit_per_minute: NotRequired[Optional[int]]
    context_ids: NotRequired[Optional[List[str]]]
    """Only files of these contexts exist for the key; uploads go there. Null: all"""
    models: NotRequired[Optional[List[str]]]
    """Values and globs, such as `ollama/*`; null: all"""
    filter: NotRequired[Optional[Filter]]
    """Only files that pass it exist for the key; null: all"""
    quota: NotRequired[Optional[CreateKeyBodyQuota]]
    """Requests and tokens of a day in UTC, and bytes that it holds; beyond it `quota_exceeded`"""



class UpdateKeyBodyQuota(TypedDict):
    requests_per_day: NotRequired[int]
    tokens_per_day: NotRequired[int]
    bytes_stored: NotRequired[int]



class UpdateKeyBody(TypedDict):
    name: NotRequired[str]
    scopes: NotRequired[List[str]]
    """models:read, files:read, files:write, search, chat, agents, sources, webhooks, batches, usage, audit, retention, tokens"""
    expires_at: NotRequired[Optional[str]]
    rate_limit_per_minute: NotRequired[Optional[int]]
    context_ids: NotRequired[Optional[List[str]]]
    """Only files of these contexts exist for the key; uploads go there. Null: all"""
    models: NotRequired[Optional[List[str]]]
    """Values and globs, such as `ollama/*`; null: all"""
    filter: NotRequired[Optional[Filter]]
    """Only files that pass it exist for the key; null: all"""
    quota: NotRequired[Optional[UpdateKeyBodyQuota]]
    """Requests and tokens of a day in UTC, and bytes that it holds; beyond it `quota_exceeded`"""
    owner_id: NotRequired[Optional[str]]
    """A user of the workspace; null: nobody's. For administrators"""



class RotateKeyBody(TypedDict):
    grace_seconds: NotRequired[int]



class CreateTokenBody(TypedDict):
    expires_in: NotRequired[Optional[int]]
    """Seconds"""
    end_user: NotRequired[Optional[str]]
    """It sees and makes this one's conversations and runs only"""
    principals: NotRequired[Optional[List[str]]]
    context_ids: NotRequired[Optional[List[str]]]
    """Only files of these contexts"""
    filter: NotRequired[Optional[Filter]]
    scopes: NotRequired[Optional[List[str]]]
    """Those of the key unless told, but `tokens`"""



class CreateConversationStreamTokenBody(TypedDict):
    expires_in: NotRequired[Optional[int]]
    """Seconds"""



class CreateRunStreamTokenBody(TypedDict):
    expires_in: NotRequired[Optional[int]]
    """Seconds"""



class CreateFileStreamTokenBody(TypedDict):
    expires_in: NotRequired[Optional[int]]
    """Seconds"""



class CreateEventStreamTokenBody(TypedDict):
    expires_in: NotRequired[Optional[int]]
    """Seconds"""


ListEventsEvent = Union["Union[FileSearchableStreamed, FileFailedStreamed, FileDeletedStreamed, BatchCompletedStreamed, BatchFailedStreamed, JobCompletedStreamed, RunCompletedStreamed, RunFailedStreamed, RunTimedOutStreamed, RunCancelledStreamed, RunWaitingForApprovalStreamed, ScheduleFailedStreamed, SourceSyncedStreamed, SourceFailedStreamed, SourceGuardedStreamed, KeyExpiringStreamed, RetentionAppliedStreamed, StorageLowStreamed, WebhookDisabledStreamed, StreamError, StreamEnd]", "Union[FileSearchableStreamed, FileFailedStreamed, FileDeletedStreamed, BatchCompletedStreamed, BatchFailedStreamed, JobCompletedStreamed, RunCompletedStreamed, RunFailedStreamed, RunTimedOutStreamed, RunCancelledStreamed, RunWaitingForApprovalStreamed, ScheduleFailedStreamed, SourceSyncedStreamed, SourceFailedStreamed, SourceGuardedStreamed, KeyExpiringStreamed, RetentionAppliedStreamed, StorageLowStreamed, WebhookDisabledStreamed, StreamError, StreamEnd]"]



class CreateWebhookBody(TypedDict):
    url: str
    """http or https, to an address that --webhook-allow admits"""
    types: NotRequired[Optional[List[Literal["file.searchable", "file.failed", "file.deleted", "batch.completed", "batch.failed", "job.completed", "run.completed", "run.failed", "run.timed_out", "run.cancelled", "run.waiting_for_approval", "schedule.failed", "source.synced", "source.failed", "source.guarded", "key.expiring", "retention.applied", "storage.low", "webhook.disabled"]]]]
    description: NotRequired[Optional[str]]
    secret: NotRequired[Optional[str]]
    """`whsec_` and 24 to 64 bytes in base64; one is made where absent"""



class ChangeWebhookBody(TypedDict):
    url: NotRequired[Optional[str]]
    """http or https, to an address that --webhook-allow admits"""
    types: NotRequired[Optional[List[Literal["file.searchable", "file.failed", "file.deleted", "batch.completed", "batch.failed", "job.completed", "run.completed", "run.failed", "run.timed_out", "run.cancelled", "run.waiting_for_approval", "schedule.failed", "source.synced", "source.failed", "source.guarded", "key.expiring", "retention.applied", "storage.low", "webhook.disabled"]]]]
    description: NotRequired[Optional[str]]
    status: NotRequired[Optional[Literal["active", "disabled"]]]



class RotateWebhookBody(TypedDict):
    grace_seconds: NotRequired[Optional[int]]
    """The former secret signs too for so long"""



class RedeliverBody(TypedDict):
    event_id: NotRequired[Optional[str]]
    since: NotRequired[Optional[str]]
    """A time: all events from then on that it hears of"""



class CreateHoldBody(TypedDict):
    name: str
    filter: NotRequired[Optional[Filter]]
    end_user: NotRequired[Optional[str]]
    context_id: NotRequired[Optional[str]]



class SetRetentionBodyRulesItem(TypedDict):
    kind: Literal["conversations", "runs", "files", "events", "audit"]
    after_days: int
    context_id: NotRequired[Optional[str]]
    """Of files, conversations and runs: only those of this context"""
    filter: NotRequired[Optional[Filter]]



class SetRetentionBody(TypedDict):
    rules: List[SetRetentionBodyRulesItem]



class PreviewRetentionBodyRulesItem(TypedDict):
    kind: Literal["conversations", "runs", "files", "events", "audit"]
    after_days: int
    context_id: NotRequired[Optional[str]]
    """Of files, conversations and runs: only those of this context"""
    filter: NotRequired[Optional[Filter]]



class PreviewRetentionBody(TypedDict):
    rules: NotRequired[Optional[List[PreviewRetentionBodyRulesItem]]]
