/** The texts of passages as the search worker reads them: from the relational database, whatever is committed there. */
import { Database as Sqlite } from "bun:sqlite"
import { join } from "node:path"
import { BUSY_TIMEOUT_MS } from "../../storage/sqlite/writer.ts"

/** What of a chunk's row is indexed. */
const INDEXED_TEXT = "coalesce(context || char(10), '') || text"

export interface StoredText {
  id: number
  generation_id: number
  text: string
}

export class StoredTexts {
  private opened: Sqlite | undefined

  constructor(private readonly dataDirectory: string) {}

  /** Opened at the first use. */
  get database(): Sqlite {
    if (!this.opened) {
      this.opened = new Sqlite(join(this.dataDirectory, "carrel.db"), { readonly: true })
      this.opened.run(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`)
    }
    return this.opened
  }

  /** Those of ids `first..last`, in their order. */
  between(first: number, last: number): StoredText[] {
    return this.database
      .query(`select id, generation_id, ${INDEXED_TEXT} as text from chunks where id between ? and ? order by id`)
      .all(first, last) as StoredText[]
  }

  among(ids: number[]): StoredText[] {
    if (ids.length === 0) return []
    return this.database
      .query(
        `select id, generation_id, ${INDEXED_TEXT} as text from chunks where id in (select value from json_each(?))`,
      )
      .all(JSON.stringify(ids)) as StoredText[]
  }

  close(): void {
    this.opened?.close()
  }
}
