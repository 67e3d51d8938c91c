import type { ByteRange, LocalFile, StoredBytes } from "../blobs/blobs.ts"
import type { Keyring } from "./keyring.ts"
import { inMemory } from "./memory-file.ts"
import {
  clearSize,
  DamagedError,
  fileKey,
  HEADER_BYTES,
  openAll,
  parseHeader,
  SEALED_SEGMENT_BYTES,
  SEGMENT_BYTES,
  Segments,
} from "./segments.ts"

/** An encrypted file as the clear one that it stands for. */
export class SealedBytes implements StoredBytes {
  readonly size: number
  private segments: Promise<Segments> | undefined

  /** @throws DamagedError for what no encrypted file has as its size */
  constructor(
    private readonly stored: StoredBytes,
    private readonly name: string,
    private readonly keyring: Keyring,
  ) {
    this.size = clearSize(stored.size - HEADER_BYTES, name)
  }

  /** Reads the segments that the range touches. @throws DamagedError, here or while it is read */
  async stream(
    range: ByteRange = { start: 0, end: this.size },
    signal?: AbortSignal,
  ): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    const start = Math.max(0, range.start)
    const end = Math.min(range.end, this.size)
    const segments = await this.opened(signal)
    if (start >= end && this.size > 0) return new Blob([]).stream()
    const first = Math.floor(start / SEGMENT_BYTES)
    const behind = Math.max(first + 1, Math.ceil(end / SEGMENT_BYTES))
    const isWhole = behind * SEGMENT_BYTES >= this.size
    const stored = await this.stored.stream(
      {
        start: HEADER_BYTES + first * SEALED_SEGMENT_BYTES,
        end: Math.min(HEADER_BYTES + behind * SEALED_SEGMENT_BYTES, this.stored.size),
      },
      signal,
    )
    const clear = openAll(segments, stored, { first, isWhole })
    return streamOf(part(clear, start - first * SEGMENT_BYTES, end - first * SEGMENT_BYTES), end - start)
  }

  /** In memory: nothing clear comes to the disk. */
  async local(signal?: AbortSignal): Promise<LocalFile> {
    signal?.throwIfAborted()
    return inMemory(await this.stream(undefined, signal))
  }

  private opened(signal: AbortSignal | undefined): Promise<Segments> {
    this.segments ??= this.open(signal)
    return this.segments
  }

  private async open(signal: AbortSignal | undefined): Promise<Segments> {
    const { stored, name, keyring } = this
    const bytes = await new Response(await stored.stream({ start: 0, end: HEADER_BYTES }, signal)).arrayBuffer()
    const header = parseHeader(Buffer.from(bytes), name, keyring.headerKey)
    if (!header) throw new DamagedError(name)
    const { key } = await keyring.get(header.keyId)
    return new Segments(fileKey(key, header.salt, name), name)
  }
}

/** Bytes `start..end` of the source. */
async function* part(
  source: AsyncIterable<Buffer<ArrayBuffer>>,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>, undefined> {
  let at = 0
  for await (const piece of source) {
    const from = Math.max(0, start - at)
    const to = Math.min(piece.byteLength, end - at)
    if (from < to) yield piece.subarray(from, to)
    at += piece.byteLength
  }
  return undefined
}

/** Read as it is asked for; what is given up is ended at its source. The first piece is there when this returns. */
async function streamOf(
  pieces: AsyncGenerator<Uint8Array<ArrayBuffer>, undefined>,
  length: number,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  let first: IteratorResult<Uint8Array<ArrayBuffer>, undefined> | undefined = await pieces.next()
  // A stream of the runtime's own: as the body of a response it tells its length.
  if (first.done || first.value.byteLength === length) return new Blob(first.done ? [] : [first.value]).stream()
  return new ReadableStream(
    {
      async pull(controller) {
        const next = first ?? (await pieces.next())
        first = undefined
        if (next.done) controller.close()
        else controller.enqueue(next.value)
      },
      async cancel() {
        await pieces.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
}
