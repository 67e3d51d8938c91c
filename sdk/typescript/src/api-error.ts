/** What the API says is wrong, and what never reached it. */

/** `details` of the common error body. */
export type ErrorDetails = ReadonlyArray<Record<string, unknown>>

export interface ApiErrorOptions {
  /** HTTP status; 0 for an error that a stream told of. */
  status: number
  /** From the API's table of errors. */
  code: string
  message: string
  details?: ErrorDetails | undefined
  /** For the operator: what was tried, what to set. */
  hint?: string | undefined
  requestId?: string | undefined
  /** Seconds after which a retry makes sense. */
  retryAfter?: number | undefined
}

/** The base of what the SDK throws by itself; your own abort reasons are thrown as they are. */
export class CarrelError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
  }
}

/** The API answered with an error. Each code has a class of its own, such as `NotFoundError`. */
export class ApiError extends CarrelError {
  readonly status: number
  readonly code: string
  readonly details: ErrorDetails | undefined
  readonly hint: string | undefined
  readonly requestId: string | undefined
  readonly retryAfter: number | undefined

  constructor({ status, code, message, details, hint, requestId, retryAfter }: ApiErrorOptions) {
    super(message)
    this.status = status
    this.code = code
    this.details = details
    this.hint = hint
    this.requestId = requestId
    this.retryAfter = retryAfter
  }
}

/** No answer came, or not all of it: the server cannot be reached, or the connection was cut, for as long as was tried. */
export class ConnectionError extends CarrelError {}

/** What answered is not the API, such as a proxy with a page of its own. Not tried again: it may have been carried out. */
export class AnswerError extends CarrelError {}

/** The answer was not there within `timeoutMs`; that of a stream or a download had not begun. */
export class TimeoutError extends CarrelError {}

/** A signature, or the time in it, does not hold. */
export class SignatureError extends CarrelError {}
