/**
 * A folder of this machine, with all below. Nothing is read that does not lie below a root that the operator named: a path is
 * judged by where its links lead when it is listed, and folders and files once more when they are open, by where the system
 * says that they lie.
 *
 * Links are followed to what lies elsewhere below that root, once; those that lead into the folder itself, or out of the root,
 * are left out. Hidden files and what programs leave behind are left out too, unless `hidden` is set.
 */

import { constants, type Stats } from "node:fs"
import { type FileHandle, open, stat } from "node:fs/promises"
import { isAbsolute } from "node:path"
import { AppError, invalid } from "../../errors.ts"
import {
  type Connector,
  Emptied,
  type Entry,
  type EntryContent,
  type Opened,
  Outage,
  type SourceKind,
} from "../connector.ts"
import { nameFrom, pathOf } from "./folder-names.ts"
import { codeOf, fingerprintOf, GONE, liesBelow, outageOf, realFolder } from "./folder-place.ts"
import { Walk } from "./folder-walk.ts"
import { watchFolder } from "./folder-watch.ts"

interface FolderConfig {
  /** Absolute, as it was given. */
  path: string
  /** Hidden files and leftovers of programs are files like others. */
  hidden?: true
}

const MAX_PATH = 4_096
const READ_BYTES = 256 * 1024
/** Times of files are kept by ticks: two changes within one cannot be told apart. */
const TICK_MS = 50
/** A file that changes whenever it is read, such as a log, is taken as it is at the third time. */
const PATIENCE = 3

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
      if (error instanceof Outage) throw invalid("config.path", error.message)
      throw error
    })
  },
  open: given => new Folder(given),
}

class Folder implements Connector {
  readonly parallel = 8
  /** How often a file changed while it was read, by key. */
  private readonly restless = new Map<string, number>()

  private readonly config: FolderConfig
  private readonly roots: readonly string[]

  constructor(private readonly given: Opened<FolderConfig, unknown>) {
    this.config = given.config
    this.roots = given.parts.sourceRoots
  }

  async *list(signal: AbortSignal): AsyncGenerator<Entry> {
    const place = await realFolder(this.config.path, this.roots)
    const before = await stat(place.real).catch(error => outageOf(error))
    const walk = new Walk(place, { hidden: this.config.hidden === true, leavesOut: this.given.leavesOut, signal })
    yield* walk.entries()
    // What was mounted there may have gone meanwhile: then the folder below it was listed, or a part of each.
    const after = await stat(place.real).catch(error => outageOf(error))
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
      if (!(await liesBelow(handle, place.root)))
        throw new AppError("forbidden", { message: "the file lies outside of the source" })
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
