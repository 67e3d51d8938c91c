/** What the engine holds, and how removed passages leave its disks. */
import { log } from "../../log.ts"
import type { Tier } from "../../storage/chunk-tables.ts"
import type { StoreStats } from "../passage-store.ts"
import type { Extent } from "../thread/worker-messages.ts"
import type { OpenSearchClient } from "./client.ts"

/** An index that is written anew soon after a removal, in a second or so. */
const SMALL_BYTES = 64 * 2 ** 20
/** One that is not written anew for every removal: it takes minutes of the engine's disks. */
const LARGE_BYTES = 8 * 2 ** 30
const REST_MS = 24 * 3_600_000
/** The engine goes on when nobody waits any more. */
const EXPUNGE_TIMEOUT_MS = 600_000

interface Stats {
  docs: { count: number; deleted: number }
  store: { size_in_bytes: number }
  segments: { count: number }
  merges: { current: number; total: number }
}

const statsIn = async (client: OpenSearchClient, index: string): Promise<Stats> => {
  const path = `${index}/_stats/docs,store,segments,merge?ignore_unavailable=true`
  return (await client.ask<{ _all: { primaries: Stats } }>("GET", path))._all.primaries
}

/**
 * Merges the segments that hold removed passages, so that nothing of these is left in a segment: the engine keeps removed
 * documents for copies that fall behind, until the next merge after that.
 */
export class Expunging {
  /** When an index was last written anew. */
  private readonly doneAt = new Map<string, number>()

  constructor(private readonly client: OpenSearchClient) {}

  /** `small`: indexes that take a second or so. Large ones are left alone for a day after the last time. */
  async run(indexes: readonly string[], extent: Extent): Promise<void> {
    for (const index of indexes) {
      const { docs, store } = await statsIn(this.client, index)
      if (!docs?.deleted) continue
      const bytes = store.size_in_bytes
      const restedMs = performance.now() - (this.doneAt.get(index) ?? Number.NEGATIVE_INFINITY)
      if ((extent === "small" && bytes > SMALL_BYTES) || (bytes > LARGE_BYTES && restedMs < REST_MS)) continue
      this.doneAt.set(index, performance.now())
      await this.client.ask("POST", `${index}/_flush?ignore_unavailable=true`, { timeoutMs: EXPUNGE_TIMEOUT_MS })
      const path = `${index}/_forcemerge?only_expunge_deletes=true&ignore_unavailable=true`
      await this.client.ask("POST", path, { timeoutMs: EXPUNGE_TIMEOUT_MS })
      log.debug("removed passages were erased", { index, passages: docs.deleted })
    }
  }

  /** Whether no segment of any copy holds a removed passage. */
  async isDone(indexes: readonly string[]): Promise<boolean> {
    for (const index of indexes) {
      const path = `${index}/_stats/docs?ignore_unavailable=true`
      const { _all } = await this.client.ask<{ _all: { total: Partial<Pick<Stats, "docs">> } }>("GET", path)
      if (_all.total.docs?.deleted) return false
    }
    return true
  }
}

export async function statsOf(
  client: OpenSearchClient,
  words: string,
  vectors: readonly { tier: Tier; name: string; index: string }[],
): Promise<StoreStats> {
  const [byWords, ...byMeaning] = await Promise.all(
    [words, ...vectors.map(({ index }) => index)].map(index => statsIn(client, index)),
  )
  const held = vectors.map(({ tier, name }, nth) => {
    const { docs, store } = byMeaning[nth]!
    return [tier, { table: name, count: docs?.count ?? 0, bytes: store?.size_in_bytes ?? 0 }] as const
  })
  return {
    segments: byWords!.segments?.count ?? 0,
    passages: byWords!.docs?.count ?? 0,
    vectors: Object.fromEntries(held),
    keywordBytes: byWords!.store?.size_in_bytes ?? 0,
    merges: byWords!.merges?.total ?? 0,
    merging: (byWords!.merges?.current ?? 0) > 0,
    longestSliceMs: 0,
    optimize: { runs: 0, failures: 0, last: null },
  }
}
