/** Holds an index of the engine against the generations of the database, by how many passages of each it has. */
import type { Database } from "../../storage/database.ts"
import { type IdRanges, toRanges } from "../ids/id-ranges.ts"
import type { OpenSearchClient } from "./client.ts"

export interface Comparison {
  /** Ids of generations that are or may become visible, and of which passages are missing. */
  lacking: IdRanges
  /** Generations that the database does not know, with how many passages there are of each. */
  unknown: Map<number, number>
}

/** Generations compared at a time; those between the first and the last are one range, so that each passage is counted once. */
const TILE = 5_000
const BUCKETS = 10_000
const TIMEOUT_MS = 120_000

/** The index is to be refreshed before. Changes meanwhile make it see less that is lacking, never an unknown one too many. */
export async function compare(db: Database, client: OpenSearchClient, index: string): Promise<Comparison> {
  const lacking: [number, number][] = []
  const unknown = new Map<number, number>()
  for (let after = 0, isLast = false; !isLast; ) {
    const rows = await db
      .selectFrom("generations")
      .select(["id", "first_chunk as first", "last_chunk as last", "state"])
      .where("id", ">", after)
      .orderBy("id")
      .limit(TILE)
      .execute()
    isLast = rows.length < TILE
    const counts = await countsOf(client, index, { gt: after, ...(isLast ? {} : { lte: rows.at(-1)!.id }) })
    for (const { id, first, last, state } of rows) {
      if ((state === "live" || state === "staged") && counts.get(id) !== last - first + 1) lacking.push([first, last])
      counts.delete(id)
    }
    // A generation is recorded before anything of it is written.
    for (const id of await recorded(db, [...counts.keys()])) counts.delete(id)
    for (const [id, count] of counts) unknown.set(id, count)
    if (!isLast) after = rows.at(-1)!.id
  }
  return { lacking: toRanges(lacking), unknown }
}

async function recorded(db: Database, ids: number[]): Promise<number[]> {
  const known: number[] = []
  for (let from = 0; from < ids.length; from += TILE) {
    const some = ids.slice(from, from + TILE)
    const rows = await db.selectFrom("generations").select("id").where("id", "in", some).execute()
    known.push(...rows.map(({ id }) => id))
  }
  return known
}

interface CountsAnswer {
  aggregations: { g: { buckets: { key: { g: number }; doc_count: number }[]; after_key?: { g: number } } }
}

/** Passages by generation. */
async function countsOf(
  client: OpenSearchClient,
  index: string,
  range: { gt: number; lte?: number },
): Promise<Map<number, number>> {
  const counts = new Map<number, number>()
  for (let after: { g: number } | undefined; ; ) {
    const composite = { size: BUCKETS, sources: [{ g: { terms: { field: "g" } } }], ...(after ? { after } : {}) }
    const body = { size: 0, track_total_hits: false, query: { range: { g: range } }, aggs: { g: { composite } } }
    const path = `${index}/_search?allow_partial_search_results=false`
    const { g } = (await client.ask<CountsAnswer>("POST", path, { body, timeoutMs: TIMEOUT_MS })).aggregations
    for (const { key, doc_count } of g.buckets) counts.set(key.g, doc_count)
    if (g.buckets.length < BUCKETS) return counts
    after = g.after_key
  }
}
