import type { Config } from "../config.ts"
import { HeldRoom } from "../governance/usage/held-room.ts"
import { mostUploads } from "../http/connections.ts"
import { MIME_TYPES } from "../ingest/formats/formats.ts"
import { PageReader } from "../ingest/process/page-reader.ts"
import { JobWorker } from "../jobs/worker.ts"
import { BULK_FILES, Bulk } from "../library/bulk.ts"
import { FileCounts } from "../library/counts.ts"
import { Library } from "../library/library.ts"
import { Pages } from "../library/pages.ts"
import { UploadRoom } from "../library/upload-room.ts"
import { Uploads } from "../library/uploads.ts"
import { VectorStoreBatches } from "../library/vector-store-batches.ts"
import { VectorStores } from "../library/vector-stores.ts"
import { WebPages } from "../library/web/web-pages.ts"
import { WorkspaceRemoval } from "../library/workspace-removal.ts"
import type { SearchIndex } from "../search/index.ts"
import type { Access } from "./access.ts"
import type { Network } from "./network.ts"
import { type Storage, storesFaultIn } from "./storage.ts"

export type LibraryParts = ReturnType<typeof openLibrary>

/** Two workspaces look at pages at the same time, one of them with two readers. */
const PAGE_READERS = 3

/** Files as users see them, and the way in. */
export function openLibrary(
  config: Config,
  storage: Storage,
  { holders }: Pick<Access, "holders">,
  { egress }: Pick<Network, "egress">,
  index: SearchIndex,
  stack: AsyncDisposableStack,
) {
  const { database, blobs, queue, changes, idempotency } = storage
  const library = new Library({ database, blobs, queue, changes, index })
  const reader = new PageReader({
    places: PAGE_READERS,
    memoryLimitBytes: config.reader_memory_mb * 2 ** 20,
    makeFile: () => blobs.scratchFile(),
  })
  stack.defer(() => reader.stop())
  const pages = stack.use(new Pages({ library, blobs, reader }))
  const uploads = new Uploads({
    database,
    blobs,
    queue,
    changes,
    idempotency,
    room: new UploadRoom(queue, {
      uploads: Math.min(config.max_uploads, mostUploads()),
      queuedFiles: config.max_queued_files,
    }),
    held: new HeldRoom(database),
    rules: { maxFileBytes: config.max_file_bytes, fileTypes: MIME_TYPES },
  })
  const maxFileBytes = config.max_file_bytes
  const webPages = new WebPages({ database, egress: egress.fetch, uploads, library, maxFileBytes })
  const workspaceRemoval = new WorkspaceRemoval({ database, blobs, index })
  const vectorStores = new VectorStores(database, changes)
  const storeBatches = new VectorStoreBatches(database, library, vectorStores)
  const fileCounts = new FileCounts(database)
  const bulk = new Bulk({ database, queue, library, holders, isStoresFault: storesFaultIn(storage) })
  return { library, workspaceRemoval, fileCounts, bulk, pages, uploads, webPages, vectorStores, storeBatches }
}

/** Jobs that go on at the same time. */
const BULK_JOBS = 2

/** What works on many files. Yet to be started. */
export function bulkWorker({ queue, node, ...storage }: Storage, { bulk }: Pick<LibraryParts, "bulk">): JobWorker {
  const worker = new JobWorker(queue, {
    task: BULK_FILES,
    lanes: { ordinary: { concurrency: BULK_JOBS, group: 1, handle: bulk.handle } },
    isStoresFault: storesFaultIn(storage),
    mayLease: () => node.isMember,
  })
  node.onLost(() => worker.interrupt(new Error("the node lost its place among the others")))
  return worker
}
