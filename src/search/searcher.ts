/** Answers one query: visible ids → both legs → fused list → the asked page as hits with text and highlights. */
import type { View } from "../access/view.ts"
import { AppError, invalid } from "../errors.ts"
import type { Database } from "../storage/database.ts"
import { type Ranking, rank, relevant, traitsIn } from "./answer.ts"
import { GATHERED, groupPage, groupsOf, USUAL_SIZE } from "./groups.ts"
import type { PassageStore } from "./passage-store.ts"
import { readPage } from "./passages/page.ts"
import { askedOf, type QueryVector, QueryVectors } from "./query-vector.ts"
import type { Reranked, Reranking } from "./rerank/reranking.ts"
import { type ParsedQuery, parseQuery } from "./text/query.ts"
import type { WorkerAnswer } from "./thread/worker-messages.ts"
import type { SearchMode, SearchRequest, SearchResult } from "./types.ts"
import type { ServingModel, VectorModels } from "./vector/vector-models.ts"

/** Candidates of each leg that are fused: recall@100 of hybrid needs them, more changes little. */
const DEPTH = 100

/** Times that a query is asked: passages that it saw may be replaced, or the model changed, while it runs. */
const MAX_ATTEMPTS = 3

interface Found {
  answer: WorkerAnswer
  /** None: the answer is of the keyword leg alone. */
  vectors: readonly QueryVector[]
  /** Models of the tables that were searched or could have been, the best last. */
  serving: readonly ServingModel[]
}

/** What was found, and the list that the page is read from. */
interface FoundList extends Found, Pick<Ranking, "list" | "total"> {
  /** Vectors took no part. */
  wordsAlone: boolean
  /** What reranking had to say, where it was asked for. */
  judged: Pick<Reranked, "scores" | "notReranked">
  /** Of `list`. */
  page: { offset: number; limit: number }
}

export class Searcher {
  private readonly queryVectors: QueryVectors

  constructor(
    private readonly db: Database,
    private readonly store: PassageStore,
    private readonly models: VectorModels,
    private readonly reranking: Reranking | undefined,
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
    const { answer, vectors, serving, wordsAlone, judged, list, total, page } = await this.find(request, parsed, signal)
    const { missingFile, library, corrections } = answer
    if (missingFile !== undefined)
      throw new AppError("not_found", {
        message: "there is no such file",
        details: [{ field: "filters.file_ids", issue: `unknown file ${missingFile}` }],
      })
    const best = serving.at(-1)
    const tier = best?.tier ?? this.models.inline
    const result: SearchResult = {
      query,
      mode,
      took_ms: 0,
      total: 0,
      degraded: null,
      corrections,
      index: {
        searchable_files: library.files,
        pending_files: library.pendingFiles,
        embedding_model: best?.embedder.model ?? "none",
        vectors: { done: answer.held[tier] ?? 0, total: answer.ground.passages, tier },
      },
      hits: [],
      ...(request.group_by ? { groups: [] } : {}),
    }
    if (request.rerank) result.reranked = 0
    if (library.passages === 0) return { result, passedOver: false }
    // Not counted before they are loaded, which searches by words alone would never ask for.
    for (const each of serving) if (answer.held[each.tier] === undefined) this.store.load(each.tier).catch(() => {})
    result.degraded = degradedBy(mode, { answer, vectors, wordsAlone, judged })
    if (request.rerank) result.reranked = judged.scores.size
    // The first is of the tier that embeds many sections soonest.
    const vector = answer.understood ? vectors[0] : undefined
    const { hits, passedOver } = await readPage(
      this.db,
      {
        request: { ...request, ...page },
        list,
        answer,
        vector,
        ...(request.rerank ? { reranked: judged.scores } : {}),
      },
      signal,
    )
    result.hits = hits
    if (request.group_by) result.groups = groupsOf(hits)
    // Beyond the end there is nothing to count with.
    const count = result.groups?.length ?? hits.length
    result.total = count > 0 ? Math.max(total, offset + count) : total
    return { result, passedOver }
  }

  /** The best last: the library is searched with it, or will be as soon as its vectors are there. */
  private async serving(): Promise<ServingModel[]> {
    const models = await Promise.all(this.models.tiers.map(tier => this.models.model(tier).catch(() => undefined)))
    return models.filter(model => model !== undefined)
  }

