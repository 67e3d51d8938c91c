/** What a former sync learned of a site, so that pages that have not changed are neither sent nor taken apart again. */
import { createHash } from "node:crypto"
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"

export interface KnownPage {
  etag: string | null
  lastModified: string | null
  fingerprint: string
  /** With its extension. */
  name: string
  charset: string | null
  /** Absolute, of this site. */
  links: string[]
  canonical: string | null
  noindex: boolean
}

const FILE = "pages.json"
const BODIES = "bodies"
/** Links of all pages together; of those beyond it none are kept, and they are fetched whole. */
const MAX_KEPT = 64 * 1024 * 1024

/** All of it may be lost at any time. */
export class KnownPages {
  private constructor(
    private readonly folder: string,
    /** By address. */
    public pages: ReadonlyMap<string, KnownPage>,
  ) {}

  static async open(folder: string): Promise<KnownPages> {
    await mkdir(join(folder, BODIES), { recursive: true, mode: 0o700 })
    const text = await readFile(join(folder, FILE), "utf8").catch(() => "")
    return new KnownPages(folder, pagesOf(text))
  }

  /** Bytes of a page that was fetched to be listed, until it is read. */
  async keepBody(url: string, bytes: Uint8Array): Promise<void> {
    await writeFile(this.bodyPath(url), bytes, { mode: 0o600 }).catch(() => {}) // without it, it is fetched again
  }

  /** They are gone then. */
  async takeBody(url: string): Promise<Buffer | undefined> {
    const path = this.bodyPath(url)
    const bytes = await readFile(path).catch(() => undefined)
    if (bytes) await rm(path, { force: true })
    return bytes
  }

  /** In the place of all that was known. */
  async replace(pages: ReadonlyMap<string, KnownPage>): Promise<void> {
    let kept = 0
    const entries = [...pages].filter(([url, { links }]) => {
      kept += url.length + links.reduce((sum, link) => sum + link.length, 0)
      return kept <= MAX_KEPT
    })
    this.pages = pages
    const path = join(this.folder, FILE)
    await writeFile(`${path}.new`, JSON.stringify(entries), { mode: 0o600 })
    await rename(`${path}.new`, path)
    const wanted = new Set([...pages.keys()].map(bodyName))
    for (const name of await readdir(join(this.folder, BODIES)))
      if (!wanted.has(name)) await rm(join(this.folder, BODIES, name), { force: true })
  }

  private bodyPath(url: string): string {
    return join(this.folder, BODIES, bodyName(url))
  }
}

const bodyName = (url: string): string => createHash("sha256").update(url).digest("hex")

function pagesOf(text: string): Map<string, KnownPage> {
  try {
    return new Map(JSON.parse(text) as [string, KnownPage][])
  } catch {
    return new Map()
  }
}
