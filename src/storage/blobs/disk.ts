/**
 * Stored bytes: originals under `<data>/blobs`, extracted texts under `<data>/texts`, work in progress under `<data>/tmp`.
 * A blob appears under its name only when it is whole and on disk: temp file → fsync → rename → fsync of the folder, which for
 * blobs comes before the row that names them.
 */
import { mkdirSync } from "node:fs"
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { lacksDescriptors } from "../../errors.ts"
import { log } from "../../log.ts"
import { FOLDERS_SYNC } from "../../native/sync-path.ts"
import {
  type ByteRange,
  fanOut,
  type LocalFile,
  layoutName,
  type PlainBlobs,
  type StoredBlob,
  type StoredBytes,
  type StoredName,
  textName,
} from "./blobs.ts"
import { endedBy } from "./ended-by.ts"
import { Intake } from "./intake.ts"
import { Room } from "./room.ts"
import { clearScratch, scratchFile, scratchIn, writeAll } from "./scratch.ts"

/** Room is looked at again after so many bytes of one file. */
const ROOM_CHECK_BYTES = 32 * 2 ** 20
const LISTED_AT_ONCE = 1_000

export class DiskBlobs implements PlainBlobs {
  readonly temporaryDirectory: string
  private readonly room: Room

  /** @param floorBytes free space that stored files must leave: databases that cannot grow lose more than an upload */
  constructor(
    private readonly dataDirectory: string,
    floorBytes = 0,
  ) {
    this.temporaryDirectory = scratchIn(dataDirectory)
    this.room = new Room(dataDirectory, floorBytes)
    for (const directory of ["blobs", "texts"])
      mkdirSync(join(dataDirectory, directory), { recursive: true, mode: 0o700 })
  }

  /** What a crash left half-written; called at start, before anything is received. */
  clearTemporary(): void {
    clearScratch(this.temporaryDirectory)
  }

  /** What is stored is stored as it is, whosever it is. */
  of(): this {
    return this
  }

  scratchFile(): LocalFile {
    return scratchFile(this.temporaryDirectory)
  }

  /** The bytes survive a power failure, the name does so after `keepNames`. */
  async write(
    name: string,
    source: AsyncIterable<Uint8Array>,
    limitBytes: number,
    signal?: AbortSignal,
  ): Promise<StoredBlob> {
    const intake = new Intake(limitBytes)
    await this.store(name, intake.pass(signal ? endedBy(signal, source) : source))
    return intake.storedAs(name)
  }

  async store(name: string, source: AsyncIterable<Uint8Array>): Promise<void> {
    await this.assertRoom()
    const temporary = join(this.temporaryDirectory, name)
    const handle = await openPatiently(temporary, "wx")
    let size = 0
    let roomAt = ROOM_CHECK_BYTES
    try {
      for await (const chunk of source) {
        size += chunk.byteLength
        if (size > roomAt) {
          await this.assertRoom()
          roomAt += ROOM_CHECK_BYTES
        }
        await writeAll(handle, chunk)
      }
      await handle.sync()
    } catch (error) {
      await handle.close().catch(() => {})
      await discard(temporary)
      throw error
    }
    await handle.close()
    try {
      await moveInto(temporary, this.path(name))
    } catch (error) {
      await discard(temporary)
      throw error
    }
  }

  /** One sync for each folder that holds some of them. */
  async keepNames(blobs: Iterable<string>): Promise<void> {
    for (const folder of new Set(Array.from(blobs, blob => dirname(this.path(blob))))) await syncFolder(folder)
  }

  assertRoom(): Promise<void> {
    return this.room.assert()
  }

  path(blob: string): string {
    return join(this.dataDirectory, "blobs", fanOut(blob), blob)
  }

  findOriginal(blob: string): Promise<StoredBytes | undefined> {
    return findFile(this.path(blob))
  }

  findText(fileId: string, generation: number): Promise<StoredBytes | undefined> {
    return findFile(this.textPath(fileId, generation))
  }

  findLayout(fileId: string, generation: number): Promise<StoredBytes | undefined> {
    return findFile(this.layoutPath(fileId, generation))
  }

  async remove(blob: string): Promise<void> {
    await removeOrSay(this.path(blob))
  }

  textPath(fileId: string, generation: number): string {
    return join(this.dataDirectory, "texts", fanOut(fileId), textName(fileId, generation))
  }

