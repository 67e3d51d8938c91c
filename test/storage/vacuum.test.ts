/** Receipts of a cluster wait until PostgreSQL has vacuumed what was deleted. */
import { expect, test } from "bun:test"
import { ensureWorkspace } from "../../src/access/keys.ts"
import { openPostgres, postgresClients } from "../../src/storage/postgres/open.ts"
import { vacuum } from "../../src/storage/postgres/vacuum.ts"
import { emptySchema } from "../support/databases.ts"
import { postgres } from "../support/engines.ts"
import { until } from "../support/until.ts"

const server = await postgres()

test.skipIf(!server)(
  "tables are vacuumed, but not while a transaction of before is open",
  async () => {
    const url = await emptySchema(server!)
    const database = await openPostgres(url)
    const connect = await postgresClients(url, "direct")
    const reader = connect()
    await reader.connect()
    try {
      await ensureWorkspace(database)
      await reader.query("begin isolation level repeatable read")
      await reader.query("select * from workspaces")
      await Bun.sleep(5) // the clocks of both have a resolution
      const time = Date.now() + 60_000
      expect(await vacuum(connect, time)).toBe(false)
      await reader.query("rollback")
      await reader.query("begin")
      await reader.query("rollback")
      const now = Date.now()
      await until(() => vacuum(connect, now)) // others use the server as well
      const { rows } = await reader.query(
        "select last_vacuum from pg_stat_user_tables where relid = to_regclass('messages')",
      )
      expect(rows[0].last_vacuum).not.toBeNull()
    } finally {
      await reader.end()
      await database.destroy()
    }
  },
  60_000,
)
