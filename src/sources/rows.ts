/** Rows of sources: which of them a caller sees, and what is looked up of one in a transaction. */
import { letThroughBy, seesAllContexts, type View } from "../access/view.ts"
import { AppError } from "../errors.ts"
import type { Executor, Trx, Value } from "../storage/database.ts"
import { filled, texts, words } from "../storage/words.ts"
import type { SourceRow, SyncRow } from "./source.ts"
import { SYNC_SOURCE } from "./sync.ts"

/** Of a workspace. */
const MAX_SOURCES = 1_000

/**
 * Seen are sources whose context is. Who sees some files of a context alone is not shown what else a source has: only those
 * that the same credentials made, and members of the console those of which no acl hides anything from them.
 */
export function visible(executor: Executor, view: View) {
  const { workspaceId, contexts, filters, principals, author } = view
  const parts = ["sources.workspace_id = ?", "sources.removal is null"]
  const values: Value[] = [workspaceId]
  if (contexts) {
    parts.push(words(executor).among("sources.context_id", "text"))
    values.push(texts(contexts))
  }
  if (filters.length > 0 || principals) {
    const isOwn = "sources.owner_id = ? and coalesce(sources.maker, '') = ?"
    values.push(author?.id ?? "", author?.maker ?? "")
    if (principals && seesAllContexts(view)) {
      const lets = (acl: string) => letThroughBy(acl, words(executor))
      parts.push(`(${isOwn} or ${lets("sources.acl")} and not exists (select 1 from files
        where files.source_id = sources.id and not ${lets("files.acl")}))`)
      values.push(JSON.stringify(principals), JSON.stringify(principals))
    } else parts.push(isOwn)
  }
  return filled<boolean>(parts.join(" and "), ...values)
}

/** @throws AppError not_found, also for one that is being removed */
export async function rowOf(trx: Trx, id: string): Promise<SourceRow> {
  const row = await trx
    .selectFrom("sources")
    .selectAll()
    .where("id", "=", id)
    .where("removal", "is", null)
    .executeTakeFirst()
  if (!row) throw new AppError("not_found")
  return row
}

/** Whether a sync is under way, or will be in a moment. */
export async function hasJob(trx: Trx, id: string): Promise<boolean> {
  const job = await trx
    .selectFrom("jobs")
    .select("id")
    .where("task", "=", SYNC_SOURCE)
    .where("subject", "=", id)
    .executeTakeFirst()
  return job !== undefined
}

/** @throws AppError conflict */
export async function refuseTooMany(trx: Trx, workspaceId: string): Promise<void> {
  const { count } = await trx
    .selectFrom("sources")
    .select(eb => eb.fn.countAll<number>().as("count"))
    .where("workspace_id", "=", workspaceId)
    .executeTakeFirstOrThrow()
  if (Number(count) >= MAX_SOURCES)
    throw new AppError("conflict", { message: `a workspace has at most ${MAX_SOURCES} sources` })
}

export const guarded = (sync: Pick<SyncRow, "guarded"> | undefined): AppError =>
  new AppError("guarded", {
    message: `${sync?.guarded ?? "many"} files are gone from the source at once, and nothing was deleted`,
    hint: "look whether the source is whole; then sync with force, and they are deleted",
    details: [{ gone: sync?.guarded ?? null }],
  })
