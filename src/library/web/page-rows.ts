/** Rows of pages: when each is due to be fetched anew. */
import type { Database, Trx } from "../../storage/database.ts"
import { timeOf } from "../../storage/shared.ts"
import { durationMs } from "../../timing.ts"
import type { PageVersion } from "../labels.ts"

/** A refresh that fails is tried again after so long, and later and later. */
const RETRY_MS = 60_000
const MAX_RETRY_MS = 6 * 3_600_000

/** In the transaction of its file. */
export async function notePage(trx: Trx, fileId: string, page: PageVersion): Promise<void> {
  const columns = {
    url: page.url,
    etag: page.etag,
    last_modified: page.lastModified,
    refresh: page.refresh,
    next_refresh_at: page.refresh === null ? null : timeOf(trx, durationMs(page.refresh)!),
    failures: 0,
    error: null,
  }
  await trx
    .insertInto("web_pages")
    .values({ file_id: fileId, ...columns })
    .onConflict(conflict => conflict.column("file_id").doUpdateSet(columns))
    .execute()
}

/** It is there as it was: when to look again. */
export async function noteUnchanged(database: Database, fileId: string, refresh: string | null): Promise<void> {
  const next = refresh === null ? null : timeOf(database, durationMs(refresh)!)
  await database
    .updateTable("web_pages")
    .set({ refresh, next_refresh_at: next, failures: 0, error: null })
    .where("file_id", "=", fileId)
    .execute()
}

/** The file stays as it is. */
export async function noteFailure(database: Database, page: DuePage, error: string): Promise<void> {
  const failures = page.failures + 1
  const ms = Math.min(RETRY_MS * 2 ** Math.min(failures - 1, 20), MAX_RETRY_MS)
  await database
    .updateTable("web_pages")
    .set({
      failures,
      error,
      next_refresh_at: timeOf(database, Math.max(ms, Math.min(durationMs(page.refresh)!, RETRY_MS))),
    })
    .where("file_id", "=", page.file_id)
    .where("refresh", "is not", null)
    .execute()
}

export type DuePage = Awaited<ReturnType<typeof duePages>>[number]

/** Those due longest first. */
export async function duePages(database: Database, limit: number) {
  const rows = await database
    .selectFrom("web_pages")
    .innerJoin("files", "files.id", "web_pages.file_id")
    .selectAll("web_pages")
    .select(["files.workspace_id", "files.name", "files.type", "files.tags", "files.metadata", "files.context_id"])
    .select(["files.reading", "files.status"])
    .where("next_refresh_at", "<=", timeOf(database))
    .orderBy("next_refresh_at")
    .limit(limit)
    .execute()
  return rows.flatMap(row => (row.refresh === null ? [] : [{ ...row, refresh: row.refresh }]))
}
