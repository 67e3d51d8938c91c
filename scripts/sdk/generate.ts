/**
 * Generates the low level of the SDKs, types and calls, from the product's OpenAPI document.
 *
 *   npm run sdk:generate [-- --check]
 *
 * `--check` writes nothing and fails where what stands there differs.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { VERSION } from "../../src/native/version.ts"
import { type ApiDocument, readDocument } from "./document.ts"
import { go } from "./go.ts"
import { python } from "./python.ts"
import { typescript } from "./typescript.ts"

const ROOT = join(import.meta.dir, "../..")

/** A file below the project, and what makes it. */
const EMITTERS: Readonly<Record<string, (document: ApiDocument) => string>> = {
  "sdk/typescript/src/generated.ts": typescript,
  ...python,
  ...go,
}

/** By file, what is to stand in it. */
function generated(): Record<string, string> {
  const document = readDocument(VERSION)
  return Object.fromEntries(Object.entries(EMITTERS).map(([file, emit]) => [file, emit(document)]))
}

/** What is generated now, of the files that differ from it. */
export const stale = (): [file: string, text: string][] =>
  Object.entries(generated()).filter(([file, text]) => {
    const path = join(ROOT, file)
    return !existsSync(path) || readFileSync(path, "utf8") !== text
  })

if (import.meta.main) {
  const files = stale()
  if (process.argv.includes("--check")) {
    for (const [file] of files) console.error(`${file} is not what the API is: npm run sdk:generate`)
    process.exit(files.length > 0 ? 1 : 0)
  }
  for (const [file, text] of files) {
    writeFileSync(join(ROOT, file), text)
    console.log(`${file} is written anew`)
  }
  if (files.length === 0) console.log("nothing has changed")
}
