/** Commands on the engines of several machines, and starts that an engine or a setting keeps from happening. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { noteRunning } from "../../src/commands/running.ts"
import { openCluster } from "../../src/nodes/cluster.ts"
import { enter } from "../../src/nodes/registry.ts"
import { openSearchAt } from "../../src/search/opensearch/opensearch-store.ts"
import { openPostgres } from "../../src/storage/postgres/open.ts"
import { lockDirectory } from "../../src/storage/sqlite/lock.ts"
import { addressOf } from "../search/opensearch/store.ts"
import { content, piecesOf } from "../storage/blobs/conformance.ts"
import { addressIn, openPlace } from "../storage/blobs/places.ts"
import { COMMAND } from "../support/daemon.ts"
import { openSearch, postgres, storage } from "../support/engines.ts"
import { until } from "../support/until.ts"
import { carrel } from "./carrel.ts"

setDefaultTimeout(120_000)
const [databaseUrl, blobUrl, search] = [await postgres(), await storage(), await openSearch()]
const hasEngines = databaseUrl !== undefined && blobUrl !== undefined && search !== undefined

const folder = mkdtempSync(join(tmpdir(), "carrel-cluster-commands-"))
const secretFile = join(folder, "secret")
writeFileSync(secretFile, "0123456789abcdef0123456789abcdef", { mode: 0o600 })
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Nobody listens there. */
const NOWHERE = {
  CARREL_DATABASE_URL: "postgres://carrel:hunter2@127.0.0.1:9/records",
  CARREL_BLOB_URL: "s3://KEY:hunter2@bucket?endpoint=http://127.0.0.1:9",
  CARREL_SEARCH_URL: "http://finder:hunter2@127.0.0.1:9",
}
const node = { CARREL_NODE_URL: "http://127.0.0.1:4747", CARREL_CLUSTER_SECRET_FILE: secretFile }
const data = join(folder, "data")

describe("without engines that answer", () => {
  test.each([["keys list"], ["keys create --name k"], ["users list"], ["reindex"]])(
    "%s names the one it needs, and no password",
    async command => {
      const { code, out, err } = await carrel(command.split(" "), { data, env: NOWHERE })
      expect([code, out]).toEqual([1, ""])
      expect(err).toStartWith("carrel: the database: ")
      expect(err).toContain("→ see whether it runs and is reached from here")
      expect(err).not.toContain("hunter2")
      expect(existsSync(data)).toBe(false)
    },
  )

  test("the doctor names each of them", async () => {
    const { code, out } = await carrel(["doctor", "--json"], { data, env: NOWHERE })
    expect(code).toBe(1)
    const problems = JSON.parse(out).findings.filter((finding: { state: string }) => finding.state === "problem")
    expect(problems.map(({ what }: { what: string }) => what)).toEqual(["database", "blob storage", "search engine"])
    expect(out).not.toContain("hunter2")
  })

  test("a command that names none makes no records in the scratch directory of a node that runs", async () => {
    const scratch = mkdtempSync(join(folder, "scratch-"))
    const lock = lockDirectory(scratch)
    noteRunning(scratch, { url: "http://127.0.0.1:1", pid: 1, version: "1", started_at: "", is_node: true })
    try {
      for (const command of ["keys create --name k", "keys list", "reindex"]) {
        const { code, err } = await carrel(command.split(" "), { data: scratch })
        expect([code, err]).toEqual([1, expect.stringContaining("keeps its records in PostgreSQL")])
      }
    } finally {
      lock.release()
    }
    expect(existsSync(join(scratch, "carrel.db"))).toBe(false)
  })

  test("a node waits, not ready, and ends when it is told to", async () => {
    const child = Bun.spawn([...COMMAND, "serve", "--data", join(folder, "waiting"), "--port", "0"], {
      env: {
        PATH: Bun.env.PATH ?? "",
        CARREL_OLLAMA_HOST: "http://127.0.0.1:9",
        CARREL_EMBEDDING_TIER: "fast",
        ...NOWHERE,
        ...node,
      },
      stdout: "pipe",
      stderr: "ignore",
    })
    const lines: string[] = []
    const reading = (async () => {
      const decoder = new TextDecoder()
      for await (const chunk of child.stdout) lines.push(decoder.decode(chunk))
    })()
    await until(() => lines.join("").includes("the database does not answer yet"))
    child.kill("SIGTERM")
    expect(await child.exited).toBe(0)
    await reading
    expect(lines.join("")).not.toContain("hunter2")
  })
})

