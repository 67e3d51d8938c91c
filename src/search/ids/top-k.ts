/** Keeps the k best of many scored ids; equal scores are kept in the order of ids, so that results are deterministic. */
export class TopK {
  private readonly scores: Float64Array
  private readonly ids: Float64Array
  private size = 0
  /** What a score must not be below to enter. */
  threshold = Number.NEGATIVE_INFINITY

  constructor(private readonly k: number) {
    this.scores = new Float64Array(k)
    this.ids = new Float64Array(k)
  }

  push(score: number, id: number): void {
    if (this.k === 0) return
    if (this.size < this.k) {
      this.up(this.size++, score, id)
      if (this.size === this.k) this.threshold = this.scores[0]!
    } else if (this.isWorse(0, score, id)) {
      this.down(score, id)
      this.threshold = this.scores[0]!
    }
  }

  /** Best first. */
  list(): { id: number; score: number }[] {
    return Array.from({ length: this.size }, (_, i) => ({ id: this.ids[i]!, score: this.scores[i]! })).sort(
      (a, b) => b.score - a.score || a.id - b.id,
    )
  }

  /** True when the entry at `at` ranks below (score, id). The heap's root is the worst entry. */
  private isWorse(at: number, score: number, id: number): boolean {
    const own = this.scores[at]!
    return own < score || (own === score && this.ids[at]! > id)
  }

  private up(at: number, score: number, id: number): void {
    let i = at
    while (i > 0) {
      const parent = (i - 1) >> 1
      if (this.isWorse(parent, score, id)) break
      this.scores[i] = this.scores[parent]!
      this.ids[i] = this.ids[parent]!
      i = parent
    }
    this.scores[i] = score
    this.ids[i] = id
  }

  private down(score: number, id: number): void {
    let i = 0
    for (;;) {
      let child = 2 * i + 1
      if (child >= this.size) break
      if (child + 1 < this.size && this.isWorse(child + 1, this.scores[child]!, this.ids[child]!)) child++
      if (!this.isWorse(child, score, id)) break
      this.scores[i] = this.scores[child]!
      this.ids[i] = this.ids[child]!
      i = child
    }
    this.scores[i] = score
    this.ids[i] = id
  }
}
