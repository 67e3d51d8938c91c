/** A whole cluster on one machine: engines and nodes on hosts of their own, every link between them in the test's hand. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { ClusterUrls } from "../../scripts/cluster/engine.ts"
import { ENGINES } from "../../scripts/cluster/index.ts"
import { openPostgres } from "../../src/storage/postgres/open.ts"
import {
  ENGINE_NAMES,
  type EngineName,
  type Engines,
  type HostedEngines,
  hostEngines,
  lacksEngines,
} from "./cluster-engines.ts"
import { ClusterNode, type NodeOptions } from "./cluster-node.ts"
import { leastRights } from "./least-rights.ts"
import { lacksNetwork, type Network, openNetwork } from "./network.ts"

export const NODE_NAMES = ["n1", "n2", "n3"] as const
export type NodeName = (typeof NODE_NAMES)[number]
export type HostName = NodeName | EngineName

/** What starting three engines and three nodes takes on a busy machine; the `beforeAll` timeout of those who do. */
export const CLUSTER_TIMEOUT_MS = 300_000

export interface Cluster {
  network: Network<HostName>
  engines: HostedEngines
  /** Addresses with the rights of a node. */
  urls: ClusterUrls
  /** The database, with the right to change its tables. */
  ownerUrl: string
  /** Not started yet. `over` beats what every node has. */
  node(name: NodeName, over?: Partial<NodeOptions>): ClusterNode
  secretFile: string
  /** Ends nodes and engines, and leaves nothing. */
  remove(): Promise<void>
}

/** Prints why, and is undefined, where the machine cannot run one. */
export async function lacksCluster(engines: Engines = ENGINES): Promise<string | undefined> {
  const reasons = [await lacksNetwork(), ...lacksEngines(engines)].filter(reason => reason !== undefined)
  if (reasons.length === 0) return undefined
  console.log(`cluster: not started, because ${reasons.join("; ")}`)
  return reasons.join("; ")
}

/** Its nodes enter the engines with the rights of `deploy/cluster`. */
export async function openCluster(engines: Engines = ENGINES): Promise<Cluster> {
  const rights = leastRights(engines)
  const folder = mkdtempSync(join(tmpdir(), "carrel-cluster-test-"))
  const network = await openNetwork([...ENGINE_NAMES, ...NODE_NAMES])
  const hosted = await hostEngines(network.hosts, rights.engines).catch(async error => {
    await network.remove()
    throw error
  })
  const { urls, ownerUrl } = await rights.apply(hosted.urls).catch(async error => {
    await hosted.remove()
    await network.remove()
    throw error
  })
  await (await openPostgres(ownerUrl)).destroy() // makes the tables, which nodes may not
  const secretFile = join(folder, "secret")
  writeFileSync(secretFile, crypto.randomUUID() + crypto.randomUUID(), { mode: 0o600 })
  const nodes: ClusterNode[] = []
  return {
    network,
    engines: hosted,
    urls,
    ownerUrl,
    secretFile,
    node(name, over = {}) {
      const node = new ClusterNode({ name, host: network.hosts[name], urls, secretFile, ...over })
      nodes.push(node)
      return node
    },
    async remove() {
      await Promise.all(nodes.map(node => node.remove()))
      await hosted.remove()
      await network.remove()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
