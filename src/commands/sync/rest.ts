import { orAbort } from "../../threads/or-abort.ts"

/** More overflows, and would be no rest at all. */
const MAX_MS = 2 ** 31 - 1

/** Waits so long, or until `early` settles. @throws the reason of the signal */
export async function rest(ms: number, signal: AbortSignal, early?: Promise<void>): Promise<void> {
  signal.throwIfAborted()
  const over = Promise.withResolvers<void>()
  const timer = setTimeout(over.resolve, Math.min(ms, MAX_MS))
  try {
    await orAbort(early ? Promise.race([over.promise, early]) : over.promise, signal)
  } finally {
    clearTimeout(timer)
  }
}
