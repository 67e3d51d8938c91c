/** The two sides of a move: a data directory, and the engines of several machines. */
import { openEngineStores } from "../../app/engines.ts"
import type { Config } from "../../config.ts"
import type { EngineAddresses } from "../../config-engines.ts"
import { OperatorError } from "../../errors.ts"
import { livingNodes } from "../../nodes/registry.ts"
import { embeddedIn } from "../../search/embedded/embedded-store.ts"
import type { OpenStore } from "../../search/passage-store.ts"
import type { Blobs } from "../../storage/blobs/blobs.ts"
import { DiskBlobs } from "../../storage/blobs/disk.ts"
import type { Database } from "../../storage/database.ts"
import { lockDirectory } from "../../storage/sqlite/lock.ts"
import { hasRecords, openSqlite } from "../../storage/sqlite/open.ts"
import { prepareNative } from "../command.ts"

export interface Side {
  /** For people. */
  place: string
  database: Database
  blobs: Blobs
  passages: OpenStore
}

/** The data directory of one machine, which nobody else uses meanwhile; made where there is none. */
export async function openDirectory(directory: string, stack: AsyncDisposableStack): Promise<Side> {
  const lock = lockDirectory(directory)
  stack.defer(() => lock.release())
  await prepareNative({ data: directory })
  const database = await openSqlite(directory)
  stack.defer(() => database.destroy())
  return { place: directory, database, blobs: new DiskBlobs(directory), passages: embeddedIn(directory) }
}

/** @throws OperatorError: a mistyped directory is no empty one */
export function needRecords(directory: string): void {
  if (!hasRecords(directory))
    throw new OperatorError(`there is no Carrel in ${directory}`, {
      hint: "name the data directory of the one machine",
    })
}

/** @throws OperatorError while nodes use them */
export async function openEngines(
  engines: EngineAddresses,
  { data, disk_floor_mb }: Pick<Config, "data" | "disk_floor_mb">,
  stack: AsyncDisposableStack,
): Promise<Side> {
  const scratch = { dataDirectory: data, floorBytes: disk_floor_mb * 2 ** 20 }
  const stores = await openEngineStores({ engines, scratch, isPatient: false }, stack)
  await refuseNodes(stores.database)
  return { place: "the cluster", ...stores }
}

/** @throws OperatorError naming the nodes that run */
export async function refuseNodes(database: Database): Promise<void> {
  const living = await livingNodes(database)
  if (living.length > 0)
    throw new OperatorError(`nodes of the cluster are running: ${living.map(({ name }) => name).join(", ")}`, {
      hint: "stop them first; one that was killed is forgotten after 15 seconds",
    })
}
