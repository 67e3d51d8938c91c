/** `carrel move` from the data directory of one machine to real engines, and back. */
import { afterAll, expect, test } from "bun:test"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { compareRecords } from "../../src/commands/move/records.ts"
import { openSqlite } from "../../src/storage/sqlite/open.ts"
import { carrel } from "../commands/carrel.ts"
import { COMMAND, startDaemon } from "../support/daemon.ts"
import { openSearch, postgres, storage } from "../support/engines.ts"
import { freePort } from "../support/live-node.ts"

const FILES = 120
const TIMEOUT_MS = 240_000

const folder = mkdtempSync(join(tmpdir(), "carrel-move-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const [database, blobs, search] = [await postgres(), await storage(), await openSearch()]
const canRun = database !== undefined && blobs !== undefined && search !== undefined

const at = (name: string): string => join(folder, name)

const engines = (): Record<string, string> => {
  const url = new URL(search!.url)
  url.searchParams.set("prefix", search!.prefix)
  return {
    CARREL_DATABASE_URL: database!,
    CARREL_BLOB_URL: blobs!,
    CARREL_SEARCH_URL: url.href,
    NODE_EXTRA_CA_CERTS: search!.caFile,
  }
}

/** Each says something that no other one says. */
const textOf = (i: number): string =>
  `Report ${i}\n\nThe valve number${i} of the pump was replaced in ${1900 + i}. ${"Nothing else happened. ".repeat(40)}`

/** An installation of one machine, stopped, and the headers of a key for it. */
async function installation(): Promise<Record<string, string>> {
  const daemon = await startDaemon([], { data: at("source") })
  const call = async (path: string, init: RequestInit = {}) =>
    (await fetch(`${daemon.url}/external-docs/external${path}`, {
      ...init,
      headers: { ...daemon.credentials, ...(init.headers as Record<string, string>) },
    })) as Response
  const form = new FormData()
  for (let i = 0; i < FILES; i++) form.append("files", new Blob([textOf(i)]), `report-${i}.txt`)
  expect((await call("/upload", { method: "POST", body: form })).ok).toBe(true)
  await daemon.settled()
  const said = await call("/conversations", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ message: "When was valve number7 replaced?" }),
  })
  expect(await said.text()).toContain("event: done")
  await daemon.stop()
  return daemon.credentials
}

test.skipIf(!canRun)(
  "an installation goes to the engines, is used there, and comes back as it was",
  async () => {
    const headers = await installation()
    const env = engines()
    const there = ["move", "--from", at("source"), "--data", at("scratch")]

    // Killed somewhere, and begun again.
    const killed = Bun.spawn([...COMMAND, ...there], {
      env: { PATH: Bun.env.PATH ?? "", ...env },
      stdio: ["ignore", "ignore", "ignore"],
    })
    await Bun.sleep(1_200)
    killed.kill("SIGKILL")
    await killed.exited
    const secret = at("secret")
    await Bun.write(secret, "s".repeat(64))
    await Bun.$`chmod 600 ${secret}`.quiet()
    const port = freePort()
    const node = { ...env, CARREL_NODE_URL: `http://127.0.0.1:${port}`, CARREL_CLUSTER_SECRET_FILE: secret }

    const moved = await carrel(there, { env })
    expect(moved).toMatchObject({ code: 0 })
    expect(moved.out).toContain("searches find the same")

    const daemon = await startDaemon(["--port", String(port)], { data: at("node"), env: node })
    const response = await fetch(`${daemon.url}/external-docs/external/search`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ query: "valve number99", limit: 3 }),
    })
    const { hits } = (await response.json()) as { hits: { file: { name: string } }[] }
    expect(hits[0]!.file.name).toBe("report-99.txt")
    await Bun.write(at("expected"), JSON.stringify({ query: "valve number99", file: "report-99.txt" }))
    const measured = await carrel(["eval", at("expected"), "--json"], { data: at("measured"), env })
    expect(measured).toMatchObject({ code: 0 })
    expect(JSON.parse(measured.out)[0].hit_at["1"]).toBe(1)
    const busy = await carrel(["move", "--to", at("back"), "--data", at("scratch")], { env })
    expect(busy).toMatchObject({ code: 1 })
    expect(busy.err).toContain("nodes of the cluster are running")
    expect(existsSync(at("back"))).toBe(false)
    await daemon.stop()

    const back = await carrel(["move", "--to", at("back"), "--data", at("scratch")], { env })
    expect(back).toMatchObject({ code: 0 })
    const [source, target] = [await openSqlite(at("source")), await openSqlite(at("back"))]
    // A node made a setup link of its own at its start, got a key from this test, and noted that the other one was used.
    const { id } = await source.selectFrom("api_keys").select("id").executeTakeFirstOrThrow()
    await target.deleteFrom("api_keys").where("id", "!=", id).execute()
    for (const each of [source, target]) {
      await each.updateTable("api_keys").set({ last_used_at: null }).execute()
      await each.deleteFrom("setup_tokens").execute()
      // What was used there is counted there.
      await each.updateTable("usage_hours").set({ requests: 0, searches: 0, embedded_tokens: 0 }).execute()
      await each.deleteFrom("usage_hours").where("bytes_in", "=", 0).where("bytes_stored", "=", 0).execute()
    }
    // The log of what was done goes on behind the rows that it came with.
    const told = (await source.selectFrom("audit_log").select("id").execute()).map(({ id }) => id)
    await target.deleteFrom("audit_log").where("id", "not in", told).execute()
    await compareRecords(source, target, () => {})
    await Promise.all([source.destroy(), target.destroy()])
  },
  TIMEOUT_MS,
)

test.skipIf(!canRun)(
  "a place that is in use, or that something else is being moved to, is refused",
  async () => {
    const again = await carrel(["move", "--from", at("source"), "--data", at("scratch")], { env: engines() })
    expect(again).toMatchObject({ code: 1 })
    expect(again.err).toContain("the target is in use")
    const directory = await carrel(["move", "--to", at("source"), "--data", at("scratch")], { env: engines() })
    expect(directory).toMatchObject({ code: 1 })
    expect(directory.err).toContain("is not empty")
  },
  TIMEOUT_MS,
)

test("nothing begins anew in a directory to which a move is under way", async () => {
  const directory = at("arriving")
  await (await openSqlite(`${directory}.moving`)).destroy()
  for (const command of [
    ["serve", "--port", "0"],
    ["keys", "create", "--name", "k"],
  ]) {
    const { code, err } = await carrel(command, { data: directory })
    expect(code).toBe(1)
    expect(err).toContain(`it lies in ${directory}.moving`)
    expect(err).toContain("run the same `carrel move --to` again")
  }
  expect(existsSync(directory)).toBe(false)
})

test("a move says what it lacks", async () => {
  const nowhere = await carrel(["move", "--from", at("source")])
  expect(nowhere).toMatchObject({ code: 2 })
  expect(nowhere.err).toContain("--database-url, --blob-url and --search-url are required")
  const both = await carrel(["move", "--from", "a", "--to", "b"])
  expect(both).toMatchObject({ code: 2 })
})
