/** Packs of OCR languages whose data the tests have: a few small ones. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { LANGUAGES, VARIANT } from "../../scripts/packs/languages.ts"
import { writePack } from "../../scripts/packs/write-pack.ts"
import { PdfWriter, writePages } from "../ingest/formats/pdf-writer.ts"

const MODULES = join(import.meta.dir, "../../node_modules/@tesseract.js-data")

export type TestLanguage = "fra" | "heb" | "rus"

/** Writes a pack with these languages. */
export async function writeOcrPack(path: string, languages: readonly TestLanguage[]): Promise<void> {
  const file = (language: string) => `${language}.traineddata.gz`
  await writePack(path, {
    name: `test-${languages.join("+")}`,
    languages: languages.map(language => ({ language, name: LANGUAGES[language]!.name, file: file(language) })),
    files: languages.map(language => ({
      path: file(language),
      source: "test",
      license: "Apache-2.0",
      bytes: readFileSync(LANGUAGES[language]!.local ?? join(MODULES, language, VARIANT, file(language))),
    })),
  })
}

/** A PDF of such pages, which are pictures. */
export function ocrPdf(...pages: string[]): Uint8Array {
  const writer = new PdfWriter()
  const pictures = pages.map((page, i) => `/I${i} ${embedPng(writer, ocrPage(page))} 0 R`)
  return writePages(
    writer,
    pages.map((_, i) => ({ content: `q 420 0 0 324 80 400 cm /I${i} Do Q` })),
    { resources: `/XObject<<${pictures.join("")}>>` },
  )
}

/** The data of a gray PNG are what a PDF takes as they are. */
function embedPng(writer: PdfWriter, png: Buffer): number {
  const [width, height, bits] = [png.readUInt32BE(16), png.readUInt32BE(20), png[24]!]
  const data: Buffer[] = []
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at))
    if (png.toString("latin1", at + 4, at + 8) === "IDAT")
      data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)))
  return writer.stream(
    `/Type/XObject/Subtype/Image/Width ${width}/Height ${height}/ColorSpace/DeviceGray/BitsPerComponent ${bits}/Filter/FlateDecode/DecodeParms<</Predictor 15/Colors 1/BitsPerComponent ${bits}/Columns ${width}>>`,
    Buffer.concat(data),
  )
}

/** A page of the benchmark (`scripts/bench/ocr/texts.ts`), in one language or two joined by `+`; German at 110 dots per inch. */
export const ocrPage = (languages: string): Buffer =>
  readFileSync(join(import.meta.dir, "../fixtures/ocr", `${languages}.png`))
