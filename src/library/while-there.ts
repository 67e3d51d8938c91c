import type { StoredBytes } from "../storage/blobs/blobs.ts"

/**
 * Bytes of a file that may be deleted while they are opened.
 * @param look throws where it was: that is told then, and not that its bytes are missing
 */
export function whileThere(bytes: StoredBytes, look: () => Promise<unknown>): StoredBytes {
  const opened = <T>(opening: Promise<T>): Promise<T> =>
    opening.catch(async error => {
      await look()
      throw error
    })
  return {
    get size() {
      return bytes.size
    },
    stream: (range, signal) => opened(bytes.stream(range, signal)),
    local: signal => opened(bytes.local(signal)),
  }
}
