/**
 * Copies the stored bytes of a move: every original and every text that the database names, from one place to another. What is
 * there already is left: names are never given twice, and bytes appear under theirs only when they are whole. So a move
 * that ended anywhere goes on by being begun again.
 */
import { createHash } from "node:crypto"
import { rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { OperatorError } from "../../errors.ts"
import { log } from "../../log.ts"
import type { Blobs } from "../../storage/blobs/blobs.ts"
import type { Database } from "../../storage/database.ts"
import { type StoredFileRow, storedFilesAfter } from "../../storage/stored-files.ts"

interface Place {
  database: Database
  blobs: Blobs
}

interface CopyOptions {
  /** Told bytes, of the originals and about those of the texts. */
  on?: (done: number, total: number) => void
  signal?: AbortSignal
}

/** What the database knows of the bytes of an original. */
interface Expected {
  size: number
  sha256: string
}

/** Files under way at the same time: what is waited for is an answer, or a disk that takes several at once. */
const AT_ONCE = 8
const PAGE = 500

/**
 * What the source has lost is told of and left out: it was lost before.
 * @returns originals and texts that lie in the target
 * @throws OperatorError where an original is not what was uploaded; EngineError, the error of a disk, the reason of
 * `signal`: what was copied stays
 */
export async function copyBlobs(from: Place, to: Place, { on = () => {}, signal }: CopyOptions = {}): Promise<number> {
  const total = await totalBytes(from.database)
  let done = 0
  const copy = new Copy(from.blobs, to.blobs, count => {
    done += count
    on(done, total)
  })
  on(0, total)
  for (let after = ""; ; ) {
    const page = await storedFilesAfter(from.database, after, PAGE)
    if (page.length === 0) return copy.count
    await copy.files(page, signal)
    after = page.at(-1)!.id
  }
}

class Copy {
  /** Originals and texts that lie in the target. */
  count = 0

  constructor(
    private readonly from: Blobs,
    private readonly to: Blobs,
    /** Told each piece of the work that is done. */
    private readonly told: (bytes: number) => void,
  ) {}

  /** All of them have come to their end when it returns or throws. */
  async files(files: readonly StoredFileRow[], signal: AbortSignal | undefined): Promise<void> {
    const failed = new AbortController()
    const stop = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal
    const left = files.values()
    const work = async () => {
      for (const file of left) {
        stop.throwIfAborted()
        await this.file(file, stop)
      }
    }
    const ends = Array.from({ length: AT_ONCE }, () =>
      work().catch(error => {
        failed.abort(error)
        throw error
      }),
    )
    await Promise.allSettled(ends)
    await Promise.all(ends)
    await this.to.keepNames(files.flatMap(({ blob, live_blob }) => (live_blob ? [blob, live_blob] : [blob])))
  }

  private async file(file: StoredFileRow, signal: AbortSignal): Promise<void> {
    const { id, workspace_id, blob, size, sha256, live_blob, live_generation, character_count } = file
    await this.original(workspace_id, blob, { size, sha256 }, signal)
    // Of the version that is found while a newer one is yet to be read, no size or hash is known any more.
    if (live_blob !== null && live_blob !== blob) await this.original(workspace_id, live_blob, undefined, signal)
    if (live_generation !== null) {
      await this.text(workspace_id, id, live_generation, signal)
      await this.layout(workspace_id, id, live_generation, signal)
    }
    this.told(character_count ?? 0)
  }

  private async original(
    workspaceId: string,
    name: string,
    expected: Expected | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const told = (bytes: number) => this.told(expected ? bytes : 0)
    const source = await this.from.findOriginal(name)
    const there = await this.to.findOriginal(name)
    if (!source) {
      log.warn("a stored file is missing in the source and is not moved", { name })
      return told(expected?.size ?? 0)
    }
    if (expected && source.size !== expected.size) throw changed(name)
    if (there?.size === source.size) told(source.size)
    else {
      const bytes = verified(await source.stream(undefined, signal), name, expected?.sha256, told)
      await this.to.of(workspaceId).write(name, bytes, Number.POSITIVE_INFINITY, signal)
    }
    this.count++
  }

  private async text(workspaceId: string, fileId: string, generation: number, signal: AbortSignal): Promise<void> {
    const { from, to } = this
    const name = `${fileId}.${generation}`
    const source = await from.findText(fileId, generation)
    if (!source) return log.warn("a stored file is missing in the source and is not moved", { name })
    if ((await to.findText(fileId, generation))?.size !== source.size) {
      const temporary = join(to.temporaryDirectory, `move-${name}`)
      try {
        await writeFile(temporary, await source.stream(undefined, signal), { mode: 0o600 })
        await to.of(workspaceId).moveText(fileId, generation, temporary)
      } finally {
        await rm(temporary, { force: true })
      }
    }
    this.count++
  }

  /** Of files whose pages can be shown. */
  private async layout(workspaceId: string, fileId: string, generation: number, signal: AbortSignal): Promise<void> {
    const { from, to } = this
    const source = await from.findLayout(fileId, generation)
    if (!source || (await to.findLayout(fileId, generation))?.size === source.size) return
    const temporary = join(to.temporaryDirectory, `move-${fileId}.${generation}.pages`)
    try {
      await writeFile(temporary, await source.stream(undefined, signal), { mode: 0o600 })
      await to.of(workspaceId).moveLayout(fileId, generation, temporary)
    } finally {
      await rm(temporary, { force: true })
    }
  }
}

const changed = (name: string) =>
  new OperatorError(`the original ${name} is not what was uploaded: its bytes changed`, {
    hint: "`carrel doctor --check` on the source says more; delete that file, or upload it again",
  })

/** @throws OperatorError at the end where the hash is another, so that what receives the bytes keeps nothing of them */
async function* verified(
  stream: ReadableStream<Uint8Array>,
  name: string,
  sha256: string | undefined,
  told: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  const hash = createHash("sha256")
  for await (const chunk of stream) {
    hash.update(chunk)
    told(chunk.byteLength)
    yield chunk
  }
  if (sha256 !== undefined && hash.digest("hex") !== sha256) throw changed(name)
}

async function totalBytes(database: Database): Promise<number> {
  const { size, characters } = await database
    .selectFrom("files")
    .select(eb => [
      eb.fn.sum<number | null>("size").as("size"),
      eb.fn.sum<number | null>("character_count").as("characters"),
    ])
    .executeTakeFirstOrThrow()
  const sizeOf = (table: "batch_files" | "message_images") =>
    database
      .selectFrom(table)
      .select(eb => eb.fn.sum<number | null>("size").as("size"))
      .executeTakeFirstOrThrow()
  const others = [await sizeOf("batch_files"), await sizeOf("message_images")]
  return others.reduce((sum, each) => sum + Number(each.size ?? 0), Number(size ?? 0) + Number(characters ?? 0))
}
