/** Longest time that indexing or merging keeps the search worker to itself. */
const SLICE_MS = 8

/** Paces a long piece of work of the search worker, so that queries go between its slices. */
export class Pace {
  longestSliceMs = 0
  private since = performance.now()

  /** `resume`: waited for between two slices; rejects when the work is to end. */
  constructor(private readonly resume: () => Promise<void> = async () => {}) {}

  isDue(): boolean {
    return performance.now() - this.since >= SLICE_MS
  }

  async giveWay(): Promise<void> {
    this.longestSliceMs = Math.max(this.longestSliceMs, performance.now() - this.since)
    await new Promise(resolve => setTimeout(resolve, 0))
    await this.resume()
    this.since = performance.now()
  }
}
