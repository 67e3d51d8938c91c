/** Carries a turn out to its end, whatever that end is: events to the live reply, the outcome to the store. Never throws. */
import { AppError, diskTrouble, type ErrorBody, toErrorBody } from "../errors.ts"
import type { Guarded } from "../guarded.ts"
import { log } from "../log.ts"
import { citedIn } from "./citations.ts"
import type { FinishedReply } from "./conversation-rows.ts"
import type { ConversationStore } from "./conversation-store.ts"
import { CHAT_EVENTS, FINISHED_REPLY } from "./fields.ts"
import type { LiveReply } from "./live-reply.ts"
import type { StopReason } from "./replies.ts"
import { reply } from "./reply.ts"
import type { Draft, ReplyDependencies, Turn } from "./turn.ts"
import type { ChatEvent, FinishReason, GuardedEvent } from "./types.ts"

/** Between tries to store the end of a reply that the disk refused. */
const STORE_AGAIN_MS = 5_000

export interface RunDependencies extends ReplyDependencies {
  store: ConversationStore
}

/** @param requestId names the request in errors */
export async function runTurn(
  turn: Turn,
  live: LiveReply,
  draft: Draft,
  requestId: string,
  dependencies: RunDependencies,
): Promise<void> {
  const { signal } = live.abort
  let failure: unknown
  try {
    for await (const event of reply(turn, draft, dependencies, signal)) {
      if (event.event === "warning") draft.warnings.push(event.data)
      live.push(await shown(event, turn))
    }
  } catch (error) {
    failure = error
  }
  const cancelled = signal.aborted && signal.reason === ("cancelled" satisfies StopReason)
  if (failure !== undefined && !cancelled) failure = await turn.guard.error(asShown(failure, signal))
  const ended = await end(turn, draft, failure, cancelled, requestId, dependencies)
  if (ended.error) live.failure = ended.failure
  await report(turn, live, draft, ended)
  turn.guard.audit({ conversation_id: turn.conversation.id, message_id: turn.replyId })
}

interface Ended {
  finishReason: FinishReason
  failure: Error | undefined
  error: ErrorBody | null
}

/**
 * Stores the outcome; a store that refuses (a full disk) is the outcome then, and is stored as such when it takes it, so
 * that no reply stays unfinished until the next start.
 */
async function end(
  turn: Turn,
  draft: Draft,
  failure: unknown,
  cancelled: boolean,
  requestId: string,
  { store }: RunDependencies,
): Promise<Ended> {
  const failed = failure !== undefined && !cancelled
  const finishReason: FinishReason = cancelled ? "cancelled" : failed ? "error" : draft.finishReason
  const error = failed ? toErrorBody(failure, requestId) : null
  if (failed)
    log.warn("a reply failed", { request_id: requestId, conversation_id: turn.conversation.id, error: failure })
  if (failed || cancelled) draft.citations = citedIn(draft.content, draft.sources).citations
  const reached: FinishedReply = {
    content: draft.content,
    citations: draft.citations,
    sources: draft.sources,
    finishReason,
    error: error && withoutRequest(error),
    warnings: draft.warnings,
    nerCount: replyEntities(turn),
    promptTokens: draft.usage.prompt_tokens,
    completionTokens: draft.usage.completion_tokens,
    contextTokens: draft.contextTokens,
  }
  const outcome = await turn.guard
    .pass(reached, FINISHED_REPLY)
    .catch(cause => turn.guard.pass(withoutWords(reached, turn, cause), FINISHED_REPLY))
  draft.citations = outcome.citations
  try {
    await store.finish(turn.conversation.id, turn.replyId, outcome)
  } catch (cause) {
    log.error("a reply could not be stored", { conversation_id: turn.conversation.id, error: cause })
    const shown = toErrorBody(cause, requestId)
    turn.guard.trust(shown.message)
    const refused = { ...outcome, finishReason: "error", error: withoutRequest(shown) } as const
    storeLater(store, turn, await turn.guard.pass<FinishedReply>(refused, FINISHED_REPLY), cause)
    return { finishReason: "error", failure: cause as Error, error: shown }
  }
  if (outcome.error === null) return { finishReason: outcome.finishReason, failure: undefined, error: null }
  const failedWith = failed ? (failure as Error) : new AppError("model_unavailable")
  return { finishReason: "error", failure: failedWith, error: { ...outcome.error, request_id: requestId } }
}

/** What is left of a reply whose passages and error cannot be searched for private data: its text, which has been. */
function withoutWords(reached: FinishedReply, { guard }: Turn, cause: unknown): FinishedReply {
  const error = toErrorBody(guard.bareError("model_unavailable", cause))
  return { ...reached, finishReason: "error", error, citations: [], sources: [], warnings: [] }
}

/** As long as it is the disk that refuses. */
function storeLater(store: ConversationStore, turn: Turn, outcome: Guarded<FinishedReply>, cause: unknown) {
  if (!diskTrouble(cause)) return
  const again = () =>
    void store
      .finish(turn.conversation.id, turn.replyId, outcome)
      .catch(error => storeLater(store, turn, outcome, error))
  setTimeout(again, STORE_AGAIN_MS).unref()
}

async function report(turn: Turn, live: LiveReply, draft: Draft, { finishReason, error }: Ended): Promise<void> {
  const now = performance.now()
  const ms = (value: number) => Math.round(value * 10) / 10
  const last: ChatEvent = error
    ? { event: "error", data: { error, message_id: turn.replyId } }
    : {
        event: "message_completed",
        data: {
          message_id: turn.replyId,
          content: draft.content,
          citations: draft.citations,
          finish_reason: finishReason,
          usage: draft.usage,
          ner_count: turn.userMessage.ner_count + replyEntities(turn),
          timings: {
            search_ms: ms(draft.searchMs),
            first_token_ms: ms((draft.firstTokenAt ?? now) - draft.startedAt),
            total_ms: ms(now - draft.startedAt),
          },
        },
      }
  live.push(await shown(last, turn))
  live.push(await shown({ event: "done", data: {} }, turn))
}

/** An event as the caller may see it. */
async function shown({ event, data }: ChatEvent, { guard }: Turn): Promise<GuardedEvent> {
  return { event, data: await guard.pass<object>(data, CHAT_EVENTS[event]) } as GuardedEvent
}

/** What an aborted turn failed with is the abort; anything else is what it is. */
function asShown(failure: unknown, signal: AbortSignal): Error {
  if (signal.aborted)
    return new AppError("overloaded", { message: "the daemon stopped before the reply was complete", retryAfter: 10 })
  return failure instanceof Error ? failure : new Error(String(failure))
}

/** Found in passages and reply. */
const replyEntities = ({ guard, promptEntities, continued }: Turn): number =>
  guard.count - promptEntities + (continued?.nerCount ?? 0)

const withoutRequest = ({ request_id: _, ...error }: ErrorBody): ErrorBody => error
