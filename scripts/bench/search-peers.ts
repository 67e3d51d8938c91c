/**
 * Other engines on the same passages, as far as they come with the product's own dependencies: SQLite FTS5 and LanceDB's
 * full text. (sqlite-vec, Orama and MiniSearch are not installed; the comparison that chose the design measured them.)
 */
import { Database } from "bun:sqlite"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export interface Peer {
  name: string
  /** Rows of the passages, best first. */
  search(query: string): Promise<number[]>
  close(): Promise<void>
}

const DEPTH = 100

export async function openPeers(passages: string[]): Promise<Peer[]> {
  return [fullText5(passages), await lanceFullText(passages)]
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

async function lanceFullText(passages: string[]): Promise<Peer> {
  const lancedb = await import("@lancedb/lancedb")
  const directory = mkdtempSync(join(tmpdir(), "bench-lance-"))
  const connection = await lancedb.connect(directory)
  const table = await connection.createTable(
    "passages",
    passages.map((text, id) => ({ id, text })),
  )
  await table.createIndex("text", {
    config: lancedb.Index.fts({ stem: true, removeStopWords: true, language: "English" }),
  })
  return {
    name: "LanceDB FTS",
    async search(query) {
      const rows = await table.query().fullTextSearch(query).select(["id"]).limit(DEPTH).toArray()
      return rows.map((row: { id: number | bigint }) => Number(row.id))
    },
    async close() {
      table.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
