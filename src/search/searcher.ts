/** Answers one query: visible ids → both legs → fused list → the asked page as hits with text and highlights. */
import type { Embedder } from "../backends/backend.ts"
import { AppError, invalid } from "../errors.ts"
import { log } from "../log.ts"
import type { Database } from "../storage/database.ts"
import type { SectionStart } from "../storage/document.ts"
import { explainer, type ModelTraits, type Ranked, rank, relevant } from "./answer.ts"
import { QueryWords, sectionAt, sectionTexts } from "./passages/best-place.ts"
import { Highlighter } from "./passages/highlight.ts"
import { livePassages } from "./passages/passages.ts"
import { type ParsedQuery, parseQuery } from "./text/query.ts"
import type { SearchThread } from "./thread/search-thread.ts"
import type { WorkerAnswer } from "./thread/worker-messages.ts"
import type { Hit, SearchRequest, SearchResult } from "./types.ts"
import type { ServingModel, VectorLeg } from "./vector/vector-leg.ts"

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

/** Sections whose vectors are made to tell which one a hit is about: as many as one request of a model takes. */
const MAX_SECTIONS_BY_MEANING = 32

/** Times that a query is asked: passages that it saw may be replaced, or the model changed, while it runs. */
const MAX_ATTEMPTS = 3

interface Found {
  answer: WorkerAnswer
  /** Absent: the answer is of the keyword leg alone. */
  vector: QueryVector | undefined
}

export class Searcher {
  private warnedAt = 0

  constructor(
    private readonly db: Database,
    private readonly thread: SearchThread,
    private readonly vectors: VectorLeg,
  ) {}

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
    const model = await this.vectors.model().catch(() => undefined)
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
    const { hits, passedOver } = await this.page(request, parsed, list, found, signal)
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
      const vector = embedding && attempt < MAX_ATTEMPTS ? await this.embed(parsed.text, signal) : undefined
      signal?.throwIfAborted()
      const answer = await this.thread.ask("search", {
        workspaceId,
        ...(filters ? { filters } : {}),
        query: parsed,
        mode: vector ? mode : "keyword",
        ...(vector ? { vector: queryVectorOf(vector) } : {}),
        // A semantic page is as deep as it is asked for; a fused head is the same for every page.
        depth: mode === "semantic" ? Math.max(DEPTH, reach) : DEPTH,
        ...(reach > DEPTH ? { reach: reach + DEPTH } : {}),
      })
      if (answer.vectorsLost) {
        embedding = false
        this.vectors.forgetLoaded()
      } else if (!answer.otherModel) return { answer, vector }
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

  /** The hits of one page; what was removed since it was found is passed over. */
  private async page(
    request: SearchRequest,
    parsed: ParsedQuery,
    list: Ranked[],
    { answer, vector }: Found,
    signal: AbortSignal | undefined,
  ): Promise<{ hits: Hit[]; passedOver: boolean }> {
    const { workspaceId, limit, offset = 0, highlight = true, explain = false } = request
    const highlighter = highlight ? new Highlighter(parsed.text) : undefined
    const places = explain ? explainer(answer) : undefined
    const words = new QueryWords(answer.weights)
    const wordless: JoinedHit[] = []
    const hits: Hit[] = []
    let passedOver = false
    for (let from = offset; from < list.length && hits.length < limit; ) {
      const part = list.slice(from, from + limit - hits.length)
      from += part.length
      const passages = await livePassages(
        this.db,
        workspaceId,
        part.map(({ id }) => id),
      )
      for (const { id, score, relevance } of part) {
        const passage = passages.get(id)
        if (!passage) {
          passedOver = true
          continue
        }
        const { text, file, position, sections } = passage
        const at = sections && words.bestSentence(text)
        if (sections && at !== undefined) position.section = sectionAt(sections, at)
        const hit: Hit = {
          id: passage.id,
          score,
          relevance,
          text,
          highlights: highlighter?.find(text) ?? [],
          file,
          position,
          ...(places ? { scores: places(id) } : {}),
        }
        hits.push(hit)
        if (sections && at === undefined) wordless.push({ hit, sections })
      }
    }
    if (vector && answer.understood) await placeByMeaning(wordless, vector, signal)
    return { hits, passedOver }
  }
}

/** A hit whose passage joins sections. */
interface JoinedHit {
  hit: Hit
  sections: SectionStart[]
}

/** Names the nearest section of passages that hold no word of the query. A model that fails costs this alone. */
async function placeByMeaning(
  joined: JoinedHit[],
  { model, values }: QueryVector,
  signal: AbortSignal | undefined,
): Promise<void> {
  const few: JoinedHit[] = []
  let count = 0
  for (const each of joined) {
    count += each.sections.length
    if (count > MAX_SECTIONS_BY_MEANING) break
    few.push(each)
  }
  if (few.length === 0) return
  const texts = few.flatMap(({ hit, sections }) => sectionTexts(hit.text, sections))
  const vectors = await model.embedder.embed(texts, "passage", signal).catch(error => {
    if (signal?.aborted) throw error
    return undefined
  })
  let next = 0
  for (const { hit, sections } of few) {
    const nearness = sections.map(() => dot(values, vectors?.[next++]))
    const best = nearness.indexOf(Math.max(...nearness))
    if (vectors) hit.position.section = sections[best]![1]
  }
}

function dot(left: Float32Array, right: Float32Array | undefined): number {
  let sum = 0
  if (right) for (let i = 0; i < left.length; i++) sum += left[i]! * right[i]!
  return sum
}

const traitsOf = (embedder: Embedder | undefined): ModelTraits => ({
  weight: embedder?.fusionWeight ?? 0,
  usual: embedder?.cosines ?? null,
  wordsExpected: embedder?.languages?.length === 1,
})

const queryVectorOf = ({ model: { table, embedder }, values }: QueryVector) => ({
  table,
  values,
  languages: embedder.languages ?? null,
})
