/** What the engine does with any source: outages, failures, joined requests, credentials, who sees what. */
import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { AppError } from "../../src/errors.ts"
import { setLogLevel, setLogSink } from "../../src/log.ts"
import { type Entry, Outage, type SourceKind } from "../../src/sources/connector.ts"
import { SOURCE_KINDS } from "../../src/sources/connectors/index.ts"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"
import { until } from "../support/until.ts"

setDefaultTimeout(60_000)

/** A place whose content, and whose trouble, a test decides. */
const place = {
  entries: new Map<string, { text: string; fingerprint?: string; size?: number; named?: boolean }>(),
  /** Thrown behind so many entries of a listing. */
  listing: undefined as { after: number; error: Error } | undefined,
  reading: (_key: string): void => {},
  lists: 0,
  reads: [] as string[],
  credentials: undefined as unknown,
  hold: undefined as Promise<void> | undefined,
}

const fake: SourceKind<{ url: string }, { password: string }> = {
  config: given => ({ url: given.text("url") }),
  credentials: given => ({ password: given.text("password") }),
  place: ({ url }) => new URL(url).host,
  open: ({ credentials }) => ({
    async *list() {
      place.lists++
      place.credentials = credentials
      await place.hold
      let told = 0
      for (const [key, { text, fingerprint = text, size, named = true }] of place.entries) {
        if (told++ === place.listing?.after) throw place.listing.error
        yield {
          key,
          fingerprint,
          ...(named ? { name: key } : {}),
          ...(size === undefined ? {} : { size }),
        } satisfies Entry
      }
      if (place.listing && told <= place.listing.after) throw place.listing.error
    },
    async read({ key }) {
      place.reads.push(key)
      place.reading(key)
      const found = place.entries.get(key)
      if (!found) return undefined
      return {
        name: key,
        bytes: (async function* () {
          yield Buffer.from(found.text)
        })(),
      }
    },
  }),
}

let app: TestApp
let client: Client
const former = SOURCE_KINDS.webdav
beforeAll(async () => {
  Object.assign(SOURCE_KINDS, { webdav: fake })
  app = await startTestApp()
  client = await app.client()
}, 60_000)
afterAll(async () => {
  await app.stop()
  Object.assign(SOURCE_KINDS, { webdav: former })
})
beforeEach(() => {
  place.entries = new Map(
    ["a.txt", "b.txt", "c.txt"].map(key => [key, { text: `The heron of ${key} ${crypto.randomUUID()}.` }]),
  )
  Object.assign(place, { listing: undefined, reading: () => {}, lists: 0, reads: [], hold: undefined })
})

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
type Body = any

async function create(settings: object = {}, by = client): Promise<string> {
  const given = { type: "webdav", name: "place", config: { url: "https://one.example/" }, ...settings }
  const { status, body } = await by.post("/sources", given)
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body.id
}
const idle = (id: string, by = client): Promise<Body> =>
  until(async () => {
    const { body } = await by.get(`/sources/${id}`)
    return body.status !== "syncing" && body
  })
async function sync(id: string, options: object = {}, by = client): Promise<Body> {
  const asked = await by.post(`/sources/${id}/sync`, options)
  if (asked.status !== 202) throw new Error(JSON.stringify(asked.body))
  return (await idle(id, by)).last_sync
}
const coverage = async (id: string, by = client): Promise<Body> =>
  (await by.get(`/sources/${id}/coverage?page_size=100`)).body
const statuses = async (id: string) =>
  Object.fromEntries((await coverage(id)).items.map(({ key, status }: Body) => [key, status]))

