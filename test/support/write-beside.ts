/** A write into the database of an application that runs in this process. */
import { Database } from "bun:sqlite"
import { join } from "node:path"
import { until } from "./until.ts"

/** The application may be writing, and commits by this thread: a wait for it within SQLite would keep it from that. */
export async function writeBeside(data: string, statement: string, ...values: string[]): Promise<void> {
  using database = new Database(join(data, "carrel.db"))
  await until(() => {
    try {
      return database.run(statement, values)
    } catch (error) {
      if ((error as { code?: string }).code === "SQLITE_BUSY") return false
      throw error
    }
  })
}
