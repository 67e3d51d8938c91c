/** The record of how an answer was made, and the answer to its prompt asked again. */
import { t } from "elysia"
import { CHAT_TOOLS, HISTORIES, READINGS } from "../chat/settings.ts"
import { Citation, FINISH_REASONS, Source } from "./conversation-record.ts"
import { FilterSchema } from "./filter-request.ts"
import { AnswerWarning, integer, JsonObject, Link, nullable, oneOf, Position, StoredError, Time } from "./schemas.ts"

const Sha256 = t.String({ examples: ["b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c"] })
const FILE = "file_01m7y48vkz3s85f1acdta2"
const CHUNK = "chunk_00000000a7"

const passageFields = {
  index: integer({ description: "The [n] in the content", examples: [1] }),
  file_id: t.String({ examples: [FILE] }),
  chunk_id: t.String({ examples: [CHUNK] }),
  score: t.Number({ minimum: 0, maximum: 1, examples: [0.91] }),
  whole: t.Optional(t.Boolean({ description: "Of a file that was given whole" })),
}
const Passage = t.Object(
  {
    ...passageFields,
    name: nullable(t.String(), { examples: ["lease.pdf"] }),
    position: nullable(Position),
    text: nullable(t.String(), { examples: ["Either party may end the lease with 90 days notice."] }),
    sha256: Sha256,
    file_sha256: nullable(Sha256, { description: "Of the file's bytes when the answer was made" }),
    url: t.Optional(Link),
  },
  {
    title: "RecordedPassage",
    description:
      "`name`, `position` and `text` are null where the file is deleted since or is none that the caller sees; the digest of the text stays",
  },
)

const Dropped = t.Object(
  {
    kind: oneOf(["passage", "messages", "part", "picture"]),
    reason: oneOf(["window", "summarized", "failed", "gone"], {
      description: "No room in the window; told in a summary; could not be read; gone since",
    }),
    count: t.Optional(integer({ description: "Of messages: how many of the oldest" })),
    file_id: t.Optional(t.String()),
    chunk_id: t.Optional(t.String()),
    name: t.Optional(t.String()),
    score: t.Optional(t.Number()),
  },
  { title: "DroppedMaterial" },
)

const ToolUse = t.Object(
  {
    id: t.String(),
    name: t.String(),
    arguments: JsonObject,
    result: nullable(t.String(), { description: "Null where a file that it is from is deleted or not seen" }),
    is_error: t.Boolean(),
    duration_ms: t.Number(),
    file_ids: t.Array(t.String()),
  },
  { title: "RecordedToolCall" },
)

const Gone = t.Object({
  index: integer(),
  file_id: t.String(),
  chunk_id: t.String(),
  reason: oneOf(["file_gone", "file_changed", "outranked"], {
    description: "Deleted or not seen by the caller; other bytes now; as it was, and others are found before it",
  }),
})

const DifferenceSchema = t.Object(
  {
    unchanged: t.Boolean({ description: "Nothing below differs", examples: [true] }),
    compared_at: Time,
    library_changes: t.Object({ before: integer(), now: integer() }, { examples: [{ before: 41, now: 41 }] }),
    degraded: t.Object(
      { before: nullable(t.String()), now: nullable(t.String()) },
      {
        description: "What the searches lacked; where that differs their scores are not compared",
        examples: [{ before: null, now: null }],
      },
    ),
    gone: t.Array(Gone, { description: "Passages of the answer that would not be given now", examples: [[]] }),
    added: t.Array(Source, { description: "Found now and not then", examples: [[]] }),
    rescored: t.Array(t.Object({ index: integer(), before: t.Number(), now: t.Number() }), { examples: [[]] }),
  },
  {
    title: "PassageDifference",
    description: "What the same query in the same scope finds for the caller now",
  },
)

const Turn = t.Object(
  {
    role: oneOf(["system", "user", "assistant", "tool"]),
    content: t.String(),
    images: t.Optional(t.Array(t.Object({ mimeType: t.String(), sha256: Sha256 }))),
    toolCalls: t.Optional(t.Array(t.Object({ id: t.String(), name: t.String(), arguments: JsonObject }))),
    toolCallId: t.Optional(t.String()),
    name: t.Optional(t.String()),
  },
  { title: "PromptTurn", examples: [{ role: "user", content: "What is the notice period of the lease?" }] },
)

const Prompt = t.Object(
  {
    sha256: Sha256,
    complete: t.Boolean({
      description: "Every text of it is there, so that it can be asked again",
      examples: [true],
    }),
    turns: t.Optional(
      t.Array(Turn, {
        description: "With `prompt=true`: what the model read, `[no longer shown]` for texts that are gone or not seen",
      }),
    ),
  },
  { title: "RecordedPrompt" },
)

const Vectors = t.Object({ done: integer(), total: integer(), tier: t.String() })

