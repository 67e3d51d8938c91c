/**
 * The brake on guessing passwords: failures delay further tries, per account and per address. In memory: a restart forgets
 * it, which costs an attacker more than it gives.
 */
import { AppError } from "../errors.ts"
import { Lru } from "../threads/lru.ts"

/** Entries kept at most; those without a try for longest go first, so that many addresses cannot fill the memory. */
const MAX_ENTRIES = 10_000

/** Failures that cost nothing but the try: people mistype. */
const FREE_FAILURES = 5
/** The first delay; it doubles with each further failure. */
const FIRST_DELAY_MS = 1_000
const MAX_DELAY_MS = 8_000
/** After this long without a failure the account or address starts afresh. */
const FORGET_MS = 15 * 60_000

export class SignInBrake {
  private readonly failures = new Lru<string, { count: number; lastAt: number }>({ entries: MAX_ENTRIES })
  private readonly waiting = new Set<string>()

  constructor(private readonly sleep: (ms: number) => Promise<void> = ms => Bun.sleep(ms)) {}

  /**
   * Runs `attempt` after the delay that earlier failures cost; null counts as a failure, anything else clears the account.
   * While one delayed try of an address waits, its others are refused: trying in parallel gains nothing.
   * @throws AppError rate_limited
   */
  async run<T>(account: string, address: string, attempt: () => Promise<T | null>): Promise<T | null> {
    const keys = [`account ${account}`, `address ${address}`]
    const delay = Math.max(...keys.map(key => this.delayOf(key)))
    if (delay > 0) await this.wait(address, delay)
    for (const key of keys) this.countFailure(key) // before the attempt, so that parallel tries see one another
    const result = await attempt()
    if (result !== null) for (const key of keys) this.failures.delete(key)
    return result
  }

  private delayOf(key: string): number {
    const entry = this.failures.get(key)
    if (!entry || Date.now() - entry.lastAt > FORGET_MS || entry.count < FREE_FAILURES) return 0
    return Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (entry.count - FREE_FAILURES))
  }

  private async wait(address: string, delay: number): Promise<void> {
    if (this.waiting.has(address))
      throw new AppError("rate_limited", { retryAfter: Math.ceil(delay / 1000), message: "too many wrong passwords" })
    this.waiting.add(address)
    try {
      await this.sleep(delay)
    } finally {
      this.waiting.delete(address)
    }
  }

  private countFailure(key: string): void {
    const entry = this.failures.get(key)
    const count = entry && Date.now() - entry.lastAt <= FORGET_MS ? entry.count + 1 : 1
    this.failures.set(key, { count, lastAt: Date.now() })
  }
}
