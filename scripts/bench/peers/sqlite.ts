/** SQLite's full text, alone and with the vectors of sqlite-vec, in a database in memory. */
import { Database } from "bun:sqlite"
import { load } from "./install.ts"
import { DEPTH, type Passages, type Peer, queryVector, reciprocalRanks } from "./peer.ts"

export async function openFts5({ texts }: Passages): Promise<Peer> {
  const db = new Database(":memory:")
  const byWords = fillWords(db, texts)
  return {
    search: async query => byWords(query),
    close: async () => db.close(),
  }
}

/** Every vector is compared: sqlite-vec has no approximate index. */
export async function openSqliteVec(passages: Passages): Promise<Peer> {
  const { load: loadInto } = await load<{ load(db: Database): void }>("sqlite-vec")
  const db = new Database(":memory:")
  loadInto(db)
  const byWords = fillWords(db, passages.texts)
  const dimensions = passages.embedder.dimensions
  db.exec(`create virtual table vectors using vec0(embedding float[${dimensions}] distance_metric=cosine)`)
  const insert = db.prepare("insert into vectors (rowid, embedding) values (?, ?)")
  db.transaction(() => {
    for (const [row, vector] of passages.vectors.entries()) insert.run(row + 1, bytesOf(vector))
  })()
  const find = db.prepare("select rowid as id from vectors where embedding match ? and k = ? order by distance")
  const byMeaning = async (query: string) =>
    rowsOf(find.all(bytesOf(await queryVector(query, passages)), Math.min(DEPTH, passages.texts.length)))
  return {
    search: async query => reciprocalRanks([byWords(query), await byMeaning(query)]),
    close: async () => db.close(),
  }
}

function fillWords(db: Database, texts: string[]): (query: string) => number[] {
  db.exec("create virtual table passages using fts5(text, tokenize = 'porter unicode61')")
  const insert = db.prepare("insert into passages (rowid, text) values (?, ?)")
  db.transaction(() => {
    for (const [row, text] of texts.entries()) insert.run(row + 1, text)
  })()
  const find = db.prepare("select rowid as id from passages where passages match ? order by bm25(passages) limit ?")
  return query => {
    const words = query.match(/[\p{L}\p{N}]+/gu) ?? []
    return words.length === 0 ? [] : rowsOf(find.all(words.map(word => `"${word}"`).join(" OR "), DEPTH))
  }
}

const rowsOf = (rows: unknown[]): number[] => (rows as { id: number }[]).map(({ id }) => id - 1)

const bytesOf = ({ buffer, byteOffset, byteLength }: Float32Array) => new Uint8Array(buffer, byteOffset, byteLength)
