/**
 * Originals and texts of several machines, in an object storage that speaks S3: `<prefix>/blobs/…` and `<prefix>/texts/…`,
 * laid out as on disk. An object appears under its name only when it is whole, and is never changed.
 */
import { rm } from "node:fs/promises"
import { basename } from "node:path"
import { EngineError, engineTrouble, OperatorError } from "../../errors.ts"
import { log } from "../../log.ts"
import {
  type ByteRange,
  fanOut,
  type LocalFile,
  layoutName,
  type PlainBlobs,
  type StoredBlob,
  type StoredBytes,
  type StoredName,
  type StoreOptions,
  textName,
} from "./blobs.ts"
import { endedBy } from "./ended-by.ts"
import { Intake } from "./intake.ts"
import { Room } from "./room.ts"
import { Copies } from "./s3/copies.ts"
import { ObjectStore, type S3Address } from "./s3/object-store.ts"
import { checkPlace, MARKER, markPlace, type PlaceOptions } from "./s3/proof.ts"
import { type KnownObject, streamObject } from "./s3/read.ts"
import { Uploader, type UploadOptions } from "./s3/upload.ts"
import { clearScratch, scratchFile, scratchIn } from "./scratch.ts"

/** Who removes waits for it; what a store in trouble keeps is swept later. */
const REMOVAL_LIMIT_MS = 3_000
/** After a removal that the store did not answer, others are left to the sweep for so long. */
const REMOVALS_PAUSE_MS = 5_000
/** Longest wait for uploads that are cut, each of which clears up behind it. */
const CLOSING_MS = 6_000

/** The disk of this machine, for work in progress. */
export interface Scratch {
  dataDirectory: string
  /** Free space to leave. */
  floorBytes: number
}

/** Loads the client; asks nobody yet. */
export async function openS3(address: S3Address, scratch: Scratch): Promise<S3Blobs> {
  return new S3Blobs(await ObjectStore.open(address), address, scratch)
}

export class S3Blobs implements PlainBlobs {
  readonly temporaryDirectory: string
  private readonly prefix: string
  private readonly room: Room
  private readonly uploader: Uploader
  private readonly copies: Copies
  private readonly closing = new AbortController()
  private readonly underWay = new Set<Promise<unknown>>()
  private noRemovalsUntil = 0
  /** What is to be proved of the place before it is used. */
  private unproven: (() => Promise<void>) | undefined
  private proving: Promise<void> | undefined

  constructor(
    private readonly objects: ObjectStore,
    private readonly address: S3Address,
    { dataDirectory, floorBytes }: Scratch,
  ) {
    this.prefix = address.prefix ? `${address.prefix}/` : ""
    this.temporaryDirectory = scratchIn(dataDirectory)
    clearScratch(this.temporaryDirectory)
    this.room = new Room(dataDirectory, floorBytes)
    this.uploader = new Uploader(objects)
    this.copies = new Copies(this.temporaryDirectory)
  }

  /** Whether a cluster that is yet to be made may use the place: see `checkPlace`. */
  check(signal?: AbortSignal): Promise<void> {
    return checkPlace(this.objects, this.address, undefined, { signal })
  }

  /** Checks the place and marks it as that of the cluster. @throws as `checkPlace` */
  async prove(clusterId: string, options: PlaceOptions = {}): Promise<void> {
    await checkPlace(this.objects, this.address, clusterId, options)
    await markPlace(this.objects, this.address, clusterId, options.signal)
    this.unproven = undefined
  }

  /** Each use proves the place first, until it is proved: the store may not answer yet, and turn out to be another's. */
  proveLater(clusterId: string, options: PlaceOptions = {}): void {
    this.unproven = () => this.prove(clusterId, options)
  }

  /** @throws where the store does not answer, and where the place is another's */
  async ask(signal?: AbortSignal): Promise<void> {
    await this.proved()
    await this.objects.size(this.prefix + MARKER, { signal })
  }

  /** Ends what is under way, and waits until nothing of it is left. */
  async close(): Promise<void> {
    this.closing.abort(new Error("the blob storage is closed"))
    await Promise.race([Promise.allSettled(this.underWay), Bun.sleep(CLOSING_MS)])
  }

  /** What is stored is stored as it is, whosever it is. */
  of(): this {
    return this
  }

  scratchFile(): LocalFile {
    return scratchFile(this.temporaryDirectory)
  }

  async write(
    name: string,
    source: AsyncIterable<Uint8Array>,
    limitBytes: number,
    signal?: AbortSignal,
  ): Promise<StoredBlob> {
    const intake = new Intake(limitBytes)
    await this.store(name, intake.pass(signal ? endedBy(signal, source) : source), { signal })
    return intake.storedAs(name)
  }

  store(name: string, source: AsyncIterable<Uint8Array>, { signal, ...options }: StoreOptions = {}): Promise<void> {
    return this.upload(this.blobKey(name), source, options, signal)
  }

