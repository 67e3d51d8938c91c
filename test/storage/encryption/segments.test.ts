/** The format of encrypted files: any range is the clear one, and whatever was done to the bytes is an error. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DiskBlobs } from "../../../src/storage/blobs/disk.ts"
import type { Database } from "../../../src/storage/database.ts"
import { keyringOf } from "../../../src/storage/encryption/keyring.ts"
import { SealedBlobs } from "../../../src/storage/encryption/sealed-blobs.ts"
import { unlock } from "../../../src/storage/encryption/unlock.ts"
import { openSqlite } from "../../../src/storage/sqlite/open.ts"
import { rejection } from "../../support/rejection.ts"
import { bytesOf, content, piecesOf } from "../blobs/conformance.ts"

const SEGMENT = 65_536
const HEADER = 64
const STORED = SEGMENT + 16
const directory = mkdtempSync(join(tmpdir(), "carrel-segments-"))
const disk = new DiskBlobs(directory)
let database: Database
let blobs: SealedBlobs

beforeAll(async () => {
  const keyFile = join(directory, "key")
  writeFileSync(keyFile, "ab".repeat(32), { mode: 0o600 })
  database = await unlock(await openSqlite(directory), keyFile)
  for (const id of ["ws_a", "ws_b"])
    await database.insertInto("workspaces").values({ id, name: id, created_at: new Date().toISOString() }).execute()
  blobs = new SealedBlobs(disk, keyringOf(database))
})
afterAll(async () => {
  await database.destroy()
  rmSync(directory, { recursive: true, force: true })
})

const write = (name: string, bytes: Buffer, workspace = "ws_a") => blobs.of(workspace).write(name, piecesOf(bytes), 1e9)
const read = async (name: string, range?: { start: number; end: number }) =>
  bytesOf((await blobs.findOriginal(name))!, range)

test("ranges at every edge of the segments are those of the clear bytes", async () => {
  for (const size of [1, SEGMENT - 1, SEGMENT, SEGMENT + 1, 3 * SEGMENT, 3 * SEGMENT + 7]) {
    const bytes = content(size)
    const name = `file_edges_${size}`
    expect((await write(name, bytes)).size).toBe(size)
    expect((await blobs.findOriginal(name))!.size).toBe(size)
    const edges = [0, 1, SEGMENT - 1, SEGMENT, SEGMENT + 1, 2 * SEGMENT - 1, 2 * SEGMENT, size - 1, size, size + 9]
    for (const start of edges)
      for (const end of edges)
        if (start <= end) expect((await read(name, { start, end })).equals(bytes.subarray(start, end))).toBe(true)
  }
})

test("bytes that were changed, cut, moved or taken from elsewhere are an error, and never another clear text", async () => {
  const name = "file_damaged"
  const bytes = content(3 * SEGMENT + 100)
  await write(name, bytes)
  const path = disk.path(name)
  const whole = readFileSync(path)
  const segment = (n: number) => whole.subarray(HEADER + n * STORED, HEADER + (n + 1) * STORED)
  const damaged: Record<string, Buffer> = {
    "cut by a byte": whole.subarray(0, -1),
    "cut at a segment": whole.subarray(0, HEADER + 2 * STORED),
    "cut to its header": whole.subarray(0, HEADER),
    "cut within its header": whole.subarray(0, 20),
    "without its first segment": Buffer.concat([whole.subarray(0, HEADER), whole.subarray(HEADER + STORED)]),
    "with two segments swapped": Buffer.concat([whole.subarray(0, HEADER), ...[1, 0, 2, 3].map(segment)]),
    "with a segment twice": Buffer.concat([whole.subarray(0, HEADER), ...[0, 0, 2, 3].map(segment)]),
    "with more behind it": Buffer.concat([whole, segment(0)]),
    "in clear": bytes,
  }
  for (const at of [0, 8, 16, 40, 60, HEADER, HEADER + STORED - 1, HEADER + 2 * STORED, whole.length - 1]) {
    const flipped = Buffer.from(whole)
    flipped[at]! ^= 1
    damaged[`with a bit of byte ${at} flipped`] = flipped
  }
  for (const [how, stored] of Object.entries(damaged)) {
    writeFileSync(path, stored)
    expect({ how, error: String(await rejection(read(name))) }).toEqual({
      how,
      error: expect.stringContaining("DamagedError"),
    })
  }
  writeFileSync(path, whole)
  await write("file_other", bytes)
  writeFileSync(path, readFileSync(disk.path("file_other")))
  expect(String(await rejection(read(name)))).toContain("DamagedError")
})

test("what one workspace has cannot be opened with the key of another", async () => {
  await write("file_mine", content(1_000))
  await write("file_theirs", content(1_000), "ws_b")
  const header = readFileSync(disk.path("file_mine")).toString("hex", 8, 16)
  expect(header).not.toBe(readFileSync(disk.path("file_theirs")).toString("hex", 8, 16))
  const keyring = keyringOf(database)
  const [mine, theirs] = [await keyring.ofWorkspace("ws_a"), await keyring.ofWorkspace("ws_b")]
  expect(mine.id).toBe(header)
  const kept = Buffer.from(mine.key)
  theirs.key.copy(mine.key)
  expect(String(await rejection(read("file_mine")))).toContain("DamagedError")
  kept.copy(mine.key)
  expect((await read("file_mine")).equals(content(1_000))).toBe(true)
})

test("what a workspace had is lost with its key", async () => {
  await write("file_gone", content(1_000), "ws_b")
  await database.deleteFrom("workspaces").where("id", "=", "ws_b").execute()
  keyringOf(database).forget("ws_b")
  expect(String(await rejection(read("file_gone")))).toContain("destroyed")
})
