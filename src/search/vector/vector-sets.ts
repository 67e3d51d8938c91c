/** The vectors in the search worker: a set that serves, and one that is filled beside it until it takes its place. */
import type { IdRanges } from "../ids/id-ranges.ts"
import { VectorIndex } from "./vector-index.ts"

export class VectorSets {
  serving: VectorIndex | undefined
  private next: VectorIndex | undefined

  constructor(private readonly scratchDirectory: string) {}

  /** Begins to fill a new set. */
  begin(table: string, dimensions: number): void {
    this.next?.close()
    this.next = new VectorIndex(table, dimensions, { scratchDirectory: this.scratchDirectory })
  }

  /** To every set of that name, serving or being filled. */
  add(table: string, ids: Float64Array, vectors: Float32Array): void {
    for (const set of [this.serving, this.next]) if (set?.table === table) set.add(ids, vectors)
  }

  /** The set that was being filled serves from now on; the former one is dropped. */
  swap(table: string): void {
    if (this.next?.table !== table) return
    this.serving?.close()
    this.serving = this.next
    this.next = undefined
  }

  remove(ranges: IdRanges): void {
    this.serving?.remove(ranges)
    this.next?.remove(ranges)
  }

  /** Lets go of the serving set, which cannot be read. */
  lose(): void {
    this.serving?.close()
    this.serving = undefined
  }

  close(): void {
    this.serving?.close()
    this.next?.close()
  }
}
