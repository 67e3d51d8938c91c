/**
 * Search over everything that is indexed: writes generations of files, answers queries, keeps its stores in order.
 *
 * The relational database is the truth. The keyword index and the vectors derive from its chunks and know them by
 * number; a query first asks it which numbers are visible, and both legs score only those. So a file appears and
 * disappears with one commit, whatever the other stores hold; `sweep` removes what they hold too much.
 */
import type { Embedder } from "../backends/backend.ts"
import { AppError } from "../errors.ts"
import { log } from "../log.ts"
import {
  buryOrphans,
  deadGenerations,
  type FileVersion,
  forgetGeneration,
  publishGenerations,
  retireGenerations,
} from "../storage/chunks.ts"
import type { Database, Trx } from "../storage/database.ts"
import type { ChunkSource } from "../storage/document.ts"
import { countIds, type IdRanges, subtract, toRanges, union } from "./ids/id-ranges.ts"
import { neighbours, type Passage } from "./passages/passages.ts"
import { Searcher } from "./searcher.ts"
import { SearchThread } from "./thread/search-thread.ts"
import type { WorkerStats } from "./thread/worker-messages.ts"
import type { SearchRequest, SearchResult, SearchService } from "./types.ts"
import { type OptimizeStats, VectorLeg } from "./vector/vector-leg.ts"
import { Erasure } from "./writing/erasure.ts"
import {
  changeModel,
  dropDeadTables,
  embedMissing,
  indexMissingWords,
  type ReindexProgress,
  wantedIds,
} from "./writing/reindex.ts"
import { type StageDependencies, type StagedFile, stageFile, stageTogether } from "./writing/stage.ts"

export interface SearchIndexOptions {
  database: Database
  dataDirectory: string
  /** The configured embedding model: loaded, being loaded, or none. */
  embedder: Embedder | undefined | Promise<Embedder | undefined>
  /** Opens another model by its recorded name, so that it can serve while the library changes to the configured one. */
  embedderNamed?: (model: string) => Promise<Embedder | undefined>
  /** Named points of the write path, for tests that die at each. */
  reached?: (point: string) => void
}

export interface SearchStats extends WorkerStats {
  optimize: OptimizeStats
  /** Present while the library changes to another model. */
  reindex: ReindexProgress | null
}

/** Searches under way: one thread answers them, and at 5 ms each the last of so many waits for five seconds. */
const MAX_SEARCHES = 1_000
/** Dead generations removed at a time. */
const SWEEP_BATCH = 64
/** Wait before vectors are tried again that could not be made. */
const RETRY_VECTORS_MS = 30_000
/** Loading stored vectors begins this long after the start: being ready comes first. */
const LOAD_AFTER_MS = 1_500

export class SearchIndex implements SearchService {
  private readonly db: Database
  private readonly thread = new SearchThread()
  private readonly vectors: VectorLeg
  private readonly searcher: Searcher
  private readonly reached: (point: string) => void
  private readonly active = new Set<number>()
  private readonly stopping = new AbortController()
  private sweeping: Promise<void> | undefined
  private sweepAgain = false
  private readonly erasure = new Erasure(async extent => {
    await this.thread.ask("erase", { extent })
    await this.vectors.erase(extent)
  })
  private searches = 0
  private catchingUp: Promise<void> | undefined
  private progress: ReindexProgress | null = null
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(private readonly options: SearchIndexOptions) {
    this.db = options.database
    this.reached = options.reached ?? (() => {})
    const configured = async () => options.embedder
    const named = options.embedderNamed ?? (async () => undefined)
    this.vectors = new VectorLeg(this.db, options.dataDirectory, this.thread, configured, named)
    this.searcher = new Searcher(this.db, this.thread, this.vectors)
  }

  /** Opens the keyword index and heals what a crash left; vectors are loaded a little later. */
  async start(): Promise<void> {
    await this.startThread()
    await this.db.updateTable("generations").set({ state: "dead" }).where("state", "=", "staging").execute()
    await buryOrphans(this.db)
    void this.sweep()
    this.erasure.note() // the last run may have ended before it erased what was removed
    this.catchUpLater(LOAD_AFTER_MS)
  }

  async stop(): Promise<void> {
    this.stopping.abort(new Error("search was stopped"))
    clearTimeout(this.timer)
    await this.catchingUp
    await this.sweeping
    await this.erasure.close()
    await this.vectors.close()
    await this.thread.stop()
  }

