/** What comes of an object storage that hangs, cuts or refuses, seen at a stand-in. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { writeCertificates } from "../../../scripts/cluster/certificates.ts"
import { EngineError } from "../../../src/errors.ts"
import { setLogLevel } from "../../../src/log.ts"
import { type Asked, type Fault, StandIn } from "../../support/object-storage.ts"
import { bytesOf, conformance, content, expectNothingOf, piecesOf } from "./conformance.ts"
import { addressIn, openPlace } from "./places.ts"

setLogLevel("error")

/** Longest time until what hangs is given up. */
const GIVEN_UP_MS = 15_000
const TIMEOUT_MS = 60_000

let standIn: StandIn
let blobs: Awaited<ReturnType<typeof openPlace>>
beforeEach(async () => {
  standIn = await StandIn.start()
  blobs = await openPlace(addressOf(standIn))
})
afterEach(() => standIn[Symbol.asyncDispose]())

const addressOf = ({ endpoint }: StandIn) =>
  addressIn(`s3://key:secret@bucket/place?endpoint=${encodeURIComponent(endpoint)}`)

const isPart = ({ method, query }: Asked) => method === "PUT" && query.has("partNumber")
const isBeginning = ({ method, query }: Asked) => method === "POST" && query.has("uploads")
const isRead = ({ method, key }: Asked) => method === "GET" && key.includes("/blobs/")
const isCompletion = ({ method, query }: Asked) => method === "POST" && query.has("uploadId")
const isPut = ({ method, query }: Asked) => method === "PUT" && !query.has("partNumber")

/** The fault for the first so many that match. */
function first(count: number, matches: (asked: Asked) => boolean, fault: Fault) {
  let left = count
  return (asked: Asked) => (matches(asked) && left-- > 0 ? fault : undefined)
}

const always = (matches: (asked: Asked) => boolean, fault: Fault) => first(Number.POSITIVE_INFINITY, matches, fault)

/** Nothing of it lies at the stand-in. */
function expectNothing(): void {
  expect([...standIn.objects.keys()]).toEqual([])
  expect([...standIn.uploads.keys()]).toEqual([])
}

async function timed(work: Promise<unknown>): Promise<{ error: unknown; ms: number }> {
  const since = performance.now()
  const error = await work.then(
    () => undefined,
    error => error,
  )
  return { error, ms: performance.now() - since }
}

const SLOW_DOWN = { status: 503, code: "SlowDown" }
const INTERNAL = { status: 500, code: "InternalError" }

describe("the stand-in is an object storage:", () => conformance(() => blobs))

describe("passing faults are not seen:", () => {
  const faults: [string, Fault][] = [
    ["503 SlowDown", SLOW_DOWN],
    ["500", INTERNAL],
    ["a cut", "cut"],
    ["400 RequestTimeout", { status: 400, code: "RequestTimeout" }],
  ]
  const places: [string, (asked: Asked) => boolean, number][] = [
    ["a part", isPart, 20_000_000],
    ["the beginning of an upload in parts", isBeginning, 20_000_000],
    ["its completion", isCompletion, 20_000_000],
    ["a single request", isPut, 1_000],
    ["a read", isRead, 20_000_000],
    ["a look", ({ method }) => method === "HEAD", 1_000],
  ]
  for (const [fault, answer] of faults)
    for (const [place, matches, size] of places) {
      if (place === "a look" && fault.startsWith("400")) continue // an answer without a body names no error
      test(`${fault} at ${place}`, async () => {
        standIn.fault = first(2, matches, answer)
        await blobs.write("file_1", piecesOf(content(size)), 1e9)
        const found = (await blobs.findOriginal("file_1"))!
        expect((await bytesOf(found)).equals(content(size))).toBe(true)
        expect([...standIn.objects.keys()]).toEqual(["place/blobs/_1/file_1"])
      })
    }

  test("the answer to a completion that got lost", async () => {
    standIn.lateFault = first(1, isCompletion, "cut")
    await blobs.write("file_1", piecesOf(content(20_000_000)), 1e9)
    expect((await blobs.findOriginal("file_1"))?.size).toBe(20_000_000)
  })
})

