/** Replies as they are followed and stopped, wherever they are written. */
import type { MessageRow } from "./conversation-rows.ts"
import type { ConversationStore } from "./conversation-store.ts"
import type { ChatEvent, NumberedEvent } from "./events.ts"
import { replayStored } from "./replay.ts"
import type { Replies } from "./replies.ts"

/** One reply, while it is written or after. */
export interface FollowedReply {
  readonly conversationId: string
  readonly messageId: string
  /** Events after number `after`, those to come included, until the reply ends or the reader leaves. */
  follow(after: number, signal: AbortSignal): AsyncIterable<NumberedEvent>
  /** Waits until the reply is stored. @returns what it failed with */
  outcome(): Promise<Error | undefined>
}

export interface LiveEvents {
  /**
   * The newest reply of a conversation, or that message; undefined where there is none.
   * @param before comes first of all where the reply is told from what is stored
   */
  find(conversationId: string, messageId?: string, before?: readonly ChatEvent[]): Promise<FollowedReply | undefined>
  /** Stops the reply that is being written, if any, and waits for a while until it is stored. */
  cancel(conversationId: string): Promise<void>
}

/** Of one machine: what is being written is written here. */
export class LiveHere implements LiveEvents {
  constructor(
    private readonly store: ConversationStore,
    private readonly replies: Replies,
  ) {}

  async find(
    conversationId: string,
    messageId?: string,
    before?: readonly ChatEvent[],
  ): Promise<FollowedReply | undefined> {
    const live = this.replies.newestOf(conversationId)
    if (live && (messageId === undefined || live.messageId === messageId)) return live
    const messages = await this.store.messages(conversationId)
    const reply = replyIn(messages, messageId)
    return reply && storedReply(conversationId, messages, reply, before)
  }

  async cancel(conversationId: string): Promise<void> {
    await this.replies.cancel(conversationId)
  }
}

export const replyIn = (messages: readonly MessageRow[], messageId: string | undefined): MessageRow | undefined =>
  messageId === undefined
    ? messages.findLast(({ role }) => role === "assistant")
    : messages.find(({ id }) => id === messageId)

/** One that is over. What it failed with is told by its message. */
export function storedReply(
  conversationId: string,
  messages: readonly MessageRow[],
  reply: MessageRow,
  before: readonly ChatEvent[] = [],
): FollowedReply {
  const upToReply = messages.slice(0, messages.indexOf(reply) + 1)
  return {
    conversationId,
    messageId: reply.id,
    follow: after => replayStored(conversationId, upToReply, after, before),
    outcome: async () => undefined,
  }
}
