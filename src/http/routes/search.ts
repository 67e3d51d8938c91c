/** Search: set A's hits and set B's documents. */
import { Elysia, t } from "elysia"
import { AppError, invalid } from "../../errors.ts"
import { documentsFor } from "../../search/passages/documents.ts"
import type { SearchFilters } from "../../search/types.ts"
import { caller } from "../context.ts"
import { closed, integer, nullable, operation, timeOf, typesOf } from "../schemas.ts"
import type { Services } from "../services.ts"
import { FileRecordSchema } from "./library.ts"

const TAG = "Search"
const optional = <T extends Parameters<typeof nullable>[0]>(schema: T) => t.Optional(nullable(schema))

const Filters = closed(
  {
    file_ids: optional(t.Array(t.String(), { description: "Any of these files; an unknown one is 404" })),
    types: optional(t.Array(t.String(), { description: "Any of these extensions", examples: [["pdf", "docx"]] })),
    tags: optional(t.Array(t.String(), { description: "Any of these tags" })),
    context_id: optional(t.String({ description: "The scope named at upload" })),
    created_after: optional(t.String({ description: "ISO-8601", examples: ["2026-01-01T00:00:00.000Z"] })),
    created_before: optional(t.String({ description: "ISO-8601" })),
    metadata: optional(t.Record(t.String(), t.Any(), { description: "Every key must have exactly this value" })),
  },
  { description: "Each one narrows; lists are any-of; empty ones narrow nothing. Others are refused." },
)

const QueryText = t.String({
  minLength: 1,
  maxLength: 2000,
  description:
    'Plain words, in any language. "A phrase" in quotes and +word must stand in the passage, -word must not; with nothing but excluded words there is nothing to rank by, and they are taken as plain ones. No text is an error.',
  examples: ["termination notice period"],
})

const Limit = (fallback: number) => t.Optional(integer({ minimum: 1, maximum: 100, default: fallback }))

const Score = t.Number({ minimum: 0, maximum: 1 })
const Relevance = t.Number({
  minimum: 0,
  maximum: 1,
  description:
    "How surely this answers the query, comparable between queries: of the hits at .5 about half are right, and filters do not change it. `score` only orders the hits of one answer.",
  examples: [0.62],
})
const LeastRelevance = t.Optional(
  t.Number({
    minimum: 0,
    maximum: 1,
    default: 0,
    description:
      "Hits of a lower `relevance` are left out; .01 drops what came near by chance, .5 keeps what is likelier right than wrong",
    examples: [0.1],
  }),
)
const LegScore = nullable(t.Object({ rank: integer({ minimum: 1 }), score: t.Number() }))

const Hit = t.Object(
  {
    id: t.String({ examples: ["chunk_00000000a7"] }),
    score: Score,
    relevance: Relevance,
    text: t.String({ description: "Exactly the slice of the file's text that `position` names" }),
    highlights: t.Array(t.Object({ start: integer(), end: integer() }), { description: "Offsets into `text`" }),
    file: t.Object({
      id: t.String(),
      name: t.String(),
      type: t.String(),
      context_id: nullable(t.String()),
      tags: t.Array(t.String()),
    }),
    position: t.Object({
      page: nullable(integer()),
      sheet: nullable(t.String()),
      slide: nullable(integer()),
      member: nullable(t.String()),
      section: nullable(t.String()),
      start: integer(),
      end: integer(),
    }),
    scores: t.Optional(t.Object({ keyword: LegScore, semantic: LegScore })),
  },
  { title: "Hit" },
)

const Mode = t.UnionEnum(["hybrid", "keyword", "semantic"], { default: "hybrid" })

const SearchAnswer = t.Object({
  query: t.String(),
  mode: Mode,
  took_ms: t.Number(),
  total: integer({ description: "Hits there are in all" }),
  degraded: nullable(
    t.Literal("keyword_only", {
      description:
        "The embedding model is down, or knows nothing of the query of a `semantic` search, such as its language: words alone were searched",
    }),
  ),
  index: t.Object({ searchable_files: integer(), pending_files: integer(), embedding_model: t.String() }),
  hits: t.Array(Hit),
})

const DocumentsAnswer = t.Object({
  documents: t.Array(t.Object({ file: FileRecordSchema, score: Score, relevance: Relevance, passages: t.Array(Hit) })),
  took_ms: t.Number(),
})

