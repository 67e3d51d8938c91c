/** Compares the stores with each other: records, originals, texts, passages, words and vectors. */
import { sql } from "kysely"
import type { Embedder } from "../backends/backend.ts"
import type { Config } from "../config.ts"
import { openConfiguredEmbedder } from "../configured.ts"
import { AppError } from "../errors.ts"
import { SearchIndex } from "../search/index.ts"
import { type Membership, onlooker } from "../search/writing/membership.ts"
import type { Blobs } from "../storage/blobs/blobs.ts"
import { TIERS } from "../storage/chunk-tables.ts"
import type { Database } from "../storage/database.ts"
import { lockDirectory } from "../storage/sqlite/lock.ts"
import { type Finding, someOf } from "./finding.ts"
import type { OpenedStores } from "./open-stores.ts"

/** As after a restore: nothing is lost and nothing is to be done. */
const MADE_LATER = "start the daemon: it makes them in the background, words first"
const REPAIR = "stop the daemon (all nodes) and run `carrel doctor --repair`"

export async function compareStores(
  config: Config,
  stores: OpenedStores,
  step: (label: string) => void,
): Promise<Finding[]> {
  step("Comparing the stored files")
  const files = await storedFiles(stores)
  step("Comparing the search index")
  return [...files, ...(await (stores.isShared ? sharedIndex : ownIndex)(config, stores))]
}

export interface StoredFiles {
  total: number
  /** Originals that are missing or cut. */
  lost: string[]
  /** Findable files without their text. */
  textless: string[]
  /** Findable files without all their passages. */
  unindexed: string[]
}

/** Ids of files by what they lack. */
export async function inspectFiles(blobs: Blobs, database: Database): Promise<StoredFiles> {
  const rows = await database.selectFrom("files").select(["id", "blob", "size", "live_generation"]).execute()
  const { rows: unindexed } = await sql<{ id: string }>`
    select id from files where live_generation is not null and not exists (
      select 1 from generations g
      where g.file_id = files.id and g.generation = files.live_generation and g.state = 'live'
        and (select count(*) from chunks where chunks.id between g.first_chunk and g.last_chunk)
          = g.last_chunk - g.first_chunk + 1)`.execute(database)
  return {
    total: rows.length,
    lost: await idsOf(rows, async ({ blob, size }) => (await blobs.findOriginal(blob))?.size !== size),
    textless: await idsOf(
      rows,
      async ({ id, live_generation }) => live_generation !== null && !(await blobs.findText(id, live_generation)),
    ),
    unindexed: unindexed.map(row => row.id),
  }
}

/** Files that are asked for at a time: an answer from another machine takes its while. */
const AT_ONCE = 32

/** Ids of the rows that meet the condition. */
async function idsOf<Row extends { id: string }>(
  rows: readonly Row[],
  condition: (row: Row) => Promise<boolean>,
): Promise<string[]> {
  const ids: string[] = []
  for (let at = 0; at < rows.length; at += AT_ONCE) {
    const some = rows.slice(at, at + AT_ONCE)
    const met = await Promise.all(some.map(condition))
    ids.push(...some.filter((_, i) => met[i]).map(({ id }) => id))
  }
  return ids
}

async function storedFiles({ blobs, database }: OpenedStores): Promise<Finding[]> {
  const { total, lost, textless, unindexed } = await inspectFiles(blobs, database)
  const findings: Finding[] = []
  const tell = (what: string, ids: string[], remedy: string) => {
    if (ids.length > 0)
      findings.push({ what, state: "problem", text: `${ids.length} are missing or cut: ${someOf(ids)}`, remedy })
  }
  tell("originals", lost, "upload them again, or restore a backup")
  tell("texts", textless, REPAIR)
  tell("passages", unindexed, REPAIR)
  return findings.length > 0 ? findings : [{ what: "stored files", state: "ok", text: `${total} complete` }]
}

/** The index of several machines is looked at beside those who write it. */
const sharedIndex = (config: Config, stores: OpenedStores): Promise<Finding[]> =>
  withSearchIndex(config, stores, inspected, onlooker())

/** Only one process may have it open. */
async function ownIndex(config: Config, stores: OpenedStores): Promise<Finding[]> {
  const lock = tryLock(config.data)
  if (!lock)
    return [
      {
        what: "search index",
        state: "note",
        text: "not compared: the daemon is running",
        remedy: "stop it and ask again",
      },
    ]
  try {
    return await withSearchIndex(config, stores, inspected, onlooker())
  } finally {
    lock.release()
  }
}

async function inspected(index: SearchIndex): Promise<Finding[]> {
  const { problems, unmade = [] } = await index.check()
  if (problems.length === 0) return [{ what: "search index", state: "ok", text: "agrees with the database" }]
  return problems.map(text => ({
    what: "search index",
    ...(unmade.includes(text) ? { state: "note", remedy: MADE_LATER } : { state: "problem", remedy: REPAIR }),
    text,
  }))
}

/** Opens the index with the models that its vectors were made with, if any. */
export async function withSearchIndex<T>(
  config: Config,
  { database, passages }: OpenedStores,
  work: (index: SearchIndex) => Promise<T>,
  members?: Membership,
): Promise<T> {
  const opened: Embedder[] = []
  const index = new SearchIndex({
    database,
    store: passages,
    ...(members ? { members } : {}),
    // A tier that is switched off lacks nothing.
    tiers: config.embedding_tier === "fast" ? ["fast"] : TIERS,
    embedderNamed: async model => {
      const embedder = await openConfiguredEmbedder(config, model).catch(() => undefined)
      if (embedder) opened.push(embedder)
      return embedder
    },
  })
  try {
    await index.start()
    return await work(index)
  } finally {
    await index.stop()
    for (const embedder of opened) await embedder.close()
  }
}

/** Undefined while another process holds it. */
function tryLock(path: string): { release(): void } | undefined {
  try {
    return lockDirectory(path)
  } catch (error) {
    if (error instanceof AppError && error.code === "conflict") return undefined
    throw error
  }
}
