/**
 * `carrel doctor --repair`: mends what a crash between two stores, or a lost file of the index, may leave. The relational
 * database is the truth: what it does not know is swept, what it misses is made anew from the originals. Done twice, it
 * changes nothing the second time.
 */
import { Database as Sqlite } from "bun:sqlite"
import { existsSync, rmSync } from "node:fs"
import { join } from "node:path"
import { sql } from "kysely"
import type { Config } from "../config.ts"
import { enginesOf } from "../configured-cluster.ts"
import { indexJob } from "../ingest/task.ts"
import { JobQueue } from "../jobs/queue.ts"
import { QUEUED } from "../library/library.ts"
import { sweepFiles } from "../library/sweep.ts"
import type { Blobs } from "../storage/blobs/blobs.ts"
import { DiskBlobs } from "../storage/blobs/disk.ts"
import type { Database } from "../storage/database.ts"
import { healVectorFiles } from "../storage/vector-files.ts"
import { hasDatabase } from "./command.ts"
import { type Finding, someOf } from "./finding.ts"
import { type OpenedStores, withStoppedStores } from "./open-stores.ts"
import { inspectFiles, withSearchIndex } from "./stores.ts"
import { tellAll } from "./told.ts"

/** @throws AppError conflict while a daemon runs on the directory */
export async function repairStores(config: Config, step: (label: string) => void = () => {}): Promise<Finding[]> {
  if (!enginesOf(config) && !hasDatabase(config)) return []
  const done = await withStoppedStores(config, stores => repair(config, stores, step))
  const mended = done.filter(text => text !== undefined)
  if (mended.length === 0) return [{ what: "repair", state: "ok", text: "nothing to mend" }]
  return mended.map(text => ({ what: "repair", state: "note", text }))
}

type Mended = string | undefined

async function repair(config: Config, stores: OpenedStores, step: (label: string) => void): Promise<Mended[]> {
  const { database, blobs, isShared } = stores
  step("Mending the stored files")
  const files = [
    ...(isShared ? [] : [await mendDirectory(config.data)]),
    await giveJobs(database),
    await indexAgain(blobs, database),
    await sweepOrphans(database, blobs),
  ]
  step("Mending the search index")
  const index = await withSearchIndex(config, stores, async index => {
    const { removed, added } = await index.repair()
    return removed + added > 0
      ? `${removed} entries of the index were removed that belong to no file, ${added} were made again`
      : undefined
  })
  const mended = [...files, index]
  if (mended.some(Boolean)) await tellAll(database, "doctor --repair", "installation.repair")
  return mended
}

async function mendDirectory(dataDirectory: string): Promise<Mended> {
  new DiskBlobs(dataDirectory).clearTemporary()
  await healVectorFiles(dataDirectory)
  return dropBrokenWords(dataDirectory)
}

/** The keyword index holds nothing that the database does not: a damaged one is dropped and made anew. */
function dropBrokenWords(dataDirectory: string): Mended {
  const path = join(dataDirectory, "keyword.db")
  if (!existsSync(path) || isIntact(path)) return undefined
  for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true })
  return "the keyword index was damaged and has been rebuilt"
}

function isIntact(path: string): boolean {
  try {
    const sqlite = new Sqlite(path)
    try {
      return (sqlite.query("pragma quick_check(1)").get() as { quick_check?: string } | null)?.quick_check === "ok"
    } finally {
      sqlite.close()
    }
  } catch {
    return false
  }
}

/** Files that wait for a job get one. */
async function giveJobs(database: Database): Promise<Mended> {
  const queue = new JobQueue(database)
  return database.transaction().execute(async trx => {
    const waiting = await trx
      .selectFrom("files")
      .select(["id", "workspace_id", "type", "size"])
      .where("status", "in", ["queued", "indexing"])
      .where(eb => eb.not(eb.exists(eb.selectFrom("jobs").select("jobs.id").whereRef("jobs.subject", "=", "files.id"))))
      .execute()
    await queue.enqueue(trx, waiting.map(indexJob))
    return waiting.length > 0
      ? `${waiting.length} files without a job were queued: ${someOf(waiting.map(({ id }) => id))}`
      : undefined
  })
}

/** Findable files whose text or passages are lost are read again, as long as their original is there. */
async function indexAgain(blobs: Blobs, database: Database): Promise<Mended> {
  const { lost, textless, unindexed } = await inspectFiles(blobs, database)
  const waiting = await database
    .selectFrom("files")
    .select("id")
    .where("status", "in", ["queued", "indexing"])
    .execute()
  const left = new Set([...lost, ...waiting.map(({ id }) => id)]) // beyond help, or about to be read anyway
  const ids = [...new Set([...textless, ...unindexed])].filter(id => !left.has(id))
  if (ids.length === 0) return undefined
  const queue = new JobQueue(database)
  await database.transaction().execute(async trx => {
    for (const id of ids) {
      const file = await trx
        .updateTable("files")
        .set(eb => ({ ...QUEUED, generation: eb("generation", "+", 1), updated_at: new Date().toISOString() }))
        .where("id", "=", id)
        .returning(["id", "workspace_id", "type", "size"])
        .executeTakeFirstOrThrow()
      await queue.enqueue(trx, [indexJob(file)])
    }
  })
  return `${ids.length} files were queued to be indexed again, at the daemon's next start: ${someOf(ids)}`
}

/** Bytes, texts and passages that no file names. */
async function sweepOrphans(database: Database, blobs: Blobs): Promise<Mended> {
  const removed = await sweepFiles(database, blobs, Number.POSITIVE_INFINITY)
  const { numAffectedRows: passages = 0n } = await sql`
    delete from chunks where generation_id not in (select id from generations)`.execute(database)
  const { numAffectedRows: generations = 0n } = await sql`
    update generations set state = 'dead' where state = 'live' and not exists (
      select 1 from files where files.id = generations.file_id and files.live_generation = generations.generation)`.execute(
    database,
  )
  const total = removed + Number(passages + generations)
  return total > 0 ? `${total} stored originals, texts or passages were swept that belong to no file` : undefined
}
