/** The two sides of a move: a data directory, and the engines of several machines. */
import type { Config } from "../../config.ts"
import type { EngineAddresses } from "../../config-engines.ts"
import { OperatorError } from "../../errors.ts"
import { embeddedIn } from "../../search/embedded/embedded-store.ts"
import type { PlainBlobs } from "../../storage/blobs/blobs.ts"
import { DiskBlobs } from "../../storage/blobs/disk.ts"
import { lockDirectory } from "../../storage/sqlite/lock.ts"
import { hasRecords, openSqlite } from "../../storage/sqlite/open.ts"
import { prepareNative } from "../command.ts"
import type { OpenedStores } from "../open-stores.ts"
import { openStoppedEngines } from "../stopped-engines.ts"

/** As it is stored, be it encrypted or not: rows move with the keys among them. */
export interface Side extends Pick<OpenedStores, "database" | "passages"> {
  blobs: PlainBlobs
  /** For people. */
  place: string
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
export const openCluster = async (
  engines: EngineAddresses,
  config: Config,
  stack: AsyncDisposableStack,
): Promise<Side> => ({ place: "the cluster", ...(await openStoppedEngines(engines, config, stack)) })
