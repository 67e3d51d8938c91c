/** Errors under `/v1` and `/v2`, in the shape that clients of OpenAI and of those who follow it read. */
import { t } from "elysia"
import type { ErrorBody } from "../../errors.ts"
import { nullable, oneOf } from "../schemas.ts"

const PATH = /^\/v[12](?:\/|$)/

/** Whether a path belongs to the endpoints that follow other people's shapes. They are under no prefix. */
export const isCompatible = (path: string): boolean => PATH.test(path)

const TYPES = [
  "invalid_request_error",
  "authentication_error",
  "permission_error",
  "rate_limit_error",
  "server_error",
] as const

export const CompatibleError = t.Object(
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

/** The error that other routes would answer with, in that shape. */
export function compatibleError({ code, message, hint, details, request_id }: ErrorBody, status: number) {
  const field = details?.[0]?.field
  return {
    message: hint === undefined ? message : `${message} (${hint})`,
    type: typeOf(status),
    param: typeof field === "string" ? field : null,
    code,
    request_id,
  }
}

export function typeOf(status: number): (typeof TYPES)[number] {
  if (status === 401) return "authentication_error"
  if (status === 403) return "permission_error"
  if (status === 429) return "rate_limit_error"
  return status < 500 ? "invalid_request_error" : "server_error"
}
