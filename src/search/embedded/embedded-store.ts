/** Search on one machine: the worker thread holds words and vectors, LanceDB keeps the vectors. See DESIGN.md. */
import { log } from "../../log.ts"
import type { Tier } from "../../storage/chunk-tables.ts"
import type { Generation } from "../../storage/chunks.ts"
import { findKeyring } from "../../storage/encryption/keyring.ts"
import { loadLance } from "../../storage/search-index.ts"
import { countIds, type IdRanges, NO_IDS, subtract, toRanges, union } from "../ids/id-ranges.ts"
import type { OpenStore, PassageStore, StoreParts, StoreStats, Stretch } from "../passage-store.ts"
import type { Extent, WorkerAnswer, WorkerSearch } from "../thread/worker-messages.ts"
import type { ServingModel } from "../vector/vector-models.ts"
import { knownIds, wantedIds } from "../writing/generations.ts"
import { SearchThread } from "./search-thread.ts"
import { VectorLeg } from "./vector-leg.ts"

/** A worker that lived no longer than this is not started anew. */
const SHORT_LIFE_MS = 1_500

export const embeddedIn =
  (dataDirectory: string): OpenStore =>
  parts =>
    new EmbeddedStore(dataDirectory, parts)

class EmbeddedStore implements PassageStore {
  private readonly thread = new SearchThread()
  private readonly vectors: VectorLeg
  private stopped = false

  constructor(
    private readonly dataDirectory: string,
    private readonly parts: StoreParts,
  ) {
    this.vectors = new VectorLeg(parts.models, dataDirectory, this.thread)
  }

  /** A worker that died is started anew, unless it dies at once: then search stays down and says so. */
  async start(lost: () => void): Promise<void> {
    const startedAt = performance.now()
    const { dataDirectory } = this
    const root = findKeyring(this.parts.db)?.root.memory
    await this.thread.start({ dataDirectory, root }, error => {
      log.error("the search worker died", { error })
      this.vectors.forgetLoaded()
      if (this.stopped || performance.now() - startedAt < SHORT_LIFE_MS) return
      void this.start(lost).catch(reason => log.error("the search worker could not be started anew", { error: reason }))
      lost()
    })
    void loadLance().catch(() => {}) // whoever asks for vectors says what is wrong
  }

  async stop(): Promise<void> {
    this.stopped = true
    await this.vectors.close()
    await this.thread.stop()
  }

  async search(ask: WorkerSearch): Promise<WorkerAnswer> {
    const answer = await this.thread.ask("search", ask)
    if (answer.vectorsLost) this.vectors.forgetLoaded()
    return answer
  }

  /** One segment for passages whose ids follow one another. */
  async addWords(stretches: readonly Stretch[]): Promise<void> {
    for (let from = 0, to = 0; from < stretches.length; from = to) {
      const texts: string[] = []
      const { firstId } = stretches[from]!
      while (to < stretches.length && stretches[to]!.firstId === firstId + texts.length)
        texts.push(...stretches[to++]!.texts)
      const documents = stretches.slice(from, to).map(each => ({ count: each.texts.length, scheme: each.scheme }))
      await this.thread.ask("index", { firstId, texts, documents })
    }
  }

  async addVectors(table: string, stretches: readonly Stretch[], vectors: Float32Array): Promise<void> {
    const ids = stretches.flatMap(({ firstId, texts }) => texts.map((_, i) => firstId + i))
    await this.vectors.add(table, Float64Array.from(ids), vectors)
  }

  /** Both legs find at once what they took. */
  async settle(): Promise<void> {}

  remove(generations: readonly Generation[]): Promise<void> {
    return this.removeIds(toRanges(generations.map(({ first, last }) => [first, last])))
  }

  load(tier: Tier): Promise<void> {
    return this.vectors.load(tier)
  }

  async lackingWords(): Promise<IdRanges> {
    return subtract(await wantedIds(this.parts.db), (await this.holdings()).keyword)
  }

  async lackingVectors(table: string): Promise<IdRanges> {
    const wanted = await wantedIds(this.parts.db)
    return subtract(wanted, await this.vectors.heldIn(table))
  }

  async unknown(): Promise<{ words: number; vectors: number }> {
    const { keyword, vector } = await this.unknownIds()
    return { words: countIds(keyword), vectors: countIds(vector) }
  }

  async removeUnknown(): Promise<number> {
    const { keyword, vector } = await this.unknownIds()
    const unknown = union(keyword, vector)
    if (countIds(unknown) > 0) await this.removeIds(unknown)
    return countIds(unknown)
  }

  finishTable(table: string): Promise<void> {
    return this.vectors.finish(table)
  }

  serve(model: ServingModel): Promise<void> {
    return this.vectors.serve(model)
  }

  dropTable(table: string): Promise<void> {
    return this.vectors.drop(table)
  }

  async erase(extent: Extent): Promise<boolean> {
    const areWordsGone = await this.thread.ask("erase", { extent })
    return (await this.vectors.erase(extent)) && areWordsGone
  }

  optimize(): Promise<void> {
    return this.vectors.optimize()
  }

  async stats(): Promise<StoreStats> {
    return { ...(await this.thread.ask("stats", {})), optimize: { ...this.vectors.optimizeStats } }
  }

  private holdings() {
    return this.thread.ask("holdings", {})
  }

  private async unknownIds() {
    const { keyword, vectors } = await this.holdings() // before the database is read: ids are recorded there first
    const known = await knownIds(this.parts.db)
    const vector = [...vectors.values()].reduce(union, NO_IDS)
    return { keyword: subtract(keyword, known), vector: subtract(vector, known) }
  }

  private async removeIds(ranges: IdRanges): Promise<void> {
    const { reached } = this.parts
    await this.vectors.remove(ranges)
    reached("vectors removed")
    await this.thread.ask("remove", { ranges })
    reached("words removed")
  }
}