const searchBody = t.Object({
  query: QueryText,
  limit: Limit(10),
  offset: t.Optional(integer({ minimum: 0, maximum: 1_000_000, default: 0 })),
  mode: t.Optional(Mode),
  highlight: t.Optional(t.Boolean({ default: true })),
  explain: t.Optional(t.Boolean({ default: false, description: "Adds each leg's rank and score" })),
  min_relevance: LeastRelevance,
  filters: optional(Filters),
})

const documentsBody = t.Object({
  query: t.Optional(QueryText),
  keywords: t.Optional(QueryText),
  context_id: optional(t.String({ description: "A scope named at upload, or a conversation: then its files only" })),
  limit: Limit(5),
  min_relevance: LeastRelevance,
  filters: optional(Filters),
})

export const searchRoutes = ({ search, library, conversationFiles, fileTypes }: Services) =>
  new Elysia()
    .use(caller)
    .post(
      "/external/search",
      ({ body, principal, request }) => {
        const { filters, ...rest } = body
        const query = notBlank("query", body.query)
        return search.search(
          {
            ...rest,
            query,
            limit: body.limit ?? 10,
            workspaceId: principal.workspaceId,
            filters: filtersOf(filters, fileTypes),
          },
          request.signal,
        )
      },
      {
        scope: "search",
        body: searchBody,
        detail: operation({
          summary: "Search the library",
          description: "Hybrid: exact BM25 and meaning, fused. The same library and query give the same order.",
          tag: TAG,
          success: { description: "The best passages, best first", schema: SearchAnswer },
          errors: [
            "invalid_json",
            "invalid_request",
            "not_found",
            "request_too_large",
            "unsupported_media_type",
            "overloaded",
          ],
          example: { query: "termination notice period", limit: 10, min_relevance: 0.01, filters: { types: ["pdf"] } },
        }),
      },
    )
    .post(
      "/external/semantic-search",
      async ({ body, principal, request }) => {
        const { workspaceId } = principal
        const given = body.query ?? body.keywords
        if (given === undefined) throw invalid("query", "give query or keywords")
        const query = notBlank(body.query === undefined ? "keywords" : "query", given)
        const filters = filtersOf(body.filters, fileTypes)
        if (body.context_id?.startsWith("conv_")) {
          const ids = await conversationFiles(workspaceId, body.context_id)
          filters.file_ids = filters.file_ids?.length ? filters.file_ids.filter(id => ids.includes(id)) : ids
          if (filters.file_ids.length === 0) return { documents: [], took_ms: 0 }
        } else if (body.context_id) filters.context_id = body.context_id
        const recordOf = (id: string) => library.get(workspaceId, id).catch(unlessNotFound)
        const asked = { workspaceId, query, limit: body.limit ?? 5, min_relevance: body.min_relevance ?? 0, filters }
        return documentsFor(search, recordOf, asked, request.signal)
      },
      {
        scope: "search",
        body: documentsBody,
        detail: operation({
          summary: "Find the most relevant documents",
          description: "Hybrid search, with the hits of a file gathered under its record.",
          tag: TAG,
          success: { description: "The best documents, best first", schema: DocumentsAnswer },
          errors: [
            "invalid_json",
            "invalid_request",
            "not_found",
            "request_too_large",
            "unsupported_media_type",
            "overloaded",
          ],
          example: { query: "termination notice period", limit: 5 },
        }),
      },
    )

function notBlank(field: string, text: string): string {
  if (text.trim() === "") throw invalid(field, "must not be blank")
  return text
}

/** @throws AppError invalid_request for a type that no file has, and for what is not a time */
function filtersOf(given: typeof Filters.static | null | undefined, fileTypes: Services["fileTypes"]): SearchFilters {
  const filters: SearchFilters = {}
  if (!given) return filters
  if (given.file_ids) filters.file_ids = given.file_ids
  const types = typesOf("filters.types", given.types ?? undefined, fileTypes)
  if (types) filters.types = types
  if (given.tags) filters.tags = given.tags
  if (given.context_id) filters.context_id = given.context_id
  const after = timeOf("filters.created_after", given.created_after ?? undefined)
  if (after) filters.created_after = after
  const before = timeOf("filters.created_before", given.created_before ?? undefined)
  if (before) filters.created_before = before
  if (given.metadata) filters.metadata = given.metadata
  return filters
}

/** A file deleted between the search and the look at its record is left out. */
function unlessNotFound(error: unknown): undefined {
  if (error instanceof AppError && error.code === "not_found") return undefined
  throw error
}
