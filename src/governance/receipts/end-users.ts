/**
 * Erases what there is of an end user. What is asked for is noted with its receipt, whose id is the answer; the leader then
 * removes one thing after the other, each in its own transaction and into that receipt, and goes on after a crash with what
 * is left. At last the name is taken out of the rows that stay, and the receipt is closed.
 */
import { checkEndUser } from "../../access/limits.ts"
import { type View, wholeOf } from "../../access/view.ts"
import { AppError } from "../../errors.ts"
import { Trouble } from "../../log.ts"
import type { Database, Trx } from "../../storage/database.ts"
import { inOrder } from "../../storage/shared.ts"
import { pause } from "../../threads/or-abort.ts"
import { refuseHeldEndUser } from "../holds/refuse.ts"
import { needWhole } from "../whole.ts"
import { nameDigest } from "./names.ts"
import { closeReceipt, noteRemoved, openReceipt } from "./removals.ts"

/** Where things of end users have their rows; in this order they are removed. */
const TABLES = ["batches", "batch_files", "agent_runs", "conversations"] as const
type EndUserTable = (typeof TABLES)[number]

/** Removes one thing into the receipt, or ends it so that it can be removed later. @throws AppError, also where it is held */
export type RemoveOne = (view: View, id: string, receipt: string) => Promise<unknown>

/** Rows that stay, and that whom they were for is no part of any more. */
const NAMED = ["events", "file_jobs", "webhooks", "sources", "agent_approvals", "receipts"] as const

const PAGE = 100
const PAUSE_MS = 1_000

export interface EndUsersOptions {
  database: Database
  remove: Readonly<Record<EndUserTable, RemoveOne>>
  /** Takes the name out of what was counted for it. */
  forget(trx: Trx, workspaceId: string, endUser: string): Promise<unknown>
}

interface Erasure {
  receipt_id: string
  workspace_id: string
  end_user: string
}

export class EndUsers {
  private readonly trouble = new Trouble({ begins: "what there is of an end user cannot be erased" })

  constructor(private readonly options: EndUsersOptions) {}

  /**
   * Tokens that are fixed to the end user end at once. A second call while the first is being carried out, or when nothing
   * has come since, gets the same receipt.
   * @returns id of the receipt
   * @throws AppError forbidden for credentials with limits; on_hold, nothing is erased then; invalid_request
   */
  async erase(view: View, name: string): Promise<string> {
    needWhole(view)
    const endUser = checkEndUser(name)
    const { workspaceId } = view
    return this.options.database.transaction().execute(async trx => {
      await inOrder(trx, workspaceId)
      await refuseHeldEndUser(trx, workspaceId, endUser)
      const before = await this.before(trx, workspaceId, endUser)
      if (before) return before
      const keys = trx.selectFrom("api_keys").select("id").where("workspace_id", "=", workspaceId)
      await trx.deleteFrom("scoped_tokens").where("end_user", "=", endUser).where("key_id", "in", keys).execute()
      const id = await openReceipt(trx, view, "end_user")
      const digest = nameDigest(endUser)
      await noteRemoved(trx, view, [{ kind: "end_user", id: digest, sha256s: [digest] }], id)
      await trx
        .insertInto("end_user_erasures")
        .values({ receipt_id: id, workspace_id: workspaceId, end_user: endUser })
        .execute()
      return id
    })
  }

  /** Until the signal aborts. */
  async keepErasing(signal: AbortSignal): Promise<void> {
    for (; !signal.aborted; await pause(PAUSE_MS, signal).catch(() => {}))
      try {
        const asked = await this.options.database.selectFrom("end_user_erasures").selectAll().execute()
        for (const erasure of asked) await this.carryOut(erasure, signal)
        this.trouble.clear()
      } catch (error) {
        if (!signal.aborted) this.trouble.note(error)
      }
  }

  /** The receipt of what is being carried out, or of what was, where nothing of the end user is there. */
  private async before(trx: Trx, workspaceId: string, endUser: string): Promise<string | undefined> {
    const pending = await trx
      .selectFrom("end_user_erasures")
      .select("receipt_id")
      .where("workspace_id", "=", workspaceId)
      .where("end_user", "=", endUser)
      .executeTakeFirst()
    if (pending) return pending.receipt_id
    for (const table of TABLES) if ((await this.some(trx, table, workspaceId, endUser, "", 1)).length > 0) return
    const token = await trx.selectFrom("scoped_tokens").select("id").where("end_user", "=", endUser).executeTakeFirst()
    if (token) return
    const former = await trx
      .selectFrom("removals")
      .innerJoin("receipts", "receipts.id", "removals.receipt_id")
      .select("receipts.id")
      .where("removals.resource_id", "=", nameDigest(endUser))
      .where("receipts.workspace_id", "=", workspaceId)
      .orderBy("receipts.id", "desc")
      .limit(1)
      .executeTakeFirst()
    return former?.id
  }

  private async carryOut({ receipt_id: receipt, workspace_id, end_user }: Erasure, signal: AbortSignal): Promise<void> {
    const { database, remove } = this.options
    const view = wholeOf(workspace_id)
    for (const table of TABLES)
      for (let after = ""; ; ) {
        const ids = await this.some(database, table, workspace_id, end_user, after, PAGE)
        for (const id of ids) {
          signal.throwIfAborted()
          await remove[table](view, id, receipt).catch(passOver)
        }
        if (ids.length < PAGE) break
        after = ids.at(-1)!
      }
    await database.transaction().execute(trx => this.end(trx, { receipt_id: receipt, workspace_id, end_user }))
  }

  /** Not before all is gone: what was under way, or is held since, is looked at again. */
  private async end(trx: Trx, { receipt_id, workspace_id, end_user }: Erasure): Promise<void> {
    await inOrder(trx, workspace_id)
    for (const table of TABLES) if ((await this.some(trx, table, workspace_id, end_user, "", 1)).length > 0) return
    await this.options.forget(trx, workspace_id, end_user)
    for (const table of NAMED)
      await trx
        .updateTable(table)
        .set({ end_user: null })
        .where("workspace_id", "=", workspace_id)
        .where("end_user", "=", end_user)
        .execute()
    await trx.deleteFrom("end_user_erasures").where("receipt_id", "=", receipt_id).execute()
    await closeReceipt(trx, receipt_id)
  }

  private async some(
    executor: Database | Trx,
    table: EndUserTable,
    workspaceId: string,
    endUser: string,
    after: string,
    limit: number,
  ): Promise<string[]> {
    const rows = await executor
      .selectFrom(table)
      .select("id")
      .where("workspace_id", "=", workspaceId)
      .where("end_user", "=", endUser)
      .where("id", ">", after)
      .orderBy("id")
      .limit(limit)
      .execute()
    return rows.map(({ id }) => id)
  }
}

/** What is gone, is held, or is yet to end. */
function passOver(error: unknown): void {
  if (!(error instanceof AppError) || !["not_found", "on_hold", "conflict"].includes(error.code)) throw error
}
