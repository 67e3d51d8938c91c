/** What an answer says, and what is said where none comes. */
import { AnswerError, ApiError, CarrelError, ConnectionError, TimeoutError } from "./api-error.ts"
import { ERROR_CLASSES, type ErrorCode } from "./generated.ts"

/** The bytes, which end with a ConnectionError where the answer breaks off. */
export function told(body: ReadableStream<Uint8Array>, signal: AbortSignal | undefined): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (done) controller.close()
        else controller.enqueue(value)
      } catch (cause) {
        controller.error(signal?.aborted ? signal.reason : new ConnectionError("the answer broke off", { cause }))
      }
    },
    cancel: reason => reader.cancel(reason),
  })
}

/** @throws AnswerError for what is no JSON */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new AnswerError("the answer is no JSON", { cause })
  }
}

export function failureOf(
  error: unknown,
  signal: AbortSignal | undefined,
  limit: AbortSignal,
  timeoutMs: number,
): unknown {
  if (error instanceof CarrelError) return error
  if (signal?.aborted) return signal.reason
  if (limit.aborted) return new TimeoutError(`no answer within ${timeoutMs} ms`)
  return new ConnectionError("the server cannot be reached, or the connection was cut", { cause: error })
}

export async function errorOf(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => "")
  const { error } = jsonOf(text) as { error?: Record<string, never> }
  const requestId = error?.request_id ?? response.headers.get("x-request-id") ?? undefined
  const after = response.headers.get("retry-after")
  return apiError({
    ...{ code: `http_${response.status}`, message: `the server answered with status ${response.status}` },
    ...error,
    status: response.status,
    requestId,
    retryAfter: after === null ? undefined : secondsOf(after),
  })
}

/** The error of a body or of an event, in the class of its code. */
export function apiError({
  code,
  ...rest
}: ConstructorParameters<typeof ApiError>[0] & Record<string, unknown>): ApiError {
  const Class = Object.hasOwn(ERROR_CLASSES, code) ? ERROR_CLASSES[code as ErrorCode] : ApiError
  return new Class({ code, ...rest })
}

function jsonOf(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null ? value : {}
  } catch {
    return {}
  }
}

/** Seconds, or a date. */
function secondsOf(header: string): number | undefined {
  if (/^\d+$/.test(header)) return Number(header)
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, (at - Date.now()) / 1_000)
}
