/** Answers one query: visible ids → both legs → fused list → the asked page as hits with text and highlights. */
import { AppError, invalid } from "../errors.ts"
import type { Database } from "../storage/database.ts"
import { rank, relevant, traitsIn } from "./answer.ts"
import type { PassageStore } from "./passage-store.ts"
import { readPage } from "./passages/page.ts"
import { askedOf, type QueryVector, QueryVectors } from "./query-vector.ts"
import { type ParsedQuery, parseQuery } from "./text/query.ts"
import type { WorkerAnswer } from "./thread/worker-messages.ts"
import type { SearchRequest, SearchResult } from "./types.ts"
import type { ServingModel, VectorModels } from "./vector/vector-models.ts"

/** Candidates of each leg that are fused: recall@100 of hybrid needs them, more changes little. */
const DEPTH = 100

/** Times that a query is asked: passages that it saw may be replaced, or the model changed, while it runs. */
const MAX_ATTEMPTS = 3

interface Found {
  answer: WorkerAnswer
  /** None: the answer is of the keyword leg alone. */
  vectors: readonly QueryVector[]
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
    const used = found.vectors.map(({ model }) => model)
    const model = used.length === this.models.tiers.length ? used.at(-1) : await this.bestModel()
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
    const { answer, vectors } = found
    const wordsAlone = vectors.length === 0 || !answer.understood
    // A hybrid search of a language that the model does not know is by words, as it should be; a semantic one is not what was asked for.
    if (mode === "semantic" ? wordsAlone : mode === "hybrid" && vectors.length === 0) result.degraded = "keyword_only"
    const embedders = Object.fromEntries(vectors.map(({ model: { tier, embedder } }) => [tier, embedder]))
    const ranking = rank(wordsAlone ? "keyword" : mode, answer, traitsIn(answer, embedders))
    const { list, total } = relevant(
      ranking,
      { least: request.min_relevance ?? 0, accidents: mode !== "hybrid" || request.accidents === true },
      answer,
    )
    // The first is of the tier that embeds many sections soonest.
    const page = { request, text: parsed.text, list, answer, vector: answer.understood ? vectors[0] : undefined }
    const { hits, passedOver } = await readPage(this.db, page, signal)
    result.hits = hits
    // Beyond the end there is nothing to count with.
    result.total = hits.length > 0 ? Math.max(total, offset + hits.length) : total
    return { result, passedOver }
  }

  /** The model that the library is searched with, or will be as soon as its vectors are there. */
  private async bestModel(): Promise<ServingModel | undefined> {
    let best: ServingModel | undefined
    for (const tier of this.models.tiers) best = (await this.models.model(tier).catch(() => undefined)) ?? best
    return best
  }

  /** Both legs; when the embedding models fail, the keyword leg alone. */
  private async ask(
    { workspaceId, filters, limit, offset = 0, mode = "hybrid" }: SearchRequest,
    parsed: ParsedQuery,
    signal: AbortSignal | undefined,
  ): Promise<Found> {
    const reach = offset + limit
    let embedding = mode !== "keyword" && (await this.hasPassages(workspaceId))
    for (let attempt = 1; ; attempt++) {
      // A model may be changed between embedding and searching: the vector is then of the former one.
      const vectors = embedding && attempt < MAX_ATTEMPTS ? await this.queryVectors.of(parsed.text, signal) : []
      signal?.throwIfAborted()
      const ask = {
        workspaceId,
        ...(filters ? { filters } : {}),
        query: parsed,
        mode: vectors.length > 0 ? mode : "keyword",
        vectors: vectors.map(askedOf),
        // A semantic page is as deep as it is asked for; a fused head is the same for every page.
        depth: mode === "semantic" ? Math.max(DEPTH, reach) : DEPTH,
        ...(reach > DEPTH ? { reach: reach + DEPTH } : {}),
      }
      const answer = await this.store.search(ask, signal)
      if (answer.vectorsLost) embedding = false
      else if (!answer.otherModel) return { answer, vectors }
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
