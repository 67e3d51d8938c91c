import { readdirSync, statSync } from "node:fs"
import { stat } from "node:fs/promises"
import { join } from "node:path"
import type { Config } from "../config.ts"
import { ReceiptSigner } from "../governance/receipts/receipt.ts"
import { ReceiptWriter } from "../governance/receipts/receipt-writer.ts"
import { Receipts } from "../governance/receipts/receipts.ts"
import { RemovedRows } from "../governance/receipts/rows.ts"
import type { EmptiedStore, ShedStore } from "../governance/receipts/store.ts"
import type { Usage } from "../governance/usage/usage.ts"
import type { JobWorker } from "../jobs/worker.ts"
import { RemovedBytes } from "../library/removed-bytes.ts"
import type { SearchIndex } from "../search/index.ts"
import { copiesOfUpgrades, removeOldCopies } from "../storage/sqlite/open.ts"
import { emptyLog } from "../storage/sqlite/write-ahead-log.ts"
import type { LibraryParts } from "./library.ts"
import type { Storage } from "./storage.ts"

interface Needed {
  storage: Storage
  index: SearchIndex
  files: Pick<LibraryParts, "pages">
  worker: JobWorker
}

/** Originals that pages were drawn from rest on the node that drew them for a minute; drawing takes seconds. */
const COPIES_MS = 90_000

/** Proofs of deletion, written by the node that leads. */
export async function openReceipts(config: Config, { storage, index, files, worker }: Needed): Promise<Receipts> {
  const { database, blobs, leader, cluster, usage } = storage
  const signer = await ReceiptSigner.of(database)
  const writer = new ReceiptWriter({
    database,
    signer,
    emptied: [
      reading(worker),
      sweeping(index),
      new RemovedRows(database),
      new RemovedBytes({
        database,
        blobs,
        pages: files.pages,
        copiesMs: cluster ? COPIES_MS : 0,
      }),
    ],
    shed: [
      ofSearch(index, cluster !== undefined),
      temporaryFiles(blobs.temporaryDirectory),
      journals(usage, cluster ? FOLDED_MS : 0),
      ...(cluster ? [tables(cluster.vacuum)] : [copies(config.data), log(storage)]),
    ],
    backupDays: config.backup_retention_days,
  })
  leader.whileLeader(signal => writer.keepWriting(signal))
  return new Receipts(database, signer)
}

/** Each node adds up every second what it noted; one that was away finds when it comes back who was erased. */
const FOLDED_MS = 10_000

/** Whoever is at a file writes of it to the end; this comes before all that looks for what was written. */
const reading = (worker: JobWorker): EmptiedStore => ({
  names: [],
  async gone(removals) {
    const gone = new Set<string>()
    for (const { id, kind, resourceId } of removals)
      if ((kind !== "file" && kind !== "version") || !(await worker.isAt(resourceId))) gone.add(id)
    return gone
  },
})

/** What was being indexed when its file went is written to its end, and found by nobody else. */
const sweeping = (index: SearchIndex): EmptiedStore => ({
  names: [],
  async gone(removals) {
    const files = removals.filter(({ kind }) => kind === "file" || kind === "version")
    await index.sweepAfter(files.map(({ resourceId }) => resourceId))
    return new Set(removals.map(({ id }) => id))
  },
})

const ofSearch = (index: SearchIndex, isShared: boolean): ShedStore => ({
  names: isShared ? ["search_index"] : ["keyword_index", "keyword_index_log", "vectors", "vector_versions"],
  hasShed: async ({ kinds, clearedAt }) => (!kinds.has("file") && !kinds.has("version")) || index.hasErased(clearedAt),
})

/** Work in progress: what began before the bytes were gone has to end. */
const temporaryFiles = (directory: string): ShedStore => ({
  names: ["temporary_files"],
  async hasShed({ clearedAt }) {
    for (const name of readdirSync(directory, { recursive: true, encoding: "utf8" })) {
      const found = await stat(join(directory, name)).catch(() => undefined) // gone since it was listed
      if (found?.isFile() && found.birthtimeMs < clearedAt) return false
    }
    return true
  },
})

/** What was used is noted with whom it was for until it is added up. */
const journals = (usage: Usage, othersMs: number): ShedStore => ({
  names: ["usage_journals"],
  async hasShed({ kinds, clearedAt }) {
    if (!kinds.has("end_user")) return true
    await usage.fold()
    return Date.now() >= clearedAt + othersMs
  },
})

/** A copy that undoes an upgrade holds what was there at that time. */
const copies = (dataDirectory: string): ShedStore => ({
  names: ["upgrade_copies"],
  async hasShed({ oldestAt }) {
    removeOldCopies(dataDirectory)
    return copiesOfUpgrades(dataDirectory).every(path => statSync(path).mtimeMs < oldestAt)
  },
})

/** Of the database of one machine, which is last: what is written for the others stands in it as well. */
function log({ database }: Pick<Storage, "database">): ShedStore {
  let emptiedAt = 0
  return {
    names: ["database_log"],
    async hasShed({ clearedAt }) {
      const began = Date.now()
      if (emptiedAt <= clearedAt && began > clearedAt && (await emptyLog(database))) emptiedAt = began
      return emptiedAt > clearedAt
    },
  }
}

/** Of PostgreSQL, whose own log is its operator's. */
function tables(vacuum: (time: number) => Promise<boolean>): ShedStore {
  let doneAt = 0
  return {
    names: ["database_rows"],
    async hasShed({ clearedAt }) {
      const began = Date.now()
      if (doneAt <= clearedAt && began > clearedAt && (await vacuum(clearedAt))) doneAt = began
      return doneAt > clearedAt
    },
  }
}
