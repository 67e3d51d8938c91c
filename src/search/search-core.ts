/**
 * Both legs behind one door, as the search worker runs them. Every task but indexing is synchronous and short; indexing
 * and merging give way to others every few milliseconds.
 */
import { Database as Sqlite } from "bun:sqlite"
import { join } from "node:path"
import { log } from "../log.ts"
import { BUSY_TIMEOUT_MS } from "../storage/writer.ts"
import { groupsOf } from "./analyze.ts"
import { Checkpoints } from "./checkpoints.ts"
import { ScratchError } from "./code-rows.ts"
import type { Extent } from "./erasure.ts"
import { type IdRanges, intersect, NO_IDS, subtract } from "./id-ranges.ts"
import { KeywordIndex, type Scope } from "./keyword-index.ts"
import { KeywordStore } from "./keyword-store.ts"
import { LiveRangesCache } from "./live-ranges.ts"
import { Pace } from "./pace.ts"
import { holdsPhrase } from "./phrase.ts"
import type { Condition, ParsedQuery } from "./query.ts"
import { mergeOnce } from "./segment-merge.ts"
import { VectorIndex } from "./vector-index.ts"
import type {
  ScoredColumns,
  WorkerAnswer,
  WorkerHoldings,
  WorkerRequest,
  WorkerSearch,
  WorkerStats,
  WorkerTasks,
} from "./worker-messages.ts"

/** Scopes remembered; a library under load has few in use at a time. */
const MAX_REMEMBERED = 32
/** Passages whose text is read to decide on a phrase; a phrase of rarer words never comes near. */
const MAX_PHRASE_CHECKS = 20_000
const NOTHING: WorkerAnswer = {
  library: { files: 0, pendingFiles: 0, passages: 0 },
  keyword: columns([]),
  vector: columns([]),
  candidates: { ids: NO_IDS, keyword: new Float64Array(0), cosine: new Float64Array(0) },
  tail: columns([]),
  matching: 0,
  comparable: 0,
  words: 0,
  bound: 0,
}

/** Passages of a segment that is rewritten, in a second or so, soon after one of them was removed. */
const SMALL_SEGMENT = 20_000

export class SearchCore {
  private keyword!: KeywordIndex
  private vectors: VectorIndex | undefined
  /** Filled beside the serving one, until the swap. */
  private nextVectors: VectorIndex | undefined
  private relational: Sqlite | undefined
  private dataDirectory = ""
  private live: LiveRangesCache | undefined
  private readonly scopes = new Map<string, Scope>()
  private checkpoints: Checkpoints | undefined
  private merging: Promise<void> | undefined
  private merges = 0
  private longestSliceMs = 0
  private closed = false

  run(request: WorkerRequest): unknown {
    switch (request.task) {
      case "open":
        return this.open(request.ask.dataDirectory)
      case "index":
        return this.index(request.ask)
      case "beginVectors":
        this.nextVectors?.close()
        this.nextVectors = new VectorIndex(request.ask.table, request.ask.dimensions, {
          scratchDirectory: this.dataDirectory,
        })
        return
      case "addVectors":
        for (const set of [this.vectors, this.nextVectors])
          if (set?.table === request.ask.table) set.add(request.ask.ids, request.ask.vectors)
        return
      case "swapVectors":
        if (this.nextVectors?.table !== request.ask.table) return
        this.vectors?.close()
        this.vectors = this.nextVectors
        this.nextVectors = undefined
        return
      case "remove":
        this.keyword.remove(request.ask.ranges)
        this.vectors?.remove(request.ask.ranges)
        this.nextVectors?.remove(request.ask.ranges)
        return this.mergeLater()
      case "erase":
        return this.erase(request.ask.extent)
      case "search":
        return this.searchOrLose(request.ask)
      case "stats":
        return this.stats()
      case "holdings":
        return this.holdings()
      case "close":
        return this.close()
    }
  }

