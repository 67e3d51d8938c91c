/** The stores that a command works on: a data directory of one machine, or the engines of several. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Config } from "../config.ts"
import { enginesOf } from "../configured-cluster.ts"
import { embeddedIn } from "../search/embedded/embedded-store.ts"
import type { OpenStore } from "../search/passage-store.ts"
import type { Blobs } from "../storage/blobs/blobs.ts"
import { DiskBlobs } from "../storage/blobs/disk.ts"
import type { Database } from "../storage/database.ts"
import { prepareNative, withStoppedInstallation } from "./command.ts"
import { openStoppedEngines } from "./stopped-engines.ts"

export interface OpenedStores {
  database: Database
  blobs: Blobs
  passages: OpenStore
  /** Several machines use them. */
  isShared: boolean
}

export const storesIn = (dataDirectory: string, database: Database): OpenedStores => ({
  database,
  blobs: new DiskBlobs(dataDirectory),
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
  await prepareNative(config)
  return await work({ ...opened, isShared: true }) // before they are closed
}

/** Work in progress of a command lies apart from that of a node with the same data directory, which would clear it away. */
export function scratch(stack: AsyncDisposableStack): string {
  const folder = mkdtempSync(join(tmpdir(), "carrel-command-"))
  stack.defer(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
