/**
 * The vector leg as the main thread sees it: how vectors travel between LanceDB (durable) and the search worker (fast).
 * LanceDB is opened, and the worker filled from it, at the first search or write, or shortly after the start of a
 * library that has vectors.
 */
import { join } from "node:path"
import { log } from "../../log.ts"
import type { Tier } from "../../storage/chunk-tables.ts"
import { type OptimizeOutcome, VectorTable } from "../../storage/search-index.ts"
import { type IdRanges, idsToRanges, NO_IDS, union } from "../ids/id-ranges.ts"
import type { OptimizeStats } from "../passage-store.ts"
import type { Extent } from "../thread/worker-messages.ts"
import type { ServingModel, VectorModels } from "../vector/vector-models.ts"
import type { SearchThread } from "./search-thread.ts"

/** Writes after which fragments are merged if that is worth it. */
const WRITES_TO_OPTIMIZE = 50
/** Quiet time after the last write after which the same is asked. */
const IDLE_MS = 30_000
/** Rows handed to the worker at a time. */
const ROWS_TO_WORKER = 4096

export class VectorLeg {
  readonly optimizeStats: OptimizeStats = { runs: 0, failures: 0, last: null }
  private readonly directory: string
  private readonly open = new Map<string, Promise<VectorTable>>()
  private readonly loading = new Map<Tier, Promise<void>>()
  /** Rows are on their way to the worker, a table after the other. */
  private filling: Promise<void> = Promise.resolve()
  private writes = 0
  private idle: ReturnType<typeof setTimeout> | undefined
  private optimizing: Promise<void> = Promise.resolve()
  private closed = false

  constructor(
    private readonly models: VectorModels,
    dataDirectory: string,
    private readonly thread: SearchThread,
  ) {
    this.directory = join(dataDirectory, "vectors")
  }

  /** Resolves when the worker has every stored vector of a tier. */
  load(tier: Tier): Promise<void> {
    const known = this.loading.get(tier)
    if (known) return known
    const loading = this.fill(tier)
    this.loading.set(tier, loading)
    loading.catch(() => this.loading.delete(tier))
    return loading
  }

  /** The worker lost its vectors: they are loaded again at the next need. */
  forgetLoaded(): void {
    this.loading.clear()
  }

  /** Durable first, then visible to queries. */
  async add(table: string, ids: Float64Array, vectors: Float32Array): Promise<void> {
    const stored = await this.table(table)
    await stored.add({ ids, vectors })
    await this.thread.ask("addVectors", { table, ids, vectors })
    this.noteWrite()
  }

  /**
   * Removes rows from every table. Removing twice does nothing. The worker is to be told afterwards: what was being handed
   * to it from before the removal has arrived by then.
   */
  async remove(ranges: IdRanges): Promise<void> {
    for (const { name } of await this.models.tables()) await (await this.table(name)).remove(ranges)
    this.noteWrite()
    await this.filling.catch(() => {})
  }

  /** Fills a new set of the worker from a table, and lets it serve at once: queries never see a half-filled one. */
  serve(model: ServingModel): Promise<void> {
    this.filling = this.filling.catch(() => {}).then(() => this.handOver(model))
    return this.filling
  }

  private async handOver(model: ServingModel): Promise<void> {
    const { tier, table, embedder } = model
    await this.thread.ask("beginVectors", { tier, table, dimensions: embedder.dimensions })
    for await (const { ids, vectors } of (await this.table(table)).scan())
      for (let from = 0; from < ids.length; from += ROWS_TO_WORKER) {
        if (this.closed) throw new Error("search was stopped")
        const to = Math.min(ids.length, from + ROWS_TO_WORKER)
        const part = vectors.slice(from * embedder.dimensions, to * embedder.dimensions)
        await this.thread.ask("addVectors", { table, ids: ids.slice(from, to), vectors: part }, [part.buffer])
      }
    await this.thread.ask("swapVectors", { table })
    this.models.serve(model)
    this.loading.set(tier, Promise.resolve())
  }

  private table(name: string): Promise<VectorTable> {
    const known = this.open.get(name)
    if (known) return known
    const opened = this.models.dimensionsOf(name).then(dimensions => VectorTable.open(this.directory, name, dimensions))
    this.open.set(name, opened)
    opened.catch(() => this.open.delete(name))
    return opened
  }

  /** Forgets a table that no longer serves, and its files. */
  async drop(name: string): Promise<void> {
    ;(await this.open.get(name))?.close()
    this.open.delete(name)
    await VectorTable.drop(this.directory, name)
    await this.models.forget(name)
  }

  /** Merges the fragments of a table that was filled. */
  async finish(name: string): Promise<void> {
    await (await this.table(name)).optimize()
  }

  /** Merges fragments and removes old versions now. A failure is logged and told in the stats, and tried again later. */
  optimize(): Promise<void> {
    return this.optimizeTables(() => true)
  }

  /**
   * Writes tables anew that hold vectors of removed passages: small ones, or all.
   * @returns whether none holds any now
   */
  async erase(extent: Extent): Promise<boolean> {
    await this.rewriteTables(
      async table => (await table.holdsRemoved()) && (extent === "all" || (await table.isSmall())),
      table => table.erase(),
    )
    for (const { name } of await this.models.tables())
      if (this.closed || (await (await this.table(name)).holdsRemoved())) return false
    return true
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
      for (const { name } of await this.models.tables()) {
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

  /** Ids of the vectors of a table: in the worker where it serves, else in LanceDB. */
  async heldIn(table: string): Promise<IdRanges> {
    const serving = (await this.thread.ask("holdings", {})).vectors.get(table)
    if (serving) return serving
    let held: IdRanges = NO_IDS
    for await (const ids of (await this.table(table)).ids()) held = union(held, idsToRanges(ids.sort()))
    return held
  }

  async close(): Promise<void> {
    this.closed = true
    clearTimeout(this.idle)
    await Promise.allSettled(this.loading.values())
    await this.optimizing
    for (const table of this.open.values()) (await table.catch(() => undefined))?.close()
    this.open.clear()
  }

  /** Schedules compaction: now after many writes, else when there are no more for a while. */
  private noteWrite(): void {
    if (this.closed) return
    clearTimeout(this.idle)
    const optimize = () => void this.optimizeTables(table => table.isWorthOptimizing())
    if (++this.writes >= WRITES_TO_OPTIMIZE) optimize()
    else {
      this.idle = setTimeout(optimize, IDLE_MS)
      this.idle.unref()
    }
  }

  private async fill(tier: Tier): Promise<void> {
    const model = await this.models.model(tier)
    if (!model) return
    await this.serve(model)
    this.noteWrite() // fragments that the last run left are merged when all is quiet
  }
}