describe("lasting faults end an upload, told as the store's, and leave nothing:", () => {
  const faults: [string, Fault, boolean][] = [
    ["503 SlowDown", SLOW_DOWN, false],
    ["500, as from a disk without room", INTERNAL, false],
    ["a cut", "cut", false],
    ["403", { status: 403, code: "AccessDenied" }, true],
  ]
  for (const [fault, answer, answered] of faults)
    for (const [place, matches, size] of [
      ["the third part", (asked: Asked) => isPart(asked) && asked.query.get("partNumber") === "3", 40_000_000],
      ["the completion", isCompletion, 20_000_000],
      ["a single request", isPut, 1_000],
    ] as const)
      test(`${fault} at ${place}`, async () => {
        standIn.fault = always(matches, answer)
        const { error } = await timed(blobs.write("file_1", piecesOf(content(size)), 1e9))
        expect(error).toBeInstanceOf(EngineError)
        expect((error as EngineError).engine).toBe("blobs")
        expect((error as EngineError).answered).toBe(answered)
        expectNothing()
        await expectNothingOf(blobs, "file_1")
      })

  test("marks of parts that are not those of the bytes", async () => {
    standIn.etagOf = () => '"wrong"'
    const { error } = await timed(blobs.write("file_1", piecesOf(content(20_000_000)), 1e9))
    expect(String(error)).toContain("InvalidPart")
    expectNothing()
  })

  test("a beginning whose answer was never seen", async () => {
    standIn.lateFault = always(isBeginning, "cut")
    const { error } = await timed(blobs.write("file_1", piecesOf(content(20_000_000)), 1e9))
    expect(error).toBeInstanceOf(EngineError)
    expectNothing()
  })

  test("a request that is stored though its answer was never seen", async () => {
    standIn.lateFault = always(isPut, "cut")
    const { error } = await timed(blobs.write("file_1", piecesOf(content(1_000)), 1e9))
    expect(error).toBeInstanceOf(EngineError)
    expectNothing()
  })
})

test(
  `a store that hangs is given up within ${GIVEN_UP_MS} ms, whatever is asked of it, and keeps nothing`,
  async () => {
    const write = (size: number) => (own: typeof blobs) => own.write("file_2", piecesOf(content(size)), 1e9)
    const read = async (own: typeof blobs) => bytesOf((await own.findOriginal("file_1"))!)
    const cases: [(asked: Asked) => boolean, (own: typeof blobs) => Promise<unknown>][] = [
      [isPart, write(9_000_000)],
      [isPut, write(9)],
      [({ key }) => key.includes("file_2"), write(9_000_000)],
      [isRead, read],
      [() => true, own => own.findOriginal("file_1")],
      [() => true, own => own.prove("clus_1")],
      [() => true, own => own.ask()],
    ]
    const ends = cases.map(async ([matches, work]) => {
      await using own = await StandIn.start()
      const hanging = await openPlace(addressOf(own))
      await hanging.write("file_1", piecesOf(content(9)), 1e9)
      own.fault = always(matches, "hang")
      return { ...(await timed(work(hanging))), left: own.objects.size + own.uploads.size }
    })
    for (const { error, ms, left } of await Promise.all(ends)) {
      expect(String(error)).toContain("no answer within")
      expect(ms).toBeLessThan(GIVEN_UP_MS)
      expect(left).toBe(1)
    }
  },
  TIMEOUT_MS,
)

