/**
 * The one table of errors that leave the daemon: code → HTTP status and a message that is safe to show.
 * The domain throws `AppError(code)`; `http/error-response.ts` turns it into the common body.
 */
export const ERRORS = {
  invalid_json: { status: 400, message: "the body is not valid JSON" },
  invalid_request: { status: 400, message: "the request is not valid" },
  invalid_multipart: { status: 400, message: "the body is not valid multipart/form-data with at least one file part" },
  empty_file: { status: 400, message: "the file is empty" },
  unauthorized: { status: 401, message: "the credentials are not valid" },
  forbidden: { status: 403, message: "the credentials do not allow this" },
  not_found: { status: 404, message: "there is nothing here" },
  model_not_found: { status: 404, message: "there is no such model" },
  method_not_allowed: { status: 405, message: "this path does not support that method" },
  request_timeout: { status: 408, message: "the request did not arrive completely in time" },
  agent_timeout: { status: 408, message: "the agent run passed its timeout" },
  conversation_busy: { status: 409, message: "a reply is already being written in this conversation" },
  guarded: { status: 409, message: "so much is gone at once that nothing was deleted" },
  conflict: { status: 409, message: "the current state does not allow this" },
  on_hold: { status: 409, message: "a hold keeps it" },
  file_too_large: { status: 413, message: "the file is larger than allowed" },
  request_too_large: { status: 413, message: "the request body is larger than allowed" },
  unsupported_file_type: { status: 415, message: "files of this type cannot be read" },
  unsupported_media_type: { status: 415, message: "the Content-Type is not supported here" },
  range_not_satisfiable: { status: 416, message: "the requested range lies outside the file" },
  invalid_filter: { status: 422, message: "the filter is not valid" },
  invalid_pattern: { status: 422, message: "a custom redaction pattern is not valid" },
  output_schema_violation: { status: 422, message: "the answer never met output_schema" },
  rate_limited: { status: 429, message: "too many requests" },
  quota_exceeded: { status: 429, message: "the quota is used up" },
  internal_error: { status: 500, message: "something went wrong inside the daemon" },
  fetch_failed: { status: 502, message: "the address could not be fetched" },
  model_error: { status: 502, message: "the model server answered with an error" },
  model_unavailable: { status: 503, message: "the model server cannot be reached" },
  overloaded: { status: 503, message: "too much work is already queued" },
  store_unavailable: { status: 503, message: "a store that this needs cannot be reached at present" },
  insufficient_storage: { status: 507, message: "there is no space left to store this" },
} as const satisfies Record<string, { status: number; message: string }>

export type ErrorCode = keyof typeof ERRORS

/** One entry of `error.details`; `field` names a request field, other keys are documented with their code. */
export type ErrorDetail = Record<string, unknown>

export interface AppErrorOptions {
  /** What is said to the client; the table's message where absent. Never a path, a stack or a secret. */
  message?: string
  details?: ErrorDetail[]
  /** For the operator: what was tried, what to set. Shown in the body. */
  hint?: string
  /** Seconds until a retry makes sense; becomes `Retry-After`. */
  retryAfter?: number
  /** Extra response headers, such as `Allow`. */
  headers?: Record<string, string>
  cause?: unknown
}

/** An error whose code, status and message may be shown to the client. */
export class AppError extends Error {
  readonly status: number
  readonly details: ErrorDetail[] | undefined
  readonly hint: string | undefined
  readonly retryAfter: number | undefined
  readonly headers: Record<string, string> | undefined

  constructor(
    readonly code: ErrorCode,
    options: AppErrorOptions = {},
  ) {
    super(options.message ?? ERRORS[code].message, { cause: options.cause })
    this.name = "AppError"
    this.status = ERRORS[code].status
    this.details = options.details
    this.hint = options.hint
    this.retryAfter = options.retryAfter
    this.headers = options.headers
  }
}

/** What the operator can mend: the command line says it in one line with its hint, and no stack. */
export class OperatorError extends Error {
  readonly hint: string | undefined

  constructor(message: string, { hint, cause }: { hint?: string; cause?: unknown } = {}) {
    super(message, { cause })
    this.name = "OperatorError"
    this.hint = hint
  }
}

/** The same failure, which says in its details what it left behind. */
export function withDetail(failure: Error, detail: ErrorDetail): Error {
  if (!(failure instanceof AppError)) return failure
  const { code, message, hint, retryAfter, headers, details = [] } = failure
  return new AppError(code, {
    message,
    details: [...details, detail],
    ...(hint ? { hint } : {}),
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...(headers ? { headers } : {}),
    cause: failure,
  })
}

/** A single bad request field: `invalid("limit", "must be at most 100")`. */
export function invalid(field: string, issue: string): AppError {
  return new AppError("invalid_request", { message: `${field}: ${issue}`, details: [{ field, issue }] })
}

/** The text of a field. @throws AppError invalid_request where it is white space only */
export function notBlank(field: string, text: string): string {
  if (text.trim() === "") throw invalid(field, "must not be blank")
  return text
}

/** The error of the public body, also used inside SSE `error` events and stored run errors. */
export interface ErrorBody {
  code: string
  message: string
  request_id?: string
  details?: ErrorDetail[]
  hint?: string
}

