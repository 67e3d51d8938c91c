/** Addresses of a site: their common spelling, and those that nobody would read. */

/** A source key has at most 2 000 bytes. */
const MAX_LENGTH = 1_000
const MAX_SEGMENTS = 16
/** The same folder in itself again and again is a link that is meant relative to elsewhere. */
const MAX_REPEATED = 2
/** Addresses that differ in their query alone: pages of a list, not the states of a form. */
const MAX_QUERIES = 50
/** Addresses that differ in their numbers alone, at least; a calendar has no last month. */
const MAX_NUMBERED = 100
const MAX_PARAMETERS = 6
/** Of sessions and campaigns: the page is the same without. */
const IDLE_PARAMETER =
  /^(?:utm_\w+|fbclid|gclid|msclkid|mc_[ce]id|phpsessid|jsessionid|aspsessionid\w*|cfid|cftoken|sid|session_?id|sess|_ga)$/i
const SESSION_IN_PATH = /;(?:jsessionid|sid|phpsessid)=[^/?#]*/gi

/** Without the place in the page, sessions and campaigns, its parameters in order. Undefined for another origin. */
export function siteAddress(link: string, base: string, origin: string): string | undefined {
  if (link.length > MAX_LENGTH || !URL.canParse(link, base)) return undefined
  const url = new URL(link, base)
  if (url.origin !== origin || url.username !== "" || url.password !== "") return undefined
  url.hash = ""
  url.pathname = url.pathname.replace(SESSION_IN_PATH, "").replace(/\/{2,}/g, "/")
  for (const name of [...url.searchParams.keys()]) if (IDLE_PARAMETER.test(name)) url.searchParams.delete(name)
  url.searchParams.sort()
  return url.href.length <= MAX_LENGTH ? url.href : undefined
}

/** Tells addresses of traps, by what has come before: a calendar, the states of a form, folders in themselves. */
export class Traps {
  private readonly queries = new Map<string, number>()
  private readonly numbered = new Map<string, number>()
  private readonly maxNumbered: number

  /** @param limit pages of the whole site */
  constructor(
    limit: number,
    private readonly year = new Date().getFullYear(),
  ) {
    this.maxNumbered = Math.max(MAX_NUMBERED, limit / 2)
  }

  /** To be asked once for each address. */
  holds(address: string): boolean {
    const url = new URL(address)
    const segments = url.pathname.split("/").filter(Boolean)
    if (segments.length > MAX_SEGMENTS || url.searchParams.size > MAX_PARAMETERS) return true
    for (const segment of new Set(segments))
      if (segments.filter(each => each === segment).length > MAX_REPEATED) return true
    if (this.isFarOff(url)) return true
    if (url.search !== "" && raised(this.queries, url.pathname) > MAX_QUERIES) return true
    const pattern = (url.pathname + url.search).replace(/\d+/g, "#")
    return pattern.includes("#") && raised(this.numbered, pattern) > this.maxNumbered
  }

  /** A day that a calendar shows though nothing happens then: `/2051/03`, `?month=2051-03`. */
  private isFarOff({ pathname, search }: URL): boolean {
    const years = [...(pathname + search).matchAll(/(?:^|[/=_-])((?:19|20|21)\d\d)[/_-](?:0?[1-9]|1[0-2])(?!\d)/g)]
    return years.some(([, year]) => Number(year) > this.year + 1 || Number(year) < 1980)
  }
}

function raised(counts: Map<string, number>, key: string): number {
  const count = (counts.get(key) ?? 0) + 1
  counts.set(key, count)
  return count
}