  private async close(): Promise<void> {
    this.closed = true
    await this.checkpoints?.close()
    this.relational?.close()
    this.vectors?.close()
    this.nextVectors?.close()
    this.keyword.store.close()
  }

  private open(dataDirectory: string): void {
    this.dataDirectory = dataDirectory
    const path = join(dataDirectory, "keyword.db")
    this.keyword = new KeywordIndex(new KeywordStore(path))
    this.checkpoints = new Checkpoints(path)
    this.mergeLater()
  }

  private async index({ firstId, texts, schemes }: WorkerTasks["index"]["ask"]): Promise<void> {
    const pace = this.pace()
    await this.keyword.add(firstId, texts, schemes, pace)
    this.noteSlices(pace)
    this.mergeLater()
  }

  /** A disk that does not give back the scratch file costs the vectors in it, not the answer. */
  private searchOrLose(ask: WorkerSearch): WorkerAnswer {
    try {
      return this.search(ask)
    } catch (error) {
      if (!(error instanceof ScratchError)) throw error
      log.warn("vectors are lost and loaded again", { error })
      this.vectors?.close()
      this.vectors = undefined
      return { ...NOTHING, vectorsLost: true }
    }
  }

  private search({
    workspaceId,
    filters,
    query,
    vector,
    depth,
    reach = depth,
    vectorsOnly,
  }: WorkerSearch): WorkerAnswer {
    this.live ??= new LiveRangesCache(this.database())
    const view = this.live.find(workspaceId, filters)
    if ("missingFile" in view) return { ...NOTHING, missingFile: view.missingFile }
    const { workspace, visible, pendingFiles } = view
    const library = { files: workspace.files, pendingFiles, passages: visible.count }
    const vectors = vector?.table === this.vectors?.table ? this.vectors : undefined
    if (visible.count === 0) return { ...NOTHING, library }
    if (vector && !vectors) return { ...NOTHING, library, otherModel: true }
    const live = workspace.ranges
    const passing = visible.ranges
    const base = this.scopeOf(`${workspace.key}|${visible.key}`, live, visible === workspace ? undefined : passing)
    const allowed = this.allowed(query, base, passing)
    const scope = allowed === passing ? base : this.keyword.scope(live, allowed)
    const groups = vectorsOnly ? [] : groupsOf(query.text)
    const found = this.keyword.search(groups, scope, Math.max(depth, reach))
    const keyword = found.hits.slice(0, depth)
    if (vector) vectors?.setQuery(vector.values)
    const near = vectors?.search(allowed, depth) ?? { hits: [], comparable: 0 }
    const known = new Set([...keyword, ...near.hits].map(hit => hit.id))
    const ids = Int32Array.from(known)
    return {
      library,
      keyword: columns(keyword),
      vector: columns(near.hits),
      candidates: {
        ids,
        keyword: Float64Array.from(ids, id => found.scoreOf(id)),
        cosine: Float64Array.from(ids, id => vectors?.scoreOf(id) ?? Number.NaN),
      },
      tail: columns(found.hits.slice(depth).filter(({ id }) => !known.has(id))),
      matching: found.total,
      comparable: near.comparable,
      words: groups.reduce((sum, { weight }) => sum + weight, 0),
      bound: found.bound,
    }
  }

  /** The passages that the query's conditions leave of those that pass the filters. */
  private allowed({ required, excluded }: ParsedQuery, scope: Scope, passing: IdRanges): IdRanges {
    let allowed = passing
    for (const condition of required)
      if (condition.groups.length || condition.phrase) allowed = this.meeting(condition, scope, allowed)
    for (const condition of excluded) allowed = subtract(allowed, this.meeting(condition, scope, allowed))
    return allowed
  }

