/** Conversations and their messages in the database. What is written has passed the guard of its turn. */
import { sql } from "kysely"
import { ownedBy, ownerName, refuseWork } from "../access/owner.ts"
import { onlyShared, readBy, sharing } from "../access/shares.ts"
import type { View } from "../access/view.ts"
import { AppError, invalid } from "../errors.ts"
import { keepHeldIds, refuseHeld } from "../governance/holds/refuse.ts"
import type { Guarded } from "../guarded.ts"
import type { Database, Executor, Trx } from "../storage/database.ts"
import { inOrder } from "../storage/shared.ts"
import { ConversationLists } from "./conversation-lists.ts"
import {
  type ConversationChange,
  type ConversationPatch,
  type ConversationRow,
  emptyMessage,
  isBeingWritten,
  type MessageRow,
  type NewConversation,
  type NewUserMessage,
  settingsOf,
} from "./conversation-rows.ts"
import { summaryOf } from "./history/summary.ts"
import { dropSummaryOf } from "./history/summary-store.ts"
import type { Feedback } from "./types.ts"

const now = (): string => new Date().toISOString()

export class ConversationStore {
  readonly lists: ConversationLists

  constructor(private readonly database: Database) {
    this.lists = new ConversationLists(database)
  }

  /** For who reads it. @throws AppError not_found, also for a conversation that the caller does not see */
  async get(view: View, id: string): Promise<ConversationRow> {
    const row = await this.database
      .selectFrom("conversations")
      .selectAll()
      .select(ownerName("conversations"))
      .select(sharing("conversations", view))
      .where("id", "=", id)
      .where(readBy(view, "conversations"))
      .executeTakeFirst()
    if (!row) throw new AppError("not_found", { message: "there is no such conversation" })
    return row
  }

  async isSeen(view: View, id: string): Promise<boolean> {
    const found = this.database.selectFrom("conversations").select("id").where("id", "=", id)
    return (await found.where(readBy(view, "conversations")).executeTakeFirst()) !== undefined
  }

  /** For who changes it. @throws AppError not_found; forbidden where it is only shared with the caller */
  async getOwn(view: View, id: string): Promise<ConversationRow> {
    const row = await this.get(view, id)
    if (Number(row.shared) === 1) throw onlyShared()
    return row
  }

  /** One that the caller may have answers written into. @throws AppError not_found; forbidden: see `refuseWork` */
  async getToAnswer(view: View, id: string): Promise<ConversationRow> {
    const row = await this.getOwn(view, id)
    await refuseWork(this.database, view, row)
    return row
  }

  /** In order. */
  messages(conversationId: string): Promise<MessageRow[]> {
    return this.database
      .selectFrom("messages")
      .selectAll()
      .where("conversation_id", "=", conversationId)
      .orderBy("position")
      .execute()
  }

  async create(conversation: Guarded<NewConversation>, executor: Executor) {
    const { id, workspaceId, owner, title, model, settings, additionalMetadata } = conversation
    const created = now()
    return executor
      .insertInto("conversations")
      .values({
        id,
        workspace_id: workspaceId,
        ...owner,
        title,
        model,
        settings: JSON.stringify(settings),
        additional_metadata: JSON.stringify(additionalMetadata),
        file_ids: JSON.stringify(settings.file_ids),
        created_at: created,
        updated_at: created,
        ner_count: 0,
        context_tokens: null,
        summary: null,
        summary_position: null,
      })
      .returningAll()
      .returning(ownerName("conversations"))
      .returning(sharing("conversations"))
      .executeTakeFirstOrThrow()
  }

  /** To be called first in its transaction. @param known as it was before */
  async change(known: ConversationRow, change: Guarded<ConversationChange>, executor: Executor): Promise<void> {
    const { id, workspace_id: workspaceId } = known
    if (settingsOf(known).context_id !== change.settings.context_id) {
      await inOrder(executor, workspaceId)
      await keepHeldIds(executor, workspaceId, "conversations", [id])
    }
    await executor
      .updateTable("conversations")
      .set({
        model: change.model,
        settings: JSON.stringify(change.settings),
        file_ids: JSON.stringify(change.fileIds),
        ...(change.additionalMetadata ? { additional_metadata: JSON.stringify(change.additionalMetadata) } : {}),
        ...(change.title ? { title: change.title } : {}),
        updated_at: now(),
      })
      .where("id", "=", id)
      .execute()
  }

