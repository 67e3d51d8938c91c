/** Responses and the events of their streams, as OpenAI's clients read them. */
import { type TSchema, t } from "elysia"
import { integer, JsonObject, LINK, nullable, oneOf } from "../schemas.ts"
import { UnixTime } from "./lists.ts"

export const FILE_CITATION = "file_citation"

const FILE_ID = "file_01m7y48vkz3s85f1acdta2"

const Annotation = t.Object({
  type: t.Literal(FILE_CITATION),
  index: integer({ description: "Where the mark `[n]` begins in the text, in UTF-16 units", examples: [8] }),
  file_id: t.String({ examples: [FILE_ID] }),
  filename: t.String({ examples: ["lease.pdf"] }),
  page: nullable(integer(), { examples: [4] }),
  url: t.String({ description: "Opens the passage, without sign-in, for 24 hours", examples: [LINK] }),
})
export type Annotation = typeof Annotation.static

const Text = t.Object({
  type: t.Literal("output_text"),
  text: t.String({ examples: ["90 days [1]."] }),
  annotations: t.Array(Annotation),
  logprobs: t.Array(t.Any(), { examples: [[]] }),
})
export type OutputText = typeof Text.static

const Message = t.Object({
  type: t.Literal("message"),
  id: t.String({ examples: ["msg_01m7y48vkz3s85f1acdta2"] }),
  role: t.Literal("assistant"),
  status: oneOf(["in_progress", "completed", "incomplete"]),
  content: t.Array(Text),
})

const FunctionCall = t.Object({
  type: t.Literal("function_call"),
  id: t.String({ examples: ["fc_01m7y48vkz3s85f1acdta2_0"] }),
  call_id: t.String({ examples: ["call_01m7y48vkz3s85f1acdta2"] }),
  name: t.String({ examples: ["weather"] }),
  arguments: t.String({ description: "JSON", examples: ['{"city":"Bergen"}'] }),
  status: oneOf(["in_progress", "completed"]),
})

const FileSearchCall = t.Object({
  type: t.Literal("file_search_call"),
  id: t.String({ examples: ["fs_01m7y48vkz3s85f1acdta2"] }),
  status: oneOf(["in_progress", "searching", "completed", "incomplete"]),
  queries: t.Array(t.String({ examples: ["What is the notice period?"] })),
  results: nullable(
    t.Array(
      t.Object({
        file_id: t.String({ examples: [FILE_ID] }),
        filename: t.String({ examples: ["lease.pdf"] }),
        score: t.Number({ minimum: 0, maximum: 1 }),
        text: t.String({ examples: ["The lease may be ended with a notice of 90 days."] }),
        attributes: JsonObject,
        page: nullable(integer(), { examples: [4] }),
        url: t.String({ examples: [LINK] }),
      }),
    ),
    { examples: [null] },
  ),
})

const OutputItem = t.Union([FileSearchCall, Message, FunctionCall])
export type OutputItem = typeof OutputItem.static

const STATUSES = ["completed", "failed", "in_progress", "cancelled", "incomplete"] as const
export type ResponseStatus = (typeof STATUSES)[number]

const Usage = t.Object({
  input_tokens: integer({ examples: [612] }),
  input_tokens_details: t.Object({ cached_tokens: integer() }),
  output_tokens: integer({ examples: [9] }),
  output_tokens_details: t.Object({ reasoning_tokens: integer() }),
  total_tokens: integer({ examples: [621] }),
})

