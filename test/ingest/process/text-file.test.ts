import { afterAll, expect, test } from "bun:test"
import { mkdtempSync, openSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { chunkDocument } from "../../../src/ingest/chunk.ts"
import { TextFile } from "../../../src/ingest/process/text-file.ts"
import { type Block, NOWHERE } from "../../../src/storage/document.ts"

const directory = mkdtempSync(join(tmpdir(), "carrel-text-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** Many pages of letters of one, two, three and four bytes, whose pairs lie at page ends too. */
const PIECES = Array.from(
  { length: 9000 },
  (_, i) => `${i} A line of ficus, ${"–äя中😀".repeat(i % 40)}${i % 7 === 0 ? "\n\n" : "\n"}`,
)
const TEXT = PIECES.join("")

function written(): TextFile {
  const file = new TextFile(openSync(join(directory, "text"), "w+"))
  for (const piece of PIECES) file.write(piece)
  file.flush()
  return file
}

test("any slice and any character of the file are those of the text", () => {
  const file = written()
  expect(file.length).toBe(TEXT.length)
  expect(file.slice(0, TEXT.length + 9)).toBe(TEXT)
  for (let i = 0; i < 3000; i++) {
    const start = Math.floor((i * 7919 * 131) % TEXT.length)
    const end = start + ((i * 31) % 3000)
    if (file.slice(start, end) !== TEXT.slice(start, end)) throw new Error(`${start} to ${end} differs`)
    expect(file.charCodeAt(start)).toBe(TEXT.charCodeAt(start))
  }
  for (const at of [-1, TEXT.length]) expect(file.charCodeAt(at)).toBeNaN()
  expect(file.slice(5, 5)).toBe("")
})

test("one piece as long as many pages is read like many pieces", () => {
  const file = new TextFile(openSync(join(directory, "long"), "w+"))
  file.write(`x${"😀".repeat(600_000)}`)
  file.flush()
  expect(file.slice(262_140, 262_150)).toBe(`x${"😀".repeat(600_000)}`.slice(262_140, 262_150))
})

test("a file is cut exactly like the same text in memory", () => {
  const file = written()
  const blocks: Block[] = []
  for (let start = 0; start < TEXT.length; start += 50_000)
    blocks.push({ kind: "paragraph", start, end: Math.min(TEXT.length, start + 50_000), place: NOWHERE })
  expect(chunkDocument({ text: file, blocks })).toEqual(chunkDocument({ text: TEXT, blocks }))
})
