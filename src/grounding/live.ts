/**
 * Work that goes on by itself while others watch it: a reply that is being written, a run. Whoever watches asks `changed`
 * first, then reads what there is, then waits: nothing falls between.
 */
export class Live {
  /** Stops the work; the reason says why. */
  readonly abort = new AbortController()
  private next = Promise.withResolvers<void>()

  /** There is something new to be read. */
  notify(): void {
    const { resolve } = this.next
    this.next = Promise.withResolvers()
    resolve()
  }

  /** Resolves at the next `notify`, or when `signal` aborts. */
  async changed(signal?: AbortSignal): Promise<void> {
    if (!signal) return this.next.promise
    if (signal.aborted) return
    const left = Promise.withResolvers<void>()
    const leave = () => left.resolve()
    signal.addEventListener("abort", leave, { once: true })
    try {
      await Promise.race([this.next.promise, left.promise])
    } finally {
      signal.removeEventListener("abort", leave)
    }
  }
}
