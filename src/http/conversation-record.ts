/** The records of conversations and messages, and the events of a reply's stream. */
import { t } from "elysia"
import { PHASES, WARNING_CODES } from "../chat/events.ts"
import { CHAT_TOOLS, HISTORIES, READINGS } from "../chat/settings.ts"
import { MAX_VARIANTS } from "../chat/variants.ts"
import { event, FAILURE } from "./events.ts"
import { FilterSchema } from "./filter-request.ts"
import {
  AnswerWarning,
  integer,
  JsonObject,
  LINK,
  Link,
  nullable,
  OwnerSchema,
  oneOf,
  Position,
  StoredError,
  sharingFields,
  Time,
} from "./schemas.ts"

const citationFields = {
  index: integer({ description: "The [n] in the content" }),
  file_id: t.String(),
  chunk_id: t.String(),
  name: t.String(),
  position: Position,
  url: Link,
}
const CITATION = {
  index: 1,
  file_id: "file_01m7y48vkz3s85f1acdta2",
  chunk_id: "chunk_00000000a7",
  name: "lease.pdf",
  position: { page: 4, sheet: null, slide: null, member: null, section: "3.2 Term", start: 1234, end: 1291 },
  url: LINK,
}
export const Citation = t.Object(citationFields, { title: "Citation", examples: [CITATION] })

export const FINISH_REASONS = ["stop", "length", "cancelled", "error"] as const

const USER_MESSAGE = {
  id: "msg_01m7y48vkz3s85f1acdta2",
  role: "user",
  content: "What is the notice period of the lease?",
  citations: [],
  images: [],
  finish_reason: null,
  model: null,
  ner_count: 0,
  error: null,
  warnings: [],
  tool_calls: 0,
  feedback: null,
  variants: [],
  created_at: "2026-11-21T10:00:00.000Z",
}
const REPLY = {
  ...USER_MESSAGE,
  id: "msg_01m7y48w0a8t51q9hn4k3e",
  role: "assistant",
  content: "90 days [1].",
  citations: [CITATION],
  finish_reason: "stop",
  model: "ollama/llama3.2:3b",
}

const Feedback = nullable(
  t.Object({ rating: oneOf(["up", "down"]), note: t.String({ description: "Empty for none" }) }),
  { description: "What its reader thought of an answer" },
)

const VariantSchema = t.Object({
  id: t.String({ description: "What the answer was called when it was written" }),
  content: t.String(),
  citations: t.Array(Citation),
  finish_reason: nullable(oneOf(FINISH_REASONS)),
  model: nullable(t.String()),
  ner_count: integer(),
  warnings: t.Array(AnswerWarning),
  feedback: Feedback,
  created_at: Time,
})

const MessageSchema = t.Object(
  {
    id: t.String(),
    role: oneOf(["user", "assistant"]),
    content: t.String(),
    citations: t.Array(Citation),
    images: t.Array(
      t.Object({
        mime_type: t.String(),
        size: integer({ description: "Bytes" }),
        url: t.String({ description: "Path of GET …/images/{place}, for the same credentials" }),
      }),
      { description: "Pictures that came with it" },
    ),
    finish_reason: nullable(
      oneOf(FINISH_REASONS, { description: "Null for a user's message and while a reply is being written" }),
    ),
    model: nullable(t.String()),
    ner_count: integer({ description: "Values that were redacted" }),
    error: nullable(StoredError),
    warnings: t.Array(AnswerWarning, {
      description:
        "What the stream of the reply warned of: `context_truncated`, `keyword_only_search`, `library_unavailable` where the library could not be searched, `invalid_citation`, `foreign_link` where it leads to addresses that stand in nothing the model was given, or `redaction_partial` where the text held writing whose names are not known to redaction",
    }),
    tool_calls: integer({ description: "Calls of tools that were carried out for the reply; its record tells them" }),
    feedback: Feedback,
    variants: t.Array(VariantSchema, {
      description: `Answers that it took the place of when it was written anew, oldest first, ${MAX_VARIANTS} at most`,
    }),
    created_at: Time,
  },
  { title: "Message", examples: [REPLY] },
)

const summaryFields = {
  conversation_id: t.String({ examples: ["conv_01m7y48vkz3s85f1acdta2"] }),
  title: t.String({ examples: ["Lease of the boathouse"] }),
  model: t.String({ examples: ["ollama/llama3.2:3b"] }),
  ner_count: integer(),
  message_count: integer({ examples: [2] }),
  additional_metadata: JsonObject,
  pinned: t.Boolean(),
  folder: nullable(t.String(), { description: "Name of the group that it is kept in", examples: [null] }),
  owner: OwnerSchema,
  end_user: nullable(t.String(), { examples: [null] }),
  ...sharingFields,
  created_at: Time,
  updated_at: Time,
}
const Messages = t.Array(MessageSchema, { examples: [[USER_MESSAGE, REPLY]] })

