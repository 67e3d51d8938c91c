/** What is no resource of anybody's and is forgotten by its age alone: events, and rows of the audit. */
import type { Trx } from "../../storage/database.ts"
import type { Condition } from "../../storage/json-words.ts"
import { filled } from "../../storage/words.ts"

/** Rows of the audit that are forgotten so that what is left can still be verified. */
export interface AuditToForget {
  countBefore(workspaceId: string, before: string): Promise<number>
  /** @returns how many */
  forgetBefore(workspaceId: string, before: string): Promise<number>
}

/** Where to find them. The newest of a workspace stays: who reads on behind it, and missed nothing, finds it known. */
export const oldEvents = (workspaceId: string, before: string): Condition => ({
  text: `from events as old where workspace_id = ? and created_at < ?
    and exists (select 1 from events where workspace_id = old.workspace_id and seq > old.seq)`,
  values: [workspaceId, before],
})

/** @returns how many */
export async function forgetEvents(trx: Trx, workspaceId: string, before: string, atMost: number): Promise<number> {
  const { text, values } = oldEvents(workspaceId, before)
  const old = filled<number>(`(select seq ${text} order by seq limit ?)`, ...values, atMost)
  const { numDeletedRows } = await trx.deleteFrom("events").where("seq", "in", old).executeTakeFirst()
  return Number(numDeletedRows)
}
