/**
 * The vector leg as the main thread sees it: which table of vectors serves, its model, and how vectors travel between
 * the embedding model, LanceDB (durable) and the search worker (fast). LanceDB is opened, and the worker filled from
 * it, at the first search or write, or shortly after the start of a library that has vectors.
 */
import { join } from "node:path"
import type { Embedder } from "../../backends/backend.ts"
import { log } from "../../log.ts"
import type { Database } from "../../storage/database.ts"
import { type OptimizeOutcome, VectorTable } from "../../storage/search-index.ts"
import type { IdRanges } from "../ids/id-ranges.ts"
import type { SearchThread } from "../thread/search-thread.ts"
import type { Extent } from "../thread/worker-messages.ts"
import { recordedVectors } from "./recorded.ts"

/** Writes after which fragments are merged if that is worth it. */
const WRITES_TO_OPTIMIZE = 50
/** Quiet time after the last write after which the same is asked. */
const IDLE_MS = 30_000
/** Rows handed to the worker at a time. */
const ROWS_TO_WORKER = 4096

/** The table that serves, and the model that made it. */
export interface ServingModel {
  table: string
  embedder: Embedder
}

export interface OptimizeStats {
  runs: number
  failures: number
  last: (OptimizeOutcome & { at: string }) | null
}

export class VectorLeg {
  readonly optimizeStats: OptimizeStats = { runs: 0, failures: 0, last: null }
  private readonly directory: string
  private readonly open = new Map<string, Promise<VectorTable>>()
  private serving: Promise<ServingModel | undefined> | undefined
  private loading: Promise<void> | undefined
  private writes = 0
  private idle: ReturnType<typeof setTimeout> | undefined
  private optimizing: Promise<void> = Promise.resolve()
  private closed = false

  constructor(
    private readonly db: Database,
    dataDirectory: string,
    private readonly thread: SearchThread,
    /** The configured model; undefined when there is none. Rejects when it cannot be loaded. */
    private readonly configured: () => Promise<Embedder | undefined>,
    /** Opens another model by the name under which its vectors are recorded, to serve while they are being replaced. */
    private readonly embedderNamed: (model: string) => Promise<Embedder | undefined>,
  ) {
    this.directory = join(dataDirectory, "vectors")
  }

  /**
   * The model that serves queries and indexing now: the recorded one, or the configured one of a library without
   * vectors. Undefined when there is no model, or none that fits the recorded vectors. Throws when a model cannot load.
   */
  model(): Promise<ServingModel | undefined> {
    this.serving ??= this.chooseModel()
    this.serving.catch(() => {
      this.serving = undefined // another try at the next call
    })
    return this.serving
  }

  /** True when the recorded vectors were made by another model than the configured one. */
  async outdated(): Promise<boolean> {
    const [recorded, configured] = await Promise.all([recordedVectors(this.db), this.configured()])
    return Boolean(recorded && configured && !fits(recorded, configured))
  }

  /** Resolves when the worker has every stored vector. */
  load(): Promise<void> {
    this.loading ??= this.fill()
    this.loading.catch(() => {
      this.loading = undefined
    })
    return this.loading
  }

  /** The worker lost its vectors: they are loaded again at the next need. */
  forgetLoaded(): void {
    this.loading = undefined
  }

  /** Durable first, then visible to queries. */
  async add(table: string, ids: Float64Array, vectors: Float32Array): Promise<void> {
    const stored = await this.table(table)
    await stored.add({ ids, vectors })
    await this.thread.ask("addVectors", { table, ids, vectors })
    this.noteWrite()
  }

  /** Removes rows from every table. Removing twice does nothing. */
  async remove(ranges: IdRanges): Promise<void> {
    for (const { name } of await this.tables()) await (await this.table(name)).remove(ranges)
    this.noteWrite()
  }

  /** Fills a new set of the worker from a table, and lets it serve at once: queries never see a half-filled one. */
  async serve(table: string, embedder: Embedder): Promise<void> {
    await this.thread.ask("beginVectors", { table, dimensions: embedder.dimensions })
    for await (const { ids, vectors } of (await this.table(table)).scan())
      for (let from = 0; from < ids.length; from += ROWS_TO_WORKER) {
        if (this.closed) throw new Error("search was stopped")
        const to = Math.min(ids.length, from + ROWS_TO_WORKER)
        const part = vectors.slice(from * embedder.dimensions, to * embedder.dimensions)
        await this.thread.ask("addVectors", { table, ids: ids.slice(from, to), vectors: part }, [part.buffer])
      }
    await this.thread.ask("swapVectors", { table })
    this.serving = Promise.resolve({ table, embedder })
    this.loading = Promise.resolve()
  }

