/**
 * Makes the vectors that are missing: of passages indexed while the model could not work, or all of them for a new
 * model. A model change fills a table beside the one that serves; the change to it is one row in one transaction.
 */
import { sql } from "kysely"
import type { Embedder } from "../../backends/backend.ts"
import { log } from "../../log.ts"
import type { Database } from "../../storage/database.ts"
import { countIds, type IdRanges, idsToRanges, subtract, toRanges, union } from "../ids/id-ranges.ts"
import { schemeOf } from "../text/analyze.ts"
import type { SearchThread } from "../thread/search-thread.ts"
import type { TextsOf } from "../thread/worker-messages.ts"
import { embedAll } from "../vector/embed.ts"
import type { VectorLeg } from "../vector/vector-leg.ts"
import { indexedText } from "./stage.ts"

/** Passages read, embedded and stored at a time. */
const BATCH = 512

export interface ReindexProgress {
  model: string
  done: number
  total: number
}

/** Embeds and stores what `ids` names. */
export async function embedMissing(
  db: Database,
  vectors: VectorLeg,
  target: { table: string; embedder: Embedder },
  ids: IdRanges,
  signal: AbortSignal,
  on: (added: number) => void,
): Promise<void> {
  for await (const { first, last, rows } of chunkBatches(db, ids)) {
    signal.throwIfAborted()
    if (rows.length > 0) {
      const texts = rows.map(({ text, context }) => indexedText(text, context))
      const embedded = await embedAll(target.embedder, texts, signal, () => {})
      await vectors.add(
        target.table,
        Float64Array.from(rows, row => row.id),
        embedded,
      )
    }
    on(last - first + 1)
  }
}

/**
 * Indexes the words of chunks that the keyword index does not hold: its file was lost, or cut by a power failure.
 * @returns how many it did not hold
 */
export async function indexMissingWords(
  db: Database,
  thread: SearchThread,
  wanted: IdRanges,
  signal: AbortSignal,
): Promise<number> {
  const lacking = subtract(wanted, (await thread.ask("holdings", {})).keyword)
  const passages = countIds(lacking)
  if (passages === 0) return 0
  log.warn("the keyword index lacks passages and is being completed", { passages })
  for await (const { first, rows } of chunkBatches(db, lacking)) {
    signal.throwIfAborted()
    const texts = rows.map(({ text, context }) => indexedText(text, context))
    await thread.ask("index", { firstId: first, texts, documents: documentsOf(rows, texts) })
  }
  return passages
}

function documentsOf(rows: { generation_id: number }[], texts: string[]): TextsOf[] {
  const documents: TextsOf[] = []
  for (let from = 0, to = 0; from < rows.length; from = to) {
    while (to < rows.length && rows[to]!.generation_id === rows[from]!.generation_id) to++
    documents.push({ count: to - from, scheme: schemeOf(texts.slice(from, to).join("\n")) })
  }
  return documents
}

async function* chunkBatches(db: Database, ids: IdRanges) {
  for (let i = 0; i < ids.length; i += 2)
    for (let first = ids[i]!; first <= ids[i + 1]!; first += BATCH) {
      const last = Math.min(ids[i + 1]!, first + BATCH - 1)
      const rows = await db
        .selectFrom("chunks")
        .select(["id", "generation_id", "text", "context"])
        .where("id", ">=", first)
        .where("id", "<=", last)
        .orderBy("id")
        .execute()
      yield { first, last, rows }
    }
}

/** Ids of all chunks that are or may become visible. */
export async function wantedIds(db: Database): Promise<IdRanges> {
  const rows = await db
    .selectFrom("generations")
    .select(["first_chunk", "last_chunk"])
    .where("state", "in", ["live", "staged"])
    .execute()
  return toRanges(rows.map(row => [row.first_chunk, row.last_chunk]))
}

/**
 * Changes the library to another model while the former one serves. Interrupted, it goes on where it stopped when it is
 * started again for the same model.
 */
export async function changeModel(
  db: Database,
  vectors: VectorLeg,
  embedder: Embedder,
  signal: AbortSignal,
  on: (progress: ReindexProgress) => void,
): Promise<void> {
  const table = await buildingTable(db, vectors, embedder)
  let held: IdRanges = new Float64Array(0)
  for await (const { ids } of (await vectors.table(table)).scan())
    held = union(held, idsToRanges(Float64Array.from(ids).sort()))
  for (;;) {
    const wanted = await wantedIds(db)
    const missing = subtract(wanted, held)
    if (countIds(missing) === 0) break
    let done = countIds(wanted) - countIds(missing)
    const total = countIds(wanted)
    on({ model: embedder.model, done, total })
    await embedMissing(db, vectors, { table, embedder }, missing, signal, added => {
      done += added
      on({ model: embedder.model, done: Math.min(done, total), total })
    })
    held = union(held, missing)
  }
  await (await vectors.table(table)).optimize()
  await db.transaction().execute(async trx => {
    await trx.updateTable("vector_tables").set({ state: "dead" }).where("state", "=", "live").execute()
    await trx.updateTable("vector_tables").set({ state: "live" }).where("name", "=", table).execute()
  })
  await vectors.serve(table, embedder)
  log.info("the embedding model was changed", { model: embedder.model, passages: countIds(held) })
}

async function buildingTable(db: Database, vectors: VectorLeg, embedder: Embedder): Promise<string> {
  const building = await db.selectFrom("vector_tables").selectAll().where("state", "=", "building").execute()
  let found: string | undefined
  for (const row of building)
    if (row.model === embedder.model && row.dimensions === embedder.dimensions) found = row.name
    else await sql`update vector_tables set state = 'dead' where name = ${row.name}`.execute(db)
  return found ?? (await vectors.newTable(embedder, "building"))
}

/** Removes the tables of former models. */
export async function dropDeadTables(vectors: VectorLeg): Promise<void> {
  for (const { name, state } of await vectors.tables()) if (state === "dead") await vectors.drop(name)
}
