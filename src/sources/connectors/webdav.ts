/** Folders of a WebDAV server: Nextcloud, ownCloud, Apache and their like. */
import { AppError } from "../../errors.ts"
import { Turns } from "../../threads/turns.ts"
import {
  type Connector,
  Emptied,
  type Entry,
  type EntryContent,
  type Opened,
  Outage,
  type SourceKind,
} from "../connector.ts"
import { isJunk } from "./junk.ts"
import { DavClient, type DavCredentials, type DavRequest } from "./webdav/client.ts"
import { keyOf, pathOf } from "./webdav/keys.ts"
import { type DavResource, PROPERTIES, readMultistatus } from "./webdav/multistatus.ts"

export interface WebdavConfig {
  /** Of the folder, with a slash at its end. */
  url: string
  /** Also what `isJunk` leaves out. */
  hidden?: true
}

interface Listing {
  /** By key. */
  resources: Map<string, DavResource>
  /** Milliseconds since 1970, by the server's clock. */
  now: number
}

/** Longest time that a large folder keeps the thread to itself. */
const TURN_MS = 10
/** Folders that are listed at the same time. */
const LISTED_AT_ONCE = 4
/** Deeper folders are taken for a link that leads back. */
const MAX_DEPTH = 64
/** Entries of one folder, of which each takes a few hundred bytes of memory until the folder is read. */
const MAX_ENTRIES = 500_000
const LISTING = { timeoutMs: 15 * 60_000, silenceMs: 2 * 60_000, maxBytes: 512 * 2 ** 20 }
/** As large as the engine takes: it stops reading where a file is too large. */
const READING = { timeoutMs: 6 * 3_600_000, silenceMs: 60_000, maxBytes: Number.MAX_SAFE_INTEGER }
/** A file changed so shortly before it was listed may change again within the same second. */
const UNSETTLED_MS = 2_000

/** A folder that the server does not list, whoever asks how often. */
class Unlistable extends Outage {}

export const webdavSource: SourceKind<WebdavConfig, DavCredentials> = {
  config(given) {
    const url = new URL(given.webAddress("url"))
    if (url.search !== "" || url.hash !== "") given.refuse("url", "must be the address of a folder, without ? and #")
    const hidden = given.oneOf("hidden", [true, false], false)
    given.end()
    if (!url.pathname.endsWith("/")) url.pathname += "/"
    return { url: url.href, ...(hidden ? { hidden } : {}) }
  },
  credentials(given) {
    const credentials = { username: given.text("username"), password: given.text("password") }
    if (credentials.username.includes(":")) given.refuse("username", "must not contain a colon")
    given.end()
    return credentials
  },
  place: ({ url }) => new URL(url).origin,
  async admit({ url }, { egress }) {
    const { protocol, hostname, port } = new URL(url)
    await egress.check(hostname, Number(port || (protocol === "https:" ? 443 : 80)))
  },
  open: given => new WebdavConnector(given),
}

class WebdavConnector implements Connector {
  private readonly client: DavClient
  private readonly base: URL
  /** How the server's paths of this folder begin, as `keyOf` has it. */
  private readonly root: string

  constructor(private readonly given: Opened<WebdavConfig, DavCredentials>) {
    this.client = new DavClient(given.parts.egress, given.credentials)
    this.base = new URL(given.config.url)
    this.root = keyOf(this.base.pathname)
  }

  /** Folder by folder: `Depth: infinity` is refused by many servers, and brings others down. */
  async *list(signal: AbortSignal): AsyncGenerator<Entry> {
    const stop = new AbortController()
    const either = AbortSignal.any([signal, stop.signal])
    const turns = new Turns(TURN_MS, either)
    const waiting = [""]
    let isEmpty = true
    try {
      // The newest first: what is still to be listed stays few, and a circle is found soon.
      while (waiting.length > 0) {
        const folders = waiting.splice(-LISTED_AT_ONCE)
        const lists = await Promise.all(folders.map(folder => this.folder(folder, either)))
        for (const { resources, now } of lists)
          for (const [key, resource] of resources) {
            if (this.leavesOut(key, resource)) continue
            if (!resource.isFolder) {
              isEmpty = false
              yield this.entry(key, resource, now)
            } else if (!folders.includes(key)) waiting.push(key)
            await turns.next()
          }
      }
      // As where a disk, or a storage behind the server, is not there.
      if (isEmpty) throw new Emptied("there is not one file in the folder")
    } finally {
      stop.abort() // of those that were listed beside one that failed
    }
  }

  async read(entry: Entry, signal: AbortSignal): Promise<EntryContent | undefined> {
    const response = await this.ask(entry.key, { method: "GET", ...READING, signal }).catch(error => error as unknown)
    signal.throwIfAborted()
    if (response instanceof Response && response.ok) return { name: nameOf(entry.key), bytes: bodyOf(response) }
    const status = response instanceof Response ? response.status : undefined
    if (response instanceof Response) await response.body?.cancel()
    await this.assertThere(signal)
    if (status === 404 || status === 410) return undefined
    if (status === undefined) throw response
    throw new AppError(isLasting(status) ? "forbidden" : "fetch_failed", {
      message: `the server answered with ${status}`,
    })
  }

  /** What may concern the file alone is no reason to take it for gone, or to ask for all others. @throws Outage */
  private async assertThere(signal: AbortSignal): Promise<void> {
    await this.properties("", "0", signal)
  }

  private leavesOut(key: string, { isFolder }: DavResource): boolean {
    return !this.given.config.hidden && isJunk(nameOf(key), isFolder)
  }

  /** Whether nothing below a folder is meant. */
  private leavesOutAll(folder: string): boolean {
    return folder !== "" && this.given.leavesOut?.(`${folder}/`) === true
  }

