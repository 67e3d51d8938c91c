/**
 * PgBouncer before PostgreSQL, as many installations have it: transactions share connections, so that nothing that belongs
 * to a session (LISTEN, advisory locks of sessions, prepared statements by name) holds from one to the next.
 */
import { createHash } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Engine, freePorts, NAME } from "./engine.ts"
import { lacksPrograms, program } from "./tools.ts"

/** Fewer than a node's pool asks for, so that transactions do share. */
const CONNECTIONS = 5

export const withPgbouncer = (database: Engine): Engine => ({
  ...database,
  lacks: () => database.lacks() ?? lacksPrograms(["pgbouncer"], "it comes with the system"),

  async start(site) {
    const { database_url: direct } = await database.start(site)
    const { username, password, hostname, port } = new URL(direct!)
    const [pooled] = (await freePorts(1)) as [number]
    const [settings, users] = [join(site.folder, "pgbouncer.ini"), join(site.folder, "users.txt")]
    const lines = [
      "[databases]",
      `* = host=${hostname} port=${port} user=${username} password=${password}`,
      "[pgbouncer]",
      `listen_addr = ${site.host}`,
      `listen_port = ${pooled}`,
      "unix_socket_dir =",
      "auth_type = md5",
      `auth_file = ${users}`,
      "pool_mode = transaction",
      `default_pool_size = ${CONNECTIONS}`,
      "max_client_conn = 500",
    ]
    writeFileSync(settings, lines.join("\n"), { mode: 0o600 })
    writeFileSync(users, `"${username}" "md5${md5(`${password}${username}`)}"\n`, { mode: 0o600 })
    site.own()
    const command = [program("pgbouncer")!, settings]
    site.launch({ name: "pgbouncer", command, log: join(site.folder, "pgbouncer.log") })
    const url = `postgres://${username}:${password}@${site.host}:${pooled}/${NAME}`
    await site.until("PgBouncer", async () => {
      const sql = new Bun.SQL(url, { max: 1, connectionTimeout: 2, prepare: false })
      await sql`select 1`.finally(() => sql.close())
    })
    return { database_url: url, direct_database_url: direct! }
  },
})

const md5 = (text: string): string => createHash("md5").update(text).digest("hex")
