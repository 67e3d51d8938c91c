/**
 * Makes a pack of OCR languages, which `carrel packs add` installs: `bun scripts/packs.ts [LANGUAGE …] [--out FILE]`, all
 * languages without names. Fetches the data as packages once, into `.build/`; needs nothing else.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { LANGUAGES, LICENSE, PACKAGE, PACKAGE_VERSION, VARIANT } from "./packs/languages.ts"
import { type PackContent, writePack } from "./packs/write-pack.ts"

const PROJECT = resolve(import.meta.dir, "..")
const CACHE = join(PROJECT, ".build", "ocr")
/** Languages that a name lists. */
const NAMED = 4

const { values, positionals } = parseArgs({ allowPositionals: true, options: { out: { type: "string" } } })
const chosen = (positionals.length > 0 ? [...new Set(positionals)] : Object.keys(LANGUAGES)).sort()
const unknown = chosen.filter(language => !(language in LANGUAGES))
if (unknown.length > 0) fail(`unknown: ${unknown.join(", ")}; there are ${Object.keys(LANGUAGES).join(", ")}`)
const listed = chosen.length <= NAMED ? chosen.join("+") : `${chosen.length}-languages`
const name = `carrel-ocr-${chosen.length === Object.keys(LANGUAGES).length ? "all" : listed}`
const target = resolve(values.out ?? join(PROJECT, "dist", `${name}.pack`))

fetchPackages(chosen.filter(language => !LANGUAGES[language]!.local))
mkdirSync(dirname(target), { recursive: true })
const files = [licenses(), ...chosen.map(dataOf)]
const sha256 = await writePack(target, {
  name,
  languages: chosen.map(language => ({ language, name: LANGUAGES[language]!.name, file: fileName(language) })),
  files,
})
const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0)
console.log(`${target}: ${chosen.length} languages, ${(bytes / 1e6).toFixed(1)} MB`)
console.log(`${sha256}  ${basename(target)}`)

function dataOf(language: string): PackContent {
  const { sha256: pinned, local, origin } = LANGUAGES[language]!
  const bytes = readFileSync(local ?? packaged(language))
  const found = new Bun.CryptoHasher("sha256").update(bytes).digest("hex")
  if (found !== pinned) fail(`the data of ${language} are not those that were measured: SHA-256 ${found}`)
  const source = origin ?? `${PACKAGE}/${language} ${PACKAGE_VERSION}, ${VARIANT}`
  return { path: fileName(language), source, license: LICENSE, bytes }
}

function fileName(language: string): string {
  return `${language}.traineddata.gz`
}

function packaged(language: string): string {
  return join(CACHE, "node_modules", PACKAGE, language, VARIANT, fileName(language))
}

function fetchPackages(languages: string[]): void {
  const missing = languages.filter(language => !existsSync(packaged(language)))
  if (missing.length === 0) return
  mkdirSync(CACHE, { recursive: true })
  const manifest = join(CACHE, "package.json")
  if (!existsSync(manifest)) writeFileSync(manifest, '{ "private": true }\n')
  const specs = missing.map(language => `${PACKAGE}/${language}@${PACKAGE_VERSION}`)
  const { exitCode } = Bun.spawnSync(
    ["npm", "install", "--save-exact", "--ignore-scripts", "--loglevel=error", ...specs],
    {
      cwd: CACHE,
      stdio: ["ignore", "inherit", "inherit"],
    },
  )
  if (exitCode !== 0) fail(`could not fetch ${specs.join(", ")}`)
}

function licenses(): PackContent {
  const text = readFileSync(join(PROJECT, "node_modules/tesseract.js-core/LICENSE"), "utf8")
  const head = `Data of Tesseract OCR, made by Google and the Tesseract project (tessdata_best, tessdata_fast), ${LICENSE}.\n\n`
  return { path: "LICENSES.txt", source: "tesseract-ocr", license: LICENSE, bytes: Buffer.from(head + text) }
}

function fail(message: string): never {
  console.error(`packs: ${message}`)
  process.exit(1)
}
