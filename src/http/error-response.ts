/** Anything thrown → the one error body. */
import { ValidationError } from "elysia"
import { AppError, asStorageError, type ErrorBody, toErrorBody } from "../errors.ts"
import { log } from "../log.ts"
import { invalidFields, type SchemaIssue } from "./validation.ts"

/** How one may authenticate (RFC 9110 §11.6.1). No browser knows the first scheme, so none opens a window of its own. */
const CHALLENGE = 'ApiKey headers="client-id private-key secret", Bearer realm="console"'

/** The whole body; others dress the error as their clients know it. */
type Dress = (body: ErrorBody, status: number) => object

export function errorResponse(
  error: unknown,
  requestId: string,
  dress: Dress = error => ({ error }),
  route?: () => string,
): Response {
  const known = error instanceof AppError ? error : (asStorageError(error) ?? translate(error))
  if (!known || known.status >= 500)
    log[known ? "warn" : "error"]("request failed", { request_id: requestId, route: route?.(), error: known ?? error })
  const headers = new Headers(known?.headers)
  if (known?.code === "unauthorized") headers.set("WWW-Authenticate", CHALLENGE)
  if (known?.retryAfter !== undefined) headers.set("Retry-After", String(Math.max(1, Math.ceil(known.retryAfter))))
  const status = known?.status ?? 500
  return Response.json(dress(toErrorBody(known ?? error, requestId), status), { status, headers })
}

/** Errors of the web framework in the contract's terms; undefined for what is not the client's doing. */
function translate(error: unknown): AppError | undefined {
  // Of paths and queries; bodies are checked before the framework sees them.
  if (error instanceof ValidationError) return invalidFields(error.all as SchemaIssue[])
  const code = (error as { code?: unknown } | null)?.code
  if (code === "NOT_FOUND") return new AppError("not_found")
  if (code === "PARSE") {
    const { cause } = error as { cause?: unknown } // what readJson threw
    return cause instanceof AppError ? cause : new AppError("invalid_json", { cause: error })
  }
  if (code === "INVALID_COOKIE_SIGNATURE") return new AppError("unauthorized", { cause: error })
  return undefined
}
