/**
 * Originals and texts under the keys of their workspaces, over any place that stores bytes. While nothing is encrypted it
 * passes on what it is given; while an installation is being encrypted it reads both kinds and writes the one.
 */
import { rm } from "node:fs/promises"
import type { BlobWriter, LocalFile, PlainBlobs, StoredBlob, StoredBytes, StoredName } from "../blobs/blobs.ts"
import { type Blobs, layoutName, textName } from "../blobs/blobs.ts"
import { endedBy } from "../blobs/ended-by.ts"
import { Intake } from "../blobs/intake.ts"
import type { Keyring } from "./keyring.ts"
import { isInMemory, memoryFile } from "./memory-file.ts"
import { SealedBytes } from "./sealed-bytes.ts"
import { fileKey, HEADER_BYTES, hasMagic, newHeader, parseHeader, Segments, sealAll } from "./segments.ts"

export class SealedBlobs implements Blobs {
  readonly temporaryDirectory: string
  private readonly clearWrites = new Set<Promise<unknown>>()

  constructor(
    readonly plain: PlainBlobs,
    private readonly keyring: Keyring,
  ) {
    this.temporaryDirectory = plain.temporaryDirectory
  }

  of(workspaceId: string): BlobWriter {
    if (this.keyring.state === "off") return this.clearWriter
    return new SealedWriter(this.plain, this.keyring, workspaceId)
  }

  /** Resolves when nothing is being written in clear any more, once there is a key. */
  async clearWritesEnded(): Promise<void> {
    while (this.clearWrites.size > 0) await Promise.allSettled(this.clearWrites)
  }

  scratchFile(): LocalFile {
    return this.keyring.state === "off" ? this.plain.scratchFile() : memoryFile()
  }

  keepNames(blobs: Iterable<string>): Promise<void> {
    return this.plain.keepNames(blobs)
  }

  assertRoom(): Promise<void> {
    return this.plain.assertRoom()
  }

  async findOriginal(blob: string): Promise<StoredBytes | undefined> {
    return this.opened(blob, await this.plain.findOriginal(blob))
  }

  async findText(fileId: string, generation: number): Promise<StoredBytes | undefined> {
    return this.opened(textName(fileId, generation), await this.plain.findText(fileId, generation))
  }

  async findLayout(fileId: string, generation: number): Promise<StoredBytes | undefined> {
    return this.opened(layoutName(fileId, generation), await this.plain.findLayout(fileId, generation))
  }

  remove(blob: string): Promise<void> {
    return this.plain.remove(blob)
  }

  removeText(fileId: string, generation: number): Promise<void> {
    return this.plain.removeText(fileId, generation)
  }

  removeUnfinished(before: number, signal?: AbortSignal): Promise<number> {
    return this.plain.removeUnfinished(before, signal)
  }

  now(): Promise<number> {
    return this.plain.now()
  }

  list(kind: "blobs" | "texts"): AsyncIterable<StoredName[]> {
    return this.plain.list(kind)
  }

  private readonly clearWriter: BlobWriter = {
    write: (...given) => this.noted(this.plain.write(...given)),
    writeText: (...given) => this.noted(this.plain.writeText(...given)),
    moveText: (...given) => this.noted(this.plain.moveText(...given)),
    moveLayout: (...given) => this.noted(this.plain.moveLayout(...given)),
  }

  private noted<T>(writing: Promise<T>): Promise<T> {
    this.clearWrites.add(writing)
    const ended = () => void this.clearWrites.delete(writing)
    writing.then(ended, ended)
    return writing
  }

  private async opened(name: string, stored: StoredBytes | undefined): Promise<StoredBytes | undefined> {
    const { keyring } = this
    if (!stored || keyring.state === "off") return stored
    if (keyring.state === "mixed" && !(await isSealed(stored, name, keyring))) return stored
    return new SealedBytes(stored, name, keyring)
  }
}

/** Whether it is one of this installation's encrypted files: a clear one may begin like one. */
export async function isSealed(stored: StoredBytes, name: string, keyring: Keyring): Promise<boolean> {
  if (stored.size < HEADER_BYTES) return false
  const header = Buffer.from(await new Response(await stored.stream({ start: 0, end: HEADER_BYTES })).arrayBuffer())
  return hasMagic(header) && parseHeader(header, name, keyring.headerKey) !== undefined
}

/** What is to be stored in place of the source under that name. */
export async function* sealedAs(
  name: string,
  source: AsyncIterable<Uint8Array>,
  keyring: Keyring,
  workspaceId: string,
): AsyncGenerator<Buffer> {
  const { id, key } = await keyring.ofWorkspace(workspaceId)
  const header = newHeader(id, name, keyring.headerKey)
  const { salt } = parseHeader(header, name, keyring.headerKey)!
  yield header
  yield* sealAll(new Segments(fileKey(key, salt, name), name), source)
}

class SealedWriter implements BlobWriter {
  constructor(
    private readonly plain: PlainBlobs,
    private readonly keyring: Keyring,
    private readonly workspaceId: string,
  ) {}

  async write(
    name: string,
    source: AsyncIterable<Uint8Array>,
    limitBytes: number,
    signal?: AbortSignal,
  ): Promise<StoredBlob> {
    const intake = new Intake(limitBytes)
    const clear = intake.pass(signal ? endedBy(signal, source) : source)
    await this.plain.store(name, this.sealed(name, clear), { signal })
    return intake.storedAs(name)
  }

  async moveText(fileId: string, generation: number, temporary: string): Promise<void> {
    await using file = await this.sealedFile(textName(fileId, generation), Bun.file(temporary).stream())
    await this.plain.moveText(fileId, generation, file.path)
    if (!isInMemory(temporary)) await rm(temporary, { force: true })
  }

  async moveLayout(fileId: string, generation: number, temporary: string): Promise<void> {
    await using file = await this.sealedFile(layoutName(fileId, generation), Bun.file(temporary).stream())
    await this.plain.moveLayout(fileId, generation, file.path)
    if (!isInMemory(temporary)) await rm(temporary, { force: true })
  }

  async writeText(fileId: string, generation: number, text: string): Promise<void> {
    await using file = await this.sealedFile(textName(fileId, generation), only(Buffer.from(text)))
    await this.plain.moveText(fileId, generation, file.path)
  }

  private async sealedFile(name: string, source: AsyncIterable<Uint8Array>): Promise<LocalFile> {
    const file = this.plain.scratchFile()
    try {
      const sink = Bun.file(file.path).writer()
      for await (const bytes of this.sealed(name, source)) {
        sink.write(bytes)
        await sink.flush()
      }
      await sink.end()
      return file
    } catch (error) {
      await file[Symbol.asyncDispose]()
      throw error
    }
  }

  private sealed(name: string, source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
    return sealedAs(name, source, this.keyring, this.workspaceId)
  }
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.byteLength > 0) yield bytes
}
