/**
 * A folder of this machine, with all below. Nothing is read that does not lie below a root that the operator named: a path is
 * judged by where its links lead, when it is listed and once more by the open file itself.
 *
 * Links are followed to what lies elsewhere below that root, once; those that lead into the folder itself, or out of the root,
 * are left out. Hidden files and what programs leave behind are left out too, unless `hidden` is set.
 */

import { constants, type Stats } from "node:fs"
import { type FileHandle, open, realpath, stat } from "node:fs/promises"
import { isAbsolute, join, sep } from "node:path"
import { AppError } from "../../errors.ts"
import { type Connector, Emptied, type Entry, type EntryContent, Outage, type SourceKind } from "../connector.ts"
import { bytesOf, type Named, nameFrom, namesIn, pathOf } from "./folder-names.ts"
import { watchFolder } from "./folder-watch.ts"
import { isJunk } from "./junk.ts"

interface FolderConfig {
  /** Absolute, as it was given. */
  path: string
  /** Hidden files and leftovers of programs are files like others. */
  hidden?: true
}

const MAX_PATH = 4_096
/** Files looked at at the same time: a disk of the network answers one by one. */
const LOOKS = 64
/** Folders below one another; a file system that is broken has no end of them. */
const MAX_DEPTH = 200
const READ_BYTES = 256 * 1024
/** Times of files are kept by ticks: two changes within one cannot be told apart. */
const TICK_MS = 50
/** A file that changes whenever it is read, such as a log, is taken as it is at the third time. */
const PATIENCE = 3

const GONE = new Set(["ENOENT", "ENOTDIR"])
const FORBIDDEN = new Set(["EACCES", "EPERM", "ELOOP"])

export const folderSource: SourceKind<FolderConfig> = {
  config(given) {
    const path = given.text("path", MAX_PATH)
    if (!isAbsolute(path)) given.refuse("path", "must be an absolute path of the machine that the daemon runs on")
    const hidden = given.oneOf("hidden", [true, false], false)
    given.end()
    return { path, ...(hidden ? { hidden } : {}) }
  },
  async admit({ path }, { sourceRoots }) {
    await realFolder(path, sourceRoots).catch(error => {
      if (error instanceof Outage) throw new AppError("invalid_request", { message: `config.path: ${error.message}` })
      throw error
    })
  },
  open: ({ config, parts }) => new Folder(config, parts.sourceRoots),
}

/** Where a path leads to, and the root that it lies below. */
interface Place {
  real: string
  root: string
}

/** @throws AppError forbidden for what lies below no root; Outage where there is no folder */
async function realFolder(path: string, roots: readonly string[]): Promise<Place> {
  const lexically = roots.some(root => isBelow(join(path), root))
  const realRoots = await Promise.all(roots.map(root => realpath(root).catch(() => undefined)))
  const real = await realpath(path).catch(() => undefined)
  const root = realRoots.find(each => each !== undefined && real !== undefined && isBelow(real, each))
  if (real !== undefined && root !== undefined) {
    if (!(await stat(real).catch(outageOf)).isDirectory()) throw new Outage("the path is no folder")
    return { real, root }
  }
  // Whether something is there is told of what lies below a root alone.
  if (real === undefined && lexically) throw new Outage("the folder is not there")
  throw new AppError("forbidden", {
    message: "the folder lies below no folder that sources may be in",
    hint: "--source-root names folders that sources may be in",
  })
}

const isBelow = (path: string, root: string): boolean =>
  path === root || path.startsWith(root.endsWith(sep) ? root : root + sep)

const outageOf = (cause: unknown): never => {
  throw new Outage("a folder cannot be read", { cause })
}
const codeOf = (error: unknown): string => (error as { code?: string }).code ?? ""

class Folder implements Connector {
  readonly parallel = 8
  /** How often a file changed while it was read, by key. */
  private readonly restless = new Map<string, number>()

