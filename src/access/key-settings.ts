/** What a key is made with and changed to: the request's fields, checked, as columns. */
import { invalid } from "../errors.ts"
import { filterOf } from "./filter/filter.ts"
import { checkContexts, checkModels, checkQuota, type Quota, toStore } from "./limits.ts"
import { checkName } from "./name.ts"
import { SCOPES, type Scope } from "./principal.ts"

export interface KeySettings {
  name: string
  scopes?: string[]
  expires_at?: string | null
  rate_limit_per_minute?: number | null
  /** Null does not narrow, as in all that follow. */
  context_ids?: readonly string[] | null
  models?: readonly string[] | null
  filter?: unknown
  quota?: Quota | null
}

/** As the columns of a key hold them. */
export interface SettingColumns {
  name: string
  scopes: string
  expires_at: string | null
  rate_limit_per_minute: number | null
  context_ids: string | null
  models: string | null
  filter: string | null
  quota: string | null
}

/** Those that are given. @throws AppError invalid_request, invalid_filter */
export function columnsOf(given: Partial<KeySettings>): Partial<SettingColumns> {
  const columns: Partial<SettingColumns> = {}
  if (given.name !== undefined) columns.name = checkName(given.name)
  if (given.scopes !== undefined) columns.scopes = JSON.stringify(checkScopes(given.scopes))
  if (given.expires_at !== undefined) columns.expires_at = checkExpiry(given.expires_at)
  if (given.rate_limit_per_minute !== undefined) columns.rate_limit_per_minute = checkRate(given.rate_limit_per_minute)
  if (given.context_ids !== undefined)
    columns.context_ids = toStore(given.context_ids && checkContexts(given.context_ids))
  if (given.models !== undefined) columns.models = toStore(given.models && checkModels(given.models))
  if (given.filter !== undefined) columns.filter = toStore(filterOf(given.filter))
  if (given.quota !== undefined) columns.quota = toStore(given.quota && checkQuota(given.quota))
  return columns
}

/** Of a new key: what is not given is not limited. */
export const newColumns = (given: KeySettings): SettingColumns => ({
  name: "",
  scopes: JSON.stringify(SCOPES),
  expires_at: null,
  rate_limit_per_minute: null,
  context_ids: null,
  models: null,
  filter: null,
  quota: null,
  ...columnsOf(given),
})

/** @throws AppError invalid_request */
export function checkScopes(scopes: readonly string[]): Scope[] {
  for (const scope of scopes)
    if (!(SCOPES as readonly string[]).includes(scope))
      throw invalid("scopes", `${scope} is not one of ${SCOPES.join(", ")}`)
  if (scopes.length === 0) throw invalid("scopes", "must name at least one scope")
  return [...new Set(scopes)] as Scope[]
}

function checkExpiry(text: string | null): string | null {
  if (!text) return null
  const time = new Date(text)
  if (Number.isNaN(time.getTime())) throw invalid("expires_at", "must be an ISO-8601 time")
  if (time.getTime() <= Date.now()) throw invalid("expires_at", "must be in the future")
  return time.toISOString()
}

function checkRate(limit: number | null): number | null {
  if (limit !== null && (!Number.isInteger(limit) || limit < 1 || limit > 1_000_000))
    throw invalid("rate_limit_per_minute", "must be a whole number from 1 to 1000000")
  return limit
}
