/**
 * Answers to questions that come with their own messages and tools (`question.ts`), and are kept all the same: each is a
 * reply in a conversation, written, followed, stopped and interrupted as any other, and beside it stands what was asked, so
 * that a later question may go on from it.
 */
import { ownerColumns } from "../access/owner.ts"
import type { View } from "../access/view.ts"
import type { ChatTurn } from "../backends/backend.ts"
import type { Guard } from "../grounding/guard.ts"
import { newId } from "../id.ts"
import { checkMetadata } from "../library/labels.ts"
import { keptRedaction } from "../redaction/redact.ts"
import type { Executor } from "../storage/database.ts"
import { note } from "../storage/idempotency.ts"
import type { Asked } from "./asked.ts"
import {
  CONVERSATION_CHANGE,
  type ConversationRow,
  settingsOf as keptSettings,
  type MessageRow,
  NEW_CONVERSATION,
  type NewUserMessage,
  USER_MESSAGE,
} from "./conversation-rows.ts"
import type { ChatDependencies } from "./dependencies.ts"
import { isSaid, placesOf, placesOfAnswer } from "./history/kept-places.ts"
import { memoryOf } from "./history/memory.ts"
import type { Place } from "./history/summary.ts"
import { type KeptAnswer, NEW_KEPT_ANSWER, type NewKeptAnswer, noSuchAnswer } from "./kept-answer-store.ts"
import type { FollowedReply } from "./live-events.ts"
import { LiveReply } from "./live-reply.ts"
import { endUserFor, type Turn } from "./prepare.ts"
import { prepareQuestion, type Question } from "./question.ts"
import { ReplyWriter } from "./reply-writer.ts"
import { type ChatSettings, DEFAULT_SETTINGS, titleOf } from "./settings.ts"
import type { Asker } from "./turn.ts"

/** A question whose answer is kept. What was said before comes from the answer that it goes on from. */
export interface KeptQuestion extends Omit<Question, "before"> {
  /** Of a new conversation. */
  metadata?: Record<string, unknown> | undefined
  echo: Record<string, unknown>
}

export interface KeptStarted {
  answer: KeptAnswer
  reply: FollowedReply
}

/** Where an answer goes: the conversation, null for a new one, and what is in it. */
export interface KeptPlan {
  conversationId: string
  conversation: ConversationRow | null
  messages: readonly MessageRow[]
  previous: KeptAnswer | undefined
}

/** @throws AppError not_found, also for one in a conversation that is not the caller's, though shared with it */
export async function keptAnswer({ kept, store }: ChatDependencies, view: View, id: string): Promise<KeptAnswer> {
  const answer = await kept.find(id)
  if (!answer) throw noSuchAnswer()
  await store.getOwn(view, answer.conversationId).catch(() => {
    throw noSuchAnswer()
  })
  return answer
}

/** What was asked and answered, oldest first, as the next question is asked with it. */
export const turnsOf = (chain: readonly KeptAnswer[]): ChatTurn[] => chain.flatMap(turnsWith)

function turnsWith({ turns, calls, reply: { content } }: KeptAnswer): ChatTurn[] {
  if (calls.length > 0) return [...turns, { role: "assistant", content, toolCalls: calls }]
  return content ? [...turns, { role: "assistant", content }] : turns
}

/** Begins an answer in a conversation that is held for it. @throws AppError; nothing is stored then */
export async function beginKept(
  dependencies: ChatDependencies,
  asker: Asker,
  question: KeptQuestion,
  plan: KeptPlan,
): Promise<KeptStarted> {
  const { kept, replies } = dependencies
  const chain = plan.previous ? await kept.chain(plan.previous) : []
  const before = turnsOf(chain)
  const asked = await prepareQuestion(dependencies, asker.view, { ...question, before, keepsScope: true }, asker.signal)
  const settings = await settingsOf(dependencies, asker.view, question, asked, plan)
  const id = newId("resp")
  const toStore = { id, question, asked, settings, plan }
  const { conversation, userMessage, added, reply } = await storeQuestion(dependencies, asker, toStore)
  const { guard } = asked
  const places = historyPlaces(chain, { turns: question.messages, messages: added }, asked.history.length)
  const memory = await memoryOf(
    dependencies,
    { conversationId: conversation.id, replyId: reply.id, settings, guard },
    places,
  )
  const turn: Turn = {
    ...{ view: asker.view, requestId: asker.requestId, model: asked.model, scope: asked.scope, guard },
    settings,
    promptEntities: guard.count,
    conversation,
    created: plan.conversation === null,
    history: plan.messages,
    userMessage,
    replyId: reply.id,
    continued: null,
    asked: { ...asked, memory },
    onCalls: calls => kept.saveCalls(id, calls),
  }
  const live = new LiveReply(plan.conversationId, reply.id, reply.owner)
  replies.begin(live, new ReplyWriter(turn, live, dependencies))
  return { answer: (await kept.find(id))!, reply: live }
}

