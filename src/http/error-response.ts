/** Anything thrown → the one error body. */
import { ValidationError } from "elysia"
import { AppError, asStorageError, type ErrorDetail, toErrorBody } from "../errors.ts"
import { log } from "../log.ts"

/** How one may authenticate (RFC 9110 §11.6.1). No browser knows the first scheme, so none opens a window of its own. */
const CHALLENGE = 'ApiKey headers="client-id private-key secret", Bearer realm="console"'

export function errorResponse(error: unknown, requestId: string): Response {
  const known = error instanceof AppError ? error : (asStorageError(error) ?? translate(error))
  if (!known || known.status >= 500)
    log[known ? "warn" : "error"]("request failed", { request_id: requestId, error: known ?? error })
  const headers = new Headers(known?.headers)
  if (known?.code === "unauthorized") headers.set("WWW-Authenticate", CHALLENGE)
  if (known?.retryAfter !== undefined) headers.set("Retry-After", String(Math.max(1, Math.ceil(known.retryAfter))))
  return Response.json({ error: toErrorBody(known ?? error, requestId) }, { status: known?.status ?? 500, headers })
}

/** Errors of the web framework in the contract's terms; undefined for what is not the client's doing. */
function translate(error: unknown): AppError | undefined {
  if (error instanceof ValidationError) return fromValidation(error)
  const code = (error as { code?: unknown } | null)?.code
  if (code === "NOT_FOUND") return new AppError("not_found")
  if (code === "PARSE") {
    const { cause } = error as { cause?: unknown } // what readJson threw
    return cause instanceof AppError ? cause : new AppError("invalid_json", { cause: error })
  }
  if (code === "INVALID_COOKIE_SIGNATURE") return new AppError("unauthorized", { cause: error })
  return undefined
}

interface SchemaIssue {
  path?: string
  message?: string
  schema?: SchemaHint
  value?: unknown
  /** What each choice of a union objects to. */
  errors?: Iterable<SchemaIssue>[]
}
interface SchemaHint {
  type?: string
  const?: unknown
  enum?: unknown[]
  pattern?: string
  anyOf?: SchemaHint[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
}

/** Every bad field once, with the rule that it breaks. */
function fromValidation(error: ValidationError): AppError {
  const issues = new Map<string, string>()
  for (const item of (error.all as SchemaIssue[]).flatMap(causesOf)) {
    const field = (item.path ?? "").replace(/^\//, "").replaceAll("/", ".") || "body"
    if (!issues.has(field)) issues.set(field, item.schema ? ruleOf(item.schema) : (item.message ?? "is not valid"))
  }
  if (issues.size === 0) issues.set("body", "does not have the documented form")
  const details: ErrorDetail[] = [...issues].map(([field, issue]) => ({ field, issue }))
  return new AppError("invalid_request", { message: `${details[0]!.field}: ${details[0]!.issue}`, details })
}

/** Of "an object or null" that is an object with a bad field: the bad field. */
function causesOf(issue: SchemaIssue): SchemaIssue[] {
  const kind = Array.isArray(issue.value) ? "array" : issue.value === null ? "null" : typeof issue.value
  const at = kind === "array" || kind === "object" ? issue.schema?.anyOf?.findIndex(({ type }) => type === kind) : -1
  const inner = [...(issue.errors?.[at ?? -1] ?? [])].flatMap(causesOf)
  return inner.length > 0 ? inner : [issue]
}

/** A schema in words: `must be a whole number from 1 to 100`. */
function ruleOf(schema: SchemaHint): string {
  if (schema.enum) return `must be one of ${schema.enum.join(", ")}`
  const choices = schema.anyOf?.filter(choice => choice.type !== "null") ?? []
  if (choices.length > 0 && choices.every(choice => choice.const !== undefined))
    return `must be one of ${choices.map(choice => String(choice.const)).join(", ")}`
  // A number in a query is described as a union of its text and its value.
  const number = choices.find(choice => choice.type === "integer" || choice.type === "number")
  if (number) return ruleOf(number)
  if (choices.length === 1) return ruleOf(choices[0]!)
  const { type, pattern, minimum, maximum, minLength, maxLength, minItems, maxItems } = schema
  if (schema.const !== undefined) return `must be ${String(schema.const)}`
  if (type === "integer") return `must be a whole number${range(minimum, maximum, "")}`
  if (type === "number") return `must be a number${range(minimum, maximum, "")}`
  if (type === "string" && pattern) return `must match ${pattern}`
  if (type === "string")
    return minLength === 1 && maxLength === undefined
      ? "must not be empty"
      : `must be a text${range(minLength, maxLength, "character")}`
  if (type === "array") return `must be a list${range(minItems, maxItems, "item")}`
  if (type === "object") return "must be a JSON object"
  if (type === "boolean") return "must be true or false"
  return "is not valid"
}

function range(low: number | undefined, high: number | undefined, unit: string): string {
  const counted = (count: number) => (unit ? `${count} ${unit}${count === 1 ? "" : "s"}` : String(count))
  const lead = unit ? " of" : ""
  if (low !== undefined && high !== undefined) return `${unit ? lead : " from"} ${low} to ${counted(high)}`
  if (low !== undefined) return `${lead} at least ${counted(low)}`
  return high === undefined ? "" : `${lead} at most ${counted(high)}`
}
