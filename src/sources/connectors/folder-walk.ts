/** A way through a folder with all below, as its entries. */
import { constants, type Stats } from "node:fs"
import { type FileHandle, lstat, open, realpath, stat } from "node:fs/promises"
import { type Entry, type Opened, Outage } from "../connector.ts"
import { bytesOf, type Named, nameFrom, namesIn } from "./folder-names.ts"
import { codeOf, fingerprintOf, GONE, isBelow, liesBelow, nameOf, outageOf, type Place } from "./folder-place.ts"
import { isJunk } from "./junk.ts"

/** Files looked at at the same time: a disk of the network answers one by one. */
const LOOKS = 64
/** Folders below one another; a file system that is broken has no end of them. */
const MAX_DEPTH = 200

interface Branch {
  /** Where it is read. */
  path: string | Buffer
  /** Key of what lies in it, with a slash at its end; empty for the folder itself. */
  prefix: string
  depth: number
}

interface Wishes {
  /** Hidden files and leftovers of programs are files like others. */
  hidden: boolean
  /** Folders of which nothing is meant. */
  leavesOut: Opened<unknown, unknown>["leavesOut"]
  signal: AbortSignal
}

/** One way through a folder. */
export class Walk {
  /** Whether the folder itself holds nothing at all. */
  isEmpty = false
  /** Folders that were walked through, by device and inode: links lead in circles. */
  private readonly walked = new Set<string>()
  /** Looked at when all else is known: they lead to what was listed already, or not. */
  private links: Branch[] = []

  constructor(
    private readonly place: Place,
    private readonly wishes: Wishes,
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
      this.wishes.signal.throwIfAborted()
      if (branch.depth > MAX_DEPTH) throw new Outage("the folders below have no end")
      const handle = await this.entered(branch)
      if (!handle) continue
      try {
        const files: Named[] = []
        for (const named of await this.namesOf(branch, handle)) {
          if (named.kind === "folder") branches.push(this.within(branch, named, "/"))
          else if (named.kind === "link") this.links.push(this.within(branch, named, ""))
          else if (named.kind === "file") files.push(named)
        }
        for (let at = 0; at < files.length; at += LOOKS) {
          const some = files.slice(at, at + LOOKS)
          const looked = await Promise.all(some.map(named => this.look(branch, handle, named)))
          for (const entry of looked) if (entry) yield entry
        }
      } finally {
        await handle.close()
      }
    }
  }

  /** @returns undefined for a folder that was walked through, and for one that is gone */
  private async entered({ path, prefix }: Branch): Promise<FileHandle | undefined> {
    const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY).catch(error => {
      if (prefix !== "" && GONE.has(codeOf(error))) return undefined
      return this.outageOf(error, prefix)
    })
    if (!handle) return undefined
    try {
      if (!(await liesBelow(handle, this.place.root))) throw new Outage("a folder was replaced while it was listed")
      if (this.isNew(await handle.stat())) return handle
    } catch (error) {
      await handle.close()
      throw error
    }
    await handle.close()
    return undefined
  }

  private isNew({ dev, ino }: Stats): boolean {
    const name = `${dev} ${ino}`
    if (this.walked.has(name)) return false
    this.walked.add(name)
    return true
  }

  private async namesOf({ prefix }: Branch, handle: FileHandle): Promise<Named[]> {
    const names = await namesIn(nameOf(handle)).catch(error => {
      // A folder that was removed since its parent was read is none of it any more.
      if (prefix !== "" && GONE.has(codeOf(error))) return []
      return this.outageOf(error, prefix) ?? []
    })
    if (prefix === "" && names.length === 0) this.isEmpty = true
    return this.wishes.hidden ? names : names.filter(({ shown, kind }) => !isJunk(shown, kind === "folder"))
  }

  /** @throws Outage, unless nothing below the folder is meant */
  private outageOf(error: unknown, prefix: string): undefined {
    if (prefix === "" || !this.wishes.leavesOut?.(prefix)) outageOf(error, prefix)
  }

  private within({ path, prefix, depth }: Branch, named: Named, end: string): Branch {
    return { path: bytesOf(path, named), prefix: `${prefix}${named.key}${end}`, depth: depth + 1 }
  }

  private async look({ prefix }: Branch, handle: FileHandle, named: Named): Promise<Entry | undefined> {
    // A link that has come in its place is not followed.
    const stats = await lstat(bytesOf(nameOf(handle), named)).catch(error => {
      if (GONE.has(codeOf(error))) return undefined
      return this.outageOf(error, prefix)
    })
    return stats?.isFile() ? entryOf(`${prefix}${named.key}`, stats) : undefined
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
