/** Search: passages, and the documents that they stand in. */
import { Elysia } from "elysia"
import { endUserOf } from "../../access/end-user.ts"
import { filterOf } from "../../access/filter/filter.ts"
import { AppError, invalid, notBlank } from "../../errors.ts"
import { documentsFor } from "../../search/passages/documents.ts"
import { ASKED_FOR } from "../../search/rerank/budgets.ts"
import type { SearchFilters, SearchRequest } from "../../search/types.ts"
import { caller } from "../context.ts"
import { Linked } from "../linked.ts"
import { timeOf, typesOf } from "../schemas.ts"
import type { Services } from "../services.ts"
import * as docs from "./search.docs.ts"

export const searchRoutes = ({ search, library, chat, links, fileTypes }: Services) =>
  new Elysia()
    .use(caller)
    .post(
      "/external/search",
      async ({ body, principal, request }) => {
        const { filters, filter, rerank, end_user: endUser, ...rest } = body
        endUserOf(principal.view, endUser)
        const query = notBlank("query", body.query)
        if (body.group_size !== undefined && !body.group_by) throw invalid("group_size", "needs group_by")
        const found = await search.search(
          {
            ...rest,
            query,
            limit: body.limit ?? 10,
            view: principal.view,
            filters: filtersOf(filters, filter, fileTypes),
            ...rerankOf(rerank),
          },
          request.signal,
        )
        return { ...found, hits: found.hits.map(new Linked(links, principal).hit) }
      },
      docs.search(),
    )
    .post(
      "/external/semantic-search",
      async ({ body, principal, request }) => {
        const { view } = principal
        endUserOf(view, body.end_user)
        const given = body.query ?? body.keywords
        if (given === undefined) throw invalid("query", "give query or keywords")
        const query = notBlank(body.query === undefined ? "keywords" : "query", given)
        const filters = filtersOf(body.filters, body.filter, fileTypes)
        if (body.context_id?.startsWith("conv_")) {
          const ids = await chat.conversationFiles(view, body.context_id)
          filters.file_ids = filters.file_ids?.length ? filters.file_ids.filter(id => ids.includes(id)) : ids
          if (filters.file_ids.length === 0) return { documents: [], degraded: null, took_ms: 0 }
        } else if (body.context_id) filters.context_id = body.context_id
        const recordOf = (id: string) => library.get(view, id).catch(unlessNotFound)
        const { limit = 5, min_relevance = 0, exact = false } = body
        const asked = { view, query, limit, min_relevance, exact, filters, ...rerankOf(body.rerank) }
        const { documents, ...rest } = await documentsFor(search, recordOf, asked, request.signal)
        const { hit } = new Linked(links, principal)
        return { documents: documents.map(found => ({ ...found, passages: found.passages.map(hit) })), ...rest }
      },
      docs.findDocuments(),
    )

function rerankOf(given: typeof docs.Rerank.static | null | undefined): Pick<SearchRequest, "rerank"> {
  if (!given) return {}
  return { rerank: { ...ASKED_FOR, ...(given === true ? {} : given) } }
}

/** @throws AppError invalid_request for a type that no file has, and for what is not a time; invalid_filter */
function filtersOf(
  given: typeof docs.Filters.static | null | undefined,
  filter: unknown,
  fileTypes: Services["fileTypes"],
): SearchFilters {
  const filters: SearchFilters = {}
  const own = filterOf(filter)
  if (own) filters.filter = own
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
