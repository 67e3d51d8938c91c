/** Sources that a program feeds: what its manifests ask for, delete and tell, and what uploads into them become. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"
import { until } from "../support/until.ts"

let app: TestApp
let client: Client
beforeAll(async () => {
  app = await startTestApp({ "max-file-bytes": "100000" })
  client = await app.client()
}, 60_000)
afterAll(() => app.stop())

interface Entry {
  key: string
  fingerprint?: string
  sha256?: string
  size?: number
  name?: string
}

/** A source of a test's own, and its program. */
async function source(settings: object = {}, by = client) {
  const { status, body } = await by.post("/sources", { type: "push", name: "test", ...settings })
  if (status !== 201) throw new Error(JSON.stringify(body))
  const id: string = body.id
  const path = `/sources/${id}/manifest`
  return {
    id,
    manifest: (entries: Entry[], more: object = {}) => by.post(path, { entries, ...more }),
    /** Files by key, as `[name, text]` or as text under the key's own name. */
    bring: (
      files: Record<string, string | [string, string]>,
      parts: Record<string, string> = {},
      prints?: string[],
    ) => {
      const form = new FormData()
      form.append("source_id", id)
      for (const [name, value] of Object.entries(parts)) form.append(name, value)
      for (const [at, [key, given]] of Object.entries(files).entries()) {
        const [name, text] = typeof given === "string" ? [key.split("/").at(-1)!, given] : given
        form.append("source_key", key)
        if (prints) form.append("source_fingerprint", prints[at]!)
        form.append("files", new Blob([text]), name)
      }
      return by.send("POST", "/upload", form)
    },
    files: async () => {
      const filter = encodeURIComponent(JSON.stringify({ type: "eq", key: "file.source_id", value: id }))
      // biome-ignore lint/suspicious/noExplicitAny: file records
      const data: any[] = (await by.get(`/libraries?page_size=100&filter=${filter}`)).body.data
      return data.sort((a, b) => (a.source.key < b.source.key ? -1 : 1))
    },
    coverage: async (status = "") => (await by.get(`/sources/${id}/coverage?page_size=100${status}`)).body,
    settled: () =>
      until(async () => (await by.get(`/sources/${id}/coverage?status=pending&page_size=1`)).body.pending === 0),
  }
}

const listed = (...keys: string[]): Entry[] => keys.map(key => ({ key, fingerprint: `1 of ${key}` }))
const nothing = { unchanged: 0, deleted: 0, skipped: 0, failed: [], guarded: false }
const sha256 = (text: string) => new Bun.CryptoHasher("sha256").update(text).digest("hex")

