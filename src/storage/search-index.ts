/**
 * The durable store of vectors: one LanceDB table per embedding model, rows of {id, vector}, under `<data>/vectors`.
 * It holds no truth of its own: ids that the relational database does not know as live are never shown, and rows can
 * be made again from the chunks. LanceDB is loaded beside the start (`loadLance`): the runtime never looks again for a
 * library that it could not load once, as where clients hold all descriptors.
 *
 * LanceDB never compacts by itself: each add makes a fragment and a version, queries slow down and disks fill.
 * `optimize` merges fragments and removes old versions. It writes a table of up to a million rows anew for a single row
 * that was added (1 GB at a million of 256 dimensions), so callers ask `isWorthOptimizing` first.
 */
import { existsSync, mkdirSync } from "node:fs"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import type { Connection, Table } from "@lancedb/lancedb"
import type { RecordBatch } from "apache-arrow"
import { log } from "../log.ts"
import { unpackAhead } from "../native/native.ts"
import { someDescriptors } from "../threads/sockets.ts"

export interface VectorBatch {
  ids: Float64Array
  /** `ids.length * dimensions` numbers, row after row. */
  vectors: Float32Array
}

export interface OptimizeOutcome {
  fragmentsRemoved: number
  fragmentsAdded: number
  versionsRemoved: number
  bytesRemoved: number
  tookMs: number
}

/** Ids of one condition of a delete; longer lists become several deletes. */
const SPANS_PER_DELETE = 200

/**
 * For LanceDB's caches of indexes and of metadata, each. Their own bounds are gigabytes, and every add and removal makes
 * a version; nothing here is read twice from them.
 */
const CACHE_BYTES = 8n * 1024n * 1024n

/** A table that is written anew after any change. */
const SMALL_TABLE_BYTES = 16 * 2 ** 20
/** Share of a larger table that must have changed. Each row is so written about four times in its life. */
const CHANGED_SHARE = 0.25
/** Fragments at which a larger table is written anew whatever has changed: a removal takes 40 ms there, and 5 with few. */
const MAX_FRAGMENTS = 500
/** A table that changes at all is written anew this often. */
const MAX_REST_MS = 24 * 3600 * 1000
/**
 * Id of a row that stands for nothing. LanceDB leaves a fragment with few removed rows as it is, with the removed vectors
 * in it, unless there is another to merge it with: this row is that other. It stays, so that a table that notes removed
 * rows always holds vectors to be erased.
 */
const MARKER = -1

export class VectorTable {
  /** Adds and removals under way. */
  private writing = 0
  /** Rows added and removed since the table was last written anew. */
  private changedRows = 0
  private optimizedAt = Date.now()
  /** Removals so far, and how many of them came before the last time that all was erased. */
  private removals = 0
  private erased = 0
  private renewing: Promise<void> = Promise.resolve()

  private constructor(
    private table: Table,
    private readonly directory: string,
    /** Known here as well: the library refuses to tell it while it is at work on the table. */
    private readonly name: string,
    private readonly dimensions: number,
  ) {}

  /**
   * Opens the table, or makes it empty.
   * @throws Error when the table on disk holds vectors of other dimensions: they are never mixed.
   */
  static async open(directory: string, name: string, dimensions: number): Promise<VectorTable> {
    const connection = await connect(directory)
    const names = await connection.tableNames()
    const table = names.includes(name)
      ? await connection.openTable(name)
      : await connection.createEmptyTable(name, (await columns(dimensions)).schema)
    const schema = await table.schema()
    const field = schema.fields.find(candidate => candidate.name === "vector")
    const found = (field?.type as { listSize?: number } | undefined)?.listSize
    if (found !== dimensions) {
      table.close()
      throw new Error(`the vectors in ${name} have ${found} dimensions, the embedding model has ${dimensions}`)
    }
    // Tables of before had ids of 32 bits. Only that column is written anew: 14 ms for 200 000 rows.
    const ids = schema.fields.find(candidate => candidate.name === "id")
    if ((ids?.type as { bitWidth?: number } | undefined)?.bitWidth === 32)
      await table.alterColumns([{ path: "id", dataType: "int64" }])
    const opened = new VectorTable(table, directory, name, dimensions)
    // What the last run removed may stand in a version of before.
    if ((await table.listVersions()).length > 1) opened.removals++
    return opened
  }