  private meeting({ groups, phrase }: Condition, scope: Scope, among: IdRanges): IdRanges {
    // A phrase of stop words alone cannot be looked up; asking for it asks for nothing.
    const holding = groups.length ? intersect(this.keyword.holding(groups, scope), among) : among
    if (!phrase || groups.length === 0) return holding
    const pairs: number[] = []
    let checks = 0
    for (let i = 0; i < holding.length; i += 2)
      for (const { id, text } of this.textsOf(holding[i]!, holding[i + 1]!)) {
        if (++checks > MAX_PHRASE_CHECKS) return Int32Array.from(pairs)
        if (holdsPhrase(text, phrase)) pairs.push(id, id)
      }
    return Int32Array.from(pairs)
  }

  private textsOf(first: number, last: number): { id: number; text: string }[] {
    return this.database()
      .query("select id, coalesce(context || char(10), '') || text as text from chunks where id between ? and ?")
      .all(first, last) as { id: number; text: string }[]
  }

  /** The relational database, to read what is committed. */
  private database(): Sqlite {
    if (!this.relational) {
      this.relational = new Sqlite(join(this.dataDirectory, "carrel.db"), { readonly: true })
      this.relational.run(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`)
    }
    return this.relational
  }

  private scopeOf(key: string, workspace: IdRanges, filter: IdRanges | undefined): Scope {
    const known = this.scopes.get(key)
    const scope = known?.version === this.keyword.version ? known : this.keyword.scope(workspace, filter)
    remember(this.scopes, key, scope)
    return scope
  }

  private mergeLater(): void {
    this.merging ??= this.merge().finally(() => {
      this.merging = undefined
    })
  }

  private async erase(extent: Extent): Promise<void> {
    await this.merging
    const { merges } = this
    this.merging = this.merge(extent === "all" ? Number.POSITIVE_INFINITY : SMALL_SEGMENT).finally(() => {
      this.merging = undefined
    })
    await this.merging
    // After it a write waits for the disk once, so it is worth it only when there is something to cut.
    if (this.merges > merges) await this.checkpoints?.cut()
  }

  /** Segments of up to `erased` passages are rewritten for a single removed one. */
  private async merge(erased = 0): Promise<void> {
    const pace = this.pace()
    try {
      await pace.giveWay()
      while ((await mergeOnce(this.keyword, pace, erased)) > 0) this.merges++
    } catch (error) {
      // Such as a full disk. Nothing of a failed merge is visible; the next write tries again.
      if (!this.closed) log.warn("keyword segments could not be merged", { error })
    }
    this.noteSlices(pace)
  }

  private pace(): Pace {
    return new Pace(async () => {
      await this.checkpoints?.settled()
      if (this.closed) throw new Error("closing")
    })
  }

  private noteSlices({ longestSliceMs }: Pace): void {
    this.longestSliceMs = Math.max(this.longestSliceMs, longestSliceMs)
  }

  private stats(): WorkerStats {
    return {
      segments: this.keyword.segments.length,
      passages: this.keyword.rows.end,
      vectors: this.vectors?.count ?? 0,
      vectorTable: this.vectors?.table ?? null,
      vectorBytes: this.vectors?.bytes ?? 0,
      keywordBytes: this.keyword.store.sizeBytes(),
      merges: this.merges,
      merging: this.merging !== undefined,
      longestSliceMs: this.longestSliceMs,
    }
  }

  private holdings(): WorkerHoldings {
    const keyword: IdRanges = subtract(this.keyword.held(), this.keyword.removedRanges())
    return { keyword, vector: this.vectors?.held() ?? NO_IDS }
  }
}

/** Least recently used go first. */
function remember<T>(known: Map<string, T>, key: string, value: T): void {
  known.delete(key)
  known.set(key, value)
  if (known.size > MAX_REMEMBERED) known.delete(known.keys().next().value!)
}

function columns(hits: { id: number; score: number }[]): ScoredColumns {
  return { ids: Int32Array.from(hits, hit => hit.id), scores: Float64Array.from(hits, hit => hit.score) }
}
