/** Summaries of conversations in the database. What is written has passed the guard. */
import type { Guarded } from "../../guarded.ts"
import type { Database, Executor } from "../../storage/database.ts"
import { inOrder } from "../../storage/shared.ts"
import { isPostgres } from "../../storage/words.ts"
import { isWrittenBy, type WrittenReply } from "../reply-store.ts"
import type { Summary } from "./summary.ts"

export class SummaryStore {
  constructor(private readonly database: Database) {}

  /** As it is stored, to be told from a later one. */
  async find(conversationId: string): Promise<string | null> {
    const row = await this.database
      .selectFrom("conversations")
      .select("summary")
      .where("id", "=", conversationId)
      .executeTakeFirst()
    return row?.summary ?? null
  }

  /**
   * Puts a new summary in the place of `before`. Changes nothing where that has been edited or removed meanwhile, or where
   * the reply has ended or is another node's by now.
   * @returns the summary as it is stored; undefined where nothing was changed
   */
  async replace(
    conversationId: string,
    before: string | null,
    summary: Guarded<Summary>,
    { position, reply }: { position: number; reply: WrittenReply },
  ): Promise<string | undefined> {
    const stored = JSON.stringify(summary)
    return this.database.transaction().execute(async trx => {
      await inOrder(trx, conversationId)
      const present = await trx
        .selectFrom("conversations")
        .select("summary")
        .where("id", "=", conversationId)
        .$if(isPostgres(trx), query => query.forUpdate())
        .executeTakeFirst()
      if (!present || present.summary !== before) return undefined
      const { numUpdatedRows } = await trx
        .updateTable("conversations")
        .set({ summary: stored, summary_position: position })
        .where("id", "=", conversationId)
        .where(eb => eb.exists(eb.selectFrom("messages").select("messages.id").where(isWrittenBy(reply))))
        .executeTakeFirst()
      return numUpdatedRows > 0n ? stored : undefined
    })
  }
}

/** For those who remove messages from `position` on, or some of them: a summary that tells of them goes as well. */
export async function dropSummaryOf(conversationId: string, position: number, executor: Executor): Promise<void> {
  await executor
    .updateTable("conversations")
    .set({ summary: null, summary_position: null })
    .where("id", "=", conversationId)
    .where("summary_position", ">=", position)
    .execute()
}
