/** One of several nodes: its place among the others, and the engines that all of them stand before. */
import type { Client } from "pg"
import type { Config } from "../config.ts"
import type { ClusterSettings } from "../configured-cluster.ts"
import { requeueInterrupted } from "../ingest/outcomes.ts"
import { JobQueue } from "../jobs/queue.ts"
import { FileChanges } from "../library/changes.ts"
import { VERSION } from "../native/version.ts"
import { sharesContract } from "../nodes/cluster.ts"
import { ClusterWakes } from "../nodes/cluster-wakes.ts"
import { Leader } from "../nodes/leader.ts"
import { Nodes, refuseTakenUrl } from "../nodes/nodes.ts"
import { Peers } from "../nodes/peers.ts"
import { Signatures } from "../nodes/signature.ts"
import { askOpenSearch } from "../search/opensearch/check.ts"
import { keyringOf } from "../storage/encryption/keyring.ts"
import { SealedBlobs } from "../storage/encryption/sealed-blobs.ts"
import { unlock } from "../storage/encryption/unlock.ts"
import { refuseHalfMoved } from "../storage/half-moved.ts"
import { openPostgres, postgresClients } from "../storage/postgres/open.ts"
import { vacuum } from "../storage/postgres/vacuum.ts"
import { StoreWatch } from "../storage/store-watch.ts"
import { openEngineStores } from "./engines.ts"
import type { Stored } from "./stored.ts"

/** Between two heartbeats: one that took longer is made again. */
const HEARTBEAT_ANSWER_MS = 3_000

/** @throws OperatorError for what the operator has to mend, before anything is written */
export async function openAmongNodes(
  config: Config,
  { engines, node: { name, url, role }, secret }: ClusterSettings,
  stack: AsyncDisposableStack,
): Promise<Stored> {
  const scratch = { dataDirectory: config.data, floorBytes: config.disk_floor_mb * 2 ** 20 }
  const opened = await openEngineStores({ engines, secret, scratch, isPatient: true }, stack)
  const { blobs, passages } = opened
  await refuseHalfMoved(opened.database)
  const database = await unlock(opened.database, config.encryption_key_file)
  stack.defer(() => keyringOf(database).close())
  await refuseTakenUrl(database, url)
  const afterDeath: (() => Promise<unknown>)[] = []
  const deaths = async () => {
    for (const giveUp of afterDeath) await giveUp()
  }
  // Connections of its own: a node that is busy, and whose others are all in use, is not to be taken for dead.
  const heart = await openPostgres(engines.database, {
    poolSize: 2,
    queryTimeoutMs: HEARTBEAT_ANSWER_MS,
    mayBeNewer: sharesContract,
  })
  stack.defer(() => heart.destroy())
  const description = { name, url, role, version: VERSION }
  const node = stack.use(await Nodes.join({ database: heart, description, deaths }))
  const signatures = new Signatures(secret, node)
  const connect = await postgresClients(engines.database)
  const direct = await postgresClients(engines.database, "direct")
  const wakes = stack.use(new ClusterWakes({ client: direct }))
  const queue = new JobQueue(database, { owner: node, wakes })
  afterDeath.push(async () => {
    await queue.reclaim()
    await requeueInterrupted(database)
    queue.announce()
  })
  const stores = new StoreWatch({
    database: () => askDatabase(connect),
    blobs: signal => blobs.ask(signal),
    search: signal => askOpenSearch(engines.search, signal),
  })
  stack.defer(() => stores.close())
  return {
    database,
    node,
    leader: stack.use(new Leader({ database: heart, node })),
    blobs: new SealedBlobs(blobs, keyringOf(database)),
    stores,
    queue,
    changes: new FileChanges(wakes),
    passages,
    cluster: {
      role,
      signatures,
      peers: new Peers(signatures),
      vacuum: time => vacuum(direct, time),
      onDeaths: giveUp => afterDeath.push(giveUp),
    },
  }
}

/** Over a connection of its own: a pool whose connections are all in use is no database that is down. */
async function askDatabase(connect: () => Client): Promise<void> {
  const client = connect()
  client.on("error", () => {}) // who asked is told by what it awaits
  try {
    await client.connect()
    await client.query("select 1")
  } finally {
    void client.end().catch(() => {})
  }
}
