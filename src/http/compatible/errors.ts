/** Errors of the endpoints that follow other people's shapes, in the shapes that their clients read. */
import { t } from "elysia"
import type { ErrorBody } from "../../errors.ts"
import { integer, JsonObject, nullable, oneOf } from "../schemas.ts"

const RETRIEVAL = /^(?:\/v1)?\/retrieval\/?$/
const GRAPHQL = /^\/graphql\/?$/
const PATH = /^\/v[12](?:\/|$)/

/** Whether a path belongs to the endpoints that follow other people's shapes. They are under no prefix. */
export const isCompatible = (path: string): boolean => PATH.test(path) || RETRIEVAL.test(path)

/** Whose shape errors have: OpenAI's, that of Dify's external knowledge bases, or GraphQL's beside our own. */
export type Shape = "openai" | "dify" | "graphql"

/** Undefined for a path whose errors have our own. */
export function shapeOf(path: string): Shape | undefined {
  if (RETRIEVAL.test(path)) return "dify"
  if (GRAPHQL.test(path)) return "graphql"
  return PATH.test(path) ? "openai" : undefined
}

const TYPES = [
  "invalid_request_error",
  "authentication_error",
  "permission_error",
  "rate_limit_error",
  "server_error",
] as const

const CompatibleError = t.Object(
  {
    error: t.Object({
      message: t.String({ examples: ["documents: must not have more than 1000 items"] }),
      type: oneOf(TYPES),
      param: nullable(t.String({ description: "The field that is wrong" }), { examples: ["documents"] }),
      code: t.String({ examples: ["invalid_request"] }),
      request_id: t.String({ examples: ["req_01m7y48vkz3s85f1acdta2"] }),
    }),
  },
  { title: "CompatibleError" },
)

const RetrievalError = t.Object(
  {
    error_code: integer({
      description:
        "1001: no credentials, or malformed ones; 1002: credentials that do not allow this; 2001: there is no such knowledge base; else the status",
      examples: [2001],
    }),
    error_msg: t.String({ examples: ["there is no such knowledge base"] }),
  },
  { title: "RetrievalError" },
)

/** Of each error that a client of GraphQL is told. */
export const ErrorExtensions = t.Object(
  {
    code: t.String({ description: "As of all errors", examples: ["invalid_request"] }),
    request_id: t.Optional(t.String()),
    details: t.Optional(t.Array(JsonObject)),
    hint: t.Optional(t.String()),
    retry_after: t.Optional(t.Number({ description: "Seconds until a retry makes sense" })),
  },
  { title: "GraphqlErrorExtensions" },
)

const GraphqlError = t.Object(
  {
    errors: t.Array(
      t.Object({
        message: t.String(),
        locations: t.Optional(t.Array(t.Object({ line: integer(), column: integer() }))),
        extensions: ErrorExtensions,
      }),
      { description: "For clients of GraphQL; nothing was executed" },
    ),
    error: t.Any({ description: "The same as of all other routes" }),
  },
  {
    title: "GraphqlError",
    examples: [
      {
        errors: [
          {
            message: 'Cannot query field "nam" on type "File". Did you mean "name"?',
            locations: [{ line: 1, column: 17 }],
            extensions: { code: "invalid_request", request_id: "req_01m7y48vkz3s85f1acdta2" },
          },
        ],
        error: { code: "invalid_request", message: "query: Cannot query field …" },
      },
    ],
  },
)

const worded = ({ message, hint }: ErrorBody): string => (hint === undefined ? message : `${message} (${hint})`)

function openaiError(error: ErrorBody, status: number) {
  const field = error.details?.[0]?.field
  return {
    error: {
      message: worded(error),
      type: typeOf(status),
      param: typeof field === "string" ? field : null,
      code: error.code,
      request_id: error.request_id,
    },
  }
}

function difyError(error: ErrorBody, status: number) {
  // Details name the credentials that are missing or malformed; those that are merely wrong have none.
  const isIllFormed = error.code === "unauthorized" && error.details !== undefined
  const codes: Record<number, number> = { 401: isIllFormed ? 1001 : 1002, 403: 1002, 404: 2001 }
  return { error_code: codes[status] ?? status, error_msg: worded(error) }
}

/** Their clients look for `errors`: one for each that is told of the query, else one. */
function graphqlError(error: ErrorBody) {
  const { message, details = [], ...extensions } = error
  const placed = details.filter(detail => Array.isArray(detail.locations))
  const errors =
    placed.length > 0
      ? placed.map(({ issue, locations }) => ({ message: String(issue), locations, extensions }))
      : [{ message, extensions: { ...extensions, ...(details.length > 0 ? { details } : {}) } }]
  return { errors, error }
}

/** What makes the body of each shape from the error that other routes would answer with, and its schema. */
export const DRESSES = {
  openai: { schema: CompatibleError, dress: openaiError },
  dify: { schema: RetrievalError, dress: difyError },
  graphql: { schema: GraphqlError, dress: graphqlError },
} as const satisfies Record<Shape, unknown>

export function typeOf(status: number): (typeof TYPES)[number] {
  if (status === 401) return "authentication_error"
  if (status === 403) return "permission_error"
  if (status === 429) return "rate_limit_error"
  return status < 500 ? "invalid_request_error" : "server_error"
}
