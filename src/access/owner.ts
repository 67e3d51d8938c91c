/** Whose conversations and runs are: who sees them, and how their records say it. */
import { type RawBuilder, sql } from "kysely"
import { AppError } from "../errors.ts"
import type { Executor } from "../storage/database.ts"
import type { OwnedColumns, OwnerType } from "../storage/owned.ts"
import { filled, words } from "../storage/words.ts"
import { principalsOf } from "./groups.ts"
import { letThroughBy, type View } from "./view.ts"

/** Spelled as on the wire. */
export interface OwnerRecord {
  type: OwnerType
  id: string
  /** Empty for a user who was removed. */
  name: string
}

type Table =
  | "conversations"
  | "agent_runs"
  | "file_jobs"
  | "events"
  | "webhooks"
  | "batches"
  | "batch_files"
  | "schedules"
  | "receipts"

type Work = OwnedColumns & { workspace_id: string }

/** The condition on rows: those of the workspace, for who sees all of them. */
export function ownedBy({ workspaceId, own }: View, table: Table): RawBuilder<boolean> {
  const given = Object.entries({
    workspace_id: workspaceId,
    owner_id: own?.ownerId ?? null,
    maker: own?.maker ?? null,
    end_user: own?.endUser ?? null,
  }).filter(([, value]) => value !== null)
  const text = given.map(([column]) => `${table}.${column} = ?`).join(" and ")
  return filled<boolean>(text, ...given.map(([, value]) => value))
}

/** Of a row that the caller makes. */
export const ownerColumns = ({ author }: View, endUser: string | null): OwnedColumns => ({
  owner_type: author?.type ?? null,
  owner_id: author?.id ?? null,
  maker: author?.maker ?? null,
  end_user: endUser,
})

/** The name of a row's owner, as it is now. */
export const ownerName = (table: Table) =>
  sql<string | null>`coalesce((select name from api_keys where api_keys.id = ${sql.ref(`${table}.owner_id`)}),
    (select name from users where users.id = ${sql.ref(`${table}.owner_id`)}))`.as("owner_name")

export const ownerOf = (
  row: Pick<OwnedColumns, "owner_type" | "owner_id"> & { owner_name: string | null },
): OwnerRecord | null =>
  row.owner_type && row.owner_id ? { type: row.owner_type, id: row.owner_id, name: row.owner_name ?? "" } : null

/**
 * Answers are made of what their caller sees, and are read by the maker of the work that they go into. So nobody but the
 * maker adds to what credentials with limits made: whoever else sees it sees more than they do.
 * @throws AppError forbidden
 */
export async function refuseWork(executor: Executor, { author }: View, work: Work): Promise<void> {
  const { owner_type: type, owner_id: id, maker } = work
  if (type === author?.type && id === author?.id && maker === author?.maker) return
  if (maker === null && (type !== "key" || !(await isNarrowKey(executor, id))) && !(await missesFiles(executor, work)))
    return
  throw new AppError("forbidden", {
    message: "it belongs to credentials that see fewer files: they would read what yours find. Begin one of your own",
  })
}

/** Whether an acl hides a file of the workspace from the member whose work it is, or whose key made it. */
async function missesFiles(executor: Executor, { owner_id, workspace_id }: Work): Promise<boolean> {
  const member = await executor
    .selectFrom("users")
    .select(["id", "role", "group_names"])
    .where(eb =>
      eb.or([
        eb("id", "=", owner_id),
        eb("id", "=", eb.selectFrom("api_keys").select("owner_id").where("api_keys.id", "=", owner_id)),
      ]),
    )
    .executeTakeFirst()
  const principals = member ? principalsOf(member) : null
  if (principals === null) return false
  const isSeen = filled<boolean>(letThroughBy("files.acl", words(executor)), JSON.stringify(principals))
  const hidden = await executor
    .selectFrom("files")
    .select("id")
    .where("workspace_id", "=", workspace_id)
    .where("acl", "is not", null)
    .where(eb => eb.not(isSeen))
    .limit(1)
    .executeTakeFirst()
  return hidden !== undefined
}

async function isNarrowKey(executor: Executor, id: string | null): Promise<boolean> {
  const key = await executor
    .selectFrom("api_keys")
    .select(["context_ids", "filter"])
    .where("id", "=", id)
    .executeTakeFirst()
  return key !== undefined && (key.context_ids !== null || key.filter !== null)
}
