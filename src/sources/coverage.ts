/** Every key that a source has, with what became of it. */
import { type Database, readApart, type Value } from "../storage/database.ts"
import { texts, words } from "../storage/words.ts"
import { both } from "../threads/both.ts"

export const COVERAGE_STATUSES = ["searchable", "pending", "failed", "unsupported", "skipped"] as const
export type CoverageStatus = (typeof COVERAGE_STATUSES)[number]

export interface CoverageItem {
  key: string
  status: CoverageStatus
  error: { code: string; message: string } | null
  file_id: string | null
  url: string | null
}

export type CoverageTotals = { total: number } & Record<CoverageStatus, number>

export interface CoverageRequest {
  page: number
  pageSize: number
  /** All where absent. */
  status?: readonly string[] | undefined
}

/** A file that is there counts for the entry whose content it has; `taken` without one: somebody deleted it. */
const STATUS = `case
  when e.status = 'gone' then case when e.error_code = 'unsupported_file_type' then 'unsupported' else 'skipped' end
  when f.id is not null and (e.status = 'taken' or (e.status = 'pending' and f.fingerprint = e.fingerprint)) then
    case f.status when 'searchable' then 'searchable' when 'failed' then 'failed' else 'pending' end
  when e.status = 'taken' then 'skipped'
  else e.status end`

/** What is no more, and only waits to be forgotten, is no key of the source. */
const FROM = `from source_entries as e left join files as f on f.source_id = e.source_id and f.source_key = e.key
  where e.source_id = ? and not (e.status = 'gone' and e.error_code is null)`

const DELETED = {
  code: "deleted",
  message: "its file was deleted in the library; it comes back when it changes, or by force",
}

interface CoverageRow {
  key: string
  status: CoverageStatus
  own_status: string
  file_id: string | null
  url: string | null
  error_code: string | null
  error_message: string | null
}

/** `matched`: items of the asked status on all pages. */
export async function coverageOf(
  database: Database,
  sourceId: string,
  { page, pageSize, status }: CoverageRequest,
): Promise<CoverageTotals & { items: CoverageItem[]; matched: number }> {
  const condition = status ? ` and ${words(database).among(`(${STATUS})`, "text")}` : ""
  const values: Value[] = [sourceId, ...(status ? [texts(status)] : [])]
  const [counted, rows] = await both(
    readApart<{ status: CoverageStatus; count: number }>(
      database,
      `select ${STATUS} as status, count(*) as count ${FROM} group by 1`,
      [sourceId],
    ),
    readApart<CoverageRow>(
      database,
      `select e.key, ${STATUS} as status, e.status as own_status, f.id as file_id, coalesce(f.url, e.url) as url,
         coalesce(e.error_code, f.error_code) as error_code, coalesce(e.error_message, f.error_message) as error_message
       ${FROM}${condition} order by e.key limit ? offset ?`,
      [...values, pageSize, (page - 1) * pageSize],
    ),
  )
  const totals: CoverageTotals = { total: 0, searchable: 0, pending: 0, failed: 0, unsupported: 0, skipped: 0 }
  for (const { status: each, count } of counted) {
    totals[each] = Number(count)
    totals.total += Number(count)
  }
  const matched = COVERAGE_STATUSES.filter(each => !status || status.includes(each))
  return { ...totals, items: rows.map(toItem), matched: matched.reduce((sum, each) => sum + totals[each], 0) }
}

function toItem({ key, status, own_status, file_id, url, error_code, error_message }: CoverageRow): CoverageItem {
  const isDeleted = own_status === "taken" && file_id === null
  const isTold = status !== "searchable" && status !== "pending" && error_code !== null
  const error = isTold ? { code: error_code, message: error_message ?? "" } : null
  return { key, status, error: isDeleted ? DELETED : error, file_id, url }
}
