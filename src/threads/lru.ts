/** A small cache: what was not used for longest goes first. */

export interface LruLimits<Value> {
  entries: number
  /** All values together, in whatever `weigh` counts: bytes, steps. */
  weight?: number
  weigh?: (value: Value) => number
}

export class Lru<Key, Value> {
  /** A Map keeps the order in which keys were set: used ones are set again and stand last. */
  private readonly kept = new Map<Key, Value>()
  private weight = 0

  constructor(private readonly limits: LruLimits<Value>) {}

  get size(): number {
    return this.kept.size
  }

  /** What is found counts as used. */
  get(key: Key): Value | undefined {
    const value = this.kept.get(key)
    if (value === undefined) return undefined
    this.kept.delete(key)
    this.kept.set(key, value)
    return value
  }

  /** @returns the value, which is not kept where it alone weighs more than all may */
  set(key: Key, value: Value): Value {
    this.delete(key)
    this.kept.set(key, value)
    this.weight += this.weigh(value)
    const { entries, weight = Number.POSITIVE_INFINITY } = this.limits
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= entries && this.weight <= weight) break
      this.delete(oldest)
    }
    return value
  }

  delete(key: Key): void {
    const value = this.kept.get(key)
    if (value === undefined) return
    this.kept.delete(key)
    this.weight -= this.weigh(value)
  }

  clear(): void {
    this.kept.clear()
    this.weight = 0
  }

  /** The longest unused first. */
  [Symbol.iterator](): IterableIterator<[Key, Value]> {
    return this.kept.entries()
  }

  private weigh(value: Value): number {
    return this.limits.weigh?.(value) ?? 0
  }
}
