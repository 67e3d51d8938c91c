/**
 * One walk over a site, from its first page and its sitemaps, nearest pages first: a few requests at a time, or one with the
 * pause that robots.txt asks for. It ends: by the limit of pages, and by what `Traps` holds. Pages that look alike under several
 * addresses are taken once.
 */
import { createHash } from "node:crypto"
import type { Egress } from "../../../egress/egress.ts"
import { AppError } from "../../../errors.ts"
import { findExtension } from "../../../ingest/formats/formats.ts"
import { describePage, type FetchedPage } from "../../../library/web/fetched-page.ts"
import { pause } from "../../../threads/or-abort.ts"
import { type Entry, Outage } from "../../connector.ts"
import { matcherOf } from "../../globs.ts"
import { siteAddress, Traps } from "./addresses.ts"
import type { KnownPage, KnownPages } from "./known-pages.ts"
import { linksOf, told } from "./page-links.ts"
import { rulesOf, type SiteRules, sitemapPages } from "./rules.ts"

const PARALLEL = 3
const PAGE = { timeoutMs: 30_000, silenceMs: 20_000, maxBytes: 50 * 1024 * 1024 }
/** Of a page; what is behind it is neither looked at nor kept. */
const MAX_PAGE_BYTES = 10 * 1024 * 1024
/** Links from the first page. */
const MAX_DEPTH = 20
/** Requests for each page that is found, and those that a small site may take. */
const REQUESTS_PER_PAGE = 3
const MIN_REQUESTS = 200
const RETRY_MS = 1_000
const MAX_RETRY_MS = 30_000
/** So many one after the other are no accident. */
const MAX_FAILURES = 10
/** Linked from pages, but nothing to read. */
const UNREAD =
  /\.(?:avif|bmp|bz2|css|exe|gif|gz|ico|iso|jpe?g|js|m4a|m4v|map|mov|mp3|mp4|ogg|png|rar|svg|tar|tiff?|ttf|wav|webm|webp|woff2?|xz|7z|zip|dmg|apk|msi|rss|atom)$/i

export interface WebConfig {
  /** Where the site is entered. */
  url: string
  /** Pages at most. */
  limit: number
  /** Globs over paths; all where the first list is empty. */
  include_paths: string[]
  exclude_paths: string[]
}

/** What became of a request. */
type Visit =
  | { kind: "page"; page: KnownPage; body?: Uint8Array }
  | { kind: "moved"; to: string }
  | { kind: "gone" }
  | { kind: "unread" }
  | { kind: "failed"; status: number | undefined }

export class Crawl {
  /** All that were read, for the next walk. */
  readonly pages = new Map<string, KnownPage>()
  /** Entries so far. */
  found = 0
  private readonly start: string
  private readonly origin: string
  private readonly met = new Set<string>()
  private readonly looks = new Set<string>()
  private readonly waiting: { url: string; depth: number }[] = []
  private readonly traps: Traps
  private readonly isMeant: (path: string) => boolean
  private readonly isLeftOut: (path: string) => boolean
  private failures = 0
  private requests = 0

  constructor(
    private readonly config: WebConfig,
    private readonly egress: Pick<Egress, "fetch">,
    private readonly known: KnownPages,
    private readonly signal: AbortSignal,
  ) {
    this.origin = new URL(config.url).origin
    this.start = siteAddress(config.url, config.url, this.origin) ?? config.url
    this.traps = new Traps(config.limit)
    this.isMeant = matcherOf(config.include_paths, config.exclude_paths)
    const leftOut = config.exclude_paths.length > 0 ? matcherOf(config.exclude_paths, []) : () => false
    this.isLeftOut = leftOut
  }

