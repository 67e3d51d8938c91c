/** What nobody asks for over HTTP has its row too: commands, deletions of syncs, each file of bulk work, calls of assistants. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Daemon, startDaemon } from "../support/daemon.ts"
import { until } from "../support/until.ts"

const places = mkdtempSync(join(tmpdir(), "carrel-unattended-"))
const folder = join(places, "source")
let daemon: Daemon

beforeAll(async () => {
  mkdirSync(folder)
  daemon = await startDaemon(["--source-root", folder])
}, 60_000)
afterAll(async () => {
  await daemon.remove()
  rmSync(places, { recursive: true, force: true })
})

// biome-ignore lint/suspicious/noExplicitAny: rows of any shape
const rows = async (query: string): Promise<any[]> => (await daemon.call("GET", `/audit?limit=1000&${query}`)).data
const record = (id: string) => daemon.call("GET", `/libraries/${id}`)

test("a command has its row, beside a daemon and without one", async () => {
  const created = JSON.parse((await daemon.run("keys", "create", "--name", "second", "--json")).out)
  await daemon.run("keys", "revoke", created.id)
  expect((await daemon.run("reindex")).code).toBe(0)
  expect((await daemon.run("backup", join(places, "backup"))).code).toBe(0)
  expect((await daemon.run("users", "setup-link")).code).toBe(0)
  const key = join(places, "key")
  writeFileSync(key, "cd".repeat(32), { mode: 0o600 })
  await daemon.stop()
  const rekeyed = await daemon.run("rekey", "--new-encryption-key-file", key)
  expect([rekeyed.code, rekeyed.err.includes("carrel: ")]).toEqual([0, false])
  await daemon.start("--encryption-key-file", key)
  const told = (await rows("actor=command")).map(({ action, resource_id, actor }) => [action, resource_id, actor.name])
  expect(told).toContainEqual(["key.create", created.id, "carrel keys create"])
  expect(told).toContainEqual(["key.revoke", created.id, "carrel keys revoke"])
  for (const [action, name] of [
    ["installation.reindex", "carrel reindex"],
    ["backup.create", "carrel backup"],
    ["user.invite", "carrel users setup-link"],
    ["installation.rekey", "carrel rekey"],
  ])
    expect(told).toContainEqual([action, null, name])
  expect((await daemon.call("GET", "/audit/verify")).ok).toBe(true)
}, 120_000)

test("bulk work has a row of each file, by whom it was asked for, and says which were kept", async () => {
  const ids: string[] = []
  for (const name of ["one", "two", "held"]) ids.push((await daemon.index(`${name}.txt`, `The ${name} of them.`)).id)
  const hold = await daemon.call("POST", "/holds", {
    name: "h",
    filter: { type: "eq", key: "file.name", value: "held.txt" },
  })
  const filter = { type: "eq", key: "file.type", value: "txt" }
  const { job_id } = await daemon.call("POST", "/libraries/bulk", { action: "delete", filter })
  await until(async () => (await daemon.call("GET", `/jobs/${job_id}`)).status === "completed")
  const told = (await rows("action=file.delete")).map(({ resource_id, outcome, actor, details }) => ({
    ...{ resource_id, outcome, type: actor.type, name: actor.name, details },
  }))
  const by = { type: "key", name: "test" }
  expect(told).toEqual([
    { resource_id: ids[0], outcome: "success", ...by, details: { job_id } },
    { resource_id: ids[1], outcome: "success", ...by, details: { job_id } },
    { resource_id: ids[2], outcome: "denied", ...by, details: { job_id, code: "on_hold" } },
  ])
  await daemon.call("DELETE", `/holds/${hold.id}`)
  expect((await record(ids[2]!)).name).toBe("held.txt")
}, 60_000)

test("a file that leaves its source has a row, by its source", async () => {
  const names = ["leaves", ...Array.from({ length: 30 }, (_, n) => `stays-${n}`)]
  for (const name of names) writeFileSync(join(folder, `${name}.txt`), `This one ${name}.`)
  const source = await daemon.call("POST", "/sources", { type: "folder", name: "s", config: { path: folder } })
  const sync = async () => {
    await until(async () => (await daemon.call("GET", `/sources/${source.id}`)).status === "idle")
    await daemon.call("POST", `/sources/${source.id}/sync`)
    await until(async () => (await daemon.call("GET", `/sources/${source.id}`)).status === "idle")
  }
  await sync()
  const leaves = await until(async () => (await daemon.call("GET", "/libraries?name=leaves.txt")).data[0])
  rmSync(join(folder, "leaves.txt"))
  await sync()
  const told = await until(async () => (await rows(`action=file.delete&resource=${leaves.id}`))[0])
  expect(told).toMatchObject({ outcome: "success", actor: { type: "system", id: source.id } })
  expect((await rows(`action=file.delete&resource=${leaves.id}`)).length).toBe(1)
}, 60_000)
