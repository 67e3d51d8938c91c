/** Schemas that several routes share: types, validation and documentation in one. */
import { type TSchema, t } from "elysia"
import { instantOf } from "../access/filter/instant.ts"
import { invalid } from "../errors.ts"

/** The title of a component that is called by such a name: `model_error` gives `ModelError`. */
export const titled = (name: string): string =>
  name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** An ISO-8601 time in UTC with milliseconds. */
export const Time = t.String({ format: "date-time", examples: ["2026-11-21T10:00:00.000Z"] })

export const nullable = <T extends TSchema>(schema: T, options: { examples?: unknown[]; description?: string } = {}) =>
  t.Union([schema, t.Null()], options)

/** One of these texts. Of the framework's own kind, the first would be what an absent field stands for. */
export const oneOf = <const Text extends string>(texts: readonly Text[], options: { description?: string } = {}) =>
  t.Union(
    texts.map(text => t.Literal(text)),
    options,
  ) as unknown as ReturnType<typeof t.Unsafe<Text>>

/** A field that may be left out, or be null, which is the same. */
export const optional = <T extends TSchema>(schema: T) => t.Optional(nullable(schema))

/** A body without those of its `optional` fields that are null. */
export const withoutNulls = <Body extends object>(body: Body) =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)) as {
    [Name in keyof Body]: Exclude<Body[Name], null>
  }

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

/** Whether a schema was made by `t.Optional`. */
export const isOptional = (schema: object): boolean => Symbol.for("TypeBox.Optional") in schema

/** Any JSON object. */
export const JsonObject = t.Record(t.String(), t.Any())

/** What failed or was doubtful in one thing, as records keep it. */
export const Issue = t.Object(
  { code: t.String({ examples: ["no_text"] }), message: t.String({ examples: ["there is nothing to index"] }) },
  { title: "Issue" },
)

/** What the reader of an answer should know of it. */
export const AnswerWarning = t.Object(
  {
    code: t.String({ examples: ["foreign_link"] }),
    message: t.String({
      examples: ["the answer leads to addresses that stand in nothing the model was given: https://example.org/"],
    }),
    addresses: t.Optional(
      t.Array(t.String(), {
        description: "Of `foreign_link`: addresses, at most 20; show links and pictures that lead there as text",
        examples: [["https://example.org/"]],
      }),
    ),
    more: t.Optional(t.Integer({ description: "Of `foreign_link`: further addresses that are not named" })),
  },
  { title: "AnswerWarning" },
)

const errorFields = {
  code: t.String({ examples: ["invalid_request"] }),
  message: t.String({ examples: ["message: must not be empty"] }),
  details: t.Optional(
    t.Array(JsonObject, { description: "Bad fields, or what else belongs to the code", examples: [[]] }),
  ),
  hint: t.Optional(
    t.String({ description: "For the operator: what was tried, what to set", examples: ["start the model server"] }),
  ),
}

/** The error of a failed reply or run, as it was when it failed. */
export const StoredError = t.Object(errorFields, { title: "StoredError" })

const RequestId = t.String({ examples: ["req_01m7y48vkz3s85f1acdta2"] })

export const ErrorResponse = t.Object(
  { error: t.Object({ ...errorFields, request_id: RequestId }) },
  { title: "Error" },
)

/** In the `error` event of a stream, which may be a replay of an earlier request's. */
export const StreamedError = t.Object({
  error: t.Object({ ...errorFields, request_id: t.Optional(RequestId) }),
  message_id: t.Optional(t.String({ description: "The reply that failed" })),
})

export const Pagination = t.Object(
  {
    page: integer({ examples: [1] }),
    page_size: integer({ examples: [20] }),
    total_items: integer({ examples: [1] }),
    total_pages: integer({ examples: [1] }),
    has_next: t.Boolean(),
  },
  { title: "Pagination" },
)

export const listOf = <T extends TSchema>(item: T, title: string) =>
  t.Object({ data: t.Array(item), pagination: Pagination }, { title })

