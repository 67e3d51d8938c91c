/**
 * What is removed is noted here, in the transaction that removes it: so each removal has its receipt, though a daemon dies
 * right after. The receipt itself is written once the bytes are gone, see `receipt-writer.ts`.
 */
import { ownerColumns } from "../../access/owner.ts"
import type { View } from "../../access/view.ts"
import { newId } from "../../id.ts"
import type { Executor, Trx } from "../../storage/database.ts"
import type { Owner } from "../../storage/owners.ts"
import type { RemovalKind, Traces } from "../../storage/receipts.ts"
import { forgetScheduleAnswers } from "../../storage/schedule-answers.ts"

/** What a receipt is about: one removal, or all of one call or rule. */
export type ReceiptWhat = RemovalKind | "bulk" | "workspace" | "retention"

export interface Removal {
  kind: RemovalKind
  /** Of the resource. */
  id: string
  /** Of the bytes that go with it: hex. */
  sha256s?: readonly string[]
  traces?: Traces
}

/** Rows of one statement: SQLite binds at most 32 766 values. */
const PER_INSERT = 1_000

/**
 * A receipt for several transactions, each of which calls `noteRemoved`; `closeReceipt` ends it. Until then it is not written.
 * @param view who removes: they see the receipt, and whoever sees the whole workspace
 * @param opener this node, where nobody goes on after its end: the receipt is then closed by that. Left out where a durable
 * job does and closes it however it ends
 */
export async function openReceipt(trx: Executor, view: View, what: ReceiptWhat, opener?: Owner): Promise<string> {
  const id = newId("rcpt")
  await trx
    .insertInto("receipts")
    .values({
      id,
      workspace_id: view.workspaceId,
      what,
      opener: opener?.id ?? null,
      closed: 0,
      created_at: new Date().toISOString(),
      ...ownerColumns(view, view.author?.endUser ?? null),
    })
    .execute()
  return id
}

/**
 * In the transaction of a removal. Does nothing to the stores: who removes does that after the commit.
 * @param into an open receipt; left out, or where that one was closed meanwhile, there is a new one for these removals alone
 * @returns id of the receipt
 */
export async function noteRemoved(
  trx: Trx,
  view: View,
  removals: readonly [Removal, ...Removal[]],
  into?: string,
): Promise<string> {
  const id = into !== undefined && (await isOpen(trx, into)) ? into : await openReceipt(trx, view, removals[0].kind)
  const rows = removals.map(({ kind, id: resource, sha256s = [], traces = {} }) => ({
    id: newId("gone"),
    receipt_id: id,
    resource_id: resource,
    kind,
    sha256s: JSON.stringify(sha256s),
    traces: JSON.stringify(traces),
  }))
  for (let at = 0; at < rows.length; at += PER_INSERT)
    await trx
      .insertInto("removals")
      .values(rows.slice(at, at + PER_INSERT))
      .execute()
  await forgetScheduleAnswers(
    trx,
    removals.map(({ id }) => id),
  )
  if (id !== into) await closeReceipt(trx, id)
  return id
}

/** Of work that may find nothing that it may remove: a receipt would then prove nothing. */
const MAY_BE_EMPTY: readonly ReceiptWhat[] = ["bulk", "retention"]

/**
 * Nothing more is added: it is written when all of it is gone, and is no more where such work removed nothing. A second call
 * does nothing.
 * @returns whether there is one
 */
export async function closeReceipt(executor: Executor, id: string): Promise<boolean> {
  const { numDeletedRows } = await executor
    .deleteFrom("receipts")
    .where("id", "=", id)
    .where("what", "in", MAY_BE_EMPTY)
    .where(eb => eb.not(eb.exists(eb.selectFrom("removals").select("id").where("receipt_id", "=", id))))
    .executeTakeFirst()
  if (numDeletedRows > 0n) return false
  await executor.updateTable("receipts").set({ closed: 1 }).where("id", "=", id).execute()
  return true
}

/** Whoever closes it at the same time waits. */
async function isOpen(trx: Trx, id: string): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable("receipts")
    .set({ closed: 0 })
    .where("id", "=", id)
    .where("closed", "=", 0)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