  constructor(
    private readonly config: FolderConfig,
    private readonly roots: readonly string[],
  ) {}

  async *list(signal: AbortSignal): AsyncGenerator<Entry> {
    const place = await realFolder(this.config.path, this.roots)
    const before = await stat(place.real).catch(outageOf)
    const walk = new Walk(place, this.config.hidden === true, signal)
    yield* walk.entries()
    // What was mounted there may have gone meanwhile: then the folder below it was listed, or a part of each.
    const after = await stat(place.real).catch(outageOf)
    if (after.dev !== before.dev || after.ino !== before.ino)
      throw new Outage("the folder was replaced while it was listed")
    if (walk.isEmpty) throw new Emptied("the folder is empty, as one that is not mounted")
  }

  async read({ key }: Entry, signal: AbortSignal): Promise<EntryContent | undefined> {
    const place = await realFolder(this.config.path, this.roots)
    const path = pathOf(place.real, key)
    // Neither waits for who writes into a pipe.
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(error => {
      if (GONE.has(codeOf(error))) return undefined
      if (FORBIDDEN.has(codeOf(error))) throw new AppError("forbidden", { message: "the file may not be read" })
      throw error
    })
    if (!handle) return undefined
    try {
      const stats = await this.settled(handle)
      if (!stats.isFile()) throw new AppError("forbidden", { message: "it is no file" })
      await refuseOutside(path, stats, place.root)
      const bytes = this.bytes(key, handle, stats, signal)
      return { name: nameFrom(key), bytes, fingerprint: fingerprintOf(stats) }
    } catch (error) {
      await handle.close()
      throw error
    }
  }

  watch(changed: () => void, signal: AbortSignal): Promise<void> {
    return watchFolder(async () => (await realFolder(this.config.path, this.roots)).real, changed, signal)
  }

  /** A file that was written this moment may be written again without a trace in its times. */
  private async settled(handle: FileHandle): Promise<Stats> {
    for (let left = PATIENCE; ; left--) {
      const stats = await handle.stat()
      const age = Date.now() - Math.max(stats.mtimeMs, stats.ctimeMs)
      if (age < 0 || age >= TICK_MS || left === 0) return stats
      await Bun.sleep(TICK_MS)
    }
  }

  private async *bytes(
    key: string,
    handle: FileHandle,
    before: Stats,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array> {
    try {
      // What is written behind its end meanwhile is for the next time: a log may grow faster than it is read.
      for (let left = before.size; left > 0; ) {
        signal.throwIfAborted()
        const most = Math.min(left, READ_BYTES)
        const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(most), 0, most, null)
        if (bytesRead === 0) break
        left -= bytesRead
        yield buffer.subarray(0, bytesRead)
      }
      if (fingerprintOf(await handle.stat()) === fingerprintOf(before)) return
      const times = (this.restless.get(key) ?? 0) + 1
      this.restless.set(key, times)
      if (times < PATIENCE) throw new Error("the file changed while it was read")
    } finally {
      await handle.close()
    }
  }
}

/** The open file is one that lies below the root now, whatever links lay on the way to it. @throws AppError forbidden */
async function refuseOutside(path: string | Buffer, opened: Stats, root: string): Promise<void> {
  const real = await realpath(path, { encoding: "buffer" }).catch(() => undefined)
  const there = real && (await stat(real).catch(() => undefined))
  const isSame = there?.ino === opened.ino && there.dev === opened.dev
  if (!real || !isSame || !isBelow(real.toString("latin1"), Buffer.from(root).toString("latin1")))
    throw new AppError("forbidden", { message: "the file lies outside of the source" })
}

const fingerprintOf = ({ size, mtimeMs, ctimeMs }: Stats): string => `${size}-${mtimeMs}-${ctimeMs}`

interface Branch {
  /** Where it is read. */
  path: string | Buffer
  /** Key of what lies in it, with a slash at its end; empty for the folder itself. */
  prefix: string
  depth: number
}