export const LINK =
  "http://127.0.0.1:4747/view/file_01m7y48vkz3s85f1acdta2?page=4&start=1234&end=1291&exp=1795428000&sig=key_01m7y48vkz3s85f1acdta3.ozYxqM2VwUq6kR0mCwYb8o0dQvG3c0u2fXr1mJ9pTnE"

/** Of a passage. */
export const Link = t.String({
  format: "uri",
  description: "Opens the passage in its document, without sign-in, for 24 hours; see `GET /view/{file_id}`",
  examples: [LINK],
})

/** Of conversations and runs. */
export const sharingFields = {
  shared: t.Boolean({
    description: "It is somebody else's, who lets the caller read it, and nothing more",
    examples: [false],
  }),
  shared_with: nullable(oneOf(["users", "workspace"]), {
    description: "Who reads it besides those who see it anyway: some users, or all of the workspace",
    examples: [null],
  }),
}

/** Parameters of their lists. */
export const sharingQuery = {
  owner_type: t.Optional(oneOf(["key", "user"], { description: "Only those that keys, or console users, made" })),
  shared: t.Optional(
    oneOf(["true", "false"], { description: "Only what others share with the caller, or only the rest" }),
  ),
}

/** What they ask for. */
export const sharingAsked = ({
  owner_type: ownerType,
  shared,
}: {
  owner_type?: "key" | "user" | undefined
  shared?: "true" | "false" | undefined
}) => ({
  ...(ownerType === undefined ? {} : { ownerType }),
  ...(shared === undefined ? {} : { shared: shared === "true" }),
})

/** Where a passage stands. */
export const Position = t.Object(
  {
    page: nullable(integer()),
    sheet: nullable(t.String()),
    slide: nullable(integer()),
    member: nullable(t.String({ description: "Path inside a zip" })),
    section: nullable(t.String()),
    start: integer({ description: "Offset into the file's extracted text" }),
    end: integer(),
  },
  {
    title: "Position",
    examples: [{ page: 4, sheet: null, slide: null, member: null, section: "3.2 Term", start: 1234, end: 1289 }],
  },
)

/** Whose a conversation or run is. */
export const OwnerSchema = nullable(
  t.Object({ type: oneOf(["key", "user"]), id: t.String(), name: t.String() }, { title: "Owner" }),
  {
    description: "The key or console user that made it; null where a former version did not know",
    examples: [{ type: "key", id: "key_01m7y48vkz3s85f1acdta2", name: "intranet search" }],
  },
)

/** The customer's own user. */
export const EndUser = t.String({
  minLength: 1,
  maxLength: 128,
  description: "Your own user, for whom this is; a scoped token may fix it, and another one is then 403",
})

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

/** A time given by a client as milliseconds-exact ISO-8601. @throws AppError invalid_request naming the field. */
export function timeOf(field: string, value: string | undefined): string | undefined {
  if (value === undefined || value === "") return undefined
  const instant = instantOf(value)
  if (!instant) throw invalid(field, "must be an ISO-8601 time, such as 2026-11-21T10:00:00.000Z")
  return instant
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
export const IDEMPOTENCY_KEY = {
  name: "Idempotency-Key",
  description:
    "Names this request: the same one sent again within 24 h is not carried out again, but answered as what the first one made stands now",
  schema: { type: "string", minLength: 1, maxLength: 255 },
}
/** Of streams, for clients that can send no headers. */
export const STREAM_TOKEN = t.Optional(
  t.String({ description: "In place of credentials: made under the stream's address, `…/token`" }),
)
export const StreamQuery = t.Object({
  after: t.Optional(t.String({ description: "As `Last-Event-ID`, which goes before it" })),
  stream_token: STREAM_TOKEN,
})
export const LAST_EVENT_ID = {
  name: "Last-Event-ID",
  description: "Only what came after this event of the stream",
  schema: { type: "integer", minimum: 0 },
}
