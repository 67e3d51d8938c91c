/**
 * Indexed slices of files. All chunks of one generation of a file have contiguous ids, `first_chunk..last_chunk`, and
 * an id is never given twice: both search legs know a chunk by its id alone.
 *
 * States of a generation:
 * - `staging`: ids are reserved, rows and index entries are being written. Left by completing, or by dying (`dead`).
 * - `staged`: everything is written, nothing sees it. Left by publishing (`live`) or by being overtaken (`dead`).
 * - `live`: search sees it, as long as the file row names it. Left when a newer one is published or the file goes.
 * - `dead`: a tombstone. Nothing sees it from the moment of its commit; the sweep removes what it left in the stores,
 *   the row itself last, so that a crash at any point is healed by sweeping again.
 */
import { type Insertable, sql } from "kysely"
import type { Database, Executor, Trx } from "./database.ts"
import type { TextChunk } from "./document.ts"
import { sealText } from "./encryption/columns.ts"
import { findKeyring } from "./encryption/keyring.ts"
import type { Schema } from "./schema.ts"
import { filled, isPostgres, words } from "./words.ts"

/** A reserved span of chunk ids; empty when `last < first`. */
export interface Generation {
  id: number
  first: number
  last: number
}

/** Rows written in one statement: others write between batches. */
const ROWS_PER_INSERT = 128

/** A version of a file, by the number that its row counts. */
export interface FileVersion {
  fileId: string
  generation: number
}

/**
 * Reserves contiguous ids for each version and records it as `staging`; what earlier attempts left becomes dead.
 * @param owner the node that writes them, until `markStaged` or `markDead` says that it is done
 */
export async function reserve(
  db: Database,
  wanted: readonly (FileVersion & { count: number })[],
  owner: string,
): Promise<Generation[]> {
  return await db.transaction().execute(async trx => {
    await sql`update generations set state = 'dead' where id in (
      select generations.id from ${versionsOf(trx, wanted)} join generations on generations.file_id = version.file_id
      where generations.state in ('staging', 'staged') and generations.generation <= version.generation)`.execute(trx)
    const total = wanted.reduce((sum, { count }) => sum + count, 0)
    const { next } = await trx
      .updateTable("chunk_numbers")
      .set({ next: sql<number>`next + ${total}` })
      .returning("next")
      .executeTakeFirstOrThrow()
    let first = next - total
    const rows = wanted.map(({ fileId, generation, count }) => {
      const row = { file_id: fileId, generation, first_chunk: first, last_chunk: first + count - 1 }
      first += count
      return { ...row, state: "staging" as const, owner }
    })
    const made = await trx
      .insertInto("generations")
      .values(rows)
      .returning(["id", "first_chunk", "last_chunk"])
      .execute()
    const byFirst = new Map(made.map(row => [row.first_chunk, row]))
    return rows.map(row => ({ id: byFirst.get(row.first_chunk)!.id, first: row.first_chunk, last: row.last_chunk }))
  })
}

/** Versions as a table of `file_id` and `generation`, for statements about many of them. */
function versionsOf(trx: Trx, versions: readonly FileVersion[]) {
  const table = words(trx).rows({ file_id: "text", generation: "integer" })
  const given = versions.map(({ fileId, generation }) => ({ file_id: fileId, generation }))
  return sql`${filled(table, JSON.stringify(given))} as version`
}

/** Chunks of a reserved generation, the first of them its `ordinal`-th. */
export interface ChunkStretch {
  workspaceId: string
  generation: Generation
  ordinal: number
  chunks: readonly TextChunk[]
}

/** Writes rows in bounded statements; may be interrupted by `signal` between them. */
export async function insertChunks(
  db: Database,
  stretches: readonly ChunkStretch[],
  signal: AbortSignal,
): Promise<void> {
  const rows: Insertable<Schema["chunks"]>[] = []
  for (const { workspaceId, generation, ordinal, chunks } of stretches) {
    const sealed = await sealerOf(db, workspaceId)
    for (const [i, { start, end, place, context, sections, text }] of chunks.entries())
      rows.push({
        id: generation.first + ordinal + i,
        generation_id: generation.id,
        ordinal: ordinal + i,
        start,
        end,
        text: sealed(text),
        context: context ? sealed(context) : null,
        page: place.page,
        sheet: place.sheet,
        slide: place.slide,
        member: place.member,
        section: place.section,
        sections: sections ? sealed(JSON.stringify(sections)) : null,
      })
  }
  for (let from = 0; from < rows.length; from += ROWS_PER_INSERT) {
    signal.throwIfAborted()
    await db
      .insertInto("chunks")
      .values(rows.slice(from, from + ROWS_PER_INSERT))
      .execute()
    await yieldToOthers()
  }
}

/** @returns those that may be published: the others were overtaken, or their files are gone. */
export async function markStaged<G extends Generation>(db: Database, generations: readonly G[]): Promise<G[]> {
  const staged = await db
    .updateTable("generations")
    .set({ state: "staged", owner: null })
    .where(
      "id",
      "in",
      generations.map(({ id }) => id),
    )
    .where("state", "=", "staging")
    .returning("id")
    .execute()
  const ids = new Set(staged.map(({ id }) => id))
  return generations.filter(({ id }) => ids.has(id))
}

