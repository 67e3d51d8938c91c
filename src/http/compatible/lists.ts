/** Lists and times in the way of OpenAI's API. */
import { type TSchema, t } from "elysia"
import { invalid } from "../../errors.ts"
import type { IdPageRequest } from "../../library/id-pages.ts"
import { integer, nullable } from "../schemas.ts"

/** Seconds since 1970. */
export const UnixTime = integer({ description: "Seconds since 1970", examples: [1_795_514_400] })

export const unixTime = (iso: string): number => Math.floor(Date.parse(iso) / 1000)

export const cursorQuery = {
  limit: t.Optional(t.Integer({ description: "How many of them" })),
  order: t.Optional(t.UnionEnum(["asc", "desc"], { default: "desc", description: "By the time of making" })),
  after: t.Optional(t.String({ description: "Id that the page begins behind" })),
}

export const backwardQuery = {
  ...cursorQuery,
  before: t.Optional(t.String({ description: "Id that the page ends before" })),
}

interface CursorQuery {
  limit?: number
  order?: "asc" | "desc"
  after?: string
  before?: string
}

/** @throws AppError invalid_request for a `limit` out of range */
export function cursorOf(query: CursorQuery, most: number, fallback: number): IdPageRequest {
  const { limit = fallback, order = "desc", after, before } = query
  if (!Number.isInteger(limit) || limit < 1 || limit > most)
    throw invalid("limit", `must be a whole number from 1 to ${most}`)
  return { limit, order, after: after || undefined, before: before || undefined }
}

export const idListOf = <T extends TSchema>(item: T, title: string) =>
  t.Object(
    {
      object: t.Literal("list"),
      data: t.Array(item),
      first_id: nullable(t.String(), { examples: [null] }),
      last_id: nullable(t.String(), { examples: [null] }),
      has_more: t.Boolean(),
    },
    { title },
  )

export const idList = <Item extends { id: string }>(data: Item[], hasMore: boolean) => ({
  object: "list" as const,
  data,
  first_id: data[0]?.id ?? null,
  last_id: data.at(-1)?.id ?? null,
  has_more: hasMore,
})
