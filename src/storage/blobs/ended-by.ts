import { orAbort } from "../../threads/or-abort.ts"

/** The chunks of a source; ends with the reason of the signal even where the source never goes on. */
export async function* endedBy(signal: AbortSignal, source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const chunks = source[Symbol.asyncIterator]()
  let isDone = false
  try {
    for (;;) {
      const next = await orAbort(chunks.next(), signal)
      isDone = next.done === true
      if (next.done) return
      yield next.value
    }
  } finally {
    if (!isDone) void Promise.resolve(chunks.return?.()).catch(() => {})
  }
}
