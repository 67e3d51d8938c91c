/** What `/v1/responses` takes and answers. */

import { t } from "elysia"
import { CHAT_TOOLS, READINGS } from "../../chat/settings.ts"
import { operation } from "../operation.ts"
import { IDEMPOTENCY_KEY, integer, JsonObject, oneOf, optional } from "../schemas.ts"
import { FILE_CITATION, ResponseEvents, ResponseObject } from "./response-schemas.ts"

/** Pictures as text, and long histories. */
const MAX_BODY_BYTES = 32 * 1_048_576
const MAX_ITEMS = 10_000

const Part = t.Object({
  type: t.String(),
  text: optional(t.String()),
  refusal: optional(t.String()),
  image_url: optional(t.String({ description: "`data:image/…;base64,…`: nothing is fetched" })),
  file_id: optional(t.String()),
  file_data: optional(t.String()),
  file_url: optional(t.String()),
})
export type InputPart = typeof Part.static

const Item = t.Object(
  {
    type: optional(t.String({ description: "`message` where absent" })),
    role: optional(oneOf(["user", "assistant", "system", "developer"])),
    content: optional(t.Union([t.String(), t.Array(Part)])),
    call_id: optional(t.String()),
    name: optional(t.String()),
    arguments: optional(t.String({ description: "JSON" })),
    output: optional(t.Union([t.String(), t.Array(Part)])),
  },
  {
    description:
      "A message, a `function_call` or its `function_call_output`; items of earlier answers of other types are passed over",
  },
)
export type InputItem = typeof Item.static

const Tool = t.Object({
  type: t.String({ description: "`file_search` or `function`" }),
  name: optional(t.String({ pattern: "^[A-Za-z0-9_.:/-]{1,128}$" })),
  description: optional(t.String()),
  parameters: optional(JsonObject),
  strict: optional(t.Boolean()),
  vector_store_ids: optional(t.Array(t.String(), { maxItems: 100 })),
  max_num_results: optional(integer({ minimum: 1, maximum: 50 })),
  filters: optional(t.Any({ description: "As those of a vector store's search" })),
  ranking_options: optional(
    t.Object({
      ranker: optional(t.String()),
      score_threshold: optional(t.Number({ minimum: 0, maximum: 1 })),
    }),
  ),
})
export type ResponseTool = typeof Tool.static

const responseBody = t.Object({
  input: t.Union([t.String(), t.Array(Item, { maxItems: MAX_ITEMS })]),
  model: optional(t.String({ minLength: 1, maxLength: 512, description: "The default one where it is left out" })),
  instructions: optional(t.String({ description: "For this answer alone: a later one does not inherit them" })),
  previous_response_id: optional(t.String()),
  store: optional(t.Boolean({ default: true })),
  background: optional(t.Boolean({ default: false })),
  stream: optional(t.Boolean({ default: false })),
  include: optional(t.Array(t.String(), { description: "`file_search_call.results`" })),
  tools: optional(t.Array(Tool, { maxItems: 128 })),
  tool_choice: optional(
    t.Union([oneOf(["none", "auto", "required"]), t.Object({ type: t.String(), name: optional(t.String()) })]),
  ),
  parallel_tool_calls: optional(t.Boolean()),
  text: optional(t.Object({ format: optional(JsonObject) })),
  max_output_tokens: optional(integer({ minimum: 1, maximum: 1_000_000 })),
  temperature: optional(t.Number({ minimum: 0, maximum: 2 })),
  top_p: optional(t.Number({ minimum: 0, maximum: 1 })),
  reasoning: optional(t.Object({ effort: optional(t.String()) })),
  metadata: optional(JsonObject),
  user: optional(t.String({ maxLength: 128 })),
  safety_identifier: optional(t.String({ maxLength: 128 })),
  conversation: optional(t.Any({ description: "400: `previous_response_id` goes on from an answer" })),
  prompt: optional(t.Any({ description: "400: there are no stored prompts" })),
  carrel: optional(
    t.Object({
      filter: optional(t.Any({ description: "Narrows what is searched; as `filters` of `file_search`" })),
      file_ids: optional(t.Array(t.String(), { maxItems: 1_000, description: "Search only these files" })),
      redaction: optional(t.Any({ description: "true, false or a redaction object (see POST /external/redact)" })),
      tools: optional(
        t.Array(oneOf(CHAT_TOOLS), {
          maxItems: CHAT_TOOLS.length,
          description: "Tools of the daemon that the model may use by itself; all where absent, none where empty",
        }),
      ),
      reading: optional(oneOf(READINGS)),
    }),
  ),
})
export type ResponseBody = typeof responseBody.static

