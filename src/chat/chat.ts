/**
 * Conversations as their users see them. Every way of asking (set A streamed or as JSON, set B, continue, regenerate)
 * becomes a turn that is prepared here, begun in `turn-start.ts`, and one live reply that is carried out in `run-turn.ts`.
 *
 * What is wrong with a request is thrown before anything is stored; what goes wrong later is an event of the reply.
 */
import { AppError, invalid } from "../errors.ts"
import { Guard } from "../grounding/guard.ts"
import { newId } from "../id.ts"
import { parseRedaction } from "../redaction/redact.ts"
import type { Idempotency } from "../storage/idempotency.ts"
import {
  type ConversationPatch,
  type ConversationRow,
  type NewConversation,
  toConversation,
  toMessage,
  toSummary,
} from "./conversation-rows.ts"
import { CONVERSATION_PATCH, NEW_CONVERSATION } from "./fields.ts"
import type { LiveReply } from "./live-reply.ts"
import { asSeen, type PrepareDependencies, type Prepared, prepareTurn } from "./prepare.ts"
import { replayStored } from "./replay.ts"
import type { StopReason } from "./replies.ts"
import { type ChatSettings, checkMetadata, type TurnRequest, titleOf } from "./settings.ts"
import { type Asker, type NotedTurn, type StartDependencies, type Started, TurnStart } from "./turn-start.ts"
import type { Conversation, NumberedEvent, Source, TurnAnswer } from "./types.ts"

export interface ChatDependencies extends StartDependencies, Omit<PrepareDependencies, "filesOf"> {
  idempotency: Idempotency
}

/** How long `cancel` waits for the reply to be stored before it answers. */
const CANCEL_WAIT_MS = 2_000

export class Chat {
  private readonly start: TurnStart

  constructor(private readonly dependencies: ChatDependencies) {
    this.start = new TurnStart(dependencies)
  }

  /** Replies being written, for metrics. */
  get running(): number {
    return this.dependencies.replies.count
  }

  /** Makes a conversation and begins its first reply. */
  create(asker: Asker, given: TurnRequest): Promise<Started> {
    return this.once(asker, () => this.begin(asker, given))
  }

  private async begin(asker: Asker, given: TurnRequest): Promise<Started> {
    const { replies, store } = this.dependencies
    if (!given.message) throw invalid("message", "must not be empty")
    replies.assertRoom()
    const prepared = await this.prepare(asker, given, undefined)
    const { request, settings, model, guard, message } = prepared
    const id = newId("conv")
    const made = await guard.pass<NewConversation>(
      {
        id,
        workspaceId: asker.workspaceId,
        title: request.title || titleOf(message),
        model: model.info.value,
        settings,
        additionalMetadata: request.additional_metadata ?? {},
      },
      NEW_CONVERSATION,
    )
    replies.take(id)
    try {
      const rows = await store.transaction(async trx => {
        const conversation = await store.create(made, trx)
        return { conversation, ...(await this.start.addTurn(asker, id, prepared, trx, true)) }
      })
      return this.start.begin(asker, prepared, { ...rows, created: true, history: [], continued: null })
    } finally {
      replies.give(id)
    }
  }

  /** Answers a further message. */
  async send(asker: Asker, conversationId: string, given: TurnRequest): Promise<Started> {
    return this.inConversation(asker, conversationId, async conversation => {
      if (!given.message) throw invalid("message", "must not be empty")
      const prepared = await this.prepare(asker, given, conversation)
      const history = await this.dependencies.store.messages(conversationId)
      const rows = await this.start.changed(conversation, prepared, trx =>
        this.start.addTurn(asker, conversationId, prepared, trx),
      )
      return this.start.begin(asker, prepared, { conversation, ...rows, created: false, history, continued: null })
    })
  }