  /**
   * Writes a generation of a file to every store, seen by nothing yet. Doing it again starts over and replaces what an
   * earlier attempt left.
   */
  async stage(
    file: { id: string; workspaceId: string },
    generation: number,
    chunks: ChunkSource,
    on: (stage: "embedding" | "committing", progress: number) => void | Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    await stageFile(this.staging(), { fileId: file.id, generation, chunks }, on, signal)
  }

  /**
   * The same for several small files, in one commit of each store. Fails for all of them or for none.
   * @returns those that may be published: the others were overtaken, or are gone
   */
  stageTogether<F extends StagedFile>(
    files: readonly F[],
    on: (stage: "embedding" | "committing") => void,
    signal: AbortSignal,
  ): Promise<F[]> {
    return stageTogether(this.staging(), files, on, signal)
  }

  /** Inside the transaction that makes the files searchable: these generations are seen from its commit on, no others. */
  publish(trx: Trx, versions: readonly FileVersion[]): Promise<void> {
    return publishGenerations(trx, versions)
  }

  /** Inside the transaction that deletes the file. */
  retire(trx: Trx, fileId: string): Promise<void> {
    return retireGenerations(trx, fileId)
  }

  /**
   * Removes dead generations from every store. Idempotent; calls that come while it runs make it look once more. Never
   * rejects: what could not be removed is invisible, and removed by a later sweep.
   */
  sweep(): Promise<void> {
    this.sweepAgain = true
    this.sweeping ??= this.sweepAll()
      .catch(error => {
        if (!this.stopping.signal.aborted) log.warn("removed files could not be swept", { error })
      })
      .finally(() => {
        this.sweeping = undefined
      })
    return this.sweeping
  }

  /** @throws AppError overloaded when too many searches are under way */
  async search(request: SearchRequest, signal?: AbortSignal): Promise<SearchResult> {
    if (this.searches >= MAX_SEARCHES)
      throw new AppError("overloaded", { message: "too many searches are under way", retryAfter: 1 })
    this.searches++
    try {
      return await this.searcher.search(request, signal)
    } finally {
      this.searches--
    }
  }

  /** Passages around hits, in reading order, those hits included. */
  neighbours(workspaceId: string, chunkIds: string[], before: number, after: number): Promise<Passage[]> {
    return neighbours(this.db, workspaceId, chunkIds, before, after)
  }

  /** Changes the library to another model; the present one serves until all is done. */
  async reindexVectors(embedder: Embedder, on: (progress: ReindexProgress) => void = () => {}): Promise<void> {
    try {
      await changeModel(this.db, this.vectors, embedder, this.stopping.signal, progress => {
        this.progress = progress
        on(progress)
      })
      await dropDeadTables(this.vectors)
    } finally {
      this.progress = null
    }
  }

