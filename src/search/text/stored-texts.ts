/** The texts of passages as the search worker reads them: from the relational database, whatever is committed there. */
import { Database as Sqlite } from "bun:sqlite"
import { join } from "node:path"
import { isSealedText, openText } from "../../storage/encryption/columns.ts"
import { unwrapDataKey } from "../../storage/encryption/keyring.ts"
import { SharedRoot } from "../../storage/encryption/shared-root.ts"
import { BUSY_TIMEOUT_MS } from "../../storage/sqlite/writer.ts"
import { indexedText } from "./indexed-text.ts"

export interface StoredText {
  id: number
  generation_id: number
  text: string
}

interface Row extends StoredText {
  context: string | null
}

const COLUMNS = "id, generation_id, text, context"

export class StoredTexts {
  private opened: Sqlite | undefined
  private readonly keys = new Map<string, Uint8Array>()
  private readonly root: SharedRoot | undefined

  /** @param root memory of the keyring's `SharedRoot`; absent where nothing is encrypted */
  constructor(
    private readonly dataDirectory: string,
    root?: SharedArrayBuffer,
  ) {
    this.root = root && new SharedRoot(root)
  }

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
    const query = this.database.query(`select ${COLUMNS} from chunks where id between ? and ? order by id`)
    return (query.all(first, last) as Row[]).map(this.indexed)
  }

  among(ids: number[]): StoredText[] {
    if (ids.length === 0) return []
    const query = this.database.query(`select ${COLUMNS} from chunks where id in (select value from json_each(?))`)
    return (query.all(JSON.stringify(ids)) as Row[]).map(this.indexed)
  }

  close(): void {
    this.opened?.close()
    for (const key of this.keys.values()) key.fill(0)
    this.keys.clear()
  }

  private readonly indexed = ({ id, generation_id, text, context }: Row): StoredText => ({
    id,
    generation_id,
    text: indexedText(this.clear(text), context && this.clear(context)),
  })

  private clear(text: string): string {
    return this.root && this.root.state !== "off" && isSealedText(text) ? openText(text, this.keyOf) : text
  }

  private readonly keyOf = (id: string): Uint8Array => {
    const known = this.keys.get(id)
    if (known) return known
    const row = this.database.query("select wrapped from encryption_keys where id = ?").get(id) as {
      wrapped: string
    } | null
    if (!row) throw new Error("the key that a passage was encrypted with is gone")
    const key = unwrapDataKey(this.root!.key, id, row.wrapped)
    this.keys.set(id, key)
    return key
  }
}
