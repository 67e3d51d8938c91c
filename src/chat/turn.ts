/**
 * One turn, from what is asked to the reply that runs by itself: the request is checked (`prepare.ts`), its messages are
 * stored in one transaction, and a writer carries the reply to its end (`reply-writer.ts`).
 *
 * What is wrong with a request is thrown before anything is stored; what goes wrong later is an event of the reply.
 */
import { ownerColumns } from "../access/owner.ts"
import type { View } from "../access/view.ts"
import type { Guard } from "../grounding/guard.ts"
import type { Executor } from "../storage/database.ts"
import { type IdempotentRequest, note } from "../storage/idempotency.ts"
import {
  CONVERSATION_CHANGE,
  type ConversationChange,
  type ConversationRow,
  type MessageRow,
  NEW_CONVERSATION,
  type NewConversation,
} from "./conversation-rows.ts"
import type { ConversationStore } from "./conversation-store.ts"
import type { ChatDependencies } from "./dependencies.ts"
import type { StoredImage } from "./images/message-images.ts"
import type { FollowedReply } from "./live-events.ts"
import { LiveReply } from "./live-reply.ts"
import type { Plan } from "./plan.ts"
import { asSeen, type Prepared, prepareTurn, type Turn } from "./prepare.ts"
import { ReplyWriter } from "./reply-writer.ts"
import { type TurnRequest, titleOf } from "./settings.ts"
import { keptCalls } from "./tools/kept-calls.ts"
import { withFormer } from "./variants.ts"

/** Who asks. */
export interface Asker {
  view: View
  /** Named in errors. */
  requestId: string
  /** Of the client that waits; see underGuard. */
  signal?: AbortSignal
  /** Of a call with an Idempotency-Key. */
  repetition?: IdempotentRequest | undefined
}

/** A turn under way; no reply where there was nothing to do. */
export interface Started {
  conversationId: string
  reply: FollowedReply | undefined
  /** Messages that this call added or extended. */
  messageIds: string[]
}

/** What a repetition of a call needs to follow the turn that the first one began. */
export interface NotedTurn {
  conversationId: string
  created: boolean
  replyId: string
  messageIds: string[]
}

/** The rows of a turn as they stand when its reply begins. */
interface StoredTurn {
  conversation: ConversationRow
  question: MessageRow
  reply: MessageRow
  messageIds: string[]
}

/**
 * Begins a turn in a conversation that is held for it.
 * @param conversationId of a new conversation as well
 * @throws AppError; nothing is stored then
 */
export async function beginTurn(
  dependencies: ChatDependencies,
  asker: Asker,
  conversationId: string,
  given: TurnRequest,
  plan: Plan,
): Promise<Started> {
  const prepared = await prepareTurn(dependencies, asker.view, given, plan.conversation, asker.signal)
  const continued = plan.cut && (await cutOf(dependencies, asker.view, plan.cut, prepared.guard))
  const stored = await storeTurn(dependencies, asker, conversationId, prepared, plan)
  const turn = await turnOf(asker, prepared, plan, stored, continued)
  const live = new LiveReply(conversationId, turn.replyId, stored.reply.owner)
  dependencies.replies.begin(live, new ReplyWriter(turn, live, dependencies))
  return { conversationId, reply: live, messageIds: stored.messageIds }
}

/** Applies what a request changes in its conversation, where there is nothing to answer. */
export async function changeOnly(
  dependencies: ChatDependencies,
  { view, signal }: Asker,
  given: TurnRequest,
  conversation: ConversationRow,
): Promise<Started> {
  const { store } = dependencies
  const prepared = await prepareTurn(dependencies, view, given, conversation, signal)
  await store.transaction(await conversationWrite(store, view, conversation.id, prepared, conversation))
  return { conversationId: conversation.id, reply: undefined, messageIds: [] }
}

