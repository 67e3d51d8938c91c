/** `carrel backup`, `verify` and `restore` of several machines, on real engines. */
import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { compareRecords } from "../../src/commands/move/records.ts"
import { enter } from "../../src/nodes/registry.ts"
import { openPostgres } from "../../src/storage/postgres/open.ts"
import { carrel } from "../commands/carrel.ts"
import { COMMAND, type Daemon, startDaemon } from "../support/daemon.ts"
import { onServer, openSearch, postgres, storage } from "../support/engines.ts"
import { freePort } from "../support/live-node.ts"
import { until } from "../support/until.ts"

setDefaultTimeout(240_000)
const FILES = 100
/** So many that a process can be killed amid them. */
const MESSAGES = 20_000

const folder = mkdtempSync(join(tmpdir(), "carrel-cluster-backup-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const at = (name: string): string => join(folder, name)

const [database, empty, used, blobs, elsewhere, search] = [
  ...(await Promise.all([postgres(), postgres(), postgres(), storage(), storage()])),
  await openSearch(),
]
const canRun = database !== undefined && blobs !== undefined && search !== undefined

const engines = (databaseUrl = database!, blobUrl = blobs!): Record<string, string> => {
  const url = new URL(search!.url)
  url.searchParams.set("prefix", search!.prefix)
  return {
    CARREL_DATABASE_URL: databaseUrl,
    CARREL_BLOB_URL: blobUrl,
    CARREL_SEARCH_URL: url.href,
    NODE_EXTRA_CA_CERTS: search!.caFile,
  }
}

async function startNode(env: Record<string, string>, name: string): Promise<Daemon> {
  writeFileSync(at("secret"), "s".repeat(64), { mode: 0o600 })
  const port = freePort()
  const node = { ...env, CARREL_NODE_URL: `http://127.0.0.1:${port}`, CARREL_CLUSTER_SECRET_FILE: at("secret") }
  return startDaemon(["--port", String(port)], { data: at(name), env: node })
}

const caller =
  (url: string, headers: Record<string, string>) =>
  (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${url}/external-docs/external${path}`, {
      ...init,
      headers: { ...headers, ...(init.headers as Record<string, string>) },
    })

const json = (body: unknown): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
})

const upload = (call: ReturnType<typeof caller>, from: number, count: number): Promise<Response> => {
  const form = new FormData()
  for (let i = from; i < from + count; i++)
    form.append(
      "files",
      new Blob([`Report ${i}\n\nThe valve number${i} was replaced in ${1900 + i}.`]),
      `report-${i}.txt`,
    )
  return call("/upload", { method: "POST", body: form })
}

/** Starts, and kills it once the condition holds. */
async function killed(args: string[], env: Record<string, string>, when: () => Promise<boolean> | boolean) {
  const child = Bun.spawn([...COMMAND, ...args], {
    env: { PATH: Bun.env.PATH ?? "", ...env },
    stdio: ["ignore", "ignore", "ignore"],
  })
  await until(when)
  child.kill("SIGKILL")
  await child.exited
  expect(child.signalCode).toBe("SIGKILL")
}

describe.skipIf(!canRun)("a backup of several machines", () => {
  let headers: Record<string, string>
  const whole = at("whole.tar")

  test("is taken beside a node that is at work, of one moment", async () => {
    const node = await startNode(engines(), "node")
    headers = node.credentials
    const call = caller(node.url, headers)
    expect((await upload(call, 0, FILES)).ok).toBe(true)
    await node.settled()
    const said = await call("/conversations", json({ message: "When was valve number7 replaced?" }))
    expect(await said.text()).toContain("event: done")
    await onServer(
      database!,
      `insert into messages select (jsonb_populate_record(null::messages, to_jsonb(m) || jsonb_build_object('id', m.id || 'x' || i, 'position', 100 + i))).*
         from (select * from messages where role = 'user' limit 1) m, generate_series(1, ${MESSAGES}) i`,
    )
    const busy = upload(call, FILES, 20)
    const beside = await carrel(["backup", at("beside.tar")], { env: engines() })
    await busy
    await node.settled()
    await node.stop()
    expect(beside).toMatchObject({ code: 0 })

    expect(await carrel(["backup", whole], { env: engines() })).toMatchObject({
      code: 0,
      out: expect.stringContaining(`a list of ${(FILES + 20) * 2} stored files`),
    })
    for (const file of ["beside.tar", "whole.tar"])
      expect(await carrel(["verify", at(file)])).toMatchObject({ code: 0, out: expect.stringContaining("is complete") })
  })

  test("that is killed leaves no file under its name, and the next one is whole", async () => {
    const target = at("killed.tar")
    await killed(["backup", target], engines(), () => (Bun.file(`${target}.partial`).size ?? 0) > 1e6)
    expect(existsSync(target)).toBe(false)
    expect((await carrel(["backup", target], { env: engines() })).code).toBe(0)
    expect(readdirSync(folder).filter(name => name.endsWith(".partial"))).toEqual([])
  })

  test("is restored into an empty database, where a restore that was killed goes on", async () => {
    const env = engines(empty!)
    const arrived = async () => {
      const rows = await onServer(empty!, "select count(*)::int as n from messages").catch(() => [{ n: 0 }])
      return (rows[0] as { n: number }).n > 0
    }
    await killed(["restore", whole], env, arrived)
    const port = freePort()
    const early = await carrel(["serve", "--port", String(port), "--data", at("early")], {
      env: { ...env, CARREL_NODE_URL: `http://127.0.0.1:${port}`, CARREL_CLUSTER_SECRET_FILE: at("secret") },
    })
    expect([early.code, early.err]).toEqual([1, expect.stringContaining("not all of the backup of clus_")])

    expect(await carrel(["restore", whole], { env })).toMatchObject({ code: 0 })
    // What the two backups told the audit log of themselves came after what they hold.
    const told = await onServer(database!, "delete from audit_pending returning told")
    expect(told.map(row => JSON.parse((row as { told: string }).told).action)).toEqual([
      "backup.create",
      "backup.create",
    ])
    const [source, target] = [await openPostgres(database!), await openPostgres(empty!)]
    try {
      await compareRecords(source, target, () => {})
    } finally {
      await Promise.all([source.destroy(), target.destroy()])
    }
  })

  test("serves after the restore as before it: keys, conversations, files, search, and what is new", async () => {
    const node = await startNode(engines(empty!), "restored")
    try {
      const call = caller(node.url, headers)
      const ask = async (query: string) =>
        (await (await call("/search", json({ query, limit: 3 }))).json()) as { hits: { file: { name: string } }[] }
      await until(async () => (await ask("valve number99")).hits[0]?.file.name === "report-99.txt")
      const conversations = (await (await call("/conversations")).json()) as { pagination: { total_items: number } }
      expect(conversations.pagination.total_items).toBe(1)
      expect((await upload(call, 500, 1)).ok).toBe(true)
      await node.settled()
      expect((await ask("valve number500")).hits[0]?.file.name).toBe("report-500.txt")
    } finally {
      await node.stop()
    }
    const doctor = await carrel(["doctor", "--check", "--json"], { env: engines(empty!) })
    const findings = JSON.parse(doctor.out).findings as { state: string }[]
    expect(findings.filter(({ state }) => state === "problem")).toEqual([])
  })

  test("is compared with the storage, and what that lacks is named", async () => {
    const there = await carrel(["verify", whole], { env: engines() })
    expect(there).toMatchObject({ code: 0, out: expect.stringContaining("the storage holds all that it lists") })
    const other = await carrel(["verify", whole], { env: engines(database, elsewhere) })
    expect(other).toMatchObject({ code: 1, err: expect.stringContaining(`lacks ${(FILES + 20) * 2} of what it lists`) })
  })

  test("is not restored into a database that is in use, or while nodes run", async () => {
    expect(await carrel(["restore", whole], { env: engines(database) })).toMatchObject({
      code: 1,
      err: expect.stringContaining("the target is in use"),
    })
    const target = await openPostgres(empty!)
    try {
      await enter(target, { name: "north", url: "http://10.0.0.5:4747", role: "all", version: "1" })
    } finally {
      await target.destroy()
    }
    expect(await carrel(["restore", whole], { env: engines(empty) })).toMatchObject({
      code: 1,
      err: expect.stringContaining("nodes of the cluster are running: north"),
    })
  })

  test("that is cut or changed is refused before the database is touched", async () => {
    const bytes = readFileSync(whole)
    const changed = Buffer.from(bytes)
    changed.write("valve number8", bytes.indexOf("valve number7"))
    for (const [name, content] of Object.entries({ cut: bytes.subarray(0, bytes.length / 2), changed })) {
      writeFileSync(at(`${name}.tar`), content)
      for (const command of ["restore", "verify"])
        expect(await carrel([command, at(`${name}.tar`)], { env: engines(used) })).toMatchObject({
          code: 1,
          err: expect.stringMatching(/damaged|truncated/),
        })
    }
    expect(await onServer(used!, "select 1 from pg_tables where schemaname = 'public'")).toEqual([])
  })

  test("of a newer version is refused by name, and a newer database is not backed up", async () => {
    await onServer(database!, "insert into migrations (name, applied_at) values ('9999-later', 'now')")
    expect(await carrel(["backup", at("newer.tar")], { env: engines() })).toMatchObject({
      code: 1,
      err: expect.stringContaining("written by a newer version of Carrel (it has the migration 9999-later)"),
    })
    expect(existsSync(at("newer.tar"))).toBe(false)
    await onServer(database!, "delete from migrations where name = '9999-later'")
    const later = Buffer.from(readFileSync(whole))
    later.write("9018-one-reply", later.lastIndexOf("0018-one-reply"))
    writeFileSync(at("later.tar"), later)
    expect(await carrel(["restore", at("later.tar")], { env: engines(used) })).toMatchObject({
      code: 1,
      err: expect.stringContaining("written by a newer version of Carrel (it has the migration 9018-one-reply)"),
    })
  })

  test("and one of one machine are not taken for each other", async () => {
    expect((await carrel(["keys", "create", "--name", "k"], { data: at("own") })).code).toBe(0)
    expect((await carrel(["backup", at("own.tar")], { data: at("own") })).code).toBe(0)
    expect(await carrel(["restore", at("own.tar")], { env: engines(used) })).toMatchObject({
      code: 1,
      err: expect.stringMatching(/is a backup of one machine\n.*carrel move --from/),
    })
    expect(await carrel(["restore", whole], { data: at("directory") })).toMatchObject({
      code: 1,
      err: expect.stringMatching(/is a backup of several machines.*\n.*carrel move --to/),
    })
    expect(existsSync(at("directory"))).toBe(false)
    expect(await onServer(used!, "select 1 from pg_tables where schemaname = 'public'")).toEqual([])
  })

  test("names the engine that is another one or does not answer, and leaves nothing", async () => {
    expect(await carrel(["backup", at("nowhere.tar")], { env: engines(database, elsewhere) })).toMatchObject({
      code: 1,
      err: expect.stringContaining("is not the one of the cluster that uses this database"),
    })
    const nobody = "s3://KEY:hunter2@bucket?endpoint=http://127.0.0.1:9"
    const { code, err } = await carrel(["backup", at("nowhere.tar")], { env: engines(database, nobody) })
    expect([code, err]).toEqual([1, expect.stringContaining("carrel: the blob storage")])
    expect(err).not.toContain("hunter2")
    const verified = await carrel(["verify", whole], { env: engines(database, nobody) })
    expect(verified).toMatchObject({ code: 1, err: expect.stringContaining("carrel: the blob storage") })
    expect(readdirSync(folder).filter(name => name.startsWith("nowhere"))).toEqual([])
  })
})
