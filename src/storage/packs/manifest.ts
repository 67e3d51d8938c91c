/**
 * What a pack holds. A pack is one tar file that an operator carries to an installation without network: its manifest first,
 * then the files in the manifest's order, and last the manifest's checksum, so that a pack that was cut is told from a whole
 * one. `scripts/packs.ts` makes packs, byte for byte the same from the same data.
 */
import { OperatorError } from "../../errors.ts"

export const MANIFEST = "carrel-pack.json"
export const SEAL = "carrel-pack.sha256"
/** Of the manifest. A version that reads only older ones says so. */
export const FORMAT = 1

export interface PackLanguage {
  /** As Tesseract calls it. */
  language: string
  /** In English. */
  name: string
  /** One of `files`. */
  file: string
}

export interface PackFile {
  /** A plain name. */
  path: string
  size: number
  sha256: string
  /** Where it comes from, and its license (SPDX). */
  source: string
  license: string
}

export interface PackManifest {
  format: typeof FORMAT
  /** Data of languages for OCR. */
  kind: "ocr"
  name: string
  languages: PackLanguage[]
  files: PackFile[]
}

/** A pack that cannot be taken: the operator is told why. */
export class PackError extends OperatorError {}

export const DAMAGED = "copy it anew from where it came, and compare the SHA-256 that was printed when it was made"

const NAME = /^[a-z0-9][a-z0-9._+-]{0,63}$/i
const LANGUAGE = /^[A-Za-z][\w-]{1,30}$/
const FILE = /^(?:[A-Za-z][\w-]{1,30}\.traineddata\.gz|LICENSES\.txt)$/
const SHA256 = /^[0-9a-f]{64}$/
const MAX_FILES = 300
const MAX_FILE_BYTES = 128 * 2 ** 20
export const MAX_MANIFEST_BYTES = 2 ** 20

/** @throws PackError for what is none, or is of another kind or a newer format */
export function parseManifest(text: string, source: string): PackManifest {
  let found: Partial<PackManifest>
  try {
    found = JSON.parse(text)
  } catch (cause) {
    throw new PackError(`${source} is damaged: its list of contents cannot be read`, { hint: DAMAGED, cause })
  }
  if (typeof found.format !== "number") throw foreign(source)
  if (found.format > FORMAT)
    throw new PackError(`${source} was made for a newer version of Carrel`, { hint: "upgrade Carrel first" })
  if (found.format !== FORMAT || found.kind !== "ocr" || !isSound(found)) throw foreign(source)
  return found as PackManifest
}

export const foreign = (source: string, cause?: unknown): PackError =>
  new PackError(`${source} is not a pack of Carrel, or it is damaged`, { hint: DAMAGED, cause })

function isSound({ name, languages, files }: Partial<PackManifest>): boolean {
  if (typeof name !== "string" || !NAME.test(name) || !Array.isArray(languages) || !Array.isArray(files)) return false
  const paths = new Set(files.map(({ path }) => path))
  return (
    files.length > 0 &&
    files.length <= MAX_FILES &&
    paths.size === files.length &&
    files.every(
      ({ path, size, sha256 }) =>
        FILE.test(path) && Number.isSafeInteger(size) && size >= 0 && size <= MAX_FILE_BYTES && SHA256.test(sha256),
    ) &&
    languages.every(({ language, file }) => LANGUAGE.test(language) && paths.has(file))
  )
}
