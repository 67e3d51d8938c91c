/**
 * What makes nodes of one database one cluster: the secret that they share, an id that every other engine of the cluster
 * carries as well, and the version of what they agree on.
 */
import { createHash } from "node:crypto"
import { OperatorError } from "../errors.ts"
import { newId } from "../id.ts"
import type { Database } from "../storage/database.ts"
import { inOrder } from "../storage/shared.ts"

/**
 * Version of what nodes agree on beyond the schema: meanings of rows, what they ask of each other, names in the engines.
 * Raised with a change that a node of the version before cannot live with.
 */
const CONTRACT = 1

export interface ClusterIdentity {
  /** To be kept in the other engines, so that those of another cluster are noticed. */
  clusterId: string
}

/**
 * Makes the cluster, or joins the one that uses the database.
 * @param secret random, of 32 bytes or more: a plain hash of it tells nothing
 * @throws OperatorError for another secret, or a cluster of a newer contract
 */
export async function openCluster(database: Database, secret: string, contract = CONTRACT): Promise<ClusterIdentity> {
  const digest = createHash("sha256").update(`carrel cluster\n${secret}`).digest("hex")
  const { id, secret_digest } = await database.transaction().execute(async trx => {
    await inOrder(trx, "cluster")
    const known = await trx.selectFrom("cluster").selectAll().executeTakeFirst()
    if (!known) {
      const made = { id: newId("clus"), secret_digest: digest, contract, created_at: new Date().toISOString() }
      return await trx.insertInto("cluster").values(made).returningAll().executeTakeFirstOrThrow()
    }
    if (known.contract > contract)
      throw new OperatorError(
        "the cluster was joined by a newer version of Carrel, which this one cannot work beside",
        {
          hint: "start the newer version on this machine as well",
        },
      )
    return known
  })
  if (secret_digest !== digest)
    throw new OperatorError("the cluster secret is not the one of the cluster that uses this database", {
      hint: "give every node the same file with --cluster-secret-file, or this one a database of its own",
    })
  await database.updateTable("cluster").set({ contract }).where("contract", "<", contract).execute()
  return { clusterId: id }
}

/**
 * Looks at the mark of a cluster that another engine carries.
 * @param found undefined where it carries none yet
 * @throws OperatorError naming the engine, when it is another cluster's
 */
export function refuseForeign(engine: string, found: string | undefined, clusterId: string): void {
  if (found === undefined || found === clusterId) return
  throw new OperatorError(`the ${engine} belongs to another cluster than the database`, {
    hint: `give each cluster a ${engine} of its own, or start with the database that belongs to this one`,
  })
}
