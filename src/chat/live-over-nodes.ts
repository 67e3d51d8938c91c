/**
 * Replies of a cluster: each is written by the node that its row names, and followed and stopped through any. That node
 * streams its events to the others; where it is not reached, what it has stored goes on in their place.
 *
 * Events have the same numbers everywhere: a reader that comes back with the last of them, to whichever node, gets those
 * after it, once each. Where they are not kept any more, or the writer died with some that were never stored, it gets the
 * end, which holds the whole content, numbered on from what it has.
 */
import { AppError, ERRORS, type ErrorBody, type ErrorCode } from "../errors.ts"
import { type FollowedWork, followOverNodes, type StoredWork } from "../nodes/follow.ts"
import type { Peers } from "../nodes/peers.ts"
import { INTERRUPTED, isBeingWritten, type MessageRow } from "./conversation-rows.ts"
import type { ConversationStore } from "./conversation-store.ts"
import type { ChatEvent, NumberedEvent } from "./events.ts"
import { type FollowedReply, type LiveEvents, replyIn, storedReply } from "./live-events.ts"
import { endOf, failedEnd, numbered, readEvent } from "./replay.ts"
import { CANCEL_WAIT_MS, type Replies } from "./replies.ts"
import type { ReplyLog } from "./reply-log.ts"
import type { ReplyStore } from "./reply-store.ts"

/** Below it a node streams the events of replies that it writes, and stops them. */
export const REPLIES_PATH = "/_node/replies"

const REMOVED: ErrorBody = { code: "not_found", message: "the reply has been removed" }

export interface OverNodesDependencies {
  store: ConversationStore
  replyStore: ReplyStore
  log: ReplyLog
  replies: Replies
  peers: Peers
}

export class LiveOverNodes implements LiveEvents {
  constructor(private readonly dependencies: OverNodesDependencies) {}

  async find(
    conversationId: string,
    messageId?: string,
    before?: readonly ChatEvent[],
  ): Promise<FollowedReply | undefined> {
    const { store, replies, log } = this.dependencies
    const running = replies.runningIn(conversationId)
    if (running && (messageId === undefined || running.messageId === messageId)) return running
    const messages = await store.messages(conversationId)
    const reply = replyIn(messages, messageId)
    if (!reply) return undefined
    if (isBeingWritten(reply)) return this.elsewhere(conversationId, reply)
    const live = replies.newestOf(conversationId)
    // Another node may have written on it since.
    if (live?.messageId === reply.id && live.owner === reply.owner) return live
    return (await log.has(reply.id))
      ? this.elsewhere(conversationId, reply)
      : storedReply(conversationId, messages, reply, before)
  }

  /** The row of a reply whose node is alive and not reached is ended: its writer finds that when it looks next. */
  async cancel(conversationId: string): Promise<void> {
    const { store, replyStore, replies, peers } = this.dependencies
    if (await replies.cancel(conversationId)) return
    const reply = (await store.messages(conversationId)).findLast(isBeingWritten)
    if (!reply) return
    const { owner } = await replyStore.writingOf(reply.id)
    const path = `${REPLIES_PATH}/${reply.id}/cancel`
    const isTold = owner && peers.isReached(owner) && (await peers.call(owner, path, CANCEL_WAIT_MS + 1_000))
    if (!isTold) await replyStore.endCancelled(reply.id)
  }

  private elsewhere(conversationId: string, reply: MessageRow): FollowedReply {
    const { replyStore, peers } = this.dependencies
    const follow = async function* (this: LiveOverNodes, after: number, signal: AbortSignal) {
      const work = new ReplyElsewhere(this.dependencies, reply)
      const { owner } = await replyStore.writingOf(reply.id)
      yield* followOverNodes(work, owner, peers, after, signal)
    }.bind(this)
    return {
      conversationId,
      messageId: reply.id,
      follow,
      async outcome() {
        for await (const { event, data } of follow(0, new AbortController().signal))
          if (event === "error") return errorOf(data.error)
        return undefined
      },
    }
  }
}

/** One reply as `followOverNodes` knows it. */
class ReplyElsewhere implements FollowedWork<NumberedEvent> {
  readonly read = readEvent
  /** Whoever sees a reply being written is told when its writer dies; who comes later gets what stands of it. */
  private readonly wasSeen: boolean

  /** @param reply as it was found */
  constructor(
    private readonly dependencies: OverNodesDependencies,
    private readonly reply: MessageRow,
  ) {
    this.wasSeen = isBeingWritten(reply)
  }

  target(after: number): string {
    return `${REPLIES_PATH}/${this.reply.id}/events?after=${after}`
  }

  isLast({ event }: NumberedEvent): boolean {
    return event === "done"
  }

  async stored(after: number): Promise<StoredWork<NumberedEvent>> {
    const { replyStore, log } = this.dependencies
    // Before its events: what is stored with the end of a reply is there once the end is.
    const { row, owner, isGivenUp } = await replyStore.writingOf(this.reply.id)
    const { events, isWhole } = await log.after(this.reply.id, after)
    if (isWhole) return { events, isOver: true, owner: undefined }
    if (isGivenUp) await replyStore.closeInterrupted() // and told at the next look
    const end = this.endOf(row)
    if (end) events.push(...numbered(end, events.at(-1)?.id ?? after))
    return { events, isOver: end !== undefined, owner }
  }

  /** Undefined while it goes on. */
  private endOf(row: MessageRow | undefined): ChatEvent[] | undefined {
    const { id, owner } = this.reply
    if (row?.owner !== owner) return failedEnd(id, REMOVED)
    if (isBeingWritten(row)) return undefined
    const isInterrupted = row.error !== null && JSON.parse(row.error).code === INTERRUPTED.code
    return isInterrupted && this.wasSeen ? failedEnd(id, INTERRUPTED) : endOf(row)
  }
}

/** What a stream told as an error, for who waits for the whole answer. */
function errorOf({ code, message, details, hint }: ErrorBody): AppError {
  const options = { message, ...(details ? { details } : {}), ...(hint ? { hint } : {}) }
  return code in ERRORS
    ? new AppError(code as ErrorCode, options)
    : new AppError("overloaded", { ...options, retryAfter: 10 })
}
