/**
 * Words and vectors in OpenSearch, for several machines. Its documents are numbered by passages and name their generation:
 * the database says which generations are visible, so what the engine holds too much is never shown.
 */
import { EngineError, engineTrouble, OperatorError } from "../../errors.ts"
import { log } from "../../log.ts"
import type { Generation } from "../../storage/chunks.ts"
import type { IdRanges } from "../ids/id-ranges.ts"
import type { OpenStore, PassageStore, StoreParts, StoreStats, Stretch } from "../passage-store.ts"
import type { Extent, WorkerAnswer, WorkerSearch } from "../thread/worker-messages.ts"
import type { ServingModel } from "../vector/vector-models.ts"
import { type BulkDocument, writeBulk } from "./bulk.ts"
import { type OpenSearchAddress, OpenSearchClient } from "./client.ts"
import { type Comparison, compare } from "./comparison.ts"
import { Indexes } from "./indexes.ts"
import { documentId, type IndexedPassage, vectorDocument, wordsDocument } from "./layout.ts"
import { Analysis } from "./passages.ts"
import { ClusterAnswerer } from "./query-answerer.ts"
import { Refreshes } from "./refreshes.ts"
import { Expunging, statsOf } from "./upkeep.ts"

/** Documents removed by one request, which takes seconds then. */
const REMOVED_AT_ONCE = 50_000
const REMOVE_TIMEOUT_MS = 120_000
/** Generations named in one request to remove them. */
const GENERATIONS_AT_ONCE = 1_000

export interface OpenSearchOptions {
  address: OpenSearchAddress
  /** Id of the installation. */
  cluster: string
  /** Shards of new indexes. */
  shards?: number
  /** The engine has not answered yet: whether its place is the cluster's is looked at before it is used. See `Indexes.look`. */
  later?: { mayBeNew: boolean } | undefined
}

export const openSearchAt =
  (options: OpenSearchOptions): OpenStore =>
  parts =>
    new OpenSearchStore(options, parts)

class OpenSearchStore implements PassageStore {
  private readonly client: OpenSearchClient
  private readonly indexes: Indexes
  private readonly refreshes: Refreshes
  private readonly analysis = new Analysis()
  private readonly answerer: ClusterAnswerer
  private readonly expunging: Expunging
  private prepared: Promise<void> | undefined
  private later: OpenSearchOptions["later"]

  constructor(
    { address, cluster, shards, later }: OpenSearchOptions,
    private readonly parts: StoreParts,
  ) {
    const client = new OpenSearchClient(address)
    this.client = client
    this.later = later
    this.indexes = new Indexes({ client, cluster, ...(shards ? { shards } : {}) })
    this.refreshes = new Refreshes(client)
    this.expunging = new Expunging(client)
    this.answerer = new ClusterAnswerer({ db: parts.db, client })
  }

  /**
   * An engine that does not answer is waited for: what needs it fails meanwhile.
   * @throws OperatorError for one that Carrel cannot use
   */
  async start(): Promise<void> {
    await this.prepare().catch(error => {
      if (!engineTrouble(error)) throw error
      log.warn("the search engine does not answer yet", { error })
    })
  }

  async stop(): Promise<void> {}

  async search(ask: WorkerSearch, signal?: AbortSignal): Promise<WorkerAnswer> {
    await this.ready()
    return this.answerer.search(ask, signal)
  }

  async addWords(stretches: readonly Stretch[]): Promise<void> {
    await this.ready()
    await this.indexes.haveWords()
    await this.write(this.indexes.words, stretches, wordsDocument)
  }

  async addVectors(table: string, stretches: readonly Stretch[], vectors: Float32Array): Promise<void> {
    const dimensions = await this.haveTable(table)
    let row = 0
    await this.write(this.indexes.vectors(table), stretches, passage =>
      vectorDocument(passage, vectors.subarray(row++ * dimensions, row * dimensions)),
    )
  }

  settle(): Promise<void> {
    return this.refreshes.settle()
  }

  async remove(generations: readonly Generation[]): Promise<void> {
    await this.ready()
    const ids = generations.map(({ id }) => id)
    const tables = await this.parts.models.tables()
    await this.removeFrom(
      tables.map(({ name }) => this.indexes.vectors(name)),
      ids,
    )
    this.parts.reached("vectors removed")
    await this.removeFrom([this.indexes.words], ids)
    this.parts.reached("words removed")
  }

  load(): Promise<void> {
    return this.ready()
  }

  async lackingWords(): Promise<IdRanges> {
    return (await this.compareWords()).lacking
  }

  async lackingVectors(table: string): Promise<IdRanges> {
    return (await this.compareVectors(table)).lacking
  }

  async unknown(): Promise<{ words: number; vectors: number }> {
    const words = await this.compareWords()
    let vectors = 0
    for (const { name } of await this.serving()) vectors += passagesIn(await this.compareVectors(name))
    return { words: passagesIn(words), vectors }
  }

