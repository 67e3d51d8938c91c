/**
 * Answers that nobody keeps: a question in, the events of its answer out. The same answer as that of a turn (`answer.ts`);
 * what a turn stores is here the last event, and who leaves stops the model.
 */
import type { View } from "../access/view.ts"
import type { Account } from "../account.ts"
import type { ToolCall } from "../backends/backend.ts"
import { AppError } from "../errors.ts"
import { WARNING } from "../grounding/fields.ts"
import type { Guard } from "../grounding/guard.ts"
import { CITATION, SOURCE, type Source } from "../grounding/passages.ts"
import type { Fields, Guarded } from "../guarded.ts"
import { log } from "../log.ts"
import type { Warning } from "../storage/document.ts"
import { answer } from "./answer.ts"
import type { ChatDependencies } from "./dependencies.ts"
import { Draft } from "./draft.ts"
import { CHAT_EVENTS, type GuardedEvent, type Timings, type Usage } from "./events.ts"
import { type Ended, type Progress, TOOL_CALL, type Told, type ToolCalled } from "./progress.ts"
import { prepareQuestion, type Question } from "./question.ts"
import type { Citation } from "./types.ts"

/** The whole answer, as its reader may see it. */
export interface Answer {
  content: Guarded<string>
  /** Calls of the caller's tools, in their order. */
  calls: ToolCall[]
  /** Every passage that the model was given, by number. */
  sources: Source[]
  /** Those that the content cites. */
  citations: Citation[]
  warnings: Warning[]
  /** `tool_calls` where the caller is to carry some out. */
  finishReason: "stop" | "length" | "tool_calls"
  usage: Usage
  /** Values that were redacted, in what was asked, found and answered. */
  nerCount: number
  timings: Timings
}

const ANSWER: Fields<Answer> = {
  content: "own",
  calls: TOOL_CALL,
  sources: SOURCE,
  citations: CITATION,
  warnings: WARNING,
  finishReason: "own",
  usage: "own",
  nerCount: "own",
  timings: "own",
}

/** The events of a reply from `status` to its deltas, `caller_call`, and `answered` at the end of every answer that came to one. */
export type AnswerEvent = GuardedEvent | ToolCalled | { event: "answered"; data: Answer }

export interface UnstoredAnswer {
  /** Value of the model that answers. */
  model: string
  /** What is answered; null where there is no message of a user. */
  message: string | null
  /** Of the question. */
  echo: Record<string, unknown>
  /**
   * To be taken once; nothing is asked of the model before. The last one is `answered`.
   * @throws AppError, redacted where the question is; the signal's reason
   */
  events: AsyncGenerator<AnswerEvent>
}

/**
 * @param signal ends the answer and stops the model
 * @throws AppError for a question that cannot be answered; see prepareQuestion
 */
export async function answerUnstored(
  dependencies: ChatDependencies,
  asker: { view: View; requestId: string },
  question: Question,
  signal: AbortSignal,
): Promise<UnstoredAnswer> {
  const asked = await prepareQuestion(dependencies, asker.view, question, signal)
  const { echo } = await asked.guard.pass({ echo: question.echo ?? {} }, { echo: "json" })
  const { message, model } = asked
  const { guard } = asked
  const { account } = model
  const steps: AnsweredSteps = place => answer(asked, dependencies, place)
  const events = answered(dependencies, { requestId: asker.requestId, guard, account }, steps, signal)
  return { model: model.info.value, message, echo, events }
}

/** What an answer is made by, until the signal aborts. */
export type AnsweredSteps = (signal: AbortSignal) => AsyncGenerator<Progress, Ended>

/** The events of an answer that nobody keeps; see `UnstoredAnswer`. */
export async function* answered(
  dependencies: ChatDependencies,
  { requestId, guard, account }: { requestId: string; guard: Guard; account: Account },
  steps: AnsweredSteps,
  signal: AbortSignal,
): AsyncGenerator<AnswerEvent> {
  signal.throwIfAborted()
  using place = dependencies.replies.enter(signal)
  const draft = new Draft(account)
  let settled = false
  try {
    for await (const told of draft.follow(steps(place.signal))) yield await shown(told, guard)
    const answer = answerOf(draft, guard)
    settled = true
    await dependencies.usage.settle(account, answer.usage)
    yield { event: "answered", data: await guard.pass(answer, ANSWER) }
  } catch (error) {
    signal.throwIfAborted()
    log.warn("an answer failed", { request_id: requestId, error })
    if (place.signal.aborted)
      throw new AppError("overloaded", { message: "the daemon stopped before the answer was complete", retryAfter: 10 })
    throw await guard.error(error)
  } finally {
    if (!settled) await dependencies.usage.settle(account, account.usage)
    guard.audit({ request_id: requestId })
  }
}

async function shown(told: Told, guard: Guard): Promise<AnswerEvent> {
  if (told.event === "caller_call") return told
  return { event: told.event, data: await guard.pass<object>(told.data, CHAT_EVENTS[told.event]) } as GuardedEvent
}

function answerOf(draft: Draft, guard: Guard): Answer {
  const { content, calls, sources, citations, warnings, usage, timings } = draft
  return {
    ...{ content, calls, sources, citations, warnings, usage, timings },
    finishReason: calls.length > 0 ? "tool_calls" : draft.finishReason,
    nerCount: guard.count,
  }
}