  private async folder(folder: string, signal: AbortSignal): Promise<Listing> {
    if (folder.split("/").length > MAX_DEPTH)
      throw new Outage(`folders lie more than ${MAX_DEPTH} deep, as in a link that leads back: ${shown(folder)}`)
    try {
      return await this.properties(folder, "1", signal)
    } catch (error) {
      if (!(error instanceof Unlistable && this.leavesOutAll(folder))) throw error
      return { resources: new Map(), now: Date.now() }
    }
  }

  /**
   * The folder itself and, with depth 1, what lies in it, by key.
   * @throws Outage where the server did not tell all of it, or of another place
   */
  private async properties(folder: string, depth: "0" | "1", signal: AbortSignal): Promise<Listing> {
    const turns = new Turns(TURN_MS, signal)
    try {
      const headers = { depth, "content-type": "application/xml; charset=utf-8", accept: "application/xml, text/xml" }
      const request = { method: "PROPFIND", headers, body: PROPERTIES, ...LISTING, signal }
      const response = await this.ask(folder === "" ? "" : `${folder}/`, request)
      if (response.status !== 207) {
        await response.body?.cancel()
        const reason = refusal(response.status, folder)
        throw isLasting(response.status) ? new Unlistable(reason) : new Outage(reason)
      }
      const resources = new Map<string, DavResource>()
      for await (const found of readMultistatus(bodyOf(response))) {
        const key = this.keyIn(folder, found.href)
        if ("status" in found && this.leavesOutAll(key)) continue
        if ("status" in found) throw new Outage(`the server answered with ${found.status} for ${shown(key)}`)
        if (key === folder && !found.isFolder && resources.has(key))
          throw new Outage(`the server has no name to tell of something in ${shown(folder)}, as where it is no UTF-8`)
        resources.set(key, found)
        await turns.next()
        if (resources.size > MAX_ENTRIES) throw new Outage(`more than ${MAX_ENTRIES} entries lie in ${shown(folder)}`)
      }
      const own = resources.get(folder)
      if (own && !own.isFolder) throw new Outage(`${shown(folder)} is not a folder`)
      if (resources.size === 0) throw new Outage(`the server says nothing of ${shown(folder)}`)
      const now = Date.parse(response.headers.get("date") ?? "")
      return { resources, now: Number.isNaN(now) ? Date.now() : now }
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof Outage) throw error
      throw new Outage(`${shown(folder)} could not be listed: ${(error as Error).message}`, { cause: error })
    }
  }

  /** @throws Outage for what neither is the folder nor lies in it */
  private keyIn(folder: string, href: string): string {
    const path = keyOf(href.replace(/^https?:\/\/[^/]*/i, ""))
    const isBelow = this.root === "" || path === this.root || path.startsWith(`${this.root}/`)
    const key = isBelow ? path.slice(this.root.length).replace(/^\//, "") : undefined
    const parent = key?.slice(0, Math.max(0, key.lastIndexOf("/")))
    if (key === undefined || (key !== folder && parent !== folder) || /(?:^|\/)\.{1,2}$/.test(key))
      throw new Outage(
        `asked for ${shown(folder)}, the server told of ${clipped(path)}: set the url of the source to the address by which the server names its files`,
      )
    return key
  }

  private ask(key: string, request: DavRequest): Promise<Response> {
    return this.client.ask(new URL(this.addressOf(key)), {
      ...request,
      headers: { "accept-encoding": "identity", ...request.headers },
    })
  }

  private addressOf(key: string): string {
    return `${this.base.origin}${this.base.pathname}${pathOf(key)}`
  }

  private entry(key: string, resource: DavResource, now: number): Entry {
    const { size, modifiedAt } = resource
    return {
      key,
      name: nameOf(key),
      fingerprint: fingerprintOf(resource, now),
      url: this.addressOf(key),
      ...(size === undefined ? {} : { size }),
      ...(modifiedAt === undefined ? {} : { updatedAt: new Date(modifiedAt).toISOString() }),
    }
  }
}

/** The bytes are read again, and found to be the same, where a server gives nothing to go by. */
function fingerprintOf({ etag, size, modifiedAt }: DavResource, now: number): string {
  if (etag !== undefined) return etag
  if (modifiedAt === undefined) return crypto.randomUUID()
  return `${size ?? "?"} ${modifiedAt}${Math.abs(now - modifiedAt) < UNSETTLED_MS ? " unsettled" : ""}`
}

/** Whether the same is answered to whoever asks again. */
const isLasting = (status: number): boolean => status >= 400 && status < 500 && ![408, 423, 425, 429].includes(status)

const bodyOf = (response: Response): ReadableStream<Uint8Array> => response.body ?? new Blob().stream()

/** As people see it: a key also escapes percent signs, so that it can be told from an escape. */
const nameOf = (key: string): string => key.slice(key.lastIndexOf("/") + 1).replace(/%25(?=[0-9a-f]{2})/gi, "%")

const shown = (key: string): string => (key === "" ? "the folder" : clipped(key))

const clipped = (text: string): string => (text.length > 300 ? `${text.slice(0, 300)}…` : text)

function refusal(status: number, folder: string): string {
  if (status === 401) return "the server does not accept the credentials (401)"
  if (status === 403) return `the server does not let these credentials list ${shown(folder)} (403)`
  if (status === 404 || status === 410) return `there is no longer, or was never, ${shown(folder)} (${status})`
  if (status === 405 || status === 501 || status < 300) return `the address is not that of a WebDAV folder (${status})`
  return `the server answered with ${status} for ${shown(folder)}`
}
