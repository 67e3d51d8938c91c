/** Answers as responses: the object that clients read, and the items of its output. */

import type { ToolCall } from "../../backends/backend.ts"
import { toMessage } from "../../chat/conversation-rows.ts"
import type { KeptAnswer } from "../../chat/kept-answer-store.ts"
import type { Answer } from "../../chat/unstored.ts"
import type { ErrorBody } from "../../errors.ts"
import type { Citation, Source } from "../../grounding/passages.ts"
import { newId } from "../../id.ts"
import type { Linked } from "../linked.ts"
import { marked } from "./annotations.ts"
import { unixTime } from "./lists.ts"
import { type Echo, queriesOf } from "./response-request.ts"
import {
  type Annotation,
  FILE_CITATION,
  type OutputItem,
  type OutputText,
  type ResponseObject,
  type ResponseStatus,
} from "./response-schemas.ts"

/** What all states of a response have in common. */
export interface ResponseHead {
  id: string
  createdAt: string
  /** Value of the model, without a prefix. */
  model: string
  conversationId: string | null
  previousId: string | null
  echo: Echo
  /** What the library was searched with. */
  queries: string[]
  messageId: string
}

/** How it ended, or stands. */
export interface ResponseState {
  status: ResponseStatus
  error: { code: string; message: string } | null
  content: string
  calls: readonly ToolCall[]
  sources: readonly Source[]
  citations: readonly Citation[]
  usage: Answer["usage"] | null
  nerCount: number
}

/** How a response is shown to one caller. */
export interface Shown {
  linked: Linked
  /** The passages that were found are shown as well. */
  withResults: boolean
}

export const NOTHING_YET: ResponseState = {
  status: "in_progress",
  error: null,
  content: "",
  calls: [],
  sources: [],
  citations: [],
  usage: null,
  nerCount: 0,
}

export function headOf(answer: KeptAnswer): ResponseHead {
  const { id, createdAt, conversationId, previousId, reply, turns } = answer
  const echo = answer.echo as unknown as Echo
  const queries = echo.searches ? queriesOf(turns) : []
  return { id, createdAt, model: reply.model ?? "", conversationId, previousId, echo, queries, messageId: reply.id }
}

/** Of one that nobody keeps. */
export const newHead = (head: Pick<ResponseHead, "model" | "previousId" | "echo" | "queries">): ResponseHead => ({
  ...head,
  id: newId("resp"),
  createdAt: new Date().toISOString(),
  conversationId: null,
  messageId: newId("msg"),
})

/** A kept answer as it stands. */
export function stateOf({ reply, calls }: KeptAnswer): ResponseState {
  const { content, citations, error, ner_count: nerCount, finish_reason } = toMessage(reply)
  const isOver = finish_reason !== null
  return {
    status: isOver ? STATUSES[finish_reason] : "in_progress",
    error: finish_reason === "error" ? errorOf(error) : null,
    content,
    calls,
    sources: JSON.parse(reply.sources),
    citations,
    usage: isOver ? { prompt_tokens: reply.prompt_tokens, completion_tokens: reply.completion_tokens } : null,
    nerCount,
  }
}

const STATUSES = {
  stop: "completed",
  length: "incomplete",
  cancelled: "cancelled",
  error: "failed",
} as const satisfies Record<string, ResponseStatus>

/** The object has no field for what caused it: that follows the message. */
export const errorOf = (error: ErrorBody | null): { code: string; message: string } => ({
  code: error?.code ?? "internal_error",
  message: [error?.message ?? "the answer failed", ...(error?.hint ? [error.hint] : [])].join("; "),
})

/** An answer that came to its end. */
export const answeredState = (answer: Answer): ResponseState => ({
  ...answer,
  status: answer.finishReason === "length" ? "incomplete" : "completed",
  error: null,
})

export function responseOf(head: ResponseHead, state: ResponseState, shown: Shown): ResponseObject {
  const { echo } = head
  const { usage } = state
  return {
    id: head.id,
    object: "response",
    created_at: unixTime(head.createdAt),
    status: state.status,
    background: echo.background,
    store: head.conversationId !== null,
    model: echo.prefix + head.model,
    output: outputOf(head, state, shown),
    error: state.error,
    incomplete_details: state.status === "incomplete" ? { reason: "max_output_tokens" } : null,
    conversation: head.conversationId === null ? null : { id: head.conversationId },
    previous_response_id: head.previousId,
    instructions: echo.instructions,
    max_output_tokens: echo.max_output_tokens,
    metadata: echo.metadata,
    parallel_tool_calls: echo.parallel_tool_calls,
    reasoning: { effort: echo.effort, summary: null },
    temperature: echo.temperature,
    text: { format: echo.format },
    tool_choice: echo.tool_choice,
    tools: echo.tools,
    top_p: echo.top_p,
    truncation: "auto",
    usage: usage && {
      input_tokens: usage.prompt_tokens,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: usage.completion_tokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: usage.prompt_tokens + usage.completion_tokens,
    },
    user: echo.user,
    ner_count: state.nerCount,
  }
}

/** One that is being written has none yet: its stream tells how far it is. */
function outputOf(head: ResponseHead, state: ResponseState, shown: Shown): OutputItem[] {
  if (state.status === "in_progress") return []
  const isWhole = state.status === "completed" || state.status === "incomplete"
  return [
    ...(head.echo.searches ? [searchItem(head, isWhole ? "completed" : "incomplete", state.sources, shown)] : []),
    ...(state.content ? [messageItem(head, state.status === "completed", textOf(state, shown))] : []),
    ...state.calls.map((call, at) => callItem(head, call, at)),
  ]
}

type Item<Type extends OutputItem["type"]> = Extract<OutputItem, { type: Type }>

export const searchItem = (
  { id, queries }: ResponseHead,
  status: Item<"file_search_call">["status"],
  sources: readonly Source[],
  { linked, withResults }: Shown,
): Item<"file_search_call"> => ({
  type: "file_search_call",
  id: `fs_${partOf(id)}`,
  status,
  queries,
  results: withResults
    ? sources.map(linked.passage).map(({ file_id, name, score, text, position, url }) => ({
        ...{ file_id, filename: name, score, text, attributes: {}, page: position.page, url },
      }))
    : null,
})

export const messageItem = ({ messageId: id }: ResponseHead, isWhole: boolean, text: OutputText): Item<"message"> => ({
  type: "message",
  id,
  role: "assistant",
  status: isWhole ? "completed" : "incomplete",
  content: [text],
})

export const callItem = ({ id }: ResponseHead, call: ToolCall, at: number): Item<"function_call"> => ({
  type: "function_call",
  id: `fc_${partOf(id)}_${at}`,
  call_id: call.id,
  name: call.name,
  arguments: JSON.stringify(call.arguments),
  status: "completed",
})

export const textOf = (
  { content, citations }: Pick<ResponseState, "content" | "citations">,
  { linked }: Pick<Shown, "linked">,
): OutputText => ({
  type: "output_text",
  text: content,
  annotations: annotationsOf(content, citations.map(linked.passage)),
  logprobs: [],
})

const annotationsOf = (text: string, citations: readonly (Citation & { url: string })[]): Annotation[] =>
  marked(text, citations).map(({ cited: { file_id, name: filename, position, url }, start: index }) => ({
    type: FILE_CITATION,
    index,
    file_id,
    filename,
    page: position.page,
    url,
  }))

const partOf = (id: string): string => id.slice(id.indexOf("_") + 1)
