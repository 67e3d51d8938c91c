/**
 * Conversations and runs that their owner lets others read: console users of the workspace, some or all. Who reads what is
 * shared does not write, continue, stop or delete it, and does not share it on.
 */
import { type RawBuilder, sql } from "kysely"
import { AppError, invalid } from "../errors.ts"
import type { Database, Executor } from "../storage/database.ts"
import type { OwnerType } from "../storage/owned.ts"
import { inOrder } from "../storage/shared.ts"
import { filled, texts, words } from "../storage/words.ts"
import { ownedBy } from "./owner.ts"
import type { View } from "./view.ts"

/** Tables of what can be shared, each with the table of those whom it is shared with. */
const SHARES = { conversations: "conversation_shares", agent_runs: "run_shares" } as const
export type SharedTable = keyof typeof SHARES

/** Spelled as on the wire. */
export interface ShareRecord {
  /** Those who may read it besides those who see it anyway. */
  users: { id: string; name: string }[] | "workspace"
}

export type SharedWith = "users" | "workspace"

export const MAX_USERS = 1_000

/** The condition on rows for who reads: those that the caller owns or sees anyway, and those that are shared with it. */
export function readBy(view: View, table: SharedTable): RawBuilder<boolean> {
  const { own, author, workspaceId } = view
  const owned = ownedBy(view, table)
  if (own === null || author?.type !== "user") return owned
  const text = `${table}.workspace_id = ? and ${table}.shared_with_all = 1
    or ${table}.workspace_id = ? and ${table}.id in (select work_id from ${SHARES[table]} where user_id = ?)`
  return sql<boolean>`(${owned} or ${filled<boolean>(text, workspaceId, workspaceId, author.id)})`
}

export interface Listed {
  /** Only those of keys, or of console users. */
  ownerType?: OwnerType
  /** Only what is shared with the caller, or only the rest. */
  shared?: boolean
}

/** The same for a list. */
export function listedBy(view: View, table: SharedTable, { ownerType, shared }: Listed): RawBuilder<boolean> {
  const seen = shared === undefined ? readBy(view, table) : shared ? sharedTo(view, table) : ownedBy(view, table)
  return ownerType === undefined ? seen : sql<boolean>`${seen} and ${sql.ref(`${table}.owner_type`)} = ${ownerType}`
}

/** The condition on rows that are shared with the caller and not its own. */
const sharedTo = (view: View, table: SharedTable): RawBuilder<boolean> =>
  sql<boolean>`(${readBy(view, table)} and not (${ownedBy(view, table)}) is true)`

/** Columns that tell of a row how it is shared. @param view undefined for nobody's */
export const sharing = (table: SharedTable, view?: View) =>
  [
    sql<SharedWith | null>`case when ${sql.ref(`${table}.shared_with_all`)} = 1 then 'workspace'
      when exists (select 1 from ${sql.table(SHARES[table])} where work_id = ${sql.ref(`${table}.id`)}) then 'users' end`.as(
      "shared_with",
    ),
    (view ? sql<number>`case when ${sharedTo(view, table)} then 1 else 0 end` : sql<number>`0`).as("shared"),
  ] as const

export interface SharingColumns {
  shared_with: SharedWith | null
  /** 0 or 1: whether it is the caller's to read only. */
  shared: number
}

/** As records tell it. */
export const sharingOf = ({
  shared,
  shared_with,
}: SharingColumns): { shared: boolean; shared_with: SharedWith | null } => ({
  shared: Number(shared) === 1,
  shared_with,
})

/** What is thrown where somebody would change what is only shared with them. */
export const onlyShared = (): AppError =>
  new AppError("forbidden", { message: "it is shared with you to read: only its owner changes it" })

export class Shares {
  constructor(private readonly database: Database) {}

  /** @throws AppError not_found; forbidden for whom it is shared with */
  async get(view: View, table: SharedTable, id: string): Promise<ShareRecord> {
    return this.record(this.database, await this.owned(this.database, view, table, id), table, id)
  }

  /**
   * In the place of whom it was shared with before; nobody for an empty list.
   * @throws AppError as `get`; forbidden for a scoped token; invalid_request for a user who is not of the workspace
   */
  async set(view: View, table: SharedTable, id: string, users: readonly string[] | "workspace"): Promise<ShareRecord> {
    return this.database.transaction().execute(async trx => {
      await inOrder(trx, view.workspaceId)
      await this.owned(trx, view, table, id)
      if (!view.mayWiden) throw new AppError("forbidden", { message: "a scoped token shares nothing" })
      const ids = users === "workspace" ? [] : [...new Set(users)]
      if (ids.length > MAX_USERS) throw invalid("users", `must hold at most ${MAX_USERS} ids`)
      await refuseOthers(trx, view, ids)
      const all = users === "workspace" ? 1 : 0
      await trx.updateTable(table).set({ shared_with_all: all }).where("id", "=", id).execute()
      await trx.deleteFrom(SHARES[table]).where("work_id", "=", id).execute()
      const created_at = new Date().toISOString()
      if (ids.length > 0)
        await trx
          .insertInto(SHARES[table])
          .values(ids.map(user_id => ({ work_id: id, user_id, created_at })))
          .execute()
      return this.record(trx, all === 1, table, id)
    })
  }

  /** @returns whether all of the workspace read it */
  private async owned(executor: Executor, view: View, table: SharedTable, id: string): Promise<boolean> {
    const row = await executor
      .selectFrom(table)
      .select("shared_with_all")
      .select(sql<number>`case when ${ownedBy(view, table)} then 1 else 0 end`.as("own"))
      .where("id", "=", id)
      .where(readBy(view, table))
      .executeTakeFirst()
    if (!row) throw new AppError("not_found")
    if (Number(row.own) !== 1) throw onlyShared()
    return row.shared_with_all === 1
  }

  private async record(executor: Executor, all: boolean, table: SharedTable, id: string): Promise<ShareRecord> {
    if (all) return { users: "workspace" }
    const shares = SHARES[table]
    const users = await executor
      .selectFrom(shares)
      .innerJoin("users", "users.id", `${shares}.user_id`)
      .select(["users.id", "users.name"])
      .where(`${shares}.work_id`, "=", id)
      .orderBy("users.name")
      .orderBy("users.id")
      .execute()
    return { users }
  }
}

/** @throws AppError invalid_request naming the first of the users who is not of the workspace */
async function refuseOthers(executor: Executor, { workspaceId }: View, ids: readonly string[]): Promise<void> {
  const members = await executor
    .selectFrom("memberships")
    .select("user_id")
    .where("workspace_id", "=", workspaceId)
    .where(filled<boolean>(words(executor).among("user_id", "text"), texts(ids)))
    .execute()
  const known = new Set(members.map(({ user_id }) => user_id))
  const at = ids.findIndex(id => !known.has(id))
  if (at >= 0) throw invalid(`users.${at}`, "is no user of this workspace")
}
