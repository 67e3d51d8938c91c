import { wait } from "./retries.ts"

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 2_000

/**
 * Looks again and again, ever less often, until it is so.
 * @throws whatever `look` and `isSo` throw; the signal's reason
 */
export async function looked<T>(
  look: () => Promise<T>,
  isSo: (found: T) => boolean,
  signal: AbortSignal | undefined,
): Promise<T> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(LONGEST_PAUSE_MS, pause * 1.5)) {
    const found = await look()
    if (isSo(found)) return found
    await wait(pause, signal)
  }
}