export const ConversationSummarySchema = t.Object(summaryFields, { title: "ConversationSummary" })
const ConversationSettings = t.Object(
  {
    system_prompt: nullable(t.String(), {
      description: "Null also for who only reads the conversation, and for the token of an end user",
      examples: [null],
    }),
    options: t.Partial(
      t.Object({
        temperature: t.Number(),
        top_p: t.Number(),
        max_tokens: integer(),
        seed: integer(),
        stop: t.Array(t.String()),
      }),
      { examples: [{ temperature: 0.2 }] },
    ),
    use_library: t.Boolean({ examples: [true] }),
    context_id: nullable(t.String(), { examples: [null] }),
    file_ids: t.Array(t.String(), { examples: [[]] }),
    filter: nullable(FilterSchema, { examples: [null] }),
    thinking: t.Boolean(),
    reading: oneOf(READINGS),
    tools: t.Array(oneOf(CHAT_TOOLS), { examples: [[...CHAT_TOOLS]] }),
    history: oneOf(HISTORIES),
    redaction: t.Boolean({ description: "True also where the daemon or the workspace insists on it" }),
  },
  { title: "ConversationSettings", description: "What the next message is asked with where its request does not say" },
)
export const ConversationSchema = t.Object(
  {
    ...summaryFields,
    settings: ConversationSettings,
    summary: nullable(t.Object({ text: t.String(), up_to_message_id: t.String() }), {
      description: "What models are given for the messages up to this one, which were too many for a window",
      examples: [null],
    }),
    messages: Messages,
  },
  { title: "Conversation" },
)

export const TurnAnswerSchema = t.Object(
  {
    conversation_id: summaryFields.conversation_id,
    model: summaryFields.model,
    messages: Messages,
    ner_count: integer(),
    timestamp: Time,
  },
  { title: "TurnAnswer" },
)

const Text = t.Object({ text: t.String() })
export const Source = t.Object(
  {
    ...citationFields,
    score: t.Number({ minimum: 0, maximum: 1 }),
    text: t.String(),
    whole: t.Optional(t.Boolean({ description: "Of a file that was given whole" })),
  },
  { title: "Source" },
)

/** One event of a reply's stream. */
export const ConversationEvent = t.Union(
  [
    event(
      "conversation_created",
      t.Object({
        conversation_id: summaryFields.conversation_id,
        model: summaryFields.model,
        created_at: Time,
        additional_metadata: JsonObject,
      }),
    ),
    event(
      "message_started",
      t.Object({
        message_id: t.String(),
        conversation_id: t.String(),
        model: t.String(),
        user_message_id: t.String(),
      }),
    ),
    event(
      "status",
      t.Object({
        phase: oneOf(PHASES),
        detail: t.Optional(
          t.Union([t.String(), t.Object({ done: integer(), total: integer() })], {
            description: "In words, or how many parts of a whole are done",
          }),
        ),
      }),
    ),
    event("warning", t.Object({ ...AnswerWarning.properties, code: oneOf(WARNING_CODES) })),
    event("redaction", t.Object({ ner_count: integer(), kinds: t.Record(t.String(), integer()) })),
    event("sources", t.Object({ sources: t.Array(Source) })),
    event("tool_call", t.Object({ tool_call_id: t.String(), name: t.String(), arguments: JsonObject })),
    event("tool_result", t.Object({ tool_call_id: t.String(), result: t.String(), is_error: t.Boolean() })),
    event("thinking_delta", Text),
    event("message_delta", Text),
    event(
      "message_completed",
      t.Object({
        message_id: t.String(),
        content: t.String({ description: "The joined deltas" }),
        citations: t.Array(Citation),
        finish_reason: oneOf(FINISH_REASONS),
        usage: t.Object({ prompt_tokens: integer(), completion_tokens: integer() }),
        ner_count: integer(),
        timings: t.Object({ search_ms: t.Number(), first_token_ms: t.Number(), total_ms: t.Number() }),
      }),
    ),
    ...FAILURE,
  ],
  { title: "ConversationEvent" },
)

/** The stream of a reply, for the reference. */
export const STREAM = `One event each, \`id\` counting from 1, \`data\` one line of JSON:
\`conversation_created\` {conversation_id, model, created_at, additional_metadata} (only where the call makes the conversation) ·
\`message_started\` {message_id, conversation_id, model, user_message_id} ·
\`status\` {phase: ${PHASES.join(" | ")}, detail?: text | {done, total}} ·
\`warning\` {code: ${WARNING_CODES.join(" | ")}, message, addresses?, more?} ·
\`redaction\` {ner_count, kinds} · \`sources\` {sources: [{index, file_id, name, chunk_id, score, text, position, url}]} ·
\`tool_call\` {tool_call_id, name, arguments} · \`tool_result\` {tool_call_id, result, is_error} (of tools that the model used by itself;
after results that can be cited \`sources\` comes again, with all of them) ·
\`thinking_delta\` {text} · \`message_delta\` {text} ·
\`message_completed\` {message_id, content, citations, finish_reason, usage, ner_count, timings} ·
\`error\` {error, message_id} · \`done\` {}, always last. A comment line at least every 15 s of silence.
A client that goes away does not lose the reply: it is finished and stored, and
\`GET /external/conversations/{conversation_id}/events\` with \`Last-Event-ID\` goes on where the client left.`
