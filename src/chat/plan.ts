/** What each way of asking does to the messages of its conversation. Pure. */
import { AppError } from "../errors.ts"
import type { ConversationRow, MessageRow } from "./conversation-rows.ts"

export interface Plan {
  /** Null makes one. */
  conversation: ConversationRow | null
  /** Its newest message now. */
  last: MessageRow | undefined
  /** Messages from this position on are removed first; null removes none. */
  removeFrom: number | null
  /** Messages before the one that is answered, oldest first. */
  history: readonly MessageRow[]
  /** The message that is answered; null for the request's own, which is added. */
  question: MessageRow | null
  /** The message whose place the request's own takes: its pictures stay where the request brings none. */
  replaced: MessageRow | null
  /** The reply whose place the new one takes: it is kept as a variant of it. */
  former: MessageRow | null
  /** A reply that was cut and is written on in its place; null for a new one. */
  cut: MessageRow | null
}

export const newConversation: Plan = {
  conversation: null,
  last: undefined,
  removeFrom: null,
  history: [],
  question: null,
  replaced: null,
  former: null,
  cut: null,
}

/** A further message. */
export const followUp = (conversation: ConversationRow, messages: readonly MessageRow[]): Plan => ({
  ...newConversation,
  conversation,
  last: messages.at(-1),
  history: messages,
})

/** Writes on a reply that was cut, or answers a message that has no answer; null where there is nothing to do. */
export function continuation(conversation: ConversationRow, messages: readonly MessageRow[]): Plan | null {
  const last = messages.at(-1)
  if (!last || (last.role === "assistant" && last.finish_reason === "stop")) return null
  const asked = messages.findLastIndex(message => message.role === "user")
  return {
    ...followUp(conversation, messages),
    history: messages.slice(0, asked),
    question: messages[asked]!,
    cut: last.role === "assistant" ? last : null,
  }
}

/**
 * Writes a reply anew, and removes all that came after it.
 * @param messageId of the reply, or of the message that it answers
 * @param replaced the message is replaced by the request's own
 * @throws AppError not_found
 */
export function anew(
  conversation: ConversationRow,
  messages: readonly MessageRow[],
  messageId: string,
  replaced: boolean,
): Plan {
  const at = messages.findIndex(message => message.id === messageId)
  const asked = messages.findLastIndex((message, i) => i <= at && message.role === "user")
  if (at < 0 || asked < 0) throw new AppError("not_found", { message: "there is no such message" })
  const question = replaced ? null : messages[asked]!
  const kept = question ?? messages[asked - 1]
  return {
    ...followUp(conversation, messages),
    history: messages.slice(0, asked),
    removeFrom: (kept?.position ?? 0) + 1,
    question,
    former: question && messages[asked + 1]?.role === "assistant" ? messages[asked + 1]! : null,
    replaced: replaced ? messages[asked]! : null,
  }
}