describe("what is given up ends at once:", () => {
  test("an upload at a part that hangs, with its signal", async () => {
    standIn.fault = always(isPart, "hang")
    const stop = new AbortController()
    const upload = timed(blobs.write("file_1", piecesOf(content(20_000_000)), 1e9, stop.signal))
    while (!standIn.asked.some(isPart)) await Bun.sleep(5)
    stop.abort(new Error("the client went away"))
    expect(String((await upload).error)).toContain("the client went away")
    expectNothing()
  })

  test.each([
    ["beginning", isBeginning, 20_000_000],
    ["completion", isCompletion, 20_000_000],
    ["single request", isPut, 1_000],
  ] as const)("an upload whose %s is on its way, with its signal", async (_, matches, size) => {
    const stop = new AbortController()
    standIn.fault = asked => {
      if (matches(asked)) stop.abort(new Error("the client went away"))
      return undefined
    }
    standIn.lateFault = async asked => {
      if (!matches(asked)) return
      await Bun.sleep(100)
    }
    const { error } = await timed(blobs.write("file_1", piecesOf(content(size)), 1e9, stop.signal))
    expect(String(error)).toContain("the client went away")
    await Bun.sleep(200)
    expectNothing()
  })

  test("a read at a piece that hangs, with its signal", async () => {
    await blobs.write("file_1", piecesOf(content(20_000_000)), 1e9)
    const stop = new AbortController()
    const found = (await blobs.findOriginal("file_1"))!
    const stream = await found.stream(undefined, stop.signal)
    standIn.fault = always(isRead, "hang")
    const reading = timed(new Response(stream).arrayBuffer())
    await Bun.sleep(50)
    stop.abort(new Error("the client went away"))
    expect(String((await reading).error)).toContain("the client went away")
  })

  test("a copy that nobody waits for any more, and not one that others wait for", async () => {
    await blobs.write("file_1", piecesOf(content(20_000_000)), 1e9)
    const found = (await blobs.findOriginal("file_1"))!
    const reads = () => standIn.asked.filter(isRead).length
    let release: (() => void) | undefined
    standIn.fault = asked => (isRead(asked) && !release ? "hang" : undefined)
    const stop = new AbortController()
    const alone = timed(found.local(stop.signal))
    while (reads() === 0) await Bun.sleep(5)
    stop.abort(new Error("no more"))
    expect(String((await alone).error)).toContain("no more")
    release = () => {}
    const other = new AbortController()
    const [left, stayed] = [timed(found.local(other.signal)), found.local()]
    other.abort(new Error("no more"))
    expect(String((await left).error)).toContain("no more")
    await using local = await stayed
    expect((await Bun.file(local.path).bytes()).byteLength).toBe(20_000_000)
  })
})

test("a text that another worker stored stays where storing it again fails", async () => {
  const temporary = join(blobs.temporaryDirectory, "text")
  for (const text of ["short", "long ".repeat(4_000_000)]) {
    await blobs.writeText("file_1", 1, text)
    standIn.fault = always(({ method }) => method === "PUT", INTERNAL)
    writeFileSync(temporary, text)
    await expect(blobs.moveText("file_1", 1, temporary)).rejects.toBeInstanceOf(EngineError)
    standIn.fault = () => undefined
    expect((await bytesOf((await blobs.findText("file_1", 1))!)).toString()).toBe(text)
    expect(standIn.uploads.size).toBe(0)
  }
})

test("readers that want the same at a time share one copy", async () => {
  await blobs.write("file_1", piecesOf(content(20_000_000)), 1e9)
  const found = (await blobs.findOriginal("file_1"))!
  const copies = await Promise.all(Array.from({ length: 10 }, () => found.local()))
  expect(new Set(copies.map(({ path }) => path)).size).toBe(1)
  expect(standIn.asked.filter(isRead)).toHaveLength(5)
  for (const copy of copies) await copy[Symbol.asyncDispose]()
})

test("a download whose reader sleeps asks for nothing meanwhile, and goes on where it was", async () => {
  await blobs.write("file_1", piecesOf(content(50_000_000)), 1e9)
  const found = (await blobs.findOriginal("file_1"))!
  const reader = (await found.stream()).getReader()
  const parts = [(await reader.read()).value!]
  await Bun.sleep(200)
  expect(standIn.asked.filter(isRead).length).toBeLessThanOrEqual(2)
  for (let next = await reader.read(); !next.done; next = await reader.read()) parts.push(next.value)
  expect(Buffer.concat(parts).equals(content(50_000_000))).toBe(true)
})

test("an object that is changed or cut while it is read is no answer", async () => {
  await blobs.write("file_1", piecesOf(content(20_000_000)), 1e9)
  const found = (await blobs.findOriginal("file_1"))!
  const changed = await found.stream()
  await blobs.write("file_1", piecesOf(content(20_000_000).reverse()), 1e9)
  await expect(new Response(changed).arrayBuffer()).rejects.toThrow("was changed while it was read")
  const cut = (await blobs.findOriginal("file_1"))!
  await blobs.write("file_1", piecesOf(content(5_000_000)), 1e9)
  await expect(bytesOf(cut)).rejects.toThrow("shorter than it was")
})

