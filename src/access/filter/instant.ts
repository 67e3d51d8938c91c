/** Date, time and offset; the date alone is midnight, and without an offset it is UTC. */
const ISO_TIME = /^(\d{4}-\d\d-\d\d)(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/i

/** Times sort as their texts do up to here; a later one, which an offset can make, is taken for it. */
const LAST = "9999-12-31T23:59:59.999Z"

/** A time as records have it, ISO-8601 in UTC with milliseconds; undefined for a text that is no time. */
export function instantOf(text: string): string | undefined {
  const [, day = "", offset] = ISO_TIME.exec(text) ?? []
  const time = new Date(text.length > day.length && !offset ? `${text}Z` : text)
  // 30 February would become 2 March.
  const midnight = new Date(day)
  const exists = !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day)
  if (!exists || Number.isNaN(time.getTime())) return undefined
  const instant = time.toISOString()
  return instant.startsWith("+") ? LAST : instant
}
