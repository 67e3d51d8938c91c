import { join } from "node:path"
import type { Config } from "../config.ts"
import { JobWorker } from "../jobs/worker.ts"
import { log } from "../log.ts"
import { BroughtFiles } from "../sources/brought.ts"
import type { SOURCE_KINDS } from "../sources/connectors/index.ts"
import { keepSchedules, keepWatches } from "../sources/due.ts"
import { SourceFolders } from "../sources/folders.ts"
import { Manifests } from "../sources/manifest.ts"
import type { SourceRow } from "../sources/source.ts"
import { Sources } from "../sources/sources.ts"
import { SYNC_SOURCE, SyncJobs } from "../sources/sync.ts"
import { Sealer } from "../storage/sealed.ts"
import type { LibraryParts } from "./library.ts"
import type { Network } from "./network.ts"
import { type Storage, storesFaultIn } from "./storage.ts"

export type SourceParts = Awaited<ReturnType<typeof openSources>>

interface Parts {
  network: Network
  storage: Storage
  files: Pick<LibraryParts, "library" | "uploads">
}

/** Syncs that go on at the same time. */
const SYNCS = 6
/** Types whose connectors may tell of changes. */
const WATCHED = ["folder"] as const satisfies (keyof typeof SOURCE_KINDS)[]

/** Places that are kept in sync. The worker is yet to be started. */
export async function openSources(config: Config, { network, storage, files }: Parts) {
  const { database, queue, node, leader } = storage
  const folders = new SourceFolders(join(config.data, "sources"))
  await folders.sweep(database).catch(error => log.warn("folders of former sources could not be removed", { error }))
  const shared = {
    folders,
    database,
    queue,
    library: files.library,
    uploads: files.uploads,
    sealer: await Sealer.of(database),
    partsOf: ({ id }: Pick<SourceRow, "id">) => ({
      egress: network.egress.fetch,
      sourceRoots: config.source_root,
      directory: () => folders.of(id),
    }),
  }
  const jobs = new SyncJobs({ ...shared, readers: config.index_workers, isStoresFault: storesFaultIn(storage) })
  const sources = new Sources({ ...shared, jobs, idempotency: storage.idempotency })
  const manifests = new Manifests({ ...shared, sources, maxFileBytes: config.max_file_bytes })
  const broughtFiles = new BroughtFiles({ ...shared, sources })
  const worker = new JobWorker(queue, {
    task: SYNC_SOURCE,
    lanes: { ordinary: { concurrency: SYNCS, group: 1, handle: jobs.handle } },
    isStoresFault: storesFaultIn(storage),
    mayLease: () => node.isMember,
  })
  node.onLost(() => worker.interrupt(new Error("the node lost its place among the others")))
  const due = { database, queue, sources }
  leader.whileLeader(signal => keepSchedules(due, signal))
  leader.whileLeader(signal => keepWatches(due, WATCHED, signal))
  return { sources, manifests, broughtFiles, syncs: worker }
}
