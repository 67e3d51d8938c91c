/** The events of an answer in OpenAI's shape: as chunks of a stream, or as one completion. */

import type { ToolCall } from "../../backends/backend.ts"
import type { Answer, AnswerEvent } from "../../chat/unstored.ts"
import type { Linked } from "../linked.ts"
import { annotationsOf } from "./annotations.ts"

/** What all chunks of an answer have in common. */
export interface CompletionHead {
  id: string
  /** Unix seconds. */
  created: number
  model: string
}

export interface Shown {
  linked: Linked
  /** Of one that is stored. */
  conversationId?: string | undefined
}

/** @throws what the events fail with */
export async function* chunksOf(
  events: AsyncIterable<AnswerEvent>,
  head: CompletionHead,
  shown: Shown,
  includeUsage: boolean,
) {
  const chunk = (delta: object, finish_reason: Answer["finishReason"] | null = null, more: object = {}) => ({
    ...head,
    object: "chat.completion.chunk" as const,
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
    ...(includeUsage ? { usage: null } : {}),
    ...more,
  })
  yield chunk({ role: "assistant", content: "" })
  let told = 0
  for await (const { event, data } of events) {
    if (event === "message_delta") yield chunk({ content: data.text })
    else if (event === "thinking_delta") yield chunk({ reasoning_content: data.text })
    else if (event === "caller_call") yield chunk({ tool_calls: [{ index: told++, ...callOf(data) }] })
    else if (event === "answered") {
      const { annotations, carrel, usage } = endOf(data, shown)
      // Those of a kept answer are known at its end.
      for (const call of data.calls.slice(told)) yield chunk({ tool_calls: [{ index: told++, ...callOf(call) }] })
      if (annotations.length > 0) yield chunk({ annotations })
      yield chunk({}, data.finishReason, { carrel })
      if (includeUsage) yield { ...chunk({}), choices: [], usage }
    }
  }
}

/** @throws what the events fail with */
export async function completionOf(events: AsyncIterable<AnswerEvent>, head: CompletionHead, shown: Shown) {
  let thoughts = ""
  for await (const { event, data } of events) {
    if (event === "thinking_delta") thoughts += data.text
    if (event !== "answered") continue
    const { annotations, carrel, usage } = endOf(data, shown)
    const { content, calls, finishReason } = data
    return {
      ...head,
      object: "chat.completion" as const,
      choices: [
        {
          index: 0,
          message: {
            role: "assistant" as const,
            content: content === "" && calls.length > 0 ? null : content,
            refusal: null,
            annotations,
            ...(thoughts ? { reasoning_content: thoughts } : {}),
            ...(calls.length > 0 ? { tool_calls: calls.map(callOf) } : {}),
          },
          logprobs: null,
          finish_reason: finishReason,
        },
      ],
      usage,
      carrel,
    }
  }
  throw new Error("an answer ended without its last event")
}

const callOf = ({ id, name, arguments: given }: ToolCall) => ({
  id,
  type: "function" as const,
  function: { name, arguments: JSON.stringify(given) },
})

function endOf(answer: Answer, { linked, conversationId }: Shown) {
  const { content, usage, nerCount, warnings } = answer
  const citations = answer.citations.map(linked.passage)
  return {
    annotations: annotationsOf(content, citations),
    carrel: {
      sources: answer.sources.map(linked.passage),
      citations,
      ner_count: nerCount,
      warnings,
      ...(conversationId === undefined ? {} : { conversation_id: conversationId }),
    },
    usage: { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens },
  }
}
