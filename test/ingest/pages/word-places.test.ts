/** Words stand where the picture shows them, however it had to be turned to be read. */
import { beforeAll, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Ocr } from "../../../src/ingest/formats/ocr/ocr.ts"
import { layoutFile, packWords, parseLayout, placedWords, unpackWords } from "../../../src/ingest/pages/layout.ts"
import type { Pixels, RecognizedWord } from "../../../src/ingest/pages/page.ts"
import { openPaged } from "../../../src/ingest/pages/paged-document.ts"

const LEASE = join(import.meta.dir, "../../fixtures/documents/lease.jpg")
const ocr = new Ocr()
const jpeg = new Uint8Array(readFileSync(LEASE))
let upright: RecognizedWord[]
let picture: Pixels

beforeAll(async () => {
  upright = (await ocr.recognize(jpeg)).words!
  const paged = (await openPaged({ name: "lease.jpg", bytes: jpeg }, "jpg"))!
  picture = paged.draw(0, paged.sizeOf(0)!.width)!
}, 60_000)

type Point = [x: number, y: number]

/** The picture with each of its places at another, and white around it. */
function moved(width: number, height: number, from: (x: number, y: number) => Point): Uint8Array {
  const grey = new Uint8Array(width * height).fill(255)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const [sx, sy] = from(x, y).map(Math.round) as Point
      if (sx >= 0 && sy >= 0 && sx < picture.width && sy < picture.height)
        grey[y * width + x] = picture.pixels[(sy * picture.width + sx) * 3]!
    }
  return Buffer.concat([Buffer.from(`P5 ${width} ${height} 255\n`), grey])
}

/** With the orientation that a camera writes. */
function withOrientation(number: number): Uint8Array {
  const exif = [0x45, 0x78, 0x69, 0x66, 0, 0, 0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1, 1, 18, 0, 3, 0, 0, 0, 1, 0, number]
  const segment = [...exif, 0, 0, 0, 0, 0, 0]
  return Buffer.concat([
    jpeg.subarray(0, 2),
    Buffer.from([0xff, 0xe1, 0, segment.length + 2, ...segment]),
    jpeg.subarray(2),
  ])
}

const middle = ({ left, right, top, bottom }: RecognizedWord): Point => [(left + right) / 2, (top + bottom) / 2]

/** Most words of the lease are found, each near the place that `to` says for its place in the upright picture. */
function expectAt(words: readonly RecognizedWord[], to: (x: number, y: number) => Point): void {
  const long = upright.filter(({ text }) => text.length > 4)
  const found = long.filter(word => {
    const [x, y] = to(...middle(word))
    return words.some(other => {
      const [ox, oy] = middle(other)
      return other.text === word.text && Math.abs(ox - x) < 0.02 && Math.abs(oy - y) < 0.04
    })
  })
  expect(found.length / long.length).toBeGreaterThan(0.7)
}

test.each([
  [3, (x: number, y: number): Point => [1 - x, 1 - y]],
  [6, (x: number, y: number): Point => [1 - y, x]],
  [8, (x: number, y: number): Point => [y, 1 - x]],
] as const)(
  "a camera's orientation %d",
  async (number, to) => {
    const { words } = await ocr.recognize(withOrientation(number))
    expectAt(words!, to)
  },
  60_000,
)

test("a page that stands on its head", async () => {
  const { width, height } = picture
  const { words, size } = await ocr.recognize(moved(width, height, (x, y) => [width - 1 - x, height - 1 - y]))
  expect(size).toEqual({ width, height })
  expectAt(words!, (x, y) => [1 - x, 1 - y])
}, 60_000)

test.each([4, -7])(
  "a page that was fed askew by %d degrees",
  async degrees => {
    const [sin, cos] = [Math.sin((degrees * Math.PI) / 180), Math.cos((degrees * Math.PI) / 180)]
    const [width, height] = [picture.width + 200, picture.height + 300]
    const [cx, cy] = [picture.width / 2, picture.height / 2]
    const askew = moved(width, height, (x, y) => {
      const [dx, dy] = [x - width / 2, y - height / 2]
      return [cx + cos * dx + sin * dy, cy + cos * dy - sin * dx]
    })
    const { words } = await ocr.recognize(askew)
    expectAt(words!, (x, y) => {
      const [dx, dy] = [x * picture.width - cx, y * picture.height - cy]
      return [(width / 2 + cos * dx - sin * dy) / width, (height / 2 + sin * dx + cos * dy) / height]
    })
  },
  60_000,
)

test("what is stored of words gives them back, small", () => {
  const text = upright.map(({ text: word }) => word).join(" ")
  const words = placedWords(text, upright)
  expect(words.map(({ start, end }) => text.slice(start, end))).toEqual(upright.map(({ text: word }) => word))
  const page = { width: 900, height: 260, start: 0, end: text.length, startByte: 0, endByte: text.length, ocr: true }
  const packed = packWords(words)
  const file = layoutFile([
    { ...page, words: new Uint8Array() },
    { ...page, words: packed },
  ])
  const [first, second] = parseLayout(file.toString("latin1").split("\n")[0]!)
  expect(first).toMatchObject({ ...page, wordsLength: 0 })
  const from = file.indexOf(10) + 1
  const back = unpackWords(file.subarray(from + second!.wordsAt, from + second!.wordsAt + second!.wordsLength))
  for (const [i, word] of back.entries()) {
    expect([word.start, word.end, word.beginsLine]).toEqual([words[i]!.start, words[i]!.end, words[i]!.beginsLine])
    for (const side of ["left", "top", "right", "bottom"] as const)
      expect(Math.abs(word[side] - words[i]![side])).toBeLessThan(1e-4)
  }
  expect(packed.length / words.length).toBeLessThan(20)
})

test("words that were left out of the text are passed over", () => {
  const at = { left: 0, top: 0, right: 1, bottom: 1 }
  const words = ["The", "@~|", "rent", "is", "due"].map(text => ({ text, ...at }))
  const placed = placedWords("The rent\n\nis due", words)
  expect(placed.map(({ start, end, beginsLine }) => [start, end, beginsLine])).toEqual([
    [0, 3, false],
    [4, 8, false],
    [10, 12, true],
    [13, 16, false],
  ])
})