/** Gives up a generation of which anything may have been written; its row is made anew where it was swept already. */
export async function markDead(db: Database, generation: Generation, fileId: string, number: number): Promise<void> {
  const { id, first, last } = generation
  await db
    .insertInto("generations")
    .values({ id, file_id: fileId, generation: number, first_chunk: first, last_chunk: last, state: "dead" })
    .onConflict(conflict => conflict.column("id").doUpdateSet({ state: "dead", owner: null }))
    .execute()
}

/**
 * Makes staged generations the live ones and every former one of their files dead, inside the caller's transaction.
 * @throws Error when one of them is not completely staged: then the transaction must be rolled back.
 */
export async function publishGenerations(trx: Trx, versions: readonly FileVersion[]): Promise<void> {
  const { rows } = await sql<{ id: number; file_id: string }>`
    select max(generations.id) as id, generations.file_id from ${versionsOf(trx, versions)} join generations
      on generations.file_id = version.file_id and generations.generation = version.generation
    where generations.state = 'staged' group by generations.file_id`.execute(trx)
  const known = new Set(rows.map(row => row.file_id))
  const missing = versions.find(({ fileId }) => !known.has(fileId))
  if (missing) throw new Error(`generation ${missing.generation} of ${missing.fileId} is not staged`)
  const isStaged = filled(words(trx).among("id", "integer"), JSON.stringify(rows.map(({ id }) => id)))
  await sql`update generations set state = 'dead' where id in (
    select generations.id from ${versionsOf(trx, versions)} join generations on generations.file_id = version.file_id
    where generations.generation <= version.generation)
    and state != 'dead' and not ${isStaged}`.execute(trx)
  await sql`update generations set state = 'live' where ${isStaged}`.execute(trx)
}

/**
 * New ids go on behind those of generations that were brought in with theirs; SQLite sees to that by itself.
 * @param ahead ids left out between
 */
export async function continueIds(db: Database, ahead = 0): Promise<void> {
  const counter = sql`pg_get_serial_sequence('generations', 'id')`
  if (isPostgres(db))
    await sql`select setval(${counter}, greatest(nextval(${counter}), (select max(id) from generations) + ${ahead}::bigint))`.execute(
      db,
    )
}

/** Every generation of a file becomes dead, inside the transaction that deletes the file. */
export async function retireGenerations(trx: Trx, fileId: string): Promise<void> {
  await trx.updateTable("generations").set({ state: "dead" }).where("file_id", "=", fileId).execute()
}

/** The next dead ones after a generation's id, with the node that still writes them. */
export async function deadGenerations(
  db: Executor,
  after: number,
  limit: number,
): Promise<(Generation & { owner: string | null })[]> {
  const rows = await db
    .selectFrom("generations")
    .select(["id", "first_chunk as first", "last_chunk as last", "owner"])
    .where("state", "=", "dead")
    .where("id", ">", after)
    .orderBy("id")
    .limit(limit)
    .execute()
  return rows
}

/** Removes a dead generation's chunk rows in bounded steps, then its row: the last trace of it. */
export async function forgetGeneration(db: Database, generation: Generation): Promise<void> {
  for (let from = generation.first; from <= generation.last; from += ROWS_PER_INSERT) {
    const to = Math.min(generation.last, from + ROWS_PER_INSERT - 1)
    await db.deleteFrom("chunks").where("id", ">=", from).where("id", "<=", to).execute()
    await yieldToOthers()
  }
  await db.deleteFrom("generations").where("id", "=", generation.id).where("state", "=", "dead").execute()
}

/** Marks generations dead that nobody writes any more. */
export async function buryAbandoned(db: Database, living: ReadonlySet<string>): Promise<void> {
  await db
    .updateTable("generations")
    .set({ state: "dead", owner: null })
    .where("state", "=", "staging")
    .where(eb => eb.or([eb("owner", "is", null), eb("owner", "not in", [...living])]))
    .execute()
}

/** Marks generations dead that nothing will ever publish. Part of healing at start. */
export async function buryOrphans(db: Database): Promise<void> {
  await db.updateTable("generations").set({ state: "dead" }).where(isOrphan).execute()
}

/** The same of some files: whoever read one when it went, or was replaced, may have begun a generation afterwards. */
export async function buryOrphansOf(db: Database, fileIds: readonly string[]): Promise<void> {
  await db.updateTable("generations").set({ state: "dead" }).where("file_id", "in", fileIds).where(isOrphan).execute()
}

/** Its file is gone, or has a newer version and this one was never found. */
const isOrphan = sql<boolean>`state != 'dead' and not exists (
  select 1 from files where files.id = generations.file_id
  and (generations.state = 'live' or generations.generation >= files.generation))`

/** Gives up what a node is recorded to write and does not: it was cut from the database when it was to say so. */
export async function releaseOthers(db: Database, owner: string, writing: ReadonlySet<number>): Promise<void> {
  await db
    .updateTable("generations")
    .set({ state: "dead", owner: null })
    .where("owner", "=", owner)
    .where("state", "in", ["staging", "dead"])
    .$if(writing.size > 0, query => query.where("id", "not in", [...writing]))
    .execute()
}

/** Lets requests that wait for the loop or for the connection go first. */
export const yieldToOthers = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

/** What turns texts of a workspace into what its rows hold. */
async function sealerOf(db: Database, workspaceId: string): Promise<(text: string) => string> {
  const keyring = findKeyring(db)
  if (!keyring || keyring.state === "off") return text => text
  const key = await keyring.ofWorkspace(workspaceId)
  return text => sealText(key, text)
}
