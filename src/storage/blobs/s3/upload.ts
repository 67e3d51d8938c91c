/**
 * Streams into an object storage with flat memory: parts of 8 MiB, one after the other, or a single request for what has no
 * more. Nothing is left behind when it ends early: no object, and no upload that is neither complete nor dropped.
 */
import { log } from "../../../log.ts"
import { Gate } from "../../../threads/gate.ts"
import { orAbort } from "../../../threads/or-abort.ts"
import { endedBy } from "../ended-by.ts"
import type { AskOptions, ObjectStore, UploadedPart } from "./object-store.ts"

export const PART_BYTES = 8 * 2 ** 20
/** An upload takes memory as it grows; most are small. */
const FIRST_BYTES = 64 * 1024
/** Parts sent at the same time: each has to make it within its time limit. */
const SENT_AT_ONCE = 8
/** For what is cleared away after a failure: the server may be what failed. */
const CLEARING_MS = 3_000

export interface UploadOptions {
  /** Another node may have written under that name, which stays where this fails. */
  replaces?: boolean
}

export class Uploader {
  private readonly gate = new Gate({
    places: SENT_AT_ONCE,
    placesPerKey: SENT_AT_ONCE,
    waiting: Number.POSITIVE_INFINITY,
    refusal: "too many parts wait to be stored",
    retryAfterSeconds: 1,
  })

  constructor(private readonly store: ObjectStore) {}

  /** @throws EngineError; the reason of `signal`; what `source` throws */
  async upload(
    key: string,
    source: AsyncIterable<Uint8Array>,
    { replaces = false }: UploadOptions,
    signal: AbortSignal,
  ): Promise<void> {
    const upload = new Upload(this.store, key, signal)
    let size = 0
    try {
      for await (const chunk of endedBy(signal, source)) {
        size += chunk.byteLength
        for (let at = 0; at < chunk.byteLength; ) {
          at += upload.take(chunk, at)
          if (upload.isFull) await this.inTurn(signal, () => upload.sendPart())
        }
      }
      await this.inTurn(signal, () => upload.finish(size))
    } catch (error) {
      await upload.clear(!replaces)
      throw error
    }
  }

  private async inTurn(signal: AbortSignal, send: () => Promise<void>): Promise<void> {
    const place = this.gate.enter("")
    try {
      await place.turn(signal)
      await send()
    } finally {
      place.leave()
    }
  }
}

class Upload {
  private buffer = Buffer.allocUnsafeSlow(FIRST_BYTES)
  private filled = 0
  /** The id, once a part was to be sent. */
  private beginning: Promise<string> | undefined
  /** What makes the object appear. */
  private ending: Promise<void> | undefined
  private readonly parts: UploadedPart[] = []

  constructor(
    private readonly store: ObjectStore,
    private readonly key: string,
    private readonly signal: AbortSignal,
  ) {}

  get isFull(): boolean {
    return this.filled === PART_BYTES
  }

  /** @returns how many bytes from `at` on were taken */
  take(chunk: Uint8Array, at: number): number {
    const count = Math.min(chunk.byteLength - at, PART_BYTES - this.filled)
    this.grow(this.filled + count)
    this.buffer.set(chunk.subarray(at, at + count), this.filled)
    this.filled += count
    return count
  }

  async sendPart(): Promise<void> {
    const { store, key, signal, parts } = this
    this.beginning ??= store.begin(key) // not cut: without its id it could not be dropped
    const id = await orAbort(this.beginning, signal)
    parts.push(await store.part(key, id, parts.length + 1, this.content, { signal }))
    this.filled = 0
  }

  async finish(size: number): Promise<void> {
    const { store, key, signal, parts } = this
    if (this.beginning && this.filled > 0) await this.sendPart()
    signal.throwIfAborted()
    // Not cut: what a server goes on with could not be removed yet.
    this.ending = this.beginning
      ? store.complete(key, await this.beginning, { parts, size })
      : store.put(key, this.content)
    await orAbort(this.ending, signal)
  }

  /** Never fails: what it cannot remove is swept later. @param isNew no other wrote under that name */
  async clear(isNew: boolean): Promise<void> {
    if (!this.beginning && !this.ending) return
    const options = { limitMs: CLEARING_MS }
    await this.ending?.catch(() => {})
    const dropped = this.drop(options)
    // An answer that did not reach us may have been the one that said that all is stored.
    const removed = isNew ? this.store.remove(this.key, options) : undefined
    for (const end of await Promise.allSettled([dropped, removed]))
      if (end.status === "rejected")
        log.warn("what an upload left in the blob storage could not be removed yet", { error: end.reason })
  }

  private async drop(options: AskOptions): Promise<void> {
    if (!this.beginning) return
    const id = await this.beginning.catch(() => undefined)
    if (id !== undefined) return this.store.drop(this.key, id, options)
    // It may have begun all the same.
    for await (const found of this.store.unfinished(this.key, options))
      for (const { key, id } of found) if (key === this.key) await this.store.drop(key, id, options)
  }

  private get content(): Uint8Array {
    return this.buffer.subarray(0, this.filled)
  }

  private grow(needed: number): void {
    if (needed <= this.buffer.byteLength) return
    const larger = Buffer.allocUnsafeSlow(Math.min(PART_BYTES, Math.max(needed, 2 * this.buffer.byteLength)))
    larger.set(this.content)
    this.buffer = larger
  }
}