/** The stored messages that the turns of a history are: those of the answers before, then what came with the question. */
function historyPlaces(
  chain: readonly KeptAnswer[],
  given: { turns: readonly ChatTurn[]; messages: readonly Place[] },
  length: number,
): (Place | null)[] {
  const turns = [...turnsOf(chain), ...given.turns]
  const places = [
    ...chain.flatMap(answer => placesOfAnswer(answer, turnsWith(answer))),
    ...placesOf(given.turns, given.messages),
  ]
  // System messages at the beginning are no history.
  const first = turns.findIndex(turn => turn.role !== "system")
  return places.slice(first, first + length)
}

interface ToStore {
  id: string
  question: KeptQuestion
  asked: Asked
  settings: ChatSettings
  plan: KeptPlan
}

async function storeQuestion(
  dependencies: ChatDependencies,
  { view, repetition }: Asker,
  toStore: ToStore,
): Promise<{ conversation: ConversationRow; userMessage: MessageRow; added: MessageRow[]; reply: MessageRow }> {
  const { store, replyStore, kept } = dependencies
  const { id, question, asked, plan } = toStore
  const { guard, model } = asked
  const { conversationId, messages } = plan
  const turns = question.messages.map(withoutPictures)
  const said = await saidIn(turns, guard)
  const writeConversation = await conversationWrite(store, view, toStore)
  const added: NewKeptAnswer = { id, previousId: plan.previous?.id ?? null, turns, echo: question.echo }
  const guarded = await guard.pass(added, NEW_KEPT_ANSWER)
  return store.transaction(async trx => {
    const conversation = await writeConversation(trx)
    if (plan.conversation) await store.refuseOthers(conversationId, messages.at(-1), trx)
    const rows: MessageRow[] = []
    for (const { role, message } of said)
      rows.push(
        role === "user"
          ? await store.addUserMessage(conversationId, message, trx)
          : await store.addPastReply(conversationId, { message, model: model.info.value }, trx),
      )
    const owned = { model: model.info.value, redaction: guard.key, owner: replyStore.ownerId }
    const reply = await store.addReply(conversationId, owned, trx)
    const messageIds = [...rows, reply].map(row => row.id)
    await kept.insert(guarded, { conversationId, replyId: reply.id, messageIds }, trx)
    if (repetition) await note(trx, repetition, id)
    const userMessage = [...messages, ...rows].findLast(({ role }) => role === "user") ?? reply
    return { conversation, userMessage, added: rows, reply }
  })
}

/** Messages of users and of models as the conversation shows them; what was found in all is counted with the last of a user. */
async function saidIn(turns: readonly ChatTurn[], guard: Guard) {
  const said = turns.filter(isSaid)
  const last = said.findLastIndex(({ role }) => role === "user")
  return Promise.all(
    said.map(async ({ role, content }, at) => {
      const message: NewUserMessage = { content, nerCount: at === last ? guard.count : 0, redaction: guard.key }
      return { role, message: await guard.pass(message, USER_MESSAGE) }
    }),
  )
}

/** What is asked makes of its conversation, redacted already: the transaction only writes. */
async function conversationWrite(
  store: ChatDependencies["store"],
  view: View,
  { question, asked, settings, plan: { conversationId: id, conversation: known } }: ToStore,
): Promise<(trx: Executor) => Promise<ConversationRow>> {
  const { guard, model } = asked
  const endUser = endUserFor(view, question.endUser, known)
  if (known) {
    const filesSoFar: string[] = JSON.parse(known.file_ids)
    const fileIds = [...new Set([...filesSoFar, ...settings.file_ids])]
    const guarded = await guard.pass({ model: model.info.value, settings, fileIds }, CONVERSATION_CHANGE)
    return async trx => {
      await store.change(known, guarded, trx)
      return known
    }
  }
  const made = {
    id,
    workspaceId: view.workspaceId,
    owner: ownerColumns(view, endUser),
    title: titleOf(asked.message ?? ""),
    model: model.info.value,
    settings,
    additionalMetadata: checkMetadata(question.metadata ?? {}, "metadata"),
  }
  const guarded = await guard.pass(made, NEW_CONVERSATION)
  return trx => store.create(guarded, trx)
}

/** What a message that somebody adds to the conversation later inherits. */
async function settingsOf(
  { redactionEnforced }: ChatDependencies,
  view: View,
  { redaction }: Question,
  { settings, scope }: Asked,
  { conversation }: KeptPlan,
): Promise<ChatSettings> {
  const { history } = conversation ? keptSettings(conversation) : DEFAULT_SETTINGS
  return {
    ...DEFAULT_SETTINGS,
    history,
    ...settings,
    context_id: scope.contextId,
    file_ids: scope.fileIds ?? [],
    filter: scope.filter,
    redaction: keptRedaction(redaction ?? null, await redactionEnforced(view.workspaceId)),
  }
}

function withoutPictures(turn: ChatTurn): ChatTurn {
  if (turn.role !== "user" || !turn.images) return turn
  const { images: _, ...rest } = turn
  return rest
}
