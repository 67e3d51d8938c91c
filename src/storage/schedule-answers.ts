/**
 * Answers that runs of schedules keep: they quote files, and repeat conversations and runs that the schedule began. They go
 * with any of these, in the transaction that removes it; who stores one looks in the same transaction whether all are there.
 */
import type { Executor, Trx } from "./database.ts"
import { holdFiles } from "./file-texts.ts"

const IDS = /\b(?:file|conv|run|resp)_[0-9a-z]{22}\b/g
/** What stands for an answer that is gone. */
export const NO_ANSWER = "null"
/** SQLite binds at most 32 766 values. */
const IDS_AT_ONCE = 5_000
const HELD = { conv: "conversations", run: "agent_runs" } as const

/** @returns whether the answer may be kept: all that it tells of is there */
export async function linkScheduleAnswer(
  trx: Trx,
  run: { id: string; workspace_id: string },
  answer: string,
): Promise<boolean> {
  const ids = [...new Set(answer.match(IDS))]
  const of = (kind: string) => ids.filter(id => id.startsWith(`${kind}_`))
  if ((await holdFiles(trx, of("file"))).size < of("file").length) return false
  for (const [kind, table] of Object.entries(HELD) as [keyof typeof HELD, "conversations" | "agent_runs"][]) {
    if (of(kind).length === 0) continue
    const there = await trx.selectFrom(table).select("id").where("id", "in", of(kind).slice(0, IDS_AT_ONCE)).execute()
    if (there.length < of(kind).length) return false
  }
  for (let at = 0; at < ids.length; at += IDS_AT_ONCE)
    await trx
      .insertInto("answered_files")
      .values(
        ids.slice(at, at + IDS_AT_ONCE).map(file_id => ({ file_id, workspace_id: run.workspace_id, key: run.id })),
      )
      .onConflict(conflict => conflict.doNothing())
      .execute()
  return true
}

/** Inside the transaction that removes these. */
export async function forgetScheduleAnswers(trx: Executor, ids: readonly string[]): Promise<void> {
  for (let at = 0; at < ids.length; at += IDS_AT_ONCE)
    await trx
      .updateTable("schedule_runs")
      .set({ body: NO_ANSWER, is_cut: 0 })
      .where("body", "is not", null)
      .where("id", "in", eb =>
        eb
          .selectFrom("answered_files")
          .select("key")
          .where("file_id", "in", ids.slice(at, at + IDS_AT_ONCE)),
      )
      .execute()
}

/** Of runs of the schedule that go. @param last the newest of them; all where absent */
export const unlinkScheduleAnswers = (trx: Executor, scheduleId: string, last?: string) =>
  trx
    .deleteFrom("answered_files")
    .where("key", "in", eb =>
      eb
        .selectFrom("schedule_runs")
        .select("id")
        .where("schedule_id", "=", scheduleId)
        .$if(last !== undefined, query => query.where("id", "<=", last!)),
    )
    .execute()
