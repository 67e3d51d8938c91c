/**
 * What makes nodes of one database one cluster: the secret that they share, an id that every other engine of the cluster
 * carries as well, and the version of what they agree on.
 */
import { createHash } from "node:crypto"
import { sql } from "kysely"
import { OperatorError } from "../errors.ts"
import { newId } from "../id.ts"
import type { Database, Executor } from "../storage/database.ts"
import type { ClusterTable } from "../storage/nodes.ts"
import { inOrder } from "../storage/shared.ts"

/**
 * Version of what nodes agree on beyond the schema: meanings of rows, what they ask of each other, names in the engines.
 * Raised with a change that a node of the version before cannot live with.
 */
const CONTRACT = 1

export interface ClusterIdentity {
  /** To be kept in the other engines, so that those of another cluster are noticed. */
  clusterId: string
  /** Of nodes that begin a cluster at once one makes it. */
  isMade: boolean
}

/**
 * Looks whether this node may join the cluster that uses the database, and writes nothing.
 * @returns its id; undefined where none does yet
 * @throws OperatorError as `openCluster`
 */
export async function checkCluster(
  database: Database,
  secret: string | undefined,
  contract = CONTRACT,
): Promise<string | undefined> {
  const known = await existing(database)
  if (known) refuseOther(known, secret, contract)
  return known?.id
}

/**
 * Whether nodes of this version may work beside those that use the database: a newer one among them changed it by adding
 * alone, or raised the contract.
 */
export async function sharesContract(database: Database, contract = CONTRACT): Promise<boolean> {
  const known = await existing(database)
  return known !== undefined && known.contract <= contract
}

/**
 * Makes the cluster, or joins the one that uses the database.
 * @param secret random, of 32 bytes or more: a plain hash of it tells nothing; undefined for a command, which asks no node
 * @throws OperatorError for another secret, or a cluster of a newer contract
 */
export async function openCluster(
  database: Database,
  secret: string | undefined,
  contract = CONTRACT,
): Promise<ClusterIdentity> {
  return database.transaction().execute(async trx => {
    await inOrder(trx, "cluster")
    const known = await clusterIn(trx)
    if (known) {
      refuseOther(known, secret, contract)
      await trx
        .updateTable("cluster")
        .set({ contract, ...(secret === undefined ? {} : { secret_digest: digestOf(secret) }) })
        .execute()
      return { clusterId: known.id, isMade: false }
    }
    const made = {
      id: newId("clus"),
      secret_digest: secret === undefined ? null : digestOf(secret),
      contract,
      created_at: new Date().toISOString(),
    }
    await trx.insertInto("cluster").values(made).execute()
    return { clusterId: made.id, isMade: true }
  })
}

/**
 * Makes the database that of a cluster whose other engines there are already; the first node to start brings its secret.
 * @param clusterId what those engines carry
 */
export async function becomeCluster(database: Database, clusterId: string, contract = CONTRACT): Promise<void> {
  await database.transaction().execute(async trx => {
    await inOrder(trx, "cluster")
    await trx.deleteFrom("cluster").execute()
    const created_at = new Date().toISOString()
    await trx.insertInto("cluster").values({ id: clusterId, secret_digest: null, contract, created_at }).execute()
  })
}

/** Also of a database that has no tables yet. */
async function existing(database: Database): Promise<ClusterTable | undefined> {
  const { rows } = await sql<{ found: boolean }>`select to_regclass('cluster') is not null as found`.execute(database)
  return rows[0]?.found ? clusterIn(database) : undefined
}

const clusterIn = (executor: Executor) => executor.selectFrom("cluster").selectAll().executeTakeFirst()

const digestOf = (secret: string): string => createHash("sha256").update(`carrel cluster\n${secret}`).digest("hex")

function refuseOther(known: ClusterTable, secret: string | undefined, contract: number): void {
  if (known.contract > contract)
    throw new OperatorError("the cluster was joined by a newer version of Carrel, which this one cannot work beside", {
      hint: "start the newer version on this machine as well",
    })
  if (secret !== undefined && known.secret_digest !== null && known.secret_digest !== digestOf(secret))
    throw new OperatorError("the cluster secret is not the one of the cluster that uses this database", {
      hint: "give every node the same file with --cluster-secret-file, or this one a database of its own",
    })
}
