/**
 * Search over everything that is indexed: writes generations of files, answers queries, keeps its stores in order.
 *
 * The relational database is the truth. The keyword index and the vectors derive from its chunks and know them by
 * number; a query first asks it which numbers are visible, and both legs score only those. So a file appears and
 * disappears with one commit, whatever the other stores hold; `sweep` removes what they hold too much.
 */
import type { Embedder } from "../backends/backend.ts"
import { TIERS, type Tier } from "../storage/chunk-tables.ts"
import {
  buryAbandoned,
  buryOrphans,
  buryOrphansOf,
  type FileVersion,
  type Generation,
  publishGenerations,
  retireGenerations,
} from "../storage/chunks.ts"
import type { Database, Trx } from "../storage/database.ts"
import type { ChunkSource } from "../storage/document.ts"
import { Gate } from "../threads/gate.ts"
import { toRanges } from "./ids/id-ranges.ts"
import type { OpenStore, PassageStore, StoreStats } from "./passage-store.ts"
import type { RerankLine } from "./rerank/rerank-line.ts"
import { Reranking } from "./rerank/reranking.ts"
import { Searcher } from "./searcher.ts"
import type { SearchRequest, SearchResult, SearchService } from "./types.ts"
import { BackgroundPace } from "./vector/background-pace.ts"
import { VectorModels } from "./vector/vector-models.ts"
import { CatchUp } from "./writing/catch-up.ts"
import { Erasure } from "./writing/erasure.ts"
import { type Inspection, inspect } from "./writing/inspect.ts"
import { alone, type Membership } from "./writing/membership.ts"
import { embedMissing, lackingIn } from "./writing/missing.ts"
import { warnOfOtherModel } from "./writing/model-agreement.ts"
import { PassageIndex } from "./writing/passage-index.ts"
import type { ReindexProgress } from "./writing/reindex.ts"
import { Rounds } from "./writing/rounds.ts"
import { Stage, type StagedFile } from "./writing/stage.ts"
import { Sweep } from "./writing/sweep.ts"

export interface SearchIndexOptions {
  database: Database
  /** What holds words and vectors. */
  store: OpenStore
  /** The configured embedding models: loaded, being loaded, or none. */
  embedders?: Partial<Record<Tier, Embedder | undefined | Promise<Embedder | undefined>>>
  /** Those in use, the one first whose vectors are made while a file is indexed; both when left out. */
  tiers?: readonly Tier[]
  /** Judges the best passages of searches that ask for it. */
  reranker?: RerankLine | undefined
  /** Opens another model by its recorded name, so that it can serve while its tier changes to the configured one. */
  embedderNamed?: (model: string) => Promise<Embedder | undefined>
  /** Share of the time in which the model of the quality tier may make vectors in the background, 0..1; all when left out. */
  backgroundShare?: number
  /** Of a cluster; absent where this process alone writes. */
  members?: Membership
  /** Named points of the write path, for tests that die at each. */
  reached?: (point: string) => void
}

export interface SearchStats extends StoreStats {
  /** Present while a tier changes to another model. */
  reindex: ReindexProgress | null
}

/** Searches under way: one thread answers them, and at 5 ms each the last of so many waits for five seconds. */
const MAX_SEARCHES = 1_000
/** Loading stored vectors begins this long after the start: being ready comes first. */
const LOAD_AFTER_MS = 1_500

export class SearchIndex implements SearchService {
  private readonly db: Database
  private readonly store: PassageStore
  private readonly models: VectorModels
  private readonly members: Membership
  private readonly searcher: Searcher
  private readonly staging: Stage
  private readonly sweeping: Sweep
  private readonly catchUp: CatchUp
  private readonly erasure: Erasure
  private readonly rounds: Rounds | undefined
  private readonly stopping = new AbortController()
  private readonly gate = new Gate({
    places: MAX_SEARCHES,
    placesPerKey: MAX_SEARCHES,
    waiting: 0,
    refusal: "too many searches are under way",
    retryAfterSeconds: 1,
  })

  constructor(options: SearchIndexOptions) {
    const { database: db, embedders = {}, tiers = TIERS, embedderNamed = async () => undefined } = options
    const { reached = () => {}, members = alone() } = options
    const { signal } = this.stopping
    this.db = db
    this.members = members
    const models = new VectorModels({
      db,
      tiers,
      configured: async tier => embedders[tier],
      embedderNamed,
      isShared: options.members !== undefined,
    })
    this.models = models
    const store = options.store({ db, models, reached })
    this.store = store
    this.searcher = new Searcher(db, store, models, options.reranker && new Reranking(db, options.reranker))
    this.erasure = new Erasure(extent => store.erase(extent))
    const told = {
      vectorsMissing: () => this.catchUp.later(),
      staged: (generations: readonly Generation[]) =>
        this.catchUp.follow(toRanges(generations.map(({ first, last }) => [first, last]))),
    }
    const passages = new PassageIndex({ store, models, told, reached })
    const stage = new Stage(db, passages, members, reached)
    this.staging = stage
    const sweep = new Sweep({ db, store, members, stage, swept: () => this.erasure.note(), reached, signal })
    this.sweeping = sweep
    const pace = new BackgroundPace(options.backgroundShare ?? 1, () => this.gate.load.running > 0 || stage.isWorking)
    const catchUp = new CatchUp({ db, store, models, members, pace, reached, signal })
    this.catchUp = catchUp
    if (options.members) this.rounds = new Rounds({ db, members, stage, sweep, catchUp })
  }