/** Maps anything thrown to the public error; what is not an `AppError` becomes `internal_error` and shows nothing. */
export function toErrorBody(error: unknown, requestId?: string): ErrorBody {
  const known = error instanceof AppError ? error : asStorageError(error)
  const body: ErrorBody = known
    ? { code: known.code, message: known.message }
    : { code: "internal_error", message: ERRORS.internal_error.message }
  if (requestId) body.request_id = requestId
  if (known?.details) body.details = known.details
  if (known?.hint) body.hint = known.hint
  return body
}

/** What several machines share: PostgreSQL, object storage, OpenSearch. */
export type Engine = "database" | "blobs" | "search"

/** What each is called in messages. */
export const ENGINE_NAMES: Record<Engine, string> = {
  database: "the database",
  blobs: "the blob storage",
  search: "the search engine",
}

/** An engine of several machines did not do its part. What a driver throws becomes this where the driver is called. */
export class EngineError extends Error {
  override name = "EngineError"
  /** The engine was reached and took this request alone badly, for all that is known: whoever tries again asks it first. */
  readonly answered: boolean

  constructor(
    readonly engine: Engine,
    message: string,
    { cause, answered = false }: { cause?: unknown; answered?: boolean } = {},
  ) {
    super(`${ENGINE_NAMES[engine]}: ${message}`, { cause })
    this.answered = answered
  }
}

const FULL =
  /ENOSPC|EDQUOT|SQLITE_FULL|database or disk is full|no space left on device|disk quota exceeded|os error (?:28|122)\b/i
const FAILING =
  /EROFS|\bEIO\b|SQLITE_(?:IOERR|READONLY|CANTOPEN)|read-?only (?:file system|database)|(?:disk I\/O|input\/output|\bi\/o) error|unable to open database file|os error (?:5|30)\b/i
/** An error of the disk reaches us through a reader process, a worker or the vector store: with causes, and as text only. */
const CAUSES = 4

/** Whether an error tells of a disk without room, or of one that is read-only or broken; undefined for all else. */
export function diskTrouble(error: unknown): "full" | "failing" | undefined {
  for (let depth = 0, at = error; depth < CAUSES && at instanceof Error; depth++, at = at.cause) {
    if (at instanceof AppError && at.code !== "insufficient_storage") return undefined
    const text = `${(at as { code?: unknown }).code ?? ""} ${at.message}`
    if (FULL.test(text) || (at instanceof AppError && at.cause === undefined)) return "full"
    if (FAILING.test(text)) return "failing"
  }
  return undefined
}

const NO_DESCRIPTOR = /\bE[MN]FILE\b|too many open files|\berror (?:23|24)\b/i

/** Whether an error tells that this process, or the machine, may open no more files and connections; a model server's does not. */
export function lacksDescriptors(error: unknown): boolean {
  for (
    let depth = 0, at = error;
    depth < CAUSES && at instanceof Error && !(at instanceof AppError);
    depth++, at = at.cause
  )
    if (NO_DESCRIPTOR.test(`${(at as { code?: unknown }).code ?? ""} ${at.message}`)) return true
  return false
}

/** The engine whose fault an error tells of, however it was passed on; undefined for all else. */
export const engineTrouble = (error: unknown): Engine | undefined => engineErrorIn(error)?.engine

export function engineErrorIn(error: unknown): EngineError | undefined {
  for (let depth = 0, at = error; depth < CAUSES && at instanceof Error; depth++, at = at.cause) {
    // Somebody has found out what it means: that there is something to mend, or that it was the request's own fault.
    if (at instanceof OperatorError || (at instanceof AppError && at.code !== "store_unavailable")) return undefined
    if (at instanceof EngineError) return at
  }
  return undefined
}

/** Seconds after which it is worth to ask an engine again that was down: it may come back at any moment. */
const ENGINE_RETRY_S = 2

export const storeUnavailable = (engine: Engine, cause?: unknown): AppError =>
  new AppError("store_unavailable", {
    message: `${ENGINE_NAMES[engine]} cannot be reached at present`,
    details: [{ store: engine }],
    retryAfter: ENGINE_RETRY_S,
    cause,
  })

/**
 * A disk that takes nothing, whatever the reason, as `insufficient_storage`, an engine that is down as `store_unavailable`,
 * and a process that may open no more files as `overloaded`; undefined for all else.
 */
export function asStorageError(error: unknown): AppError | undefined {
  if (lacksDescriptors(error))
    return new AppError("overloaded", {
      message: "too many files and connections are open",
      hint: "a higher limit of open files (LimitNOFILE of the service, ulimit -n) allows more",
      retryAfter: 2,
      cause: error,
    })
  const trouble = diskTrouble(error)
  if (trouble === "full") return new AppError("insufficient_storage", { cause: error })
  const engine = engineTrouble(error)
  if (engine) return storeUnavailable(engine, error)
  if (trouble === "failing")
    return new AppError("insufficient_storage", {
      message: "the disk cannot be written or read at present",
      hint: "`carrel doctor` says what is wrong with the disk of the data directory",
      cause: error,
    })
  return undefined
}