/** Bytes of pictures are stored before the rows that name them, and removed after those that do no more. */
async function storeTurn(
  dependencies: ChatDependencies,
  asker: Asker,
  id: string,
  prepared: Prepared,
  plan: Plan,
): Promise<StoredTurn> {
  const { images } = dependencies
  const written = await images.write(asker.view.workspaceId, prepared.images ?? [])
  const former = plan.removeFrom === null ? [] : [...(await images.of(id)).values()].flat()
  const { replaced } = plan
  const taken = replaced && !prepared.images ? former.filter(({ message_id }) => message_id === replaced.id) : []
  try {
    return await storeRows(dependencies, asker, id, { ...prepared, pictures: [...written, ...taken] }, plan)
  } catch (error) {
    await images.remove(written)
    throw error
  } finally {
    await images.remove(former)
  }
}

async function storeRows(
  { store, replyStore, images }: ChatDependencies,
  { view, repetition }: Asker,
  id: string,
  prepared: Prepared & { pictures: StoredImage[] },
  { conversation: known, last, removeFrom, question, former, cut }: Plan,
): Promise<StoredTurn> {
  const { model, guard, added: message, pictures } = prepared
  const writeConversation = await conversationWrite(store, view, id, prepared, known)
  return store.transaction(async trx => {
    if (removeFrom !== null) await store.refuseHeld(view.workspaceId, id, trx)
    const conversation = await writeConversation(trx)
    if (known) await store.refuseOthers(id, last, trx)
    if (removeFrom !== null) await store.deleteFrom(id, removeFrom, trx)
    const asked = question ?? (await store.addUserMessage(id, message, trx))
    if (!question) await images.insert(asked.id, pictures, trx)
    const added = { model: model.info.value, redaction: guard.key, owner: replyStore.ownerId }
    const reply = cut
      ? await replyStore.reopen(cut.id, added, trx)
      : await store.addReply(id, { ...added, variants: withFormer(former) }, trx)
    const messageIds = question ? [reply.id] : [asked.id, reply.id]
    // Together with the messages, so that a repetition after a crash finds both or neither.
    const noted: NotedTurn = { conversationId: id, created: known === null, replyId: reply.id, messageIds }
    if (repetition) await note(trx, repetition, JSON.stringify(noted))
    return { conversation, question: asked, reply, messageIds }
  })
}

/** What the request makes of its conversation, redacted already: the transaction only writes. */
async function conversationWrite(
  store: ConversationStore,
  view: View,
  id: string,
  { request, settings, model, guard, added, endUser }: Prepared,
  known: ConversationRow | null,
): Promise<(trx: Executor) => Promise<ConversationRow>> {
  if (!known) {
    const made: NewConversation = {
      id,
      workspaceId: view.workspaceId,
      owner: ownerColumns(view, endUser),
      title: request.title || titleOf(added.content),
      model: model.info.value,
      settings,
      additionalMetadata: request.additional_metadata ?? {},
    }
    const guarded = await guard.pass(made, NEW_CONVERSATION)
    return trx => store.create(guarded, trx)
  }
  const filesSoFar: string[] = JSON.parse(known.file_ids)
  const change: ConversationChange = {
    model: model.info.value,
    settings,
    fileIds: [...new Set([...filesSoFar, ...settings.file_ids])],
    ...(request.additional_metadata ? { additionalMetadata: request.additional_metadata } : {}),
    ...(request.title ? { title: request.title } : {}),
  }
  const guarded = await guard.pass(change, CONVERSATION_CHANGE)
  return async trx => {
    await store.change(known, guarded, trx)
    return known
  }
}

async function turnOf(
  { view, requestId }: Asker,
  prepared: Prepared,
  { conversation: known, history, question }: Plan,
  stored: StoredTurn,
  continued: Turn["continued"],
): Promise<Turn> {
  const { model, settings, scope, guard, promptEntities } = prepared
  return {
    ...{ model, settings, scope, guard, promptEntities },
    view,
    requestId,
    conversation: stored.conversation,
    created: known === null,
    history,
    userMessage: question ? await asSeen(question, guard) : stored.question,
    replyId: stored.reply.id,
    continued,
  }
}

/** Null for a reply that failed before its first word and its first call: it is written anew, with a new search. */
async function cutOf(
  dependencies: ChatDependencies,
  view: View,
  cut: MessageRow,
  guard: Guard,
): Promise<Turn["continued"]> {
  const { written, calls } = await keptCalls(dependencies, view, cut, guard)
  if (!written && calls.uses.length === 0) return null
  return { written, calls, sources: JSON.parse(cut.sources), nerCount: cut.ner_count }
}
