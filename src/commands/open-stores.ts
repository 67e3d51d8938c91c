/** The stores that a command works on: a data directory of one machine, or the engines of several. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Config } from "../config.ts"
import { enginesOf } from "../configured-cluster.ts"
import { embeddedIn } from "../search/embedded/embedded-store.ts"
import type { OpenStore } from "../search/passage-store.ts"
import type { Blobs, PlainBlobs } from "../storage/blobs/blobs.ts"
import { DiskBlobs } from "../storage/blobs/disk.ts"
import type { Database } from "../storage/database.ts"
import { keyringOf } from "../storage/encryption/keyring.ts"
import { SealedBlobs } from "../storage/encryption/sealed-blobs.ts"
import { unlock } from "../storage/encryption/unlock.ts"
import { prepareNative, withStoppedInstallation } from "./command.ts"
import { openStoppedEngines } from "./stopped-engines.ts"

export interface OpenedStores {
  database: Database
  blobs: Blobs
  passages: OpenStore
  /** Several machines use them. */
  isShared: boolean
}

/** @param database as `unlock` returned it */
export const storesIn = (dataDirectory: string, database: Database): OpenedStores => ({
  database,
  blobs: new SealedBlobs(new DiskBlobs(dataDirectory), keyringOf(database)),
  passages: embeddedIn(dataDirectory),
  isShared: false,
})

/**
 * Works on an installation that nothing else uses: its daemon, or all nodes, are stopped.
 * @throws as `withStoppedInstallation`; OperatorError naming the nodes that run
 */
export async function withStoppedStores<T>(config: Config, work: (stores: OpenedStores) => Promise<T>): Promise<T> {
  const engines = enginesOf(config)
  if (!engines) return withStoppedInstallation(config, database => work(storesIn(config.data, database)))
  await using stack = new AsyncDisposableStack()
  const opened = await openStoppedEngines(engines, { ...config, data: scratch(stack) }, stack)
  const stores = await unlocked(config, opened, stack)
  await prepareNative(config)
  return await work({ ...stores, isShared: true }) // before they are closed
}

/** Stores as they are without their encryption. @throws OperatorError as `unlock` */
export async function unlocked<Stores extends { database: Database; blobs: PlainBlobs }>(
  { encryption_key_file }: Pick<Config, "encryption_key_file">,
  stores: Stores,
  stack: AsyncDisposableStack,
): Promise<Omit<Stores, "blobs"> & { blobs: Blobs }> {
  const database = await unlock(stores.database, encryption_key_file)
  stack.defer(() => keyringOf(database).close())
  return { ...stores, database, blobs: new SealedBlobs(stores.blobs, keyringOf(database)) }
}

/** Work in progress of a command lies apart from that of a node with the same data directory, which would clear it away. */
export function scratch(stack: AsyncDisposableStack): string {
  const folder = mkdtempSync(join(tmpdir(), "carrel-command-"))
  stack.defer(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
