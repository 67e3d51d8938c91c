/** What an error of the API means, in the language of whoever reads it; the daemon's own words, in English, stand beside it. */
import type { ErrorCode } from "../errors.ts"
import { language, type Text, t } from "./text.ts"

const MEANINGS: Record<ErrorCode, Text> = {
  invalid_json: "The body is not valid JSON.",
  invalid_request: "The request is not valid.",
  invalid_multipart: "The body is not valid multipart/form-data with at least one file part.",
  empty_file: "The file is empty.",
  unauthorized: "The credentials are not valid.",
  forbidden: "The credentials do not allow this.",
  not_found: "There is nothing here.",
  model_not_found: "There is no such model.",
  method_not_allowed: "This path does not support that method.",
  request_timeout: "The request did not arrive completely in time.",
  agent_timeout: "The agent run passed its timeout.",
  conversation_busy: "A reply is already being written in this conversation.",
  guarded: "So much is gone at once that nothing was deleted.",
  conflict: "The current state does not allow this.",
  on_hold: "A hold keeps it.",
  file_too_large: "The file is larger than allowed.",
  request_too_large: "The request body is larger than allowed.",
  unsupported_file_type: "Files of this type cannot be read.",
  unsupported_media_type: "The Content-Type is not supported here.",
  range_not_satisfiable: "The requested range lies outside the file.",
  invalid_filter: "The filter is not valid.",
  invalid_pattern: "A custom redaction pattern is not valid.",
  output_schema_violation: "The answer never met output_schema.",
  rate_limited: "Too many requests.",
  quota_exceeded: "The quota is used up.",
  internal_error: "Something went wrong inside the daemon.",
  fetch_failed: "The address could not be fetched.",
  model_error: "The model server answered with an error.",
  model_unavailable: "The model server cannot be reached.",
  overloaded: "Too much work is already queued.",
  store_unavailable: "A store that this needs cannot be reached at present.",
  insufficient_storage: "There is no space left to store this.",
}

/** Undefined in English, which the daemon speaks itself, and for what is no error of its table. */
export function meaningOf({ code }: { code?: string }): string | undefined {
  if (language() === "en" || code === undefined || !Object.hasOwn(MEANINGS, code)) return undefined
  return t(MEANINGS[code as ErrorCode])
}