  table(name: string): Promise<VectorTable> {
    const known = this.open.get(name)
    if (known) return known
    const opened = this.tables().then(rows => {
      const row = rows.find(candidate => candidate.name === name)
      if (!row) throw new Error(`no table of vectors is called ${name}`)
      return VectorTable.open(this.directory, name, row.dimensions)
    })
    this.open.set(name, opened)
    opened.catch(() => this.open.delete(name))
    return opened
  }

  /** Forgets a table that no longer serves, and its files. */
  async drop(name: string): Promise<void> {
    ;(await this.open.get(name))?.close()
    this.open.delete(name)
    await VectorTable.drop(this.directory, name)
    await this.db.deleteFrom("vector_tables").where("name", "=", name).execute()
  }

  tables() {
    return this.db.selectFrom("vector_tables").selectAll().orderBy("name").execute()
  }

  /** Merges fragments and removes old versions now. A failure is logged and told in the stats, and tried again later. */
  optimize(): Promise<void> {
    return this.optimizeTables(() => true)
  }

  /** Writes tables anew that hold vectors of removed passages: small ones, or all. */
  async erase(extent: Extent): Promise<void> {
    await this.rewriteTables(
      async table => (await table.holdsRemoved()) && (extent === "all" || (await table.isSmall())),
      table => table.erase(),
    )
  }

  private optimizeTables(wanted: (table: VectorTable) => boolean | Promise<boolean>): Promise<void> {
    this.writes = 0
    clearTimeout(this.idle)
    return this.rewriteTables(wanted, table => table.optimize())
  }

  private rewriteTables(
    wanted: (table: VectorTable) => boolean | Promise<boolean>,
    rewrite: (table: VectorTable) => Promise<OptimizeOutcome>,
  ): Promise<void> {
    this.optimizing = this.optimizing.then(async () => {
      for (const { name } of await this.tables()) {
        if (this.closed) return
        try {
          const table = await this.table(name)
          if (!(await wanted(table))) continue
          const outcome = await rewrite(table)
          this.optimizeStats.runs++
          this.optimizeStats.last = { ...outcome, at: new Date().toISOString() }
          log.debug("vectors were compacted", { ...outcome })
        } catch (error) {
          this.optimizeStats.failures++
          log.warn("vectors could not be compacted", { error })
        }
      }
    })
    return this.optimizing
  }

  /** Ids of the vectors in the worker. */
  async held(): Promise<IdRanges> {
    return (await this.thread.ask("holdings", {})).vector
  }

  async close(): Promise<void> {
    this.closed = true
    clearTimeout(this.idle)
    await this.loading?.catch(() => {})
    await this.optimizing
    for (const table of this.open.values()) (await table.catch(() => undefined))?.close()
    this.open.clear()
  }

  /** Records the model of an installation's first vectors. */
  async newTable(embedder: Embedder, state: "live" | "building"): Promise<string> {
    const name = `vectors_${Date.now().toString(36)}`
    const row = { name, model: embedder.model, dimensions: embedder.dimensions, state }
    await this.db.insertInto("vector_tables").values(row).execute()
    return name
  }

  /** Schedules compaction: now after many writes, else when there are no more for a while. */
  noteWrite(): void {
    if (this.closed) return
    clearTimeout(this.idle)
    const optimize = () => void this.optimizeTables(table => table.isWorthOptimizing())
    if (++this.writes >= WRITES_TO_OPTIMIZE) optimize()
    else {
      this.idle = setTimeout(optimize, IDLE_MS)
      this.idle.unref()
    }
  }

  private async chooseModel(): Promise<ServingModel | undefined> {
    const recorded = await recordedVectors(this.db)
    const configured = await this.configured()
    if (recorded && configured && fits(recorded, configured)) return { table: recorded.name, embedder: configured }
    if (!recorded) return configured && { table: await this.newTable(configured, "live"), embedder: configured }
    const former = await this.embedderNamed(recorded.model).catch(() => undefined)
    return former && fits(recorded, former) ? { table: recorded.name, embedder: former } : undefined
  }

  private async fill(): Promise<void> {
    const model = await this.model()
    if (model) await this.serve(model.table, model.embedder)
  }
}

const fits = (table: { model: string; dimensions: number }, embedder: Embedder): boolean =>
  table.model === embedder.model && table.dimensions === embedder.dimensions
