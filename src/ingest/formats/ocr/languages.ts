/** Which languages can be recognized, and where their data lies. */
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
// @ts-expect-error: a file path at run time, embedded in the executable
import englishPath from "@tesseract.js-data/eng/4.0.0_best_int/eng.traineddata.gz" with { type: "file" }
import { packLanguages } from "../../../storage/packs/installed.ts"
import { scriptOf } from "./scripts.ts"

/** `deu.traineddata` or `deu.traineddata.gz`; the first group is the language as Tesseract calls it. */
export const LANGUAGE_FILE = /^([\w-]+)\.traineddata(\.gz)?$/
/** Built in. */
export const ENGLISH = "eng"

export interface OcrLanguageSources {
  /** A folder that the operator named: all its languages are used for every page, and no pack is. */
  folder?: string
  /** Directories of packs, of which each page gets what its writing needs. */
  packs?: readonly string[]
}

/** Languages with the files of their data, English first: Tesseract takes the first as the main one. */
export function findLanguages({ folder, packs = [] }: OcrLanguageSources): Map<string, string> {
  const files = new Map([[ENGLISH, englishPath as string]])
  if (folder === undefined) for (const [language, { path }] of packLanguages(packs)) files.set(language, path)
  else
    for (const name of existsSync(folder) ? readdirSync(folder).sort() : []) {
      const language = LANGUAGE_FILE.exec(name)?.[1]
      if (language && language !== "osd") files.set(language, join(folder, name))
    }
  return files
}

export const ofScripts = (languages: Iterable<string>, scripts: readonly string[]): string[] =>
  [...languages].filter(language => scripts.includes(scriptOf(language)))