describe("a manifest", () => {
  test("asks for what is new or has changed, until it was brought", async () => {
    const { id, manifest, bring, files, settled, coverage } = await source()
    const entries = listed("a.txt", "folder/b.txt")
    const all = { status: 200, body: { ...nothing, upload: ["a.txt", "folder/b.txt"] } }
    expect(await manifest(entries)).toMatchObject(all)
    expect(await manifest(entries)).toMatchObject(all)
    expect((await coverage()).items).toMatchObject([
      { key: "a.txt", status: "pending" },
      { key: "folder/b.txt", status: "pending" },
    ])
    const brought = await bring({ "folder/b.txt": "one" })
    expect(brought).toMatchObject({ status: 202, body: { rejected: [] } })
    expect(brought.body.files[0]).toMatchObject({
      name: "b.txt",
      source: { key: "folder/b.txt", fingerprint: "1 of folder/b.txt" },
    })
    expect((await manifest(entries)).body).toMatchObject({ ...nothing, upload: ["a.txt"], unchanged: 1 })
    await bring({ "a.txt": "two" })
    expect((await manifest(entries)).body).toMatchObject({ ...nothing, upload: [], unchanged: 2 })
    entries[0] = { key: "a.txt", fingerprint: "2" }
    expect((await manifest(entries)).body).toMatchObject({ ...nothing, upload: ["a.txt"], unchanged: 1 })
    const [former] = await files()
    await bring({ "a.txt": "three" })
    const now = await files()
    expect(now).toHaveLength(2)
    expect(now[0]).toMatchObject({ id: former.id, source: { fingerprint: "2" }, sha256: sha256("three") })
    await settled()
    expect(await coverage()).toMatchObject({ total: 2, searchable: 2 })
    // The last manifest's, with what was brought since.
    const { last_sync, status } = (await client.get(`/sources/${id}`)).body
    expect({ ...last_sync, status }).toMatchObject({ added: 0, updated: 1, unchanged: 1, status: "idle" })
  }, 30_000)

  test("goes by the bytes where it tells their sha256", async () => {
    const { manifest, bring, files } = await source()
    const entries = [{ key: "a.txt", sha256: sha256("one").toUpperCase() }]
    expect((await manifest(entries)).body.upload).toEqual(["a.txt"])
    // The file has changed since it was listed: the next manifest is told.
    await bring({ "a.txt": "two" })
    expect((await manifest(entries)).body.upload).toEqual(["a.txt"])
    await bring({ "a.txt": "one" })
    expect((await manifest(entries)).body).toMatchObject({ upload: [], unchanged: 1 })
    expect((await manifest([{ key: "a.txt", sha256: sha256("two") }])).body.upload).toEqual(["a.txt"])
    expect(await files()).toHaveLength(1)
  })

  test("knows what an upload said of its bytes, whatever was listed", async () => {
    const { manifest, bring } = await source()
    await manifest(listed("a.txt"))
    await bring({ "a.txt": "newer" }, {}, ["2"])
    expect((await manifest(listed("a.txt"))).body.upload).toEqual(["a.txt"])
    expect((await manifest([{ key: "a.txt", fingerprint: "2" }])).body).toMatchObject({ upload: [], unchanged: 1 })
    // Without a manifest before.
    const other = await source()
    await other.bring({ "a.txt": "first" }, {}, ["1 of a.txt"])
    expect((await other.manifest(listed("a.txt"))).body).toMatchObject({ upload: [], unchanged: 1 })
    // The same bytes under a new fingerprint are not indexed again.
    const touched = await other.bring({ "a.txt": "first" }, {}, ["touched"])
    expect(touched.body.files[0]).toMatchObject({ unchanged: true, source: { fingerprint: "touched" } })
  })

  test("deletes what is no more, unless it is told not to", async () => {
    const { manifest, bring, files } = await source()
    await manifest(listed("a.txt", "b.txt", "c.txt"))
    await bring({ "a.txt": "a", "b.txt": "b", "c.txt": "c" })
    const rest = listed("a.txt")
    expect((await manifest(rest, { delete_missing: false })).body).toMatchObject({ deleted: 0, unchanged: 1 })
    expect((await manifest(rest, { dry_run: true })).body).toMatchObject({ deleted: 2, guarded: false })
    expect(await files()).toHaveLength(3)
    expect((await manifest(rest)).body).toMatchObject({ deleted: 2, unchanged: 1 })
    expect(await files()).toHaveLength(1)
    expect((await manifest(rest)).body).toMatchObject({ deleted: 0, unchanged: 1 })
    const kept = await source({ delete_missing: false })
    await kept.bring({ "a.txt": "a" }, {}, ["1"])
    expect((await kept.manifest([])).body.deleted).toBe(0)
    expect((await kept.manifest([], { delete_missing: true })).body.deleted).toBe(1)
  })

  test("that would delete much is refused and changes nothing, until it is forced", async () => {
    const { id, manifest, bring, files } = await source()
    const keys = Array.from({ length: 20 }, (_, i) => `${i}.txt`)
    await manifest(listed(...keys))
    await bring(Object.fromEntries(keys.map(key => [key, key])))
    const rest = listed(...keys.slice(0, 5), "new.txt")
    expect((await manifest(rest, { dry_run: true })).body).toMatchObject({ deleted: 15, guarded: true })
    const refused = await manifest(rest)
    expect(refused).toMatchObject({ status: 409, body: { error: { code: "guarded", details: [{ gone: 15 }] } } })
    expect(await files()).toHaveLength(20)
    expect((await client.get(`/sources/${id}`)).body).toMatchObject({ status: "guarded", last_sync: { guarded: 15 } })
    expect((await manifest(rest, { delete_missing: false })).body.upload).toEqual(["new.txt"])
    expect((await manifest(rest, { force: true })).body).toMatchObject({ deleted: 15, upload: ["new.txt"] })
    expect(await files()).toHaveLength(5)
    const isIdle = async () => (await client.get(`/sources/${id}`)).body.status === "idle"
    await until(isIdle)
    expect((await client.get(`/sources/${id}`)).body).toMatchObject({ last_sync: { deleted: 15, guarded: 0 } })
  }, 20_000)

  test("tells what cannot be found and why, and asks for it again only when it changes or is forced", async () => {
    const { manifest, bring, settled, coverage } = await source()
    const entries: Entry[] = [
      { key: "video", fingerprint: "1", name: "video.mp4" },
      { key: "large.txt", fingerprint: "1", size: 100_001 },
      { key: "no-type", fingerprint: "1" },
      { key: "broken.pdf", fingerprint: "1" },
      { key: "empty.txt", fingerprint: "1", size: 0 },
      { key: "fine.txt", fingerprint: "1" },
    ]
    expect((await manifest(entries)).body).toMatchObject({
      upload: ["no-type", "broken.pdf", "fine.txt"],
      skipped: 1,
      failed: [
        { key: "video", error: { code: "unsupported_file_type" } },
        { key: "large.txt", error: { code: "file_too_large" } },
      ],
    })
    const brought = await bring({ "no-type": "?", "broken.pdf": "no pdf", "fine.txt": "fine" })
    expect(brought.body.rejected).toEqual([
      { name: "no-type", source_key: "no-type", error: expect.objectContaining({ code: "unsupported_file_type" }) },
    ])
    await settled()
    const again = (await manifest(entries)).body
    expect(again).toMatchObject({ upload: [], unchanged: 1, skipped: 1 })
    expect(again.failed.map(({ key }: Entry) => key)).toEqual(["video", "large.txt", "no-type", "broken.pdf"])
    for (const { error } of again.failed) expect(error.message).not.toBe("")
    expect(await coverage()).toMatchObject({ total: 6, searchable: 1, unsupported: 2, failed: 1, skipped: 2 })
    expect((await manifest(entries, { force: true, dry_run: true })).body.upload).toEqual(["no-type", "broken.pdf"])
    entries[3] = { key: "broken.pdf", fingerprint: "2" }
    expect((await manifest(entries)).body.upload).toEqual(["broken.pdf"])
    // All of a form that is not taken.
    const none = await bring({ "no-type": "?" })
    expect(none).toMatchObject({ status: 415, body: { error: { details: [{ source_key: "no-type" }] } } })
  }, 30_000)

  test("leaves alone what somebody deleted here, until it changes or is forced", async () => {
    const { manifest, bring, files } = await source()
    await manifest(listed("a.txt"))
    await bring({ "a.txt": "a" })
    await client.delete(`/libraries/${(await files())[0].id}`)
    const told = (await manifest(listed("a.txt"))).body
    expect(told).toMatchObject({ upload: [], failed: [{ key: "a.txt", error: { code: "deleted" } }] })
    expect((await manifest(listed("a.txt"), { force: true })).body.upload).toEqual(["a.txt"])
    expect((await manifest([{ key: "a.txt", fingerprint: "2" }])).body.upload).toEqual(["a.txt"])
  })

  test("keeps to the rules of its source: globs and sizes", async () => {
    const { manifest, bring } = await source({ include: ["docs/**"], exclude: ["*.md"], max_bytes: 10 })
    const entries = [...listed("docs/a.txt", "docs/b.md", "other/c.txt"), { ...listed("docs/d.txt")[0]!, size: 11 }]
    expect((await manifest(entries)).body).toMatchObject({
      upload: ["docs/a.txt"],
      skipped: 2,
      failed: [{ key: "docs/d.txt", error: { code: "file_too_large" } }],
    })
    const { body } = await bring({ "docs/a.txt": "a", "docs/b.md": "b", "docs/d.txt": "more than ten" })
    expect(body.files).toHaveLength(1)
    expect(body.rejected.map((each: { source_key: string }) => each.source_key)).toEqual(["docs/b.md", "docs/d.txt"])
  })

  test("has keys of any kind, told apart to the last character", async () => {
    const { manifest, bring, files } = await source()
    const keys = [
      "a",
      "A",
      " a",
      "a ",
      "\u00e1",
      "a\u0301",
      "__proto__",
      "constructor",
      "日本\t\"'",
      "%2e",
      "../x",
      "\ufeffa",
      "😀",
    ]
    expect((await manifest(listed(...keys))).body.upload).toEqual(keys)
    const { body } = await bring(Object.fromEntries(keys.map((key, i) => [key, [`${i}.txt`, `text ${i}`]])))
    expect(body).toMatchObject({ rejected: [] })
    const found = await files()
    expect(found.map(file => file.source.key).sort()).toEqual([...keys].sort())
    expect((await manifest(listed(...keys))).body).toMatchObject({ upload: [], unchanged: keys.length })
  })

  test.each([
    [[{ key: "a" }], "entries.0.fingerprint: must be told, or sha256"],
    [[...listed("a", "b"), { key: "a", fingerprint: "2" }], "entries.2.key: is told twice"],
    [listed(""), "entries.0.key: must be a text that is not empty"],
    [listed("x".repeat(2_001)), "entries.0.key: must have at most 2000 bytes"],
    [listed("a\0"), "entries.0.key: must be well-formed Unicode without NUL"],
    [listed("a\ud800"), "entries.0.key: must be well-formed Unicode without NUL"],
    [[{ key: "a", fingerprint: "" }], "entries.0.fingerprint: must be a text of 1 to 1000 characters"],
    [[{ key: "a", sha256: "abc" }], "entries.0.sha256: must be 64 hexadecimal digits"],
    [[{ key: "a", fingerprint: "1", size: -1 }], "entries.0.size: must be a whole number of bytes"],
    [[{ key: 7, fingerprint: "1" }], "entries.0.key: must be a text that is not empty"],
  ] as [Entry[], string][])("with something wrong in it is refused (%#)", async (entries, message) => {
    const { manifest, coverage } = await source()
    expect(await manifest(entries)).toMatchObject({ status: 400, body: { error: { message } } })
    expect((await coverage()).total).toBe(0)
  })

  test("of a hundred thousand entries is compared while others are answered", async () => {
    const { manifest } = await source()
    const entries = Array.from({ length: 100_000 }, (_, i) => ({ key: `folder ${i % 100}/${i}.txt`, fingerprint: "1" }))
    let longest = 0
    let last = performance.now()
    const timer = setInterval(() => {
      const now = performance.now()
      longest = Math.max(longest, now - last)
      last = now
    }, 5)
    const asked = await manifest(entries, { dry_run: true })
    clearInterval(timer)
    expect(asked.body.upload).toHaveLength(100_000)
    // The client of this test writes and parses its JSON on the same thread.
    expect(longest).toBeLessThan(5_000)
    expect((await manifest([...entries, ...listed("one more")])).status).toBe(400)
  }, 60_000)
})