  async removeUnknown(): Promise<number> {
    const found = [await this.compareWords()]
    for (const { name } of await this.parts.models.tables()) found.push(await this.compareVectors(name))
    const passages = new Map(found.flatMap(({ unknown }) => [...unknown]))
    if (passages.size > 0) await this.remove([...passages.keys()].map(id => ({ id, first: 0, last: -1 })))
    return [...passages.values()].reduce((sum, count) => sum + count, 0)
  }

  async finishTable(): Promise<void> {
    await this.settle()
  }

  /** The engine holds every table: which one is searched, the query's vector says. */
  async serve(model: ServingModel): Promise<void> {
    this.parts.models.serve(model)
  }

  async dropTable(table: string): Promise<void> {
    await this.ready()
    await this.indexes.drop(this.indexes.vectors(table))
    await this.parts.models.forget(table)
  }

  async erase(extent: Extent): Promise<boolean> {
    await this.ready()
    const names = await this.names()
    await this.expunging.run(names, extent)
    return this.expunging.isDone(names)
  }

  async optimize(): Promise<void> {
    await this.erase("all")
  }

  async stats(): Promise<StoreStats> {
    const serving = await this.serving()
    const vectors = serving.map(row => ({ ...row, index: this.indexes.vectors(row.name) }))
    return statsOf(this.client, this.indexes.words, vectors)
  }

  /** The rows of the tables that serve. */
  private async serving() {
    const { models } = this.parts
    const rows = await Promise.all(models.tiers.map(tier => models.recorded(tier)))
    return rows.filter(row => row !== undefined)
  }

  /** @throws EngineError also where the place is another's: whoever waits does so until an operator has given the right one */
  private async ready(): Promise<void> {
    try {
      await this.prepare()
    } catch (cause) {
      if (!(cause instanceof OperatorError)) throw cause
      log.error("the search engine is not used", { error: cause })
      throw new EngineError("search", cause.message, { cause })
    }
  }

  /** Tried anew at each need until it succeeded. */
  private prepare(): Promise<void> {
    if (this.prepared) return this.prepared
    const prepared = this.look().then(() => this.indexes.prepare())
    this.prepared = prepared
    prepared.catch(() => {
      this.prepared = undefined
    })
    return prepared
  }

  private async look(): Promise<void> {
    if (this.later) await this.indexes.look(this.later)
    this.later = undefined
  }

  /** @returns dimensions of its vectors */
  private async haveTable(table: string): Promise<number> {
    await this.ready()
    const dimensions = await this.parts.models.dimensionsOf(table)
    await this.indexes.haveVectors(table, dimensions)
    return dimensions
  }

  private async names(): Promise<string[]> {
    const tables = await this.parts.models.tables()
    return [this.indexes.words, ...tables.map(({ name }) => this.indexes.vectors(name))]
  }

  private async write(
    alias: string,
    stretches: readonly Stretch[],
    documentOf: (passage: IndexedPassage) => object,
  ): Promise<void> {
    const analyzed = await Promise.all(stretches.map(stretch => this.analysis.of(stretch)))
    this.refreshes.note(alias)
    try {
      await writeBulk(this.client, alias, documentsOf(analyzed.flat(), documentOf))
    } catch (error) {
      this.indexes.forget(alias) // it may be gone
      throw error
    }
  }

  private async compareWords(): Promise<Comparison> {
    await this.ready()
    await this.indexes.haveWords()
    return this.compareIn(this.indexes.words)
  }

  private async compareVectors(table: string): Promise<Comparison> {
    await this.haveTable(table)
    return this.compareIn(this.indexes.vectors(table))
  }

  private async compareIn(alias: string): Promise<Comparison> {
    this.refreshes.note(alias)
    await this.refreshes.settle()
    return compare(this.parts.db, this.client, alias)
  }

  private async removeFrom(aliases: string[], generations: number[]): Promise<void> {
    if (aliases.length === 0) return
    for (const alias of aliases) this.refreshes.note(alias)
    await this.refreshes.settle() // what was written last is to be found
    for (let from = 0; from < generations.length; from += GENERATIONS_AT_ONCE) {
      const query = { terms: { g: generations.slice(from, from + GENERATIONS_AT_ONCE) } }
      while ((await this.removeSome(aliases, query)) > 0);
    }
  }

  /** @returns how many were found; 0 when none is left */
  private async removeSome(aliases: string[], query: object): Promise<number> {
    const path = `${aliases.join(",")}/_delete_by_query?refresh=true&conflicts=proceed&ignore_unavailable=true`
    const answer = await this.client.ask<{ total: number; deleted: number; failures: object[] }>("POST", path, {
      body: { query, max_docs: REMOVED_AT_ONCE },
      timeoutMs: REMOVE_TIMEOUT_MS,
    })
    if (answer.failures.length > 0)
      throw new EngineError("search", `it could not remove passages: ${JSON.stringify(answer.failures[0])}`)
    return answer.total
  }
}

function* documentsOf(
  passages: readonly IndexedPassage[],
  documentOf: (passage: IndexedPassage) => object,
): Generator<BulkDocument> {
  for (const passage of passages)
    yield { id: documentId(passage.id), routing: passage.workspaceId, document: documentOf(passage) }
}

const passagesIn = ({ unknown }: Comparison): number => [...unknown.values()].reduce((sum, count) => sum + count, 0)
