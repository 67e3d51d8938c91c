import { Lru } from "../threads/lru.ts"

/** Notes when a credential was last used, at most once a minute each: a write per request would cost a sync each. */
const INTERVAL_MS = 60_000
/** Far more credentials than are used in a minute; a forgotten one is noted again. */
const MAX_NOTED = 10_000

export class LastUsed {
  private readonly notedAt = new Lru<string, number>({ entries: MAX_NOTED })

  constructor(private readonly write: (id: string, at: string) => Promise<unknown>) {}

  /** Does not wait for the disk. What it refuses is tried again with the next request: the credential is valid all the same. */
  note(id: string): void {
    const now = performance.now() // the clock may be set back
    if (now - (this.notedAt.get(id) ?? Number.NEGATIVE_INFINITY) < INTERVAL_MS) return
    this.notedAt.set(id, now)
    this.write(id, new Date().toISOString()).catch(() => this.forget(id))
  }

  forget(id: string): void {
    this.notedAt.delete(id)
  }
}
