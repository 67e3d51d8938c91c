import { hostname } from "node:os"
import { join } from "node:path"
import type { Config } from "../config.ts"
import { requeueInterrupted } from "../ingest/outcomes.ts"
import { JobQueue } from "../jobs/queue.ts"
import { FileChanges } from "../library/changes.ts"
import { unpackAll, useNativeDirectory } from "../native/native.ts"
import { VERSION } from "../native/version.ts"
import { AloneLeader } from "../nodes/leader.ts"
import { joinAlone } from "../nodes/nodes.ts"
import { LocalWakes } from "../nodes/wakes.ts"
import { DiskBlobs } from "../storage/blobs/disk.ts"
import { DiskWatch } from "../storage/disk-watch.ts"
import { closeToOthers } from "../storage/file-modes.ts"
import { Idempotency } from "../storage/idempotency.ts"
import { lockDirectory } from "../storage/sqlite/lock.ts"
import { openSqlite, removeOldCopies } from "../storage/sqlite/open.ts"
import { keepLogEmpty } from "../storage/sqlite/write-ahead-log.ts"
import type { StoreWatch } from "../storage/store-watch.ts"
import { healVectorFiles } from "../storage/vector-files.ts"

export type Storage = Awaited<ReturnType<typeof openStorage>>

/** The data directory, for this process alone, with what a former one left put in order. */
export async function openStorage(
  config: Config,
  stack: AsyncDisposableStack,
  unpacking: (done: number, total: number) => void,
) {
  const { data } = config
  const nativeDirectory = join(data, "native")
  const lock = lockDirectory(data)
  stack.defer(() => lock.release())
  useNativeDirectory(nativeDirectory)
  closeToOthers(data)
  removeOldCopies(data)
  await unpackAll(unpacking)
  const database = await openSqlite(data)
  stack.defer(() => database.destroy())
  stack.defer(keepLogEmpty(database, data))
  const blobs = new DiskBlobs(data, config.disk_floor_mb * 2 ** 20)
  blobs.clearTemporary()
  const disk = new DiskWatch(data)
  stack.defer(() => disk.close())
  const node = await joinAlone(database, {
    name: config.node_name || hostname(),
    url: null,
    role: "all",
    version: VERSION,
  })
  stack.use(node)
  const wakes = new LocalWakes()
  const queue = new JobQueue(database, { owner: node, wakes })
  await queue.reclaim()
  await requeueInterrupted(database)
  await healVectorFiles(data)
  return {
    nativeDirectory,
    database,
    node,
    leader: stack.use(new AloneLeader()),
    blobs,
    disk,
    stores: undefined as StoreWatch | undefined,
    queue,
    changes: new FileChanges(wakes),
    idempotency: new Idempotency(database),
  }
}