describe("an outage", () => {
  test("of a listing in its midst deletes nothing, is told, and is waited for longer each time", async () => {
    const id = await create()
    await sync(id)
    const first = [...place.entries.keys()]
    place.entries.delete("a.txt")
    place.listing = { after: 1, error: new Outage("the server does not answer") }
    for (const minutes of [1, 2, 4]) {
      expect(await sync(id)).toMatchObject({
        deleted: 0,
        error: { code: "source_unavailable", message: "the server does not answer" },
      })
      const { status, next_sync_at } = await idle(id)
      expect(status).toBe("failed")
      const waitMs = Date.parse(next_sync_at) - Date.now()
      expect(waitMs).toBeGreaterThan((minutes - 0.5) * 60_000)
      expect(waitMs).toBeLessThanOrEqual(minutes * 60_000)
    }
    expect((await coverage(id)).items.map(({ key }: Body) => key)).toEqual(first)
    place.listing = undefined
    expect(await sync(id)).toMatchObject({ deleted: 1, error: null })
    expect(await idle(id)).toMatchObject({ status: "idle", next_sync_at: null })
  })

  test("that nobody foresaw shows nothing of itself", async () => {
    const id = await create()
    place.listing = { after: 0, error: new Error("connect ECONNREFUSED secret.internal") }
    expect((await sync(id)).error).toEqual({ code: "source_unavailable", message: "the source could not be read" })
  })

  test("is a line of the log that names the source, and none of its folders", async () => {
    const id = await create()
    const lines: string[] = []
    setLogSink(line => void lines.push(line))
    setLogLevel("warn")
    try {
      place.listing = { after: 0, error: new Outage("the folder Redundancies 2026 is not there") }
      await sync(id)
    } finally {
      setLogSink(line => void process.stdout.write(`${line}\n`))
      setLogLevel("error")
    }
    const told = lines.filter(line => line.includes(id))
    expect(told.map(line => JSON.parse(line))).toMatchObject([
      { level: "warn", message: "a source could not be synced", source: id, code: "source_unavailable" },
    ])
    expect(told.join()).not.toContain("Redundancies")
  })

  test("amid the reading leaves what was not read for the next time", async () => {
    for (let i = 0; i < 40; i++) place.entries.set(`more-${i}.txt`, { text: `More ${i}` })
    place.reading = key => {
      if (key >= "more-2") throw new Outage("the server went away")
    }
    const id = await create()
    const { error, failed } = await sync(id)
    expect([error.message, failed]).toEqual(["the server went away", 0])
    place.reading = () => {}
    place.reads = []
    const { added } = await sync(id)
    const { total } = await coverage(id)
    expect([total, place.reads.length]).toEqual([43, added])
    expect(added).toBeLessThan(43)
  })

  test("is seen where one entry after the other cannot be read, and is held against none of them", async () => {
    for (let i = 0; i < 30; i++) place.entries.set(`more-${i}.txt`, { text: `More ${i}` })
    place.reading = () => {
      throw new Error("socket hang up")
    }
    const id = await create()
    expect(await sync(id)).toMatchObject({ added: 0, failed: 0, error: { code: "source_unavailable" } })
    expect(await coverage(id)).toMatchObject({ total: 33, pending: 33, failed: 0 })
    place.reading = () => {}
    expect(await sync(id)).toMatchObject({ added: 33, failed: 0, error: null })
  })
})

describe("a key that fails", () => {
  test("says why, and is tried again when it changes, or by force", async () => {
    place.reading = key => {
      if (key === "b.txt") throw new AppError("forbidden", { message: "the server keeps it to itself" })
    }
    const id = await create()
    expect(await sync(id)).toMatchObject({ added: 2, failed: 1, error: null })
    const { items } = await coverage(id)
    expect(items[1]).toMatchObject({
      key: "b.txt",
      status: "failed",
      error: { code: "forbidden", message: "the server keeps it to itself" },
    })
    const tries = () => place.reads.filter(key => key === "b.txt").length
    expect(tries()).toBe(1)
    expect(await sync(id)).toMatchObject({ unchanged: 2, failed: 1 })
    expect(tries()).toBe(1)
    await sync(id, { force: true })
    expect(tries()).toBe(2)
    place.entries.set("b.txt", { text: "Another heron." })
    place.reading = () => {}
    expect(await sync(id)).toMatchObject({ added: 1, failed: 0 })
    expect(tries()).toBe(3)
  })

  test("for no reason of its own is tried three times at once", async () => {
    place.reading = key => {
      if (key === "a.txt") throw new Error("socket hang up")
    }
    const id = await create()
    expect(await sync(id)).toMatchObject({ added: 2, failed: 1 })
    expect(place.reads.filter(key => key === "a.txt").length).toBe(3)
  })

  test("keeps the version that it had", async () => {
    const id = await create()
    await sync(id)
    place.entries.set("a.txt", { text: "The newer heron." })
    place.reading = () => {
      throw new AppError("forbidden")
    }
    expect(await sync(id)).toMatchObject({ failed: 1, unchanged: 2 })
    expect(
      (await client.get("/libraries?name=a.txt")).body.data.some((file: Body) => file.source?.source_id === id),
    ).toBe(true)
  })

  test("that only its reading shows to be too large, or of no known type, is no failure", async () => {
    place.entries = new Map([
      ["large.txt", { text: "x".repeat(2_000) }],
      ["odd.xyz", { text: "?", named: false }],
      ["small.txt", { text: "small" }],
    ])
    const id = await create({ max_bytes: 1_000 })
    expect(await sync(id)).toMatchObject({ added: 1, skipped: 2, failed: 0 })
    await until(async () => (await coverage(id)).pending === 0)
    expect(await statuses(id)).toEqual({ "large.txt": "skipped", "odd.xyz": "unsupported", "small.txt": "searchable" })
    place.reads = []
    expect(await sync(id)).toMatchObject({ unchanged: 1, skipped: 2 })
    expect(place.reads).toEqual([])
  })

  test("that is gone when it is read is no failure", async () => {
    place.reading = key => void place.entries.delete(key === "b.txt" ? key : "")
    const id = await create()
    expect(await sync(id)).toMatchObject({ added: 2, failed: 0, error: null })
    expect((await coverage(id)).total).toBe(2)
  })
})

