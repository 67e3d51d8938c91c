/** Ids of passages by what the database knows of their generations. */
import type { Database } from "../../storage/database.ts"
import { type IdRanges, toRanges } from "../ids/id-ranges.ts"

/** Ids of every generation, whatever its state. */
export async function knownIds(db: Database): Promise<IdRanges> {
  const rows = await db.selectFrom("generations").select(["first_chunk", "last_chunk"]).execute()
  return toRanges(rows.map(row => [row.first_chunk, row.last_chunk]))
}

/** Whether any chunk is or may become visible. */
export async function anyWanted(db: Database): Promise<boolean> {
  const query = db.selectFrom("generations").select("id").where("state", "in", ["live", "staged"])
  return (await query.limit(1).executeTakeFirst()) !== undefined
}

/** Ids of all chunks that are or may become visible. */
export async function wantedIds(db: Database): Promise<IdRanges> {
  const rows = await db
    .selectFrom("generations")
    .select(["first_chunk", "last_chunk"])
    .where("state", "in", ["live", "staged"])
    .execute()
  return toRanges(rows.map(row => [row.first_chunk, row.last_chunk]))
}