export const AnswerRecordSchema = t.Object(
  {
    conversation_id: t.String({ examples: ["conv_01m7y48vkz3s85f1acdta2"] }),
    message_id: t.String({ examples: ["msg_01m7y48w0a8t51q9hn4k3e"] }),
    model: t.Object(
      {
        value: t.String(),
        provider: t.String(),
        local: t.Boolean(),
        context_length: nullable(integer()),
        size_bytes: nullable(integer()),
      },
      {
        examples: [
          {
            value: "ollama/llama3.2:3b",
            provider: "ollama",
            local: true,
            context_length: 131072,
            size_bytes: 2019393189,
          },
        ],
      },
    ),
    options: t.Object(
      {
        temperature: t.Optional(t.Number()),
        top_p: t.Optional(t.Number()),
        max_tokens: t.Optional(integer()),
        seed: t.Optional(integer()),
        stop: t.Optional(t.Array(t.String())),
        use_library: t.Boolean(),
        thinking: t.Boolean(),
        reading: oneOf(READINGS),
        tools: t.Array(oneOf(CHAT_TOOLS)),
        history: oneOf(HISTORIES),
        response_format: nullable(t.Union([t.Literal("json"), JsonObject])),
        context_tokens: nullable(integer({ description: "Window that the model was asked for" })),
      },
      {
        description: "All in force; those that were left to the model are absent",
        examples: [
          {
            ...{ temperature: 0, seed: 7, use_library: true, thinking: false, reading: "auto", tools: [...CHAT_TOOLS] },
            ...{ history: "summarize", response_format: null, context_tokens: 4096 },
          },
        ],
      },
    ),
    prompt_version: t.String({
      description: "Changes with any of the daemon's own words in prompts, and with its version",
      examples: ["0.3.0-1f2e3d4c5b6a"],
    }),
    index_generation: nullable(
      t.Object({
        library_changes: integer({ description: "How often the library had changed" }),
        embedding_model: t.String(),
        vectors: Vectors,
        degraded: nullable(t.String()),
      }),
      {
        description: "The search index; null where nothing was searched",
        examples: [
          {
            library_changes: 41,
            embedding_model: "carrel-embed",
            vectors: { done: 12, total: 12, tier: "fast" },
            degraded: null,
          },
        ],
      },
    ),
    query: nullable(t.Object({ text: t.String(), rewritten: t.Boolean() }), {
      description: "What was searched with; `rewritten` where a model wrote it",
      examples: [{ text: "notice period of the lease", rewritten: false }],
    }),
    scope: t.Object(
      { file_ids: nullable(t.Array(t.String())), context_id: nullable(t.String()) },
      { examples: [{ file_ids: null, context_id: null }] },
    ),
    filter: nullable(FilterSchema, { examples: [null] }),
    principals: nullable(t.Array(t.String()), {
      description: "Names in the acl of files by which the caller saw them; null: whatever the acl",
      examples: [null],
    }),
    asked_by: nullable(
      t.Object({
        type: oneOf(["key", "user"]),
        id: t.String(),
        end_user: nullable(t.String()),
        contexts: nullable(t.Array(t.String())),
        filters: nullable(t.Array(FilterSchema)),
      }),
      {
        description: "Whose credentials; what narrows them is told to those who see the whole workspace",
        examples: [{ type: "key", id: "key_01m7y48vkz3s85f1acdta2", end_user: null, contexts: null, filters: [] }],
      },
    ),
    passages: t.Array(Passage, { description: "What the model was given, by number" }),
    dropped: t.Array(Dropped, { description: "What was found or said and did not reach the model", examples: [[]] }),
    tool_calls: t.Array(ToolUse, { examples: [[]] }),
    notes: t.Array(nullable(t.String()), {
      description:
        "On parts of files that were too long to be given, which the model was given instead; the passages are what they cite. Null where a file is deleted or not seen",
      examples: [[]],
    }),
    redaction: t.Object(
      {
        on: t.Boolean(),
        rules: nullable(t.String({ description: "Digest of the rules in force" })),
        searched_kinds: t.Array(t.String()),
        custom_patterns: integer(),
        excluded: integer(),
        kinds: t.Record(t.String(), integer()),
        count: integer(),
        partial: t.Boolean(),
      },
      {
        description: "Rules in force and what was replaced, by kind; never the values",
        examples: [
          {
            ...{ on: false, rules: null, searched_kinds: [], custom_patterns: 0, excluded: 0 },
            ...{ kinds: {}, count: 0, partial: false },
          },
        ],
      },
    ),
    prompt: nullable(Prompt, { description: "Null where no model was asked, or where it was too long to be kept" }),
    usage: t.Object({ prompt_tokens: integer(), completion_tokens: integer() }),
    timings: t.Object({ search_ms: t.Number(), first_token_ms: t.Number(), total_ms: t.Number() }),
    warnings: t.Array(AnswerWarning, { examples: [[]] }),
    finish_reason: nullable(oneOf(FINISH_REASONS), { description: "Null of a reply that is being written" }),
    error: nullable(StoredError, { examples: [null] }),
    created_at: Time,
    difference: t.Optional(DifferenceSchema),
  },
  { title: "AnswerRecord" },
)

export const ReplaySchema = t.Object(
  {
    conversation_id: t.String({ examples: ["conv_01m7y48vkz3s85f1acdta2"] }),
    message_id: t.String({ description: "The stored answer", examples: ["msg_01m7y48w0a8t51q9hn4k3e"] }),
    model: t.String({ examples: ["ollama/llama3.2:3b"] }),
    content: t.String({ examples: ["90 days [1]."] }),
    citations: t.Array(Citation),
    finish_reason: oneOf(FINISH_REASONS),
    tool_calls: t.Array(t.Object({ id: t.String(), name: t.String(), arguments: JsonObject }), {
      description: "What the model calls; none is carried out",
      examples: [[]],
    }),
    usage: t.Object({ prompt_tokens: integer(), completion_tokens: integer() }),
    ner_count: integer(),
    timings: t.Object({ search_ms: t.Number(), first_token_ms: t.Number(), total_ms: t.Number() }),
    warnings: t.Array(AnswerWarning, { examples: [[]] }),
    same_prompt: t.Boolean({
      description: "The model got what it got then, byte for byte; false where it is redacted by other rules now",
      examples: [true],
    }),
    same_content: t.Boolean({ description: "It wrote what is stored", examples: [true] }),
    difference: nullable(DifferenceSchema, { description: "Null where the library cannot be searched" }),
  },
  { title: "ReplayedAnswer" },
)
