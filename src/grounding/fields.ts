/** How the records that every answer has pass the guard; other records have their table beside their type. */
import type { ErrorBody } from "../errors.ts"
import type { Fields } from "../guarded.ts"
import type { Warning } from "../storage/document.ts"

export const ERROR = {
  code: "own",
  message: "text",
  request_id: "own",
  details: "json",
  hint: "text",
} as const satisfies Fields<ErrorBody>

export const WARNING = {
  code: "own",
  message: "text",
  addresses: "text",
  more: "own",
} as const satisfies Fields<Warning>
