/**
 * Carries a reply to its end, whatever that end is: events to whoever listens, the outcome to the store. It alone keeps what
 * has come of the reply so far, made of what the steps of the turn tell, so that it can be stored at any moment.
 */
import type { ModelUsage } from "../account.ts"
import { AppError, type ErrorBody, storeUnavailable, toErrorBody } from "../errors.ts"
import { SOURCE } from "../grounding/passages.ts"
import { storeAgain } from "../grounding/store-again.ts"
import type { Guarded } from "../guarded.ts"
import { log } from "../log.ts"
import { FINISHED_REPLY, type FinishedReply, INTERRUPTED } from "./conversation-rows.ts"
import type { ChatDependencies } from "./dependencies.ts"
import { Draft } from "./draft.ts"
import { CHAT_EVENTS, type ChatEvent, type GuardedEvent } from "./events.ts"
import type { LiveReply, StopReason } from "./live-reply.ts"
import type { Turn } from "./prepare.ts"
import { libraryFor } from "./record/library-then.ts"
import { NEW_RECORD } from "./record/new-record.ts"
import { type LibraryThen, messagesOf, recordOf } from "./record/record-of.ts"
import type { Made } from "./record/record-store.ts"
import { reply } from "./reply.ts"
import type { Citation, FinishReason } from "./types.ts"

/** How the reply ended, as it is stored and told. */
interface Outcome {
  finishReason: FinishReason
  citations: readonly Citation[]
  failure: Error | undefined
  error: ErrorBody | null
}

export class ReplyWriter {
  private readonly draft: Draft
  /** What it is made of is known once its first words, or results of tools, have come: a reply that is cut has a record as well. */
  madeCount = 0
  private library: Promise<LibraryThen> | undefined

  constructor(
    private readonly turn: Turn,
    private readonly live: LiveReply,
    private readonly dependencies: ChatDependencies,
  ) {
    this.draft = new Draft(turn.model.account, turn.continued?.written, turn.continued?.calls.uses)
  }

  /** What of the account is settled. */
  private usage: ModelUsage = { prompt_tokens: 0, completion_tokens: 0 }

  /** What is written so far. */
  get content(): Guarded<string> {
    return this.draft.content
  }

  /** Never throws: what fails is told by the live reply. */
  async write(): Promise<void> {
    const { turn, live } = this
    const { signal } = live.abort
    let finishReason: FinishReason = "error"
    let failure: unknown
    try {
      finishReason = await this.follow(signal)
    } catch (error) {
      failure = error
    }
    if (signal.aborted && signal.reason === ("cancelled" satisfies StopReason)) {
      finishReason = "cancelled"
      failure = undefined
    }
    if (failure !== undefined) failure = await turn.guard.error(asShown(failure, signal))
    const outcome = await this.store(finishReason, failure as Error | undefined)
    if (outcome.error) live.failure = outcome.failure
    await this.report(outcome)
    turn.guard.audit({ conversation_id: turn.conversation.id, message_id: turn.replyId })
  }

  /** @throws what the turn failed with */
  private async follow(signal: AbortSignal): Promise<FinishReason> {
    let began = false
    for await (const told of this.draft.follow(reply(this.turn, this.dependencies, signal))) {
      if (told.event === "caller_call") continue
      await this.tell(told)
      if (told.event === "sources") void this.libraryThen()
      const begins: boolean = told.event === "message_delta" && !began
      began ||= begins
      if (begins || told.event === "tool_result") this.madeCount++
    }
    await this.turn.onCalls?.(this.draft.calls)
    return this.draft.finishReason
  }

  /** Asked for when the passages are known: files may change while the model writes. */
  private libraryThen(): Promise<LibraryThen> {
    const { turn, draft, dependencies } = this
    this.library ??= libraryFor(dependencies, turn.view, draft.sources).catch(() => ({ files: new Map(), changes: 0 }))
    return this.library
  }

