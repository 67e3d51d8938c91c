/** Buckets of a real object storage, and of one that answers as it is told. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { DeleteObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3"
import { Emptied, Outage } from "../../../src/sources/connector.ts"
import { readListing } from "../../../src/sources/connectors/s3/listing.ts"
import { s3Source } from "../../../src/sources/connectors/s3.ts"
import { addressIn } from "../../storage/blobs/places.ts"
import { entriesOf, opened, reaching, textOf } from "../../support/connectors.ts"
import { storage } from "../../support/engines.ts"
import { StandIn } from "../../support/object-storage.ts"
import { rejection } from "../../support/rejection.ts"
import { selfSigned } from "../../support/self-signed.ts"

const HERE = reaching("127.0.0.1", "localhost", "*.localhost")

const url = await storage()
const KEYS = [
  "plain.txt",
  "with space.txt",
  " before and after .txt",
  "jürgen ł 漢字 🎉 عربي.txt",
  "nfd e\u0301.txt",
  "100%.txt",
  "%41.txt",
  "%2F.txt",
  "a+b&c#d?e;f=g.txt",
  "'quote\" <tag>.txt",
  "~!$()*,:@[]{}|^`.txt",
  "123",
  "folder 100%/ü/deep.txt",
]

describe.skipIf(!url)("a bucket of a real object storage", () => {
  const { bucket, prefix, region, endpoint, credentials } = url ? addressIn(url) : ({} as ReturnType<typeof addressIn>)
  const keys = credentials && "accessKeyId" in credentials ? credentials : { accessKeyId: "", secretAccessKey: "" }
  const given = { access_key_id: keys.accessKeyId, secret_access_key: keys.secretAccessKey }
  const config = { endpoint, bucket, region, prefix: `${prefix}/files/` }
  let client: S3Client
  const put = (key: string, body = key) =>
    client.send(new PutObjectCommand({ Bucket: bucket, Key: `${prefix}/files/${key}`, Body: body }))
  const remove = (key: string) =>
    client.send(new DeleteObjectCommand({ Bucket: bucket, Key: `${prefix}/files/${key}` }))

  beforeAll(async () => {
    client = new S3Client({ endpoint, region, forcePathStyle: true, credentials: keys })
    for (const key of KEYS) await put(key)
  })
  afterAll(() => client.destroy())

  test("is listed with keys of every kind, and each is read", async () => {
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: `${prefix}/files/marker/`, Body: "" }))
    const connector = opened(s3Source, HERE, config, given)
    const entries = await entriesOf(connector)
    expect([...entries.keys()].sort()).toEqual([...KEYS].sort())
    for (const key of KEYS) {
      expect(await textOf(connector, key)).toBe(key)
      expect(entries.get(key)).toMatchObject({ size: Buffer.byteLength(key), name: key.split("/").at(-1)! })
      expect(Number.isNaN(Date.parse(entries.get(key)!.updatedAt!))).toBe(false)
    }
    await connector.close!()
  })

  test("gives an object another fingerprint when it changes, and only then; what is removed is gone", async () => {
    const connector = opened(s3Source, HERE, { ...config, prefix: `${prefix}/files/changes` }, given)
    for (const name of ["kept", "same size", "removed"]) await put(`changes/${name}`)
    const before = await entriesOf(connector)
    expect([...before.keys()].sort()).toEqual(["changes/kept", "changes/removed", "changes/same size"])
    await put("changes/same size", "CHANGES/SAME SIZE")
    await remove("changes/removed")
    expect(await textOf(connector, "changes/removed")).toBeUndefined()
    const after = await entriesOf(connector)
    expect([...after.keys()].sort()).toEqual(["changes/kept", "changes/same size"])
    expect(after.get("changes/kept")!.fingerprint).toBe(before.get("changes/kept")!.fingerprint)
    expect(after.get("changes/same size")!.fingerprint).not.toBe(before.get("changes/same size")!.fingerprint)
  })

  test("says which credentials it does not take, and that a bucket is not there", async () => {
    const wrong = opened(s3Source, HERE, config, { ...given, secret_access_key: "other" })
    expect((await rejection(entriesOf(wrong))).message).toMatch(/answered with 403 \w+/)
    expect(await rejection(textOf(wrong, "plain.txt"))).toBeInstanceOf(Outage)
    const unknown = opened(s3Source, HERE, config, { ...given, access_key_id: "nobody" })
    expect((await rejection(entriesOf(unknown))).message).toMatch(/answered with 403 InvalidAccessKeyId/)
    const nowhere = opened(s3Source, HERE, { ...config, bucket: "no-such-bucket" }, given)
    expect((await rejection(entriesOf(nowhere))).message).toMatch(/answered with 404 NoSuchBucket|answered with 403/)
    expect(await rejection(textOf(nowhere, "plain.txt"))).toBeInstanceOf(Outage)
  })
})

const GIVEN = { access_key_id: "AKIA", secret_access_key: "secret" }
const FILES = ["a.txt", "docs/b.txt", "docs/c d.txt"]

/** A storage with files of three bytes. */
async function standIn(names: readonly string[] = FILES) {
  const store = await StandIn.start()
  for (const name of names) store.objects.set(name, { bytes: Buffer.from("abc"), etag: '"1"', at: new Date() })
  return store
}
const opening = (endpoint: string, more: Record<string, unknown> = {}, credentials: typeof GIVEN | undefined = GIVEN) =>
  opened(s3Source, HERE, { endpoint, bucket: "files", ...more }, credentials)

