/** When something is tried again. */
import { ApiError, ConnectionError, TimeoutError } from "./api-error.ts"

/** Before the second try, and where it stops to double. Tests shorten the first. */
export const PAUSE = { firstMs: 500, longestMs: 8_000 }

/** Milliseconds until the next try; undefined where another makes no sense. */
export function pauseAfter(error: unknown, tries: number, isSafe: boolean): number | undefined {
  const own = Math.min(PAUSE.longestMs, PAUSE.firstMs * 2 ** tries) * (0.5 + Math.random() / 2)
  if (error instanceof ConnectionError || error instanceof TimeoutError) return isSafe ? own : undefined
  if (!(error instanceof ApiError)) return undefined
  // 429 and 503 are said before anything is done; 502 is said of what was tried.
  const isRefused = error.status === 429 || error.status === 503
  if (!isRefused && !(error.status === 502 && isSafe)) return undefined
  return error.retryAfter === undefined ? own : error.retryAfter * 1_000 + Math.random() * 250
}

/** @throws the signal's reason */
export function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal!.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop)
      resolve()
    }, ms)
    if (signal?.aborted) stop()
    else signal?.addEventListener("abort", stop, { once: true })
  })
}
