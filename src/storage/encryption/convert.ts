/**
 * Encrypts what was stored in clear, beside whoever works on it: both kinds are read meanwhile, and what is new is
 * encrypted. Each file and each row is changed at once or not at all, and what is encrypted already is passed over, so
 * that one that was killed goes on by beginning again.
 */
import { readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { sql } from "kysely"
import type { StoredBytes } from "../blobs/blobs.ts"
import { layoutName, textName } from "../blobs/blobs.ts"
import { yieldToOthers } from "../chunks.ts"
import type { Database, Executor } from "../database.ts"
import { EMPTY_LOG } from "../sqlite/writer.ts"
import { type StoredFileRow, storedFile, storedFilesAfter } from "../stored-files.ts"
import { isPostgres } from "../words.ts"
import { isSealedText, SEALED_BY_WORKSPACE, SEALED_COLUMNS, sealText } from "./columns.ts"
import { type DataKey, type Keyring, keyringOf, noteSealed } from "./keyring.ts"
import { inMemory } from "./memory-file.ts"
import { isSealed, type SealedBlobs, sealedAs } from "./sealed-blobs.ts"

const FILES = 100
/** Rows rewritten by one transaction: others write between them. */
const ROWS = 128

/** Told how many files and rows were encrypted so far. */
export type OnConverted = (count: number) => void

export interface Converted {
  /** As `unlock` returned it. */
  database: Database
  blobs: SealedBlobs
  /** Of one machine: copies that former upgrades left are removed, for they hold texts. */
  dataDirectory?: string
}

/** @throws the reason of `signal`; what a store throws: what was done stays */
export async function encryptAll(
  { database, blobs, dataDirectory }: Converted,
  signal: AbortSignal,
  on: OnConverted = () => {},
): Promise<void> {
  const conversion = new Conversion(database.withoutPlugins(), keyringOf(database), blobs, signal, on)
  await blobs.clearWritesEnded()
  // What was under way when the key came may have been written in clear behind the first pass.
  while (await conversion.pass());
  if (dataDirectory !== undefined) removeCopies(dataDirectory)
  await forgetFormerRows(database)
  await noteSealed(database)
  keyringOf(database).root.become("sealed")
}

class Conversion {
  private count = 0

  constructor(
    private readonly database: Database,
    private readonly keyring: Keyring,
    private readonly blobs: SealedBlobs,
    private readonly signal: AbortSignal,
    private readonly on: OnConverted,
  ) {}

  /** @returns whether anything was in clear */
  async pass(): Promise<boolean> {
    const before = this.count
    await this.files()
    await this.passages()
    for (const [table, { key, columns }] of Object.entries(SEALED_COLUMNS))
      await this.rows({ table, key, columns }, () => Promise.resolve(this.keyring.records!))
    return this.count > before
  }

  private done(): void {
    this.on(++this.count)
  }

  private async files(): Promise<void> {
    for (let after = ""; ; ) {
      const page = await storedFilesAfter(this.database, after, FILES)
      for (const file of page) {
        this.signal.throwIfAborted()
        await this.file(file)
      }
      const last = page.at(-1)
      if (!last) return
      after = last.id
    }
  }

  private async file({ id, workspace_id, blob, live_blob, live_generation }: StoredFileRow): Promise<void> {
    const { plain } = this.blobs
    for (const name of new Set([blob, live_blob ?? blob])) {
      const stored = await plain.findOriginal(name)
      if (!(await this.isClear(stored, name))) continue
      const clear = await stored!.stream(undefined, this.signal)
      const sealed = sealedAs(name, clear, this.keyring, workspace_id)
      await plain.store(name, sealed, { replaces: true, signal: this.signal })
      await plain.keepNames([name])
      if (!(await this.isNamed(id, name))) await plain.remove(name) // deleted meanwhile
      this.done()
    }
    if (live_generation === null) return
    const [text, layout] = [
      await plain.findText(id, live_generation),
      await plain.findLayout(id, live_generation),
    ] as const
    const writer = this.blobs.of(workspace_id)
    if (await this.isClear(text, textName(id, live_generation))) {
      await using file = await inMemory(await text!.stream(undefined, this.signal))
      await writer.moveText(id, live_generation, file.path)
      this.done()
    }
    if (await this.isClear(layout, layoutName(id, live_generation))) {
      await using file = await inMemory(await layout!.stream(undefined, this.signal))
      await writer.moveLayout(id, live_generation, file.path)
      this.done()
    }
    if (!(await this.isNamed(id, live_generation))) await plain.removeText(id, live_generation)
  }

  private async isClear(stored: StoredBytes | undefined, name: string): Promise<boolean> {
    return stored !== undefined && !(await isSealed(stored, name, this.keyring))
  }

  /** Whether the row still names those bytes, or that text. */
  private async isNamed(id: string, what: string | number): Promise<boolean> {
    const row = await storedFile(this.database, id)
    if (!row) return false
    return typeof what === "string" ? [row.blob, row.live_blob].includes(what) : row.live_generation === what
  }

  private async passages(): Promise<void> {
    const keys = new Map<number, DataKey | undefined>()
    await this.rows({ table: "chunks", key: ["id"], columns: SEALED_BY_WORKSPACE }, async row => {
      const generation = Number(row.generation_id)
      if (!keys.has(generation)) keys.set(generation, await this.keyOf(generation))
      return keys.get(generation)
    })
  }

  /** Undefined for what is about to be swept. */
  private async keyOf(generation: number): Promise<DataKey | undefined> {
    const file = await this.database
      .selectFrom("generations")
      .innerJoin("files", "files.id", "generations.file_id")
      .select("files.workspace_id")
      .where("generations.id", "=", generation)
      .executeTakeFirst()
    return file ? this.keyring.ofWorkspace(file.workspace_id) : this.keyring.records
  }

  private async rows(
    { table, key, columns }: { table: string; key: readonly string[]; columns: readonly string[] },
    keyOf: (row: Row) => Promise<DataKey | undefined>,
  ): Promise<void> {
    const keyColumns = sql.join(key.map(column => sql.ref(column)))
    for (let last: Row | undefined; ; ) {
      this.signal.throwIfAborted()
      const behind = last ? sql`where (${keyColumns}) > (${sql.join(key.map(column => last![column]))})` : sql``
      const { rows } = await sql<Row>`select * from ${sql.table(table)} ${behind}
        order by ${keyColumns} limit ${sql.lit(ROWS)}`.execute(this.database)
      const changes: { row: Row; set: Record<string, string> }[] = []
      for (const row of rows) {
        const clear = columns.filter(column => typeof row[column] === "string" && !isSealedText(row[column]))
        if (clear.length === 0) continue
        const dataKey = await keyOf(row)
        if (dataKey)
          changes.push({
            row,
            set: Object.fromEntries(clear.map(column => [column, sealText(dataKey, row[column] as string)])),
          })
      }
      if (changes.length > 0)
        await this.database.transaction().execute(async trx => {
          for (const { row, set } of changes) await change(trx, table, key, row, set)
        })
      for (const _ of changes) this.done()
      await yieldToOthers()
      last = rows.at(-1)
      if (rows.length < ROWS) return
    }
  }
}

type Row = Record<string, unknown>

/** Only as long as nobody else has changed it: who does writes it encrypted. */
async function change(trx: Executor, table: string, key: readonly string[], row: Row, set: Record<string, string>) {
  const same = (columns: readonly string[]) =>
    sql.join(
      columns.map(column => sql`${sql.ref(column)} = ${row[column]}`),
      sql` and `,
    )
  const sets = Object.entries(set).map(([column, value]) => sql`${sql.ref(column)} = ${value}`)
  await sql`update ${sql.table(table)} set ${sql.join(sets)} where ${same([...key, ...Object.keys(set)])}`.execute(trx)
}

/** Copies of the database that upgrades left. */
function removeCopies(dataDirectory: string): void {
  for (const name of readdirSync(dataDirectory))
    if (name.startsWith("carrel.db.before-")) rmSync(join(dataDirectory, name))
}

/** PostgreSQL keeps the former version of each changed row until it is told; SQLite overwrites it, but for the log. */
async function forgetFormerRows(database: Database): Promise<void> {
  if (!isPostgres(database)) return void (await sql.raw(EMPTY_LOG).execute(database))
  for (const table of ["chunks", ...Object.keys(SEALED_COLUMNS)])
    await sql`vacuum full ${sql.table(table)}`.execute(database)
}
