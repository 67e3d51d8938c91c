/** Errors of the endpoints that follow other people's shapes, in the shapes that their clients read. */
import { t } from "elysia"
import type { ErrorBody } from "../../errors.ts"
import { integer, nullable, oneOf } from "../schemas.ts"

const RETRIEVAL = /^(?:\/v1)?\/retrieval\/?$/
const PATH = /^\/v[12](?:\/|$)/

/** Whether a path belongs to the endpoints that follow other people's shapes. They are under no prefix. */
export const isCompatible = (path: string): boolean => PATH.test(path) || RETRIEVAL.test(path)

/** Whose shape errors have: OpenAI's, or that of Dify's external knowledge bases. */
export type Shape = "openai" | "dify"

/** Undefined for a path whose errors have our own. */
export function shapeOf(path: string): Shape | undefined {
  if (RETRIEVAL.test(path)) return "dify"
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

/** What makes the body of each shape from the error that other routes would answer with, and its schema. */
export const DRESSES = {
  openai: { schema: CompatibleError, dress: openaiError },
  dify: { schema: RetrievalError, dress: difyError },
} as const satisfies Record<Shape, unknown>

export function typeOf(status: number): (typeof TYPES)[number] {
  if (status === 401) return "authentication_error"
  if (status === 403) return "permission_error"
  if (status === 429) return "rate_limit_error"
  return status < 500 ? "invalid_request_error" : "server_error"
}
