/** PostgreSQL with one empty database, in the `C` collation as Carrel wants it; its user may do everything. */
import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { type Engine, freePorts, HOST, NAME, secret } from "./engine.ts"
import { runTool } from "./tools.ts"

export const postgres: Engine = {
  package: "postgresql-18.4.0",
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

  async start({ home, folder, own, run, launch, until }) {
    const [port] = (await freePorts(1)) as [number]
    const password = secret()
    const [data, passwordFile] = [join(folder, "data"), join(folder, "password")]
    const program = (name: string) => join(home, "native/bin", name)
    writeFileSync(passwordFile, password, { mode: 0o600 })
    own()
    const rules = ["--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--no-sync"]
    await run([program("initdb"), "--pgdata", data, "--username", NAME, "--pwfile", passwordFile, ...rules])
    await run([program("postgres"), "--single", "-D", data, "postgres"], `create database ${NAME}\n`)
    const settings = [`port = ${port}`, `listen_addresses = '${HOST}'`, "unix_socket_directories = ''"]
    writeFileSync(join(data, "postgresql.auto.conf"), settings.join("\n"))
    // An interrupt ends it without waiting for its clients to leave; killed, it would leave shared memory behind.
    launch({ name: "postgres", command: [program("postgres"), "-D", data], log: join(folder, "log"), signal: "SIGINT" })
    const url = `postgres://${NAME}:${password}@${HOST}:${port}/${NAME}`
    await until("PostgreSQL", async () => {
      const sql = new Bun.SQL(url, { max: 1, connectionTimeout: 2 })
      await sql`select 1`.finally(() => sql.close())
    })
    return { database_url: url }
  },
}

/** The package lists its symbolic links in a file, because its registry keeps none. */
function link(target: string): void {
  const list = join(target, "native/pg-symlinks.json")
  if (!existsSync(list)) return
  const links = JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[]
  for (const { source, target: path } of links) symlinkSync(basename(source), join(target, path))
}
