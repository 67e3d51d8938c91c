/**
 * The beginning of a turn: its messages and what it changes in its conversation are stored in one transaction, then its
 * reply runs by itself.
 */
import { NOTHING } from "../guarded.ts"
import type { Executor } from "../storage/database.ts"
import { type IdempotentRequest, note } from "../storage/idempotency.ts"
import type { ConversationChange, ConversationRow, MessageRow } from "./conversation-rows.ts"
import { CONVERSATION_CHANGE } from "./fields.ts"
import { LiveReply } from "./live-reply.ts"
import { asSeen, type Prepared } from "./prepare.ts"
import type { Replies } from "./replies.ts"
import { type RunDependencies, runTurn } from "./run-turn.ts"
import { newDraft, type Turn } from "./turn.ts"
import type { NumberedEvent } from "./types.ts"

export interface StartDependencies extends RunDependencies {
  replies: Replies
}

/** Who asks. */
export interface Asker {
  workspaceId: string
  requestId: string
  /** Of a call with an Idempotency-Key. */
  repetition?: IdempotentRequest | undefined
}

/** A turn under way; no `live` reply where there was nothing to do. */
export interface Started {
  conversationId: string
  live: LiveReply | undefined
  /** Messages that this call added or extended. */
  messageIds: string[]
  /** The events of a repeated call whose reply is over and no longer live. */
  stored?: () => AsyncIterable<NumberedEvent>
}

/** What a repetition of a call needs to follow the turn that the first one began. */
export interface NotedTurn {
  conversationId: string
  created: boolean
  replyId: string
  messageIds: string[]
}

export class TurnStart {
  constructor(private readonly dependencies: StartDependencies) {}

  /** Applies what the request changes in its conversation, together with the turn's messages. */
  async changed<T>(conversation: ConversationRow, prepared: Prepared, work: (trx: Executor) => Promise<T>): Promise<T> {
    const { store } = this.dependencies
    const { request, settings, model, guard } = prepared
    const known: string[] = JSON.parse(conversation.file_ids)
    const change: ConversationChange = {
      model: model.info.value,
      settings,
      fileIds: [...new Set([...known, ...settings.file_ids])],
      ...(request.additional_metadata ? { additionalMetadata: request.additional_metadata } : {}),
      ...(request.title ? { title: request.title } : {}),
    }
    const guarded = await guard.pass(change, CONVERSATION_CHANGE)
    return store.transaction(async trx => {
      await store.change(conversation.id, guarded, trx)
      return work(trx)
    })
  }

  /** The user's message and the empty reply to it. */
  async addTurn(
    asker: Asker,
    conversationId: string,
    { added, model, guard: { key } }: Prepared,
    trx: Executor,
    created = false,
  ) {
    const { store } = this.dependencies
    const userMessage = await store.addUserMessage(conversationId, added, trx)
    const replyMessage = await store.addReply(conversationId, model.info.value, key, trx)
    const messageIds = [userMessage.id, replyMessage.id]
    await this.note(asker, { conversationId, created, replyId: replyMessage.id, messageIds }, trx)
    return { userMessage, replyMessage }
  }

  /** Together with the messages, so that a repetition after a crash finds both or neither. */
  async note({ repetition }: Asker, turn: NotedTurn, trx: Executor): Promise<void> {
    if (repetition) await note(trx, repetition, JSON.stringify(turn))
  }

  /** A reply to the last of these messages, which is the user's. */
  async answer(
    asker: Asker,
    prepared: Prepared,
    conversation: ConversationRow,
    messages: MessageRow[],
    before: (trx: Executor) => Promise<void> = async () => {},
  ): Promise<Started> {
    const { store } = this.dependencies
    const replyMessage = await this.changed(conversation, prepared, async trx => {
      await before(trx)
      const reply = await store.addReply(conversation.id, prepared.model.info.value, prepared.guard.key, trx)
      const noted = { conversationId: conversation.id, created: false, replyId: reply.id, messageIds: [reply.id] }
      await this.note(asker, noted, trx)
      return reply
    })
    const userMessage = await asSeen(messages.at(-1)!, prepared.guard)
    const history = messages.slice(0, -1)
    const rows = { conversation, userMessage, replyMessage, history }
    return this.begin(asker, prepared, { ...rows, created: false, continued: null, extends: true })
  }

  /** Lets the reply run. */
  begin(
    asker: Asker,
    { model, settings, scope, guard, promptEntities }: Prepared,
    rows: Pick<Turn, "conversation" | "userMessage" | "created" | "history" | "continued"> & {
      replyMessage: MessageRow
      /** Only the reply is new to the caller. */
      extends?: boolean
    },
  ): Started {
    const { replyMessage, conversation, userMessage } = rows
    const live = new LiveReply(conversation.id, replyMessage.id)
    const draft = newDraft()
    draft.content = rows.continued?.written ?? NOTHING
    const turn: Turn = {
      ...rows,
      workspaceId: asker.workspaceId,
      replyId: replyMessage.id,
      settings,
      scope,
      model,
      guard,
      promptEntities,
    }
    const run = () => runTurn(turn, live, draft, asker.requestId, this.dependencies)
    this.dependencies.replies.begin(live, run, () => draft.content)
    const messageIds = rows.extends ? [replyMessage.id] : [userMessage.id, replyMessage.id]
    return { conversationId: conversation.id, live, messageIds }
  }
}