/** One way through a folder. */
class Walk {
  /** Whether the folder itself holds nothing at all. */
  isEmpty = false
  /** Folders that were walked through, by device and inode: links lead in circles. */
  private readonly walked = new Set<string>()
  /** Looked at when all else is known: they lead to what was listed already, or not. */
  private links: Branch[] = []

  constructor(
    private readonly place: Place,
    private readonly hidden: boolean,
    private readonly signal: AbortSignal,
  ) {}

  async *entries(): AsyncGenerator<Entry> {
    yield* this.below({ path: this.place.real, prefix: "", depth: 0 })
    while (this.links.length > 0) {
      const links = this.links.sort((one, other) => (one.prefix < other.prefix ? -1 : 1))
      this.links = []
      for (const link of links) yield* this.behind(link)
    }
  }

  private async *below(first: Branch): AsyncGenerator<Entry> {
    const branches = [first]
    for (let branch = branches.pop(); branch; branch = branches.pop()) {
      this.signal.throwIfAborted()
      if (branch.depth > MAX_DEPTH) throw new Outage("the folders below have no end")
      if (!(await this.isNew(branch))) continue
      const names = await namesIn(branch.path).catch(error => this.goneOr(branch, error))
      if (branch.prefix === "" && names.length === 0) this.isEmpty = true
      const files: Named[] = []
      for (const named of names) {
        if (!this.hidden && isJunk(named.shown, named.kind === "folder")) continue
        if (named.kind === "folder") branches.push(this.within(branch, named, "/"))
        else if (named.kind === "link") this.links.push(this.within(branch, named, ""))
        else if (named.kind === "file") files.push(named)
      }
      for (let at = 0; at < files.length; at += LOOKS) {
        const looked = await Promise.all(files.slice(at, at + LOOKS).map(named => this.look(branch, named)))
        for (const entry of looked) if (entry) yield entry
      }
    }
  }

  private within({ path, prefix, depth }: Branch, named: Named, end: string): Branch {
    return { path: bytesOf(path, named), prefix: `${prefix}${named.key}${end}`, depth: depth + 1 }
  }

  private async look({ path, prefix }: Branch, named: Named): Promise<Entry | undefined> {
    const stats = await stat(bytesOf(path, named)).catch(error => {
      if (GONE.has(codeOf(error))) return undefined
      return outageOf(error)
    })
    return stats?.isFile() ? entryOf(`${prefix}${named.key}`, stats) : undefined
  }

  /** @returns false for a folder that was walked through, and for one that is gone */
  private async isNew(branch: Branch): Promise<boolean> {
    const stats = await stat(branch.path).catch(error => {
      if (branch.prefix !== "" && GONE.has(codeOf(error))) return undefined
      return outageOf(error)
    })
    if (!stats?.isDirectory()) return false
    const name = `${stats.dev} ${stats.ino}`
    if (this.walked.has(name)) return false
    this.walked.add(name)
    return true
  }

  /** A folder that was removed since its parent was read is none of it any more. */
  private goneOr({ prefix }: Branch, error: unknown): Named[] {
    if (prefix !== "" && GONE.has(codeOf(error))) return []
    return outageOf(error)
  }

  private async *behind(link: Branch): AsyncGenerator<Entry> {
    const real = await realpath(link.path).catch(() => undefined) // leads nowhere, or in a circle
    if (real === undefined || !isBelow(real, this.place.root) || isBelow(real, this.place.real)) return
    const stats = await stat(real).catch(() => undefined)
    if (stats?.isFile()) yield entryOf(link.prefix, stats)
    else if (stats?.isDirectory()) yield* this.below({ ...link, prefix: `${link.prefix}/` })
  }
}

const entryOf = (key: string, stats: Stats): Entry => ({
  key,
  fingerprint: fingerprintOf(stats),
  size: stats.size,
  updatedAt: new Date(stats.mtimeMs).toISOString(),
  name: nameFrom(key),
})