describe.skipIf(!hasEngines)("with engines", () => {
  let env: Record<string, string>
  beforeAll(() => {
    const url = new URL(search!.url)
    url.searchParams.set("prefix", search!.prefix)
    url.searchParams.set("ca_file", search!.caFile)
    env = { CARREL_DATABASE_URL: databaseUrl!, CARREL_BLOB_URL: blobUrl!, CARREL_SEARCH_URL: url.href }
  })
  const run = (command: string, more: Record<string, string> = {}) =>
    carrel(command.split(" "), { data, env: { ...env, ...more } })
  const withPassword = (url: string) => Object.assign(new URL(url), { password: "hunter2" }).href

  test("a database that no cluster uses is no empty one, until the doctor or a node made one of it", async () => {
    const { code, err } = await run("keys create --name first")
    expect([code, err]).toEqual([1, expect.stringContaining("no cluster uses this database yet")])
    expect((await run("doctor")).code).toBe(0)
    const { out } = await run("keys create --name first --json")
    expect(JSON.parse((await run("keys list --json")).out)).toMatchObject([{ id: JSON.parse(out).id, name: "first" }])
  })

  test("keys and users need the database alone", async () => {
    const { CARREL_BLOB_URL, CARREL_SEARCH_URL } = NOWHERE
    const alone = { CARREL_BLOB_URL, CARREL_SEARCH_URL }
    const [{ id }] = JSON.parse((await run("keys list --json", alone)).out)
    expect(await run(`keys revoke ${id}`, alone)).toMatchObject({ code: 0, out: `${id} (first) is revoked\n` })
    expect((await run("users setup-link", alone)).out).toContain("/setup?token=")
    expect((await run("reindex", alone)).out).toBe("0 files queued\n")
  })

  test("the doctor finds them in order, compares them, and leaves no directory behind", async () => {
    const { code, out } = await run("doctor --check --json")
    const findings: { what: string; state: string; text: string }[] = JSON.parse(out).findings
    expect([code, findings.filter(({ state }) => state === "problem")]).toEqual([0, []])
    const said = Object.fromEntries(findings.map(({ what, text }) => [what, text]))
    expect(said).toMatchObject({ nodes: "none is running", "stored files": "0 complete" })
    expect(said["search index"]).toBe("agrees with the database")
    expect(existsSync(data)).toBe(false)
  })

  test("the doctor mends them: a file without a job, a stored original and an entry of the index without a file", async () => {
    const database = await openPostgres(databaseUrl!)
    try {
      const at = new Date().toISOString()
      const { id: workspace_id } = await database.selectFrom("workspaces").select("id").executeTakeFirstOrThrow()
      const names = { id: "file_1", name: "a.txt", name_folded: "a.txt", type: "txt", mime_type: "text/plain" }
      const state = { status: "queued", size: 1, sha256: "0", blob: "file_1", generation: 1 }
      const row = { ...names, ...state, workspace_id, created_at: at, updated_at: at }
      await database
        .insertInto("files")
        .values(row as never)
        .execute()
      const stores = await openPlace(addressIn(blobUrl!))
      for (const name of ["file_1", "file_2"]) await stores.write(name, piecesOf(content(1)), 10)
      const store = openSearchAt({
        address: addressOf(search!),
        cluster: (await database.selectFrom("cluster").select("id").executeTakeFirstOrThrow()).id,
      })({ db: database, models: undefined as never, reached: () => {} })
      const generation = { id: 7, first: 70, last: 70 }
      await store.addWords([
        { generation, workspaceId: workspace_id, firstId: 70, texts: ["stray"], scheme: "english" },
      ])
      await store.settle()
      const repair = () => carrel(["doctor", "--repair", "--json"], { data: join(folder, "repair"), env })
      const mended = async () => JSON.parse((await repair()).out).findings
      const said = (await mended()).filter(({ what }: { what: string }) => what === "repair")
      expect(said.map(({ text }: { text: string }) => text.replace(/:.*/, ""))).toEqual([
        "1 files without a job were queued",
        "1 stored originals, texts or passages were swept that belong to no file",
        "1 entries of the index were removed that belong to no file, 0 were made again",
      ])
      expect(await stores.findOriginal("file_2")).toBeUndefined()
      expect(await stores.findOriginal("file_1")).toBeDefined()
      expect(await mended()).toContainEqual({ what: "repair", state: "ok", text: "nothing to mend" })
      await database.deleteFrom("jobs").execute()
      await database.deleteFrom("files").execute()
      await stores.remove("file_1")
    } finally {
      await database.destroy()
    }
  })

  test.each([
    ["CARREL_DATABASE_URL", "refuses the credentials"],
    ["CARREL_BLOB_URL", "the blob storage: it refuses the credentials"],
    ["CARREL_SEARCH_URL", "OpenSearch refuses the user or the password"],
  ])("a node with a wrong password in %s does not start, and is told so without it", async (name, message) => {
    const { code, err } = await run("serve --port 0", { ...node, [name]: withPassword(env[name]!) })
    expect([code, err.includes(message), err.includes("hunter2")]).toEqual([1, true, false])
    expect(existsSync(data)).toBe(false)
  })

  test("a node with another secret does not start; what needs all nodes stopped names those that run", async () => {
    const database = await openPostgres(databaseUrl!)
    try {
      await openCluster(database, "another secret than that of the file")
      const { code, err } = await run("serve --port 0", node)
      expect([code, err]).toEqual([1, expect.stringContaining("the cluster secret is not the one of the cluster")])
      await enter(database, { name: "north", url: "http://10.0.0.5:4747", role: "all", version: "1" })
      expect((await run("doctor --repair")).err).toContain("nodes of the cluster are running: north")
      expect((await run("doctor")).out).toContain("nodes: north (all, version 1, http://10.0.0.5:4747)")
      await enter(database, { name: "south", url: "http://10.0.0.5:4747", role: "all", version: "1" })
      const same = await run("doctor")
      expect([same.code, same.out]).toEqual([1, expect.stringContaining("give each node an address of its own")])
      const elsewhere = new URL(blobUrl!)
      elsewhere.pathname += crypto.randomUUID()
      const { out } = await run("doctor", { CARREL_BLOB_URL: elsewhere.href })
      expect(out).toContain("is not the one of the cluster that uses this database")
      const otherIndex = new URL(env.CARREL_SEARCH_URL!)
      otherIndex.searchParams.set("prefix", `${search!.prefix}other`)
      const split = await run("reindex --model builtin", { CARREL_SEARCH_URL: otherIndex.href })
      expect([split.code, split.err]).toEqual([1, expect.stringContaining("nodes of the cluster are at work with one")])
    } finally {
      await database.destroy()
    }
    expect(existsSync(data)).toBe(false)
  })

  test("a data directory with the records of one machine is none for a node", async () => {
    const own = join(folder, "own")
    expect((await carrel(["keys", "create", "--name", "k"], { data: own })).code).toBe(0)
    const { code, err } = await carrel(["serve", "--port", "0"], { data: own, env: { ...env, ...node } })
    expect([code, err]).toEqual([2, expect.stringContaining("holds the records of one machine")])
  })
})
