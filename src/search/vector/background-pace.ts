/**
 * When work in the background may use the model of the quality tier. It waits while queries are answered and files are
 * indexed, and rests so long between two batches that it takes no more than its share of the cores.
 */

/** It is never put off for longer, so that it comes to an end also where somebody always asks or uploads. */
const MOST_PUT_OFF_MS = 2_000
const LOOK_AGAIN_MS = 20

export class BackgroundPace {
  /**
   * @param share of the time in which the model may be at work, 0..1: its threads bound the cores that it takes
   * @param isBusy something goes first now
   */
  constructor(
    private readonly share: number,
    private readonly isBusy: () => boolean,
  ) {}

  /** Runs one batch when its time has come; resolves after its rest. @throws the reason of the signal */
  async take<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    const since = performance.now()
    while (this.isBusy() && performance.now() - since < MOST_PUT_OFF_MS) {
      signal?.throwIfAborted()
      await Bun.sleep(LOOK_AGAIN_MS)
    }
    const startedAt = performance.now()
    const done = await work()
    const restMs = (performance.now() - startedAt) * (1 / this.share - 1)
    if (restMs >= 1) await Bun.sleep(restMs)
    return done
  }
}
