/** A disk without room, as a small tmpfs; skipped where the test may not mount one. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdtempSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs"
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

  test("refuses a form before it is read", async () => {
    const silent = new ReadableStream({ pull: () => new Promise(() => {}) })
    const response = await client.raw("POST", "/upload", silent, { "content-type": "multipart/form-data; boundary=b" })
    expect(response.status).toBe(507)
  })

  test("takes uploads again without a restart once there is room", async () => {
    rmSync(join(disk, "ballast"))
    const [file] = await client.index([{ name: "after.txt", data: "The tide brings the boats back." }])
    expect(file.status).toBe("searchable")
  })
})

/** An application on a small disk at `path`, for the tests of a group; `ready` gets a client of it. */
function clientOn(path: string, floorMb: string, ready: (client: Client) => void): void {
  let app: TestApp | undefined
  beforeAll(async () => {
    Bun.spawnSync(["mount", "-t", "tmpfs", "-o", `size=${SIZE_MB}m`, "tmpfs", path])
    app = await startTestApp({ "disk-floor-mb": floorMb }, join(path, "data"))
    ready(await app.client())
  })
  afterAll(async () => {
    await app?.stop()
    await unmount(path)
    rmSync(path, { recursive: true, force: true })
  })
}

describe.skipIf(!mounted)("a disk that runs full amid a file", () => {
  const small = mkdtempSync(join(tmpdir(), "carrel-disk-"))
  let client: Client
  clientOn(small, "0", made => {
    client = made
  })

  const large = { name: "large.txt", data: new Uint8Array(2 * SIZE_MB * 2 ** 20).fill(97) }
  const leftovers = () => readdirSync(join(small, "data", "tmp")).filter(name => name.startsWith("file_"))

  test("answers 507 and leaves nothing of it", async () => {
    const { status, body } = await client.upload([large])
    expect([status, body.error.code]).toEqual([507, "insufficient_storage"])
    expect(leftovers()).toEqual([])
  }, 60_000)

  test("still takes the files of the same form that fit", async () => {
    const fits = { name: "fits.txt", data: "The harbour master counts the boats." }
    const key = { "idempotency-key": "amid" }
    const { status, body } = await client.upload([large, fits], {}, key)
    expect(status).toBe(202)
    // Whether the large one fits by then or not, it is the same request.
    expect((await client.upload([large, fits], {}, key)).body).toEqual(body)
    expect((await client.upload([fits, { ...large, data: "x" }], {}, key)).body).toEqual(body)
    expect(body.rejected.map(({ name, error }: any) => [name, error.code])).toEqual([
      ["large.txt", "insufficient_storage"],
    ])
    expect((await client.settled(body.files[0].id)).status).toBe("searchable")
    expect(leftovers()).toEqual([])
  }, 60_000)
})

describe.skipIf(!mounted)("a disk that runs full while accepted files are indexed", () => {
  const small = mkdtempSync(join(tmpdir(), "carrel-disk-"))
  let client: Client
  clientOn(small, "4", made => {
    client = made
  })

  test("costs none of them: they wait, no attempt is counted, and all are found once there is room", async () => {
    const names = ["heron", "crane", "egret", "stork", "gull", "tern"]
    const line = (name: string) => `The ${name} counts the boats of the harbour.\n`
    const uploads = names.map(name => ({ name: `${name}.txt`, data: line(name).repeat(12_000) }))
    const { status, body } = await client.upload(uploads)
    expect(status).toBe(202)
    const ballast = join(small, "ballast")
    Bun.spawnSync(["dd", "if=/dev/zero", `of=${ballast}`, "bs=64k"], { stderr: "ignore" })
    truncateSync(ballast, statSync(ballast).size - 400_000) // room to begin a text, and to say what became of it
    const ids: string[] = body.files.map(({ id }: { id: string }) => id)
    await Bun.sleep(5_000)
    for (const id of ids) expect((await client.get(`/libraries/${id}`)).body).toMatchObject({ error: null })
    rmSync(ballast)
    for (const id of ids) {
      const file = await client.settled(id)
      expect([file.status, file.attempts]).toEqual(["searchable", 1])
    }
    for (const name of names) {
      const { hits } = (await client.post("/search", { query: name, mode: "keyword" })).body
      expect(hits[0].file.name).toBe(`${name}.txt`)
    }
  }, 300_000)
})
