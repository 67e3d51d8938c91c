/** Answers one query: visible ids → both legs → fused list → the asked page as hits with text and highlights. */
import type { Embedder } from "../backends/backend.ts"
import { invalid } from "../errors.ts"
import { log } from "../log.ts"
import type { Database } from "../storage/database.ts"
import { explainer, rank } from "./answer.ts"
import type { Scored } from "./fuse.ts"
import { Highlighter } from "./highlight.ts"
import { countIds, subtract } from "./id-ranges.ts"
import type { LibraryView, LiveRanges, LiveRangesCache } from "./live-ranges.ts"
import { livePassages } from "./passages.ts"
import { type ParsedQuery, parseQuery } from "./query.ts"
import { looksEnglish } from "./query-language.ts"
import type { SearchThread } from "./search-thread.ts"
import type { Hit, SearchMode, SearchRequest, SearchResult } from "./types.ts"
import type { ServingModel, VectorLeg } from "./vector-leg.ts"
import type { WorkerAnswer, WorkerSearch } from "./worker-messages.ts"

/** Candidates of each leg that are fused: recall@100 of hybrid needs them, more changes little. */
const DEPTH = 100
/** One warning a minute while the embedding model fails. */
const WARN_EVERY_MS = 60_000

interface QueryVector {
  model: ServingModel
  values: Float32Array
}

/** A million vectors take four seconds to load; a query does not wait for all of that. */
const LOAD_PATIENCE_MS = 3_000

/** Times that a query is asked: passages that it saw may be replaced, or the model changed, while it runs. */
const MAX_ATTEMPTS = 3

interface AskedSearch {
  workspace: LiveRanges
  visible: LiveRanges
  parsed: ParsedQuery
  mode: SearchMode
  /** Hits wanted in all, those before the page included. */
  reach: number
  vectorsOnly: boolean
}

export class Searcher {
  private warnedAt = 0

  constructor(
    private readonly db: Database,
    private readonly thread: SearchThread,
    private readonly vectors: VectorLeg,
    private readonly live: LiveRangesCache,
  ) {}

  /** Searches one state of the library: a version that is replaced amid a query is not missed, the query is asked anew. */
  async search(request: SearchRequest, signal?: AbortSignal): Promise<SearchResult> {
    const startedAt = performance.now()
    const { workspaceId, query, filters } = request
    if (query.trim() === "") throw invalid("query", "must not be empty")
    for (let attempt = 1; ; attempt++) {
      const view = await this.live.find(workspaceId, filters)
      const result = await this.searchView(request, view, signal)
      result.took_ms = Math.round((performance.now() - startedAt) * 10) / 10
      if (attempt === MAX_ATTEMPTS || view.visible.count === 0) return result
      const { visible } = await this.live.find(workspaceId, filters)
      if (visible === view.visible || countIds(subtract(view.visible.ranges, visible.ranges)) === 0) return result
    }
  }

  private async searchView(
    request: SearchRequest,
    { workspace, visible, pendingFiles }: LibraryView,
    signal: AbortSignal | undefined,
  ): Promise<SearchResult> {
    const { query, limit, offset = 0, mode = "hybrid" } = request
    const result: SearchResult = {
      query,
      mode,
      took_ms: 0,
      total: 0,
      degraded: null,
      index: {
        searchable_files: workspace.files,
        pending_files: pendingFiles,
        embedding_model: "",
      },
      hits: [],
    }
    const model = await this.vectors.model().catch(() => undefined)
    result.index.embedding_model = model?.embedder.model ?? "none"
    if (visible.count > 0) {
      const parsed = parseQuery(query)
      const vectorsOnly = mode === "semantic" && !request.explain
      const found = await this.ask({ workspace, visible, parsed, mode, reach: offset + limit, vectorsOnly }, signal)
      if (mode !== "keyword" && !found.vector) result.degraded = "keyword_only"
      const kind: SearchMode = found.vector ? mode : "keyword"
      const weight = found.vector ? weightFor(found.vector.model.embedder, parsed.text) : 0
      const { list, total } = rank(kind, found.answer, weight)
      result.hits = await this.page(request, parsed, list, found.answer)
      result.total = Math.max(total, offset + result.hits.length)
    }
    return result
  }