  /** They do with the bytes. */
  async keepNames(): Promise<void> {}

  /** Uploads take no room on this machine, and the store has no figure of its own. */
  async assertRoom(): Promise<void> {}

  findOriginal(blob: string): Promise<StoredBytes | undefined> {
    return this.find(this.blobKey(blob))
  }

  findText(fileId: string, generation: number): Promise<StoredBytes | undefined> {
    return this.find(this.textKey(fileId, generation))
  }

  findLayout(fileId: string, generation: number): Promise<StoredBytes | undefined> {
    return this.find(this.layoutKey(fileId, generation))
  }

  async moveLayout(fileId: string, generation: number, temporary: string): Promise<void> {
    await this.upload(this.layoutKey(fileId, generation), Bun.file(temporary).stream(), AS_TEXT)
    await rm(temporary, { force: true })
  }

  async moveText(fileId: string, generation: number, temporary: string): Promise<void> {
    await this.upload(this.textKey(fileId, generation), Bun.file(temporary).stream(), AS_TEXT)
    await rm(temporary, { force: true })
  }

  async writeText(fileId: string, generation: number, text: string): Promise<void> {
    await this.upload(this.textKey(fileId, generation), only(Buffer.from(text)), AS_TEXT)
  }

  remove(blob: string): Promise<void> {
    return this.removeOrSay(this.blobKey(blob))
  }

  async removeText(fileId: string, generation: number): Promise<void> {
    const keys = [this.textKey(fileId, generation), this.layoutKey(fileId, generation)]
    await Promise.all(keys.map(key => this.removeOrSay(key)))
  }

  async removeUnfinished(before: number, signal?: AbortSignal): Promise<number> {
    await this.proved()
    let removed = 0
    for await (const found of this.objects.unfinished(this.prefix, { signal }))
      for (const { key, id, begunAt } of found) {
        if (begunAt >= before) continue
        await this.objects.drop(key, id, { signal })
        removed++
      }
    return removed
  }

  async now(): Promise<number> {
    await this.ask()
    return this.objects.now
  }

  async *list(kind: "blobs" | "texts"): AsyncGenerator<StoredName[]> {
    await this.proved()
    for await (const page of this.objects.list(`${this.prefix}${kind}/`, {}))
      yield page.map(({ key, modifiedAt }) => ({ name: basename(key), modifiedAt }))
  }

  private blobKey(blob: string): string {
    return `${this.prefix}blobs/${fanOut(blob)}/${blob}`
  }

  private textKey(fileId: string, generation: number): string {
    return `${this.prefix}texts/${fanOut(fileId)}/${textName(fileId, generation)}`
  }

  private layoutKey(fileId: string, generation: number): string {
    return `${this.prefix}texts/${fanOut(fileId)}/${layoutName(fileId, generation)}`
  }

  /** @throws EngineError: whoever waits for the store waits until an operator has given it the right place */
  private async proved(): Promise<void> {
    if (!this.unproven) return
    this.proving ??= this.unproven().finally(() => {
      this.proving = undefined
    })
    try {
      await this.proving
    } catch (cause) {
      throw cause instanceof OperatorError ? new EngineError("blobs", cause.message, { cause }) : cause
    }
  }

  private async find(key: string): Promise<StoredBytes | undefined> {
    await this.proved()
    const size = await this.objects.size(key)
    return size === undefined ? undefined : new StoredObject(this.objects, { key, size }, this.copies, this.room)
  }

  private async upload(key: string, source: AsyncIterable<Uint8Array>, options: UploadOptions, signal?: AbortSignal) {
    await this.proved()
    const { closing, underWay } = this
    const work = this.uploader.upload(
      key,
      source,
      options,
      signal ? AbortSignal.any([signal, closing.signal]) : closing.signal,
    )
    underWay.add(work)
    return work.finally(() => underWay.delete(work))
  }

  private async removeOrSay(key: string): Promise<void> {
    if (performance.now() < this.noRemovalsUntil) return
    try {
      await this.proved()
      await this.objects.remove(key, { limitMs: REMOVAL_LIMIT_MS })
    } catch (error) {
      if (engineTrouble(error)) this.noRemovalsUntil = performance.now() + REMOVALS_PAUSE_MS
      log.warn("a stored file could not be removed", { error })
    }
  }
}

class StoredObject implements StoredBytes {
  constructor(
    private readonly store: ObjectStore,
    private readonly object: KnownObject,
    private readonly copies: Copies,
    private readonly room: Room,
  ) {}

  get size(): number {
    return this.object.size
  }

  stream(range?: ByteRange, signal?: AbortSignal): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    return streamObject(this.store, this.object, range, signal)
  }

  async local(signal?: AbortSignal): Promise<LocalFile> {
    await this.room.assert()
    return this.copies.get(this.object.key, stop => this.stream(undefined, stop), signal)
  }
}

/** A worker that has lost its job may be about to store what its successor has stored and published. */
const AS_TEXT: UploadOptions = { replaces: true }

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
