/** Packs as the daemon sees them: written to a file as they come, read by a thread. */
import { createReadStream } from "node:fs"
import { rm } from "node:fs/promises"
import zlib from "node:zlib"
import { AppError } from "../../../errors.ts"
import { ThreadClient } from "../../../threads/thread-client.ts"
import type { ObjectFormat } from "./objects.ts"
import type { Found } from "./pack.ts"
import type { TreeFile } from "./tree-walk.ts"

export interface PackTasks {
  /** @returns its number */
  open: { ask: { path: string; format: ObjectFormat }; answer: number }
  /** Goes on for so long; asked again until it is done, so that it can be left. */
  index: { ask: { pack: number; forMs: number }; answer: { isDone: boolean } }
  list: { ask: { pack: number; commit: string; folder: string }; answer: undefined }
  /** The next ones of the list. */
  files: { ask: { pack: number; count: number }; answer: { found: TreeFile[]; isDone: boolean } }
  has: { ask: { pack: number; id: string }; answer: boolean }
  find: { ask: { pack: number; id: string }; answer: Found }
  close: { ask: number; answer: undefined }
}

const SLICE_MS = 100
const FILES_AT_ONCE = 2_000

/** The thread, and the packs that it has open. */
export class PackThread {
  private readonly client = new ThreadClient<PackTasks>({
    entry: "sources/connectors/git/pack-worker",
    what: "the reader of Git packs",
  })

  /** @param path of a file that is the pack's from now on. @throws Error for what is no pack; the signal's reason */
  async open(path: string, format: ObjectFormat, signal: AbortSignal): Promise<OpenPack> {
    const pack = new OpenPack(this.client, await this.client.ask("open", { path, format }), path)
    try {
      while (!(await this.client.ask("index", { pack: pack.number, forMs: SLICE_MS })).isDone) signal.throwIfAborted()
      return pack
    } catch (error) {
      await pack.close()
      throw error
    }
  }

  close(): Promise<void> {
    return this.client.close()
  }
}

export class OpenPack {
  constructor(
    private readonly client: ThreadClient<PackTasks>,
    readonly number: number,
    private readonly path: string,
  ) {}

  /** Every file below a folder of a commit that is in the pack. @throws Error named NoFolder where there is no such folder */
  async *files(commit: string, folder: string): AsyncGenerator<TreeFile> {
    await this.client.ask("list", { pack: this.number, commit, folder })
    for (let isLast = false; !isLast; ) {
      const { found, isDone } = await this.client.ask("files", { pack: this.number, count: FILES_AT_ONCE })
      yield* found
      isLast = isDone
    }
  }

  has(id: string): Promise<boolean> {
    return this.client.ask("has", { pack: this.number, id })
  }

  /** @throws AppError file_too_large; Error where it is not in the pack */
  async *read(id: string): AsyncGenerator<Uint8Array> {
    const found = await this.client.ask("find", { pack: this.number, id }).catch((error: Error) => {
      throw error.name === "TooLarge" ? new AppError("file_too_large", { cause: error }) : error
    })
    if ("bytes" in found) yield found.bytes
    else yield* inflated(this.path, found.dataAt)
  }

  /** Its file is gone afterwards. */
  async close(): Promise<void> {
    await this.client.ask("close", this.number).catch(() => {})
    await rm(this.path, { force: true })
  }
}

async function* inflated(path: string, start: number): AsyncGenerator<Uint8Array> {
  const file = createReadStream(path, { start, highWaterMark: 2 ** 18 })
  const inflate = zlib.createInflate({ chunkSize: 2 ** 18 })
  file.once("error", error => inflate.destroy(error))
  file.pipe(inflate)
  try {
    yield* inflate
  } finally {
    file.destroy()
    inflate.destroy()
  }
}
