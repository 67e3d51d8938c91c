/** Rules for what a user attaches to a file: name, context, tags, metadata. All throw AppError invalid_request. */
import { checkAcl } from "../access/acl.ts"
import { checkContext } from "../access/context-id.ts"
import { isTooDeep, JsonOutOfBounds, parseBounded, TOO_DEEP } from "../bounded-json.ts"
import { replaceControlCharacters } from "../control-characters.ts"
import { invalid } from "../errors.ts"
import { isStorable } from "../storable.ts"

const MAX_METADATA_BYTES = 16 * 1024
const MAX_TAGS = 100
const MAX_TAG_LENGTH = 128
const MAX_NAME_LENGTH = 255

/** The last component of a client's file name, both slashes counted, without control characters. */
export function safeName(given: string): string {
  const last = given.split(/[/\\]/).at(-1) ?? ""
  const clean = replaceControlCharacters(last.toWellFormed(), () => "").trim()
  if (clean === "." || clean === "..") return ""
  if (clean.length <= MAX_NAME_LENGTH) return clean
  const extension = /\.[^.]{1,10}$/.exec(clean)?.[0] ?? ""
  return clean.slice(0, MAX_NAME_LENGTH - extension.length).toWellFormed() + extension
}

/** Lower case, composed: equal for names that a person takes for equal. */
export const foldName = (name: string): string => name.normalize("NFC").toLowerCase()

/** What another system calls a file, as it came. */
export function checkExternalId(id: string): string {
  if (!isStorable(id)) throw invalid("external_id", "must be text without NUL")
  return id
}

/** Repeated or comma-separated, blanks and repetitions dropped, order kept. */
export function checkTags(values: string[]): string[] {
  const tags = [
    ...new Set(
      values
        .flatMap(value => value.split(","))
        .map(tag => tag.trim())
        .filter(Boolean),
    ),
  ]
  if (tags.length > MAX_TAGS) throw invalid("tags", `must be at most ${MAX_TAGS}`)
  if (tags.some(tag => tag.length > MAX_TAG_LENGTH))
    throw invalid("tags", `each must have at most ${MAX_TAG_LENGTH} characters`)
  return tags
}

export function checkMetadata(value: unknown, field = "metadata"): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw invalid(field, "must be a JSON object")
  // Databases take JSON apart to some depth: one file beyond would fail every filter that looks into it.
  if (isTooDeep(value)) throw invalid(field, TOO_DEEP)
  if (Buffer.byteLength(JSON.stringify(value)) > MAX_METADATA_BYTES) throw invalid(field, "must have at most 16 KB")
  return value as Record<string, unknown>
}

function parseMetadata(text: string): Record<string, unknown> {
  if (Buffer.byteLength(text) > MAX_METADATA_BYTES) throw invalid("metadata", "must have at most 16 KB")
  return checkMetadata(parseJson("metadata", text, "must be a JSON object"))
}

function parseJson(field: string, text: string, rule: string): unknown {
  try {
    return parseBounded(text)
  } catch (error) {
    throw invalid(field, error instanceof JsonOutOfBounds ? error.message : rule)
  }
}

const DUPLICATE_RULES = ["return_existing", "replace", "keep_both"] as const
export type DuplicateRule = (typeof DUPLICATE_RULES)[number]

/** A page of the web as its server gave it. */
export interface PageVersion {
  /** As it was asked for. */
  url: string
  etag: string | null
  lastModified: string | null
  /** How often it is fetched anew; null: not by itself. */
  refresh: string | null
}

/** What makes a file the one that another system brought before, whatever its name: it is then replaced under its id. */
export type Identity =
  | { page: PageVersion; fileId?: string }
  | { externalId: string; url?: string | null }
  | { sourceId: string; key: string; fingerprint: string | null; url?: string | null }

/** The text parts of an upload, checked. */
export interface UploadLabels {
  contextId: string | null
  tags: string[]
  metadata: Record<string, unknown>
  onDuplicate: DuplicateRule
  /** Absent where none was told. */
  purpose?: string
  /** Undefined where the form says nothing of it: a replaced file keeps its own, a new one is for everyone. */
  acl?: string[] | null | undefined
  /** Decides what is replaced in the place of `onDuplicate`, and is for one file. */
  identity?: Identity
  /** Where it can be seen in the place that it comes from; a replaced file keeps its own where absent. */
  url?: string | null
}

/** @throws AppError invalid_request naming the part */
export function checkLabels(fields: ReadonlyMap<string, string[]>): UploadLabels {
  const one = (name: string) => fields.get(name)?.at(-1)
  const contextId = one("context_id")
  const metadata = one("metadata")
  const acl = one("acl")
  const onDuplicate = one("on_duplicate") || "return_existing"
  if (!DUPLICATE_RULES.includes(onDuplicate as DuplicateRule))
    throw invalid("on_duplicate", `must be one of ${DUPLICATE_RULES.join(", ")}`)
  return {
    contextId: contextId ? checkContext(contextId) : null,
    tags: checkTags(fields.get("tags") ?? []),
    metadata: metadata ? parseMetadata(metadata) : {},
    onDuplicate: onDuplicate as DuplicateRule,
    acl: acl ? checkAcl(parseJson("acl", acl, "must be a JSON array of principals, or null")) : undefined,
  }
}
