/** Ways to a PostgreSQL: TLS as its URL asks for it, a PgBouncer that pools by transaction, and connections of one's own. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { chownSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sql } from "kysely"
import { withPgbouncer } from "../../scripts/cluster/pgbouncer.ts"
import { postgres } from "../../scripts/cluster/postgres.ts"
import { owner, runTool } from "../../scripts/cluster/tools.ts"
import { EngineError, OperatorError } from "../../src/errors.ts"
import type { Database } from "../../src/storage/database.ts"
import { openPostgres, postgresClients } from "../../src/storage/postgres/open.ts"
import { onServer, ownEngine } from "../support/engines.ts"
import { rejection } from "../support/rejection.ts"
import { until } from "../support/until.ts"

const pooled = await ownEngine("PgBouncer", withPgbouncer(postgres()))
const alone = pooled ? undefined : await ownEngine("PostgreSQL", postgres())
const direct = pooled?.direct_database_url ?? alone?.database_url

const folder = mkdtempSync(join(tmpdir(), "carrel-tls-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.skipIf(!direct)("TLS", () => {
  const [key, certificate, stranger] = ["key.pem", "certificate.pem", "stranger.pem"].map(name => join(folder, name))
  const certify = (name: string, keyFile: string, file: string) =>
    runTool([
      ...[
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-days",
        "1",
      ],
      ...["-subj", `/CN=${name}`, "-addext", `subjectAltName=DNS:${name}`, "-keyout", keyFile, "-out", file],
    ])
  beforeAll(async () => {
    await certify("localhost", key!, certificate!)
    await certify("localhost", join(folder, "other-key.pem"), stranger!)
    const { uid, gid } = owner()
    for (const path of [folder, key!, certificate!]) chownSync(path, uid, gid)
    await onServer(direct!, `alter system set ssl_cert_file = '${certificate}'`)
    await onServer(direct!, `alter system set ssl_key_file = '${key}'`)
    await onServer(direct!, "alter system set ssl = on")
    await onServer(direct!, "select pg_reload_conf()")
    await until(async () => {
      const [row] = (await onServer(direct!, "show ssl")) as { ssl: string }[]
      return row?.ssl === "on"
    })
  })

  const open = (host: string, query: Record<string, string>): Promise<Database> => {
    const url = Object.assign(new URL(direct!), { hostname: host })
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    return openPostgres(url.href, { poolSize: 1 })
  }
  const isEncrypted = async (opening: Promise<Database>): Promise<unknown> => {
    const database = await opening
    const { rows } = await sql<{ ssl: boolean }>`select ssl from pg_stat_ssl where pid = pg_backend_pid()`
      .execute(database)
      .finally(() => database.destroy())
    return rows[0]?.ssl
  }
  const root = () => ({ sslrootcert: certificate! })

  test("is used where the URL asks for it", async () => {
    expect(await isEncrypted(open("127.0.0.1", {}))).toBe(false)
    expect(await isEncrypted(open("127.0.0.1", { sslmode: "disable" }))).toBe(false)
    expect(await isEncrypted(open("127.0.0.1", { sslmode: "require" }))).toBe(true)
    expect(await isEncrypted(open("127.0.0.1", { sslmode: "verify-ca", ...root() }))).toBe(true)
    expect(await isEncrypted(open("localhost", { sslmode: "verify-full", ...root() }))).toBe(true)
    expect(await isEncrypted(open("localhost", root()))).toBe(true)
  })

  test("is refused with a stranger's certificate, and with another name where names count", async () => {
    for (const [host, query] of [
      ["localhost", { sslmode: "verify-full" }],
      ["localhost", { sslmode: "verify-full", sslrootcert: stranger! }],
      ["127.0.0.1", { sslmode: "verify-ca", sslrootcert: stranger! }],
      ["127.0.0.1", { sslmode: "verify-full", ...root() }],
    ] as const) {
      const error = await rejection(open(host, query))
      expect([error.constructor.name, error.message]).toEqual([
        OperatorError.name,
        expect.stringContaining("has a certificate that is not trusted"),
      ])
    }
  })

  test("names a file of certificates that is not there", async () => {
    const error = await rejection(open("localhost", { sslmode: "verify-full", sslrootcert: "/nowhere/ca.pem" }))
    expect([error.constructor.name, error.message]).toEqual([
      OperatorError.name,
      "/nowhere/ca.pem, which --database-url names, cannot be read (ENOENT)",
    ])
  })
})

describe.skipIf(!pooled)("behind a PgBouncer that pools by transaction", () => {
  test("nodes open the database together, and their transactions keep to themselves", async () => {
    const nodes = await Promise.all([1, 2, 3].map(() => openPostgres(pooled!.database_url)))
    const rows = (n: number) =>
      nodes[n % 3]!.transaction().execute(async trx => {
        await trx
          .insertInto("setup_tokens")
          .values({ token_hash: `t${n}`, created_at: "" })
          .execute()
        if (n % 10 === 0) throw new Error("no")
        return trx.selectFrom("setup_tokens").selectAll().where("token_hash", "=", `t${n}`).execute()
      })
    const work = Array.from({ length: 300 }, (_, n) => rows(n).catch(error => (error as Error).message))
    const reads = Array.from({ length: 300 }, async (_, n) => {
      const { rows: read } = await sql<{ n: number }>`select ${n}::integer as n`.execute(nodes[n % 3]!)
      return read[0]!.n
    })
    expect(await Promise.all(reads)).toEqual(Array.from({ length: 300 }, (_, n) => n))
    expect(await Promise.all(work)).toEqual(
      Array.from({ length: 300 }, (_, n) => (n % 10 === 0 ? "no" : [{ token_hash: `t${n}`, created_at: "" }])),
    )
    expect(await nodes[0]!.selectFrom("setup_tokens").select("token_hash").execute()).toHaveLength(270)
    const left = await Promise.all(
      Array.from({ length: 20 }, () => sql`show idle_in_transaction_session_timeout`.execute(nodes[0]!)),
    )
    expect(new Set(left.map(({ rows: [row] }) => JSON.stringify(row))).size).toBe(1)
    expect(left[0]!.rows).toEqual([{ idle_in_transaction_session_timeout: "0" }])
    for (const node of nodes) await node.destroy()
  })
})

describe.skipIf(!direct)("a connection of one's own", () => {
  test("hears what others notify", async () => {
    const client = (await postgresClients(direct!))()
    await client.connect()
    const heard: unknown[] = []
    client.on("notification", ({ payload }) => heard.push(payload))
    await client.query("listen hints")
    await onServer(direct!, "notify hints, 'ü'")
    await until(async () => heard.length > 0)
    expect(heard).toEqual(["ü"])
    await client.end()
  })

  test("leads past a pooler to the server that the URL names", async () => {
    const { hostname, port, username, password, pathname } = new URL(direct!)
    const pooler = `postgres://${username}:${password}@127.0.0.1:9${pathname}?direct=${hostname}:${port}`
    const client = (await postgresClients(pooler, "direct"))()
    await client.connect()
    expect((await client.query("select 1 as one")).rows).toEqual([{ one: 1 }])
    await client.end()
    expect(await rejection((await postgresClients(pooler))().connect())).toMatchObject({ code: "ECONNREFUSED" })
    expect(await rejection(postgresClients(`${direct}?direct=:5432`))).toBeInstanceOf(OperatorError)
  })

  test("of a node that dies in a transaction does not keep its locks for long", async () => {
    const database = await openPostgres(direct!, { poolSize: 2 })
    const stuck = database.transaction().execute(async trx => {
      await trx.insertInto("setup_tokens").values({ token_hash: "stuck", created_at: "" }).execute()
      await Bun.sleep(11_000)
      await trx.deleteFrom("setup_tokens").execute()
    })
    expect(await rejection(stuck)).toBeInstanceOf(EngineError)
    const found = await database.selectFrom("setup_tokens").selectAll().where("token_hash", "=", "stuck").execute()
    expect(found).toEqual([])
    await database.destroy()
  })
})
