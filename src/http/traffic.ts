/** Requests per API key and minute of the last hour, for the console's plots; see `shared-traffic.ts` for several machines. */
export const MINUTES = 60
const MINUTE_MS = 60_000

export interface Traffic {
  /** One more request of the key, now. */
  count(keyId: string): void
  /** One count per minute for each key that had any in the last hour, oldest first. */
  lastHour(keyIds: readonly string[]): ReadonlyMap<string, number[]> | Promise<ReadonlyMap<string, number[]>>
}

interface Counts {
  /** Ring of minutes; `latest` is the number of the newest since the epoch. */
  ring: number[]
  latest: number
}

export class LocalTraffic implements Traffic {
  private readonly keys = new Map<string, Counts>()

  constructor(private readonly now: () => number = Date.now) {}

  count(keyId: string): void {
    const counts = this.keys.get(keyId) ?? { ring: new Array<number>(MINUTES).fill(0), latest: 0 }
    this.keys.set(keyId, counts)
    advance(counts, Math.floor(this.now() / MINUTE_MS))
    counts.ring[counts.latest % MINUTES]!++
  }

  lastHour(keyIds: readonly string[]): Map<string, number[]> {
    const hours = new Map<string, number[]>()
    for (const keyId of keyIds) {
      const minutes = this.minutesOf(keyId)
      if (minutes) hours.set(keyId, minutes)
    }
    return hours
  }

  private minutesOf(keyId: string): number[] | undefined {
    const counts = this.keys.get(keyId)
    if (!counts) return undefined
    advance(counts, Math.floor(this.now() / MINUTE_MS))
    const minutes = Array.from({ length: MINUTES }, (_, i) => counts.ring[(counts.latest + 1 + i) % MINUTES]!)
    if (minutes.some(count => count > 0)) return minutes
    this.keys.delete(keyId)
    return undefined
  }
}

/** Clears the minutes that have passed since the last request. */
function advance(counts: Counts, minute: number): void {
  for (let passed = Math.max(counts.latest + 1, minute - MINUTES + 1); passed <= minute; passed++)
    counts.ring[passed % MINUTES] = 0
  counts.latest = Math.max(counts.latest, minute)
}