describe("an object storage", () => {
  test("with 100 000 keys is listed in pages of 1 000, and others are answered meanwhile", async () => {
    const page = (at: number) =>
      Array.from(
        { length: 1_000 },
        (_, i) => `<Contents><Key>reports/${at + i}.txt</Key><Size>3</Size><ETag>"${at + i}"</ETag></Contents>`,
      )
    let pages = 0
    await using server = serve(request => {
      const at = Number(new URL(request.url).searchParams.get("continuation-token") ?? 0)
      pages++
      const next = at + 1_000 < 100_000 ? `<NextContinuationToken>${at + 1_000}</NextContinuationToken>` : ""
      return listing(`<IsTruncated>${next !== ""}</IsTruncated>${next}${page(at).join("")}`)
    })
    let turns = 0
    const timer = setInterval(() => turns++, 1)
    expect((await entriesOf(opening(server.endpoint))).size).toBe(100_000)
    clearInterval(timer)
    expect(pages).toBe(100)
    expect(turns).toBeGreaterThan(50)
  }, 60_000)

  test.each([
    ["one key after the other", (n: number) => `<Contents><Key>k${n}</Key><Size>1</Size></Contents>`],
    ["empty elements", () => "<a/>"],
    ["attributes", (n: number) => `<a b${n}="1"/>`],
    ["entities", () => "<Key>&amp;&#65;</Key>"],
  ])("with a page of 4 MB of %s lets others have their turn meanwhile", async (_, piece) => {
    const pieces: string[] = []
    for (let length = 0; length < 3.9 * 2 ** 20; length += pieces.at(-1)!.length) pieces.push(piece(pieces.length))
    const body = Buffer.from(`<ListBucketResult><IsTruncated>false</IsTruncated>${pieces.join("")}</ListBucketResult>`)
    let turns = 0
    const counting = setInterval(() => turns++, 0)
    const page = await readListing(
      (async function* () {
        yield body
      })(),
    )
    clearInterval(counting)
    expect(page).toMatchObject({ isTruncated: false, next: undefined })
    expect(turns).toBeGreaterThan(5)
  })

  test("that tells of an error without end is told of with its beginning", async () => {
    let sent = 0
    await using server = serve(
      () =>
        new Response(
          new ReadableStream({
            pull(controller) {
              sent += 16_384
              controller.enqueue(new Uint8Array(16_384).fill(0x20))
            },
          }),
          { status: 403 },
        ),
    )
    const connector = opening(server.endpoint)
    expect((await rejection(textOf(connector, "a.txt"))).message).toContain("403")
    expect((await rejection(entriesOf(connector))).message).toContain("403")
    expect(sent).toBeLessThan(16 * 2 ** 20)
  })

  test("of which a page fails is an outage, after it was asked again", async () => {
    const names = Array.from({ length: 1_500 }, (_, i) => `${i}.txt`)
    await using store = await standIn(names)
    store.fault = ({ query }) => (query.has("continuation-token") ? { status: 503, code: "SlowDown" } : undefined)
    const failure = await rejection(entriesOf(opening(store.endpoint)))
    expect(failure).toBeInstanceOf(Outage)
    expect(failure.message).toContain("503 SlowDown")
    expect(store.asked.length).toBeGreaterThan(2)
    let faults = 1
    store.fault = ({ query }) => (query.has("continuation-token") && faults-- > 0 ? "cut" : undefined)
    expect((await entriesOf(opening(store.endpoint))).size).toBe(1_500)
  })

  test.each<[string, string]>([
    ["does not tell where the list goes on", "<IsTruncated>true</IsTruncated><Contents><Key>a</Key></Contents>"],
    [
      "begins again where it left off",
      "<IsTruncated>true</IsTruncated><NextContinuationToken>x</NextContinuationToken>",
    ],
    ["does not tell whether there is more", "<Contents><Key>a</Key></Contents>"],
    ["ends in the middle", "<IsTruncated>false</IsTruncated><Contents><Key>a</Ke"],
  ])("that %s is an outage", async (_, body) => {
    await using server = serve(() => listing(body))
    expect(await rejection(entriesOf(opening(server.endpoint)))).toBeInstanceOf(Outage)
  })

  test("that is none is an outage with a word about it", async () => {
    await using server = serve(() => new Response("<html>Welcome</html>", { headers: { "content-type": "text/html" } }))
    expect((await rejection(entriesOf(opening(server.endpoint)))).message).toContain("does not answer as S3 does")
  })

  test("that refuses the credentials, or one object, says so", async () => {
    await using store = await standIn()
    store.fault = ({ key }) => (key === "a.txt" ? { status: 403, code: "InvalidObjectState" } : undefined)
    const connector = opening(store.endpoint)
    const failure = await rejection(textOf(connector, "a.txt"))
    expect([failure.code, failure.message]).toEqual(["forbidden", "the server answered with 403 InvalidObjectState"])
    expect(await textOf(connector, "docs/b.txt")).toBe("abc")
    store.fault = () => ({ status: 403, code: "AccessDenied" })
    expect((await rejection(entriesOf(connector))).message).toContain("403 AccessDenied")
    expect(await rejection(textOf(connector, "docs/b.txt"))).toBeInstanceOf(Outage)
  })

  test("sends nobody elsewhere", async () => {
    await using other = await standIn()
    await using server = serve(() => Response.redirect(`${other.endpoint}/files?list-type=2`, 307))
    expect(await rejection(entriesOf(opening(server.endpoint)))).toBeInstanceOf(Outage)
    expect(other.asked).toEqual([])
  })

  test("whose certificate nobody vouches for is told no credentials", async () => {
    await using store = await StandIn.start(selfSigned("localhost"))
    const failure = await rejection(entriesOf(opening(store.endpoint)))
    expect(failure).toBeInstanceOf(Outage)
    expect(failure.message).toContain("certificate")
    expect(store.asked).toEqual([])
  })

  test("that may not be reached is not asked", async () => {
    await using store = await standIn()
    const connector = opened(s3Source, reaching(), { endpoint: store.endpoint, bucket: "files" }, GIVEN)
    expect((await rejection(entriesOf(connector))).message).toContain("may not be reached")
    const parts = reaching()
    const config = { endpoint: store.endpoint, bucket: "files", prefix: "", region: "us-east-1" }
    expect((await rejection(s3Source.admit!(config, parts))).code).toBe("forbidden")
    expect(store.asked).toEqual([])
  })

  test("is asked with the credentials of the source, or with none: never with those of the environment", async () => {
    const env = {
      AWS_ACCESS_KEY_ID: "ENVIRONMENT",
      AWS_SECRET_ACCESS_KEY: "x",
      AWS_PROFILE: "other",
      AWS_REGION: "eu-west-9",
    }
    const before = Object.keys(env).map(name => [name, Bun.env[name]] as const)
    Object.assign(Bun.env, env)
    try {
      const heads: (string | null)[] = []
      await using server = serve(request => {
        heads.push(request.headers.get("authorization"))
        return listing("<IsTruncated>false</IsTruncated><Contents><Key>a</Key></Contents>")
      })
      await entriesOf(opening(server.endpoint))
      await entriesOf(opened(s3Source, HERE, { endpoint: server.endpoint, bucket: "files" }))
      expect(heads[0]).toMatch(/Credential=AKIA\/\d+\/us-east-1\/s3/)
      expect(heads[1]).toBeNull()
    } finally {
      for (const [name, value] of before)
        if (value === undefined) delete Bun.env[name]
        else Bun.env[name] = value
    }
  })

  test("is asked for the bucket in the path, and in the host where the endpoint has it there", async () => {
    const asked: string[] = []
    await using server = serve(request => {
      asked.push(new URL(request.url).host.split(":")[0] + new URL(request.url).pathname)
      return listing("<IsTruncated>false</IsTruncated><Contents><Key>a b</Key><Size>1</Size></Contents>")
    })
    const { port } = new URL(server.endpoint)
    const inPath = await entriesOf(opening(`http://localhost:${port}`))
    const inHost = await entriesOf(opening(`http://files.localhost:${port}`))
    expect(asked).toEqual(["localhost/files/", "files.localhost/"])
    expect(inPath.get("a b")?.url).toBe(`http://localhost:${port}/files/a%20b`)
    expect(inHost.get("a b")?.url).toBe(`http://files.localhost:${port}/a%20b`)
  })

  test("has keys that no address can name: another object is never read in their place", async () => {
    await using store = await standIn(["a/../b.txt", "b.txt"])
    const connector = opening(store.endpoint)
    expect([...(await entriesOf(connector)).keys()]).toEqual(["a/../b.txt", "b.txt"])
    const asked = store.asked.length
    expect((await rejection(textOf(connector, "a/../b.txt"))).message).toContain("cannot be asked for")
    expect(store.asked.length).toBe(asked)
  })

  test("has what programs make for folders: these are no files; keys that end in a slash and have content are", async () => {
    await using store = await standIn(["docs/a.txt/"])
    store.objects.set("docs/", { bytes: Buffer.alloc(0), etag: '"0"', at: new Date() })
    const entries = await entriesOf(opening(store.endpoint))
    expect([...entries.values()]).toEqual([expect.objectContaining({ key: "docs/a.txt/", name: "a.txt" })])
  })

  test("has hidden objects and what programs leave behind: they are left out unless they are asked for", async () => {
    const names = [".hidden/a.txt", "docs/.DS_Store", "docs/a.txt", "docs/~$b.docx", "node_modules/c.txt"]
    await using store = await standIn(names)
    expect([...(await entriesOf(opening(store.endpoint))).keys()]).toEqual(["docs/a.txt"])
    expect((await entriesOf(opening(store.endpoint, { hidden: true }))).size).toBe(5)
  })

  test("that has nothing is taken for one that is not there, which the engine alone overrules", async () => {
    await using store = await standIn([])
    expect(await rejection(entriesOf(opening(store.endpoint)))).toBeInstanceOf(Emptied)
  })

  test("is listed below a prefix, and keys leave out the folder of it", async () => {
    await using store = await standIn()
    const seen = async (prefix: string) => [...(await entriesOf(opening(store.endpoint, { prefix }))).keys()]
    expect(await seen("docs/")).toEqual(["b.txt", "c d.txt"])
    expect(await seen("docs/b")).toEqual(["b.txt"])
    expect(await seen("docs")).toEqual(["docs/b.txt", "docs/c d.txt"])
    expect(await textOf(opening(store.endpoint, { prefix: "docs/" }), "c d.txt")).toBe("abc")
  })

  test("is left alone at once when the sync is aborted", async () => {
    await using store = await standIn()
    store.fault = () => "hang"
    const stop = new AbortController()
    const listing = rejection(entriesOf(opening(store.endpoint), stop.signal))
    stop.abort(new Error("no longer wanted"))
    expect((await listing).message).toBe("no longer wanted")
  })
})

