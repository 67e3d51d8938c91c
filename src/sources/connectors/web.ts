/** Pages of a web site, and the documents that they lead to, of the site itself alone. */
import { AppError } from "../../errors.ts"
import { describePage, readingFor } from "../../library/web/fetched-page.ts"
import { type Connector, Emptied, type Entry, type EntryContent, type Opened, type SourceKind } from "../connector.ts"
import { checkGlobs } from "../globs.ts"
import { Crawl, typeOf, type WebConfig } from "./web/crawl.ts"
import { KnownPages } from "./web/known-pages.ts"

const MAX_PAGES = 10_000
const DEFAULT_PAGES = 1_000
const MAX_GLOBS = 100
const READING = { timeoutMs: 300_000, silenceMs: 20_000, maxBytes: 50 * 1024 * 1024 }

export const webSource: SourceKind<WebConfig, null> = {
  config(given) {
    const url = new URL(given.webAddress("url"))
    url.hash = ""
    const limit = given.integer("limit", 1, MAX_PAGES, DEFAULT_PAGES)
    const [include_paths, exclude_paths] = (["include_paths", "exclude_paths"] as const).map(field =>
      checkGlobs(`config.${field}`, given.texts(field, MAX_GLOBS)),
    )
    given.end()
    return { url: url.href, limit, include_paths: include_paths!, exclude_paths: exclude_paths! }
  },
  async admit({ url }, { egress }) {
    const { protocol, hostname, port } = new URL(url)
    await egress.check(hostname, Number(port || (protocol === "https:" ? 443 : 80)))
  },
  open: given => new WebConnector(given),
}

class WebConnector implements Connector {
  readonly parallel = 2
  private known: Promise<KnownPages> | undefined

  constructor(private readonly given: Opened<WebConfig, null>) {}

  async *list(signal: AbortSignal): AsyncGenerator<Entry> {
    const known = await this.knownPages()
    const { config, parts } = this.given
    const crawl = new Crawl(config, parts.egress, known, signal)
    yield* crawl.entries()
    if (crawl.found === 0) throw new Emptied("the site has no page that may be read")
    await known.replace(crawl.pages)
  }

  async read({ key }: Entry, signal: AbortSignal): Promise<EntryContent | undefined> {
    const known = await this.knownPages()
    const page = known.pages.get(key)
    const body = page && (await known.takeBody(key))
    if (page && body) {
      const reading = readingFor({ type: typeOf(page.name), charset: page.charset ?? undefined }, true)
      return { name: page.name, bytes: once(body), reading, url: key }
    }
    const response = await this.given.parts.egress.fetch(key, { ...READING, signal })
    if (response.ok && response.body) {
      const { name, type, charset, bytes } = await describePage(response)
      return { name, bytes, reading: readingFor({ type, charset }, true), url: key }
    }
    await response.body?.cancel()
    // Where it leads to is an entry of its own.
    if (response.status === 404 || response.status === 410 || response.status < 400) return undefined
    throw new AppError("fetch_failed", { message: `the server answered with status ${response.status}` })
  }

  private knownPages(): Promise<KnownPages> {
    this.known ??= this.given.parts.directory().then(folder => KnownPages.open(folder))
    return this.known
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
