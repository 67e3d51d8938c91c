import type { Database } from "../../storage/database.ts"

/** The table of vectors that serves, and the model that made it; undefined in a library without vectors. */
export const recordedVectors = (database: Database) =>
  database.selectFrom("vector_tables").selectAll().where("state", "=", "live").executeTakeFirst()
