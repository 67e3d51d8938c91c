/**
 * Conversations as their users see them. Every way of asking (streamed or as JSON, follow-up, continue, regenerate) becomes
 * a plan (`plan.ts`) and then one turn (`turn.ts`), whose reply is followed here or by the caller.
 */
import type { View } from "../access/view.ts"
import type { ChatTurn } from "../backends/backend.ts"
import { AppError, invalid, withDetail } from "../errors.ts"
import { newId } from "../id.ts"
import type { StoredBytes } from "../storage/blobs/blobs.ts"
import type { Trx } from "../storage/database.ts"
import { changeConversation, rateAnswer } from "./change.ts"
import type { ConversationListRequest, ConversationLists } from "./conversation-lists.ts"
import {
  type ConversationPatch,
  type ConversationRow,
  isBeingWritten,
  type MessageRow,
  toConversation,
  toMessage,
  toSummary,
} from "./conversation-rows.ts"
import type { ChatDependencies } from "./dependencies.ts"
import type { NumberedEvent } from "./events.ts"
import type { KeptAnswer } from "./kept-answer-store.ts"
import { beginKept, type KeptQuestion, type KeptStarted, keptAnswer, turnsOf } from "./kept-answers.ts"
import type { LiveReply } from "./live-reply.ts"
import { anew, continuation, followUp, newConversation, type Plan } from "./plan.ts"
import { filesOfConversation } from "./prepare.ts"
import type { Question } from "./question.ts"
import { Records } from "./record/records.ts"
import { removeConversation, removeKept } from "./removal.ts"
import type { TurnRequest } from "./settings.ts"
import { asShared } from "./shared-stream.ts"
import { type Asker, beginTurn, changeOnly, type NotedTurn, type Started } from "./turn.ts"
import type { Conversation, Feedback, TurnAnswer } from "./types.ts"
import { answerUnstored, type UnstoredAnswer } from "./unstored.ts"
import { chooseVariant } from "./variants.ts"

export interface ShownImage {
  bytes: StoredBytes
  mimeType: string
  sha256: string
}

export class Chat {
  /** How answers were made. */
  readonly records: Records

  constructor(private readonly dependencies: ChatDependencies) {
    this.records = new Records(dependencies)
  }

  /** Conversations by page and by cursor. */
  get lists(): ConversationLists {
    return this.dependencies.store.lists
  }

  /** Replies being written, for metrics. */
  get running(): number {
    return this.dependencies.replies.count
  }

  /** Makes a conversation and begins its first reply. */
  create(asker: Asker, given: TurnRequest): Promise<Started> {
    return this.once(asker, async () => {
      assertMessage(given)
      const id = newId("conv")
      return this.holding(id, () => beginTurn(this.dependencies, asker, id, given, newConversation))
    })
  }

  /** Answers a further message. */
  send(asker: Asker, conversationId: string, given: TurnRequest): Promise<Started> {
    return this.turn(asker, conversationId, given, (conversation, messages) => {
      assertMessage(given)
      return followUp(conversation, messages)
    })
  }

  /**
   * Sets the model, then: answers `message`; or writes on a reply that was cut, in place; or answers a message that has
   * no answer; or does nothing.
   */
  continue(asker: Asker, conversationId: string, given: TurnRequest & { model: string }): Promise<Started> {
    return given.message
      ? this.send(asker, conversationId, given)
      : this.turn(asker, conversationId, given, continuation)
  }

  /**
   * Writes a reply anew and removes all that came after it. `messageId` names the reply, or the message that it answers,
   * which the request may replace.
   */
  regenerate(asker: Asker, conversationId: string, messageId: string, given: TurnRequest): Promise<Started> {
    return this.turn(asker, conversationId, given, (conversation, messages) =>
      anew(conversation, messages, messageId, Boolean(given.message)),
    )
  }