describe("uploads into a source", () => {
  test("carry the context, tags and acl of the source where they tell none", async () => {
    const { bring, files } = await source({ context_id: "ctx", tags: ["s"], acl: ["group:a"] })
    await bring({ "a.txt": "a" }, {}, ["1"])
    await bring({ "b.txt": "b" }, { tags: "own", metadata: '{"year":2026}', acl: '["group:b"]' }, ["1"])
    expect(await files()).toMatchObject([
      { context_id: "ctx", tags: ["s"], acl: ["group:a"], metadata: {} },
      { context_id: "ctx", tags: ["own"], acl: ["group:b"], metadata: { year: 2026 } },
    ])
    // What was noted about a file stays with its next version.
    await bring({ "b.txt": "b2" }, {}, ["2"])
    expect((await files())[1]).toMatchObject({ metadata: { year: 2026 } })
    expect(await bring({ "c.txt": "c" }, { context_id: "other" })).toMatchObject({ status: 400 })
  })

  test("say what is wrong with their parts", async () => {
    const { id } = await source()
    const send = (parts: [string, string][], files: string[]) => {
      const form = new FormData()
      for (const [name, value] of parts) form.append(name, value)
      for (const name of files) form.append("files", new Blob(["x"]), name)
      return client.send("POST", "/upload", form)
    }
    const issueOf = async (parts: [string, string][], files: string[]) => (await send(parts, files)).body.error.message
    const of: [string, string] = ["source_id", id]
    expect(await issueOf([["source_key", "a"]], ["a.txt"])).toContain("source_id: must name")
    expect(await issueOf([of], ["a.txt"])).toContain("source_key: must be told once for each file")
    expect(await issueOf([of, ["source_key", "a"]], ["a.txt", "b.txt"])).toContain("source_key: must be told once")
    expect(await issueOf([of, ["source_key", "a"], ["source_key", "a"]], ["a.txt", "b.txt"])).toContain("twice")
    const two: [string, string][] = [of, ["source_key", "a"], ["source_key", "b"], ["source_fingerprint", "1"]]
    expect(await issueOf(two, ["a.txt", "b.txt"])).toContain("source_fingerprint: must be told for each")
    expect(await issueOf([of, ["source_key", "a"], ["on_duplicate", "replace"]], ["a.txt"])).toContain("on_duplicate")
    expect(
      await send(
        [
          ["source_id", "src_none"],
          ["source_key", "a"],
        ],
        ["a.txt"],
      ),
    ).toMatchObject({ status: 404 })
  })

  test("come by /external/upload alone", async () => {
    const form = new FormData()
    for (const [name, value] of [
      ["purpose", "assistants"],
      ["source_id", "src_1"],
    ])
      form.append(name!, value!)
    form.append("file", new Blob(["x"]), "a.txt")
    const { status, body } = await client.under("").send("POST", "/v1/files", form)
    expect(status).toBe(400)
    expect(body.error.message).toContain("source_id: belongs to uploads of /external/upload")
  })

  test("go into sources that are fed, and not while those are paused", async () => {
    const { id, manifest, bring } = await source()
    await client.patch(`/sources/${id}`, { paused: true })
    expect(await manifest([])).toMatchObject({ status: 409, body: { error: { code: "conflict" } } })
    expect(await bring({ "a.txt": "a" })).toMatchObject({ status: 409 })
    await client.patch(`/sources/${id}`, { paused: false })
    expect(await bring({ "a.txt": "a" })).toMatchObject({ status: 202 })
    await client.delete(`/sources/${id}`)
    expect(await bring({ "a.txt": "a" })).toMatchObject({ status: 404 })
    expect(await manifest([])).toMatchObject({ status: 404 })
  })

  test("of the same entry at the same time make one file", async () => {
    const { manifest, bring, files } = await source()
    const keys = Array.from({ length: 5 }, (_, i) => `${i}.txt`)
    await manifest(listed(...keys))
    const texts = Object.fromEntries(keys.map(key => [key, `text of ${key}`]))
    const answers = await Promise.all(Array.from({ length: 6 }, () => bring(texts)))
    for (const { status } of answers) expect(status).toBe(202)
    expect(await files()).toHaveLength(5)
  })
})

