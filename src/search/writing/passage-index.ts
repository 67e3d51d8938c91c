/** Writes passages into the index beside the database: their words, and their vectors where there is a model. */
import { log } from "../../log.ts"
import { both } from "../../threads/both.ts"
import type { SearchThread } from "../thread/search-thread.ts"
import type { TextsOf } from "../thread/worker-messages.ts"
import { embedAll } from "../vector/embed.ts"
import type { VectorLeg } from "../vector/vector-leg.ts"

/** Passages whose ids follow one another. */
export interface IndexedPassages {
  firstId: number
  texts: string[]
  /** Whose they are, in their order. */
  documents: TextsOf[]
}

export interface AddOptions {
  /** False: without vectors, which are made another time. */
  embedding: boolean
  /** Told how many are embedded. */
  on: (done: number) => void | Promise<void>
  signal: AbortSignal
}

export class PassageIndex {
  /**
   * @param vectorsMissing told when passages are left without vectors
   * @param reached named points of the write path; tests die there
   */
  constructor(
    private readonly thread: SearchThread,
    private readonly vectors: VectorLeg,
    readonly vectorsMissing: () => void,
    private readonly reached: (point: string) => void,
  ) {}

  /** @returns false where vectors were not wanted or could not be made */
  async add(passages: IndexedPassages, options: AddOptions): Promise<boolean> {
    // Two threads do them; what fails must not leave the other at work on a generation that is given up.
    const meaning = options.embedding ? this.addVectors(passages, options) : Promise.resolve(false)
    const [embedded] = await both(meaning, this.addWords(passages))
    this.reached("vectors written")
    return embedded
  }

  private async addWords({ firstId, texts, documents }: IndexedPassages): Promise<void> {
    await this.thread.ask("index", { firstId, texts, documents })
    this.reached("words indexed")
  }

  /**
   * Without a working embedding model the file becomes searchable by its words; its vectors are made when there is one.
   * @returns false then
   */
  private async addVectors({ firstId, texts }: IndexedPassages, { on, signal }: AddOptions): Promise<boolean> {
    const embedded = await this.embedOrSay(texts, on, signal)
    if (!embedded) return false
    this.reached("embedded")
    const ids = Float64Array.from(texts, (_, i) => firstId + i)
    await this.vectors.add(embedded.table, ids, embedded.rows)
    return true
  }

  private async embedOrSay(
    texts: string[],
    on: AddOptions["on"],
    signal: AbortSignal,
  ): Promise<{ table: string; rows: Float32Array } | undefined> {
    try {
      const model = await this.vectors.model()
      return model && { table: model.table, rows: await embedAll(model.embedder, texts, signal, on) }
    } catch (error) {
      if (signal.aborted) throw error
      log.warn("passages are indexed without vectors for now: the embedding model fails", { error })
      return undefined
    }
  }
}