  /** Answers a question outside of any conversation; nothing is stored. See answerUnstored. */
  answer(asker: Pick<Asker, "view" | "requestId">, question: Question, signal: AbortSignal): Promise<UnstoredAnswer> {
    return answerUnstored(this.dependencies, asker, question, signal)
  }

  /** The same in a conversation: a new one, or that of the answer which it goes on from. See `kept-answers.ts`. */
  keep(asker: Asker, question: KeptQuestion, previousId: string | undefined): Promise<KeptStarted> {
    return this.dependencies.idempotency.once(
      asker.repetition,
      () => this.keepNew(asker, question, previousId),
      id => this.keptAgain(asker.view, id),
    )
  }

  private async keepNew(asker: Asker, question: KeptQuestion, previousId: string | undefined): Promise<KeptStarted> {
    const { view } = asker
    const previous = previousId === undefined ? undefined : await this.kept(view, previousId)
    const conversationId = previous?.conversationId ?? newId("conv")
    return this.holding(conversationId, async () => {
      const conversation = previous ? await this.dependencies.store.getToAnswer(view, conversationId) : null
      const messages = previous ? await this.settled(conversationId) : []
      // It may have been written on when it was looked at.
      const latest = previous && (await this.kept(view, previous.id))
      return beginKept(this.dependencies, asker, question, { conversationId, conversation, messages, previous: latest })
    })
  }

  /** @throws AppError not_found when the answer has been removed since */
  private async keptAgain(view: View, id: string): Promise<KeptStarted> {
    const answer = await this.kept(view, id)
    const reply = await this.dependencies.live.find(answer.conversationId, answer.replyId)
    if (!reply) throw new AppError("not_found", { message: "the answer to this request has been removed" })
    return { answer, reply }
  }

  /** @throws AppError not_found */
  kept(view: View, id: string): Promise<KeptAnswer> {
    return keptAnswer(this.dependencies, view, id)
  }

  /** The events of a kept answer from its beginning, and on as it is written. */
  async keptEvents(view: View, id: string): Promise<(signal: AbortSignal) => AsyncIterable<NumberedEvent>> {
    const { conversationId, replyId } = await this.kept(view, id)
    const reply = await this.dependencies.live.find(conversationId, replyId)
    return signal => reply?.follow(0, signal) ?? nothing()
  }

  /** Stops a kept answer that is being written; what is written of it stays. */
  async cancelKept(view: View, id: string): Promise<KeptAnswer> {
    const { conversationId, reply } = await this.kept(view, id)
    if (isBeingWritten(reply)) await this.dependencies.live.cancel(conversationId)
    return this.kept(view, id)
  }

  /**
   * With its messages; its conversation goes with the last of them.
   * @returns id of the receipt that says when they are gone
   */
  async deleteKept(view: View, id: string): Promise<string> {
    const { conversationId } = await this.kept(view, id)
    await this.dependencies.store.refuseHeld(view.workspaceId, conversationId)
    return removeKept(this.dependencies, view, await this.cancelKept(view, id))
  }

  /** The turns of an answer and of those that it goes on from, as the next question is asked with them. @throws AppError not_found */
  async turnsUpTo(view: View, id: string): Promise<ChatTurn[]> {
    return turnsOf(await this.dependencies.kept.chain(await this.kept(view, id)))
  }

  /** Waits for the reply. @throws what the reply failed with */
  async finished({ conversationId, reply, messageIds }: Started, { view }: Asker): Promise<TurnAnswer> {
    const failure = await reply?.outcome()
    // The caller learns where the failed turn is kept.
    if (reply && failure) throw withDetail(failure, { conversation_id: conversationId, message_id: reply.messageId })
    const { store } = this.dependencies
    const { model } = await store.get(view, conversationId)
    const images = await this.dependencies.images.of(conversationId)
    const messages = (await store.messages(conversationId))
      .filter(({ id }) => messageIds.includes(id))
      .map(message => toMessage(message, images.get(message.id)))
    return {
      conversation_id: conversationId,
      model,
      messages,
      ner_count: messages.reduce((sum, message) => sum + message.ner_count, 0),
      timestamp: new Date().toISOString(),
    }
  }

