/**
 * Backups of several machines: their records as lines of JSON, from one snapshot, and a list of the originals and texts that
 * belong to them. The bytes of those stay in the object storage, whose own tools keep them; the search index is made anew.
 */
import { sql } from "kysely"
import type { EngineAddresses } from "../../config-engines.ts"
import { OperatorError } from "../../errors.ts"
import { arrivedIn } from "../../governance/audit/anchors.ts"
import { VERSION } from "../../native/version.ts"
import { becomeCluster, checkCluster } from "../../nodes/cluster.ts"
import {
  type AddEntry,
  BackupError,
  type ClusterManifest,
  DAMAGED,
  type KeepEntry,
  type Manifest,
  type OnBytes,
  readArchive,
  writeArchive,
} from "../../storage/backup-archive.ts"
import { openS3 } from "../../storage/blobs/s3.ts"
import { appliedMigrations, type Database, type Executor, writtenByNewer } from "../../storage/database.ts"
import { MIGRATIONS } from "../../storage/migrations/index.ts"
import { openPostgres, type PostgresOptions } from "../../storage/postgres/open.ts"
import { claim, release } from "../move/claim.ts"
import { compareCounts, nextPassage, type Row, raiseNumbers, readRecords, writeRecords } from "../move/records.ts"
import { scratch } from "../open-stores.ts"
import { refuseNodes } from "../stopped-engines.ts"
import { lackingOf, listStored, type StoredFile } from "./stored.ts"

/** Characters of an entry, about: it is held in memory. */
const ENTRY = 4 * 2 ** 20
const DIGITS = 9
const STORED = "stored"
/**
 * Numbers that are left out after a restore. What was indexed after the backup may still lie in the search engine under its
 * own numbers; none of them is to stand for something else.
 */
const PASSAGES_AHEAD = 2 ** 30
const GENERATIONS_AHEAD = 2 ** 24

/** Told how many records, or files, are done. */
type OnCount = (done: number) => void

/** Writes the records of a cluster, beside its nodes. `target` appears only when it is whole. @throws as `writeArchive` */
export async function writeClusterBackup(
  engines: EngineAddresses,
  target: string,
  on: { records: OnCount; stored: OnCount },
  key?: Uint8Array,
): Promise<ClusterManifest> {
  return writeArchive<ClusterManifest>(
    target,
    async add => {
      await using stack = new AsyncDisposableStack()
      let cluster_id: string | undefined
      const before = async (database: Database) => {
        cluster_id = await checkCluster(database, undefined)
        if (cluster_id === undefined)
          throw new OperatorError("no cluster uses this database yet", { hint: "see --database-url" })
      }
      const database = await openRecords(engines, { before }, stack)
      const blobs = await openBlobs(engines, stack)
      await blobs.prove(cluster_id!, { mayBeNew: false })
      // The server lets it wait: between two pages stands a disk that may be slow.
      const snapshot = database.transaction().setIsolationLevel("repeatable read").setAccessMode("read only")
      return await snapshot.execute(async trx => {
        await sql`set local idle_in_transaction_session_timeout = 0`.execute(trx)
        const created_at = new Date().toISOString()
        const rows = await addRecords(trx, add, on.records)
        const list = new Lines(STORED, add)
        for await (const files of listStored(trx, blobs)) on.stored(await list.add(files))
        await list.end()
        return {
          format: 2,
          kind: "cluster",
          version: VERSION,
          created_at,
          cluster_id: cluster_id!,
          migrations: await appliedMigrations(trx),
          next_passage: await nextPassage(trx),
          rows,
          stored: list.count,
        }
      })
    },
    key,
  )
}

/** @returns rows of each table */
async function addRecords(records: Executor, add: AddEntry, on: OnCount): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  let lines: Lines | undefined
  let done = 0
  for await (const { table, rows } of readRecords(records)) {
    const path = `records/${table}`
    if (lines?.path !== path) {
      await lines?.end()
      lines = new Lines(path, add)
    }
    counts[table] = await lines.add(rows)
    done += rows.length
    on(done)
  }
  await lines?.end()
  return counts
}

/** Values, one a line, in entries that can be held in memory. */
class Lines {
  count = 0
  private entries = 0
  private lines: string[] = []
  private length = 0

  constructor(
    readonly path: string,
    private readonly to: AddEntry,
  ) {}

  /** @returns how many there are now */
  async add(values: readonly unknown[]): Promise<number> {
    for (const value of values) {
      const line = `${JSON.stringify(value)}\n`
      this.lines.push(line)
      this.length += line.length
    }
    this.count += values.length
    if (this.length >= ENTRY) await this.end()
    return this.count
  }

