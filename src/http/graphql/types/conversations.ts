/** Conversations and their messages. */

import type { ListedConversation, PlacedMessage } from "../../../chat/conversation-lists.ts"
import { cursorOf } from "../../cursor.ts"
import { type Asked, there } from "../asked.ts"
import { type ConnectionArguments, connection, firstOf, ofWindow, placeAfter, windowOf } from "../connection.ts"
import { citationNodes } from "./citations.ts"

/** Whose conversations and runs; a null is as nothing. */
export interface OwnedArguments extends ConnectionArguments {
  endUser?: string | null
  ownerType?: "key" | "user" | null
  shared?: boolean | null
}

interface ConversationsArguments extends OwnedArguments {
  query?: string | null
}

const LIST = "conversations"
const MESSAGES = "messages"

const conversationNode = (record: ListedConversation, asked: Asked) => ({
  ...record,
  id: record.conversation_id,
  async messages(given: ConnectionArguments) {
    const window = windowOf(given, MESSAGES)
    const found = await asked.loaders.messages(window).load(record.conversation_id)
    const node = (message: PlacedMessage) => messageNode(record.conversation_id, message, asked)
    const place = (message: PlacedMessage) => message.position
    return ofWindow(found, window, { list: MESSAGES, place, node, total: record.message_count })
  },
})

function messageNode(conversationId: string, message: PlacedMessage, asked: Asked) {
  const { messages } = asked.linked.messages({ conversation_id: conversationId, messages: [message] })
  return { ...messages[0]!, citations: () => citationNodes(message.citations, asked) }
}

/** @throws AppError not_found */
export async function conversation({ id }: { id: string }, asked: Asked) {
  return conversationNode(there(await asked.loaders.conversations.load(id), "conversation", id, asked), asked)
}

export async function conversations(given: ConversationsArguments, asked: Asked) {
  const { lists } = asked.house.chat
  const filter = { ...ownedFilter(given), ...(given.query ? { query: given.query } : {}) }
  const place = placeAfter(given, LIST, ["string", "string"])
  const after = place && { updatedAt: place[0], id: place[1] }
  const { items, hasMore } = await lists.after(asked.view, { ...filter, after, limit: firstOf(given, 20) })
  const entries = items.map(record => ({
    node: conversationNode(record, asked),
    cursor: cursorOf(LIST, record.updated_at, record.conversation_id),
  }))
  const total = () => lists.total(asked.view, filter)
  return connection(entries, { hasMore, isBehind: after !== undefined, total })
}

export const ownedFilter = ({ endUser, ownerType, shared }: OwnedArguments) => ({
  ...(endUser === undefined || endUser === null ? {} : { endUser }),
  ...(ownerType ? { ownerType } : {}),
  ...(shared === undefined || shared === null ? {} : { shared }),
})
