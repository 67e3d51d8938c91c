/** What the operator of a site tells crawlers: where they may go, how fast, and which pages there are. */
import { promisify } from "node:util"
import { gunzip } from "node:zlib"
import { Parser } from "htmlparser2"
import robotsParser from "robots-parser"
import type { Egress } from "../../../egress/egress.ts"
import { Turns } from "../../../threads/turns.ts"
import { Outage } from "../../connector.ts"

const AGENT = "Carrel"
/** RFC 9309: as much is read of it at least. */
const MAX_ROBOTS_BYTES = 512 * 1024
const MAX_SITEMAP_BYTES = 10 * 1024 * 1024
const MAX_SITEMAPS = 20
/** A site that wants more time between two requests gets this much. */
const MAX_DELAY_S = 10
/**
 * For one address, which then is not allowed: what stands behind a `*` is looked for at every place of it, 10 ms for so many,
 * and links come by the thousand.
 */
const MAX_STEPS = 4_000_000
/** Characters that are parsed at a time. */
const STEP = 32_768
const TURN_MS = 10

export interface SiteRules {
  allows(url: string): boolean
  /** Between two requests; 0 where nothing is said. */
  delayMs: number
  sitemaps: string[]
}

/** @throws Outage where robots.txt cannot be read: then nothing is allowed (RFC 9309, 2.3.1.4) */
export async function rulesOf(egress: Pick<Egress, "fetch">, origin: string, signal: AbortSignal): Promise<SiteRules> {
  const url = `${origin}/robots.txt`
  const response = await egress.fetch(url, { redirects: 5, maxBytes: MAX_ROBOTS_BYTES * 4, signal }).catch(cause => {
    signal.throwIfAborted()
    throw new Outage("robots.txt of the site cannot be read", { cause })
  })
  if (response.status >= 500 || response.status === 429) {
    await response.body?.cancel()
    throw new Outage(`robots.txt of the site cannot be read: the server answered with status ${response.status}`)
  }
  const text = response.ok ? (await response.text()).slice(0, MAX_ROBOTS_BYTES) : ""
  if (!response.ok) await response.body?.cancel()
  const robots = robotsParser(url, text)
  const wild = text.match(/\*.*/g)?.reduce((sum, { length }) => sum + length, 0) ?? 0
  return {
    allows: address => address.length * wild <= MAX_STEPS && robots.isAllowed(address, AGENT) !== false,
    delayMs: Math.min(MAX_DELAY_S, Math.max(0, Number(robots.getCrawlDelay(AGENT) ?? 0) || 0)) * 1_000,
    sitemaps: robots.getSitemaps(),
  }
}

/** Pages that sitemaps name, as they are written; one that cannot be read is none. */
export async function* sitemapPages(
  egress: Pick<Egress, "fetch">,
  sitemaps: readonly string[],
  origin: string,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const waiting = [...new Set([...sitemaps, `${origin}/sitemap.xml`])]
  const seen = new Set<string>()
  for (let url = waiting.shift(); url !== undefined && seen.size < MAX_SITEMAPS; url = waiting.shift()) {
    if (seen.has(url) || !URL.canParse(url) || new URL(url).origin !== origin) continue
    seen.add(url)
    const { isIndex, places } = await locationsOf(await xmlOf(egress, url, signal), signal)
    if (isIndex) waiting.push(...places.slice(0, MAX_SITEMAPS))
    else yield* places
  }
}

async function xmlOf(egress: Pick<Egress, "fetch">, url: string, signal: AbortSignal): Promise<string> {
  try {
    const response = await egress.fetch(url, { maxBytes: MAX_SITEMAP_BYTES, signal })
    if (!response.ok) {
      await response.body?.cancel()
      return ""
    }
    const bytes = Buffer.from(await response.arrayBuffer())
    const isZipped = bytes[0] === 0x1f && bytes[1] === 0x8b
    const plain = isZipped ? await promisify(gunzip)(bytes, { maxOutputLength: MAX_SITEMAP_BYTES }) : bytes
    return plain.toString()
  } catch {
    signal.throwIfAborted()
    return ""
  }
}

async function locationsOf(xml: string, signal: AbortSignal): Promise<{ isIndex: boolean; places: string[] }> {
  const turns = new Turns(TURN_MS, signal)
  const places: string[] = []
  let isIndex = false
  let place: string | undefined
  const parser = new Parser(
    {
      onopentag(name) {
        if (name === "sitemapindex") isIndex = true
        if (name === "loc") place = ""
      },
      ontext(text) {
        if (place !== undefined && place.length < 2_048) place += text
      },
      onclosetag(name) {
        if (name !== "loc" || place === undefined) return
        places.push(place.trim())
        place = undefined
      },
    },
    { xmlMode: true },
  )
  for (let at = 0; at < xml.length; at += STEP) {
    parser.write(xml.slice(at, at + STEP))
    await turns.next()
  }
  parser.end()
  return { isIndex, places }
}