  /** @throws Outage where the site cannot be walked */
  async *entries(): AsyncGenerator<Entry> {
    const rules = await rulesOf(this.egress, this.origin, this.signal)
    if (!rules.allows(this.start)) throw new Outage("robots.txt of the site does not allow its first page to be read")
    this.meet(this.start, 0, rules)
    for await (const link of sitemapPages(this.egress, rules.sitemaps, this.origin, this.signal)) {
      const url = siteAddress(link, this.origin, this.origin)
      if (url !== undefined) this.meet(url, 1, rules)
      if (this.waiting.length >= this.config.limit) break
    }
    const maxRequests = MIN_REQUESTS + this.config.limit * REQUESTS_PER_PAGE
    while (this.waiting.length > 0 && this.found < this.config.limit && this.requests < maxRequests) {
      const group = this.waiting.splice(0, rules.delayMs > 0 ? 1 : PARALLEL)
      this.requests += group.length
      const visits = await Promise.all(group.map(({ url }) => this.visit(url)))
      for (const [at, visit] of visits.entries()) {
        const entry = await this.settle(group[at]!, visit, rules)
        if (!entry || this.found >= this.config.limit) continue
        this.found++
        yield entry
      }
      if (rules.delayMs > 0) await pause(rules.delayMs, this.signal)
    }
  }

  private meet(url: string, depth: number, rules: SiteRules): void {
    if (this.met.has(url) || depth > MAX_DEPTH) return
    this.met.add(url)
    const path = pathOf(url)
    const isWanted = url === this.start || (!this.isLeftOut(path) && !UNREAD.test(path) && rules.allows(url))
    if (isWanted && !this.traps.holds(url)) this.waiting.push({ url, depth })
  }

  private async settle({ url, depth }: { url: string; depth: number }, visit: Visit, rules: SiteRules) {
    if (visit.kind === "failed") return this.settleFailure(url, depth, visit.status, rules)
    this.failures = 0
    if (visit.kind === "moved") this.follow(url, depth, visit.to, rules)
    if (visit.kind === "gone" && url === this.start) throw new Outage("the first page of the site is not there")
    if (visit.kind !== "page") return undefined
    const { page, body } = visit
    // A trap shows the same page under ever new addresses.
    if (this.looks.has(page.fingerprint)) return undefined
    this.looks.add(page.fingerprint)
    this.pages.set(url, page)
    for (const link of page.links) this.meet(link, depth + 1, rules)
    if (page.canonical !== null && page.canonical !== url) {
      this.meet(page.canonical, depth, rules)
      return undefined
    }
    if (page.noindex || !this.isMeant(pathOf(url))) return undefined
    if (body) await this.known.keepBody(url, body)
    return entryOf(url, page)
  }

  /** A page that was there before stays; a new one is told as an entry whose reading fails. */
  private settleFailure(url: string, depth: number, status: number | undefined, rules: SiteRules): Entry | undefined {
    if (url === this.start || ++this.failures >= MAX_FAILURES)
      throw new Outage(`the site cannot be read${status ? `: the server answered with status ${status}` : ""}`)
    const page = this.known.pages.get(url)
    if (!page) return this.isMeant(pathOf(url)) ? { key: url, fingerprint: `failed ${Date.now()}`, url } : undefined
    this.pages.set(url, page)
    for (const link of page.links) this.meet(link, depth + 1, rules)
    const isEntry = !page.noindex && (page.canonical ?? url) === url && this.isMeant(pathOf(url))
    return isEntry ? entryOf(url, page) : undefined
  }

  private follow(url: string, depth: number, location: string, rules: SiteRules): void {
    const to = siteAddress(location, url, this.origin)
    if (to !== undefined) this.meet(to, depth, rules)
    else if (url === this.start && URL.canParse(location, url))
      throw new Outage(`the site redirects to ${new URL(location, url).origin}: the source must name that`)
  }

  private async visit(url: string): Promise<Visit> {
    const first = await this.ask(url)
    if (first.kind !== "failed") return first
    await pause(Math.min(first.waitMs ?? RETRY_MS, MAX_RETRY_MS), this.signal)
    return this.ask(url)
  }

