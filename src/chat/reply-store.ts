/**
 * Replies in the database while they are written. Each row names the node that writes it, and what that node writes says
 * so: where the reply has ended, or is another's by now, nothing is changed.
 */
import { type ExpressionBuilder, sql } from "kysely"
import type { Account } from "../account.ts"
import { chargeModel } from "../governance/usage/entries.ts"
import type { Guarded } from "../guarded.ts"
import type { Peer } from "../nodes/peers.ts"
import type { Database, Executor, Trx } from "../storage/database.ts"
import { holdFiles, linkFiles, withoutTextsOf } from "../storage/file-texts.ts"
import { isGivenUp, type Owner } from "../storage/owners.ts"
import type { Schema } from "../storage/schema.ts"
import { type FinishedReply, INTERRUPTED, type MessageRow } from "./conversation-rows.ts"
import type { LiveReply, StopReason } from "./live-reply.ts"
import { filesOf, type Made, writeRecord } from "./record/record-store.ts"
import type { ReplyLog } from "./reply-log.ts"

/** What of a reply is stored while it goes on. */
export interface ReplyPart {
  live: LiveReply
  content: Guarded<string>
  /** What it is made of, where that is not stored yet. */
  made?: Made | undefined
}

/** Who writes a reply, as its row says. */
export interface ReplyWriting {
  /** Undefined for one that was removed. */
  row: MessageRow | undefined
  /** Where its events may be asked for; undefined once the reply is over or given up. */
  owner: Peer | undefined
  /** It is unfinished, and whoever wrote it is gone. */
  isGivenUp: boolean
}

export class ReplyStore {
  /**
   * @param owner whose the replies are that are begun here
   * @param log where other nodes find the events of those replies; absent where there are none
   */
  constructor(
    private readonly database: Database,
    private readonly owner: Owner,
    private readonly log: ReplyLog | undefined,
  ) {}

  /** Other nodes write replies of the same conversations, and may end those of this one. */
  get isShared(): boolean {
    return this.log !== undefined
  }

  /** Who writes what is begun now. */
  get ownerId(): string {
    return this.owner.id
  }

  /** Replies that a process or node was writing when it died end as they are. */
  async closeInterrupted(): Promise<void> {
    await this.database
      .updateTable("messages")
      .set({ finish_reason: "error", error: JSON.stringify(INTERRUPTED) })
      .where("role", "=", "assistant")
      .where("finish_reason", "is", null)
      .where(isGivenUp("messages.owner"))
      .execute()
  }

  /** A reply that is written on: unfinished again. Its record stays until the next: it holds the calls so far. */
  async reopen(
    messageId: string,
    { model, redaction }: Pick<MessageRow, "redaction"> & { model: string },
    executor: Executor,
  ): Promise<MessageRow> {
    await this.log?.clear(executor, messageId)
    return executor
      .updateTable("messages")
      .set({ finish_reason: null, error: null, warnings: "[]", model, redaction, owner: this.ownerId })
      .where("id", "=", messageId)
      .returningAll()
      .executeTakeFirstOrThrow()
  }

  /** The parts written so far of several replies, in one commit. */
  async saveParts(parts: readonly ReplyPart[]): Promise<void> {
    const events = parts.map(({ live }) => (this.log ? live.unsaved() : []))
    await this.database.transaction().execute(async trx => {
      const there = await holdFiles(
        trx,
        parts.flatMap(({ made }) => (made ? filesOf(made) : [])),
      )
      for (const [at, { live, content, made }] of parts.entries()) {
        const known = made && {
          sources: JSON.stringify(withoutTextsOf(made.sources, id => !there.has(id))),
          tool_calls: made.record.facts.tool_calls.length,
        }
        const { numUpdatedRows } = await trx
          .updateTable("messages")
          .set({ content, ...known })
          .where(isWrittenBy(live))
          .executeTakeFirst()
        if (numUpdatedRows === 0n) continue
        if (made) {
          await linkFiles(trx, live.messageId, there.intersection(new Set(filesOf(made))))
          await writeRecord(trx, live.messageId, made, there)
        }
        await this.log?.add(trx, live.messageId, events[at]!)
      }
    })
    for (const [at, { live }] of parts.entries()) live.save(events[at]!)
  }