  /** Both legs; when the embedding model fails, the keyword leg alone. */
  private async ask(
    search: AskedSearch,
    signal: AbortSignal | undefined,
  ): Promise<{ answer: WorkerAnswer; vector: QueryVector | undefined }> {
    const { workspace, visible, parsed, mode, reach, vectorsOnly } = search
    let lost = false
    for (let attempt = 1; ; attempt++) {
      // The model may be changed between embedding and searching: the vector is then of the former one.
      const wanted = mode !== "keyword" && !lost && attempt < MAX_ATTEMPTS
      const vector = wanted ? await this.embed(parsed.text, signal) : undefined
      signal?.throwIfAborted()
      const ask = {
        workspace: { key: workspace.key },
        ...(visible === workspace ? {} : { filter: { key: visible.key } }),
        query: parsed,
        ...(vector ? { vector: { table: vector.model.table, values: vector.values }, vectorsOnly } : {}),
        // A semantic page is as deep as it is asked for; a fused head is the same for every page.
        depth: mode === "semantic" ? Math.max(DEPTH, reach) : DEPTH,
        ...(reach > DEPTH ? { reach: reach + DEPTH } : {}),
      }
      const answer = await this.askWorker(ask, workspace, visible)
      if (answer.vectorsLost) {
        lost = true
        this.vectors.forgetLoaded()
      } else if (!answer.otherModel) return { answer, vector }
    }
  }

  private async askWorker(ask: WorkerSearch, workspace: LiveRanges, visible: LiveRanges): Promise<WorkerAnswer> {
    const answer = await this.thread.ask("search", ask)
    if (!answer.unknown) return answer
    return this.thread.ask("search", {
      ...ask,
      workspace: { key: workspace.key, ranges: workspace.ranges },
      ...(ask.filter ? { filter: { key: visible.key, ranges: visible.ranges } } : {}),
    })
  }

  private async embed(text: string, signal: AbortSignal | undefined): Promise<QueryVector | undefined> {
    try {
      const model = await this.vectors.model()
      if (!model) return undefined
      const [[values], loaded] = await Promise.all([model.embedder.embed([text], "query", signal), this.loaded()])
      return values && loaded ? { model, values } : undefined
    } catch (error) {
      if (signal?.aborted) throw error
      if (Date.now() - this.warnedAt > WARN_EVERY_MS) {
        this.warnedAt = Date.now()
        log.warn("search answers by keywords only: the embedding model fails", { error })
      }
      return undefined
    }
  }

  /** False when a large library's vectors are still being loaded after a start: words alone answer meanwhile. */
  private async loaded(): Promise<boolean> {
    let timer: ReturnType<typeof setTimeout> | undefined
    const patience = new Promise<boolean>(resolve => {
      timer = setTimeout(() => resolve(false), LOAD_PATIENCE_MS)
    })
    const loaded = this.vectors.load().then(() => true)
    return await Promise.race([loaded, patience]).finally(() => clearTimeout(timer))
  }

  /** The hits of one page; what was removed since the ids were read is passed over. */
  private async page(
    request: SearchRequest,
    parsed: ParsedQuery,
    list: Scored[],
    answer: WorkerAnswer,
  ): Promise<Hit[]> {
    const { workspaceId, limit, offset = 0, highlight = true, explain = false } = request
    const highlighter = highlight ? new Highlighter(parsed.text) : undefined
    const places = explain ? explainer(answer) : undefined
    const hits: Hit[] = []
    for (let from = offset; from < list.length && hits.length < limit; ) {
      const part = list.slice(from, from + limit - hits.length)
      from += part.length
      const passages = await livePassages(
        this.db,
        workspaceId,
        part.map(({ id }) => id),
      )
      for (const { id, score } of part) {
        const passage = passages.get(id)
        if (!passage) continue
        const { text, file, position } = passage
        hits.push({
          id: passage.id,
          score,
          text,
          highlights: highlighter?.find(text) ?? [],
          file,
          position,
          ...(places ? { scores: places(id) } : {}),
        })
      }
    }
    return hits
  }
}

/** The model's own weight; none for a query in a language that the model does not know. */
function weightFor({ fusionWeight, languages }: Embedder, query: string): number {
  const englishOnly = languages?.length === 1 && languages[0] === "en"
  return englishOnly && !looksEnglish(query) ? 0 : fusionWeight
}
