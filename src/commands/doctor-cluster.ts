/** What the doctor says of several machines: each engine, the nodes that run, and what they hold together. */
import { isInUse, openEngineStores } from "../app/engines.ts"
import type { Config } from "../config.ts"
import type { EngineAddresses } from "../config-engines.ts"
import { ENGINE_NAMES, type Engine } from "../errors.ts"
import { checkCluster } from "../nodes/cluster.ts"
import { livingNodes } from "../nodes/registry.ts"
import { checkOpenSearch } from "../search/opensearch/check.ts"
import { openS3 } from "../storage/blobs/s3.ts"
import type { Database } from "../storage/database.ts"
import { openPostgres } from "../storage/postgres/open.ts"
import { describeFailure } from "./failure.ts"
import type { Finding } from "./finding.ts"
import { type OpenedStores, scratch, unlocked } from "./open-stores.ts"

/** Asks each engine by itself, so that one that is down hides nothing of the others. */
export async function examineEngines(engines: EngineAddresses): Promise<Finding[]> {
  await using stack = new AsyncDisposableStack()
  let clusterId: string | undefined
  let mayBeNew = true
  let isAlone = true
  const database = await tried("database", async () => {
    const before = async (found: Database) => {
      clusterId = await checkCluster(found, undefined)
      if (clusterId === undefined) return
      mayBeNew = !(await isInUse(found))
      isAlone = (await livingNodes(found)).length === 0
    }
    const opened = await openPostgres(engines.database, { before, poolSize: 1 })
    await opened.destroy()
  })
  const directory = { dataDirectory: scratch(stack), floorBytes: 0 }
  const blobs = await tried("blobs", async () => {
    const opened = await openS3(engines.blobs, directory)
    stack.defer(() => opened.close())
    await (clusterId === undefined ? opened.check() : opened.prove(clusterId, { mayBeNew }))
  })
  const search = await tried("search", () => checkOpenSearch(engines.search, clusterId, { mayBeNew: isAlone }))
  return [database, blobs, search]
}

async function tried(engine: Engine, ask: () => Promise<unknown>): Promise<Finding> {
  const what = ENGINE_NAMES[engine].replace(/^the /, "")
  const began = performance.now()
  try {
    await ask()
    return { what, state: "ok", text: `can be used (looked at in ${Math.round(performance.now() - began)} ms)` }
  } catch (error) {
    const { text, hint } = describeFailure(error)
    return { what, state: "problem", text, ...(hint ? { remedy: hint } : {}) }
  }
}

export async function describeNodes(database: Database): Promise<Finding> {
  const nodes = await livingNodes(database)
  if (nodes.length === 0)
    return { what: "nodes", state: "note", text: "none is running", remedy: "start one: carrel serve" }
  const told = nodes.map(({ name, role, version, url }) => `${name} (${role}, version ${version}, ${url ?? "-"})`)
  const found = { what: "nodes", text: told.join(", ") }
  if (new Set(nodes.map(({ url }) => url)).size === nodes.length) return { ...found, state: "ok" }
  return { ...found, state: "problem", remedy: "give each node an address of its own: --node-url" }
}

/** @throws OperatorError, EngineError for an engine that cannot be used */
export async function openBesideNodes(
  config: Config,
  engines: EngineAddresses,
  stack: AsyncDisposableStack,
): Promise<OpenedStores> {
  const directory = { dataDirectory: scratch(stack), floorBytes: 0 }
  const stores = await openEngineStores({ engines, scratch: directory, isPatient: false }, stack)
  return { ...(await unlocked(config, stores, stack)), isShared: true }
}
