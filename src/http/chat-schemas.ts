/** Schemas of conversations: what a chat request may hold, and the records that come back. */
import { type Static, t } from "elysia"
import type { TurnRequest } from "../chat/settings.ts"
import { integer, JsonObject, nullable, Time } from "./schemas.ts"

const MAX_MESSAGE = 100_000

export const MessageText = t.String({ minLength: 1, maxLength: MAX_MESSAGE })

const optional = <T extends Parameters<typeof nullable>[0]>(schema: T) => t.Optional(nullable(schema))

const Options = t.Object(
  {
    temperature: optional(t.Number({ minimum: 0, maximum: 2 })),
    top_p: optional(t.Number({ minimum: 0, maximum: 1 })),
    max_tokens: optional(integer({ minimum: 1, maximum: 1_000_000 })),
    seed: optional(integer()),
    stop: optional(t.Array(t.String(), { maxItems: 16 })),
  },
  { description: "Left to the model where absent" },
)

/** Every field but the message; each is optional, and null is the same as absent. */
export const turnFields = {
  model: optional(
    t.String({
      minLength: 1,
      maxLength: 256,
      description: "A `value` of the model list",
      examples: ["ollama/llama3.2:3b"],
    }),
  ),
  title: optional(t.String({ maxLength: 500 })),
  system_prompt: optional(t.String({ maxLength: MAX_MESSAGE })),
  use_library: optional(t.Boolean({ description: "Search the library for the answer; true by default" })),
  context_id: optional(
    t.String({
      maxLength: 128,
      description:
        "Search only this scope, or the files given to this `conv_…`; an empty one takes the scope off again. Under redaction a private name that no file has is 400",
    }),
  ),
  file_ids: optional(
    t.Array(t.String({ maxLength: 64 }), { description: "Search only these files; pictures go to models that see" }),
  ),
  options: optional(Options),
  thinking: optional(t.Boolean({ description: "Let the model think before it answers, where it can" })),
  response_format: optional(
    t.Union([t.String(), JsonObject], {
      description:
        '`"json"` or a JSON Schema. Under redaction its texts are redacted like the prompt; names of properties that are private are 400',
    }),
  ),
  redaction: optional(t.Any({ description: "true, false or a redaction object (see POST /external/redact)" })),
  additional_metadata: optional(
    t.Record(t.String(), t.Any(), {
      description:
        "Stored and returned with the conversation, at most 16 KB; under redaction its values and keys are redacted. Its keys model, system_prompt, context_id, file_ids, redaction and title stand in for missing fields",
    }),
  ),
}

const TurnFields = t.Object(turnFields)

/** Null is the same as absent. */
export function turnRequestOf(body: Static<typeof TurnFields> & { message?: string | null }): TurnRequest {
  const { options, ...given } = body
  const request = withoutNulls(given)
  return options ? { ...request, options: withoutNulls(options) } : request
}

function withoutNulls(object: Record<string, unknown>): Record<string, never> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null)) as Record<string, never>
}

const PositionSchema = t.Object({
  page: nullable(integer()),
  sheet: nullable(t.String()),
  slide: nullable(integer()),
  member: nullable(t.String({ description: "Path inside a zip" })),
  section: nullable(t.String()),
  start: integer({ description: "Offset into the file's extracted text" }),
  end: integer(),
})

const CitationSchema = t.Object({
  index: integer({ description: "The [n] in the content" }),
  file_id: t.String(),
  chunk_id: t.String(),
  name: t.String(),
  position: PositionSchema,
})

/** The error of a failed reply or run, as it was when it failed. */
export const StoredError = t.Object({
  code: t.String({ examples: ["model_error"] }),
  message: t.String(),
  details: t.Optional(t.Array(JsonObject)),
  hint: t.Optional(t.String({ description: "What the model server said, for one" })),
})

export const WarningSchema = t.Object({ code: t.String(), message: t.String() })

export const MessageSchema = t.Object(
  {
    id: t.String({ examples: ["msg_01m7y48vkz3s85f1acdta2"] }),
    role: t.Union([t.Literal("user"), t.Literal("assistant")]),
    content: t.String(),
    citations: t.Array(CitationSchema),
    finish_reason: nullable(
      t.Union([t.Literal("stop"), t.Literal("length"), t.Literal("cancelled"), t.Literal("error")], {
        description: "Null for a user's message and while a reply is being written",
      }),
    ),
    model: nullable(t.String()),
    ner_count: integer({ description: "Values that were redacted" }),
    error: nullable(StoredError),
    warnings: t.Array(WarningSchema, {
      description:
        "What the stream of the reply warned of: `context_truncated`, `keyword_only_search`, `invalid_citation`, or `redaction_partial` where the text held writing whose names are not known to redaction",
    }),
    created_at: Time,
  },
  { title: "Message" },
)

const summaryFields = {
  conversation_id: t.String({ examples: ["conv_01m7y48vkz3s85f1acdta2"] }),
  title: t.String(),
  model: t.String(),
  ner_count: integer(),
  message_count: integer(),
  additional_metadata: JsonObject,
  created_at: Time,
  updated_at: Time,
}

export const ConversationSummarySchema = t.Object(summaryFields, { title: "ConversationSummary" })
const ConversationSettingsSchema = t.Object(
  {
    use_library: t.Boolean(),
    context_id: nullable(t.String()),
    file_ids: t.Array(t.String()),
    thinking: t.Boolean(),
    redaction: t.Boolean({ description: "True also where the daemon or the workspace insists on it" }),
  },
  { title: "ConversationSettings", description: "What the next message is asked with where its request does not say" },
)
export const ConversationSchema = t.Object(
  { ...summaryFields, settings: ConversationSettingsSchema, messages: t.Array(MessageSchema) },
  { title: "Conversation" },
)

export const TurnAnswerSchema = t.Object(
  {
    conversation_id: t.String(),
    model: t.String(),
    messages: t.Array(MessageSchema),
    ner_count: integer(),
    timestamp: Time,
  },
  { title: "TurnAnswer" },
)

/** The stream of a reply, for the reference. */
export const STREAM = `One event each, \`id\` counting from 1, \`data\` one line of JSON:
\`conversation_created\` {conversation_id, model, created_at, additional_metadata} (only where the call makes the conversation) ·
\`message_started\` {message_id, conversation_id, model, user_message_id} ·
\`status\` {phase: retrieving | loading_model | thinking | generating, detail?} ·
\`warning\` {code: context_truncated | keyword_only_search | invalid_citation | redaction_partial, message} ·
\`redaction\` {ner_count, kinds} · \`sources\` {sources: [{index, file_id, name, chunk_id, score, text, position}]} ·
\`thinking_delta\` {text} · \`message_delta\` {text} ·
\`message_completed\` {message_id, content, citations, finish_reason, usage, ner_count, timings} ·
\`error\` {error, message_id} · \`done\` {}, always last. A comment line at least every 15 s of silence.
A client that goes away does not lose the reply: it is finished and stored, and
\`GET /external/conversations/{conversation_id}/events\` with \`Last-Event-ID\` goes on where the client left.`
