/** The files of a branch of a Git repository, read over http without its history and without a program of Git. */
import { join } from "node:path"
import { basename } from "node:path/posix"
import { AppError } from "../../errors.ts"
import { orAbort } from "../../threads/or-abort.ts"
import {
  type Connector,
  type ConnectorParts,
  type Entry,
  type EntryContent,
  type Opened,
  Outage,
  type SourceKind,
} from "../connector.ts"
import type { Fields } from "../fields.ts"
import { Blobs } from "./git/blobs.ts"
import { KeptCommits, type Use } from "./git/kept-commits.ts"
import { largeFile, pointedTo } from "./git/large-files.ts"
import { found, kept } from "./git/listing.ts"
import { type OpenPack, PackThread } from "./git/pack-thread.ts"
import { type GitCredentials, GitRemote, type Tip, type Wanted } from "./git/remote.ts"
import { Scratch } from "./git/scratch.ts"
import type { TreeFile } from "./git/tree-walk.ts"
import { pageOf } from "./git/web-page.ts"

export interface GitConfig {
  url: string
  branch?: string
  /** Folder of the repository; keys are paths below it. */
  path?: string
}

/** Largest pack that is taken: what one commit of a repository takes, compressed. */
const MAX_PACK_BYTES = 8 * 2 ** 30
/** As many as are waited for at the same time come in one pack. */
const AT_ONCE = 32
/** Servers that take a token as password look at no name, but want one. */
const TOKEN_USER = "oauth2"
/** What `git check-ref-format` refuses, and what would be a pattern. */
const NO_BRANCH = /^[-/.]|\.\.|@\{|\/\/|[\s~^:?*[\\\p{Cc}]|(?:\/|\.|\.lock)$/u

export const gitSource: SourceKind<GitConfig, GitCredentials> = {
  config(given) {
    const url = given.webAddress("url")
    const branch = given.optionalText("branch", 250)
    const path = folderOf(given)
    given.end()
    if (/[?#]/.test(url)) throw given.refuse("url", "must be the address of a repository, without ? and #")
    if (branch !== undefined && NO_BRANCH.test(branch)) throw given.refuse("branch", "is no name of a branch")
    return { url, ...(branch === undefined ? {} : { branch }), ...(path === "" ? {} : { path }) }
  },
  credentials(given) {
    const token = given.optionalText("token")
    const username = given.optionalText("username") ?? TOKEN_USER
    const password = token ?? given.text("password")
    given.end()
    if (/[:\p{Cc}]/u.test(username)) given.refuse("username", "must hold no colon")
    return { username, password }
  },
  place: ({ url }) => new URL(url).origin,
  async admit({ url }, { egress }) {
    const { hostname, port, protocol } = new URL(url)
    await egress.check(hostname, Number(port || (protocol === "https:" ? 443 : 80)))
  },
  contentFingerprints: true,
  open: opened => new GitConnector(opened),
}

function folderOf(given: Fields): string {
  const names = (given.optionalText("path") ?? "").split("/").filter(Boolean)
  if (names.some(name => name === "." || name === "..")) given.refuse("path", "must be a folder of the repository")
  return names.join("/")
}

const keptCommits = new KeptCommits()

class GitConnector implements Connector {
  readonly parallel = AT_ONCE
  private readonly config: GitConfig
  private readonly credentials: GitCredentials | null
  private readonly parts: ConnectorParts
  private readonly remote: GitRemote
  private readonly scratch: Scratch
  private readonly uses: Use[] = []
  /** What is fetched for several entries does not end with the wait for one. */
  private readonly ends = new AbortController()
  private readonly blobs = new Blobs(ids => this.fetched({ ids, isCommit: false }, this.ends.signal))
  private thread: PackThread | undefined
  private whole: Promise<OpenPack> | undefined

  constructor({ config, credentials, parts }: Opened<GitConfig, GitCredentials>) {
    this.config = config
    this.credentials = credentials
    this.parts = parts
    this.remote = new GitRemote({ egress: parts.egress, url: config.url, credentials })
    this.scratch = new Scratch(() => parts.directory())
  }

  async *list(signal: AbortSignal): AsyncGenerator<Entry> {
    const { url, path = "" } = this.config
    const tip = await this.remote.tip(this.config.branch, signal)
    const at = join(await this.parts.directory(), "listing.jsonl")
    const of = [tip.id, url, path]
    const files = (await found(at, of)) ?? kept(at, of, this.filesOf(tip, signal))
    for await (const file of files) yield this.entryOf(file, tip)
  }

  async read({ key, fingerprint }: Entry, signal: AbortSignal): Promise<EntryContent | undefined> {
    const content = (await this.remote.hasFilters(signal))
      ? await orAbort(this.blobs.read(fingerprint), signal)
      : await this.fromWhole(fingerprint, signal)
    if (!content) return undefined
    return { name: basename(key), bytes: await this.behindPointer(content, signal) }
  }

  async close(): Promise<void> {
    this.ends.abort(new Error("the connector was closed"))
    for (const { release } of this.uses.splice(0)) release()
    await this.thread?.close()
    await this.scratch.remove()
  }

  private entryOf({ path, id, size }: TreeFile, { branch }: Tip): Entry {
    const below = this.config.path === undefined ? path : `${this.config.path}/${path}`
    const url = pageOf(this.config.url, branch, below)
    return {
      key: path,
      fingerprint: id,
      name: basename(path),
      ...(size === undefined ? {} : { size }),
      ...(url ? { url } : {}),
    }
  }

  private async *filesOf(tip: Tip, signal: AbortSignal): AsyncGenerator<TreeFile> {
    const { path = "" } = this.config
    const hasFilters = await this.remote.hasFilters(signal)
    const pack = hasFilters
      ? await this.fetched({ ids: [tip.id], isCommit: true, withoutFiles: true }, signal)
      : await orAbort(this.wholeOf(tip), signal)
    try {
      yield* pack.files(tip.id, path)
    } catch (error) {
      if ((error as Error).name === "NoFolder") throw new Outage(`the branch ${tip.branch} has no folder ${path}`)
      throw error
    } finally {
      if (hasFilters) await pack.close()
    }
  }

  private async fromWhole(id: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array> | undefined> {
    this.whole ??= this.anyWhole(id, signal)
    this.whole.catch(() => {
      this.whole = undefined
    })
    const pack = await orAbort(this.whole, signal)
    return (await pack.has(id)) ? pack.read(id) : undefined
  }

  /** The commit that is there, if it has the file; the newest one otherwise. */
  private async anyWhole(id: string, signal: AbortSignal): Promise<OpenPack> {
    const use = keptCommits.use(await this.parts.directory(), undefined)
    if (use) this.uses.push(use)
    const pack = await use?.pack.catch(() => undefined)
    if (pack && (await pack.has(id))) return pack
    return this.wholeOf(await this.remote.tip(this.config.branch, signal))
  }

  private async wholeOf({ id }: Tip): Promise<OpenPack> {
    const use = keptCommits.use(await this.parts.directory(), id, async stop => {
      // Of its own, as it may outlive this connector.
      const scratch = new Scratch(() => this.parts.directory())
      const thread = new PackThread()
      const end = async () => {
        await thread.close()
        await scratch.remove()
      }
      try {
        return { pack: await this.packOf({ ids: [id], isCommit: true }, { scratch, thread, signal: stop }), end }
      } catch (error) {
        await end()
        if (!(error instanceof AppError) || error.code !== "file_too_large") throw error
        throw new Outage("the repository is larger than there is room for", { cause: error })
      }
    })
    this.uses.push(use!)
    return use!.pack
  }

  private fetched(wanted: Wanted, signal: AbortSignal): Promise<OpenPack> {
    this.thread ??= new PackThread()
    return this.packOf(wanted, { scratch: this.scratch, thread: this.thread, signal })
  }

  /** @throws AppError file_too_large where the pack would take more than is allowed or half of what is free */
  private async packOf(
    wanted: Wanted,
    { scratch, thread, signal }: { scratch: Scratch; thread: PackThread; signal: AbortSignal },
  ): Promise<OpenPack> {
    const maxBytes = Math.min(MAX_PACK_BYTES, await scratch.roomBytes())
    const path = await scratch.write(this.remote.pack(wanted, maxBytes, signal))
    return await thread.open(path, await this.remote.format(signal), signal).catch(error => {
      signal.throwIfAborted()
      throw new Outage("what the server sent is no repository that can be read", { cause: error })
    })
  }

  /** The file that a pointer of Git LFS names; any other content as it is. */
  private async behindPointer(
    content: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>> {
    const parts = content[Symbol.asyncIterator]()
    const first = await parts.next()
    const pointer = first.done ? undefined : pointedTo(first.value)
    if (!pointer) return joined(first, parts)
    await parts.return?.()
    const { egress } = this.parts
    return largeFile(pointer, { egress, url: this.config.url, credentials: this.credentials }, signal)
  }
}

async function* joined(first: IteratorResult<Uint8Array>, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    for (let next = first; !next.done; next = await rest.next()) yield next.value
  } finally {
    await rest.return?.()
  }
}