describe("who may feed a source", () => {
  test("needs its scopes, and to see it", async () => {
    const { id } = await source({ context_id: "mine" })
    const form = () => {
      const made = new FormData()
      made.append("source_id", id)
      made.append("source_key", "a.txt")
      made.append("files", new Blob(["a"]), "a.txt")
      return made
    }
    const both = async (by: Client) => [
      (await by.post(`/sources/${id}/manifest`, { entries: [] })).status,
      (await by.send("POST", "/upload", form())).status,
    ]
    expect(await both(await app.client("default", { scopes: ["files:write", "files:read"] }))).toEqual([403, 403])
    expect(await both(await app.client("default", { scopes: ["sources"] }))).toEqual([200, 403])
    expect(await both(await app.client("other"))).toEqual([404, 404])
    expect(await both(await app.client("default", { context_ids: ["other"] }))).toEqual([404, 404])
    expect(await both(await app.client("default", { context_ids: ["mine"] }))).toEqual([200, 202])
    expect(await both(await client.scoped({ principals: ["user:1"] }))).toEqual([404, 404])
  })

  test("that a filter narrows puts nothing outside of it, and the rest is taken", async () => {
    const narrow = await app.client("default", {
      filter: { type: "starts_with", key: "file.name", value: "a" },
    } as object)
    const { bring, files } = await source({}, narrow)
    const { status, body } = await bring({ "a1.txt": "1", "b.txt": "2", "a2.txt": "3" }, {}, ["1", "1", "1"])
    expect(status).toBe(202)
    expect(body.files.map((file: { name: string }) => file.name)).toEqual(["a1.txt", "a2.txt"])
    expect(body.rejected).toMatchObject([{ source_key: "b.txt", error: { code: "forbidden" } }])
    expect(await files()).toHaveLength(2)
  })
})