describe("requests", () => {
  test("for a sync while one goes on join it", async () => {
    const held = Promise.withResolvers<void>()
    place.hold = held.promise
    const id = await create()
    await client.post(`/sources/${id}/sync`, {})
    await until(() => place.lists === 1)
    const answers = await Promise.all(Array.from({ length: 5 }, () => client.post(`/sources/${id}/sync`)))
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(202))
    expect(new Set(answers.map(({ body }) => body.sync_id)).size).toBe(1)
    held.resolve()
    await idle(id)
    expect(place.lists).toBe(1)
    expect((await client.get(`/sources/${id}/history`)).body.pagination.total_items).toBe(1)
  })

  test("a pause amid a sync ends it, and it goes on when the pause does", async () => {
    const id = await create()
    place.reading = () => {
      void client.patch(`/sources/${id}`, { paused: true })
      Bun.sleepSync(5)
    }
    for (let i = 0; i < 600; i++) place.entries.set(`more-${i}.txt`, { text: `More ${i}` })
    await client.post(`/sources/${id}/sync`, {})
    await until(async () => (await client.get(`/sources/${id}`)).body.status === "paused")
    place.reading = () => {}
    await until(async () => {
      const { body } = await client.patch(`/sources/${id}`, { paused: false })
      return body.status !== "paused"
    })
    const { last_sync } = await idle(id)
    expect(last_sync).toMatchObject({ added: 603, error: null })
    expect((await client.get(`/sources/${id}/history`)).body.pagination.total_items).toBe(1)
  })

  test("a removal amid a sync ends it, and nothing of the source comes afterwards", async () => {
    for (let i = 0; i < 600; i++) place.entries.set(`more-${i}.txt`, { text: `More ${i} ${crypto.randomUUID()}` })
    const id = await create({ context_id: "removed" })
    await client.post(`/sources/${id}/sync`, {})
    await until(() => place.reads.length > 100)
    expect((await client.delete(`/sources/${id}?delete_files=true`)).status).toBe(204)
    await until(async () => (await client.get("/libraries?context_id=removed")).body.pagination.total_items === 0)
    await Bun.sleep(300)
    expect(place.reads.length).toBeLessThan(400)
    expect((await client.get("/libraries?context_id=removed")).body.pagination.total_items).toBe(0)
  })

  test("a file that somebody uploads is searchable before a large source is done", async () => {
    for (let i = 0; i < 4_000; i++)
      place.entries.set(`many-${i}.txt`, { text: `Ship ${i} came in. ${"Cargo. ".repeat(50)}` })
    const id = await create()
    await client.post(`/sources/${id}/sync`, {})
    await until(async () => (await coverage(id)).searchable > 200)
    const [uploaded] = await client.index([{ name: "urgent.txt", data: "The pilot boards now." }])
    expect(uploaded.status).toBe("searchable")
    const { pending, total } = await coverage(id)
    expect(total).toBe(4_003)
    expect(pending).toBeGreaterThan(500)
    await client.delete(`/sources/${id}?delete_files=true`)
  })

  test("that are wrong are refused, each naming its field", async () => {
    const cases: [object, string][] = [
      [{ type: "ftp" }, "type"],
      [{ config: {} }, "config.url"],
      [{ config: { url: "https://a.example", more: 1 } }, "config.more"],
      [{ name: "" }, "name"],
      [{ schedule: "soon" }, "schedule"],
      [{ schedule: "0 6 * * *", timezone: "Mars/Olympus" }, "timezone"],
      [{ include: ["!*.txt"] }, "include"],
      [{ max_bytes: 0 }, "max_bytes"],
      [{ acl: ["nobody"] }, "acl"],
      [{ context_id: "a b" }, "context_id"],
      [{ shedule: "15m" }, "shedule"],
    ]
    for (const [settings, field] of cases) {
      const given = { type: "webdav", name: "place", config: { url: "https://one.example/" }, ...settings }
      const { status, body } = await client.post("/sources", given)
      expect([field, status, body.error?.details?.[0]?.field]).toEqual([field, 400, field])
    }
    const push = await client.post("/sources", { type: "push", name: "fed" })
    expect(push.status).toBe(201)
    expect((await client.post(`/sources/${push.body.id}/sync`, {})).status).toBe(409)
    expect((await client.post("/sources", { type: "push", name: "fed", schedule: "15m" })).status).toBe(400)
  })
})