  /** The newest reply from after event `lastEventId`, and on as it is written. */
  async events(view: View, conversationId: string, lastEventId: number) {
    const { store, live, files } = this.dependencies
    const { shared } = await store.get(view, conversationId)
    const reply = await live.find(conversationId)
    const follow = (signal: AbortSignal) => reply?.follow(lastEventId, signal) ?? nothing()
    const isSeen = () => store.isSeen(view, conversationId)
    return (signal: AbortSignal): AsyncIterable<NumberedEvent> =>
      Number(shared) === 1 ? asShared(follow, { files }, { view, isSeen }, signal) : follow(signal)
  }

  /** Stops the reply that is being written, if any; what is written of it stays. */
  async cancel(view: View, conversationId: string): Promise<Conversation> {
    const { store, live } = this.dependencies
    await store.getOwn(view, conversationId)
    await live.cancel(conversationId)
    return this.get(view, conversationId)
  }

  /** For other nodes: a reply that is written here, or was a little while ago. */
  written(messageId: string): LiveReply | undefined {
    return this.dependencies.replies.byMessage(messageId)
  }

  /** For other nodes: stops a reply that is written here. @returns whether it is */
  async cancelWritten(messageId: string): Promise<boolean> {
    const live = this.written(messageId)
    return live !== undefined && !live.ended && this.dependencies.replies.cancel(live.conversationId)
  }

  list(view: View, request: ConversationListRequest) {
    return this.lists.page(view, request)
  }

  async get(view: View, conversationId: string): Promise<Conversation> {
    const { store, images, redactionEnforced } = this.dependencies
    const row = await store.get(view, conversationId)
    const messages = await store.messages(conversationId)
    const shown = await images.of(conversationId)
    return toConversation(row, messages, shown, {
      redactionEnforced: await redactionEnforced(view.workspaceId),
      isEndUser: Boolean(view.author?.endUser ?? view.own?.endUser),
    })
  }

  async change(view: View, conversationId: string, change: ConversationPatch): Promise<Conversation> {
    await changeConversation(this.dependencies, view, conversationId, change)
    return this.get(view, conversationId)
  }

  /** What its reader thought of an answer; null takes it back. @throws AppError not_found */
  async rate(
    view: View,
    at: { conversationId: string; messageId: string },
    feedback: Feedback | null,
  ): Promise<Conversation> {
    await rateAnswer(this.dependencies, view, at, feedback)
    return this.get(view, at.conversationId)
  }

  /** Puts a former answer in the place of the last one. @throws AppError see `chooseVariant` */
  async choose(
    view: View,
    conversationId: string,
    choice: { messageId: string; variantId: string },
  ): Promise<Conversation> {
    const { store } = this.dependencies
    await store.getOwn(view, conversationId)
    await this.holding(conversationId, () => store.transaction(trx => chooseVariant(trx, conversationId, choice)))
    return this.get(view, conversationId)
  }

  /**
   * @param receipt an open one that several removals share
   * @returns id of the receipt that says when it is gone
   * @throws AppError not_found; on_hold: a reply that is being written goes on then
   */
  async delete(view: View, conversationId: string, receipt?: string): Promise<string> {
    const { store } = this.dependencies
    await store.getOwn(view, conversationId)
    await store.refuseHeld(view.workspaceId, conversationId)
    await this.cancel(view, conversationId)
    return removeConversation(this.dependencies, view, conversationId, receipt)
  }

  /** By a rule that finds it due: nothing has been written in it for a day at least. @throws as `removeConversation` */
  expire(
    view: View,
    conversationId: string,
    { receipt, check }: { receipt: string; check(trx: Trx): Promise<void> },
  ): Promise<string> {
    return removeConversation(this.dependencies, view, conversationId, receipt, check)
  }

