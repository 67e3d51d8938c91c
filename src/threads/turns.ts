/**
 * Long work on the event loop, cut into turns. Between two steps it awaits `next()`, which lets others use the loop once the
 * work has had it for its time.
 */
export class Turns {
  private endsAt = 0

  /**
   * @param ms longest turn, but for the step that it ends in
   * @param signal ends the work: nobody waits for it any more
   */
  constructor(
    private readonly ms: number,
    private readonly signal?: AbortSignal,
  ) {
    this.begin()
  }

  /** The work has just waited for something else: others had their turn. */
  begin(): void {
    this.endsAt = performance.now() + this.ms
  }

  /** Undefined while the turn goes on. @throws the reason of the signal */
  next(): Promise<void> | undefined {
    this.signal?.throwIfAborted()
    if (performance.now() < this.endsAt) return undefined
    return new Promise(resolve =>
      setImmediate(() => {
        this.begin()
        resolve()
      }),
    )
  }
}