describe("a source of type s3", () => {
  const refused = async (config: Record<string, unknown>, credentials?: Record<string, unknown>) =>
    (await rejection((async () => opened(s3Source, HERE, config, credentials))())).message as string
  const endpoint = "https://storage.example"

  test("takes an endpoint, a bucket, a prefix and a region, and a key with its secret", async () => {
    expect(await refused({ bucket: "b" })).toContain("config.endpoint")
    expect(await refused({ endpoint })).toContain("config.bucket")
    expect(await refused({ endpoint, bucket: "a/b" })).toContain("config.bucket")
    expect(await refused({ endpoint, bucket: ".." })).toContain("config.bucket")
    expect(await refused({ endpoint, bucket: "b", region: "a b" })).toContain("config.region")
    expect(await refused({ endpoint, bucket: "b", key: "x" })).toContain("config.key")
    expect(await refused({ endpoint, bucket: "b" }, { access_key_id: "a" })).toContain("credentials.secret_access_key")
  })
})

function serve(answer: (request: Request) => Response) {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: answer })
  return { endpoint: `http://127.0.0.1:${server.port}`, [Symbol.asyncDispose]: () => server.stop(true) }
}

const listing = (body: string) =>
  new Response(`<?xml version="1.0"?><ListBucketResult>${body}</ListBucketResult>`, {
    headers: { "content-type": "application/xml" },
  })
