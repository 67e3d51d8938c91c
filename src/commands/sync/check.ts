/** What of a place can be found at the daemon, and why the rest cannot. Changes nothing. */
import type { Entry } from "../../sources/connector.ts"
import type { Progress } from "../progress.ts"
import type { Daemon } from "./daemon.ts"
import { compare, listed, type PassPlan } from "./pass.ts"
import type { RemoteSource } from "./remote.ts"
import type { Reason } from "./uploads.ts"

/** `missing`: never brought, or changed since. `pending`: brought, and not findable yet. */
export type Why = "missing" | "pending" | "failed" | "unsupported" | "too_large"

export interface Missing {
  key: string
  status: Why
  error: Reason | null
}

export interface Checked {
  entries: number
  /** In the order of the listing. */
  missing: Missing[]
  /** Files of the source that the place has no more. */
  stale: number
}

const WHYS: Partial<Record<string, Why>> = { unsupported_file_type: "unsupported", file_too_large: "too_large" }

/** @param source undefined where there is none yet: all is missing */
export async function check(plan: PassPlan, source: RemoteSource | undefined, progress: Progress): Promise<Checked> {
  const entries = await listed(plan, progress)
  if (!source) return { entries: entries.length, missing: entries.map(({ key }) => lacking(key)), stale: 0 }
  progress.step("Comparing")
  // As if files were to go, to learn how many there are.
  const { upload, deleted, failed } = await compare({ ...plan, delete: true, force: false }, source, entries, true)
  const missing = new Map<string, Missing>(upload.map(key => [key, lacking(key)]))
  for (const { key, error } of failed) missing.set(key, { key, status: WHYS[error.code] ?? "failed", error })
  for (const key of await pendingKeys(plan.daemon, source))
    if (!missing.has(key)) missing.set(key, { key, status: "pending", error: null })
  return { entries: entries.length, missing: inOrder(entries, missing), stale: deleted }
}

interface CoveragePage {
  items: { key: string }[]
  pagination: { total_pages: number }
}

async function pendingKeys(daemon: Daemon, { id }: RemoteSource): Promise<string[]> {
  const keys: string[] = []
  for (let page = 1, pages = 1; page <= pages; page++) {
    const { items, pagination } = await daemon.json<CoveragePage>(
      "GET",
      `/sources/${id}/coverage?status=pending&page=${page}&page_size=100`,
    )
    keys.push(...items.map(({ key }) => key))
    pages = pagination.total_pages
  }
  return keys
}

const lacking = (key: string): Missing => ({ key, status: "missing", error: null })

const inOrder = (entries: readonly Entry[], missing: ReadonlyMap<string, Missing>): Missing[] =>
  entries.flatMap(({ key }) => missing.get(key) ?? [])
