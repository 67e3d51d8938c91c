/** Pages of the web that became files; `library/web-pages.ts` reads and writes them. */
import type { Generated } from "kysely"

export interface WebPagesTables {
  web_pages: WebPagesTable
}

export interface WebPagesTable {
  file_id: string
  /** As it was asked for, without the part behind `#`. */
  url: string
  /** Of the version that was fetched last, as its server told them. */
  etag: string | null
  last_modified: string | null
  /** `1d`; null: only when it is asked for again. */
  refresh: string | null
  /** By the database's clock. */
  next_refresh_at: string | null
  /** Refreshes that failed since the last good one. */
  failures: Generated<number>
  /** Of the last refresh, for people; null where it went well. */
  error: string | null
}
