/** Makes the words and vectors that a store does not hold, from the rows of chunks. */
import { log } from "../../log.ts"
import type { Database } from "../../storage/database.ts"
import { countIds, type IdRanges } from "../ids/id-ranges.ts"
import type { PassageStore, Stretch } from "../passage-store.ts"
import { schemeOf } from "../text/analyze.ts"
import { indexedText } from "../text/indexed-text.ts"
import type { BackgroundPace } from "../vector/background-pace.ts"
import { embedAll } from "../vector/embed.ts"
import type { ServingModel } from "../vector/vector-models.ts"
import { Backlog } from "./backlog.ts"

/** Passages whose words are indexed at a time. */
const WORDS_BATCH = 512
/**
 * Passages whose vectors are written at a time. Each write makes a fragment and a version of the table, and what is not yet
 * written is lost with the process: as many as the model makes in `WRITE_EVERY_MS`.
 */
const LEAST_BATCH = 64
const MOST_BATCH = 2048
const WRITE_EVERY_MS = 10_000

export interface FillParts {
  db: Database
  store: PassageStore
  signal: AbortSignal
  /** Named points; tests die there. */
  reached?: (point: string) => void
}

export interface FillOptions {
  /** Told how many passages were looked at. */
  on?: (passages: number) => void
  pace?: BackgroundPace | undefined
}

/** Embeds and stores what the backlog names, also what it comes to name meanwhile, until nothing is left. */
export async function embedMissing(
  { db, store, signal, reached = () => {} }: FillParts,
  { table, embedder }: ServingModel,
  backlog: Backlog,
  { on, pace }: FillOptions = {},
): Promise<void> {
  let size = LEAST_BATCH
  let isWritten = false
  for (;;) {
    signal.throwIfAborted()
    const ids = backlog.take(size)
    if (ids.length === 0) break
    const startedAt = performance.now()
    const stretches = await stretchesIn(db, ids)
    if (stretches.length > 0) {
      const texts = stretches.flatMap(stretch => stretch.texts)
      const vectors = await embedAll(embedder, texts, { signal, pace })
      reached("missing vectors made")
      await store.addVectors(table, stretches, vectors)
      reached("missing vectors written")
      await removeOvertaken(db, store, stretches)
      isWritten = true
    }
    on?.(countIds(ids))
    size = nextSize(size, performance.now() - startedAt)
  }
  if (isWritten) await store.settle()
}

const nextSize = (size: number, tookMs: number): number =>
  Math.round(Math.min(2 * size, MOST_BATCH, Math.max(LEAST_BATCH, (size * WRITE_EVERY_MS) / Math.max(1, tookMs))))

/** A file that was removed or replaced while its vectors were made may have been swept before these were written. */
async function removeOvertaken(db: Database, store: PassageStore, stretches: readonly Stretch[]): Promise<void> {
  const written = new Map(stretches.map(({ generation }) => [generation.id, generation]))
  const rows = await db
    .selectFrom("generations")
    .select("id")
    .where("id", "in", [...written.keys()])
    .where("state", "in", ["live", "staged"])
    .execute()
  for (const { id } of rows) written.delete(id)
  if (written.size > 0) await store.remove([...written.values()])
}

const warnOfLack = (passages: number): void =>
  log.warn("the keyword index lacks passages and is being completed", { passages })

/**
 * Indexes the words of chunks that the keyword index does not hold: its file was lost, or cut by a power failure.
 * @param lacks told how many, before they are made
 * @returns how many it did not hold
 */
export async function indexMissingWords(
  { db, store, signal }: FillParts,
  lacks: (passages: number) => void = warnOfLack,
): Promise<number> {
  const lacking = await store.lackingWords()
  const passages = countIds(lacking)
  if (passages === 0) return 0
  lacks(passages)
  for (let i = 0; i < lacking.length; i += 2)
    for (let first = lacking[i]!; first <= lacking[i + 1]!; first += WORDS_BATCH) {
      signal.throwIfAborted()
      const last = Math.min(lacking[i + 1]!, first + WORDS_BATCH - 1)
      await store.addWords(await stretchesIn(db, Float64Array.of(first, last)))
    }
  await store.settle()
  return passages
}

/** What the rows of chunks say of some ids, few enough for one statement. Those of dead generations are left out. */
async function stretchesIn(db: Database, ids: IdRanges): Promise<Stretch[]> {
  const rows = await db
    .selectFrom("chunks")
    .innerJoin("generations", "generations.id", "chunks.generation_id")
    .innerJoin("files", "files.id", "generations.file_id")
    .select(["chunks.id", "chunks.text", "chunks.context", "files.workspace_id"])
    .select(["generations.id as generation", "generations.first_chunk", "generations.last_chunk"])
    .where("generations.state", "in", ["live", "staged"])
    .where(eb =>
      eb.or(
        Array.from({ length: ids.length / 2 }, (_, i) =>
          eb.and([eb("chunks.id", ">=", ids[2 * i]!), eb("chunks.id", "<=", ids[2 * i + 1]!)]),
        ),
      ),
    )
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
  return stretches
}

/** A store's gaps, as what is to be made. */
export const lackingIn = async (store: PassageStore, table: string): Promise<Backlog> =>
  new Backlog(await store.lackingVectors(table))
