/** Packs of OCR languages whose data the tests have: a few small ones. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { LANGUAGES, VARIANT } from "../../scripts/packs/languages.ts"
import { writePack } from "../../scripts/packs/write-pack.ts"

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

/** A page of the benchmark (`scripts/bench/ocr/texts.ts`), in one language or two joined by `+`. */
export const ocrPage = (languages: string): Buffer =>
  readFileSync(join(import.meta.dir, "../fixtures/ocr", `${languages}.png`))
