/** What keys and scoped tokens are narrowed to, as it comes in a request and as its columns hold it. */
import { invalid } from "../errors.ts"
import { isStorable } from "../storable.ts"
import { checkContext } from "./context-id.ts"
import { type Filter, filterOf } from "./filter/filter.ts"

/** Null does not narrow; an empty list leaves nothing. */
export interface Limits {
  context_ids: string[] | null
  /** Values of models and globs, `ollama/*`. */
  models: string[] | null
  filter: Filter | null
}

/** What a key may use; see `governance/usage/quotas.ts`. */
export interface Quota {
  requests_per_day?: number
  tokens_per_day?: number
  bytes_stored?: number
}

const QUOTA_FIELDS = ["requests_per_day", "tokens_per_day", "bytes_stored"] as const

const MAX_CONTEXTS = 1_000
const MAX_MODELS = 100
const MAX_MODEL_LENGTH = 256
const MAX_END_USER_LENGTH = 128

/** @throws AppError invalid_request */
export function checkContexts(value: readonly string[]): string[] {
  if (value.length > MAX_CONTEXTS) throw invalid("context_ids", `must hold at most ${MAX_CONTEXTS} ids`)
  return [...new Set(value.map(each => checkContext(each, "context_ids")))]
}

/** @throws AppError invalid_request */
export function checkModels(value: readonly string[]): string[] {
  if (value.length > MAX_MODELS) throw invalid("models", `must hold at most ${MAX_MODELS} models`)
  if (value.some(each => each.length < 1 || each.length > MAX_MODEL_LENGTH))
    throw invalid("models", `each must have 1 to ${MAX_MODEL_LENGTH} characters`)
  return [...new Set(value)]
}

/** @throws AppError invalid_request */
export function checkQuota(value: Quota): Quota | null {
  const given = QUOTA_FIELDS.flatMap(field => (value[field] === undefined ? [] : [[field, value[field]] as const]))
  for (const [field, limit] of given)
    if (!Number.isSafeInteger(limit) || limit < 0) throw invalid(`quota.${field}`, "must be a whole number from 0 on")
  return given.length > 0 ? Object.fromEntries(given) : null
}

/** @throws AppError invalid_request */
export function checkEndUser(value: string): string {
  if (value.length < 1 || value.length > MAX_END_USER_LENGTH)
    throw invalid("end_user", `must have 1 to ${MAX_END_USER_LENGTH} characters`)
  if (!isStorable(value)) throw invalid("end_user", "must be well-formed Unicode without NUL")
  return value
}

/** Limits as a request gives them, those that are absent as null. @throws AppError invalid_request, invalid_filter */
export const checkLimits = (given: {
  context_ids?: readonly string[] | null | undefined
  models?: readonly string[] | null | undefined
  filter?: unknown
}): Limits => ({
  context_ids: given.context_ids ? checkContexts(given.context_ids) : null,
  models: given.models ? checkModels(given.models) : null,
  filter: filterOf(given.filter),
})

/** Of a column of JSON. */
export const stored = <T>(text: string | null): T | null => (text === null ? null : (JSON.parse(text) as T))
export const toStore = (value: unknown): string | null =>
  value === null || value === undefined ? null : JSON.stringify(value)
