/** What `/v1/chat/completions` takes and answers. */
import { t } from "elysia"
import { CHAT_TOOLS, READINGS } from "../../chat/settings.ts"
import { Citation, Source } from "../conversation-record.ts"
import { operation } from "../operation.ts"
import {
  AnswerWarning,
  closed,
  IDEMPOTENCY_KEY,
  integer,
  JsonObject,
  LINK,
  nullable,
  oneOf,
  optional,
} from "../schemas.ts"

/** Pictures as text, and long histories. */
const MAX_BODY_BYTES = 32 * 1_048_576
const MAX_MESSAGES = 10_000
/** As in the original. */
const MAX_TOOLS = 128
const MAX_FILE_IDS = 1_000

const Part = t.Object(
  {
    type: t.String({ examples: ["text"] }),
    text: optional(t.String({ examples: ["What does the lease say about notice?"] })),
    refusal: optional(t.String()),
    image_url: optional(
      t.Object({
        url: t.String({ description: "`data:image/…;base64,…`: nothing is fetched" }),
        detail: optional(t.String()),
      }),
    ),
  },
  { title: "ContentPart" },
)

const FunctionCall = t.Object({
  id: t.String({ examples: ["call_01m7y48vkz3s85f1acdta2"] }),
  type: oneOf(["function"]),
  function: t.Object({
    name: t.String({ examples: ["weather"] }),
    arguments: t.String({ description: "JSON", examples: ['{"city":"Bergen"}'] }),
  }),
})

const Message = t.Object(
  {
    role: oneOf(["system", "developer", "user", "assistant", "tool"]),
    content: optional(t.Union([t.String(), t.Array(Part)])),
    tool_calls: optional(
      t.Array(FunctionCall, { description: "Of an assistant; a tool message for each must follow" }),
    ),
    tool_call_id: optional(t.String({ description: "Of a tool message: the call that it answers" })),
  },
  { title: "CompletionMessage" },
)
export type CompletionMessage = (typeof Message)["static"]

const Tool = t.Object(
  {
    type: t.String({ examples: ["function"] }),
    function: optional(
      t.Object({
        name: t.String({ pattern: "^[A-Za-z0-9_.:/-]{1,128}$", examples: ["weather"] }),
        description: optional(t.String()),
        parameters: optional(JsonObject),
        strict: optional(t.Boolean()),
      }),
    ),
  },
  { title: "FunctionTool" },
)

const Extension = closed(
  {
    filter: optional(
      t.Any({
        description: "Only files that it holds for; a key without `file.` or `metadata.` means `metadata.<key>`",
      }),
    ),
    file_ids: optional(
      t.Array(t.String({ maxLength: 64 }), { maxItems: MAX_FILE_IDS, description: "Only these files" }),
    ),
    redaction: optional(t.Any({ description: "true, false or a redaction object (see POST /external/redact)" })),
    reading: optional(oneOf(READINGS)),
    tools: optional(
      t.Array(oneOf(CHAT_TOOLS), {
        maxItems: CHAT_TOOLS.length,
        description: "Tools of the daemon that the model may use by itself; all where absent, none where empty",
      }),
    ),
  },
  { description: "What this daemon knows beyond the shape" },
)