  /**
   * Sets the model, then: answers `message`; or writes on a reply that was cut, in place; or answers a message that has
   * no answer; or does nothing.
   */
  async continue(asker: Asker, conversationId: string, given: TurnRequest & { model: string }): Promise<Started> {
    if (given.message) return this.send(asker, conversationId, given)
    return this.inConversation(asker, conversationId, async conversation => {
      const prepared = await this.prepare(asker, given, conversation)
      const messages = await this.dependencies.store.messages(conversationId)
      const last = messages.at(-1)
      const { store } = this.dependencies
      if (!last || (last.role === "assistant" && last.finish_reason === "stop")) {
        await this.start.changed(conversation, prepared, async () => undefined)
        return { conversationId, live: undefined, messageIds: [] }
      }
      if (last.role === "user") return this.start.answer(asker, prepared, conversation, messages)
      await this.start.changed(conversation, prepared, async trx => {
        await store.reopen(last.id, prepared.model.info.value, trx)
        await this.start.note(asker, { conversationId, created: false, replyId: last.id, messageIds: [last.id] }, trx)
      })
      const asked = messages.findLastIndex(message => message.role === "user")
      const sources: Source[] = JSON.parse(last.sources)
      return this.start.begin(asker, prepared, {
        conversation,
        created: false,
        history: messages.slice(0, asked),
        userMessage: await asSeen(messages[asked]!, prepared.guard),
        replyMessage: last,
        // A reply that failed before its first word is written anew, with a new search.
        continued: last.content
          ? { written: (await asSeen(last, prepared.guard)).content, sources, nerCount: last.ner_count }
          : null,
        extends: true,
      })
    })
  }

  /**
   * Writes a reply anew: `messageId` names it, or the user's message that it answers; with `message` that one is
   * changed first. All that came after is removed.
   */
  async regenerate(asker: Asker, conversationId: string, messageId: string, given: TurnRequest): Promise<Started> {
    return this.inConversation(asker, conversationId, async conversation => {
      const { store } = this.dependencies
      const messages = await store.messages(conversationId)
      const at = messages.findIndex(message => message.id === messageId)
      const asked = messages.findLastIndex((message, i) => i <= at && message.role === "user")
      if (at < 0 || asked < 0) throw new AppError("not_found", { message: "there is no such message" })
      const prepared = await this.prepare(asker, given, conversation)
      const kept = messages.slice(0, given.message ? asked : asked + 1)
      const firstRemoved = (kept.at(-1)?.position ?? 0) + 1
      if (!given.message)
        return this.start.answer(asker, prepared, conversation, kept, trx =>
          store.deleteFrom(conversationId, firstRemoved, trx),
        )
      const rows = await this.start.changed(conversation, prepared, async trx => {
        await store.deleteFrom(conversationId, firstRemoved, trx)
        return this.start.addTurn(asker, conversationId, prepared, trx)
      })
      return this.start.begin(asker, prepared, {
        conversation,
        ...rows,
        created: false,
        history: kept,
        continued: null,
      })
    })
  }

  /** Waits for the reply. @throws what the reply failed with */
  async finished({ conversationId, live, messageIds }: Started, { workspaceId }: Asker): Promise<TurnAnswer> {
    await live?.finished
    if (live?.failure) throw namingConversation(live.failure, live)
    const { store } = this.dependencies
    const row = await this.row(workspaceId, conversationId)
    const messages = (await store.messages(conversationId)).filter(({ id }) => messageIds.includes(id)).map(toMessage)
    return {
      conversation_id: conversationId,
      model: row.model,
      messages,
      ner_count: messages.reduce((sum, message) => sum + message.ner_count, 0),
      timestamp: new Date().toISOString(),
    }
  }

  /** The newest reply from after event `lastEventId`, and on as it is written. */
  async events(workspaceId: string, conversationId: string, lastEventId: number) {
    await this.row(workspaceId, conversationId)
    const live = this.dependencies.replies.newestOf(conversationId)
    if (live) return (signal: AbortSignal): AsyncIterable<NumberedEvent> => live.follow(lastEventId, signal)
    const messages = await this.dependencies.store.messages(conversationId)
    return (): AsyncIterable<NumberedEvent> => replayStored(conversationId, messages, lastEventId)
  }

  /** Stops the reply that is being written, if any; what is written of it stays. */
  async cancel(workspaceId: string, conversationId: string): Promise<Conversation> {
    await this.row(workspaceId, conversationId)
    const live = this.dependencies.replies.runningIn(conversationId)
    if (live) {
      live.abort.abort("cancelled" satisfies StopReason)
      await Promise.race([live.finished, Bun.sleep(CANCEL_WAIT_MS)])
    }
    return this.get(workspaceId, conversationId)
  }

  list(workspaceId: string, request: { query?: string; page: number; pageSize: number }) {
    return this.dependencies.store.list(workspaceId, request)
  }

  async get(workspaceId: string, conversationId: string): Promise<Conversation> {
    const row = await this.row(workspaceId, conversationId)
    const { store, redactionEnforced } = this.dependencies
    return toConversation(row, await store.messages(conversationId), redactionEnforced(workspaceId))
  }

