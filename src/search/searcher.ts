/** Answers one query: visible ids → both legs → fused list → the asked page as hits with text and highlights. */
import { AppError, invalid } from "../errors.ts"
import type { Database } from "../storage/database.ts"
import { rank, relevant, traitsOf } from "./answer.ts"
import type { PassageStore } from "./passage-store.ts"
import { readPage } from "./passages/page.ts"
import { type QueryVector, QueryVectors } from "./query-vector.ts"
import { type ParsedQuery, parseQuery } from "./text/query.ts"
import type { WorkerAnswer } from "./thread/worker-messages.ts"
import type { SearchRequest, SearchResult } from "./types.ts"
import type { VectorModels } from "./vector/vector-models.ts"

/** Candidates of each leg that are fused: recall@100 of hybrid needs them, more changes little. */
const DEPTH = 100

/** Times that a query is asked: passages that it saw may be replaced, or the model changed, while it runs. */
const MAX_ATTEMPTS = 3

interface Found {
  answer: WorkerAnswer
  /** Absent: the answer is of the keyword leg alone. */
  vector: QueryVector | undefined
}

export class Searcher {
  private readonly queryVectors: QueryVectors

  constructor(
    private readonly db: Database,
    private readonly store: PassageStore,
    private readonly models: VectorModels,
  ) {
    this.queryVectors = new QueryVectors(models, store)
  }

  /**
   * Searches one state of the library: when a passage of the page was replaced or removed before its row could be read,
   * the query is asked anew.
   */
  async search(request: SearchRequest, signal?: AbortSignal): Promise<SearchResult> {
    const startedAt = performance.now()
    if (request.query.trim() === "") throw invalid("query", "must not be empty")
    for (let attempt = 1; ; attempt++) {
      const { result, passedOver } = await this.searchOnce(request, signal)
      result.took_ms = Math.round((performance.now() - startedAt) * 10) / 10
      if (!passedOver || attempt === MAX_ATTEMPTS) return result
    }
  }

  private async searchOnce(
    request: SearchRequest,
    signal: AbortSignal | undefined,
  ): Promise<{ result: SearchResult; passedOver: boolean }> {
    const { query, offset = 0, mode = "hybrid" } = request
    const parsed = parseQuery(query)
    const found = await this.ask(request, parsed, signal)
    const { missingFile, library } = found.answer
    if (missingFile !== undefined)
      throw new AppError("not_found", {
        message: "there is no such file",
        details: [{ field: "filters.file_ids", issue: `unknown file ${missingFile}` }],
      })
    const model = found.vector?.model ?? (await this.models.model().catch(() => undefined))
    const result: SearchResult = {
      query,
      mode,
      took_ms: 0,
      total: 0,
      degraded: null,
      index: {
        searchable_files: library.files,
        pending_files: library.pendingFiles,
        embedding_model: model?.embedder.model ?? "none",
      },
      hits: [],
    }
    if (library.passages === 0) return { result, passedOver: false }
    const wordsAlone = !found.vector || !found.answer.understood
    // A hybrid search of a language that the model does not know is by words, as it should be; a semantic one is not what was asked for.
    if (mode === "semantic" ? wordsAlone : mode === "hybrid" && !found.vector) result.degraded = "keyword_only"
    const ranking = rank(wordsAlone ? "keyword" : mode, found.answer, traitsOf(found.vector?.model.embedder))
    const { list, total } = relevant(
      ranking,
      { least: request.min_relevance ?? 0, accidents: mode !== "hybrid" || request.accidents === true },
      found.answer,
    )
    const { answer, vector } = found
    const page = { request, text: parsed.text, list, answer, vector: answer.understood ? vector : undefined }
    const { hits, passedOver } = await readPage(this.db, page, signal)
    result.hits = hits
    // Beyond the end there is nothing to count with.
    result.total = hits.length > 0 ? Math.max(total, offset + hits.length) : total
    return { result, passedOver }
  }

  /** Both legs; when the embedding model fails, the keyword leg alone. */
  private async ask(
    { workspaceId, filters, limit, offset = 0, mode = "hybrid" }: SearchRequest,
    parsed: ParsedQuery,
    signal: AbortSignal | undefined,
  ): Promise<Found> {
    const reach = offset + limit
    let embedding = mode !== "keyword" && (await this.hasPassages(workspaceId))
    for (let attempt = 1; ; attempt++) {
      // The model may be changed between embedding and searching: the vector is then of the former one.
      const vector = embedding && attempt < MAX_ATTEMPTS ? await this.queryVectors.of(parsed.text, signal) : undefined
      signal?.throwIfAborted()
      const ask = {
        workspaceId,
        ...(filters ? { filters } : {}),
        query: parsed,
        mode: vector ? mode : "keyword",
        ...(vector ? { vector: queryVectorOf(vector) } : {}),
        // A semantic page is as deep as it is asked for; a fused head is the same for every page.
        depth: mode === "semantic" ? Math.max(DEPTH, reach) : DEPTH,
        ...(reach > DEPTH ? { reach: reach + DEPTH } : {}),
      }
      const answer = await this.store.search(ask, signal)
      if (answer.vectorsLost) embedding = false
      else if (!answer.otherModel) return { answer, vector }
    }
  }

  /** An empty workspace has no need of the embedding model, which is loaded at the first use. */
  private async hasPassages(workspaceId: string): Promise<boolean> {
    const file = await this.db
      .selectFrom("files")
      .select("id")
      .where("workspace_id", "=", workspaceId)
      .where("live_generation", "is not", null)
      .limit(1)
      .executeTakeFirst()
    return file !== undefined
  }
}

const queryVectorOf = ({ model: { table, embedder }, values }: QueryVector) => ({
  table,
  values,
  languages: embedder.languages ?? null,
})
