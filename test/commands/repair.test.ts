/** A data directory damaged on purpose, and what `carrel doctor --repair` makes of it. */
import { Database as Sqlite } from "bun:sqlite"
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { repairStores } from "../../src/commands/repair.ts"
import { readConfig } from "../../src/config.ts"
import { type Daemon, startDaemon } from "../support/daemon.ts"

let daemon: Daemon
beforeAll(async () => {
  daemon = await startDaemon()
}, 60_000)
afterAll(() => daemon.remove())

const files: Record<string, string> = {}
const doctor = async (...flags: string[]) => {
  const { code, out, err } = await daemon.run("doctor", ...flags, "--json")
  const findings: { what: string; state: string; text: string }[] = out ? JSON.parse(out).findings : []
  const problems = findings.filter(
    ({ state, what }) => state === "problem" && !["disk", "entity model", "embedding model"].includes(what),
  )
  return { code, err, problems, repairs: findings.filter(({ what }) => what === "repair").map(({ text }) => text) }
}
const change = (statement: string) => {
  const sqlite = new Sqlite(join(daemon.data, "carrel.db"))
  sqlite.exec(statement)
  sqlite.close()
}
const path = (kind: "blobs" | "texts", id: string) => {
  const root = join(daemon.data, kind)
  for (const folder of readdirSync(root))
    for (const name of readdirSync(join(root, folder))) if (name.includes(id)) return join(root, folder, name)
  throw new Error(`${kind} hold no ${id}`)
}
const found = async (query: string) =>
  (await daemon.call("POST", "/search", { query, mode: "keyword" })).hits.map(
    (hit: { file: { name: string } }) => hit.file.name,
  )

describe("carrel doctor --repair", () => {
  test("is refused while a daemon runs", async () => {
    for (const word of ["heron", "plover", "curlew", "avocet", "dunlin", "godwit"])
      files[word] = (await daemon.upload(`${word}.txt`, `The ${word} wades in the shallows.`)).id
    await daemon.settled()
    const { code, err } = await doctor("--repair")
    expect([code, err]).toEqual([1, expect.stringContaining("another Carrel is running on")])
  }, 30_000)

  test("finds nothing to mend in a sound directory", async () => {
    await daemon.stop()
    const { repairs, problems } = await doctor("--repair")
    expect([repairs, problems]).toEqual([["nothing to mend"], []])
  }, 30_000)

  test("mends everything but lost originals, and names those", async () => {
    rmSync(path("texts", files.heron!))
    change(`delete from chunks where generation_id in (select id from generations where file_id = '${files.plover}')`)
    change(`update files set status = 'queued' where id = '${files.curlew}'`)
    // Gone from the files, as if nothing of the deletion but this had reached the disk.
    const left = { blob: path("blobs", "file_"), text: path("texts", files.avocet!) }
    change(`delete from files where id = '${files.avocet}'`)
    change(`delete from generations where file_id = '${files.avocet}'`)
    mkdirSync(join(daemon.data, "blobs/zz"), { recursive: true })
    writeFileSync(join(daemon.data, "blobs/zz/file_strayzz"), "nobody's")
    const sqlite = new Sqlite(join(daemon.data, "carrel.db"))
    const { blob } = sqlite.query("select blob from files where id = ?").get(files.godwit!) as { blob: string }
    sqlite.close()
    rmSync(path("blobs", blob))

    const before = await doctor("--check")
    expect(before.code).toBe(1)
    expect(before.problems.map(({ what }) => what).sort()).toEqual([
      "library",
      "originals",
      "passages",
      "search index",
      "search index",
      "texts",
    ])

    const after = await doctor("--repair")
    expect(after.repairs.join("; ")).toMatch(/1 files without a job.*2 files were queued.*4 stored.*removed/)
    // The last three are the two files that the daemon reads again when it starts.
    expect(after.problems.map(({ what }) => what)).toEqual(["originals", "texts", "passages", "search index"])
    expect(await Bun.file(left.text).exists()).toBe(false)
    const again = await repairStores(readConfig(["--data", daemon.data], {}).config)
    expect(again.map(({ text }) => text)).toEqual(["nothing to mend"])

    await daemon.start()
    await daemon.settled()
    for (const word of ["heron", "plover", "curlew", "dunlin"]) expect(await found(word)).toEqual([`${word}.txt`])
    expect(await found("avocet")).toEqual([])
    await daemon.stop()
    expect((await doctor("--check")).problems.map(({ text }) => text)).toEqual([expect.stringContaining(files.godwit!)])
  }, 60_000)

  test("speaks of the copies that upgrades left", async () => {
    writeFileSync(join(daemon.data, "carrel.db.before-9999-next"), "")
    const { out } = await daemon.run("doctor")
    expect(out).toContain("copies: copies of the database from before an upgrade: carrel.db.before-9999-next")
  }, 30_000)

  test("makes a damaged keyword index anew", async () => {
    writeFileSync(join(daemon.data, "keyword.db"), "this is no database".repeat(1_000))
    expect((await doctor("--repair")).repairs).toContain("the keyword index was damaged and has been rebuilt")
    await daemon.start()
    expect(await found("dunlin")).toEqual(["dunlin.txt"])
    await daemon.stop()
  }, 60_000)
})
