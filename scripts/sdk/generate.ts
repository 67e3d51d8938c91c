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
export function generated(): Record<string, string> {
  const document = readDocument(VERSION)
  return Object.fromEntries(Object.entries(EMITTERS).map(([file, emit]) => [file, emit(document)]))
}

/** The files that differ from what is generated now. */
export const stale = (): string[] =>
  Object.entries(generated()).flatMap(([file, text]) => {
    const path = join(ROOT, file)
    return existsSync(path) && readFileSync(path, "utf8") === text ? [] : [file]
  })

if (import.meta.main) {
  const files = stale()
  if (process.argv.includes("--check")) {
    for (const file of files) console.error(`${file} is not what the API is: npm run sdk:generate`)
    process.exit(files.length > 0 ? 1 : 0)
  }
  const all = generated()
  for (const file of files) {
    writeFileSync(join(ROOT, file), all[file]!)
    console.log(`${file} is written anew`)
  }
  if (files.length === 0) console.log("nothing has changed")
}
