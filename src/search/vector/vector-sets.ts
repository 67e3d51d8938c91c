/** The vectors in the search worker: of each tier a set that serves, and sets that are filled until they take such a place. */
import type { Tier } from "../../storage/chunk-tables.ts"
import type { IdRanges } from "../ids/id-ranges.ts"
import { VectorIndex } from "./vector-index.ts"

export class VectorSets {
  private readonly serving = new Map<Tier, VectorIndex>()
  private readonly next = new Map<Tier, VectorIndex>()

  constructor(private readonly scratchDirectory: string) {}

  /** The set of a tier that serves. */
  of(tier: Tier): VectorIndex | undefined {
    return this.serving.get(tier)
  }

  entries(): [Tier, VectorIndex][] {
    return [...this.serving]
  }

  /** Begins to fill a new set. */
  begin(tier: Tier, table: string, dimensions: number): void {
    this.next.get(tier)?.close()
    this.next.set(tier, new VectorIndex(table, dimensions, { scratchDirectory: this.scratchDirectory }))
  }

  /** To every set of that name, serving or being filled. */
  add(table: string, ids: Float64Array, vectors: Float32Array): void {
    for (const set of this.all()) if (set.table === table) set.add(ids, vectors)
  }

  /** The set that was being filled serves its tier from now on; the former one is dropped. */
  swap(table: string): void {
    for (const [tier, set] of this.next)
      if (set.table === table) {
        this.serve(tier, set)
        this.next.delete(tier)
      }
  }

  serve(tier: Tier, set: VectorIndex): void {
    this.serving.get(tier)?.close()
    this.serving.set(tier, set)
  }

  remove(ranges: IdRanges): void {
    for (const set of this.all()) set.remove(ranges)
  }

  /** Lets go of the serving sets, one of which cannot be read. */
  lose(): void {
    for (const set of this.serving.values()) set.close()
    this.serving.clear()
  }

  close(): void {
    for (const set of this.all()) set.close()
  }

  private all(): VectorIndex[] {
    return [...this.serving.values(), ...this.next.values()]
  }
}