const byId = t.Object({ response_id: t.String() })

const of = { tag: "Compatible", compatible: true, scope: "chat" } as const

export const createResponse = operation({
  ...of,
  id: "createResponse",
  audit: { action: "response.create", id: "noted" },
  summary: "Answer in the shape of OpenAI's responses",
  headers: [IDEMPOTENCY_KEY],
  description: `The input is a text, or messages, calls and results of the caller's own functions. \`file_search\` searches
vector stores, which are contexts, with the newest message of the user; a model named \`library/…\` searches all files that the
caller sees. What is cited comes as annotations of the text, \`${FILE_CITATION}\`, with \`page\` and \`url\`, a link that opens the
passage. Calls of functions are handed to the caller.

With \`store\`, which is the default, the answer is kept as a reply of a conversation: it is finished although the client leaves, can
be asked for again, and \`previous_response_id\` goes on from it. \`background\` answers at once with the answer as it stands. Without
\`store\` nothing is kept, and a client that leaves stops the model. Pictures are not kept.`,
  body: responseBody,
  maxBytes: MAX_BODY_BYTES,
  pictures: /^input\.\d+\.content\.\d+\.image_url$/,
  example: {
    model: "ollama/llama3.2:3b",
    input: "What is the notice period of the lease?",
    tools: [{ type: "file_search", vector_store_ids: ["vs_project:42"] }],
  },
  answers: { 200: { description: "The answer", schema: ResponseObject, events: ResponseEvents } },
  errors: [
    "not_found",
    "conflict",
    "model_not_found",
    "conversation_busy",
    "invalid_pattern",
    "invalid_filter",
    "model_error",
    "model_unavailable",
  ],
})

export const getResponse = operation({
  ...of,
  id: "getResponse",
  audit: "nothing",
  summary: "Get a stored response",
  description:
    "`include[]=file_search_call.results` adds the passages that were found. With `stream=true` its events come from the beginning, and on as it is written, those after `starting_after`; some minutes after its end its text is one delta.",
  params: byId,
  query: t.Object({
    stream: t.Optional(t.BooleanString({ default: false })),
    starting_after: t.Optional(t.Integer({ description: "`sequence_number` of the last event that the client has" })),
  }),
  answers: { 200: { description: "The answer as it is now", schema: ResponseObject, events: ResponseEvents } },
  errors: ["not_found"],
})

export const deleteResponse = operation({
  ...of,
  id: "deleteResponse",
  audit: { action: "response.delete", id: "params.response_id" },
  held: "refused",
  summary: "Delete a stored response",
  description: "With the messages that it added to its conversation, which goes with the last of them.",
  params: byId,
  answers: {
    200: {
      description: "It is gone",
      hasReceipt: true,
      schema: t.Object(
        {
          id: t.String({ examples: ["resp_01m7y48vkz3s85f1acdta2"] }),
          object: t.Literal("response"),
          deleted: t.Literal(true),
        },
        { title: "DeletedResponse" },
      ),
    },
  },
  errors: ["not_found"],
})

export const cancelResponse = operation({
  ...of,
  id: "cancelResponse",
  audit: { action: "response.cancel", id: "params.response_id" },
  summary: "Stop a stored response that is being written",
  description: "What is written of it stays. One that is over is answered as it is.",
  params: byId,
  answers: { 200: { description: "The answer as it is now", schema: ResponseObject } },
  errors: ["not_found"],
})
