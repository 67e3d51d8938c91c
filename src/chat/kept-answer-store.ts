/** Kept answers in the database. What is written has passed the guard of its question. */
import type { Selectable } from "kysely"
import type { ChatTurn, ToolCall } from "../backends/backend.ts"
import { AppError } from "../errors.ts"
import type { Fields, Guarded } from "../guarded.ts"
import type { Database, Executor } from "../storage/database.ts"
import type { KeptAnswersTable } from "../storage/kept-answers.ts"
import type { MessageRow } from "./conversation-rows.ts"
import { dropSummaryOf } from "./history/summary-store.ts"
import { TOOL_CALL } from "./progress.ts"

export interface NewKeptAnswer {
  id: string
  previousId: string | null
  /** Pictures are not kept. */
  turns: ChatTurn[]
  /** JSON of the caller's own. */
  echo: Record<string, unknown>
}

export const NEW_KEPT_ANSWER: Fields<NewKeptAnswer> = {
  id: "own",
  previousId: "own",
  turns: {
    role: "own",
    content: "text",
    images: "withheld",
    toolCalls: { ...TOOL_CALL, id: "text" },
    toolCallId: "text",
    name: "text",
  },
  echo: "json",
}

/** Where it stands among the messages of its conversation. */
export interface KeptPlace {
  conversationId: string
  replyId: string
  messageIds: string[]
}

export interface KeptAnswer extends NewKeptAnswer, KeptPlace {
  /** Of the caller's tools; none before the reply has ended. */
  calls: ToolCall[]
  /** How far it is: its text, sources, and how it ended. */
  reply: MessageRow
  createdAt: string
}

export class KeptAnswerStore {
  constructor(private readonly database: Database) {}

  async insert(
    { id, previousId, turns, echo }: Guarded<NewKeptAnswer>,
    { conversationId, replyId, messageIds }: KeptPlace,
    executor: Executor,
  ): Promise<void> {
    await executor
      .insertInto("kept_answers")
      .values({
        id,
        conversation_id: conversationId,
        reply_id: replyId,
        previous_id: previousId,
        message_ids: JSON.stringify(messageIds),
        turns: JSON.stringify(turns),
        calls: "[]",
        echo: JSON.stringify(echo),
        created_at: new Date().toISOString(),
      })
      .execute()
  }

  async saveCalls(id: string, calls: readonly Guarded<ToolCall>[]): Promise<void> {
    if (calls.length === 0) return
    await this.database
      .updateTable("kept_answers")
      .set({ calls: JSON.stringify(calls) })
      .where("id", "=", id)
      .execute()
  }

  /** Whoever may see it: that is decided by its conversation. */
  async find(id: string): Promise<KeptAnswer | undefined> {
    const [found] = await this.all("id", id)
    return found
  }

  /** The answer and those that it goes on from, oldest first, as far as they are kept. */
  async chain(last: KeptAnswer): Promise<KeptAnswer[]> {
    const known = new Map((await this.all("conversation_id", last.conversationId)).map(each => [each.id, each]))
    const chain: KeptAnswer[] = []
    for (let id: string | null = last.id; id !== null; ) {
      const answer = known.get(id)
      if (!answer) break
      known.delete(id)
      chain.unshift(answer)
      id = answer.previousId
    }
    return chain
  }

  /** Removes the answer with its messages. @returns whether its conversation has others */
  async delete({ conversationId, messageIds }: KeptPlace, executor: Executor): Promise<boolean> {
    const { first } = await executor
      .selectFrom("messages")
      .select(eb => eb.fn.min("position").as("first"))
      .where("conversation_id", "=", conversationId)
      .where("id", "in", messageIds)
      .executeTakeFirstOrThrow()
    if (first !== null) await dropSummaryOf(conversationId, Number(first), executor)
    await executor
      .deleteFrom("messages")
      .where("conversation_id", "=", conversationId)
      .where("id", "in", messageIds)
      .execute()
    const left = executor.selectFrom("messages").select("id").where("conversation_id", "=", conversationId).limit(1)
    return (await left.executeTakeFirst()) !== undefined
  }

  private async all(column: "id" | "conversation_id", value: string): Promise<KeptAnswer[]> {
    const rows = await this.database
      .selectFrom("kept_answers")
      .selectAll()
      .where(`kept_answers.${column}`, "=", value)
      .execute()
    if (rows.length === 0) return []
    const replies = await this.database
      .selectFrom("messages")
      .selectAll()
      .where(
        "id",
        "in",
        rows.map(row => row.reply_id),
      )
      .execute()
    const byId = new Map(replies.map(reply => [reply.id, reply]))
    return rows.flatMap(row => {
      const reply = byId.get(row.reply_id)
      return reply ? [toKept(row, reply)] : [] // removed meanwhile
    })
  }
}

const toKept = (row: Selectable<KeptAnswersTable>, reply: MessageRow): KeptAnswer => ({
  id: row.id,
  conversationId: row.conversation_id,
  replyId: row.reply_id,
  previousId: row.previous_id,
  messageIds: JSON.parse(row.message_ids),
  turns: JSON.parse(row.turns),
  calls: JSON.parse(row.calls),
  echo: JSON.parse(row.echo),
  reply,
  createdAt: row.created_at,
})

export const noSuchAnswer = (): AppError => new AppError("not_found", { message: "there is no such response" })
