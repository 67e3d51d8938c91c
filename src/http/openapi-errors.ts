/** The errors of operations as the OpenAPI document shows them, and the headers of all answers. */
import { ERRORS, type ErrorBody, type ErrorCode } from "../errors.ts"
import { DRESSES, type Shape } from "./compatible/errors.ts"
import type { ComponentSchemas } from "./openapi-schemas.ts"
import type { Answer, Declared } from "./operation.ts"
import { ErrorResponse, titled } from "./schemas.ts"

/** Of every route with credentials. */
const ALWAYS: readonly ErrorCode[] = ["unauthorized", "forbidden", "rate_limited"]
/** A Host that is malformed, a store that fails and a process without descriptors show anywhere. */
const ANYWHERE: readonly ErrorCode[] = [
  "invalid_request",
  "internal_error",
  "overloaded",
  "store_unavailable",
  "insufficient_storage",
]
const OF_BODY: readonly ErrorCode[] = [
  "invalid_json",
  "invalid_request",
  "request_timeout",
  "request_too_large",
  "unsupported_media_type",
]

/** The codes of each error status that an operation may answer with. */
export function errorsOf({ errors = [], held, body, open, session }: Declared): Map<number, ErrorCode[]> {
  const ofHolds: ErrorCode[] = held === "refused" ? ["on_hold"] : []
  const toKeys: ErrorCode[] = open || session ? [] : ["quota_exceeded"]
  const codes = new Set([
    ...errors,
    ...ofHolds,
    ...(body ? OF_BODY : []),
    ...(open ? [] : ALWAYS),
    ...toKeys,
    ...ANYWHERE,
  ])
  const groups = Map.groupBy(codes, code => ERRORS[code].status)
  return new Map([...groups].sort(([left], [right]) => left - right))
}

/** At the end of names. */
const SHAPES = { openai: "Compatible", dify: "Retrieval", graphql: "Graphql" } as const satisfies Record<Shape, string>

/** Answers that many operations have in common: each is described once, and named by its codes. */
export class ErrorAnswers {
  private readonly named = new Map<string, object>()

  constructor(private readonly schemas: ComponentSchemas) {}

  /** @param codes of one status. @param isLimited whether the answer tells of the key's rate limit. @param shape of others */
  refer(codes: readonly ErrorCode[], isLimited: boolean, shape: Shape | undefined): { $ref: string } {
    const { status } = ERRORS[codes[0]!]
    const headers = headersOf(String(status), isLimited)
    const isToKey = "X-RateLimit-Limit" in headers
    const name = [...codes.map(titled), isToKey ? "ToKey" : "", shape ? SHAPES[shape] : ""].join("")
    if (!this.named.has(name)) this.named.set(name, { ...this.answer(codes, shape), headers })
    return { $ref: `#/components/responses/${name}` }
  }

  get all(): Record<string, object> {
    return Object.fromEntries([...this.named].sort(([left], [right]) => (left < right ? -1 : 1)))
  }

  private answer(codes: readonly ErrorCode[], shape: Shape | undefined) {
    const code = codes[0]!
    const { status, message } = ERRORS[code]
    const error: ErrorBody = { code, message, request_id: "req_01m7y48vkz3s85f1acdta2" }
    return {
      description: codes.map(name => `\`${name}\`: ${ERRORS[name].message}`).join("; "),
      content: {
        "application/json": {
          schema: this.schemas.serve(shape ? DRESSES[shape].schema : ErrorResponse),
          example: shape ? DRESSES[shape].dress(error, status) : { error },
        },
      },
    }
  }
}

export const HEADERS = {
  "X-Request-Id": { description: "Names this request in the log", schema: { type: "string" } },
  "X-RateLimit-Limit": { description: "Requests allowed per minute", schema: { type: "integer" } },
  "X-RateLimit-Remaining": { description: "Requests left in the current window", schema: { type: "integer" } },
  "X-RateLimit-Reset": { description: "Unix time at which the window ends", schema: { type: "integer" } },
  "X-Receipt-Id": {
    description: "The receipt, which is written when no store has what was deleted any more",
    schema: { type: "string" },
  },
  "Retry-After": { description: "Seconds until a retry makes sense", schema: { type: "integer" } },
}
type HeaderName = keyof typeof HEADERS

export function headersOf(
  status: string,
  isLimited: boolean,
  { hasReceipt }: Pick<Answer, "hasReceipt"> = {},
): Record<string, { $ref: string }> {
  const names: HeaderName[] = ["X-Request-Id"]
  if (hasReceipt) names.push("X-Receipt-Id")
  if (isLimited && status !== "401") names.push("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")
  if (status === "429" || status === "503") names.push("Retry-After")
  return Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]))
}