test("a bucket that is gone is the store's trouble, and not a file that is missing", async () => {
  standIn.fault = ({ key }) => (key === "" ? { status: 404, code: "NoSuchBucket" } : undefined)
  expect(blobs.findOriginal("file_1")).rejects.toBeInstanceOf(EngineError)
})

test("removals of a store that does not answer are left to the sweep", async () => {
  standIn.fault = () => "hang"
  const { error, ms } = await timed(Promise.all([blobs.remove("file_1"), blobs.removeText("file_1", 1)]))
  expect(error).toBeUndefined()
  expect(ms).toBeLessThan(GIVEN_UP_MS)
  const since = standIn.asked.length
  for (let i = 0; i < 100; i++) await blobs.remove(`file_${i}`)
  expect(standIn.asked.length).toBe(since)
})

describe("a right that is missing is named, and nothing is left behind:", () => {
  const rights: [string, (asked: Asked) => boolean][] = [
    ["list (s3:ListBucket)", ({ method, key, query }) => method === "GET" && key === "" && !query.has("uploads")],
    ["delete (s3:DeleteObject)", ({ method, query }) => method === "DELETE" && !query.has("uploadId")],
    ["end uploads (s3:AbortMultipartUpload)", ({ method, query }) => method === "DELETE" && query.has("uploadId")],
    ["write (s3:PutObject)", isPut],
    ["read (s3:GetObject)", ({ method, key }) => method === "GET" && key !== ""],
    ["upload in parts (s3:PutObject)", ({ method, query }) => method === "POST" && query.has("uploads")],
    ["list uploads (s3:ListBucketMultipartUploads)", ({ method, query }) => method === "GET" && query.has("uploads")],
  ]
  for (const [right, matches] of rights)
    test(right, async () => {
      standIn.fault = always(matches, { status: 403, code: "AccessDenied" })
      const { error } = await timed(blobs.prove("clus_1"))
      expect(error).toMatchObject({
        name: "OperatorError",
        message: `the blob storage: it does not let these credentials ${right} in the bucket bucket`,
      })
      expectNothing()
    })

  test("another region", async () => {
    standIn.fault = () => ({ status: 301, code: "PermanentRedirect", headers: { location: "http://127.0.0.1:1/" } })
    expect(blobs.prove("clus_1")).rejects.toThrow("is not in the region us-east-1")
  })
})

test("a redirect is not followed: credentials stay with the server that was named", async () => {
  await using other = await StandIn.start()
  const headers = { location: `${other.endpoint}/bucket/place/blobs/_1/file_1` }
  standIn.fault = () => ({ status: 307, code: "TemporaryRedirect", headers })
  await expect(blobs.findOriginal("file_1")).rejects.toBeInstanceOf(EngineError)
  expect(other.asked).toEqual([])
})

test("a server is spoken to whose certificate the named authority signed, and no other", async () => {
  const folder = mkdtempSync(join(tmpdir(), "carrel-certificates-"))
  try {
    await writeCertificates(folder, "127.0.0.1")
    const pem = (name: string) => readFileSync(join(folder, name), "utf8")
    await using own = await StandIn.start({ key: pem("node.key"), cert: pem("node.pem") })
    const known = await openPlace({ ...addressOf(own), ca: pem("ca.pem") })
    await known.prove("clus_1")
    await known.write("file_1", piecesOf(content(20_000_000)), 1e9)
    expect((await bytesOf((await known.findOriginal("file_1"))!)).equals(content(20_000_000))).toBe(true)
    const stranger = await openPlace(addressOf(own))
    await expect(stranger.findOriginal("file_1")).rejects.toThrow(/certificate/i)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test("credentials of a file are those of its section default, and are read again", async () => {
  const folder = mkdtempSync(join(tmpdir(), "carrel-credentials-"))
  try {
    const file = join(folder, "credentials")
    writeFileSync(
      file,
      "[other]\naws_access_key_id = no\n\n[default]\naws_access_key_id=key\naws_secret_access_key = secret\n",
    )
    const own = await openPlace({ ...addressOf(standIn), credentials: { file } })
    await own.prove("clus_1")
    const lacking = await openPlace({ ...addressOf(standIn), credentials: { file: join(folder, "none") } })
    expect(lacking.prove("clus_1")).rejects.toThrow("cannot be read (ENOENT)")
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
