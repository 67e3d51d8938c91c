/** What a search finds. */
import { endUserOf } from "../../../access/end-user.ts"
import { invalid, notBlank } from "../../../errors.ts"
import { ASKED_FOR } from "../../../search/rerank/budgets.ts"
import type { Hit, SearchFilters, SearchMode } from "../../../search/types.ts"
import { cursorOf } from "../../cursor.ts"
import type { Asked } from "../asked.ts"
import { type ConnectionArguments, connection, firstOf, numberAfter } from "../connection.ts"
import { type FileNarrowing, fileIfThere, narrowingOf } from "./files.ts"

interface SearchArguments extends ConnectionArguments, FileNarrowing {
  query: string
  mode?: SearchMode | null
  highlight?: boolean | null
  explain?: boolean | null
  minRelevance?: number | null
  exact?: boolean | null
  rerank?: boolean | null
  fileIds?: string[] | null
  endUser?: string | null
}

/** Hits are numbered: the same library and query give the same order. */
const LIST = "hits"
/** As far as pages of a search go. */
const MAX_OFFSET = 1_000_000

export async function search(given: SearchArguments, asked: Asked) {
  const offset = numberAfter(given, LIST)
  if (offset > MAX_OFFSET) throw invalid("after", "is no cursor of this list")
  endUserOf(asked.view, given.endUser ?? undefined)
  const result = await asked.house.search.search(
    {
      view: asked.view,
      query: queryOf(given),
      limit: firstOf(given, 10),
      offset,
      mode: given.mode ?? "hybrid",
      highlight: given.highlight ?? true,
      explain: given.explain ?? false,
      min_relevance: relevanceOf(given),
      exact: given.exact ?? false,
      ...(given.rerank ? { rerank: ASKED_FOR } : {}),
      filters: filtersOf(given, asked),
    },
    asked.signal,
  )
  const { hits, total, ...said } = result
  const entries = hits.map((hit, at) => ({ node: hitNode(hit, asked), cursor: cursorOf(LIST, offset + at + 1) }))
  const hasMore = hits.length > 0 && offset + hits.length < total
  return { ...said, ...connection(entries, { hasMore, isBehind: offset > 0, total: () => total }) }
}

const hitNode = (hit: Hit, asked: Asked) => ({
  ...asked.linked.hit(hit),
  file: { ...hit.file, record: () => fileIfThere(hit.file.id, asked) },
})

const MAX_QUERY = 2_000

function queryOf({ query }: SearchArguments): string {
  notBlank("query", query)
  if (query.length > MAX_QUERY) throw invalid("query", `must have at most ${MAX_QUERY} characters`)
  return query
}

function relevanceOf({ minRelevance }: SearchArguments): number {
  const least = minRelevance ?? 0
  if (least < 0 || least > 1) throw invalid("minRelevance", "must be a number from 0 to 1")
  return least
}

function filtersOf(given: SearchArguments, { house }: Asked): SearchFilters {
  const { types, tags, contextId, createdAfter, createdBefore, filter } = narrowingOf(given, house.fileTypes)
  return {
    ...(given.fileIds?.length ? { file_ids: given.fileIds } : {}),
    ...(types ? { types } : {}),
    ...(tags ? { tags } : {}),
    ...(contextId ? { context_id: contextId } : {}),
    ...(createdAfter ? { created_after: createdAfter } : {}),
    ...(createdBefore ? { created_before: createdBefore } : {}),
    ...(filter ? { filter } : {}),
  }
}
