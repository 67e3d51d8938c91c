/**
 * Makes the vectors that are missing: of passages indexed while the model could not work, or all of them for a new
 * model. A model change fills a table beside the one that serves; the change to it is one row in one transaction.
 */
import type { Embedder } from "../../backends/backend.ts"
import { log } from "../../log.ts"
import type { Tier } from "../../storage/chunk-tables.ts"
import type { Database } from "../../storage/database.ts"
import { countIds, type IdRanges, NO_IDS, subtract, union } from "../ids/id-ranges.ts"
import type { PassageStore, Stretch } from "../passage-store.ts"
import { schemeOf } from "../text/analyze.ts"
import { embedAll } from "../vector/embed.ts"
import type { ServingModel, VectorModels } from "../vector/vector-models.ts"
import { wantedIds } from "./generations.ts"
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
  store: PassageStore,
  { table, embedder }: ServingModel,
  ids: IdRanges,
  signal: AbortSignal,
  on: (added: number) => void,
): Promise<void> {
  for await (const { first, last, stretches } of stretchesOf(db, ids)) {
    signal.throwIfAborted()
    if (stretches.length > 0) {
      const texts = stretches.flatMap(stretch => stretch.texts)
      await store.addVectors(table, stretches, await embedAll(embedder, texts, signal, () => {}))
    }
    on(last - first + 1)
  }
  if (countIds(ids) > 0) await store.settle()
}

const warnOfLack = (passages: number): void =>
  log.warn("the keyword index lacks passages and is being completed", { passages })

/**
 * Indexes the words of chunks that the keyword index does not hold: its file was lost, or cut by a power failure.
 * @param lacks told how many, before they are made
 * @returns how many it did not hold
 */
export async function indexMissingWords(
  db: Database,
  store: PassageStore,
  signal: AbortSignal,
  lacks: (passages: number) => void = warnOfLack,
): Promise<number> {
  const lacking = await store.lackingWords()
  const passages = countIds(lacking)
  if (passages === 0) return 0
  lacks(passages)
  for await (const { stretches } of stretchesOf(db, lacking)) {
    signal.throwIfAborted()
    await store.addWords(stretches)
  }
  await store.settle()
  return passages
}

/** What the rows of chunks say of `ids`, a bounded number at a time. */
async function* stretchesOf(
  db: Database,
  ids: IdRanges,
): AsyncGenerator<{ first: number; last: number; stretches: Stretch[] }> {
  for (let i = 0; i < ids.length; i += 2)
    for (let first = ids[i]!; first <= ids[i + 1]!; first += BATCH) {
      const last = Math.min(ids[i + 1]!, first + BATCH - 1)
      const rows = await db
        .selectFrom("chunks")
        .innerJoin("generations", "generations.id", "chunks.generation_id")
        .innerJoin("files", "files.id", "generations.file_id")
        .select(["chunks.id", "chunks.text", "chunks.context", "files.workspace_id"])
        .select(["generations.id as generation", "generations.first_chunk", "generations.last_chunk"])
        .where("generations.state", "in", ["live", "staged"])
        .where("chunks.id", ">=", first)
        .where("chunks.id", "<=", last)
        .orderBy("chunks.id")
        .execute()
      const stretches: Stretch[] = []
      let open: Stretch | undefined
      for (const { id, text, context, workspace_id, generation, first_chunk, last_chunk } of rows) {
        if (open?.generation.id !== generation || open.firstId + open.texts.length !== id) {
          const of = { id: generation, first: first_chunk, last: last_chunk }
          open = { generation: of, workspaceId: workspace_id, firstId: id, texts: [], scheme: "other" }
          stretches.push(open)
        }
        open.texts.push(indexedText(text, context))
      }
      for (const stretch of stretches) stretch.scheme = schemeOf(stretch.texts.join("\n"))
      yield { first, last, stretches }
    }
}

/**
 * Changes a tier to another model while the former one serves. Interrupted, it goes on where it stopped when it is
 * started again for the same model.
 */
export async function changeModel(
  { db, store, models }: { db: Database; store: PassageStore; models: VectorModels },
  { tier, embedder }: { tier: Tier; embedder: Embedder },
  signal: AbortSignal,
  on: (progress: ReindexProgress) => void,
): Promise<void> {
  const table = await models.tableToFill(tier, embedder)
  let tried: IdRanges = NO_IDS // what has no text stays without a vector
  for (;;) {
    const lacking = await store.lackingVectors(table)
    const missing = subtract(lacking, tried)
    if (countIds(missing) === 0) break
    const total = countIds(await wantedIds(db))
    let done = Math.max(0, total - countIds(missing))
    on({ model: embedder.model, done, total })
    await embedMissing(db, store, { tier, table, embedder }, missing, signal, added => {
      done += added
      on({ model: embedder.model, done: Math.min(done, total), total })
    })
    tried = union(tried, missing)
  }
  await store.finishTable(table)
  await models.replaceBy(table)
  await store.serve({ tier, table, embedder })
  log.info("the embedding model was changed", { tier, model: embedder.model, passages: countIds(await wantedIds(db)) })
}

/** Removes the tables of former models. */
export async function dropDeadTables(store: PassageStore, models: VectorModels): Promise<void> {
  for (const { name, state } of await models.tables()) if (state === "dead") await store.dropTable(name)
}