export const ResponseObject = t.Object(
  {
    id: t.String({ examples: ["resp_01m7y48vkz3s85f1acdta2"] }),
    object: t.Literal("response"),
    created_at: UnixTime,
    status: oneOf(STATUSES),
    background: t.Boolean(),
    store: t.Boolean(),
    model: t.String({ examples: ["ollama/llama3.2:3b"] }),
    output: t.Array(OutputItem),
    error: nullable(t.Object({ code: t.String(), message: t.String() }), { examples: [null] }),
    incomplete_details: nullable(t.Object({ reason: t.Literal("max_output_tokens") }), { examples: [null] }),
    conversation: nullable(t.Object({ id: t.String({ examples: ["conv_01m7y48vkz3s85f1acdta2"] }) })),
    previous_response_id: nullable(t.String(), { examples: [null] }),
    instructions: nullable(t.String(), { examples: [null] }),
    max_output_tokens: nullable(integer(), { examples: [null] }),
    metadata: JsonObject,
    parallel_tool_calls: t.Boolean({ examples: [true] }),
    reasoning: t.Object(
      { effort: nullable(t.String()), summary: t.Null() },
      { examples: [{ effort: null, summary: null }] },
    ),
    temperature: nullable(t.Number(), { examples: [null] }),
    text: t.Object({ format: JsonObject }, { examples: [{ format: { type: "text" } }] }),
    tool_choice: t.Union([t.String(), JsonObject], { examples: ["auto"] }),
    tools: t.Array(JsonObject, { examples: [[]] }),
    top_p: nullable(t.Number(), { examples: [null] }),
    truncation: t.Literal("auto"),
    usage: nullable(Usage),
    user: nullable(t.String(), { examples: [null] }),
    ner_count: integer({ description: "Values that were redacted" }),
  },
  { title: "Response" },
)
export type ResponseObject = typeof ResponseObject.static

/** What stands in the lines `event:` and `data:` of one event. */
const told = <Type extends string, Data extends Record<string, TSchema>>(type: Type, data: Data) =>
  t.Object(
    {
      event: t.Literal(type),
      data: t.Object({ type: t.Literal(type), sequence_number: integer({ minimum: 0 }), ...data }),
    },
    { title: `ResponseStream${type.replace(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())}` },
  )

const whole = { response: ResponseObject }
const item = { output_index: integer(), item: OutputItem }
const ofItem = { output_index: integer(), item_id: t.String({ examples: ["msg_01m7y48vkz3s85f1acdta2"] }) }
const ofPart = { ...ofItem, content_index: integer() }
const logprobs = t.Array(t.Any(), { examples: [[]] })

export const ResponseEvents = t.Union([
  told("response.created", whole),
  told("response.in_progress", whole),
  told("response.completed", whole),
  told("response.incomplete", whole),
  told("response.failed", whole),
  told("response.output_item.added", item),
  told("response.output_item.done", item),
  told("response.file_search_call.in_progress", ofItem),
  told("response.file_search_call.searching", ofItem),
  told("response.file_search_call.completed", ofItem),
  told("response.content_part.added", { ...ofPart, part: Text }),
  told("response.content_part.done", { ...ofPart, part: Text }),
  told("response.output_text.delta", { ...ofPart, delta: t.String({ examples: ["90 days"] }), logprobs }),
  told("response.output_text.annotation.added", { ...ofPart, annotation_index: integer(), annotation: Annotation }),
  told("response.output_text.done", { ...ofPart, text: t.String({ examples: ["90 days [1]."] }), logprobs }),
  told("response.function_call_arguments.delta", { ...ofItem, delta: t.String({ examples: ['{"city":"Bergen"}'] }) }),
  told("response.function_call_arguments.done", {
    ...ofItem,
    name: t.String({ examples: ["weather"] }),
    arguments: t.String({ examples: ['{"city":"Bergen"}'] }),
  }),
  told("error", {
    code: t.String({ examples: ["overloaded"] }),
    message: t.String({ examples: ["the daemon stopped before the answer was complete"] }),
    param: t.Null(),
  }),
])
type Told = typeof ResponseEvents.static

/** One event without its number. */
export type ResponseEvent = Told["data"] extends infer Data
  ? Data extends { sequence_number: number }
    ? Omit<Data, "sequence_number">
    : never
  : never
