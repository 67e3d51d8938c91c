import { mkdirSync } from "node:fs"
import type { Config } from "../config.ts"
import { ocrLanguagesOf } from "../configured.ts"
import { QuickReader } from "../ingest/process/quick-reader.ts"
import { ReaderPool, type ReaderPoolOptions } from "../ingest/process/reader-pool.ts"
import { GUESTS, INDEX_FILE, indexingLanes } from "../ingest/task.ts"
import { JobWorker } from "../jobs/worker.ts"
import type { SearchIndex } from "../search/index.ts"
import { removeAbandoned } from "../storage/packs/add.ts"
import { packsDirectory } from "../storage/packs/installed.ts"
import { type Storage, storesFaultIn } from "./storage.ts"

/** What makes files searchable. The worker is yet to be started, and to be stopped before the readers. */
export function openReading(
  config: Config,
  storage: Storage,
  index: SearchIndex,
  stack: AsyncDisposableStack,
): JobWorker {
  const { database, blobs, queue, changes, node } = storage
  // A reader may open what is in it at the time, if it is there when the reader starts.
  mkdirSync(packsDirectory(config.data), { recursive: true, mode: 0o700 })
  void removeAbandoned(packsDirectory(config.data)).catch(() => {}) // nobody looks at it
  const options: ReaderPoolOptions = {
    size: config.index_workers + GUESTS,
    memoryLimitBytes: config.reader_memory_mb * 2 ** 20,
    chunkOptions: { targetChars: config.chunk_characters, overlapChars: config.chunk_overlap },
    makeFile: () => blobs.scratchFile(),
    ocrLimits: { pages: config.ocr_max_pages, seconds: config.ocr_max_seconds },
    ocrLanguages: ocrLanguagesOf(config),
  }
  const reader = new ReaderPool(options)
  stack.defer(() => reader.stop())
  const quickReader = new QuickReader(options)
  stack.defer(() => quickReader.stop())
  const isStoresFault = storesFaultIn(storage)
  const announce = (id: string) => changes.announce(id)
  const dependencies = { database, blobs, queue, reader, quickReader, index, isStoresFault, announce }
  const worker = new JobWorker(queue, {
    task: INDEX_FILE,
    lanes: indexingLanes(config.index_workers, dependencies),
    isStoresFault,
    mayLease: () => node.isMember,
  })
  node.onLost(() => worker.interrupt(new Error("the node lost its place among the others")))
  return worker
}
