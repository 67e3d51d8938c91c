import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { restoreBackup, verifyBackup, writeBackup } from "../../src/storage/backup.ts"
import { smallPdf } from "../binary/small-pdf.ts"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"
import { until } from "../support/until.ts"

let app: TestApp
let client: Client
const scratch = mkdtempSync(join(tmpdir(), "carrel-backup-"))
const archive = join(scratch, "backup.tar")
const GASKETS = { custom_id: "gaskets", url: "/external/redact", body: { text: "Where are the gaskets?" } }
let batchId: string

beforeAll(async () => {
  app = await startTestApp()
  client = await app.client()
  await client.index([
    { name: "heron.txt", data: "The spare gaskets are kept in the tin labelled Heron." },
    { name: "gone.txt", data: "This one is deleted after the backup." },
    { name: "leaves.pdf", data: smallPdf(["A page with a layout of its own"]) },
  ])
  await client.post("/start-conversation", { message: "Where are the spare gaskets?" })
  batchId = (await client.post("/batches", { requests: [GASKETS] })).body.id
  await until(async () => (await client.get(`/batches/${batchId}`)).body.status === "completed")
  await writeBackup(app.data, archive, "test")
})
afterAll(async () => {
  await app.stop()
  rmSync(scratch, { recursive: true, force: true })
})

describe("a backup of a running daemon", () => {
  test("is whole, and does not overwrite another", async () => {
    expect((await verifyBackup(archive)).files.map(file => file.path)).toContain("carrel.db")
    expect(writeBackup(app.data, archive, "test")).rejects.toThrow("already exists")
  })

  test("holds what is known of the pages of a file", async () => {
    const paths = (await verifyBackup(archive)).files.map(file => file.path)
    expect(paths.filter(path => path.endsWith(".pages"))).toHaveLength(1)
  })

  test("restores files, keys, conversations and search as they were", async () => {
    const data = join(scratch, "restored")
    await restoreBackup(archive, data)
    const restored = await startTestApp({}, data)
    try {
      const again = Object.assign(Object.create(Object.getPrototypeOf(client)), client, { base: () => restored.url })
      expect(
        (await again.get("/libraries?sort=name&order=asc")).body.data.map((file: { name: string }) => file.name),
      ).toEqual(["gone.txt", "heron.txt", "leaves.pdf"])
      expect((await again.get("/conversations")).body.pagination.total_items).toBe(1)
      const hit = await until(async () => (await again.post("/search", { query: "spare gaskets" })).body.hits[0])
      expect(hit.file.name).toBe("heron.txt")
      const { body: batch } = await again.get(`/batches/${batchId}`)
      for (const id of [batch.input_file_id, batch.output_file_id])
        expect(await (await again.under("/v1").raw("GET", `/files/${id}/content`)).text()).toContain("the gaskets?")
      const content = await again.raw("GET", `/libraries/${hit.file.id}/content`)
      expect(await content.text()).toContain("labelled Heron")
    } finally {
      await restored.stop()
    }
  }, 30_000)

  test("that is cut, changed or something else is refused, and nothing is left of the attempt", async () => {
    const bytes = readFileSync(archive)
    const changed = Buffer.from(bytes)
    const at = changed.indexOf("labelled Heron")
    changed.write("labelled Aaron", at)
    const bad = {
      cut: bytes.subarray(0, bytes.length / 2),
      changed,
      other: Buffer.from("no archive at all".repeat(100)),
    }
    for (const [name, content] of Object.entries(bad)) {
      const path = join(scratch, `${name}.tar`)
      const target = join(scratch, `from-${name}`)
      writeFileSync(path, content)
      expect(verifyBackup(path)).rejects.toThrow(/damaged|cut|lacks|unexpected/)
      await restoreBackup(path, target).then(
        () => expect.unreachable(),
        () => {},
      )
      expect(existsSync(target)).toBe(false)
      expect(existsSync(`${target}.restoring`)).toBe(false)
    }
  })

  test("is not unpacked over an installation", async () => {
    expect(restoreBackup(archive, app.data)).rejects.toThrow("not empty")
  })
})
