/** Schemas that several routes share: types, validation and documentation in one. */
import { type TSchema, t } from "elysia"
import { type ErrorCode, invalid } from "../errors.ts"

/** An ISO-8601 time in UTC with milliseconds. */
export const Time = t.String({ format: "date-time", examples: ["2026-11-21T10:00:00.000Z"] })

export const nullable = <T extends TSchema>(schema: T) => t.Union([schema, t.Null()])

type NumberOptions = Parameters<typeof t.Number>[0]

/** A whole number of a JSON body. The framework's own also takes its text, which is right for query parameters only. */
export const integer = (options?: NumberOptions): ReturnType<typeof t.Number> =>
  (t.Integer(options) as unknown as { anyOf: [TSchema, ReturnType<typeof t.Number>] }).anyOf[1]

/** An object whose unknown fields are refused: a misspelt one would silently leave something open. */
export const closed = <T extends Record<string, TSchema>>(properties: T, options: { description?: string } = {}) =>
  t.Object(properties, { ...options, additionalProperties: false, unevaluatedProperties: false })

/** Whether a schema was made by `closed`: the framework closes others as well, to drop what they do not name. */
export const isClosed = (schema: object): boolean =>
  (schema as { unevaluatedProperties?: unknown }).unevaluatedProperties === false

/** Any JSON object. */
export const JsonObject = t.Record(t.String(), t.Any())

export const ErrorResponse = t.Object({
  error: t.Object({
    code: t.String({ examples: ["invalid_request"] }),
    message: t.String({ examples: ["message: must not be empty"] }),
    request_id: t.String({ examples: ["req_01m7y48vkz3s85f1acdta2"] }),
    details: t.Optional(t.Array(JsonObject)),
    hint: t.Optional(t.String({ description: "For the operator: what was tried, what to set" })),
  }),
})

export const Pagination = t.Object({
  page: integer(),
  page_size: integer(),
  total_items: integer(),
  total_pages: integer(),
  has_next: t.Boolean(),
})

export const listOf = <T extends TSchema>(item: T) => t.Object({ data: t.Array(item), pagination: Pagination })

/** Query parameters of every list. */
export const pageQuery = {
  // The ranges are checked by pageOf: the framework's own range errors on query numbers do not name the field.
  page: t.Optional(t.Integer({ default: 1, description: "From 1" })),
  page_size: t.Optional(t.Integer({ default: 20, description: "1 to 100" })),
}

export interface PageRequest {
  page: number
  pageSize: number
}

/** @throws AppError invalid_request naming the field that is out of range */
export function pageOf({ page = 1, page_size: pageSize = 20 }: { page?: number; page_size?: number }): PageRequest {
  if (!Number.isSafeInteger(page) || page < 1) throw invalid("page", "must be a whole number of at least 1")
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > 100)
    throw invalid("page_size", "must be a whole number from 1 to 100")
  return { page, pageSize }
}

/** A list answer in the form that all lists share. */
export function paginated<T>(data: T[], totalItems: number, { page, pageSize }: PageRequest) {
  const totalPages = Math.ceil(totalItems / pageSize)
  return {
    data,
    pagination: {
      page,
      page_size: pageSize,
      total_items: totalItems,
      total_pages: totalPages,
      has_next: page < totalPages,
    },
  }
}

/** Date, time and offset; the date alone is midnight, and without an offset it is UTC. */
const ISO_TIME = /^(\d{4}-\d\d-\d\d)(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/i

/** A time given by a client as milliseconds-exact ISO-8601. @throws AppError invalid_request naming the field. */
export function timeOf(field: string, value: string | undefined): string | undefined {
  if (value === undefined || value === "") return undefined
  const [, day = "", offset] = ISO_TIME.exec(value) ?? []
  const time = new Date(value.length > day.length && !offset ? `${value}Z` : value)
  // 30 February would become 2 March.
  const midnight = new Date(day)
  const exists = !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day)
  if (!exists || Number.isNaN(time.getTime()))
    throw invalid(field, "must be an ISO-8601 time, such as 2026-11-21T10:00:00.000Z")
  return time.toISOString()
}

