/** Stored bytes on their way from one machine's disk to an object storage and back: all of them, once, and as they were. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import { createHash } from "node:crypto"
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { copyBlobs } from "../../src/commands/move/blobs.ts"
import { setLogLevel } from "../../src/log.ts"
import type { Blobs } from "../../src/storage/blobs/blobs.ts"
import { DiskBlobs } from "../../src/storage/blobs/disk.ts"
import { TestLibrary } from "../search/library.ts"
import { bytesOf, content, piecesOf } from "../storage/blobs/conformance.ts"
import { addressIn, openPlace } from "../storage/blobs/places.ts"
import { StandIn } from "../support/object-storage.ts"
import { pictureRow } from "../support/pictures.ts"

setLogLevel("error")
/** More than are read from the database at a time. */
const FILES = 600
const ALL = FILES + FILES / 5 + FILES / 3
/** In several parts, or pieces. */
const LARGE_BYTES = 20_000_000

let library: TestLibrary
let disk: DiskBlobs
let target: string
let standIn: StandIn
let shared: Awaited<ReturnType<typeof openPlace>>

beforeEach(async () => {
  library = await TestLibrary.open()
  disk = new DiskBlobs(library.directory)
  target = mkdtempSync(join(tmpdir(), "carrel-move-"))
  standIn = await StandIn.start()
  shared = await openPlace(addressIn(`s3://key:secret@bucket/moved?endpoint=${encodeURIComponent(standIn.endpoint)}`))
  for (let i = 0; i < FILES; i++) await store(`file_${String(i).padStart(5, "0")}`, i === 7 ? LARGE_BYTES : i + 1)
})
afterEach(async () => {
  await library.close()
  await standIn[Symbol.asyncDispose]()
  rmSync(target, { recursive: true, force: true })
})

const between = (from: Blobs, to: Blobs) =>
  [
    { database: library.db, blobs: from },
    { database: library.db, blobs: to },
  ] as const

const textOf = (id: string) => `the text of ${id}: Größe 中文`

/** Every third has a text, every fifth a version that is found while a newer one is yet to be read. */
async function store(id: string, size: number): Promise<void> {
  const number = Number(id.slice(5))
  const { blob, sha256 } = await disk.write(`${id}_b`, piecesOf(content(size)), 1e9)
  await library.register(id, { type: "txt" })
  const hasText = number % 3 === 0
  const isReplaced = number % 5 === 0
  if (hasText) await disk.writeText(id, 4, textOf(id))
  if (isReplaced) await disk.write(`${id}_a`, piecesOf(content(number + 2)), 1e9)
  await library.db
    .updateTable("files")
    .set({
      blob,
      size,
      sha256,
      generation: 5,
      live_generation: hasText ? 4 : null,
      live_blob: isReplaced ? `${id}_a` : null,
      character_count: hasText ? textOf(id).length : null,
    })
    .where("id", "=", id)
    .execute()
}

async function everythingIn(blobs: Blobs): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")
  for await (const page of blobs.list("blobs"))
    for (const { name } of page) found.set(name, sha256(await bytesOf((await blobs.findOriginal(name))!)))
  for await (const page of blobs.list("texts"))
    for (const { name } of page) {
      const [id, generation, kind] = name.split(".")
      const stored =
        kind === "pages" ? blobs.findLayout(id!, Number(generation)) : blobs.findText(id!, Number(generation))
      found.set(name, sha256(await bytesOf((await stored)!)))
    }
  return new Map([...found].sort())
}

test("from the disk to an object storage and back to a disk, all is as it was, and the progress ends at its end", async () => {
  const told: [number, number][] = []
  const moved = await copyBlobs(...between(disk, shared), { on: (done, total) => void told.push([done, total]) })
  expect(moved).toBe(ALL)
  expect(told[0]![0]).toBe(0)
  expect(told.map(([done]) => done)).toEqual(told.map(([done]) => done).toSorted((a, b) => a - b))
  expect(told.at(-1)![0]).toBe(told.at(-1)![1])
  const back = new DiskBlobs(target)
  expect(await copyBlobs(...between(shared, back))).toBe(ALL)
  const before = await everythingIn(disk)
  expect(before.size).toBe(ALL)
  expect(await everythingIn(back)).toEqual(before)
  for (const { temporaryDirectory } of [disk, shared, back]) expect(readdirSync(temporaryDirectory)).toEqual([])
}, 120_000)

