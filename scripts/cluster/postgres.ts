/** PostgreSQL with one empty database, in the `C` collation as Carrel wants it; its user may do everything. */
import { appendFileSync, existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import type { PackageName } from "./archives.ts"
import { type Engine, freePorts, LOOPBACK, NAME, secret } from "./engine.ts"
import { runTool } from "./tools.ts"

/** Major versions, and the release of each. */
export const POSTGRES = {
  14: "postgresql-14.23.0",
  15: "postgresql-15.18.0",
  16: "postgresql-16.14.0",
  17: "postgresql-17.10.0",
  18: "postgresql-18.4.0",
} as const satisfies Record<number, PackageName>
export type PostgresVersion = keyof typeof POSTGRES

export const postgres = (version: PostgresVersion = 18): Engine => ({
  package: POSTGRES[version],
  lacks: () => undefined,

  async unpack(archives, target) {
    const [archive] = [...new Bun.Glob("*.tgz").scanSync(archives)]
    await runTool([
      "tar",
      "--extract",
      "--gzip",
      "--file",
      join(archives, archive!),
      "--strip-components=1",
      "--directory",
      target,
    ])
    link(target)
  },

  async start({ home, folder, host, own, run, launch, until }) {
    const [port] = (await freePorts(1)) as [number]
    const password = secret()
    const [data, passwordFile] = [join(folder, "data"), join(folder, "password")]
    const program = (name: string) => join(home, "native/bin", name)
    writeFileSync(passwordFile, password, { mode: 0o600 })
    own()
    const rules = ["--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--no-sync"]
    await run([program("initdb"), "--pgdata", data, "--username", NAME, "--pwfile", passwordFile, ...rules])
    await run([program("postgres"), "--single", "-D", data, "postgres"], `create database ${NAME}\n`)
    const settings = [`port = ${port}`, `listen_addresses = '${host}'`, "unix_socket_directories = ''"]
    writeFileSync(join(data, "postgresql.auto.conf"), settings.join("\n"))
    if (host !== LOOPBACK) appendFileSync(join(data, "pg_hba.conf"), "host all all all scram-sha-256\n")
    // An interrupt ends it without waiting for its clients to leave; killed, it would leave shared memory behind.
    launch({ name: "postgres", command: [program("postgres"), "-D", data], log: join(folder, "log"), signal: "SIGINT" })
    const url = `postgres://${NAME}:${password}@${host}:${port}/${NAME}`
    await until("PostgreSQL", async () => {
      const sql = new Bun.SQL(url, { max: 1, connectionTimeout: 2 })
      await sql`select 1`.finally(() => sql.close())
    })
    return { database_url: url }
  },
})

/** The package lists its symbolic links in a file, because its registry keeps none. */
function link(target: string): void {
  const list = join(target, "native/pg-symlinks.json")
  if (!existsSync(list)) return
  const links = JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[]
  for (const { source, target: path } of links) symlinkSync(basename(source), join(target, path))
}