  async end(): Promise<void> {
    if (this.lines.length === 0) return
    const bytes = Buffer.from(this.lines.join(""))
    this.lines = []
    this.length = 0
    const name = `${this.path}/${String(++this.entries).padStart(DIGITS, "0")}.jsonl`
    await this.to(
      name,
      bytes.byteLength,
      (async function* () {
        yield bytes
      })(),
    )
  }
}

/**
 * Brings the records into an empty database; a restore that was cut goes on. The backup is read through before.
 * @throws BackupError; OperatorError for a database that is in use, while nodes run, or for a backup of a newer version
 */
export async function restoreCluster(
  engines: EngineAddresses,
  source: string,
  on: { verifying: OnBytes; restoring: OnBytes },
  key?: Uint8Array,
): Promise<ClusterManifest> {
  const manifest = needCluster(
    source,
    await readArchive(source, { on: on.verifying, keep: refusingDirectory(source), key }),
  )
  const newer = manifest.migrations.find(name => !MIGRATIONS.some(migration => migration.name === name))
  if (newer) throw writtenByNewer(newer, source)
  await using stack = new AsyncDisposableStack()
  const before = async (database: Database) => {
    if ((await checkCluster(database, undefined)) !== undefined) await refuseNodes(database)
  }
  // With the tables that the backup has; the first node brings them forward, as it does with any.
  const then = MIGRATIONS.filter(({ name }) => manifest.migrations.includes(name))
  const database = await openRecords(engines, { before, queryTimeoutMs: 0, mayBeNewer: async () => true }, stack, then)
  await claim(database, `the backup of ${manifest.cluster_id} at ${manifest.created_at}`)
  await becomeCluster(database, manifest.cluster_id)
  const keep: KeepEntry = async (name, content) => {
    const [, table] = /^records\/(.+)\//.exec(name) ?? []
    const rows = await linesOf<Row>(content)
    if (table) await writeRecords(database, table, rows)
  }
  await readArchive(source, { on: on.restoring, keep, key })
  await raiseNumbers(database, manifest.next_passage + PASSAGES_AHEAD, GENERATIONS_AHEAD)
  await compareCounts(manifest.rows, database)
  await arrivedIn(database, "backup.restore")
  await release(database)
  return manifest
}

/**
 * Reads a backup through; where it is of a cluster and its engines are known, the storage is asked for what it lists.
 * @returns names of what the storage lacks, or holds in another size
 */
export async function verifyAgainst(
  engines: EngineAddresses,
  source: string,
  on: OnBytes,
  key?: Uint8Array,
): Promise<{ manifest: Manifest; lacking: string[] }> {
  await using stack = new AsyncDisposableStack()
  const blobs = await openBlobs(engines, stack)
  const lacking: string[] = []
  const keep: KeepEntry = async (name, content) => {
    const files = name.startsWith(`${STORED}/`) ? await linesOf<StoredFile>(content) : await drained(content)
    lacking.push(...(await lackingOf(files, blobs)))
  }
  const manifest = await readArchive(source, { on, keep, key })
  return { manifest, lacking }
}

async function drained(content: AsyncIterable<Uint8Array>): Promise<[]> {
  for await (const _ of content);
  return []
}

async function linesOf<Value>(content: AsyncIterable<Uint8Array>): Promise<Value[]> {
  const text = Buffer.concat(await Array.fromAsync(content)).toString()
  try {
    return text
      .split("\n")
      .filter(line => line !== "")
      .map(line => JSON.parse(line) as Value)
  } catch (error) {
    throw new BackupError("the backup is damaged: its lines are no JSON", { hint: DAMAGED, cause: error })
  }
}

const refusingDirectory =
  (source: string): KeepEntry =>
  async (name, content) => {
    if (!/^(records|stored)\//.test(name)) throw ofOne(source)
    await drained(content)
  }

function needCluster(source: string, manifest: Manifest): ClusterManifest {
  if (manifest.format === 1) throw ofOne(source)
  return manifest
}

const ofOne = (source: string): BackupError =>
  new BackupError(`${source} is a backup of one machine`, {
    hint: "restore it to a directory, without --database-url, --blob-url and --search-url; then `carrel move --from` brings that over",
  })

async function openRecords(
  { database: url }: EngineAddresses,
  options: PostgresOptions,
  stack: AsyncDisposableStack,
  migrations = MIGRATIONS,
): Promise<Database> {
  const database = await openPostgres(url, { poolSize: 2, applicationName: "carrel command", ...options }, migrations)
  stack.defer(() => database.destroy())
  return database
}

async function openBlobs({ blobs: address }: EngineAddresses, stack: AsyncDisposableStack) {
  const blobs = await openS3(address, { dataDirectory: scratch(stack), floorBytes: 0 })
  stack.defer(() => blobs.close())
  return blobs
}
