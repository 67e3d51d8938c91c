/** Vectors kept in a file between measurements: the quality model takes minutes for what fusion takes seconds. */
import { Database } from "bun:sqlite"
import type { Embedder } from "../../src/backends/backend.ts"

type Kept = { vector: Uint8Array }

/** @param path of an SQLite file, made where it is missing; it may hold vectors of several models */
export function keepVectors(embedder: Embedder, path: string): Embedder {
  const db = new Database(path)
  db.run("PRAGMA journal_mode = wal; PRAGMA busy_timeout = 60000")
  db.run("CREATE TABLE IF NOT EXISTS vectors (key TEXT PRIMARY KEY, vector BLOB) WITHOUT ROWID")
  const find = db.query<Kept, [string]>("SELECT vector FROM vectors WHERE key = ?")
  const put = db.query("INSERT OR REPLACE INTO vectors VALUES (?, ?)")
  const embed: Embedder["embed"] = async (texts, role, signal) => {
    const keys = texts.map(text => Bun.SHA256.hash(JSON.stringify([embedder.model, role, text]), "hex"))
    const missing = [...keys.keys()].filter(at => !find.get(keys[at]!))
    // A few at a time, so that what is done is kept when the measurement is cut off.
    for (let from = 0; from < missing.length; from += 32) {
      const some = missing.slice(from, from + 32)
      const vectors = await embedder.embed(
        some.map(at => texts[at]!),
        role,
        signal,
      )
      for (const [i, at] of some.entries()) put.run(keys[at]!, new Uint8Array(new Float32Array(vectors[i]!).buffer))
    }
    return keys.map(key => new Float32Array(new Uint8Array(find.get(key)!.vector).buffer))
  }
  return new Proxy(embedder, {
    get: (target, name) => (name === "embed" ? embed : bound(target, Reflect.get(target, name, target))),
  })
}

const bound = (target: object, value: unknown) => (typeof value === "function" ? value.bind(target) : value)
