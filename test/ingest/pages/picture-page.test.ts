/** Pictures of all kinds are shown in their colors. */
import { expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { deflateSync } from "node:zlib"
import { Glob } from "bun"
import type { Pixels } from "../../../src/ingest/pages/page.ts"
import { openPaged } from "../../../src/ingest/pages/paged-document.ts"
import { pngOf } from "../../../src/ingest/pages/png.ts"

const FIXTURES = join(import.meta.dir, "../../fixtures/documents")
const DOCUMENTS = join(import.meta.dir, "../../../../shared/data/documents")

async function shown(bytes: Uint8Array, type: string, width?: number): Promise<Pixels> {
  const page = (await openPaged({ name: `a.${type}`, bytes }, type))!
  return page.draw(0, width ?? page.sizeOf(0)!.width)!
}

const share = ({ pixels }: Pixels, isSo: (red: number, green: number, blue: number) => boolean) => {
  let count = 0
  for (let at = 0; at < pixels.length; at += 3) if (isSo(pixels[at]!, pixels[at + 1]!, pixels[at + 2]!)) count++
  return count / (pixels.length / 3)
}

test("the same page looks alike as PNG, JPEG, GIF and WebP", async () => {
  const types = ["png", "jpg", "jpeg", "gif", "webp"]
  const pages = await Promise.all(types.map(type => shown(readFileSync(join(FIXTURES, `lease.${type}`)), type)))
  const white = pages.map(page => share(page, red => red > 200))
  const black = pages.map(page => share(page, red => red < 60))
  for (const [i, type] of types.entries()) {
    expect([type, Math.abs(white[i]! - white[0]!) < 0.01]).toEqual([type, true])
    expect([type, Math.abs(black[i]! - black[0]!) < 0.01]).toEqual([type, true])
  }
})

const gifs = existsSync(DOCUMENTS) ? [...new Glob("gif/{page,conv}-*.gif").scanSync(DOCUMENTS)].sort() : []
if (gifs.length === 0) console.warn(`skipped: no documents in ${DOCUMENTS}`)

test.each(gifs)("the paper of %s is white: its numbers of colors are not taken for greys", async name => {
  const page = await shown(readFileSync(join(DOCUMENTS, name)), "gif")
  expect(share(page, (red, green, blue) => Math.min(red, green, blue) > 235)).toBeGreaterThan(0.5)
})

test("red, green and blue are themselves, in whatever size", async () => {
  const stripes = new Uint8Array(90 * 30 * 3)
  for (let at = 0; at < 90 * 30; at++) stripes[at * 3 + Math.floor((at % 90) / 30)] = 255
  const png = pngOf({ width: 90, height: 30, pixels: stripes })
  for (const width of [30, 90, 320, 400]) {
    const { pixels, height } = await shown(png, "png", width)
    expect(height).toBe(Math.round(width / 3))
    const row = Math.floor(height / 2) * width
    for (const [i, at] of [1 / 6, 1 / 2, 5 / 6].entries()) {
      const color = pixels.subarray((row + Math.floor(at * width)) * 3).subarray(0, 3)
      expect([...color].map(value => value > 250)).toEqual([0, 1, 2].map(part => part === i))
      expect([...color].filter(value => value < 5)).toHaveLength(2)
    }
  }
})

test("a picture in grey of one, two, four and eight bits keeps black and white", async () => {
  for (const bits of [1, 2, 4, 8]) {
    const bytes = Math.ceil((64 * bits) / 8)
    const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(bytes / 2, 0), Buffer.alloc(bytes / 2, 255)])
    const page = await shown(greyPng(64, bits, Buffer.concat(Array.from({ length: 40 }, () => row))), "png")
    expect([bits, page.pixels[0], page.pixels[63 * 3]]).toEqual([bits, 0, 255])
  }
})

/** Its rows with their filters. */
function greyPng(width: number, bits: number, rows: Buffer): Buffer {
  const file = pngOf({ width, height: 40, pixels: new Uint8Array(width * 40 * 3) })
  const chunk = (name: string, data: Uint8Array) => {
    const body = Buffer.concat([Buffer.from(name), data])
    const ends = Buffer.alloc(8)
    ends.writeUInt32BE(data.length, 0)
    ends.writeUInt32BE(Bun.hash.crc32(body), 4)
    return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)])
  }
  const header = Buffer.from(file.subarray(16, 29))
  header.set([bits, 0], 8)
  return Buffer.concat([
    file.subarray(0, 8),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ])
}