  /** A picture that came with a message. @throws AppError not_found */
  async image(view: View, conversationId: string, messageId: string, place: number): Promise<ShownImage> {
    const { store, images } = this.dependencies
    await store.get(view, conversationId)
    const image = (await images.of(conversationId)).get(messageId)?.[place]
    const bytes = image && (await images.find(image))
    if (!bytes) throw new AppError("not_found", { message: "there is no such picture" })
    return { bytes, mimeType: image.mime_type, sha256: image.sha256 }
  }

  /** Every file that was given to a conversation, by its id or with the conversation as its context. @throws AppError not_found */
  conversationFiles(view: View, conversationId: string): Promise<string[]> {
    return filesOfConversation(this.dependencies, view, conversationId)
  }

  /** Ends replies whose writers are gone, as far as they came. */
  recover(): Promise<void> {
    return this.dependencies.replyStore.closeInterrupted()
  }

  /** Stops what is being written: this node was taken for dead, and nothing of it counts any more. */
  abandon(): void {
    this.dependencies.replies.abandon()
  }

  /** Ends what is being written; to be called once, before the stores close. */
  stop(graceMs: number): Promise<void> {
    return this.dependencies.replies.stop(graceMs)
  }

  /** Begins a turn in an existing conversation. @param planOf null where there is nothing to answer */
  private turn(
    asker: Asker,
    conversationId: string,
    given: TurnRequest,
    planOf: (conversation: ConversationRow, messages: MessageRow[]) => Plan | null,
  ): Promise<Started> {
    const { store } = this.dependencies
    return this.once(asker, async () => {
      const conversation = await store.getToAnswer(asker.view, conversationId)
      return this.holding(conversationId, async () => {
        const plan = planOf(conversation, await this.settled(conversationId))
        return plan
          ? beginTurn(this.dependencies, asker, conversationId, given, plan)
          : changeOnly(this.dependencies, asker, given, conversation)
      })
    })
  }

  /** The messages of a conversation that is held. @throws AppError conversation_busy while another node writes in it */
  private async settled(conversationId: string): Promise<MessageRow[]> {
    const { store, replyStore } = this.dependencies
    const messages = await store.messages(conversationId)
    const last = messages.at(-1)
    if (!last || !isBeingWritten(last)) return messages
    if (!(await replyStore.endAbandoned(last.id))) throw new AppError("conversation_busy")
    return store.messages(conversationId)
  }

  /** Holds the conversation for one turn; lets go of it when the turn cannot begin. */
  private async holding<Begun>(conversationId: string, work: () => Promise<Begun>): Promise<Begun> {
    const { replies } = this.dependencies
    replies.take(conversationId)
    try {
      return await work()
    } finally {
      replies.give(conversationId)
    }
  }

  /** Begins a turn, unless the call repeats one that did: then that one is followed. */
  private once(asker: Asker, begin: () => Promise<Started>): Promise<Started> {
    return this.dependencies.idempotency.once(asker.repetition, begin, noted =>
      this.repeated(asker.view, JSON.parse(noted)),
    )
  }

  /** @throws AppError not_found when conversation or reply have been removed since */
  private async repeated(view: View, { conversationId, created, replyId, messageIds }: NotedTurn) {
    const { store, live } = this.dependencies
    const row = await store.get(view, conversationId)
    const messages = await store.messages(conversationId)
    const { model, created_at, additional_metadata } = toSummary(row, messages.length)
    const data = { conversation_id: conversationId, model, created_at, additional_metadata }
    const first = created ? [{ event: "conversation_created" as const, data }] : []
    const reply = await live.find(conversationId, replyId, first)
    if (!reply) throw new AppError("not_found", { message: "the reply to this request has been removed" })
    return { conversationId, reply, messageIds }
  }
}

async function* nothing(): AsyncGenerator<NumberedEvent> {}

function assertMessage({ message }: TurnRequest): void {
  if (!message) throw invalid("message", "must not be empty")
}
