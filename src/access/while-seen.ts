import { AppError } from "../errors.ts"
import { log } from "../log.ts"
import { orAbort } from "../threads/or-abort.ts"

/** As often as the credentials of open requests are looked at. */
const LOOK_MS = 500

/**
 * The items of a source until the caller may not see it any more.
 * @param isSeen asked twice a second; where it fails the next look decides
 * @throws AppError not_found once it is not seen; what the source throws
 */
export async function* whileSeen<Item>(
  source: (signal: AbortSignal) => AsyncIterable<Item>,
  isSeen: () => Promise<boolean>,
  signal: AbortSignal,
): AsyncGenerator<Item> {
  const unseen = new AbortController()
  const look = async () => {
    try {
      if (!(await isSeen())) unseen.abort(new AppError("not_found"))
    } catch (error) {
      log.debug("whether an open stream is still seen could not be asked", { error })
    }
  }
  const timer = setInterval(() => void look(), LOOK_MS)
  const items = source(AbortSignal.any([signal, unseen.signal]))[Symbol.asyncIterator]()
  try {
    for (;;) {
      const { value, done } = await orAbort(items.next(), unseen.signal)
      if (done) return
      yield value
    }
  } finally {
    clearInterval(timer)
    // One that waits for its next item is not waited for.
    void items.return?.()
  }
}