  /** Undefined where it cannot be searched for private data: the reply is worth more than its record. */
  async made(): Promise<Made | undefined> {
    const { turn, draft } = this
    const library = await this.libraryThen()
    const made = recordOf(turn, draft, library)
    const given = draft.sources
    try {
      const { sources } = await turn.guard.pass({ sources: given }, { sources: SOURCE })
      const record = await turn.guard.pass(made, NEW_RECORD)
      return { record, sources, messages: messagesOf(turn) }
    } catch (error) {
      log.warn("no record of a reply could be made", { conversation_id: turn.conversation.id, error })
      return undefined
    }
  }

  /** An event as the caller may see it. */
  private async tell({ event, data }: ChatEvent): Promise<void> {
    const shown = await this.turn.guard.pass<object>(data, CHAT_EVENTS[event])
    this.live.push({ event, data: shown } as GuardedEvent)
  }

  /**
   * Stores the outcome; a store that refuses (a full disk) is the outcome then, and is stored as such when it takes it, so
   * that no reply stays unfinished until the next start.
   */
  private async store(finishReason: FinishReason, failure: Error | undefined): Promise<Outcome> {
    const { turn, draft, dependencies } = this
    const { guard, conversation, requestId } = turn
    const { sources, warnings, usage, contextTokens } = draft
    this.usage = usage
    const { account } = turn.model
    if (failure) log.warn("a reply failed", { request_id: requestId, conversation_id: conversation.id, error: failure })
    const reached: FinishedReply = {
      content: draft.content,
      citations: draft.citations,
      sources,
      finishReason,
      error: failure ? withoutRequest(toErrorBody(failure, requestId)) : null,
      warnings,
      toolCalls: draft.toolCalls.length,
      nerCount: replyEntities(turn),
      promptTokens: usage.prompt_tokens,
      completionTokens: usage.completion_tokens,
      contextTokens,
    }
    // Where passages and error cannot be searched for private data, the text stays, which has been.
    const outcome = await guard.passOutcome<FinishedReply>(reached, FINISHED_REPLY, error => ({
      ...reached,
      finishReason: "error",
      error: toErrorBody(error),
      citations: [],
      sources: [],
      warnings: [],
    }))
    const { citations } = outcome
    const made = await this.made()
    try {
      await dependencies.replyStore.finish(this.live, outcome, account, made)
    } catch (cause) {
      log.error("a reply could not be stored", { conversation_id: conversation.id, error: cause })
      const error = toErrorBody(cause, requestId)
      guard.trust(error.message)
      const refused = { ...outcome, finishReason: "error", error: withoutRequest(error) } as const
      const shown = await guard.pass<FinishedReply>(refused, FINISHED_REPLY)
      storeAgain(() => dependencies.replyStore.finish(this.live, shown, account, made), cause)
      return { finishReason: "error", citations, failure: cause as Error, error }
    }
    // Cancelled elsewhere, where this node was not reached, is stored there.
    if (outcome.error === null && (this.live.isStored || outcome.finishReason === "cancelled"))
      return { finishReason: outcome.finishReason, citations, failure: undefined, error: null }
    if (outcome.error === null) {
      // Others declared this node dead meanwhile, or the conversation is gone: what ended elsewhere is not said to be complete.
      guard.trust(INTERRUPTED.message)
      const error = { ...INTERRUPTED, request_id: requestId }
      return { finishReason: "error", citations, failure: storeUnavailable("database"), error }
    }
    const error = { ...outcome.error, request_id: requestId }
    return { finishReason: "error", citations, failure: failure ?? new AppError("model_unavailable"), error }
  }

  private async report({ finishReason, citations, error }: Outcome): Promise<void> {
    const { turn, draft } = this
    if (error) await this.tell({ event: "error", data: { error, message_id: turn.replyId } })
    else {
      await this.tell({
        event: "message_completed",
        data: {
          message_id: turn.replyId,
          content: draft.content,
          citations: [...citations],
          finish_reason: finishReason,
          usage: this.usage,
          ner_count: turn.userMessage.ner_count + replyEntities(turn),
          timings: draft.timings,
        },
      })
    }
    await this.tell({ event: "done", data: {} })
  }
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
