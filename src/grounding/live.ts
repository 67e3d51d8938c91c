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

  /** Resolves at the next `notify`. */
  changed(): Promise<void> {
    return this.next.promise
  }

  /** Until it is disposed, an abort wakes those who wait as well. */
  wakeOn(signal: AbortSignal | undefined): Disposable {
    const wake = () => this.notify()
    signal?.addEventListener("abort", wake)
    return { [Symbol.dispose]: () => signal?.removeEventListener("abort", wake) }
  }
}