describe("credentials", () => {
  test("reach the connector alone, and no other place", async () => {
    const password = `heron-${crypto.randomUUID()}`
    const created = await client.post("/sources", {
      ...{ type: "webdav", name: "place", config: { url: "https://one.example/" }, credentials: { password } },
    })
    expect(JSON.stringify(created.body)).not.toContain(password)
    expect(created.body.has_credentials).toBe(true)
    const { id } = created.body
    await sync(id)
    expect(place.credentials).toEqual({ password })
    for (const path of ["", "/history", "/coverage"])
      expect(JSON.stringify((await client.get(`/sources/${id}${path}`)).body)).not.toContain(password)
    for (const file of readdirSync(app.data, { recursive: true, withFileTypes: true }))
      if (file.isFile() && file.name.startsWith("carrel"))
        expect(readFileSync(join(file.parentPath, file.name)).includes(password)).toBe(false)
    const elsewhere = await client.patch(`/sources/${id}`, { config: { url: "https://two.example/" } })
    expect([elsewhere.status, elsewhere.body.error.details[0].field]).toEqual([400, "credentials"])
    expect((await client.patch(`/sources/${id}`, { config: { url: "https://one.example/deeper" } })).status).toBe(200)
    expect((await client.patch(`/sources/${id}`, { credentials: null })).body.has_credentials).toBe(false)
  })
})

describe("who sees a source", () => {
  test("nobody of another workspace", async () => {
    const id = await create()
    await sync(id)
    const other = await app.client("other")
    for (const [method, path] of [
      ["GET", ""],
      ["PATCH", ""],
      ["DELETE", ""],
      ["POST", "/sync"],
      ["GET", "/history"],
      ["GET", "/coverage"],
    ] as const)
      expect((await other.send(method, `/sources/${id}${path}`, method === "PATCH" ? {} : undefined)).status).toBe(404)
    expect((await other.get("/sources")).body.pagination.total_items).toBe(0)
    expect((await client.get(`/sources/${id}`)).status).toBe(200)
  })

  test("a key without the scope is refused", async () => {
    const reader = await app.client("default", { scopes: ["files:read"] })
    expect((await reader.get("/sources")).status).toBe(403)
  })

  test("a key of one context sees and makes sources there alone", async () => {
    const narrow = await app.client("default", { context_ids: ["fen"] })
    const elsewhere = await create({ context_id: "moor" })
    const open = await create()
    const inside = await create({ context_id: "fen" })
    const made = await create({}, narrow) // goes to the only context that it has
    expect((await narrow.get(`/sources/${made}`)).body.context_id).toBe("fen")
    for (const id of [elsewhere, open]) {
      expect((await narrow.get(`/sources/${id}`)).status).toBe(404)
      expect((await narrow.delete(`/sources/${id}`)).status).toBe(404)
    }
    expect((await narrow.get(`/sources/${inside}`)).status).toBe(200)
    const given = { type: "webdav", name: "x", config: { url: "https://one.example/" }, context_id: "moor" }
    expect((await narrow.post("/sources", given)).status).toBe(403)
    expect((await narrow.patch(`/sources/${made}`, { context_id: "moor" })).status).toBe(403)
    await sync(made, {}, narrow)
    expect((await narrow.get("/libraries")).body.pagination.total_items).toBe(3)
  })

  test("a key with a filter sees its own sources, and takes in no file that it would not see", async () => {
    const filter = { type: "starts_with", key: "file.name", value: "a" }
    const narrow = await app.client("default", { filter })
    const other = await create()
    expect((await narrow.get(`/sources/${other}`)).status).toBe(404)
    const id = await create({}, narrow)
    expect(await sync(id, {}, narrow)).toMatchObject({ added: 1, failed: 2 })
    expect((await coverage(id)).items.map(({ key, error }: Body) => [key, error?.code])).toEqual([
      ["a.txt", undefined],
      ["b.txt", "forbidden"],
      ["c.txt", "forbidden"],
    ])
  })

  test("a token does not widen the acl of what it made", async () => {
    const token = await client.scoped({ principals: ["user:1"], scopes: ["sources"] })
    const id = await create({ acl: ["user:1"] }, token)
    expect((await token.patch(`/sources/${id}`, { acl: ["user:1", "user:2"] })).status).toBe(403)
    expect((await token.patch(`/sources/${id}`, { acl: null })).status).toBe(403)
    expect((await token.patch(`/sources/${id}`, { acl: [] })).status).toBe(200)
    const other = await client.scoped({ principals: ["user:1"], scopes: ["sources"] })
    expect((await other.get(`/sources/${id}`)).status).toBe(404)
  })
})
