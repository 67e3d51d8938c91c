/**
 * Credentials that were found valid a moment ago: reading and hashing them again for each request costs as much as the
 * rest of a small one. Nothing is believed after a commit to the database, by whomever, or past a time at which a key may
 * end: then all is verified anew. Wrong credentials are never remembered.
 *
 * The credentials are not kept, only their hash under a key that lives as long as the process: how long the look-up takes
 * tells nothing of what others sent.
 */
import { Lru } from "../threads/lru.ts"
import type { Credentials, Principal } from "./principal.ts"

/** Far more clients than one daemon serves; a forgotten one is verified again. */
const MAX_REMEMBERED = 10_000

interface Entry {
  principal: Principal
  /** State of the database in which they were verified. */
  mark: number
  /** ISO-8601; the first of the times at which they may end. */
  until: string | undefined
}

export class VerifiedCredentials {
  private readonly entries = new Lru<string, Entry>({ entries: MAX_REMEMBERED })
  private readonly hashKey = crypto.getRandomValues(new Uint8Array(32))

  /** `currentMark` gives another number after every commit; none where nobody tells, and then nothing is remembered. */
  constructor(private readonly currentMark: () => number | undefined) {}

  find(credentials: Credentials): Principal | undefined {
    if (this.entries.size === 0) return undefined
    const entry = this.entries.get(this.hashOf(credentials))
    if (!entry || entry.mark !== this.currentMark()) return undefined
    if (entry.until !== undefined && entry.until <= new Date().toISOString()) return undefined
    return entry.principal
  }

  /** `mark` was taken before the database was read. */
  remember(credentials: Credentials, principal: Principal, mark: number | undefined, ends: readonly string[]): void {
    if (mark === undefined) return
    this.entries.set(this.hashOf(credentials), { principal, mark, until: [...ends].sort()[0] })
  }

  /** Header values hold no zero byte. */
  private hashOf({ clientId, privateKey, secret }: Credentials): string {
    return new Bun.CryptoHasher("sha256", this.hashKey).update(`${clientId}\0${privateKey}\0${secret}`).digest("base64")
  }
}
