/** The parts of a form that say which entries of a source its files are. */
import { invalid } from "../errors.ts"
import { isStorable } from "../storable.ts"
import type { ReceivedFile, Rejection, UploadForm } from "./upload-form.ts"

/** Of a key: longer ones have no place in an index of PostgreSQL. */
export const MAX_KEY_BYTES = 2_000
export const MAX_FINGERPRINT_LENGTH = 1_000

/** A file part and the entry that it is. */
export interface BroughtPart {
  key: string
  /** Of its bytes; undefined: that of the source's last manifest. */
  fingerprint: string | undefined
  part: ReceivedFile | Rejection
}

export interface Brought {
  sourceId: string
  parts: BroughtPart[]
}

/** What is wrong with the key of an entry; undefined for a good one. */
export function keyIssue(key: unknown): string | undefined {
  if (typeof key !== "string" || key === "") return "must be a text that is not empty"
  if (Buffer.byteLength(key) > MAX_KEY_BYTES) return `must have at most ${MAX_KEY_BYTES} bytes`
  return isStorable(key) ? undefined : "must be well-formed Unicode without NUL"
}

/** The same of a fingerprint. */
export const fingerprintIssue = (fingerprint: unknown): string | undefined =>
  typeof fingerprint !== "string" ||
  fingerprint === "" ||
  fingerprint.length > MAX_FINGERPRINT_LENGTH ||
  !isStorable(fingerprint)
    ? `must be a text of 1 to ${MAX_FINGERPRINT_LENGTH} characters`
    : undefined

/**
 * Undefined for a form that is of no source. The keys stand in the order of the files.
 * @throws AppError invalid_request naming the part
 */
export function broughtBy(form: UploadForm): Brought | undefined {
  const [keys, fingerprints] = [told(form, "source_key"), told(form, "source_fingerprint")]
  const sourceId = told(form, "source_id").at(-1)
  if (sourceId === undefined) {
    if (keys.length > 0) throw invalid("source_id", "must name the source that source_key belongs to")
    return undefined
  }
  const parts = form.partsInOrder()
  if (keys.length !== parts.length) throw invalid("source_key", "must be told once for each file, in their order")
  if (fingerprints.length > 0 && fingerprints.length !== keys.length)
    throw invalid("source_fingerprint", "must be told for each file or for none")
  for (const key of keys) refuse("source_key", keyIssue(key))
  if (new Set(keys).size < keys.length) throw invalid("source_key", "must not be told twice")
  for (const fingerprint of fingerprints) refuse("source_fingerprint", fingerprintIssue(fingerprint))
  for (const name of ["on_duplicate", "purpose"])
    if (form.fields.has(name)) throw invalid(name, "does not go with source_id")
  return { sourceId, parts: parts.map((part, at) => ({ key: keys[at]!, fingerprint: fingerprints[at], part })) }
}

const told = (form: UploadForm, name: string): string[] => form.fields.get(name) ?? []

function refuse(field: string, issue: string | undefined): void {
  if (issue !== undefined) throw invalid(field, issue)
}
