/**
 * What whoever deletes asks first, in the transaction that deletes. Holds are made under the same lock (`inOrder` with the
 * workspace), which is to be taken before: so either the deletion sees the hold, or the hold no more sees what is gone.
 */
import { type RawBuilder, sql } from "kysely"
import { stored } from "../../access/limits.ts"
import { AppError } from "../../errors.ts"
import type { Executor } from "../../storage/database.ts"
import type { HoldsTable } from "../../storage/holds.ts"
import { filled, texts, words } from "../../storage/words.ts"
import { type Cover, coveredBy, coversAll, HELD_TABLES, type HeldKind } from "./covers.ts"

/** Those of the ids that may not be deleted, each with one hold that keeps it. */
export async function heldAmong(
  executor: Executor,
  workspaceId: string,
  kind: HeldKind,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const held = new Map<string, string>()
  if (ids.length === 0) return held
  for (const cover of await coversOf(executor, workspaceId)) {
    const left = ids.filter(id => !held.has(id))
    if (left.length === 0) break
    const { rows } = await sql<{ id: string }>`select id from ${tableOf(kind)} where ${areAmong(executor, kind, left)}
      and ${covered(executor, cover, kind)}`.execute(executor)
    for (const { id } of rows) held.set(id, cover.id)
  }
  return held
}

/** @throws AppError on_hold where one of them may not be deleted */
export const refuseHeld = async (
  executor: Executor,
  workspaceId: string,
  kind: HeldKind,
  ids: readonly string[],
): Promise<void> => refuse(await heldAmong(executor, workspaceId, kind, ids))

/** The same of what `heldAmong` has found. @throws AppError on_hold */
export function refuse(held: ReadonlyMap<string, string>): void {
  if (held.size === 0) return
  const details = [...held].slice(0, MAX_DETAILS).map(([id, hold_id]) => ({ id, hold_id }))
  throw new AppError("on_hold", { details, hint: "who has the scope retention may lift the hold" })
}

/** Before all of an end user is erased: nothing of it is, where a hold covers some. @throws AppError on_hold */
export async function refuseHeldEndUser(executor: Executor, workspaceId: string, endUser: string): Promise<void> {
  for (const cover of await coversOf(executor, workspaceId))
    for (const kind of ["conversations", "runs"] as const) {
      const { rows } = await sql`select id from ${tableOf(kind)}
        where end_user = ${endUser} and ${covered(executor, cover, kind)} limit 1`.execute(executor)
      if (rows.length > 0) refuse(new Map([[endUser, cover.id]]))
    }
}

/** Whether a hold covers all that the workspace has: what is no file, conversation or run either. */
export const holdOnAll = async (executor: Executor, workspaceId: string): Promise<Cover | undefined> =>
  (await coversOf(executor, workspaceId)).find(coversAll)

/**
 * Before rows are changed in what holds go by: what is covered now stays covered. In the transaction of the change, under the
 * same lock.
 * @param which the condition on rows of the kind's table that are about to change
 */
export async function keepHeld(
  executor: Executor,
  workspaceId: string,
  kind: HeldKind,
  which: RawBuilder<boolean>,
): Promise<void> {
  for (const cover of await coversOf(executor, workspaceId)) await note(executor, cover, kind, which)
}

/** `keepHeld` by ids. */
export const keepHeldIds = (
  executor: Executor,
  workspaceId: string,
  kind: HeldKind,
  ids: readonly string[],
): Promise<void> =>
  ids.length === 0 ? Promise.resolve() : keepHeld(executor, workspaceId, kind, areAmong(executor, kind, ids))

/** Notes what a hold covers now. */
export async function note(
  executor: Executor,
  cover: Cover,
  kind: HeldKind,
  which: RawBuilder<boolean>,
): Promise<void> {
  if (coversAll(cover)) return
  await sql`insert into held (hold_id, kind, id) select ${cover.id}, ${kind}, id from ${tableOf(kind)}
    where ${which} and ${covered(executor, cover, kind)} on conflict do nothing`.execute(executor)
}

/** The condition on rows, for Kysely. */
export function covered(executor: Executor, cover: Cover, kind: HeldKind): RawBuilder<boolean> {
  const { text, values } = coveredBy(cover, kind, words(executor))
  return filled<boolean>(`(${text})`, ...values)
}

/** The holds of a workspace. */
export async function coversOf(executor: Executor, workspaceId: string): Promise<Cover[]> {
  const rows = await executor.selectFrom("holds").selectAll().where("workspace_id", "=", workspaceId).execute()
  return rows.map(toCover)
}

export const toCover = ({ id, workspace_id, filter, end_user, context_id }: HoldsTable): Cover => ({
  id,
  workspaceId: workspace_id,
  filter: stored(filter),
  endUser: end_user,
  contextId: context_id,
})

/** Told of one refusal. */
const MAX_DETAILS = 20

const tableOf = (kind: HeldKind) => sql.table(HELD_TABLES[kind].table)

const areAmong = (executor: Executor, kind: HeldKind, ids: readonly string[]): RawBuilder<boolean> =>
  filled<boolean>(words(executor).among(`${HELD_TABLES[kind].table}.id`, "text"), texts(ids))
