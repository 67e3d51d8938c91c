/**
 * Objects as streams. Each piece is a request of its own: memory stays flat however slowly it is read, a client that
 * sleeps holds no connection, and what hangs is found out.
 */
import { EngineError } from "../../../errors.ts"
import type { ByteRange } from "../blobs.ts"
import type { ObjectStore } from "./object-store.ts"

const PIECE_BYTES = 4 * 2 ** 20

/** An object and what is known of it. */
export interface KnownObject {
  key: string
  /** Bytes. */
  size: number
}

/**
 * The bytes of the range that there are. The first piece is there when this returns, so that a store that does not
 * answer is told before the stream begins.
 * @throws EngineError, the reason of `signal`; so does the stream
 */
export async function streamObject(
  store: ObjectStore,
  { key, size }: KnownObject,
  range: ByteRange = { start: 0, end: size },
  signal?: AbortSignal,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const stop = new AbortController()
  const pieces = readPieces(
    store,
    key,
    { start: Math.max(0, range.start), end: Math.min(range.end, size) },
    signal ? AbortSignal.any([signal, stop.signal]) : stop.signal,
  )
  let first: IteratorResult<Uint8Array<ArrayBuffer>> | undefined = await pieces.next()
  const length = Math.max(0, Math.min(range.end, size) - Math.max(0, range.start))
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
      cancel: reason => stop.abort(reason),
    },
    { highWaterMark: 0 },
  )
}

async function* readPieces(
  store: ObjectStore,
  key: string,
  { start, end }: ByteRange,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array<ArrayBuffer>, undefined> {
  let mark: string | undefined
  for (let at = start; at < end; ) {
    const last = Math.min(at + PIECE_BYTES, end) - 1
    const { bytes, etag } = await store.get(key, { first: at, last }, { signal })
    mark ??= etag
    if (etag !== mark) throw new EngineError("blobs", "an object was changed while it was read", { answered: true })
    if (bytes.byteLength !== last + 1 - at)
      throw new EngineError("blobs", "an object is shorter than it was", { answered: true })
    yield bytes as Uint8Array<ArrayBuffer>
    at = last + 1
  }
  return undefined
}
