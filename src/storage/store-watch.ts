/** Asks the engines behind several machines whether they answer, and says in the log when one stops and when it is back. */
import { ENGINE_NAMES, type Engine, engineErrorIn } from "../errors.ts"
import { Trouble } from "../log.ts"

/** An answer this old is good enough. */
const KEPT_MS = 1_000
/** An engine that has not answered for so long is down for whoever asks. */
const PATIENCE_MS = 2_000
/** How often they are asked when nobody wants to know, for the log. */
const ROUND_MS = 5_000

/** Asks one engine for a sign of life; throws when there is none. `signal` aborts when nobody waits any more. */
export type Ask = (signal: AbortSignal) => Promise<unknown>

/**
 * Each engine is asked by means of its own, beside what requests use: the database over a connection that no request can
 * hold, or a busy node would call itself one without a database.
 */
export class StoreWatch {
  private readonly engines: readonly WatchedEngine[]
  private readonly round: ReturnType<typeof setInterval>

  constructor(asks: Readonly<Record<Engine, Ask>>) {
    this.engines = Object.entries(asks).map(([name, ask]) => new WatchedEngine(name as Engine, ask))
    this.round = setInterval(() => void this.down(), ROUND_MS)
    this.round.unref()
  }

  /** Engines that do not answer, within two seconds. */
  async down(keptMs = KEPT_MS): Promise<Engine[]> {
    const answers = await Promise.all(this.engines.map(engine => engine.isDown(keptMs)))
    return this.engines.filter((_, i) => answers[i]).map(({ name }) => name)
  }

  /**
   * Whether work failed for an engine's sake alone. False for a single request that an engine takes badly which answers
   * all others: trying again would go on for ever.
   */
  async isToBlame(error: unknown): Promise<boolean> {
    const found = engineErrorIn(error)
    if (!found) return false
    return !found.answered || (await this.down(0)).includes(found.engine)
  }

  close(): void {
    clearInterval(this.round)
    for (const engine of this.engines) engine.close()
  }
}

class WatchedEngine {
  private lastDown = false
  private askedAt = Number.NEGATIVE_INFINITY
  private asking: Promise<boolean> | undefined
  private readonly closing = new AbortController()
  private readonly trouble: Trouble

  constructor(
    readonly name: Engine,
    private readonly ask: Ask,
  ) {
    const called = ENGINE_NAMES[name]
    this.trouble = new Trouble({ begins: `${called} does not answer`, ends: `${called} answers again`, level: "error" })
  }

  async isDown(keptMs: number): Promise<boolean> {
    if (!this.asking && performance.now() - this.askedAt >= keptMs)
      this.asking = this.askNow().finally(() => {
        this.asking = undefined
      })
    return this.asking ?? this.lastDown
  }

  close(): void {
    this.closing.abort()
  }

  private async askNow(): Promise<boolean> {
    const patience = AbortSignal.timeout(PATIENCE_MS)
    const signal = AbortSignal.any([patience, this.closing.signal])
    const given = new Promise<never>((_, reject) =>
      signal.addEventListener("abort", () => reject(new Error(`no answer in ${PATIENCE_MS} ms`)), { once: true }),
    )
    try {
      await Promise.race([this.ask(signal), given])
      this.lastDown = false
      this.trouble.clear()
    } catch (error) {
      if (this.closing.signal.aborted) return this.lastDown
      this.lastDown = true
      this.trouble.note(error)
    }
    this.askedAt = performance.now()
    return this.lastDown
  }
}
