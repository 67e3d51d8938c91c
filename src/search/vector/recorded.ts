import type { Tier } from "../../storage/chunk-tables.ts"
import type { Database } from "../../storage/database.ts"

/** The table of a tier that serves, and the model that made it; undefined where the tier has no vectors. */
export const recordedVectors = (database: Database, tier: Tier) =>
  database
    .selectFrom("vector_tables")
    .selectAll()
    .where("state", "=", "live")
    .where("tier", "=", tier)
    .executeTakeFirst()