  layoutPath(fileId: string, generation: number): string {
    return join(this.dataDirectory, "texts", fanOut(fileId), layoutName(fileId, generation))
  }

  moveText(fileId: string, generation: number, temporary: string): Promise<void> {
    return takeOver(temporary, this.textPath(fileId, generation))
  }

  moveLayout(fileId: string, generation: number, temporary: string): Promise<void> {
    return takeOver(temporary, this.layoutPath(fileId, generation))
  }

  async writeText(fileId: string, generation: number, text: string): Promise<void> {
    const path = this.textPath(fileId, generation)
    const temporary = join(this.temporaryDirectory, basename(path))
    const handle = await open(temporary, "w", 0o600)
    try {
      await writeAll(handle, Buffer.from(text))
      await handle.sync()
    } catch (error) {
      await discard(temporary)
      throw error
    } finally {
      await handle.close()
    }
    await settle(temporary, path)
  }

  async removeText(fileId: string, generation: number): Promise<void> {
    await removeOrSay(this.textPath(fileId, generation))
    await removeOrSay(this.layoutPath(fileId, generation))
  }

  /** None: who begins anew empties the folder that they lie in. */
  async removeUnfinished(): Promise<number> {
    return 0
  }

  async now(): Promise<number> {
    return Date.now()
  }

  async *list(kind: "blobs" | "texts"): AsyncGenerator<StoredName[]> {
    const root = join(this.dataDirectory, kind)
    for (const folder of await readdir(root)) {
      const names = await readdir(join(root, folder))
      for (let at = 0; at < names.length; at += LISTED_AT_ONCE) {
        const found: StoredName[] = []
        for (const name of names.slice(at, at + LISTED_AT_ONCE)) {
          const modifiedAt = (await statFile(join(root, folder, name)))?.mtimeMs
          if (modifiedAt !== undefined) found.push({ name, modifiedAt })
        }
        yield found
      }
    }
  }
}

const statFile = (path: string) =>
  stat(path).catch(error => {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined
    throw error
  })

async function findFile(path: string): Promise<StoredBytes | undefined> {
  const found = await statFile(path)
  return found && new StoredFile(path, found.size)
}

class StoredFile implements StoredBytes {
  constructor(
    private readonly path: string,
    readonly size: number,
  ) {}

  /** A native stream that was not read from yet: as the body of a response, the system itself copies the file. */
  async stream(range?: ByteRange): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    const file = Bun.file(this.path)
    return (range ? file.slice(range.start, range.end) : file).stream()
  }

  /** The file itself. */
  async local(signal?: AbortSignal): Promise<LocalFile> {
    signal?.throwIfAborted()
    return { path: this.path, async [Symbol.asyncDispose]() {} }
  }
}

/** The error that came first is the one to tell; what is left of it goes at the next start. */
const discard = (temporary: string): Promise<void> => rm(temporary, { force: true }).catch(() => {})

const removeOrSay = (path: string): Promise<void> =>
  rm(path, { force: true }).catch(error => log.warn("a stored file could not be removed", { error }))

async function takeOver(temporary: string, path: string): Promise<void> {
  const handle = await open(temporary, "r+")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
  await settle(temporary, path)
}

/** Moves a finished temp file to its place so that it survives a power failure. */
async function settle(temporary: string, path: string): Promise<void> {
  await moveInto(temporary, path)
  await syncFolder(dirname(path))
}

/** Most folders are there already. */
async function moveInto(temporary: string, path: string): Promise<void> {
  try {
    await rename(temporary, path)
  } catch (error) {
    if ((error as { code?: string }).code !== "ENOENT") throw error
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await syncFolder(dirname(dirname(path)))
    await rename(temporary, path)
  }
}

/** Descriptors that clients hold come back in moments, when the web server has ended what is in excess. */
const DESCRIPTOR_WAIT_MS = 20
const DESCRIPTOR_WAITS = 100

async function openPatiently(path: string, flags: string): Promise<FileHandle> {
  for (let waits = 0; ; waits++)
    try {
      return await open(path, flags, 0o600)
    } catch (error) {
      if (!lacksDescriptors(error) || waits === DESCRIPTOR_WAITS) throw error
      await Bun.sleep(DESCRIPTOR_WAIT_MS)
    }
}

async function syncFolder(path: string): Promise<void> {
  if (!FOLDERS_SYNC) return
  const folder = await openPatiently(path, "r")
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
