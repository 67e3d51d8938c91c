/** The events of an answer that is kept, as those of one that nobody keeps. */
import type { KeptAnswer } from "../../chat/kept-answer-store.ts"
import type { KeptStarted } from "../../chat/kept-answers.ts"
import type { AnswerEvent } from "../../chat/unstored.ts"
import { AppError, withDetail } from "../../errors.ts"
import type { Source } from "../../grounding/passages.ts"
import type { Warning } from "../../storage/document.ts"

/**
 * Who leaves only stops listening.
 * @param atEnd the answer as it stands when its reply is over: its calls are told then
 * @throws what the reply failed with; the reason of the signal
 */
export async function* keptEvents(
  { answer, reply }: KeptStarted,
  atEnd: () => Promise<KeptAnswer>,
  signal: AbortSignal,
): AsyncGenerator<AnswerEvent> {
  let sources: readonly Source[] = []
  const warnings: Warning[] = []
  for await (const told of reply.follow(0, signal)) {
    if (told.event === "sources") sources = told.data.sources
    else if (told.event === "warning") warnings.push(told.data)
    else if (told.event === "error")
      throw withDetail((await reply.outcome()) ?? new AppError("model_error"), { response_id: answer.id })
    if (told.event !== "message_completed") {
      yield told
      continue
    }
    const { content, citations, usage, timings, ner_count: nerCount, finish_reason: reason } = told.data
    if (reason === "error") throw withDetail(INTERRUPTED, { response_id: answer.id })
    const { calls } = await atEnd()
    const ended = reason === "length" ? "length" : "stop"
    yield {
      event: "answered",
      data: {
        ...{ content, usage, timings, nerCount, calls, warnings },
        sources: [...sources],
        citations: [...citations],
        finishReason: calls.length > 0 ? "tool_calls" : ended,
      },
    }
  }
  signal.throwIfAborted()
}

/** What a daemon that died has left of it is no answer. */
const INTERRUPTED = new AppError("overloaded", { message: "the answer was interrupted", retryAfter: 5 })
