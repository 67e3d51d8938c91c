/**
 * Texts of files that stand in messages, in the records of how they were made, and in the steps of runs. They go with their file: who deletes it
 * takes them out in the same transaction, and who stores some looks in the same transaction whether it is still there.
 */
import { sql } from "kysely"
import type { Executor, Trx } from "./database.ts"
import { filled, isPostgres, words } from "./words.ts"

/** Messages rewritten by one statement. */
const BATCH = 64

/**
 * Those of the files that are there, which stay until the transaction ends. To be asked before any row of a conversation is
 * written: who deletes a file takes the file first.
 */
export async function holdFiles(executor: Executor, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const { rows } = await sql<{ id: string }>`select id from files
    where ${filled(words(executor).among("id", "text"), JSON.stringify(ids))} order by id
    ${isPostgres(executor) ? sql`for key share` : sql``}`.execute(executor)
  return new Set(rows.map(({ id }) => id))
}

/** What is found in a message: texts of files that are gone are empty. */
export const withoutTextsOf = <Given extends { file_id: string; text: string }>(
  sources: readonly Given[],
  isGone: (fileId: string) => boolean,
): Given[] => sources.map(source => (isGone(source.file_id) ? { ...source, text: "" } : source))

/** Notes that the message holds texts of the files. */
export async function linkFiles(executor: Executor, messageId: string, fileIds: Iterable<string>): Promise<void> {
  const rows = [...new Set(fileIds)].map(file_id => ({ message_id: messageId, file_id }))
  if (rows.length === 0) return
  await executor
    .insertInto("message_files")
    .values(rows)
    .onConflict(conflict => conflict.doNothing())
    .execute()
}

/** What stands for the result of a step whose file is gone. */
export const GONE = "[The file that this result was from is deleted.]"

/** Notes that the result of a step holds text of the files. */
export async function linkStep(
  executor: Executor,
  runId: string,
  step: number,
  fileIds: Iterable<string>,
): Promise<void> {
  const rows = [...new Set(fileIds)].map(file_id => ({ run_id: runId, step, file_id }))
  if (rows.length > 0) await executor.insertInto("step_files").values(rows).execute()
}

/**
 * Inside the transaction that has deleted the file. Messages and runs themselves stay, and where passages stood; results
 * that hold text of several files go whole.
 */
export async function forgetTextsOf(trx: Trx, fileId: string): Promise<void> {
  await forgetSteps(trx, fileId)
  await forgetNotes(trx, [fileId])
  const linked = trx.selectFrom("message_files").select("message_id").where("file_id", "=", fileId)
  await trx
    .deleteFrom("record_texts")
    .where("message_id", "in", linked)
    .where(filled<boolean>(words(trx).overlaps("file_ids"), JSON.stringify([fileId])))
    .execute()
  await trx
    .deleteFrom("reply_events")
    .where("message_id", "in", linked)
    .where("message_id", "in", eb => eb.selectFrom("messages").select("id").where("finish_reason", "is not", null))
    .execute()
  for (let after = ""; ; ) {
    const rows = await trx
      .selectFrom("messages")
      .select(["id", "sources"])
      .where("id", "in", linked.where("message_id", ">", after).orderBy("message_id").limit(BATCH))
      .orderBy("id")
      .execute()
    for (const { id, sources } of rows) {
      const left = JSON.stringify(withoutTextsOf(JSON.parse(sources), of => of === fileId))
      await trx.updateTable("messages").set({ sources: left }).where("id", "=", id).execute()
    }
    const last = rows.at(-1)
    if (!last || rows.length < BATCH) break
    after = last.id
  }
  await trx.deleteFrom("message_files").where("file_id", "=", fileId).execute()
}

/** What models noted of them, alone or together with other files. */
export async function forgetNotes(trx: Trx, fileIds: readonly string[]): Promise<void> {
  if (fileIds.length === 0) return
  await trx
    .deleteFrom("reading_notes")
    .where(eb =>
      eb.or([
        eb("file_id", "in", fileIds),
        eb("key", "in", trx.selectFrom("reading_note_files").select("key").where("file_id", "in", fileIds)),
      ]),
    )
    .execute()
}

async function forgetSteps(trx: Trx, fileId: string): Promise<void> {
  await sql`update agent_steps set result = ${GONE} where (run_id, step) in
    (select run_id, step from step_files where file_id = ${fileId})`.execute(trx)
  await trx.deleteFrom("step_files").where("file_id", "=", fileId).execute()
}