  /** Opens the store and heals what a crash left; vectors are loaded a little later. */
  async start(): Promise<void> {
    await this.store.start(() => this.catchUp.later(LOAD_AFTER_MS))
    if (this.rounds) {
      this.rounds.start()
      void warnOfOtherModel(this.models, this.members).catch(() => {}) // the leader says what it cannot do
    }
    if (!this.members.isLeader()) return
    await buryAbandoned(this.db, await this.members.living())
    await buryOrphans(this.db)
    // A model is on record before it has made anything: its server may be down at the next start.
    for (const tier of this.models.tiers) await this.models.model(tier).catch(() => {})
    void this.sweep()
    this.erasure.note() // the last run may have ended before it erased what was removed
    this.catchUp.later(LOAD_AFTER_MS)
  }

  async stop(): Promise<void> {
    this.stopping.abort(new Error("search was stopped"))
    await this.rounds?.close()
    await this.catchUp.close()
    await this.sweeping.settled()
    await this.erasure.close()
    await this.store.stop()
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
    await this.staging.one({ fileId: file.id, workspaceId: file.workspaceId, generation, chunks }, on, signal)
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
    return this.staging.together(files, on, signal)
  }

  /** Inside the transaction that makes the files searchable: these generations are seen from its commit on, no others. */
  publish(trx: Trx, versions: readonly FileVersion[]): Promise<void> {
    return publishGenerations(trx, versions)
  }

  /** Inside the transaction that deletes the file. */
  retire(trx: Trx, fileId: string): Promise<void> {
    return retireGenerations(trx, fileId)
  }

  /** See `Sweep.run`. */
  sweep(): Promise<void> {
    return this.sweeping.run()
  }

  /** @throws AppError overloaded when too many searches are under way */
  async search(request: SearchRequest, signal?: AbortSignal): Promise<SearchResult> {
    const ticket = this.gate.enter(request.view.workspaceId)
    try {
      return await this.searcher.search(request, signal)
    } finally {
      ticket.leave()
    }
  }

  /** See `CatchUp.reindexVectors`. */
  reindexVectors(tier: Tier, embedder: Embedder, on?: (progress: ReindexProgress) => void): Promise<void> {
    return this.catchUp.reindexVectors(tier, embedder, on)
  }

  /** Compares the stores with the database. */
  check(): Promise<Inspection> {
    return inspect(this.db, this.store, this.models)
  }

  /**
   * Mends what `check` finds, with no daemon on the directory: removes what belongs to no file, makes missing words.
   * Missing vectors are left to the daemon, which makes them at its start.
   * @returns passages by what was done with their entries
   */
  async repair(): Promise<{ removed: number; added: number }> {
    await this.sweep()
    for (const tier of this.models.tiers) await this.store.load(tier)
    const removed = await this.store.removeUnknown()
    const added = await this.catchUp.completeWords()
    return { removed, added }
  }

  /**
   * Makes what the store lacks, now: all words, and vectors of the first tier that has a model, or of all. Those of the other
   * one take longer and are else left to the daemon.
   */
  async complete(
    on: (done: number, total: number) => void,
    { tiers = "first" }: { tiers?: "first" | "all" } = {},
  ): Promise<void> {
    const { db, store, models } = this
    const parts = { db, store, signal: this.stopping.signal }
    await this.catchUp.completeWords(() => {}) // a new index lacks all of them: nothing is wrong
    for (const tier of models.tiers) {
      const model = await models.model(tier)
      if (!model) continue
      await store.load(model.tier)
      const lacking = await lackingIn(store, model.table)
      const total = lacking.count // what is taken from it is no longer there
      let done = 0
      await embedMissing(parts, model, lacking, {
        on(passages) {
          done += passages
          on(done, total)
        },
      })
      if (tiers === "first") return
    }
  }

  async stats(): Promise<SearchStats> {
    return { ...(await this.store.stats()), reindex: this.catchUp.progress }
  }

  /** Writes anew what still holds words or vectors of removed passages, now. */
  async erase(): Promise<void> {
    await this.sweep()
    await this.erasure.run("all")
  }

  /** Removes what came to the stores after these files went; see `Sweep.run` for the rest. */
  async sweepAfter(fileIds: readonly string[]): Promise<void> {
    if (fileIds.length === 0) return
    await buryOrphansOf(this.db, fileIds)
    await this.sweep()
  }

  /** Whether no store holds words or vectors that were removed before that time; else it is being seen to. */
  hasErased(time: number): boolean {
    return this.erasure.hasErased(time)
  }

  /** Compacts the vectors now. */
  optimize(): Promise<void> {
    return this.store.optimize()
  }
}
