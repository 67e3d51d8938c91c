/** What no file refers to is swept, and where several machines share a store, only what is a day old. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test"
import { utimesSync } from "node:fs"
import { sweepFiles, sweepSharedFiles } from "../../src/library/sweep.ts"
import { setLogLevel } from "../../src/log.ts"
import { DiskBlobs } from "../../src/storage/blobs/disk.ts"
import { TestLibrary } from "../search/library.ts"
import { content, piecesOf } from "../storage/blobs/conformance.ts"
import { addressIn, openPlace } from "../storage/blobs/places.ts"
import { StandIn } from "../support/object-storage.ts"
import { pictureRow } from "../support/pictures.ts"

setLogLevel("error")
const DAY_MS = 24 * 60 * 60 * 1000

let library: TestLibrary
beforeAll(async () => {
  library = await TestLibrary.open()
  await library.register("file_kept", { type: "txt" })
  await library.db
    .updateTable("files")
    .set({ blob: "file_kept_b", live_blob: "file_kept_a", generation: 3, live_generation: 2 })
    .where("id", "=", "file_kept")
    .execute()
})
afterAll(() => library.close())

const BLOBS = ["file_kept_a", "file_kept_b", "file_lost_a"]
const TEXTS = [
  ["file_kept", 1],
  ["file_kept", 2],
  ["file_kept", 3],
  ["file_lost", 1],
] as const

let disk: DiskBlobs
let standIn: StandIn
let shared: Awaited<ReturnType<typeof openPlace>>
beforeEach(async () => {
  disk = new DiskBlobs(library.directory)
  standIn = await StandIn.start()
  shared = await openPlace(addressIn(`s3://key:secret@bucket?endpoint=${encodeURIComponent(standIn.endpoint)}`))
  for (const blobs of [disk, shared]) {
    for (const blob of BLOBS) await blobs.write(blob, piecesOf(content(9)), 100)
    for (const [id, generation] of TEXTS) await blobs.writeText(id, generation, "text")
  }
})

const left = async (blobs: DiskBlobs | typeof shared): Promise<string[]> =>
  [...(await Array.fromAsync(blobs.list("blobs"))), ...(await Array.fromAsync(blobs.list("texts")))]
    .flat()
    .map(({ name }) => name)
    .sort()

const KEPT = ["file_kept.2.txt", "file_kept.3.txt", "file_kept_a", "file_kept_b"]

test("on one machine all that was there before and that no file names goes, with the versions that nobody sees", async () => {
  expect(await sweepFiles(library.db, disk, Date.now() + 60_000)).toBe(3)
  expect(await left(disk)).toEqual(KEPT)
})

test("what came later stays: its row may be yet to come", async () => {
  utimesSync(disk.path("file_lost_a"), new Date(), new Date(Date.now() - DAY_MS))
  expect(await sweepFiles(library.db, disk, Date.now() - DAY_MS / 2)).toBe(1)
  expect(await left(disk)).toEqual([...KEPT, "file_kept.1.txt", "file_lost.1.txt"].sort())
})

test("in a shared store what is younger than a day by the store's clock stays, and what is older goes", async () => {
  const key = "blobs/_a/file_dead_a"
  standIn.uploads.set("old", { key, parts: new Map(), at: new Date(Date.now() - DAY_MS - 60_000) })
  standIn.uploads.set("new", { key, parts: new Map(), at: new Date(Date.now() - DAY_MS + 60_000) })
  expect(await sweepSharedFiles(library.db, shared)).toBe(1)
  expect([...standIn.uploads.keys()]).toEqual(["new"])
  expect(await left(shared)).toHaveLength(BLOBS.length + TEXTS.length)
  for (const stored of standIn.objects.values()) stored.at = new Date(Date.now() - DAY_MS - 60_000)
  await shared.write("file_new_a", piecesOf(content(9)), 100)
  expect(await sweepSharedFiles(library.db, shared)).toBe(3)
  expect(await left(shared)).toEqual([...KEPT, "file_new_a"])
})

test("pictures of messages stay as long as their messages do", async () => {
  await disk.write("img_kept_a", piecesOf(content(9)), 100)
  await pictureRow(library.db, { id: "img_1", blob: "img_kept_a", size: 9, sha256: "" })
  await sweepFiles(library.db, disk, Date.now() + 60_000)
  expect(await left(disk)).toContain("img_kept_a")
  await library.db.deleteFrom("conversations").where("id", "=", "conv_img_1").execute()
  await sweepFiles(library.db, disk, Date.now() + 60_000)
  expect(await left(disk)).not.toContain("img_kept_a")
})

test("a sweep that is aborted ends, and removes no more", async () => {
  const stop = new AbortController()
  stop.abort()
  expect(await sweepFiles(library.db, shared, Number.POSITIVE_INFINITY, stop.signal)).toBe(0)
  expect(await left(shared)).toHaveLength(BLOBS.length + TEXTS.length)
})
