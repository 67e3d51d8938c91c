/**
 * The brake on guessing passwords: failures delay further tries, per account and per address. Who failed is noted in memory
 * on one machine, where a restart forgets it, which costs an attacker more than it gives; see `shared-sign-in-failures.ts`.
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
export const FORGET_MS = 15 * 60_000

/** Of an account or an address after so many failures. */
export const delayAfter = (failures: number): number =>
  failures < FREE_FAILURES ? 0 : Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (failures - FREE_FAILURES))

/** `counted`: the try counts as failed until it succeeds. `refused`: another of the address waits. */
export type Try = { counted: true } | { refused: true; delay: number } | { waits: number }

/** Who failed how often. Each call is one step: parallel tries see one another. */
export interface SignInFailures {
  /** Counts a try that costs no delay, else takes the place to wait of its address. */
  begin(account: string, address: string): Try | Promise<Try>
  /** Counts a try that has waited, and gives its place free. */
  waited(account: string, address: string): void | Promise<void>
  /** The account and the address start afresh. */
  clear(account: string, address: string): void | Promise<void>
}

export class SignInBrake {
  constructor(
    private readonly failures: SignInFailures,
    private readonly sleep: (ms: number) => Promise<void> = ms => Bun.sleep(ms),
  ) {}

  /**
   * Runs `attempt` after the delay that earlier failures cost; null counts as a failure, anything else clears the account.
   * While one delayed try of an address waits, its others are refused: trying in parallel gains nothing.
   * @throws AppError rate_limited
   */
  async run<T>(account: string, address: string, attempt: () => Promise<T | null>): Promise<T | null> {
    const begun = await this.failures.begin(account, address)
    if ("refused" in begun)
      throw new AppError("rate_limited", {
        retryAfter: Math.ceil(begun.delay / 1000),
        message: "too many wrong passwords",
      })
    if ("waits" in begun) {
      await this.sleep(begun.waits)
      await this.failures.waited(account, address)
    }
    const result = await attempt()
    if (result !== null) await this.failures.clear(account, address)
    return result
  }
}

export class LocalSignInFailures implements SignInFailures {
  private readonly failures = new Lru<string, { count: number; lastAt: number }>({ entries: MAX_ENTRIES })
  private readonly waiting = new Set<string>()

  constructor(private readonly now: () => number = Date.now) {}

  begin(account: string, address: string): Try {
    const delay = Math.max(...keysOf(account, address).map(key => delayAfter(this.countOf(key))))
    if (delay === 0) {
      this.count(account, address)
      return { counted: true }
    }
    if (this.waiting.has(address)) return { refused: true, delay }
    this.waiting.add(address)
    return { waits: delay }
  }

  waited(account: string, address: string): void {
    this.waiting.delete(address)
    this.count(account, address)
  }

  clear(account: string, address: string): void {
    for (const key of keysOf(account, address)) this.failures.delete(key)
  }

  private count(account: string, address: string): void {
    for (const key of keysOf(account, address))
      this.failures.set(key, { count: this.countOf(key) + 1, lastAt: this.now() })
  }

  private countOf(key: string): number {
    const entry = this.failures.get(key)
    return entry && this.now() - entry.lastAt <= FORGET_MS ? entry.count : 0
  }
}

/** Of an account and an address; in an order that all who note them share. */
export const keysOf = (account: string, address: string): [string, string] => [
  `account ${account}`,
  `address ${address}`,
]
