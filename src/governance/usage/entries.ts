/** Where use is counted that belongs to a change of the database: in the transaction of that change. */

import { sql } from "kysely"
import type { Account, ModelUsage, Payer } from "../../account.ts"
import { newId } from "../../id.ts"
import type { Executor, Trx } from "../../storage/database.ts"
import { inOrder } from "../../storage/shared.ts"
import { DIMENSIONS, MEASURES, type Measure, type UsageHoursTable } from "../../storage/usage.ts"
import { filled, words } from "../../storage/words.ts"

export type Measured = Partial<Record<Measure, number>>

/** Of what a row is about, before it is written. */
export type UsageRow = UsageHoursTable

/** `2026-03-01T17`, in UTC. */
export const hourOf = (at: Date): string => at.toISOString().slice(0, 13)

export function rowOf(payer: Payer & { model?: string }, measured: Measured, at = new Date()): UsageRow {
  const none = Object.fromEntries(MEASURES.map(name => [name, 0])) as Record<Measure, number>
  return {
    workspace_id: payer.workspaceId,
    hour: hourOf(at),
    key_id: payer.keyId,
    user_id: payer.userId,
    maker: payer.maker,
    end_user: payer.endUser,
    model: payer.model ?? "",
    context_id: payer.contextId,
    ...none,
    ...measured,
  }
}

/** Counts in the caller's transaction: with it or not at all. It waits for nobody. */
export async function charge(trx: Executor, rows: readonly UsageRow[]): Promise<void> {
  const some = rows.filter(row => MEASURES.some(name => row[name] !== 0))
  if (some.length === 0) return
  const columns = ["id", ...DIMENSIONS, ...MEASURES]
  const types = Object.fromEntries(
    columns.map(name => [name, MEASURES.includes(name as Measure) ? "integer" : "text"] as const),
  )
  const given = JSON.stringify(some.map(row => ({ id: newId("use"), ...row })))
  const names = sql.join(columns.map(name => sql.ref(name)))
  await sql`insert into usage_entries (${names}) select ${names} from ${filled(words(trx).rows(types), given)} as given`.execute(
    trx,
  )
}

/**
 * What a model took for an answer, in the transaction that stores the answer.
 * @param usage as the answer says it
 */
export const chargeModel = (trx: Trx, { payer, model }: Account, usage: ModelUsage): Promise<void> => {
  const { prompt_tokens, completion_tokens } = usage
  return charge(trx, [rowOf({ ...payer, model }, { prompt_tokens, completion_tokens })])
}

/**
 * What was used stays; for which end user is forgotten. In the transaction that erases them: what is folded later finds that
 * they are (`fold.ts`).
 */
export async function forgetEndUser(trx: Trx, workspaceId: string, endUser: string): Promise<void> {
  await inOrder(trx, "usage")
  await trx
    .updateTable("files")
    .set({ payer_end_user: null })
    .where("workspace_id", "=", workspaceId)
    .where("payer_end_user", "=", endUser)
    .execute()
  const taken: UsageRow[] = []
  for (const table of ["usage_entries", "usage_hours"] as const)
    taken.push(
      ...(await trx
        .deleteFrom(table)
        .where("workspace_id", "=", workspaceId)
        .where("end_user", "=", endUser)
        .returning([...DIMENSIONS, ...MEASURES])
        .execute()),
    )
  await charge(
    trx,
    taken.map(row => ({ ...row, end_user: "" })),
  )
}
