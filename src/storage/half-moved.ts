/** An installation that is being moved or restored to this place is not to be used before all of it has arrived. */
import { resolve } from "node:path"
import { OperatorError } from "../errors.ts"
import type { Database } from "./database.ts"
import { hasRecords } from "./sqlite/open.ts"

/** Name of the lease that whoever moves or restores holds. */
export const MOVE = "move"

/** @returns what is being moved here */
export async function isMovedInto(database: Database): Promise<string | undefined> {
  const lease = await database.selectFrom("leases").select("node_id").where("name", "=", MOVE).executeTakeFirst()
  return lease?.node_id
}

/** Where that which is moved to a directory lies until all of it has arrived. */
export const arrivingAt = (directory: string): string => `${resolve(directory)}.moving`

/** @throws OperatorError for a directory that is empty because what is moved to it has not arrived */
export function refuseArriving(directory: string): void {
  const arriving = arrivingAt(directory)
  if (hasRecords(directory) || !hasRecords(arriving)) return
  throw new OperatorError(`not all that is moved to ${directory} has arrived: it lies in ${arriving}`, {
    hint: "run the same `carrel move --to` again, which goes on where it was cut; to begin with nothing instead, remove that directory",
  })
}

/** @throws OperatorError while a move or a restore is unfinished */
export async function refuseHalfMoved(database: Database): Promise<void> {
  const source = await isMovedInto(database)
  if (source === undefined) return
  throw new OperatorError(`not all of ${source} has arrived in this place`, {
    hint: "run the same `carrel move` or `carrel restore` again: it goes on where it was cut",
  })
}
