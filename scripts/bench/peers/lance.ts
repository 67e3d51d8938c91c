/** LanceDB's full text, and its own hybrid query: full text and nearest vectors, joined by its reciprocal ranks. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Table } from "@lancedb/lancedb"
import { DEPTH, type Passages, type Peer, queryVector } from "./peer.ts"

/** Rows given to LanceDB at a time. */
const BATCH = 10_000

export async function openLance({ texts }: Passages): Promise<Peer> {
  const { table, close } = await fill(texts.length, id => ({ id, text: texts[id] }))
  return {
    async search(query) {
      return idsOf(await table.query().fullTextSearch(query).select(["id", "_score"]).limit(DEPTH).toArray())
    },
    close,
  }
}

export async function openLanceHybrid(passages: Passages): Promise<Peer> {
  const { texts, vectors } = passages
  const { table, close } = await fill(texts.length, id => ({ id, text: texts[id], vector: Array.from(vectors[id]!) }))
  const { rerankers } = await import("@lancedb/lancedb")
  const reranker = await rerankers.RRFReranker.create()
  return {
    async search(query) {
      const search = table
        .query()
        .nearestTo(await queryVector(query, passages))
        .distanceType("cosine")
      return idsOf(await search.fullTextSearch(query).rerank(reranker).select(["id"]).limit(DEPTH).toArray())
    },
    close,
  }
}

async function fill(
  count: number,
  row: (id: number) => Record<string, unknown>,
): Promise<{ table: Table; close: Peer["close"] }> {
  const { connect, Index } = await import("@lancedb/lancedb")
  const directory = mkdtempSync(join(tmpdir(), "bench-lance-"))
  const connection = await connect(directory)
  const batch = (from: number) => Array.from({ length: Math.min(BATCH, count - from) }, (_, i) => row(from + i))
  const table = await connection.createTable("passages", batch(0))
  for (let from = BATCH; from < count; from += BATCH) await table.add(batch(from))
  await table.createIndex("text", { config: Index.fts({ stem: true, removeStopWords: true, language: "English" }) })
  await table.optimize()
  const close = async () => {
    table.close()
    rmSync(directory, { recursive: true, force: true })
  }
  return { table, close }
}

const idsOf = (rows: { id: number | bigint }[]): number[] => rows.map(({ id }) => Number(id))