  /**
   * Compares the stores with the database. `unmade` are those problems that are an index which holds nothing yet, as after
   * a restore: the daemon makes it in the background.
   */
  async check(): Promise<{ problems: string[]; unmade?: string[] }> {
    await this.vectors.load().catch(() => {})
    const [wanted, { keyword, vector }] = await Promise.all([wantedIds(this.db), this.thread.ask("holdings", {})])
    const known = await this.knownIds()
    const problems: string[] = []
    const unmade: string[] = []
    const tell = (count: number, what: string, isUnmade = false) => {
      if (count === 0) return
      problems.push(`${count} ${what}`)
      if (isUnmade) unmade.push(`${count} ${what}`)
    }
    const isEmpty = (held: IdRanges) => countIds(held) === 0
    tell(countIds(subtract(wanted, keyword)), "passages are missing in the keyword index", isEmpty(keyword))
    tell(countIds(subtract(keyword, known)), "passages in the keyword index belong to no file")
    if (await this.vectors.model().catch(() => undefined))
      tell(countIds(subtract(wanted, vector)), "passages have no vector", isEmpty(vector))
    tell(countIds(subtract(vector, known)), "vectors belong to no file")
    const { count } = await this.db
      .selectFrom("chunks")
      .select(eb => eb.fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow()
    tell(Math.max(0, countIds(wanted) - count), "passages have no text")
    return { problems, ...(unmade.length > 0 ? { unmade } : {}) }
  }

  /**
   * Mends what `check` finds, with no daemon on the directory: removes what belongs to no file, makes missing words.
   * Missing vectors are left to the daemon, which makes them at its start.
   * @returns passages by what was done with their entries
   */
  async repair(): Promise<{ removed: number; added: number }> {
    await this.sweep()
    await this.vectors.load()
    const removed = await this.removeUnknown()
    const [wanted, { keyword }] = await Promise.all([wantedIds(this.db), this.thread.ask("holdings", {})])
    await indexMissingWords(this.db, this.thread, wanted, this.stopping.signal)
    return { removed, added: countIds(subtract(wanted, keyword)) }
  }

  async stats(): Promise<SearchStats> {
    return {
      ...(await this.thread.ask("stats", {})),
      optimize: { ...this.vectors.optimizeStats },
      reindex: this.progress,
    }
  }

  /** Writes anew what still holds words or vectors of removed passages, now. */
  async erase(): Promise<void> {
    await this.sweep()
    await this.erasure.run("all")
  }

  /** Compacts the vectors now. */
  optimize(): Promise<void> {
    return this.vectors.optimize()
  }

  /** A worker that died is started anew, unless it dies at once: then search stays down and says so. */
  private async startThread(): Promise<void> {
    const startedAt = performance.now()
    await this.thread.start(this.options.dataDirectory, error => {
      log.error("the search worker died", { error })
      this.vectors.forgetLoaded()
      if (this.stopping.signal.aborted || performance.now() - startedAt < LOAD_AFTER_MS) return
      void this.startThread().catch(reason =>
        log.error("the search worker could not be started anew", { error: reason }),
      )
      this.catchUpLater(LOAD_AFTER_MS)
    })
  }

  private async sweepAll(): Promise<void> {
    while (this.sweepAgain && !this.stopping.signal.aborted) {
      this.sweepAgain = false
      let after = 0
      for (;;) {
        const dead = await deadGenerations(this.db, after, SWEEP_BATCH)
        if (dead.length === 0 || this.stopping.signal.aborted) break
        after = dead.at(-1)!.id
        const idle = dead.filter(({ id }) => !this.active.has(id))
        if (idle.length === 0) continue
        const ranges = toRanges(idle.map(({ first, last }) => [first, last]))
        this.reached("sweep begins")
        await this.vectors.remove(ranges)
        this.reached("vectors removed")
        await this.thread.ask("remove", { ranges })
        this.reached("words removed")
        for (const generation of idle) await forgetGeneration(this.db, generation)
        this.reached("swept")
        this.erasure.note()
      }
    }
  }

  /**
   * Removes what the stores hold of generations that are forgotten: the note of their removal was lost, or a damaged
   * table of vectors went back to a former version.
   * @returns passages removed
   */
  private async removeUnknown(): Promise<number> {
    const { keyword, vector } = await this.thread.ask("holdings", {}) // before the database is read: ids are recorded there first
    const known = await this.knownIds()
    const unknown = union(subtract(keyword, known), subtract(vector, known))
    if (countIds(unknown) > 0) {
      await this.vectors.remove(unknown)
      await this.thread.ask("remove", { ranges: unknown })
    }
    return countIds(unknown)
  }

  /** Ids of every generation, whatever its state. */
  private async knownIds(): Promise<IdRanges> {
    const rows = await this.db.selectFrom("generations").select(["first_chunk", "last_chunk"]).execute()
    return toRanges(rows.map(row => [row.first_chunk, row.last_chunk]))
  }

  private staging(): StageDependencies {
    return {
      db: this.db,
      thread: this.thread,
      vectors: this.vectors,
      reached: this.reached,
      active: this.active,
      vectorsMissing: () => this.catchUpLater(RETRY_VECTORS_MS),
    }
  }

  private catchUpLater(delayMs: number): void {
    clearTimeout(this.timer)
    if (this.stopping.signal.aborted) return
    this.timer = setTimeout(() => {
      this.catchingUp ??= this.catchUp().finally(() => {
        this.catchingUp = undefined
      })
    }, delayMs)
    this.timer.unref()
  }

  /** Loads what is stored, makes vectors that are missing, changes to the configured model. Tried again when it fails. */
  private async catchUp(): Promise<void> {
    try {
      const wanted = await wantedIds(this.db)
      if (countIds(wanted) === 0) return
      await indexMissingWords(this.db, this.thread, wanted, this.stopping.signal)
      const configured = await this.options.embedder
      const outdated = configured !== undefined && (await this.vectors.outdated())
      if (!outdated) await this.vectors.load()
      await this.removeUnknown()
      if (outdated) return await this.reindexVectors(configured)
      const model = await this.vectors.model()
      if (!model) return
      const lacking = subtract(wanted, await this.vectors.held())
      await embedMissing(this.db, this.vectors, model, lacking, this.stopping.signal, () => {})
      await dropDeadTables(this.vectors)
      this.vectors.noteWrite() // fragments that the last run left are merged when all is quiet
    } catch (error) {
      if (this.stopping.signal.aborted) return
      log.warn("missing vectors could not be made; trying again", { error, retry_ms: RETRY_VECTORS_MS })
      this.catchUpLater(RETRY_VECTORS_MS)
    }
  }
}