  static async drop(directory: string, name: string): Promise<void> {
    const connection = await connect(directory)
    if ((await connection.tableNames()).includes(name)) await connection.dropTable(name)
  }

  async add({ ids, vectors }: VectorBatch): Promise<void> {
    const { arrow, schema, listType } = await columns(this.dimensions)
    const child = arrow.makeData({ type: new arrow.Float32(), length: vectors.length, data: vectors })
    const list = arrow.makeData({ type: listType, length: ids.length, nullCount: 0, child })
    const numbers = BigInt64Array.from(ids, BigInt)
    const id = arrow.makeData({ type: new arrow.Int64(), length: ids.length, data: numbers })
    const type = new arrow.Struct(schema.fields)
    const data = arrow.makeData({ type, length: ids.length, children: [id, list] })
    this.changedRows += ids.length
    await this.write(() => this.table.add(new arrow.Table(schema, [new arrow.RecordBatch(schema, data)])))
  }

  /** Removes the rows whose id lies in one of the spans (pairs of first and last id). Removing twice does nothing. */
  async remove(spans: Float64Array): Promise<void> {
    for (let from = 0; from < spans.length; from += 2 * SPANS_PER_DELETE) {
      const conditions: string[] = []
      for (let i = from; i < Math.min(spans.length, from + 2 * SPANS_PER_DELETE); i += 2) {
        conditions.push(`(id >= ${spans[i]} and id <= ${spans[i + 1]})`)
        this.changedRows += spans[i + 1]! - spans[i]! + 1
      }
      if (conditions.length) await this.write(() => this.table.delete(conditions.join(" or ")))
      this.removals++
    }
  }

  /** Every row but the marker, in batches; the arrays are valid only until the next batch is asked for. */
  async *scan(): AsyncGenerator<VectorBatch> {
    for await (const batch of this.table.query().where(`id > ${MARKER}`).select(["id", "vector"])) {
      const list = batch.getChild("vector")!.data[0]!
      const values = list.children[0]!.values as Float32Array
      const base = list.offset * this.dimensions
      yield {
        ids: idsOf(batch),
        vectors: values.subarray(base, base + batch.numRows * this.dimensions),
      }
    }
  }

  /** Ids of every row but the marker, in batches. */
  async *ids(): AsyncGenerator<Float64Array> {
    for await (const batch of this.table.query().where(`id > ${MARKER}`).select(["id"])) yield idsOf(batch)
  }

  /** The `count` nearest rows by LanceDB's own search; the shape of a check against the in-memory scan. */
  async nearest(vector: Float32Array, count: number): Promise<{ id: number; distance: number }[]> {
    const rows = await this.table
      .vectorSearch(vector)
      .distanceType("cosine")
      .select(["id", "_distance"])
      .limit(count)
      .toArray()
    return rows.map((row: { id: number; _distance: number }) => ({ id: row.id, distance: row._distance }))
  }

  count(): Promise<number> {
    return this.table.countRows(`id > ${MARKER}`)
  }

  /**
   * True when rows were removed whose vectors may still be in a file of the table. A fragment that loses all of its rows is
   * noted nowhere: its file stays with the version before.
   */
  async holdsRemoved(): Promise<boolean> {
    if (this.removals > this.erased) return true
    const notes = join(this.directory, `${this.name}.lance`, "_deletions")
    return existsSync(notes) && (await readdir(notes)).length > 0
  }

  async isSmall(): Promise<boolean> {
    return (await this.table.countRows()) * this.dimensions * 4 <= SMALL_TABLE_BYTES
  }

