/** JSON bodies: bounded, and refused with the contract's errors. */
import { JsonOutOfBounds, MAX_JSON_DEPTH, parseBounded } from "../bounded-json.ts"
import { AppError, invalid } from "../errors.ts"

/** Largest JSON body of a route that does not say otherwise: 1 MB by contract, counted in the same units as its 1 GB. */
export const MAX_JSON_BYTES = 1_048_576

/** From the head of a request to the end of its body, for callers who have shown credentials and for those who have not. */
export const BODY_LIMIT_MS = { known: 120_000, stranger: 15_000 }

/** Without parameters; empty where there is none. */
export const contentTypeOf = ({ headers }: Request): string =>
  headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? ""

/**
 * No request body is unpacked here: a small one could hold any amount.
 * @throws AppError unsupported_media_type for a body that is compressed
 */
export function refuseCoding({ headers }: Request): void {
  const coding = headers.get("content-encoding")?.trim().toLowerCase()
  if (coding && coding !== "identity")
    throw new AppError("unsupported_media_type", {
      message: `a body with Content-Encoding ${coding.slice(0, 40)} is not supported`,
      hint: "send the body as it is, without Content-Encoding",
    })
}

/** @throws AppError unsupported_media_type for a body that does not say that it is JSON */
export function refuseOtherThanJson(request: Request): void {
  const type = contentTypeOf(request)
  if (type !== "application/json" && !type.endsWith("+json"))
    throw new AppError("unsupported_media_type", { message: "Content-Type must be application/json" })
}

/**
 * Undefined for a request without a body, whatever its Content-Type: many clients send that header always.
 * @throws AppError unsupported_media_type, request_too_large, invalid_json, invalid_request when it is no object or nested
 * too deep, request_timeout when it takes longer than `limitMs`
 */
export async function readJson(
  request: Request,
  limitMs = BODY_LIMIT_MS.known,
  maxBytes = MAX_JSON_BYTES,
): Promise<unknown> {
  if (!request.body) return undefined
  refuseOtherThanJson(request)
  const bytes = await readBounded(request, maxBytes, limitMs)
  if (bytes.length === 0) return undefined
  const value = parse(bytes, maxBytes)
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw invalid("body", "must be a JSON object")
  return value
}

function parse(bytes: Uint8Array, maxBytes: number): unknown {
  try {
    return parseBounded(new TextDecoder("utf-8", { fatal: true }).decode(bytes), maxBytes)
  } catch (cause) {
    if (cause instanceof JsonOutOfBounds)
      throw invalid("body", `must not be nested deeper than ${MAX_JSON_DEPTH} levels`)
    throw new AppError("invalid_json", { cause })
  }
}

/** Reads at most `limit` bytes, whatever Content-Length says. */
async function readBounded(request: Request, limit: number, limitMs: number): Promise<Uint8Array> {
  const tooLarge = () => new AppError("request_too_large", { message: `a JSON body may have at most ${limit} bytes` })
  if (Number(request.headers.get("content-length") ?? 0) > limit) throw tooLarge()
  const body = request.body!.getReader() as ReadableStreamDefaultReader<Uint8Array>
  const late = Promise.withResolvers<never>()
  late.promise.catch(() => {}) // it is raced, also when nothing waits any more
  const timer = setTimeout(() => late.reject(tooLate(limitMs)), limitMs)
  try {
    const parts: Uint8Array[] = []
    for (let size = 0; ; ) {
      const { done, value } = await Promise.race([body.read(), late.promise])
      if (done) return Buffer.concat(parts)
      size += value.byteLength
      if (size > limit) throw tooLarge()
      parts.push(value)
    }
  } catch (error) {
    void body.cancel().catch(() => {})
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/** A client that is so slow has no use for its connection. */
const tooLate = (limitMs: number): AppError =>
  new AppError("request_timeout", {
    message: `body: must arrive within ${limitMs / 1000} s`,
    headers: { Connection: "close" },
  })
