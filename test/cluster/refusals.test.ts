/**
 * What a node of a cluster refuses at its start: code and words as an operator sees them, from the executable, and nothing
 * is written into any engine by it.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { ClusterUrls } from "../../scripts/cluster/engine.ts"
import { freePorts } from "../../scripts/cluster/engine.ts"
import { start, stop } from "../../scripts/cluster/index.ts"
import { seaweedfs } from "../../scripts/cluster/seaweedfs.ts"
import { StateFile } from "../../scripts/cluster/state.ts"
import { ClusterNode, type Ended, FAKETIME } from "../support/cluster-node.ts"
import { openSearch, postgres, storage } from "../support/engines.ts"
import { BUILD_TIMEOUT_MS, executableCommand } from "../support/executable.ts"
import { storesOf } from "../support/stores.ts"
import { until } from "../support/until.ts"

const [database, blobs, search] = [await postgres(), await storage(), await openSearch()]
const LOOPBACK = { address: "127.0.0.1", under: [] }
const SECRET = "a secret of the cluster that is long enough"

describe.skipIf(!(database && blobs && search))("a node is refused", () => {
  const folder = mkdtempSync(join(tmpdir(), "refusals-"))
  const secretFile = join(folder, "secret")
  writeFileSync(secretFile, SECRET, { mode: 0o600 })
  const urls: ClusterUrls = {
    database_url: database!,
    blob_url: blobs!,
    search_url: `${search?.url}?prefix=${search?.prefix}`,
    ca_file: search?.caFile ?? "",
  }
  let command: string[]
  const nodes: ClusterNode[] = []

  const nodeOf = async (over: Partial<ConstructorParameters<typeof ClusterNode>[0]> = {}): Promise<ClusterNode> => {
    const [port] = (await freePorts(1)) as [number]
    const node = new ClusterNode({ name: "node", host: LOOPBACK, port, urls, secretFile, command, ...over })
    nodes.push(node)
    return node
  }
  /** Starts it and waits for its end. @throws when it does not end */
  const refused = async (over: Parameters<typeof nodeOf>[0]): Promise<Ended> => {
    const node = await nodeOf(over)
    node.launch()
    const code = await node.ended()
    return { code, out: "", err: await node.logEnd() }
  }

  beforeAll(async () => {
    command = await executableCommand()
    const first = await nodeOf()
    await first.start()
    expect(await first.stop()).toBe(0)
  }, BUILD_TIMEOUT_MS)
  afterAll(async () => {
    for (const node of nodes) await node.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  const withPassword = (url: string): string => Object.assign(new URL(url), { password: "wrong" }).href
  const nothingWritten = async (at: ClusterUrls, work: () => Promise<void>): Promise<void> => {
    const before = await storesOf(at)
    await work()
    expect(await storesOf(at)).toEqual(before)
  }
  const told = (code: number, ...words: string[]) => ({
    code,
    out: "",
    err: expect.stringMatching(new RegExp(words.join("[^]*"), "i")),
  })

  const NONE = { CARREL_NODE_URL: "", CARREL_CLUSTER_SECRET_FILE: "" }
  for (const [what, env, missing] of [
    ["only a database", { CARREL_BLOB_URL: "", CARREL_SEARCH_URL: "", ...NONE }, "--blob-url.*--search-url"],
    ["only a storage", { CARREL_DATABASE_URL: "", CARREL_SEARCH_URL: "", ...NONE }, "--database-url.*--search-url"],
    ["only a search engine", { CARREL_DATABASE_URL: "", CARREL_BLOB_URL: "", ...NONE }, "--database-url.*--blob-url"],
    ["no search engine", { CARREL_SEARCH_URL: "" }, "--search-url"],
    ["no storage", { CARREL_BLOB_URL: "" }, "--blob-url"],
    ["no database", { CARREL_DATABASE_URL: "" }, "--database-url"],
  ] as const)
    test(`with ${what}: a wrong setting, which names what is missing`, () =>
      nothingWritten(urls, async () => {
        expect(await refused({ env })).toEqual(told(2, missing))
      }))

  for (const [key, engine] of [
    ["database_url", "PostgreSQL"],
    ["blob_url", "storage"],
    ["search_url", "OpenSearch"],
  ] as const)
    test(`by ${engine}, which does not know its password`, () =>
      nothingWritten(urls, async () => {
        expect(await refused({ urls: { ...urls, [key]: withPassword(urls[key]) } })).toEqual(told(1, engine))
      }))

  test("with another secret than the cluster's", () =>
    nothingWritten(urls, async () => {
      const other = join(folder, "other")
      writeFileSync(other, `${SECRET}, another`, { mode: 0o600 })
      expect(await refused({ secretFile: other })).toEqual(told(1, "secret"))
    }))

  test("with a database of its own before the storage and the indexes of another cluster", async () => {
    const other: ClusterUrls = { ...urls, database_url: await freshDatabase() }
    await nothingWritten(other, async () => {
      expect(await refused({ urls: other })).toEqual(told(1, "bucket", "another cluster"))
    })
    const elsewhere = { ...other, blob_url: freshBlobs() }
    await nothingWritten(elsewhere, async () => {
      expect(await refused({ urls: elsewhere })).toEqual(told(1, "OpenSearch", "another (cluster|installation)"))
    })
  })

  test("by a database that holds what is not Carrel's", async () => {
    const other = await freshUrls()
    await run(other.database_url, "create table orders (id integer)")
    await nothingWritten(other, async () => {
      expect(await refused({ urls: other })).toEqual(told(1, "PostgreSQL", "orders"))
    })
  })

  for (const [key, engine] of [
    ["database_url", "PostgreSQL"],
    ["blob_url", "storage"],
    ["search_url", "OpenSearch"],
  ] as const)
    test(`as the first of a new cluster, by ${engine}, which does not know its password`, async () => {
      const fresh = await freshUrls()
      await nothingWritten(fresh, async () => {
        expect(await refused({ urls: { ...fresh, [key]: withPassword(fresh[key]) } })).toEqual(told(1, engine))
      })
    })

  test("by a database of a newer version that older nodes cannot live with", async () => {
    await run(urls.database_url, "insert into migrations values ('9999-newer', '2030-01-01T00:00:00Z')")
    await run(urls.database_url, "update cluster set contract = contract + 1")
    await nothingWritten(urls, async () => {
      expect(await refused({})).toEqual(told(1, "newer"))
    })
    await run(urls.database_url, "delete from migrations where name = '9999-newer'")
    await run(urls.database_url, "update cluster set contract = contract - 1")
  })

  test("by a bucket in which its key may read, and not write", async () => {
    const file = new StateFile(join(folder, "storage.json"))
    const reader = {
      name: "reader",
      credentials: [{ accessKey: "reader", secretKey: "readersecret" }],
      actions: ["Read:carrel", "List:carrel"],
    }
    const other = await start(file, { nodes: 1, engines: { storage: seaweedfs([reader]) } })
    const all = { ...urls, blob_url: other.blob_url }
    try {
      const blob_url = Object.assign(new URL(other.blob_url), { username: "reader", password: "readersecret" }).href
      await nothingWritten(all, async () => {
        expect(await refused({ urls: { ...urls, blob_url } })).toEqual(told(1, "storage", "carrel"))
      })
    } finally {
      await stop(file)
    }
  })

  if (!FAKETIME) console.log("libfaketime is not installed: wrong clocks are not tested")
  for (const [what, seconds, word] of [
    ["ahead", 3_600, "ahead"],
    ["behind", -3_600, "behind"],
  ] as const)
    test.skipIf(!FAKETIME)(`whose clock is an hour ${what}`, () =>
      nothingWritten(urls, async () => {
        const node = await nodeOf({ steppable: true })
        node.stepClock(seconds)
        node.launch()
        expect({ code: await node.ended(), out: "", err: await node.logEnd() }).toEqual(told(1, "clock", word))
      }),
    )

  test("never for an engine that does not answer: it waits, not ready, and ends when it is told to", async () => {
    const [closed] = (await freePorts(1)) as [number]
    const away = Object.assign(new URL(urls.database_url), { port: String(closed) }).href
    await nothingWritten(urls, async () => {
      const node = await nodeOf({ urls: { ...urls, database_url: away } })
      node.launch()
      await until(async () => (await node.logEnd()).includes("does not answer yet"))
      expect([node.isRunning, await node.probe("/readyz")]).toEqual([true, 0])
      await node.signal("SIGTERM")
      expect(await node.ended(15_000)).toBe(0)
    })
  })

  test("and the cluster goes on: a node with the right settings starts after all this", async () => {
    const node = await nodeOf()
    await node.start()
    expect(await node.stop()).toBe(0)
  })

  const databases: string[] = []
  afterAll(async () => {
    for (const name of databases) await run(urls.database_url, `drop database if exists ${name} with (force)`)
  })
  const freshBlobs = (): string => {
    const url = new URL(urls.blob_url)
    url.pathname += crypto.randomUUID()
    return url.href
  }
  const freshUrls = async (): Promise<ClusterUrls> => ({
    ...urls,
    database_url: await freshDatabase(),
    blob_url: freshBlobs(),
    search_url: urls.search_url.replace(/prefix=.*/, `prefix=f${crypto.randomUUID().slice(0, 8)}`),
  })
  async function freshDatabase(): Promise<string> {
    const name = `refusals${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`
    databases.push(name)
    await run(urls.database_url, `create database ${name}`)
    return Object.assign(new URL(urls.database_url), { pathname: `/${name}` }).href
  }
})

async function run(url: string, statement: string): Promise<void> {
  const sql = new Bun.SQL(url, { max: 1 })
  await sql.unsafe(statement).finally(() => sql.close())
}