export const completionBody = t.Object({
  model: t.String({
    minLength: 1,
    maxLength: 400,
    description: "An `id` of `GET /v1/models`; `library/…` answers from the files, with citations",
    examples: ["library/ollama/llama3.2:3b"],
  }),
  messages: t.Array(Message, { minItems: 1, maxItems: MAX_MESSAGES }),
  stream: optional(t.Boolean({ default: false })),
  stream_options: optional(t.Object({ include_usage: optional(t.Boolean()) })),
  max_tokens: optional(integer({ minimum: 1, maximum: 1_000_000 })),
  max_completion_tokens: optional(integer({ minimum: 1, maximum: 1_000_000, description: "Wins over `max_tokens`" })),
  temperature: optional(t.Number({ minimum: 0, maximum: 2 })),
  top_p: optional(t.Number({ minimum: 0, maximum: 1 })),
  seed: optional(integer()),
  stop: optional(t.Union([t.String(), t.Array(t.String(), { maxItems: 16 })])),
  n: optional(t.Literal(1)),
  tools: optional(
    t.Array(Tool, { maxItems: MAX_TOOLS, description: "The client's own: calls are handed to it and not carried out" }),
  ),
  tool_choice: optional(
    t.Union([
      oneOf(["auto", "none", "required"]),
      t.Object({ type: oneOf(["function"]), function: t.Object({ name: t.String() }) }),
    ]),
  ),
  parallel_tool_calls: optional(t.Boolean()),
  response_format: optional(
    t.Object({ type: oneOf(["text", "json_object", "json_schema"]), json_schema: optional(JsonObject) }),
  ),
  reasoning_effort: optional(
    oneOf(["none", "minimal", "low", "medium", "high", "xhigh", "max"], {
      description:
        "Models that think do so from `low` on, and not where it is left out; thoughts come as `reasoning_content`",
    }),
  ),
  user: optional(t.String({ maxLength: 128 })),
  safety_identifier: optional(t.String({ maxLength: 128 })),
  metadata: optional(JsonObject),
  store: optional(
    t.Boolean({
      default: false,
      description: "Keep it as a conversation, with what was said before; pictures are not kept",
    }),
  ),
  carrel: optional(Extension),
})

const Annotation = t.Object(
  {
    type: t.Literal("url_citation"),
    url_citation: t.Object({
      url: t.String({ description: "Opens the passage, without sign-in, for 24 hours", examples: [LINK] }),
      title: t.String({ examples: ["lease.pdf"] }),
      start_index: integer({ description: "Of the mark `[n]` in the content, in UTF-16 units", examples: [8] }),
      end_index: integer({ description: "Exclusive", examples: [11] }),
    }),
  },
  { title: "UrlCitation" },
)

const Usage = t.Object({
  prompt_tokens: integer({ description: "As the model counts them", examples: [612] }),
  completion_tokens: integer({ examples: [9] }),
  total_tokens: integer({ examples: [621] }),
})

const CITED = {
  index: 1,
  file_id: "file_01m7y48vkz3s85f1acdta2",
  chunk_id: "chunk_00000000a7",
  name: "lease.pdf",
  position: { page: 4, sheet: null, slide: null, member: null, section: "3.2 Term", start: 1234, end: 1291 },
  url: LINK,
}
const ANSWER = {
  id: "chatcmpl_01m7y48vkz3s85f1acdta2",
  created: 1_795_428_000,
  model: "library/ollama/llama3.2:3b",
}
const EXTENSION = {
  sources: [{ ...CITED, score: 0.91, text: "The lease may be ended with a notice of 90 days." }],
  citations: [CITED],
  ner_count: 0,
  warnings: [],
}
const COMPLETION = {
  ...ANSWER,
  object: "chat.completion",
  choices: [
    {
      index: 0,
      message: {
        role: "assistant",
        content: "90 days [1].",
        refusal: null,
        annotations: [
          { type: "url_citation", url_citation: { url: LINK, title: "lease.pdf", start_index: 8, end_index: 11 } },
        ],
      },
      logprobs: null,
      finish_reason: "stop",
    },
  ],
  usage: { prompt_tokens: 612, completion_tokens: 9, total_tokens: 621 },
  carrel: EXTENSION,
}
const CHUNK = {
  ...ANSWER,
  object: "chat.completion.chunk",
  choices: [{ index: 0, delta: { content: "90 days [1]." }, logprobs: null, finish_reason: null }],
}

