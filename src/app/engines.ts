/** The engines of several machines, opened for a node or for a command. */
import type { EngineAddresses } from "../config-engines.ts"
import { ENGINE_NAMES, type Engine, engineTrouble, OperatorError } from "../errors.ts"
import { log } from "../log.ts"
import { checkCluster, openCluster, sharesContract } from "../nodes/cluster.ts"
import { refuseWrongClock } from "../nodes/nodes.ts"
import { livingNodes } from "../nodes/registry.ts"
import { checkOpenSearch, prepareOpenSearch } from "../search/opensearch/check.ts"
import { openSearchAt } from "../search/opensearch/opensearch-store.ts"
import type { OpenStore } from "../search/passage-store.ts"
import { openS3, type S3Blobs, type Scratch } from "../storage/blobs/s3.ts"
import type { Database } from "../storage/database.ts"
import { openPostgres } from "../storage/postgres/open.ts"

export interface EngineStores {
  database: Database
  blobs: S3Blobs
  passages: OpenStore
}

export interface EnginesOptions {
  engines: EngineAddresses
  /** Absent: of a command, which asks no other node. */
  secret?: string
  scratch: Scratch
  /** A node waits for engines that do not answer, a command says so and ends. */
  isPatient: boolean
  /** How long to wait for another node that makes the cluster at this moment. Default one minute. */
  makerMs?: number
}

/** Between two attempts to reach an engine. */
const AGAIN_MS = 1_000
const MAKER_MS = 60_000

/**
 * What is wrong with an engine is said before anything is written to any of them. A cluster that stands already does not
 * need its blobs or its search for the start of a node.
 * @throws OperatorError for what the operator has to mend; EngineError where somebody does not want to wait
 */
export async function openEngineStores(
  { engines, secret, scratch, isPatient, makerMs = MAKER_MS }: EnginesOptions,
  stack: AsyncDisposableStack,
): Promise<EngineStores> {
  const wait: <T>(engine: Engine, ask: () => Promise<T>) => Promise<T> = isPatient ? untilAnswered : (_, ask) => ask()
  const blobs = await openS3(engines.blobs, scratch)
  stack.defer(() => blobs.close())
  let isNew = false
  let later: { mayBeNew: boolean } | undefined
  const lookAtPlaces = async (database: Database, known: string | undefined) => {
    const look: Wait = isNew || !isPatient ? wait : ifAnswered
    const mayBeNew = isNew || !(await isInUse(database))
    await look("blobs", async () => {
      if (known === undefined) return blobs.check()
      blobs.proveLater(known, { mayBeNew })
      await blobs.prove(known, { mayBeNew })
    })
    const isAlone = isNew || (await livingNodes(database)).length === 0
    later = { mayBeNew: isAlone }
    await look("search", async () => {
      await checkOpenSearch(engines.search, known, { mayBeNew: isAlone })
      later = undefined
    })
  }
  const before = async (database: Database) => {
    await refuseWrongClock(database)
    const known = await checkCluster(database, secret)
    isNew = known === undefined
    try {
      await lookAtPlaces(database, known)
    } catch (error) {
      // Another node may have made the cluster since, and marked the places: they are looked at again below.
      const isMadeSince =
        isNew && error instanceof OperatorError && (await checkCluster(database, secret)) !== undefined
      if (!isMadeSince) throw error
    }
  }
  const database = await wait("database", () => openPostgres(engines.database, { before, mayBeNewer: sharesContract }))
  stack.defer(() => database.destroy())
  const { clusterId, isMade } = await openCluster(database, secret)
  const inPlaces = async (mayBeNew: boolean) => {
    await wait("blobs", () => blobs.prove(clusterId, { mayBeNew }))
    if (mayBeNew) await wait("search", () => prepareOpenSearch(engines.search, clusterId))
    else await wait("search", () => checkOpenSearch(engines.search, clusterId, { mayBeNew }))
  }
  if (isMade) await inPlaces(true)
  else if (isNew) await untilMade(() => inPlaces(false), makerMs)
  return { database, blobs, passages: openSearchAt({ address: engines.search, cluster: clusterId, later }) }
}

/** Whoever made the cluster at the same moment is about to mark its places, which are to be those of this node. */
async function untilMade(look: () => Promise<void>, withinMs: number): Promise<void> {
  for (const end = performance.now() + withinMs; ; await Bun.sleep(AGAIN_MS)) {
    try {
      return await look()
    } catch (error) {
      if (!(error instanceof OperatorError) || performance.now() > end) throw error
    }
  }
}

/** Whether a cluster has its places in the engines: it names files, or nodes that may take some are at work. */
export async function isInUse(database: Database): Promise<boolean> {
  const file = await database.selectFrom("files").select("id").limit(1).executeTakeFirst()
  return file !== undefined || (await livingNodes(database)).length > 0
}

type Wait = (engine: Engine, ask: () => Promise<void>) => Promise<void>

/** Waits for an engine that does not answer. */
async function untilAnswered<T>(engine: Engine, ask: () => Promise<T>): Promise<T> {
  for (let told = false; ; await Bun.sleep(AGAIN_MS)) {
    try {
      return await ask()
    } catch (error) {
      if (engineTrouble(error) !== engine) throw error
      if (!told) log.warn(`${ENGINE_NAMES[engine]} does not answer yet`, { error })
      told = true
    }
  }
}

/** Goes on without an engine that does not answer: its place is checked at its first use then. */
async function ifAnswered(engine: Engine, ask: () => Promise<void>): Promise<void> {
  try {
    await ask()
  } catch (error) {
    if (engineTrouble(error) !== engine) throw error
    log.warn(`${ENGINE_NAMES[engine]} does not answer: the node starts without`, { error })
  }
}
