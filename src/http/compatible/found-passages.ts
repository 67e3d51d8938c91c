/** Passages as the endpoints of others show them: those that answer most surely first, whose scores mean what they say. */
import type { View } from "../../access/view.ts"
import type { Library } from "../../library/library.ts"
import type { FileRecord } from "../../library/record.ts"
import type { Hit, SearchFilters, SearchService } from "../../search/types.ts"

export interface Found {
  hit: Hit
  file: FileRecord
}

interface Asked {
  view: View
  /** A passage counts by the one that it answers best. */
  queries: readonly string[]
  limit: number
  minRelevance: number
  filters: SearchFilters
}

/** What a query may have; further characters say little that these do not. */
const MAX_QUERY = 2_000

export async function findPassages(
  { search, library }: { search: SearchService; library: Library },
  { view, queries, limit, minRelevance, filters }: Asked,
  signal: AbortSignal,
): Promise<Found[]> {
  const best = new Map<string, Hit>()
  for (const query of queries) {
    const request = {
      view,
      query: query.slice(0, MAX_QUERY).toWellFormed(),
      limit,
      min_relevance: minRelevance,
      filters,
    }
    const { hits } = await search.search(request, signal)
    for (const hit of hits) if ((best.get(hit.id)?.relevance ?? -1) < hit.relevance) best.set(hit.id, hit)
  }
  // The order of the search stands where they answer alike.
  const hits = [...best.values()].sort((a, b) => b.relevance - a.relevance).slice(0, limit)
  const files = await library.existing(
    view,
    hits.map(hit => hit.file.id),
  )
  const byId = new Map(files.map(file => [file.id, file]))
  return hits.flatMap(hit => {
    const file = byId.get(hit.file.id)
    return file ? [{ hit, file }] : [] // deleted meanwhile
  })
}