  /**
   * Changes nothing of a reply that has ended, or is another's.
   * @param account counts what the reply took
   */
  async finish(live: LiveReply, reply: Guarded<FinishedReply>, account: Account, made?: Made): Promise<void> {
    const { conversationId, messageId } = live
    const events = this.log ? live.unsaved() : []
    const isStored = await this.database.transaction().execute(async trx => {
      const there = await holdFiles(trx, made ? filesOf(made) : reply.sources.map(({ file_id }) => file_id))
      // The conversation first, as in every transaction that changes both: two that meet wait and do not block each other.
      await trx
        .updateTable("conversations")
        .set({
          ner_count: sql<number>`${reply.nerCount} + (select coalesce(sum(ner_count), 0) from messages
            where conversation_id = ${conversationId} and id <> ${messageId})`,
          updated_at: new Date().toISOString(),
          ...(reply.contextTokens === null ? {} : { context_tokens: reply.contextTokens }),
        })
        .where("id", "=", conversationId)
        .where(eb => eb.exists(eb.selectFrom("messages").select("messages.id").where(isWrittenBy(live))))
        .execute()
      const { numUpdatedRows } = await trx
        .updateTable("messages")
        .set({
          content: reply.content,
          citations: JSON.stringify(reply.citations),
          sources: JSON.stringify(withoutTextsOf(reply.sources, id => !there.has(id))),
          finish_reason: reply.finishReason,
          error: reply.error ? JSON.stringify(reply.error) : null,
          warnings: JSON.stringify(reply.warnings),
          tool_calls: reply.toolCalls,
          ner_count: reply.nerCount,
          prompt_tokens: reply.promptTokens,
          completion_tokens: reply.completionTokens,
        })
        .where(isWrittenBy(live))
        .executeTakeFirst()
      await this.charge(trx, messageId, account, reply, numUpdatedRows > 0n)
      if (numUpdatedRows === 0n) return false
      await linkFiles(trx, messageId, there)
      if (made) await writeRecord(trx, messageId, made, there)
      await this.log?.add(trx, messageId, events)
      return true
    })
    live.save(events)
    live.isStored = isStored
  }

  /** Of one that was removed meanwhile it is counted as well: else who removes it in time would ask for nothing. */
  private async charge(
    trx: Trx,
    messageId: string,
    account: Account,
    { promptTokens, completionTokens }: Guarded<FinishedReply>,
    isStored: boolean,
  ): Promise<void> {
    const message = trx.selectFrom("messages").select("id").where("id", "=", messageId)
    if (!isStored && (await message.executeTakeFirst())) return
    await chargeModel(trx, account, { prompt_tokens: promptTokens, completion_tokens: completionTokens })
  }

  /** The last events of a reply that was stored with `finish`: how it ended, as its reader was told. */
  async logEnd(live: LiveReply): Promise<void> {
    if (!this.log) return
    const events = live.unsaved()
    await this.log.add(this.database, live.messageId, events)
    live.save(events)
    await this.log.sweep()
  }

  async writingOf(messageId: string): Promise<ReplyWriting> {
    const found = await this.database
      .selectFrom("messages")
      .leftJoin("nodes", join => join.onRef("nodes.id", "=", "messages.owner").on("nodes.ended_at", "is", null))
      .selectAll("messages")
      .select(["nodes.url", isGivenUp("messages.owner").as("given_up")])
      .where("messages.id", "=", messageId)
      .executeTakeFirst()
    if (!found) return { row: undefined, owner: undefined, isGivenUp: false }
    const { url, given_up, ...row } = found
    if (row.finish_reason !== null) return { row, owner: undefined, isGivenUp: false }
    const owner = url !== null && row.owner !== null ? { id: row.owner, url } : undefined
    return { row, owner, isGivenUp: Boolean(given_up) }
  }

  /** Of the replies that are written here those that are not to be any more: ended, removed or taken over by others. */
  async ended(replies: readonly LiveReply[]): Promise<{ live: LiveReply; reason: StopReason }[]> {
    if (replies.length === 0) return []
    const ids = replies.map(({ messageId }) => messageId)
    const found = await this.database
      .selectFrom("messages")
      .select(["id", "owner", "finish_reason"])
      .where("id", "in", ids)
      .execute()
    const rows = new Map(found.map(row => [row.id, row]))
    return replies.flatMap(live => {
      const row = rows.get(live.messageId)
      if (row && row.finish_reason === null && row.owner === live.owner) return []
      const reason: StopReason = !row || row.finish_reason === "cancelled" ? "cancelled" : "shutdown"
      return [{ live, reason }]
    })
  }

  /**
   * Ends a reply that nobody writes though its row says so: its end could not be stored, or its node is gone. To be called
   * by who holds the conversation on this node. @returns false where another node writes it
   */
  async endAbandoned(messageId: string): Promise<boolean> {
    const { numUpdatedRows } = await this.database
      .updateTable("messages")
      .set({ finish_reason: "error", error: JSON.stringify(INTERRUPTED) })
      .where("id", "=", messageId)
      .where("finish_reason", "is", null)
      .where(eb => eb.or([eb("owner", "is not distinct from", this.ownerId), isGivenUp("messages.owner")]))
      .executeTakeFirst()
    return numUpdatedRows > 0n
  }

  /** Ends a reply whose writer cannot be told to: it finds that in its row. */
  async endCancelled(messageId: string): Promise<void> {
    await this.database
      .updateTable("messages")
      .set({ finish_reason: "cancelled" })
      .where("id", "=", messageId)
      .where("finish_reason", "is", null)
      .execute()
  }
}

/** A reply, and who began to write it. */
export type WrittenReply = Pick<LiveReply, "messageId" | "owner">

/** An unfinished message that is still its writer's. */
export const isWrittenBy =
  ({ messageId, owner }: WrittenReply) =>
  (eb: ExpressionBuilder<Schema, "messages">) =>
    eb.and([
      eb("messages.id", "=", messageId),
      eb("messages.owner", "is not distinct from", owner),
      eb("messages.finish_reason", "is", null),
    ])
