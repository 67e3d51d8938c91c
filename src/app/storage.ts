import { hostname } from "node:os"
import { join } from "node:path"
import { type Config, ConfigError } from "../config.ts"
import { clusterOf } from "../configured-cluster.ts"
import { Usage } from "../governance/usage/usage.ts"
import { requeueInterrupted } from "../ingest/outcomes.ts"
import { JobQueue } from "../jobs/queue.ts"
import { FileChanges } from "../library/changes.ts"
import { unpackAll, useNativeDirectory } from "../native/native.ts"
import { VERSION } from "../native/version.ts"
import { AloneLeader } from "../nodes/leader.ts"
import { joinAlone } from "../nodes/nodes.ts"
import { LocalWakes } from "../nodes/wakes.ts"
import { embeddedIn } from "../search/embedded/embedded-store.ts"
import { DiskBlobs } from "../storage/blobs/disk.ts"
import { DiskWatch } from "../storage/disk-watch.ts"
import { keyringOf } from "../storage/encryption/keyring.ts"
import { SealedBlobs } from "../storage/encryption/sealed-blobs.ts"
import { unlock } from "../storage/encryption/unlock.ts"
import { closeToOthers } from "../storage/file-modes.ts"
import { refuseArriving, refuseHalfMoved } from "../storage/half-moved.ts"
import { Idempotency } from "../storage/idempotency.ts"
import { lockDirectory } from "../storage/sqlite/lock.ts"
import { hasRecords, openSqlite, removeOldCopies } from "../storage/sqlite/open.ts"
import { keepLogEmpty } from "../storage/sqlite/write-ahead-log.ts"
import { healVectorFiles } from "../storage/vector-files.ts"
import { keepEncrypting } from "./encryption.ts"
import type { Stored } from "./stored.ts"

export interface Storage extends Stored {
  nativeDirectory: string
  /** Of the data directory; in a cluster it holds work in progress alone. */
  disk: DiskWatch
  idempotency: Idempotency
  usage: Usage
}

/** Whether a job failed for the sake of the disk or of an engine alone. */
export const storesFaultIn =
  ({ disk, stores }: Pick<Storage, "disk" | "stores">) =>
  async (error: unknown): Promise<boolean> =>
    (await disk.isToBlame(error)) || (await stores?.isToBlame(error)) === true

/** All that is stored, with what a former process left put in order. */
export async function openStorage(
  config: Config,
  stack: AsyncDisposableStack,
  unpacking: (done: number, total: number) => void,
): Promise<Storage> {
  const cluster = clusterOf(config)
  const { data } = config
  const nativeDirectory = join(data, "native")
  if (!cluster) refuseArriving(data)
  const lock = lockDirectory(data)
  stack.defer(() => lock.release())
  useNativeDirectory(nativeDirectory)
  closeToOthers(data)
  if (cluster && hasRecords(data))
    throw new ConfigError(
      `--data: ${data} holds the records of one machine, which a node of several would not see: \`carrel move\` brings them over; name another directory for a node`,
    )
  await unpackAll(unpacking)
  const disk = new DiskWatch(data)
  stack.defer(() => disk.close())
  const stored = cluster
    ? await (await import("./cluster.ts")).openAmongNodes(config, cluster, stack)
    : await openDirectory(config, stack)
  const usage = stack.use(await Usage.open(stored.database, { directory: join(data, "usage") }))
  return { nativeDirectory, disk, idempotency: new Idempotency(stored.database), usage, ...stored }
}

/** The data directory of one machine, for this process alone. */
async function openDirectory(config: Config, stack: AsyncDisposableStack): Promise<Stored> {
  const { data } = config
  removeOldCopies(data)
  const plain = await openSqlite(data)
  stack.defer(() => plain.destroy())
  stack.defer(keepLogEmpty(plain, data))
  await refuseHalfMoved(plain)
  const database = await unlock(plain, config.encryption_key_file)
  stack.defer(() => keyringOf(database).close())
  const disk = new DiskBlobs(data, config.disk_floor_mb * 2 ** 20)
  disk.clearTemporary()
  const blobs = new SealedBlobs(disk, keyringOf(database))
  keepEncrypting({ database, blobs, dataDirectory: data }, stack)
  const name = config.node_name || hostname()
  const node = stack.use(await joinAlone(database, { name, url: null, role: "all", version: VERSION }))
  const wakes = new LocalWakes()
  const queue = new JobQueue(database, { owner: node, wakes })
  await queue.reclaim()
  await requeueInterrupted(database)
  await healVectorFiles(data)
  return {
    database,
    node,
    leader: stack.use(new AloneLeader()),
    blobs,
    stores: undefined,
    queue,
    changes: new FileChanges(wakes),
    passages: embeddedIn(data),
    cluster: undefined,
  }
}
