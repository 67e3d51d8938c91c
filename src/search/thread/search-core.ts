/**
 * Both legs behind one door, as the search worker runs them. Every task but indexing is synchronous and short; indexing
 * and merging give way to others every few milliseconds.
 */
import { Database as Sqlite } from "bun:sqlite"
import { join } from "node:path"
import { log } from "../../log.ts"
import { BUSY_TIMEOUT_MS } from "../../storage/writer.ts"
import type { Scored } from "../fuse.ts"
import { type IdRanges, intersect, NO_IDS, subtract } from "../ids/id-ranges.ts"
import { LiveRangesCache } from "../ids/live-ranges.ts"
import { Checkpoints } from "../keyword/checkpoints.ts"
import { KeywordIndex, type KeywordResult, type Scope } from "../keyword/keyword-index.ts"
import { KeywordStore } from "../keyword/keyword-store.ts"
import { Pace } from "../keyword/pace.ts"
import { mergeOnce } from "../keyword/segment-merge.ts"
import { groupsOf, type TermGroup } from "../text/analyze.ts"
import { subjectGroups } from "../text/function-words.ts"
import { foreignTo, isReadable, type LanguageCode, maySpeak, NOT_JUDGED, PassageLanguages } from "../text/language.ts"
import { holdsPhrase } from "../text/phrase.ts"
import type { Condition, ParsedQuery } from "../text/query.ts"
import { ScratchError } from "../vector/code-rows.ts"
import { VectorIndex } from "../vector/vector-index.ts"
import type { Extent } from "../writing/erasure.ts"
import type {
  Background,
  QueryVector,
  RelevanceGround,
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
/** What of a chunk's row is indexed. */
const INDEXED_TEXT = "coalesce(context || char(10), '') || text"
/** Hits by words beyond those wanted, which may rise among them by what they gain from their documents. */
const SPARE = 50
/** How many times more vectors are looked at before the languages of an older index are told. */
const DEPTH_WHILE_JUDGING = 10
/** Passages whose languages are told in one go. */
const JUDGED_AT_ONCE = 256

const NOTHING: WorkerAnswer = {
  library: { files: 0, pendingFiles: 0, passages: 0 },
  keyword: columns([]),
  vector: columns([]),
  candidates: { ids: NO_IDS, keyword: new Float64Array(0), cosine: new Float64Array(0), rare: new Float64Array(0) },
  background: null,
  ground: {
    keyword: new Float64Array(0),
    tail: new Float64Array(0),
    bestKeyword: 0,
    bestCosine: -1,
    bound: 0,
    words: 0,
    knownShare: 0,
    passages: 0,
  },
  understood: true,
  readable: true,
  tail: columns([]),
  matching: 0,
  comparable: 0,
  words: 0,
  knownShare: 0,
  weights: [],
  bound: 0,
}

/** Passages of a segment that is rewritten, in a second or so, soon after one of them was removed. */
const SMALL_SEGMENT = 20_000
/** A log that is read from cannot be cut; a query reads for milliseconds. */
const CUT_TRIES = 10
const CUT_AGAIN_MS = 500

interface StoredText {
  id: number
  generation_id: number
  text: string
}

/** What the vector leg found. */
interface Meaning {
  hits: { id: number; score: number }[]
  comparable: number
  understood: boolean
  background: Background | null
  /** The best of the workspace, whatever the filters; -1 where vectors say nothing. */
  best: number
  /** NaN where a vector says nothing. */
  cosinesOf(ids: ArrayLike<number>): Float64Array
}

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
  /** The log may hold words of removed passages. */
  private hasRemoved = false
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
        this.hasRemoved = true
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
    this.checkpoints = new Checkpoints(path)
    this.hasRemoved = this.checkpoints.logBytes() > 0 // a run that was killed left it
    this.keyword = new KeywordIndex(new KeywordStore(path))
    this.mergeLater()
  }

  private async index({ firstId, texts, documents }: WorkerTasks["index"]["ask"]): Promise<void> {
    const pace = this.pace()
    await this.keyword.add(firstId, texts, documents, pace)
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

  private search({ workspaceId, filters, query, vector, depth, reach }: WorkerSearch): WorkerAnswer {
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
    const filter = visible === workspace ? undefined : passing
    const base = this.scopeOf(`${workspace.key}|${visible.key}`, live, filter, workspace.spans)
    const allowed = this.allowed(query, base, passing)
    const scope = allowed === passing ? base : this.keyword.scope(live, allowed, workspace.spans)
    const groups = groupsOf(query.text)
    const found = this.keyword.search(groups, scope, Math.max(depth + SPARE, reach ?? 0))
    const meaning = this.meaning(vector, vectors, query, { allowed, live }, depth)
    const scores = scoresById([...found.hits.slice(0, depth + SPARE), ...meaning.hits], found.scoresOf)
    const best = ranked(found.hits.slice(0, depth + SPARE), scores)
    const beyond = notAbove(found.hits.slice(depth + SPARE), best.at(-1)?.score ?? 0)
    const keyword = best.slice(0, depth)
    const known = new Set([...keyword, ...meaning.hits].map(hit => hit.id))
    const ids = Int32Array.from(known)
    const tail = columns([...best.slice(depth), ...beyond].filter(({ id }) => !known.has(id)))
    const scored = {
      keyword: Float64Array.from(ids, id => scores.get(id)!),
      tail: tail.scores,
      bestKeyword: bestOf(found, depth + SPARE),
    }
    const words = saidWords(groups)
    const { bound, knownShare } = found
    // Asked last: another search by words makes the scores of this one invalid.
    const subject = subjectGroups(query.text, groups)
    const weighed =
      subject.length === groups.length
        ? { ...scored, bound, words, knownShare }
        : this.weighed(subject, scope, depth + SPARE, ids, tail.ids)
    return {
      library,
      keyword: columns(keyword),
      vector: columns(meaning.hits),
      candidates: {
        ids,
        keyword: scored.keyword,
        cosine: meaning.cosinesOf(ids),
        rare: Float64Array.from(ids, id => found.rare.get(id) ?? 0),
      },
      background: meaning.background,
      ground: { ...weighed, bestCosine: meaning.best, passages: workspace.count },
      understood: meaning.understood,
      readable: knownShare > 0 || isReadable(query.text),
      tail,
      matching: found.total,
      comparable: meaning.comparable,
      words,
      knownShare,
      weights: groups.map(({ terms }, i) => ({ terms, weight: found.parts[i]! })),
      bound,
    }
  }

  /** What some of the query's words say of passages. */
  private weighed(
    groups: TermGroup[],
    scope: Scope,
    depth: number,
    ids: Int32Array,
    tail: Int32Array,
  ): Omit<RelevanceGround, "bestCosine" | "passages"> {
    const found = this.keyword.search(groups, scope, depth)
    const { bound, knownShare } = found
    return {
      keyword: found.scoresOf(ids),
      tail: found.scoresOf(tail),
      bestKeyword: bestOf(found, depth),
      bound,
      words: saidWords(groups),
      knownShare,
    }
  }

  /**
   * The vector leg. Where the model does not know the language of the query or of a passage, or no part of a text, vectors
   * are noise: then it stays out. `live`: the passages of the workspace.
   */
  private meaning(
    vector: QueryVector | undefined,
    vectors: VectorIndex | undefined,
    query: ParsedQuery,
    { allowed, live }: { allowed: IdRanges; live: IdRanges },
    depth: number,
  ): Meaning {
    const languages = vector?.languages ?? null
    const understood =
      (languages === null || maySpeak(query.text, languages)) && (!vector || vector.values.some(value => value !== 0))
    if (!vector || !vectors || !understood)
      return {
        hits: [],
        comparable: 0,
        understood,
        background: null,
        best: -1,
        cosinesOf: ids => new Float64Array(ids.length).fill(Number.NaN),
      }
    const foreign = languages ? this.keyword.foreign(languages) : NO_IDS
    const spokenOf = (ids: IdRanges) => (foreign.length ? subtract(ids, foreign) : ids)
    const spoken = spokenOf(allowed)
    const everywhere = allowed === live ? spoken : spokenOf(live)
    vectors.setQuery(vector.values)
    // While languages are still being told, foreign passages are found out only here: enough others are to be left.
    const deeper = languages && this.keyword.unjudged() ? DEPTH_WHILE_JUDGING : 1
    const near = vectors.search(spoken, depth * deeper)
    const unknown = this.foreignAmong(
      near.hits.map(hit => hit.id),
      languages,
    )
    const known = near.hits.filter(({ id }) => !unknown.has(id))
    const nearest = everywhere === spoken ? known[0] : vectors.search(everywhere, 1).hits[0]
    return {
      hits: known.slice(0, depth),
      comparable: near.comparable,
      understood,
      background: vectors.background(everywhere),
      best: nearest?.score ?? -1,
      cosinesOf: ids => {
        const noise = this.foreignAmong(ids, languages)
        return Float64Array.from(ids, id => (noise.has(id) ? Number.NaN : (vectors.scoreOf(id) ?? Number.NaN)))
      },
    }
  }

  /** Passages in none of the languages. Those whose language was not told when they were indexed are judged here. */
  private foreignAmong(ids: ArrayLike<number>, languages: readonly string[] | null): Set<number> {
    if (!languages) return new Set()
    const foreign = foreignTo(languages)
    const codes = new Map<number, LanguageCode>(Array.from(ids, id => [id, this.keyword.languageOf(id)]))
    const unjudged = [...codes.keys()].filter(id => codes.get(id) === NOT_JUDGED)
    for (const { id, text } of this.textsAmong(unjudged)) codes.set(id, new PassageLanguages().next(text))
    return new Set([...codes.keys()].filter(id => foreign.has(codes.get(id)!)))
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

  private textsOf(first: number, last: number): StoredText[] {
    return this.database()
      .query(`select id, generation_id, ${INDEXED_TEXT} as text from chunks where id between ? and ? order by id`)
      .all(first, last) as StoredText[]
  }

  private textsAmong(ids: number[]): { id: number; text: string }[] {
    if (ids.length === 0) return []
    return this.database()
      .query(`select id, ${INDEXED_TEXT} as text from chunks where id in (select value from json_each(?))`)
      .all(JSON.stringify(ids)) as { id: number; text: string }[]
  }

  /** The relational database, to read what is committed. */
  private database(): Sqlite {
    if (!this.relational) {
      this.relational = new Sqlite(join(this.dataDirectory, "carrel.db"), { readonly: true })
      this.relational.run(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`)
    }
    return this.relational
  }

  private scopeOf(key: string, workspace: IdRanges, filter: IdRanges | undefined, spans: IdRanges): Scope {
    const known = this.scopes.get(key)
    const scope = known?.version === this.keyword.version ? known : this.keyword.scope(workspace, filter, spans)
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
    this.merging = this.merge(extent === "all" ? Number.POSITIVE_INFINITY : SMALL_SEGMENT).finally(() => {
      this.merging = undefined
    })
    await this.merging
    // After it a write waits for the disk once, so the log is cut only when something of it is to go.
    for (let tries = CUT_TRIES; this.hasRemoved && tries > 0 && !this.closed; tries--) {
      this.hasRemoved = !(await this.checkpoints?.cut())
      if (this.hasRemoved) await Bun.sleep(CUT_AGAIN_MS)
    }
  }

  /** Segments of up to `erased` passages are rewritten for a single removed one. */
  private async merge(erased = 0): Promise<void> {
    const pace = this.pace()
    try {
      await pace.giveWay()
      while ((await mergeOnce(this.keyword, pace, erased)) > 0) this.merges++
      await this.judgeLanguages(pace)
    } catch (error) {
      // Such as a full disk. Nothing of a failed merge is visible; the next write tries again.
      if (!this.closed) log.warn("keyword segments could not be merged", { error })
    }
    this.noteSlices(pace)
  }

  /** Tells the languages of what a former version indexed. */
  private async judgeLanguages(pace: Pace): Promise<void> {
    for (let segment = this.keyword.unjudged(); segment; segment = this.keyword.unjudged()) {
      const told = new Map<number, LanguageCode>()
      let languages = new PassageLanguages()
      let document = 0
      for (let i = 0; i < segment.ids.length; i += 2)
        for (let first = segment.ids[i]!; first <= segment.ids[i + 1]!; first += JUDGED_AT_ONCE) {
          const last = Math.min(segment.ids[i + 1]!, first + JUDGED_AT_ONCE - 1)
          for (const { id, text, generation_id } of this.textsOf(first, last)) {
            if (generation_id !== document) languages = new PassageLanguages()
            document = generation_id
            told.set(id, languages.next(text))
          }
          await pace.giveWay()
        }
      this.keyword.setLanguages(segment.number, told)
    }
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

const saidWords = (groups: TermGroup[]): number => groups.reduce((sum, { weight }) => sum + weight, 0)

/** The best score in the workspace, with what passages gain from their documents. */
function bestOf({ anywhere, scoresOf }: KeywordResult, depth: number): number {
  return scoresOf(anywhere.slice(0, depth).map(({ id }) => id)).reduce((most, score) => Math.max(most, score), 0)
}

/** The scores that passages have beside their documents. */
function scoresById(hits: { id: number }[], scoresOf: (ids: number[]) => Float64Array): Map<number, number> {
  const ids = [...new Set(hits.map(({ id }) => id))]
  const scores = scoresOf(ids)
  return new Map(ids.map((id, i) => [id, scores[i]!]))
}

const ranked = (hits: Scored[], scores: ReadonlyMap<number, number>): Scored[] =>
  hits.map(({ id }) => ({ id, score: scores.get(id)! })).sort((a, b) => b.score - a.score || a.id - b.id)

/** Passages that were not regarded beside their documents come after those that were. */
const notAbove = (hits: Scored[], most: number): Scored[] =>
  hits.map(({ id, score }) => ({ id, score: Math.min(score, most) }))

/** Least recently used go first. */
function remember<T>(known: Map<string, T>, key: string, value: T): void {
  known.delete(key)
  known.set(key, value)
  if (known.size > MAX_REMEMBERED) known.delete(known.keys().next().value!)
}

function columns(hits: { id: number; score: number }[]): ScoredColumns {
  return { ids: Int32Array.from(hits, hit => hit.id), scores: Float64Array.from(hits, hit => hit.score) }
}
