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
import { type Generated, sql } from "kysely"
import type { Database, Executor, Trx } from "./database.ts"
import type { Place, TextChunk } from "./document.ts"

export interface ChunksTables {
  chunks: ChunksTable
  generations: GenerationsTable
  chunk_numbers: { next: number }
  library_changes: { workspace_id: string; counter: number }
  vector_tables: VectorTablesTable
}

interface ChunksTable extends Place {
  id: number
  generation_id: number
  ordinal: number
  start: number
  end: number
  text: string
  context: string | null
}

export type GenerationState = "staging" | "staged" | "live" | "dead"

interface GenerationsTable {
  id: Generated<number>
  file_id: string
  generation: number
  first_chunk: number
  last_chunk: number
  state: GenerationState
}

/** Tables of vectors: one live per installation; `building` while a model change is under way; `dead` waits for removal. */
interface VectorTablesTable {
  name: string
  model: string
  dimensions: number
  state: "building" | "live" | "dead"
}

/** A reserved span of chunk ids; empty when `last < first`. */
export interface Generation {
  id: number
  first: number
  last: number
}

/** Rows written in one statement: others write between batches. */
const ROWS_PER_INSERT = 128

/** Reserves contiguous ids and records the generation as `staging`; what an earlier attempt left becomes dead. */
export async function reserve(db: Database, fileId: string, generation: number, count: number): Promise<Generation> {
  return await db.transaction().execute(async trx => {
    await trx
      .updateTable("generations")
      .set({ state: "dead" })
      .where("file_id", "=", fileId)
      .where("state", "in", ["staging", "staged"])
      .where("generation", "<=", generation)
      .execute()
    const { next } = await trx
      .updateTable("chunk_numbers")
      .set({ next: sql<number>`next + ${count}` })
      .returning("next")
      .executeTakeFirstOrThrow()
    const first = next - count
    const last = next - 1
    const row = { file_id: fileId, generation, first_chunk: first, last_chunk: last, state: "staging" as const }
    const { id } = await trx.insertInto("generations").values(row).returning("id").executeTakeFirstOrThrow()
    return { id, first, last }
  })
}

/** Writes rows of a reserved generation, the first of them its `ordinal`-th. Bounded statements; may be interrupted by `signal` between them. */
export async function insertChunks(
  db: Database,
  generation: Generation,
  ordinal: number,
  chunks: TextChunk[],
  signal: AbortSignal,
): Promise<void> {
  for (let from = 0; from < chunks.length; from += ROWS_PER_INSERT) {
    signal.throwIfAborted()
    const rows = chunks.slice(from, from + ROWS_PER_INSERT).map(({ start, end, place, context, text }, i) => ({
      id: generation.first + ordinal + from + i,
      generation_id: generation.id,
      ordinal: ordinal + from + i,
      start,
      end,
      text,
      context: context || null,
      page: place.page,
      sheet: place.sheet,
      slide: place.slide,
      member: place.member,
      section: place.section,
    }))
    await db.insertInto("chunks").values(rows).execute()
    await yieldToOthers()
  }
}

/** @returns false when the generation was overtaken or its file is gone: then nothing may be published. */
export async function markStaged(db: Database, generation: Generation): Promise<boolean> {
  const result = await db
    .updateTable("generations")
    .set({ state: "staged" })
    .where("id", "=", generation.id)
    .where("state", "=", "staging")
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
}

/** Gives up a generation of which anything may have been written; its row is made anew where it was swept already. */
export async function markDead(db: Database, generation: Generation, fileId: string, number: number): Promise<void> {
  const { id, first, last } = generation
  await db
    .insertInto("generations")
    .values({ id, file_id: fileId, generation: number, first_chunk: first, last_chunk: last, state: "dead" })
    .onConflict(conflict => conflict.column("id").doUpdateSet({ state: "dead" }))
    .execute()
}

/**
 * Makes a staged generation the live one and every other of the file dead, inside the caller's transaction.
 * @throws Error when the generation is not completely staged.
 */
export async function publishGeneration(trx: Trx, fileId: string, generation: number): Promise<void> {
  const staged = await trx
    .selectFrom("generations")
    .select("id")
    .where("file_id", "=", fileId)
    .where("generation", "=", generation)
    .where("state", "=", "staged")
    .orderBy("id", "desc")
    .executeTakeFirst()
  if (!staged) throw new Error(`generation ${generation} of ${fileId} is not staged`)
  await trx
    .updateTable("generations")
    .set({ state: "dead" })
    .where("file_id", "=", fileId)
    .where("id", "!=", staged.id)
    .where("generation", "<=", generation)
    .execute()
  await trx.updateTable("generations").set({ state: "live" }).where("id", "=", staged.id).execute()
}

/** Every generation of a file becomes dead, inside the transaction that deletes the file. */
export async function retireGenerations(trx: Trx, fileId: string): Promise<void> {
  await trx.updateTable("generations").set({ state: "dead" }).where("file_id", "=", fileId).execute()
}

/** The next dead ones after a generation's id. */
export async function deadGenerations(db: Executor, after: number, limit: number): Promise<Generation[]> {
  const rows = await db
    .selectFrom("generations")
    .select(["id", "first_chunk as first", "last_chunk as last"])
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

/** Marks generations dead that nothing will ever publish: their file is gone. Part of healing at start. */
export async function buryOrphans(db: Database): Promise<void> {
  await sql`update generations set state = 'dead' where state != 'dead' and file_id not in (select id from files)`.execute(
    db,
  )
}

/** Lets requests that wait for the loop or for the connection go first. */
export const yieldToOthers = (): Promise<void> => new Promise(resolve => setImmediate(resolve))
