/** Waiting for what is to come about, in place of a pause that is long enough on some machines. */

/** Far longer than anything takes on a slow and busy machine: only what never comes about is waited for so long. */
const WITHIN_MS = 60_000

interface Patience {
  /** Milliseconds; given only where the limit itself is a promise, or where more than the default may be needed. */
  within?: number
  /** Pause between two looks, for looks that cost something. */
  everyMs?: number
}

/** What `look` returns as soon as it is truthy. @throws naming the condition, when it has not come about `within` the time */
export async function until<T>(
  look: () => T | Promise<T>,
  { within = WITHIN_MS, everyMs = 20 }: Patience = {},
): Promise<Exclude<NonNullable<T>, false>> {
  for (const end = performance.now() + within; ; await Bun.sleep(everyMs)) {
    const found = await look()
    if (found) return found as Exclude<NonNullable<T>, false>
    if (performance.now() > end) throw new Error(`within ${within} ms it did not come about that ${look}`)
  }
}
