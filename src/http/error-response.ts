/** Anything thrown → the one error body. */
import { ValidationError } from "elysia"
import { AppError, asStorageError, type ErrorDetail, toErrorBody } from "../errors.ts"
import { log } from "../log.ts"

export function errorResponse(error: unknown, requestId: string): Response {
  const known = error instanceof AppError ? error : (asStorageError(error) ?? translate(error))
  if (!known || known.status >= 500)
    log[known ? "warn" : "error"]("request failed", { request_id: requestId, error: known ?? error })
  const headers = new Headers(known?.headers)
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

/** Every bad field once, with the first thing that is wrong with it. */
function fromValidation(error: ValidationError): AppError {
  const issues = new Map<string, string>()
  for (const item of error.all as { path?: string; message?: string; summary?: string }[]) {
    const field = (item.path ?? "").replace(/^\//, "").replaceAll("/", ".") || "body"
    if (!issues.has(field)) issues.set(field, issueText(item.message ?? item.summary ?? "is not valid"))
  }
  if (issues.size === 0) issues.set("body", "does not have the documented form")
  const details: ErrorDetail[] = [...issues].map(([field, issue]) => ({ field, issue }))
  return new AppError("invalid_request", { message: `${details[0]!.field}: ${details[0]!.issue}`, details })
}

const issueText = (message: string): string => message.charAt(0).toLowerCase() + message.slice(1)
