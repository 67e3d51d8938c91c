/** Words of pages that were read by text recognition, where they stand in the picture: the cut-out of a mark is read again. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Ocr } from "../../../src/ingest/formats/ocr/ocr.ts"
import type { PageBox } from "../../../src/ingest/pages/page.ts"
import { type Client, startTestApp, type TestApp } from "../../support/app.ts"
import { type ReadPng, readPng } from "./png.ts"

const FIXTURES = join(import.meta.dir, "../../fixtures/documents")
const ocr = new Ocr()

let app: TestApp
let client: Client

beforeAll(async () => {
  app = await startTestApp()
  client = await app.client()
}, 60_000)
afterAll(() => app.stop())

/** A part of a picture, with white around it, as a PGM file. */
function cutOut({ width, height, samples, pixels }: ReadPng, box: PageBox): Uint8Array {
  const [left, top] = [Math.floor(box.x * width), Math.floor(box.y * height)]
  const [right, bottom] = [Math.ceil((box.x + box.width) * width), Math.ceil((box.y + box.height) * height)]
  const margin = 30
  const [wide, high] = [right - left + 2 * margin, bottom - top + 2 * margin]
  const grey = new Uint8Array(wide * high).fill(255)
  for (let y = top; y < bottom; y++)
    for (let x = left; x < right; x++)
      grey[(y - top + margin) * wide + x - left + margin] = pixels[(y * width + x) * samples]!
  return Buffer.concat([Buffer.from(`P5 ${wide} ${high} 255\n`), grey])
}

const words = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []

async function indexed(name: string, data: Uint8Array) {
  const [record] = await client.index([{ name, data }])
  expect(record).toMatchObject({ status: "searchable" })
  const { body: whole } = await client.get(`/libraries/${record.id}/text`)
  const { body: pages } = await client.get(`/libraries/${record.id}/pages`)
  const { page } = pages.find(({ ocr: isScan }: { ocr: boolean }) => isScan)
  const text = whole.slice(whole.length - pages.at(page - 1).characters) // the last one
  const drawn = await client.raw("GET", `/libraries/${record.id}/pages/${page}.png?width=2400`)
  const picture = readPng(await drawn.bytes())
  const marks = async (start: number, end: number): Promise<PageBox[]> =>
    (
      await client.get(
        `/libraries/${record.id}/pages/${page}/marks?start=${whole.length - text.length + start}&end=${whole.length - text.length + end}`,
      )
    ).body
  return { record, text: text as string, picture, marks }
}

describe("a phrase of a scan", () => {
  test.each(["scan.pdf", "lease.png", "lease.webp", "lease.jpg"])(
    "of %s is marked line by line, in whole words",
    async name => {
      const { text, picture, marks } = await indexed(name, readFileSync(join(FIXTURES, name)))
      const lines = text.split("\n").filter(line => words(line).length > 2)
      expect(lines.length).toBeGreaterThan(1)
      let [there, asked] = [0, 0]
      for (const line of lines) {
        const start = text.indexOf(line)
        const boxes = await marks(start, start + line.length)
        expect(boxes).toHaveLength(1)
        const read = words((await ocr.recognize(cutOut(picture, boxes[0]!))).text)
        asked += words(line).length
        there += words(line).filter(word => read.includes(word)).length
      }
      expect(there / asked).toBeGreaterThan(0.8)
      // Of one letter within a word the whole word.
      const word = words(lines[0]!)[1]!
      const at = text.toLowerCase().indexOf(word)
      expect(await marks(at + 1, at + 2)).toEqual(await marks(at, at + word.length))
    },
    120_000,
  )
})