  private async ask(url: string): Promise<Visit & { waitMs?: number }> {
    const known = this.known.pages.get(url)
    try {
      const response = await this.egress.fetch(url, {
        headers: {
          ...(known?.etag ? { "if-none-match": known.etag } : {}),
          ...(known?.lastModified ? { "if-modified-since": known.lastModified } : {}),
        },
        ...PAGE,
        signal: this.signal,
      })
      if (response.status === 304 && known) return { kind: "page", page: known }
      if (response.ok && response.body) return await this.read(url, response)
      await response.body?.cancel()
      const { status, headers } = response
      const location = headers.get("location")
      if (status < 400) return location === null ? { kind: "gone" } : { kind: "moved", to: location }
      if (status < 500 && status !== 408 && status !== 429) return { kind: "gone" }
      const seconds = Number(headers.get("retry-after"))
      return { kind: "failed", status, ...(seconds > 0 ? { waitMs: seconds * 1_000 } : {}) }
    } catch (error) {
      this.signal.throwIfAborted()
      if (!(error instanceof AppError)) throw error
      if (error.code === "unsupported_file_type" || error.code === "file_too_large") return { kind: "unread" }
      if (error.code === "forbidden") throw new Outage(error.message)
      return { kind: "failed", status: undefined }
    }
  }

  private async read(url: string, response: Response): Promise<Visit> {
    const fetched = await describePage(response)
    if (fetched.type !== "html") return { kind: "page", page: await documentOf(url, fetched) }
    const { bytes, isWhole } = await beginningOf(fetched.bytes)
    const links = await linksOf(bytes, url, fetched.charset, this.signal)
    told(response.headers.get("x-robots-tag") ?? "", links)
    const here = (link: string) => siteAddress(link, links.base, this.origin)
    const page: KnownPage = {
      ...{ etag: fetched.etag, lastModified: fetched.lastModified, name: fetched.name },
      fingerprint: links.hash,
      charset: fetched.charset ?? null,
      links: links.nofollow ? [] : [...new Set(links.links.flatMap(link => here(link) ?? []))],
      canonical: links.canonical === undefined ? null : (here(links.canonical) ?? null),
      noindex: links.noindex,
    }
    const isSame = this.known.pages.get(url)?.fingerprint === page.fingerprint
    return { kind: "page", page, ...(isWhole && !isSame ? { body: bytes } : {}) }
  }
}

const pathOf = (url: string): string => decoded(new URL(url).pathname.slice(1))

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** Extension of a name that has one. */
export const typeOf = (name: string): string => findExtension(name) ?? ""

function entryOf(url: string, { fingerprint, name, lastModified }: KnownPage): Entry {
  const changed = lastModified === null ? Number.NaN : Date.parse(lastModified)
  return {
    ...{ key: url, fingerprint, name, url },
    ...(Number.isNaN(changed) ? {} : { updatedAt: new Date(changed).toISOString() }),
  }
}

/** What its server says of it will do; else its bytes are read. */
async function documentOf(url: string, { bytes, etag, lastModified, name, charset }: FetchedPage): Promise<KnownPage> {
  const hash = createHash("sha256")
  if (etag === null && lastModified === null) for await (const part of bytes) hash.update(part)
  else for await (const _ of bytes) break // which closes the connection
  const validators = etag ?? lastModified
  const fingerprint = validators === null ? hash.digest("hex").slice(0, 32) : `${url} ${validators}`
  return { etag, lastModified, name, fingerprint, charset: charset ?? null, links: [], canonical: null, noindex: false }
}

async function beginningOf(bytes: AsyncIterable<Uint8Array>): Promise<{ bytes: Buffer; isWhole: boolean }> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of bytes) {
    parts.push(part)
    length += part.length
    if (length > MAX_PAGE_BYTES) return { bytes: Buffer.concat(parts), isWhole: false }
  }
  return { bytes: Buffer.concat(parts), isWhole: true }
}
