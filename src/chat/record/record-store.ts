/** Records of answers in the database. What is written has passed the guard of its turn. */

import type { Source } from "../../grounding/passages.ts"
import type { Guarded } from "../../guarded.ts"
import type { Database, Executor } from "../../storage/database.ts"
import type { Excerpt } from "./facts.ts"
import type { NewRecord, RecordFacts } from "./new-record.ts"
import { type StoredPrompt, toStore } from "./stored-prompt.ts"

/** What a reply was made of, to be stored with it. */
export interface Made {
  record: Guarded<NewRecord>
  sources: readonly Source[]
  /** Messages that its prompt may hold, by their ids. */
  messages: ReadonlyMap<string, string>
}

/** Files that it holds text of. */
export const filesOf = ({ record, sources }: Made): string[] => [
  ...new Set([...sources.map(({ file_id }) => file_id), ...record.texts.flatMap(({ file_ids }) => file_ids)]),
]

/** With the reply, in the place of what stood there. @param there those of its files that are not deleted */
export async function writeRecord(
  executor: Executor,
  messageId: string,
  made: Made,
  there: ReadonlySet<string>,
): Promise<void> {
  const { record, sources, messages } = made
  const { facts, request } = record
  const passages = new Map(sources.map(({ index, text }) => [index, text]))
  const others = new Map(record.texts.map(({ text }, at) => [at + 1, text]))
  const row = { facts: JSON.stringify(facts), prompt: request && toStore(request, { passages, others, messages }) }
  await executor
    .insertInto("answer_records")
    .values({ message_id: messageId, ...row })
    .onConflict(conflict => conflict.column("message_id").doUpdateSet(row))
    .execute()
  await executor.deleteFrom("record_texts").where("message_id", "=", messageId).execute()
  const kept = record.texts.flatMap(({ text, file_ids }, at) => {
    if (file_ids.some(id => !there.has(id))) return []
    return { message_id: messageId, position: at + 1, text, file_ids: JSON.stringify(file_ids) }
  })
  if (kept.length > 0) await executor.insertInto("record_texts").values(kept).execute()
}

export interface StoredRecord {
  facts: RecordFacts
  prompt: StoredPrompt | null
  /** Results of tools, then notes, then excerpts, by position; those of deleted files are not there. */
  texts: ReadonlyMap<number, Excerpt>
}

export class RecordStore {
  constructor(private readonly database: Database) {}

  async find(messageId: string): Promise<StoredRecord | undefined> {
    const { database } = this
    const row = await database
      .selectFrom("answer_records")
      .select(["facts", "prompt"])
      .where("message_id", "=", messageId)
      .executeTakeFirst()
    if (!row) return undefined
    const texts = await database
      .selectFrom("record_texts")
      .select(["position", "text", "file_ids"])
      .where("message_id", "=", messageId)
      .execute()
    return {
      facts: JSON.parse(row.facts),
      prompt: row.prompt === null ? null : JSON.parse(row.prompt),
      texts: new Map(texts.map(({ position, text, file_ids }) => [position, { text, file_ids: JSON.parse(file_ids) }])),
    }
  }

  /** How often the library of a workspace has changed. */
  async libraryChanges(workspaceId: string): Promise<number> {
    const row = await this.database
      .selectFrom("library_changes")
      .select("counter")
      .where("workspace_id", "=", workspaceId)
      .executeTakeFirst()
    return row?.counter ?? 0
  }
}
