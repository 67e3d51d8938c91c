/**
 * Other engines on the same passages, as far as they come with the product's own dependencies: SQLite FTS5 and LanceDB's
 * full text. (sqlite-vec, Orama and MiniSearch are not installed; the comparison that chose the design measured them.)
 */
import { Database } from "bun:sqlite"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Embedder } from "../../src/backends/backend.ts"

export interface Peer {
  name: string
  /** Rows of the passages, best first. */
  search(query: string): Promise<number[]>
  close(): Promise<void>
}

const DEPTH = 100
/** Rows given to LanceDB at a time. */
const BATCH = 10_000

/** With an embedder also LanceDB's hybrid: full text and nearest vectors, joined by reciprocal ranks. */
export async function openPeers(passages: string[], embedder?: Embedder): Promise<Peer[]> {
  const peers = [fullText5(passages), await lance(passages, undefined)]
  return embedder ? [...peers, await lance(passages, embedder)] : peers
}

function fullText5(passages: string[]): Peer {
  const db = new Database(":memory:")
  db.exec("create virtual table passages using fts5(text, tokenize = 'porter unicode61')")
  const insert = db.prepare("insert into passages (rowid, text) values (?, ?)")
  db.transaction(() => {
    for (const [row, text] of passages.entries()) insert.run(row + 1, text)
  })()
  const find = db.prepare("select rowid as id from passages where passages match ? order by bm25(passages) limit ?")
  return {
    name: "FTS5 porter",
    async search(query) {
      const words = query.match(/[\p{L}\p{N}]+/gu) ?? []
      if (words.length === 0) return []
      const rows = find.all(words.map(word => `"${word}"`).join(" OR "), DEPTH) as { id: number }[]
      return rows.map(({ id }) => id - 1)
    },
    async close() {
      db.close()
    },
  }
}

async function lance(passages: string[], embedder: Embedder | undefined): Promise<Peer> {
  const lancedb = await import("@lancedb/lancedb")
  const directory = mkdtempSync(join(tmpdir(), "bench-lance-"))
  const connection = await lancedb.connect(directory)
  const rows = async (from: number) => {
    const texts = passages.slice(from, from + BATCH)
    const vectors = await embedder?.embed(texts, "passage")
    return texts.map((text, i) => ({ id: from + i, text, ...(vectors ? { vector: Array.from(vectors[i]!) } : {}) }))
  }
  const table = await connection.createTable("passages", await rows(0))
  for (let from = BATCH; from < passages.length; from += BATCH) await table.add(await rows(from))
  await table.createIndex("text", {
    config: lancedb.Index.fts({ stem: true, removeStopWords: true, language: "English" }),
  })
  await table.optimize()
  const byWords = async (query: string) =>
    idsOf(await table.query().fullTextSearch(query).select(["id", "_score"]).limit(DEPTH).toArray())
  const byMeaning = async (query: string, { embed }: Embedder) => {
    const [vector] = await embed([query], "query")
    const search = table.vectorSearch(vector!).distanceType("cosine").select(["id", "_distance"])
    return idsOf(await search.limit(DEPTH).toArray())
  }
  return {
    name: embedder ? "LanceDB hybrid" : "LanceDB FTS",
    async search(query) {
      if (!embedder) return byWords(query)
      const scores = new Map<number, number>()
      for (const list of await Promise.all([byWords(query), byMeaning(query, embedder)]))
        for (const [rank, id] of list.entries()) scores.set(id, (scores.get(id) ?? 0) + 1 / (60 + rank + 1))
      return [...scores].sort((a, b) => b[1] - a[1]).map(([id]) => id)
    },
    async close() {
      table.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

const idsOf = (rows: { id: number | bigint }[]): number[] => rows.map(({ id }) => Number(id))
