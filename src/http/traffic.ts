/** Requests per API key and minute of the last hour, in memory: for the console's plots. */
const MINUTES = 60
const MINUTE_MS = 60_000

interface Counts {
  /** Ring of minutes; `latest` is the number of the newest since the epoch. */
  ring: number[]
  latest: number
}

export class Traffic {
  private readonly keys = new Map<string, Counts>()

  count(keyId: string, now = Date.now()): void {
    const counts = this.keys.get(keyId) ?? { ring: new Array<number>(MINUTES).fill(0), latest: 0 }
    this.keys.set(keyId, counts)
    advance(counts, Math.floor(now / MINUTE_MS))
    counts.ring[counts.latest % MINUTES]!++
  }

  /** One count per minute, oldest first; null when there was none in the last hour. */
  lastHour(keyId: string, now = Date.now()): number[] | null {
    const counts = this.keys.get(keyId)
    if (!counts) return null
    advance(counts, Math.floor(now / MINUTE_MS))
    const minutes = Array.from({ length: MINUTES }, (_, i) => counts.ring[(counts.latest + 1 + i) % MINUTES]!)
    if (minutes.some(count => count > 0)) return minutes
    this.keys.delete(keyId)
    return null
  }
}

/** Clears the minutes that have passed since the last request. */
function advance(counts: Counts, minute: number): void {
  for (let passed = Math.max(counts.latest + 1, minute - MINUTES + 1); passed <= minute; passed++)
    counts.ring[passed % MINUTES] = 0
  counts.latest = Math.max(counts.latest, minute)
}