  /**
   * Writes the table anew without the vectors of removed rows. In tables of several million rows fragments of a million
   * are full and rewritten only once a tenth of their rows was removed.
   */
  async erase(): Promise<OptimizeOutcome> {
    const { removals } = this
    await this.write(() => this.table.delete(`id <= ${MARKER}`))
    await this.add({ ids: Float64Array.of(MARKER), vectors: new Float32Array(this.dimensions) })
    const outcome = await this.optimize()
    await this.optimize() // removes the version before, which the first one still counts as new
    this.erased = removals
    return outcome
  }

  /** True when what changed since the last time is worth writing the table anew. */
  async isWorthOptimizing(): Promise<boolean> {
    const { numRows, fragmentStats } = await this.table.stats()
    return (
      numRows * this.dimensions * 4 <= SMALL_TABLE_BYTES ||
      this.changedRows >= numRows * CHANGED_SHARE ||
      fragmentStats.numFragments >= MAX_FRAGMENTS ||
      Date.now() - this.optimizedAt >= MAX_REST_MS
    )
  }

  /** Merges fragments, removes deleted rows and every version but the newest. Runs beside reads and writes. */
  async optimize(): Promise<OptimizeOutcome> {
    const startedAt = performance.now()
    this.changedRows = 0
    this.optimizedAt = Date.now()
    const { compaction, prune } = await this.table.optimize({ cleanupOlderThan: new Date() })
    if (this.writing === 0) await this.renew()
    return {
      fragmentsRemoved: compaction.fragmentsRemoved,
      fragmentsAdded: compaction.fragmentsAdded,
      versionsRemoved: prune.oldVersionsRemoved,
      bytesRemoved: prune.bytesRemoved,
      tookMs: performance.now() - startedAt,
    }
  }

  /** What reads the table goes on to its end; the library refuses to close it then, and lets go of it with its last use. */
  close(): void {
    try {
      this.table.close()
    } catch (error) {
      log.debug("a table is closed later", { table: this.name, error })
    }
  }

  private async write(work: () => Promise<unknown>): Promise<void> {
    await this.renewing
    this.writing++
    try {
      await work()
    } finally {
      this.writing--
    }
  }

  /**
   * Opens the table on a new connection and lets go of the old one, which keeps some 15 KB of every version that it
   * ever wrote. Writes wait meanwhile: a handle does not see what another one writes.
   */
  private renew(): Promise<void> {
    connections.delete(this.directory)
    this.renewing = connect(this.directory)
      .then(connection => connection.openTable(this.name))
      .then(table => {
        this.table = table
      })
      .catch(() => {}) // the old handle serves on
    return this.renewing
  }
}

type Library = { lancedb: typeof import("@lancedb/lancedb"); arrow: typeof import("apache-arrow") }
let library: Promise<Library> | undefined

/** 50 ms of work, once. */
export function loadLance(): Promise<Library> {
  if (library) return library
  const loaded = unpackAhead("lancedb")
    .then(() => someDescriptors())
    .then(async () => ({ lancedb: await import("@lancedb/lancedb"), arrow: await import("apache-arrow") }))
  library = loaded
  loaded.catch(() => (library = undefined)) // unpacking may be repeated
  return loaded
}

const connections = new Map<string, Promise<Connection>>()

/** One connection per directory: sessions cache what they read, two would do it twice. */
function connect(directory: string): Promise<Connection> {
  const known = connections.get(directory)
  if (known) return known
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const opened = loadLance().then(({ lancedb }) =>
    lancedb.connect(directory, {}, new lancedb.Session(CACHE_BYTES, CACHE_BYTES)),
  )
  connections.set(directory, opened)
  opened.catch(() => connections.delete(directory)) // a failed attempt may be repeated
  return opened
}

const idsOf = (batch: RecordBatch): Float64Array =>
  Float64Array.from((batch.getChild("id")!.data[0]!.values as BigInt64Array).subarray(0, batch.numRows), Number)

async function columns(dimensions: number) {
  const { arrow } = await loadLance()
  const listType = new arrow.FixedSizeList(dimensions, new arrow.Field("item", new arrow.Float32(), true))
  const schema = new arrow.Schema([
    new arrow.Field("id", new arrow.Int64(), false),
    new arrow.Field("vector", listType, false),
  ])
  return { arrow, schema, listType }
}