const Carrel = t.Object(
  {
    sources: t.Array(Source, { description: "Every passage that the model was given" }),
    citations: t.Array(Citation, { description: "Those that the content cites" }),
    ner_count: integer({ description: "Values that were redacted" }),
    warnings: t.Array(AnswerWarning),
    conversation_id: t.Optional(t.String({ description: "With `store`" })),
  },
  { title: "CompletionExtension", examples: [EXTENSION] },
)

const FINISH = oneOf(["stop", "length", "tool_calls"])
const head = {
  id: t.String({ examples: ["chatcmpl_01m7y48vkz3s85f1acdta2"] }),
  created: integer({ description: "Unix seconds", examples: [1_795_428_000] }),
  model: t.String({ examples: ["library/ollama/llama3.2:3b"] }),
}

const Completion = t.Object(
  {
    ...head,
    object: t.Literal("chat.completion"),
    choices: t.Array(
      t.Object({
        index: integer(),
        message: t.Object({
          role: t.Literal("assistant"),
          content: nullable(t.String({ examples: ["90 days [1]."] })),
          refusal: t.Null(),
          annotations: t.Array(Annotation),
          reasoning_content: t.Optional(t.String()),
          tool_calls: t.Optional(t.Array(FunctionCall)),
        }),
        logprobs: t.Null(),
        finish_reason: FINISH,
      }),
    ),
    usage: Usage,
    carrel: Carrel,
  },
  { title: "ChatCompletion", examples: [COMPLETION] },
)

const Delta = t.Object({
  role: t.Optional(t.Literal("assistant")),
  content: t.Optional(t.String({ examples: ["90 days [1]."] })),
  reasoning_content: t.Optional(t.String()),
  tool_calls: t.Optional(t.Array(t.Object({ index: integer(), ...FunctionCall.properties }))),
  annotations: t.Optional(t.Array(Annotation)),
})

const Chunk = t.Object(
  {
    ...head,
    object: t.Literal("chat.completion.chunk"),
    choices: t.Array(t.Object({ index: integer(), delta: Delta, logprobs: t.Null(), finish_reason: nullable(FINISH) })),
    usage: t.Optional(nullable(Usage)),
    carrel: t.Optional(Carrel),
  },
  { title: "ChatCompletionChunk", examples: [CHUNK] },
)

/** What a stream sends that fails after it began. */
const Failed = t.Object({
  error: t.Object({
    message: t.String(),
    type: t.String(),
    param: nullable(t.String()),
    code: t.String(),
    request_id: t.Optional(t.String()),
  }),
})

export const createCompletion = operation({
  id: "createChatCompletion",
  audit: { action: "chat.complete", id: "noted" },
  scope: "chat",
  summary: "Answer messages in OpenAI's shape",
  headers: [IDEMPOTENCY_KEY],
  description: `For clients of OpenAI's chat completions, with this server's address and a key as bearer token. Nothing is stored
unless \`store\` says so; a client that leaves stops the model.

\`library…\` models search the files with the newest message of the user and cite what they answer from, twice: as \`annotations\`
(of the message, or in the last delta but one) and as \`carrel\` beside \`choices\` (in the last chunk with a choice). A stream
is one \`data:\` line of JSON for each chunk, then \`data: [DONE]\`; one that fails after it began sends \`{"error": …}\` before that.
Unknown parameters are ignored.`,
  tag: "Compatible",
  compatible: true,
  body: completionBody,
  maxBytes: MAX_BODY_BYTES,
  pictures: /^messages\.\d+\.content\.\d+\.image_url\.url$/,
  example: {
    model: "library/ollama/llama3.2:3b",
    messages: [{ role: "user", content: "What is the notice period of the lease?" }],
  },
  answers: { 200: { description: "The answer", schema: Completion, events: t.Union([Chunk, Failed]) } },
  errors: [
    "not_found",
    "conflict",
    "model_not_found",
    "invalid_pattern",
    "invalid_filter",
    "model_error",
    "model_unavailable",
  ],
})
