/** Keeps the rows with the highest estimates of many, ties of the lowest included: at least as many as wanted. */

/** Rows held between two selections, as a multiple of what is wanted. */
const ROOM = 4

export class Nearest {
  private kept: Int32Array
  private estimates: Uint16Array
  private size = 0
  /** What an estimate must not be below to enter. */
  private threshold = 0

  constructor(private readonly wanted: number) {
    this.kept = new Int32Array(wanted * ROOM)
    this.estimates = new Uint16Array(wanted * ROOM)
  }

  /** Takes rows `first + from…` with their estimates. Rows come in ascending order. */
  offer(first: number, estimates: Uint16Array, from: number): void {
    let { threshold } = this
    for (let i = from; i < estimates.length; i++) {
      if (estimates[i]! < threshold) continue
      if (this.size === this.kept.length) {
        this.select()
        threshold = this.threshold
        if (estimates[i]! < threshold) continue
      }
      this.kept[this.size] = first + i
      this.estimates[this.size++] = estimates[i]!
    }
  }

  /** In ascending order. */
  rows(): Int32Array {
    this.select()
    return this.kept.subarray(0, this.size)
  }

  /** Raises the threshold as far as enough rows are left, and drops those below. */
  private select(): void {
    if (this.size <= this.wanted) return
    let limit = 0
    for (let i = 0; i < this.size; i++) if (this.estimates[i]! > limit) limit = this.estimates[i]!
    const counts = new Uint32Array(limit + 1)
    for (let i = 0; i < this.size; i++) counts[this.estimates[i]!]!++
    for (let left = counts[limit]!; left < this.wanted; ) left += counts[--limit]!
    this.threshold = limit
    let size = 0
    for (let i = 0; i < this.size; i++) {
      if (this.estimates[i]! < limit) continue
      this.kept[size] = this.kept[i]!
      this.estimates[size++] = this.estimates[i]!
    }
    this.size = size
    if (size > this.kept.length / 2) this.grow()
  }

  /** Many equal estimates: without more room every row would select anew. */
  private grow(): void {
    const kept = new Int32Array(this.kept.length * 2)
    kept.set(this.kept)
    this.kept = kept
    const estimates = new Uint16Array(kept.length)
    estimates.set(this.estimates)
    this.estimates = estimates
  }
}