test("what batches read and write goes along", async () => {
  const { id: workspace_id } = await library.db.selectFrom("workspaces").select("id").executeTakeFirstOrThrow()
  for (const name of ["file_00003x", "file_zzzzz"]) {
    const stored = await disk.write(`${name}_b`, piecesOf(content(300)), 1e9)
    const told = { name: "in.jsonl", purpose: "batch", created_at: new Date().toISOString() }
    const owner = { owner_type: null, owner_id: null, maker: null, end_user: null }
    await library.db
      .insertInto("batch_files")
      .values({ id: name, workspace_id, ...told, ...stored, ...owner })
      .execute()
  }
  expect(await copyBlobs(...between(disk, shared))).toBe(ALL + 2)
  expect(await everythingIn(shared)).toEqual(await everythingIn(disk))
}, 120_000)

test("pictures of messages go along", async () => {
  const { size, sha256, blob } = await disk.write("img_0_b", piecesOf(content(300)), 1e9)
  await pictureRow(library.db, { id: "img_0", blob, size, sha256 })
  await copyBlobs(...between(disk, shared))
  expect([...(await everythingIn(shared)).keys()].some(name => name.includes("img_0_b"))).toBe(true)
}, 120_000)

test("a move that ended amid its files goes on where it was", async () => {
  let puts = 0
  standIn.fault = ({ method }) => (method === "PUT" && ++puts > 400 ? { status: 403, code: "AccessDenied" } : undefined)
  await expect(copyBlobs(...between(disk, shared))).rejects.toThrow("AccessDenied")
  expect(standIn.objects.size).toBeGreaterThan(300)
  const there = standIn.objects.size
  standIn.fault = () => undefined
  const before = standIn.asked.filter(({ method }) => method === "PUT").length
  const moved = await copyBlobs(...between(disk, shared))
  expect(moved).toBe(ALL)
  expect(standIn.asked.filter(({ method }) => method === "PUT").length - before).toBeLessThanOrEqual(ALL - there + 2)
  expect(standIn.objects.size).toBe(ALL)
  const asked = standIn.asked.length
  expect(await copyBlobs(...between(disk, shared))).toBe(ALL)
  expect(standIn.asked.slice(asked).filter(({ method }) => method !== "HEAD")).toEqual([])
}, 120_000)

test("a move that is aborted ends at once and leaves nothing half done", async () => {
  const stop = new AbortController()
  standIn.fault = ({ query }) => {
    if (query.get("partNumber") !== "2") return undefined
    stop.abort(new Error("enough"))
    return "hang"
  }
  await expect(copyBlobs(...between(disk, shared), { signal: stop.signal })).rejects.toThrow("enough")
  expect(standIn.uploads.size).toBe(0)
  expect([...standIn.objects.keys()].filter(key => key.endsWith("file_00007_b"))).toEqual([])
  expect(readdirSync(shared.temporaryDirectory)).toEqual([])
})

test("an original that is not what was uploaded ends the move by its name, each time, and never arrives", async () => {
  writeFileSync(disk.path("file_00002_b"), "xyz")
  for (let i = 0; i < 2; i++)
    await expect(copyBlobs(...between(disk, shared))).rejects.toThrow("file_00002_b is not what was uploaded")
  expect(await shared.findOriginal("file_00002_b")).toBeUndefined()
  writeFileSync(disk.path("file_00002_b"), "longer than it was")
  await expect(copyBlobs(...between(disk, shared))).rejects.toThrow("file_00002_b is not what was uploaded")
})

test("the layout of a file's pages is moved with its text", async () => {
  const moved = join(disk.temporaryDirectory, "layout")
  writeFileSync(moved, "[]\n")
  await disk.moveLayout("file_00003", 4, moved)
  expect(await copyBlobs(...between(disk, shared))).toBe(ALL)
  expect((await bytesOf((await shared.findLayout("file_00003", 4))!)).toString()).toBe("[]\n")
  expect(await shared.findLayout("file_00006", 4)).toBeUndefined()
})

test("originals and texts that the source has lost are left out", async () => {
  await disk.remove("file_00001_b")
  await disk.removeText("file_00003", 4)
  expect(await copyBlobs(...between(disk, shared))).toBe(ALL - 2)
})
