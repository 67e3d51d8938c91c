/** The search of a vector store. */
import { checkFilter } from "../../access/filter/filter.ts"
import type { View } from "../../access/view.ts"
import { invalid } from "../../errors.ts"
import type { Library } from "../../library/library.ts"
import type { SearchService } from "../../search/types.ts"
import { findPassages } from "./found-passages.ts"

interface StoreSearch {
  view: View
  contextId: string
  query: string | string[]
  filters?: unknown
  max_num_results?: number | null
  ranking_options?: { score_threshold?: number | null } | null
}

const RESULTS = 10

export async function searchStore(
  services: { search: SearchService; library: Library },
  { view, contextId, query, filters, ...asked }: StoreSearch,
  signal: AbortSignal,
) {
  const queries = typeof query === "string" ? [query] : query
  const blank = queries.findIndex(each => each.trim() === "")
  if (blank >= 0) throw invalid(typeof query === "string" ? "query" : `query.${blank}`, "must not be blank")
  const filter = filters ? checkFilter(filters, { place: "filters", bareKeys: true }) : undefined
  const found = await findPassages(
    services,
    {
      view,
      queries,
      limit: asked.max_num_results ?? RESULTS,
      minRelevance: asked.ranking_options?.score_threshold ?? 0,
      filters: { context_id: contextId, ...(filter ? { filter } : {}) },
    },
    signal,
  )
  return {
    object: "vector_store.search_results.page" as const,
    search_query: queries,
    data: found.map(({ hit, file }) => ({
      file_id: file.id,
      filename: file.name,
      score: hit.relevance,
      attributes: file.metadata,
      content: [{ type: "text" as const, text: hit.text }],
    })),
    has_more: false as const,
    next_page: null,
  }
}