  async change(workspaceId: string, conversationId: string, change: ConversationPatch): Promise<Conversation> {
    const { settings } = await this.row(workspaceId, conversationId)
    if (change.additional_metadata) checkMetadata(change.additional_metadata)
    const { redactor, redactionEnforced, store } = this.dependencies
    const { redaction } = JSON.parse(settings) as ChatSettings
    const guard = new Guard(redactor, parseRedaction(redaction, redactionEnforced(workspaceId)))
    await store.patch(conversationId, await guard.pass(change, CONVERSATION_PATCH))
    return this.get(workspaceId, conversationId)
  }

  async delete(workspaceId: string, conversationId: string): Promise<void> {
    await this.cancel(workspaceId, conversationId)
    this.dependencies.replies.forget(conversationId)
    await this.dependencies.store.delete(conversationId)
  }

  /** Every file that was given to a conversation, by its id or with the conversation as its context. @throws AppError not_found */
  async conversationFiles(workspaceId: string, conversationId: string): Promise<string[]> {
    const named: string[] = JSON.parse((await this.row(workspaceId, conversationId)).file_ids)
    const uploaded = await this.dependencies.files.idsOfContext(workspaceId, conversationId)
    return [...new Set([...named, ...uploaded])]
  }

  /** Ends what is being written; to be called once, before the stores close. */
  stop(graceMs: number): Promise<void> {
    return this.dependencies.replies.stop(graceMs)
  }

  /** Begins a turn, unless the call repeats one that did: then that one is followed. */
  private once(asker: Asker, begin: () => Promise<Started>): Promise<Started> {
    return this.dependencies.idempotency.once(asker.repetition, begin, noted =>
      this.repeated(asker.workspaceId, JSON.parse(noted)),
    )
  }

  /** @throws AppError not_found when conversation or reply have been removed since */
  private async repeated(workspaceId: string, { conversationId, created, replyId, messageIds }: NotedTurn) {
    const row = await this.row(workspaceId, conversationId)
    const messages = await this.dependencies.store.messages(conversationId)
    const at = messages.findIndex(({ id }) => id === replyId)
    if (at < 0) throw new AppError("not_found", { message: "the reply to this request has been removed" })
    const live = this.dependencies.replies.newestOf(conversationId)
    if (live?.messageId === replyId) return { conversationId, live, messageIds }
    const { model, created_at, additional_metadata } = toSummary(row, messages.length)
    const data = { conversation_id: conversationId, model, created_at, additional_metadata }
    const first = created ? [{ event: "conversation_created" as const, data }] : []
    const stored = () => replayStored(conversationId, messages.slice(0, at + 1), 0, first)
    return { conversationId, live: undefined, messageIds, stored }
  }

  /** Holds the conversation for one turn; lets go of it when the turn cannot begin. */
  private inConversation(
    asker: Asker,
    conversationId: string,
    work: (conversation: ConversationRow) => Promise<Started>,
  ): Promise<Started> {
    return this.once(asker, () => this.hold(asker, conversationId, work))
  }

  private async hold(
    asker: Asker,
    conversationId: string,
    work: (conversation: ConversationRow) => Promise<Started>,
  ): Promise<Started> {
    const { replies } = this.dependencies
    const conversation = await this.row(asker.workspaceId, conversationId)
    replies.take(conversationId)
    try {
      return await work(conversation)
    } finally {
      replies.give(conversationId) // of no effect once the reply has begun
    }
  }

  private prepare(asker: Asker, given: TurnRequest, conversation: ConversationRow | undefined): Promise<Prepared> {
    const filesOf = (id: string) => this.conversationFiles(asker.workspaceId, id)
    return prepareTurn({ ...this.dependencies, filesOf }, asker.workspaceId, given, conversation)
  }

  private async row(workspaceId: string, conversationId: string): Promise<ConversationRow> {
    const row = await this.dependencies.store.find(workspaceId, conversationId)
    if (!row) throw new AppError("not_found", { message: "there is no such conversation" })
    return row
  }
}

/** The caller of a JSON answer learns where the failed turn is kept. */
function namingConversation(failure: Error, { conversationId, messageId }: LiveReply): Error {
  if (!(failure instanceof AppError)) return failure
  const { code, message, hint, retryAfter, details = [] } = failure
  return new AppError(code, {
    message,
    details: [...details, { conversation_id: conversationId, message_id: messageId }],
    ...(hint ? { hint } : {}),
    ...(retryAfter === undefined ? {} : { retryAfter }),
    cause: failure,
  })
}
