/** An installation that is being moved or restored to this place is not to be used before all of it has arrived. */
import { OperatorError } from "../errors.ts"
import type { Database } from "./database.ts"

/** Name of the lease that whoever moves or restores holds. */
export const MOVE = "move"

/** @returns what is being moved here */
export async function isMovedInto(database: Database): Promise<string | undefined> {
  const lease = await database.selectFrom("leases").select("node_id").where("name", "=", MOVE).executeTakeFirst()
  return lease?.node_id
}

/** @throws OperatorError while a move or a restore is unfinished */
export async function refuseHalfMoved(database: Database): Promise<void> {
  const source = await isMovedInto(database)
  if (source === undefined) return
  throw new OperatorError(`not all of ${source} has arrived in this place`, {
    hint: "run the same `carrel move` or `carrel restore` again: it goes on where it was cut",
  })
}
