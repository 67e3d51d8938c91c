/** WebDAV servers and buckets that are kept in sync: from the source to the hit, and what is never deleted. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"
import { StandIn } from "../support/object-storage.ts"
import { SourceClient } from "../support/sources.ts"
import { WebdavStandIn } from "../support/webdav-stand-in.ts"

setDefaultTimeout(60_000)

let app: TestApp
let client: Client
let sources: SourceClient

beforeAll(async () => {
  app = await startTestApp({ "fetch-allow": "127.0.0.1" })
  client = await app.client()
  sources = new SourceClient(client)
})
afterAll(() => app.stop())

/** A server with a place for files. */
interface Place extends AsyncDisposable {
  config: Record<string, string>
  credentials: Record<string, string>
  /** With another secret. */
  wrong: Record<string, string>
  put(key: string, text: string): void
  remove(key: string): void
  /** From now on a part of the listing fails; undefined mends it. */
  fail(how: "outage" | "denied" | undefined): void
}

const PLACES = {
  async webdav(): Promise<Place> {
    const server = new WebdavStandIn()
    const { credentials, url } = server
    return {
      config: { url },
      credentials,
      wrong: { ...credentials, password: "other" },
      put: (key, text) => server.files.set(key, text),
      remove: key => server.files.delete(key),
      fail(how) {
        server.fault = ({ method, path }) =>
          how && method === "PROPFIND" && (how === "denied" || path !== "")
            ? new Response(null, { status: how === "denied" ? 401 : 500 })
            : undefined
      },
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    }
  },
  async s3(): Promise<Place> {
    const store = await StandIn.start()
    const credentials = { access_key_id: "AKIA", secret_access_key: "a secret of the bucket" }
    return {
      config: { endpoint: store.endpoint, bucket: "files", prefix: "shared/" },
      credentials,
      wrong: { ...credentials, secret_access_key: "other" },
      put(key, text) {
        const bytes = Buffer.from(text)
        store.objects.set(`shared/${key}`, { bytes, etag: `"${Bun.hash(bytes)}"`, at: new Date() })
      },
      remove: key => store.objects.delete(`shared/${key}`),
      fail(how) {
        const status = how === "denied" ? { status: 403, code: "AccessDenied" } : { status: 503, code: "SlowDown" }
        store.fault = ({ key, query }) =>
          how && key === "" && (how === "denied" || query.has("continuation-token")) ? status : undefined
      },
      [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
    }
  },
} satisfies Record<string, () => Promise<Place>>

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
type Body = any

const textOf = (name: string) => `The ${name} sits beside the river and waits.`

describe.each(Object.entries(PLACES))("a source of type %s", (type, open) => {
  test("is taken in, and follows what is added, changed, renamed and deleted there", async () => {
    await using place = await open()
    for (const name of ["heron.txt", "birds/kingfisher.txt", "birds/grébe & 漢字 100%.md"])
      place.put(name, textOf(name))
    const id = await sources.create({ type, config: place.config, credentials: place.credentials })
    const first = await sources.sync(id)
    expect(first.last_sync).toMatchObject({ error: null, failed: 0, deleted: 0 })
    expect(await sources.covered(id)).toMatchObject({ total: 3, searchable: 3 })
    const { body: found } = await client.post("/search", { query: "which kingfisher waits" })
    expect(found.hits.map((hit: Body) => hit.file.name)).toContain("kingfisher.txt")
    const before = await sources.files(id)

    expect((await sources.sync(id)).last_sync).toMatchObject({ added: 0, updated: 0, deleted: 0, unchanged: 3 })

    place.put("heron.txt", "The bittern has come in its place.")
    place.put("owl.txt", textOf("owl"))
    place.put("birds/halcyon.txt", textOf("birds/kingfisher.txt"))
    place.remove("birds/kingfisher.txt")
    expect((await sources.sync(id)).last_sync).toMatchObject({ added: 2, updated: 1, deleted: 1, unchanged: 1 })
    await sources.covered(id)
    expect(await sources.keys(id)).toEqual(["birds/grébe & 漢字 100%.md", "birds/halcyon.txt", "heron.txt", "owl.txt"])
    const after = await sources.files(id)
    const heron = (files: Body[]) => files.find(({ source }) => source.key === "heron.txt")
    expect(heron(after).id).toBe(heron(before).id)
    expect(heron(after).sha256).not.toBe(heron(before).sha256)
  })

  test("deletes nothing while its listing fails in the middle, and goes on when it is mended", async () => {
    await using place = await open()
    // Buckets need a second page to fail in.
    const count = type === "s3" ? 1_010 : 6
    const names = Array.from({ length: count }, (_, i) => (type === "s3" ? `${i}.unread` : `deep/${i}.unread`))
    for (const name of names) place.put(name, "not read")
    for (const name of ["a.txt", "deep/b.txt"]) place.put(name, textOf(name))
    const id = await sources.create({ type, config: place.config, credentials: place.credentials })
    await sources.sync(id)
    await sources.covered(id)
    expect(await sources.keys(id)).toEqual(["a.txt", "deep/b.txt"])
    place.remove("a.txt")
    place.fail("outage")
    const failed = await sources.sync(id)
    expect(failed.status).toBe("failed")
    expect(failed.last_sync.error.message).toMatch(/500|503/)
    expect(await sources.keys(id)).toEqual(["a.txt", "deep/b.txt"])
    expect(Date.parse(failed.next_sync_at)).toBeGreaterThan(Date.now())
    place.fail(undefined)
    expect((await sources.sync(id)).last_sync).toMatchObject({ deleted: 1, error: null })
    expect(await sources.keys(id)).toEqual(["deep/b.txt"])
  })

  test("keeps its files where most are gone at once, until that is forced", async () => {
    await using place = await open()
    const names = Array.from({ length: 15 }, (_, i) => `${i}.txt`)
    for (const name of names) place.put(name, textOf(name))
    const id = await sources.create({ type, config: place.config, credentials: place.credentials })
    await sources.sync(id)
    await sources.covered(id)
    for (const name of names.slice(1)) place.remove(name)
    const held = await sources.sync(id)
    expect([held.status, held.last_sync.guarded, held.last_sync.deleted]).toEqual(["guarded", 14, 0])
    expect(await sources.keys(id)).toHaveLength(15)
    expect((await sources.sync(id, { force: true })).last_sync.deleted).toBe(14)
    expect(await sources.keys(id)).toEqual(["0.txt"])
  })

  test("keeps its files where nothing is left at all", async () => {
    await using place = await open()
    place.put("a.txt", textOf("a"))
    const id = await sources.create({ type, config: place.config, credentials: place.credentials })
    await sources.sync(id)
    place.remove("a.txt")
    const emptied = await sources.sync(id)
    expect(emptied.status).toBe("failed")
    expect(await sources.keys(id)).toEqual(["a.txt"])
    expect((await sources.sync(id, { force: true })).last_sync.deleted).toBe(1)
    expect(await sources.keys(id)).toEqual([])
  })

  test("says that its credentials are not taken, and syncs with others; none of them is ever shown", async () => {
    await using place = await open()
    place.put("a.txt", textOf("a"))
    if (type === "s3") place.fail("denied") // the stand-in takes every signature
    const id = await sources.create({ type, config: place.config, credentials: place.wrong })
    const failed = await sources.sync(id)
    expect(failed.status).toBe("failed")
    expect(failed.last_sync.error.message).toMatch(/401|403/)
    place.fail(undefined)
    const changed = await client.patch(`/sources/${id}`, { credentials: place.credentials })
    expect(changed.status).toBe(200)
    expect((await sources.sync(id)).last_sync).toMatchObject({ added: 1, error: null })
    const shown = await Promise.all(["", "/history", "/coverage"].map(path => client.get(`/sources/${id}${path}`)))
    expect(JSON.stringify(shown.map(({ body }) => body))).not.toMatch(/a secret of|AKIA/)
  })

  test("is refused where its server may not be reached", async () => {
    await using place = await open()
    const elsewhere = Object.fromEntries(
      Object.entries(place.config).map(([name, value]) => [name, value.replace("127.0.0.1", "127.0.0.2")]),
    )
    const { status, body } = await client.post("/sources", { type, name: "x", config: elsewhere })
    expect([status, body.error.code]).toEqual([403, "forbidden"])
  })
})