  private async find(request: SearchRequest, parsed: ParsedQuery, signal: AbortSignal | undefined): Promise<FoundList> {
    const { offset = 0, limit, group_by, group_size: size = USUAL_SIZE } = request
    if (!group_by) {
      const found = await this.ask(request, parsed, offset + limit, signal)
      return { ...found, ...(await this.rankingOf(request, parsed, found, signal)), page: { offset, limit } }
    }
    for (let nth = 0; ; nth++) {
      const found = await this.ask(request, parsed, GATHERED[nth]!, signal)
      const { wordsAlone, judged, ...ranking } = await this.rankingOf(request, parsed, found, signal)
      const isWhole = ranking.list.length >= ranking.total || nth + 1 === GATHERED.length
      const grouped = groupPage(ranking.list, found.answer, { offset, limit, size })
      if (isWhole || grouped.total >= offset + limit)
        return { ...found, ...grouped, wordsAlone, judged, page: { offset: 0, limit: grouped.list.length } }
    }
  }

  /** The list that a request pages through. */
  private async rankingOf(
    { view, mode = "hybrid", rerank, min_relevance: least = 0, accidents = false }: SearchRequest,
    { text }: ParsedQuery,
    { answer, vectors }: Found,
    signal: AbortSignal | undefined,
  ): Promise<Pick<FoundList, "list" | "total" | "wordsAlone" | "judged">> {
    const wordsAlone = vectors.length === 0 || !answer.understood
    const embedders = Object.fromEntries(vectors.map(({ model: { tier, embedder } }) => [tier, embedder]))
    const fused = rank(wordsAlone ? "keyword" : mode, answer, traitsIn(answer, embedders))
    const judged =
      rerank && this.reranking
        ? await this.reranking.rerank({ view, text, ...rerank }, fused, signal)
        : { ranking: fused, scores: new Map(), notReranked: rerank !== undefined }
    // Not before: the model knows better which passages answer, and relevance follows it.
    const kept = relevant(judged.ranking, { least, accidents: mode !== "hybrid" || accidents }, answer)
    return { ...kept, wordsAlone, judged }
  }

  /** Both legs; when the embedding model fails, the keyword leg alone. `reach`: passages that the list is to hold. */
  private async ask(
    { view, filters, mode = "hybrid", exact = false, group_by }: SearchRequest,
    parsed: ParsedQuery,
    reach: number,
    signal: AbortSignal | undefined,
  ): Promise<Found> {
    let embedding = mode !== "keyword" && (await this.hasPassages(view))
    for (let attempt = 1; ; attempt++) {
      // A model may be changed between embedding and searching: the vector is then of the former one.
      const vectors = embedding && attempt < MAX_ATTEMPTS ? await this.queryVectors.of(parsed.text, signal) : []
      const serving = await this.serving()
      signal?.throwIfAborted()
      const ask = {
        view,
        ...(filters ? { filters } : {}),
        query: parsed,
        ...(exact ? { exact } : {}),
        ...(group_by ? { byDocument: true } : {}),
        mode: vectors.length > 0 ? mode : "keyword",
        vectors: vectors.map(askedOf),
        tables: Object.fromEntries(serving.map(({ tier, table }) => [tier, table])),
        // A semantic page is as deep as it is asked for; a fused head is the same for every page.
        depth: mode === "semantic" ? Math.max(DEPTH, reach) : DEPTH,
        ...(reach > DEPTH ? { reach: reach + DEPTH } : {}),
      }
      const answer = await this.store.search(ask, signal)
      if (answer.vectorsLost) embedding = false
      else if (!answer.otherModel) return { answer, vectors, serving }
    }
  }

  /** An empty workspace has no need of the embedding model, which is loaded at the first use. */
  private async hasPassages({ workspaceId }: View): Promise<boolean> {
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

/** The first of what a search went without. */
function degradedBy(
  mode: SearchMode,
  { answer, vectors, wordsAlone, judged }: Pick<FoundList, "answer" | "vectors" | "wordsAlone" | "judged">,
): SearchResult["degraded"] {
  // A hybrid search of a language that the model does not know is by words, as it should be; a semantic one is not what was asked for.
  if (mode === "semantic" ? wordsAlone : mode === "hybrid" && vectors.length === 0) return "keyword_only"
  if (judged.notReranked) return "not_reranked"
  return !wordsAlone && mode !== "keyword" && arePending(answer) ? "vectors_pending" : null
}

/** Whether passages still wait for a vector of any tier. That others wait for a better one stands in `index.vectors`. */
const arePending = ({ held, ground }: WorkerAnswer): boolean => Math.max(0, ...Object.values(held)) < ground.passages
