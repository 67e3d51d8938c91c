/** Hits gathered under their files: the answer to "which documents", where search answers "which passages". */
import type { Hit, SearchRequest, SearchResult, SearchService } from "../types.ts"

/** Passages shown of one document. */
const PASSAGES = 5
/** Hits read at a time, and at most how often: one long document may hold many of the best passages. */
const PAGE = 100
const MAX_PAGES = 10

export interface FoundDocument<FileRecord> {
  file: FileRecord
  /** The best passage's. */
  score: number
  /** The highest of its passages. */
  relevance: number
  passages: Hit[]
}

interface Found<FileRecord> extends Pick<SearchResult, "degraded" | "reranked"> {
  documents: FoundDocument<FileRecord>[]
  took_ms: number
}

/** `recordOf` gives nothing for a file that is gone meanwhile. */
export async function documentsFor<FileRecord>(
  search: SearchService,
  recordOf: (fileId: string) => Promise<FileRecord | undefined>,
  request: Pick<SearchRequest, "view" | "query" | "limit" | "filters" | "min_relevance" | "exact" | "rerank">,
  signal?: AbortSignal,
): Promise<Found<FileRecord>> {
  const startedAt = performance.now()
  const found = new Map<string, Hit[]>()
  let said: Pick<SearchResult, "degraded" | "reranked"> = { degraded: null }
  for (let page = 0; page < MAX_PAGES && found.size < request.limit; page++) {
    const { hits, degraded, reranked } = await search.search({ ...request, limit: PAGE, offset: page * PAGE }, signal)
    if (page === 0) said = { degraded, ...(reranked === undefined ? {} : { reranked }) }
    for (const hit of hits) {
      const passages = found.get(hit.file.id)
      if (!passages) found.set(hit.file.id, [hit])
      else if (passages.length < PASSAGES) passages.push(hit)
    }
    if (hits.length < PAGE) break
  }
  const documents: FoundDocument<FileRecord>[] = []
  for (const [fileId, passages] of found) {
    if (documents.length === request.limit) break
    const file = await recordOf(fileId)
    const relevance = Math.max(...passages.map(hit => hit.relevance))
    if (file) documents.push({ file, score: passages[0]!.score, relevance, passages })
  }
  return { documents, ...said, took_ms: Math.round((performance.now() - startedAt) * 10) / 10 }
}
