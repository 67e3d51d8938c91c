import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { readdirSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"
import { until } from "../support/until.ts"

let app: TestApp
let client: Client

beforeAll(async () => {
  app = await startTestApp({ "max-file-bytes": "100000" })
  client = await app.client()
})
afterAll(() => app.stop())

const storedBlobs = () => {
  const root = join(app.data, "blobs")
  return readdirSync(root).flatMap(folder => readdirSync(join(root, folder)))
}
/** Uploads under way; extracted texts pass through the same folder under other names. */
const temporaryFiles = () => readdirSync(join(app.data, "tmp")).filter(name => /^file_[a-z0-9]+$/.test(name))
const count = async (query = "") => (await client.get(`/libraries?page_size=1${query}`)).body.pagination.total_items

describe("an upload", () => {
  test("is accepted by POST and PUT, whatever the parts are called, in their order", async () => {
    for (const method of ["POST", "PUT"]) {
      const form = new FormData()
      form.append("tags", "alpha,beta")
      form.append("x", new Blob([`one ${method}`]), `b-${method}.txt`)
      form.append("files", new Blob([`two ${method}`]), `a-${method}.md`)
      form.append("tags", "gamma")
      form.append("context_id", "first.light:1")
      form.append("metadata", '{"n":7}')
      const { status, body } = await client.send(method, "/upload", form)
      expect(status).toBe(202)
      expect(body.message).toBe("2 files accepted and queued for indexing")
      expect(body.rejected).toEqual([])
      expect(body.files.map((file: any) => file.name)).toEqual([`b-${method}.txt`, `a-${method}.md`])
      expect(body.files[0]).toMatchObject({
        type: "txt",
        mime_type: "text/plain",
        size: 4 + method.length,
        sha256: new Bun.CryptoHasher("sha256").update(`one ${method}`).digest("hex"),
        status: "queued",
        stage: null,
        progress: 0,
        error: null,
        context_id: "first.light:1",
        tags: ["alpha", "beta", "gamma"],
        metadata: { n: 7 },
      })
    }
  })

  test("keeps only the last component of a name, without control characters", async () => {
    const { body } = await client.upload([
      { name: "../../etc/passwd.txt", data: "p1" },
      { name: "C:\\Users\\x\\win.txt", data: "p2" },
      { name: "bell\u0007.txt", data: "p3" },
      { name: 'the "best" %41.txt', data: "p4" },
    ])
    expect(body.files.map((file: any) => file.name)).toEqual([
      "passwd.txt",
      "win.txt",
      "bell.txt",
      'the "best" %41.txt',
    ])
  })

  test("takes any number of files", async () => {
    const many = Array.from({ length: 1_500 }, (_, i) => ({ name: `many-${i}.txt`, data: "the same words" }))
    const stranger = await app.client("many")
    const { status, body } = await stranger.upload(many)
    expect([status, body.files.length, body.message]).toEqual([
      202,
      1_500,
      "1500 files accepted and queued for indexing",
    ])
  }, 30_000)

  test("of thousands answers all of them in order, also a second time under its Idempotency-Key", async () => {
    const stranger = await app.client("thousands")
    const many = Array.from({ length: 2_100 }, (_, i) => ({
      name: i % 700 === 3 ? `bad-${i}.exe` : `many-${i}.txt`,
      data: `file ${i}`,
    }))
    const key = { "idempotency-key": "thousands" }
    const { status, body } = await stranger.upload(many, { tags: "bulk" }, key)
    expect([status, body.message]).toEqual([202, "2097 files accepted and queued for indexing"])
    const good = many.filter(({ name }) => name.endsWith(".txt"))
    expect(body.files.map((file: any) => file.name)).toEqual(good.map(({ name }) => name))
    expect(body.rejected.map(({ name }: any) => name)).toEqual(["bad-3.exe", "bad-703.exe", "bad-1403.exe"])
    const listed = await stranger.get("/libraries?page_size=1&tag=bulk")
    expect(listed.body.pagination.total_items).toBe(2_097)
    expect((await stranger.upload(many, { tags: "bulk" }, key)).body).toEqual(body)
    const again = await stranger.upload(many, { tags: "bulk" })
    expect(again.body.message).toBe("2097 files already in the library")
    expect((await stranger.get("/libraries?page_size=1")).body.pagination.total_items).toBe(2_097)
  }, 60_000)

  test("rejects a bad file alone, and gives the first rejection's status when none is left", async () => {
    const mixed = await client.upload([
      { name: "bad.exe", data: "MZ" },
      { name: "good.txt", data: "quince marmalade" },
    ])
    expect(mixed.status).toBe(202)
    expect(mixed.body.files).toHaveLength(1)
    expect(mixed.body.rejected).toEqual([
      { name: "bad.exe", error: { code: "unsupported_file_type", message: expect.any(String) } },
    ])

    const before = storedBlobs().length
    const none = await client.upload([
      { name: "empty.txt", data: "" },
      { name: "b.exe", data: "MZ" },
    ])
    expect(none.status).toBe(400)
    expect(none.body.error.code).toBe("empty_file")
    expect(none.body.error.details.map((detail: any) => [detail.name, detail.code])).toEqual([
      ["empty.txt", "empty_file"],
      ["b.exe", "unsupported_file_type"],
    ])
    const large = await client.upload([{ name: "large.txt", data: "x".repeat(100_001) }])
    expect([large.status, large.body.error.code]).toEqual([413, "file_too_large"])
    expect(storedBlobs()).toHaveLength(before)
    expect(temporaryFiles()).toEqual([])
  })

  test.each([
    ["metadata", "not json"],
    ["metadata", "[1]"],
    ["metadata", JSON.stringify({ a: "x".repeat(17_000) })],
    ["metadata", `${'{"a":'.repeat(1_500)}1${"}".repeat(1_500)}`], // deeper than databases read
    ["context_id", "no spaces allowed"],
    ["on_duplicate", "bogus"],
  ])("with a bad %s part stores nothing", async (field, value) => {
    const before = storedBlobs().length
    const { status, body } = await client.upload([{ name: "field.txt", data: "unwanted" }], { [field]: value })
    expect([status, body.error.code]).toEqual([400, "invalid_request"])
    expect(body.error.details[0].field).toBe(field)
    expect(await count("&name=field.txt")).toBe(0)
    expect(storedBlobs()).toHaveLength(before)
  })

  test("that is not multipart, is broken, or without a file part is refused", async () => {
    const head = '--zz\r\nContent-Disposition: form-data; name="files"; filename="a.txt"\r\n\r\nhalf'
    const type = { "content-type": "multipart/form-data; boundary=zz" }
    const broken = await client.send("POST", "/upload", head, type)
    expect([broken.status, broken.body.error.code]).toEqual([400, "invalid_multipart"])
    const form = new FormData()
    form.append("tags", "a")
    const empty = await client.send("POST", "/upload", form)
    expect([empty.status, empty.body.error.code]).toEqual([400, "invalid_multipart"])
    const unchosen = '--zz\r\nContent-Disposition: form-data; name="files"; filename=""\r\n\r\n\r\n--zz--\r\n'
    const noFile = await client.send("POST", "/upload", unchosen, type)
    expect([noFile.status, noFile.body.error.code]).toEqual([400, "invalid_multipart"])
    const json = await client.post("/upload", { files: [] })
    expect([json.status, json.body.error.code]).toEqual([415, "unsupported_media_type"])
    expect(temporaryFiles()).toEqual([])
  })

  test("whose client goes away leaves nothing behind", async () => {
    const before = [storedBlobs().length, await count()]
    const { hostname, port } = new URL(app.url)
    const socket = connect(Number(port), hostname)
    const headers = Object.entries(client.credentials).map(([name, value]) => `${name}: ${value}`)
    socket.write(
      [
        "POST /external/upload HTTP/1.1",
        "Host: test",
        ...headers,
        "Content-Type: multipart/form-data; boundary=zz",
        "Content-Length: 90000",
        "",
        '--zz\r\nContent-Disposition: form-data; name="files"; filename="half.txt"\r\n\r\nthe first half',
      ].join("\r\n"),
    )
    await until(() => temporaryFiles().length > 0)
    socket.destroy()
    await until(() => temporaryFiles().length === 0)
    expect([storedBlobs().length, await count()]).toEqual(before)
  })
})

describe("the same file again", () => {
  const again = (fields: Record<string, string> = {}, data = "the same bytes", headers = {}) =>
    client.upload([{ name: "same.txt", data }], { context_id: "dup", ...fields }, headers)

  test("returns its existing record and stores nothing", async () => {
    const first = (await again()).body.files[0]
    const before = storedBlobs().length
    const answer = (await again()).body
    expect(answer.message).toBe("1 file already in the library")
    const second = answer.files[0]
    expect(second.id).toBe(first.id)
    expect(second.duplicate).toBe(true)
    expect(first.duplicate).toBeUndefined()
    expect(storedBlobs()).toHaveLength(before)
  })

  test("twice in one form is one file, its last version with replace, and two with keep_both", async () => {
    const twice = (rule: string, second = "twice") =>
      client.upload(
        [
          { name: "twice.txt", data: "twice" },
          { name: "twice.txt", data: second },
        ],
        { context_id: rule, on_duplicate: rule },
      )
    const [one, same] = (await twice("return_existing")).body.files
    expect([same.id, same.duplicate]).toEqual([one.id, true])
    const [first, last] = (await twice("replace", "the last version")).body.files
    expect(last.id).toBe(first.id)
    expect(await (await client.raw("GET", `/libraries/${first.id}/content`)).text()).toBe("the last version")
    const kept = (await twice("keep_both")).body.files
    expect(kept[0].id).not.toBe(kept[1].id)
    const blobs = await Promise.all(
      [one, first, ...kept].map(async file => (await client.raw("GET", `/libraries/${file.id}/content`)).status),
    )
    expect(blobs).toEqual([200, 200, 200, 200])
  })

  test("is another file in another context, with other bytes, or with keep_both", async () => {
    const first = (await again()).body.files[0]
    const others = [
      await again({ context_id: "dup2" }),
      await again({}, "other bytes"),
      await again({ on_duplicate: "keep_both" }),
    ]
    for (const { body } of others) expect(body.files[0].id).not.toBe(first.id)
  })

  test("keeps its id with replace, whatever its bytes", async () => {
    const first = (await again({ context_id: "rep" })).body.files[0]
    const replaced = (await again({ context_id: "rep", on_duplicate: "replace" }, "new bytes")).body.files[0]
    expect(replaced.id).toBe(first.id)
    expect(replaced.size).toBe(9)
    const content = await client.raw("GET", `/libraries/${first.id}/content`)
    expect(await content.text()).toBe("new bytes")
  })

  test("under one Idempotency-Key gets the first answer, also when sent twice at once", async () => {
    const key = { "idempotency-key": "once-1" }
    const [left, right] = await Promise.all([again({}, "idem bytes", key), again({}, "idem bytes", key)])
    expect(left.body).toEqual(right.body)
    const before = storedBlobs().length
    for (const [fields, data] of [
      [{ context_id: "elsewhere" }, "idem bytes"],
      [{}, "quite other bytes"],
      [{ tags: "more" }, "idem bytes"],
      [{ on_duplicate: "keep_both" }, "idem bytes"],
    ] as const) {
      const other = await again(fields, data, key)
      expect([other.status, other.body.error.code]).toEqual([409, "conflict"])
    }
    expect((await again({}, "idem bytes", key)).body).toEqual(left.body)
    expect(storedBlobs()).toHaveLength(before)
    expect(await count("&context_id=elsewhere")).toBe(0)
    const stranger = await app.client("other")
    const own = await stranger.upload([{ name: "same.txt", data: "idem bytes" }], {}, key)
    expect(own.body.files[0].id).not.toBe(left.body.files[0].id)
  })
})
