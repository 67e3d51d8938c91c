/** Fingerprints that are made of the bytes, for places whose own differ from run to run, such as a folder that is checked out anew. */

import { HASHED } from "../../sources/brought.ts"
import { type Connector, type Entry, Outage } from "../../sources/connector.ts"
import type { Progress } from "../progress.ts"

const TOGETHER = 4

/** The entries under the sha256 of their bytes. One that cannot be read keeps its own: bringing it tells why. */
export async function checksummed(
  connector: Connector,
  entries: readonly Entry[],
  progress: Progress,
  signal: AbortSignal,
): Promise<Entry[]> {
  const hashed = [...entries]
  const left = entries.entries()
  let done = 0
  progress.step("Reading", "files")
  const work = async () => {
    for (const [at, entry] of left) {
      const hash = await hashOf(connector, entry, signal)
      if (hash) hashed[at] = { ...entry, fingerprint: HASHED + hash }
      progress.update(++done, entries.length)
    }
  }
  await Promise.all(Array.from({ length: connector.parallel ?? TOGETHER }, work))
  return hashed
}

async function hashOf(connector: Connector, entry: Entry, signal: AbortSignal): Promise<string | undefined> {
  try {
    const read = await connector.read(entry, signal)
    if (!read) return undefined
    const hasher = new Bun.CryptoHasher("sha256")
    for await (const bytes of read.bytes) hasher.update(bytes)
    return hasher.digest("hex")
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof Outage) throw error
    return undefined
  }
}
