/**
 * What the audit log is told with a change, in its transaction: by work that no request waits for, such as a deletion by a
 * sync, and by commands. The daemon puts it in its place in the chain a moment later; of a stopped one, at its start.
 */
import type { Executor, Trx } from "../../storage/database.ts"
import { type AuditEntry, rowOf, type Told } from "./entry.ts"

export async function tell(executor: Executor, ...entries: AuditEntry[]): Promise<void> {
  if (entries.length === 0) return
  const ts = new Date().toISOString()
  const rows = entries.map(entry => rowOf(entry, ts)).map(row => ({ id: row.id, told: JSON.stringify(row) }))
  await executor.insertInto("audit_pending").values(rows).execute()
}

/** The same in each workspace: of what is about all of them. */
export async function tellEverywhere(executor: Executor, entry: Omit<AuditEntry, "workspaceId">): Promise<void> {
  const workspaces = await executor.selectFrom("workspaces").select("id").execute()
  await tell(executor, ...workspaces.map(({ id }) => ({ ...entry, workspaceId: id })))
}

export const isTold = async (executor: Executor): Promise<boolean> =>
  (await executor.selectFrom("audit_pending").select("id").limit(1).executeTakeFirst()) !== undefined

/** The oldest, which are then to be put in their place in the same transaction. */
export async function takeTold(trx: Trx, limit: number): Promise<Told[]> {
  const rows = await trx
    .deleteFrom("audit_pending")
    .where("id", "in", eb => eb.selectFrom("audit_pending").select("id").orderBy("id").limit(limit))
    .returning("told")
    .execute()
  const told = rows.map(row => JSON.parse(row.told) as Told)
  return told.sort((left, right) => (left.id < right.id ? -1 : 1))
}