/** The items of a comma-separated parameter, blanks dropped; undefined when nothing is left. */
export function listItems(value: string | undefined): string[] | undefined {
  const items = (value ?? "")
    .split(",")
    .map(item => item.trim())
    .filter(Boolean)
  return items.length > 0 ? items : undefined
}

/** @throws AppError invalid_request naming the field when one of the values is none of the choices */
export function eachOf<T extends string>(
  field: string,
  values: readonly string[] | undefined,
  choices: readonly T[],
): T[] | undefined {
  return values?.map(value => {
    const known = choices.find(choice => choice === value)
    if (known === undefined) throw invalid(field, `must be one of ${choices.join(", ")}`)
    return known
  })
}

/** Extensions in any case, with or without the dot, as records have them. @throws AppError invalid_request for an unknown one */
export const typesOf = (
  field: string,
  values: readonly string[] | undefined,
  fileTypes: ReadonlyMap<string, string>,
): string[] | undefined =>
  eachOf(
    field,
    values?.map(value => value.trim().toLowerCase().replace(/^\./, "")),
    [...fileTypes.keys()],
  )

/** Request headers that several routes know. */
export const IDEMPOTENCY_KEY = { name: "Idempotency-Key", schema: { type: "string", minLength: 1, maxLength: 255 } }
export const LAST_EVENT_ID = { name: "Last-Event-ID", schema: { type: "integer", minimum: 0 } }

interface Operation {
  summary: string
  description?: string
  tag: string
  /** Status, meaning and body of the success; a body of another type than JSON names its `type`. */
  success: { status?: number; description: string; schema?: TSchema; type?: string; example?: unknown }
  /** Other successes, such as a stream beside JSON. */
  alternatives?: Record<string, { description: string; schema?: TSchema; type?: string }>
  /** Error codes beyond those that every authenticated route has (401, 429, 500). */
  errors?: ErrorCode[]
  /** Example of the request body. */
  example?: unknown
  /** Request headers that change what the route does. */
  headers?: { name: string; description?: string; schema: object }[]
  /** `false` for routes that need no credentials; `session` for those of the console. */
  security?: false | "session"
}

const ALWAYS: ErrorCode[] = ["unauthorized", "forbidden", "rate_limited", "internal_error"]

/** The `detail` of a route: its entry in the OpenAPI document, which `openapi.ts` completes with the request's schemas. */
export function operation(spec: Operation) {
  const responses: Record<string, unknown> = {}
  const { status = 200, ...success } = spec.success
  responses[status] = { description: success.description, ...content(success.schema, success.type, success.example) }
  for (const [other, body] of Object.entries(spec.alternatives ?? {}))
    responses[other] = { description: body.description, ...content(body.schema, body.type) }
  const always = spec.security === false ? (["internal_error"] as const) : ALWAYS
  const security =
    spec.security === false
      ? []
      : spec.security === "session"
        ? [{ session: [] }]
        : [{ clientId: [], privateKey: [], secret: [] }, { session: [] }] // the console acts in its session's workspace
  return {
    summary: spec.summary,
    ...(spec.description ? { description: spec.description } : {}),
    tags: [spec.tag],
    security,
    responses,
    "x-errors": [...(spec.errors ?? []), ...always],
    ...(spec.headers ? { "x-headers": spec.headers } : {}),
    ...(spec.example === undefined ? {} : { "x-request-example": spec.example }),
    // biome-ignore lint/suspicious/noExplicitAny: the framework's type of a document entry is narrower than OpenAPI's
  } as any
}

function content(schema?: TSchema, type = "application/json", example?: unknown) {
  if (!schema) return {}
  return { content: { [type]: { schema, ...(example === undefined ? {} : { example }) } } }
}