  /**
   * @param redaction digest of what the change went through
   * @throws AppError invalid_request for a summary where there is none
   */
  async patch(id: string, change: Guarded<ConversationPatch>, redaction: string | null): Promise<void> {
    const { title, additional_metadata: metadata, history, summary, pinned, folder } = change
    const isOnlyKept = title === undefined && !metadata && history === undefined && summary === undefined
    await this.database.transaction().execute(async trx => {
      // First of all, so that whoever changes it at the same time waits.
      const row = await trx
        .updateTable("conversations")
        .set({
          ...(title === undefined ? {} : { title }),
          ...(metadata === undefined ? {} : { additional_metadata: JSON.stringify(metadata) }),
          ...(summary === null ? { summary: null, summary_position: null } : {}),
          ...(pinned === undefined ? {} : { pinned: Number(pinned) }),
          ...(folder === undefined ? {} : { folder: folder.trim() || null }),
          // Where it is kept says nothing about when it was used.
          ...(isOnlyKept ? { updated_at: sql<string>`updated_at` } : { updated_at: now() }),
        })
        .where("id", "=", id)
        .returning(["settings", "summary"])
        .executeTakeFirst()
      if (!row || (history === undefined && !summary)) return
      const known = summaryOf(row.summary)
      if (summary && !known) throw invalid("summary", "the conversation has none to put another in place of")
      await trx
        .updateTable("conversations")
        .set({
          ...(history === undefined ? {} : { settings: JSON.stringify({ ...JSON.parse(row.settings), history }) }),
          ...(summary ? { summary: JSON.stringify({ ...known, text: summary.text, redaction }) } : {}),
        })
        .where("id", "=", id)
        .execute()
    })
  }

  /** With all that refers to it. @returns false where there is none that the caller sees */
  async delete(view: View, id: string, executor: Executor): Promise<boolean> {
    const { numDeletedRows } = await executor
      .deleteFrom("conversations")
      .where("id", "=", id)
      .where(ownedBy(view, "conversations"))
      .executeTakeFirst()
    return numDeletedRows > 0n
  }

  /** For what removes some of a conversation: to be called first in the transaction that does. @throws AppError on_hold */
  async refuseHeld(workspaceId: string, id: string, executor: Executor = this.database): Promise<void> {
    await inOrder(executor, workspaceId)
    await refuseHeld(executor, workspaceId, "conversations", [id])
  }

  async addUserMessage(
    conversationId: string,
    message: Guarded<NewUserMessage>,
    executor: Executor,
  ): Promise<MessageRow> {
    return this.add(executor, {
      ...emptyMessage(conversationId, "user"),
      content: message.content,
      ner_count: message.nerCount,
      redaction: message.redaction,
    })
  }

  /** What a model had said elsewhere. */
  async addPastReply(
    conversationId: string,
    { message, model }: { message: Guarded<NewUserMessage>; model: string },
    executor: Executor,
  ): Promise<MessageRow> {
    return this.add(executor, {
      ...emptyMessage(conversationId, "assistant"),
      content: message.content,
      redaction: message.redaction,
      finish_reason: "stop",
      model,
    })
  }

  /** An empty reply, to be filled while `owner` writes it. */
  async addReply(
    conversationId: string,
    reply: Pick<MessageRow, "redaction" | "owner"> & { model: string; variants?: string },
    executor: Executor,
  ): Promise<MessageRow> {
    return this.add(executor, { ...emptyMessage(conversationId, "assistant"), ...reply })
  }

  /**
   * In the transaction of a turn, which has written to its conversation already, so that others wait.
   * @param last the newest message when the turn was planned
   * @throws AppError conversation_busy where another node has begun or ended a turn since
   */
  async refuseOthers(conversationId: string, last: MessageRow | undefined, executor: Executor): Promise<void> {
    const row = await executor
      .selectFrom("messages")
      .select(["id", "role", "finish_reason", "content"])
      .where("conversation_id", "=", conversationId)
      .orderBy("position", "desc")
      .limit(1)
      .executeTakeFirst()
    const isAsPlanned =
      row?.id === last?.id && row?.finish_reason === last?.finish_reason && row?.content === last?.content
    if (!isAsPlanned || (row && isBeingWritten(row))) throw new AppError("conversation_busy")
  }

  /** Removes this message and all after it. */
  async deleteFrom(conversationId: string, position: number, executor: Executor): Promise<void> {
    await dropSummaryOf(conversationId, position, executor)
    await executor
      .deleteFrom("messages")
      .where("conversation_id", "=", conversationId)
      .where("position", ">=", position)
      .execute()
  }

  /** What its reader thought of an answer; null takes it back. @throws AppError not_found */
  async setFeedback(conversationId: string, messageId: string, feedback: Guarded<Feedback> | null): Promise<void> {
    const { numUpdatedRows } = await this.database
      .updateTable("messages")
      .set({ feedback: feedback && JSON.stringify(feedback) })
      .where("conversation_id", "=", conversationId)
      .where("id", "=", messageId)
      .where("role", "=", "assistant")
      .executeTakeFirst()
    if (numUpdatedRows === 0n) throw new AppError("not_found", { message: "there is no such answer" })
  }

  transaction<T>(work: (trx: Trx) => Promise<T>): Promise<T> {
    return this.database.transaction().execute(work)
  }

  private async add(executor: Executor, message: Omit<MessageRow, "position">): Promise<MessageRow> {
    const { conversation_id } = message
    const { last } = await executor
      .selectFrom("messages")
      .select(eb => eb.fn.max("position").as("last"))
      .where("conversation_id", "=", conversation_id)
      .executeTakeFirstOrThrow()
    return executor
      .insertInto("messages")
      .values({ ...message, position: Number(last ?? 0) + 1 })
      .returningAll()
      .executeTakeFirstOrThrow()
  }
}
