/** Pages in several languages; the accuracy in all of them is measured by `scripts/bench/ocr.ts`. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { LANGUAGES } from "../../../scripts/packs/languages.ts"
import { extractDocument } from "../../../src/ingest/formats/extract.ts"
import { Ocr } from "../../../src/ingest/formats/ocr/ocr.ts"
import { readTsv } from "../../../src/ingest/formats/ocr/reading.ts"
import { addPack } from "../../../src/storage/packs/add.ts"
import { ocrPage, ocrPdf, writeOcrPack } from "../../support/ocr-pack.ts"

let folder: string
let packs: string
let ocr: Ocr
const onlyEnglish = new Ocr({ packs: [] })

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "carrel-ocr-"))
  packs = join(folder, "packs")
  await writeOcrPack(join(folder, "all.pack"), ["fra", "heb", "rus"])
  await addPack(join(folder, "all.pack"), packs)
  ocr = new Ocr({ packs: [packs] })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const read = async (picture: Uint8Array, by = ocr) => {
  by.beginFile()
  const { text, missing } = await by.recognize(picture)
  return { text: text.replace(/\s+/g, " "), missing }
}

const LONG = 240_000

describe("a page is read in the languages that it is in", () => {
  test(
    "Russian",
    async () => {
      const { text, missing } = await read(ocrPage("rus"))
      expect(text).toContain("Старый склад на северной набережной осмотрели на прошлой неделе.")
      expect(text).toContain("Ключи выдают каждое утро с семи до девяти часов.")
      expect(missing).toBeUndefined()
    },
    LONG,
  )

  test(
    "Russian and English",
    async () => {
      const { text } = await read(ocrPage("rus+eng"))
      expect(text).toContain("Ремонт будет стоить около 48 500 рублей")
      expect(text).toContain("The roof leaks in three places")
      expect(text).toContain("North Quay Repairs Ltd. подтвердил срок")
    },
    LONG,
  )

  test(
    "French, which English reads without its accents",
    async () => {
      expect((await read(ocrPage("fra"))).text).toContain(
        "Le vieil entrepôt du quai nord a été inspecté la semaine dernière.",
      )
    },
    LONG,
  )

  test(
    "Hebrew, from right to left",
    async () => {
      expect((await read(ocrPage("heb"))).text).toContain("המחסן הישן ברציף הצפוני נבדק בשבוע שעבר.")
    },
    LONG,
  )

  test(
    "whatever the page before it was in",
    async () => {
      ocr.beginFile()
      await ocr.recognize(ocrPage("heb"))
      const { text } = await ocr.recognize(ocrPage("rus"))
      expect(text).toContain("Старый склад на северной набережной")
      expect((await ocr.recognize(ocrPage("rus+eng"))).text).toContain("The roof leaks in three places")
    },
    LONG,
  )
})

describe("writing that no installed language reads", () => {
  test.each([
    ["rus", "Cyrillic"],
    ["heb", "Hebrew"],
    ["jpn", "Japanese"],
  ])(
    "%s is named, and what it was taken for is left out",
    async (page, script) => {
      const { text, missing } = await read(ocrPage(page), onlyEnglish)
      expect(missing).toContain(script)
      expect(text.length).toBeLessThan(20)
    },
    LONG,
  )

  test(
    "is not German in small letters, which English reads without its marks",
    async () => {
      const { text, missing } = await read(ocrPage("deu"), onlyEnglish)
      expect(missing).toBeUndefined()
      expect(text).toContain("Das alte Lagerhaus am Nordkai wurde letzte Woche")
    },
    LONG,
  )

  test(
    "beside English leaves the English",
    async () => {
      const { text, missing } = await read(ocrPage("rus+eng"), onlyEnglish)
      expect(missing).toEqual(["Cyrillic"])
      expect(text).toContain("The roof leaks in three places")
      expect(text).not.toContain("48 500")
    },
    LONG,
  )

  test(
    "is why a picture has no text, and its warning says what to do",
    async () => {
      onlyEnglish.beginFile()
      const reading = extractDocument({ name: "scan.png", bytes: ocrPage("jpn") }, "png", {
        onProgress() {},
        onOcrExpected() {},
        pause: async () => {},
        recognize: image => onlyEnglish.recognize(image),
      })
      const error = await reading.catch(error => error)
      expect(error).toMatchObject({
        code: "no_text",
        message: "there is no text in this file that the installed OCR languages read",
      })
      expect(error.warnings).toEqual([
        {
          code: "ocr_language_missing",
          message: expect.stringMatching(/^scan.png has Japanese \(jpn\) .*carrel packs add/),
        },
      ])
    },
    LONG,
  )
})

describe("a PDF of scanned pages", () => {
  const readPdf = (by: Ocr, ...pages: string[]) => {
    by.beginFile()
    return extractDocument({ name: "scans.pdf", bytes: ocrPdf(...pages) }, "pdf", {
      onProgress() {},
      onOcrExpected() {},
      pause: async () => {},
      recognize: image => by.recognize(image),
    })
  }

  test(
    "in several languages has the text of each page",
    async () => {
      const { text, ocrPageCount, warnings } = await readPdf(ocr, "rus", "fra")
      expect(text).toContain("Старый склад на северной набережной")
      expect(text).toContain("Le vieil entrepôt du quai nord a été inspecté")
      expect([ocrPageCount, warnings]).toEqual([2, []])
    },
    LONG,
  )

  test(
    "names the pages that no installed language reads",
    async () => {
      const { warnings } = await readPdf(onlyEnglish, "fra", "rus", "rus+eng")
      expect(warnings).toEqual([
        {
          code: "ocr_language_missing",
          message: expect.stringMatching(/^pages 2–3 have Cyrillic \(rus, ukr\) writing .*carrel packs add/),
        },
      ])
    },
    LONG,
  )
})

test(
  "a folder of languages that the operator names is used as it is, for every page",
  async () => {
    const languages = join(folder, "languages")
    mkdirSync(languages)
    copyFileSync(LANGUAGES.rus!.local!, join(languages, "rus.traineddata.gz"))
    const fixed = new Ocr({ folder: languages })
    expect((await read(ocrPage("rus+eng"), fixed)).text).toContain("Ремонт будет стоить")
    expect((await read(ocrPage("jpn"), fixed)).missing).toBeUndefined()
  },
  LONG,
)

test(
  "a pack that is added is used from the next file on",
  async () => {
    const directory = join(folder, "later")
    const later = new Ocr({ packs: [directory] })
    expect((await read(ocrPage("rus"), later)).missing).toEqual(["Cyrillic"])
    await addPack(join(folder, "all.pack"), directory)
    expect((await read(ocrPage("rus"), later)).text).toContain("Старый склад на северной набережной")
  },
  LONG,
)

describe("words that Tesseract parts", () => {
  const row = (word: string, left: number, width: number) => `5\t1\t1\t1\t1\t1\t${left}\t0\t${width}\t30\t90\t${word}`
  const textOf = (...words: [string, number, number][]) => readTsv(words.map(word => row(...word)).join("\n")).text

  test("are joined where the script has no blanks, and where Korean has none", () => {
    expect(textOf(["港湾", 0, 60], ["事務", 64, 60], ["、2024", 130, 90], ["年", 224, 30])).toBe("港湾事務、2024年")
    expect(textOf(["契約は", 0, 90], ["Roof", 98, 60], ["です", 166, 60])).toBe("契約は Roof です")
    expect(textOf(["북쪽", 0, 60], ["부", 71, 30], ["두", 104, 30], ["의", 137, 30])).toBe("북쪽 부두의")
    expect(textOf(["two", 0, 60], ["words", 62, 90])).toBe("two words")
  })
})
