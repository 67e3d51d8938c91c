/** A disk without room, as a small tmpfs; skipped where the test may not mount one. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"
import { unmount } from "../support/trouble.ts"

const SIZE_MB = 96
const disk = mkdtempSync(join(tmpdir(), "carrel-disk-"))
const mounted = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", `size=${SIZE_MB}m`, "tmpfs", disk]).exitCode === 0
if (!mounted) console.log("skipped: a tmpfs cannot be mounted here, which takes root")

describe.skipIf(!mounted)("a disk that runs full", () => {
  let app: TestApp
  let client: Client
  beforeAll(async () => {
    app = await startTestApp({ "disk-floor-mb": "16" }, join(disk, "data"))
    client = await app.client()
    await client.index([{ name: "before.txt", data: "The lighthouse keeper counts the gulls." }])
    writeFileSync(join(disk, "ballast"), new Uint8Array((SIZE_MB - 14) * 2 ** 20).subarray(0, free()))
  })
  afterAll(async () => {
    await app?.stop()
    await unmount(disk)
    rmSync(disk, { recursive: true, force: true })
  })

  /** Ballast that leaves less than the floor. */
  function free(): number {
    const [, kilobytes] = /(\d+)\s+\d+%/.exec(Bun.spawnSync(["df", "-k", disk]).stdout.toString()) ?? []
    return Math.max(0, (Number(kilobytes) - 8 * 1024) * 1024)
  }

  test("refuses uploads with 507 and stores nothing of them", async () => {
    const before = (await client.get("/libraries")).body.pagination.total_items
    const { status, body } = await client.upload([{ name: "more.txt", data: "x".repeat(1_000_000) }])
    expect([status, body.error.code]).toEqual([507, "insufficient_storage"])
    expect((await client.get("/libraries")).body.pagination.total_items).toBe(before)
  })

  test("still reads, searches and deletes", async () => {
    const { body } = await client.post("/search", { query: "lighthouse gulls" })
    expect(body.hits[0].file.name).toBe("before.txt")
    const content = await client.raw("GET", `/libraries/${body.hits[0].file.id}/content`)
    expect(await content.text()).toContain("counts the gulls")
    expect((await client.delete(`/libraries/${body.hits[0].file.id}`)).status).toBe(204)
  })

  test("takes uploads again without a restart once there is room", async () => {
    rmSync(join(disk, "ballast"))
    const [file] = await client.index([{ name: "after.txt", data: "The tide brings the boats back." }])
    expect(file.status).toBe("searchable")
  })
})
