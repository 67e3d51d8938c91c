/**
 * When a request that nobody waits for may go: so many at a time, in turn between workspaces, those that work on this machine
 * one after the other; and while requests of clients are being answered only now and then.
 */
import { Gate, type Ticket } from "../threads/gate.ts"
import { pause } from "../threads/or-abort.ts"
import { type TargetUrl, targetOf } from "./targets.ts"

/** How long one request waits at most for a moment in which no client does: without it a busy daemon would never get on. */
const PATIENCE_MS = 1_000
const LOOK_MS = 5

export class BackgroundRoom {
  private readonly gates: Record<"model" | "local", Gate>

  /**
   * @param concurrency requests to models at the same time
   * @param waited requests of clients that are being answered now
   */
  constructor(
    readonly concurrency: number,
    private readonly waited: () => number,
  ) {
    const gate = (places: number) =>
      new Gate({
        places,
        placesPerKey: places,
        waiting: Number.POSITIVE_INFINITY,
        refusal: "too many requests in the background",
        retryAfterSeconds: 5,
      })
    this.gates = { model: gate(concurrency), local: gate(1) }
  }

  /** Carries `work` out when its turn has come. @throws the reason of the signal; what `work` throws */
  async within<Result>(
    workspaceId: string,
    url: TargetUrl,
    signal: AbortSignal,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const ticket: Ticket = this.gates[targetOf(url).work].enter(workspaceId)
    try {
      await ticket.turn(signal)
      const latest = performance.now() + PATIENCE_MS
      while (this.waited() > 0 && performance.now() < latest) await pause(LOOK_MS, signal)
      signal.throwIfAborted()
      return await work()
    } finally {
      ticket.leave()
    }
  }
}
