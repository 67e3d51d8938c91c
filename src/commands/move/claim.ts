/** Marks a place that is being moved into, or restored to: nobody else may use it until all has arrived. */
import { OperatorError } from "../../errors.ts"
import type { Database } from "../../storage/database.ts"
import { isMovedInto, MOVE } from "../../storage/half-moved.ts"
import { clearFresh, isUnused } from "./records.ts"

/**
 * @param source what arrives here
 * @returns whether an attempt that was cut goes on
 * @throws OperatorError where other things are, or arrive
 */
export async function claim(database: Database, source: string): Promise<boolean> {
  const arriving = await isMovedInto(database)
  if (arriving === source) return true
  if (arriving !== undefined)
    throw new OperatorError(
      `something else has begun to arrive in this place, and not all of it is there: ${arriving}`,
      {
        hint: "finish that first, or empty the target",
      },
    )
  if (!(await isUnused(database)))
    throw new OperatorError("the target is in use: there are users, keys, files or conversations in it", {
      hint: "name an empty one: a database, with the bucket and search index of a move, or a directory",
    })
  await clearFresh(database)
  await database.insertInto("leases").values({ name: MOVE, node_id: source, until: "9999" }).execute()
  return false
}

/** All has arrived: the place may be used. */
export async function release(database: Database): Promise<void> {
  await database.deleteFrom("leases").where("name", "=", MOVE).execute()
}
