/** Receipts and retention of an encrypted cluster of two nodes, of which one is killed amid them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sql } from "kysely"
import { openPostgres } from "../../src/storage/postgres/open.ts"
import { addressIn, openPlace } from "../storage/blobs/places.ts"
import { type Daemon, startDaemon } from "../support/daemon.ts"
import { inEnvironment, nodeSettings } from "../support/node-settings.ts"
import { until } from "../support/until.ts"

/** OpenSearch keeps what was removed for copies that fall behind, and dead nodes are given time. */
const WRITTEN = { within: 280_000, everyMs: 500 }
const OLD = 30
const settings = await nodeSettings()
const folder = mkdtempSync(join(tmpdir(), "carrel-receipts-"))
const keyFile = join(folder, "key")
writeFileSync(keyFile, "ef".repeat(32), { mode: 0o600 })

describe.skipIf(!settings)("two nodes", () => {
  const nodes: Daemon[] = []
  beforeAll(async () => {
    for (let i = 0; i < 2; i++)
      nodes.push(await startDaemon([], { env: { ...inEnvironment(settings!()), CARREL_ENCRYPTION_KEY_FILE: keyFile } }))
  }, 120_000)
  afterAll(async () => {
    for (const node of nodes) await node.remove()
    rmSync(folder, { recursive: true, force: true })
  }, 60_000)

  test("though the one that leads is killed, what is due goes once, receipts come and are the same at both, and nothing is stored", async () => {
    const [first, second] = nodes as [Daemon, Daemon]
    const file = await first.index("gone.txt", "The bittern booms at Quendelbach.")
    const kept = await second.index("kept.txt", "The grebe builds a nest that floats.")
    const old: string[] = []
    for (let i = 0; i < OLD; i++) old.push((await first.upload(`old-${i}.txt`, `Old note ${i} of the harbour.`)).id)
    await first.settled()
    const database = await openPostgres(settings!()["database-url"]!)
    await sql`update files set updated_at = '2020-01-01T00:00:00.000Z' where name like 'old-%'`.execute(database)
    await database.destroy()
    expect(await storedNames()).toContain(file.id)

    const headers = first.credentials
    const deleted = await fetch(`${first.url}/external/libraries/${file.id}`, { method: "DELETE", headers })
    expect(deleted.status).toBe(204)
    const id = deleted.headers.get("x-receipt-id")!
    await second.call("PUT", "/retention", { rules: [{ kind: "files", after_days: 365 }] })
    const left = async () => (await second.call("GET", "/libraries?name=old-&page_size=1")).pagination.total_items
    await until(async () => (await left()) < OLD, { everyMs: 10 })
    await first.kill() // which led, for it came first

    const applied = await until(async () => (await second.call("GET", "/retention")).last_applied, WRITTEN)
    expect([applied.counts.files, await left()]).toEqual([OLD, 0])
    const { data: passes } = await second.call("GET", "/audit?action=retention.apply&limit=100")
    expect(passes.map(({ details }: { details: { files: number } }) => details.files)).toEqual([OLD])
    const receipt = await until(() => second.call("GET", `/receipts/${id}`).catch(() => undefined), WRITTEN)
    expect(receipt).toMatchObject({ what: "file", ids: [file.id] })
    for (const store of ["database_rows", "originals", "texts", "search_index"])
      expect(receipt.removed_from).toContain(store)
    const removed = await until(async () => {
      const { data } = await second.call("GET", "/receipts?page_size=100")
      const ids = data.flatMap(({ what, ids }: { what: string; ids: string[] }) => (what === "retention" ? ids : []))
      return ids.length >= OLD && ids
    }, WRITTEN)
    expect(removed.toSorted()).toEqual(old.toSorted())
    const names = await storedNames()
    expect([file.id, ...old].filter(gone => names.includes(gone))).toEqual([])
    expect(names).toContain(kept.id)

    await first.start()
    expect(await first.call("GET", `/receipts/${id}`)).toEqual(receipt)
    expect((await first.call("GET", "/audit/verify")).ok).toBe(true)
  }, 600_000)
})

/** Of originals and texts; each holds the id of its file. */
async function storedNames(): Promise<string> {
  const place = await openPlace(addressIn(settings!()["blob-url"]!))
  const names: string[] = []
  for (const kind of ["blobs", "texts"] as const)
    for await (const some of place.list(kind)) names.push(...some.map(({ name }) => name))
  return names.join(" ")
}
