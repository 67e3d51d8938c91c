/** Pages of files that lie in object storage: one copy on this machine serves a reader for a while. */
import { expect, test } from "bun:test"
import { readdirSync } from "node:fs"
import { Readable } from "node:stream"
import { wholeOf } from "../../../src/access/view.ts"
import { PageReader } from "../../../src/ingest/process/page-reader.ts"
import { Pages } from "../../../src/library/pages.ts"
import { smallPdf } from "../../binary/small-pdf.ts"
import { addressIn, openPlace } from "../../storage/blobs/places.ts"
import { StandIn } from "../../support/object-storage.ts"
import { readPng } from "./png.ts"

test("pages are drawn and marked from one copy of the original, of which nothing is left", async () => {
  await using standIn = await StandIn.start()
  const blobs = await openPlace(
    addressIn(`s3://key:secret@bucket/pages?endpoint=${encodeURIComponent(standIn.endpoint)}`),
  )
  const texts = ["The first page is short", "The second page says more"]
  const { blob } = await blobs.write("file_1_b", Readable.from([smallPdf(texts)]), 1e6)
  await blobs.writeText("file_1", 1, texts.join("\n\n"))
  let copies = 0
  standIn.fault = ({ method, key }) => {
    if (method === "GET" && key?.endsWith(blob)) copies++
    return undefined
  }
  const reader = new PageReader({
    places: 2,
    memoryLimitBytes: 1024 * 2 ** 20,
    makeFile: () => blobs.scratchFile(),
  })
  const version = { id: "file_1", workspaceId: "w", name: "a.pdf", type: "pdf", generation: 1, blob }
  const pages = new Pages({ library: { version: async () => version }, blobs, reader })
  const [view, { signal }] = [wholeOf("w"), new AbortController()]
  try {
    expect((await pages.list(view, "file_1", signal)).map(({ characters }) => characters)).toEqual([23, 25])
    for (const page of [1, 2])
      expect(readPng((await pages.png(view, "file_1", page, { width: 400 }, signal)).bytes).width).toBe(400)
    expect(await pages.marks(view, "file_1", 2, { start: 25, end: 35 }, signal)).toHaveLength(1)
    expect(copies).toBe(1)
  } finally {
    await pages[Symbol.asyncDispose]()
    await reader.stop()
  }
  expect(readdirSync(blobs.temporaryDirectory)).toEqual([])
}, 60_000)
