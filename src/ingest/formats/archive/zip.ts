import { ExtractionError } from "../../../storage/document.ts"
import type { ExtractContext, Extractor } from "../extractor.ts"
import type { WarningCode } from "../warnings.ts"
import type { ZipEntry } from "./zip-directory.ts"
import { ZipReader } from "./zip-reader.ts"

/** Archives inside archives are opened this far: the file, one inside, one inside that. */
const MAX_DEPTH = 3

/** Every member with its own reader, under its path. What cannot be read is left out with a warning. */
export const extractZip: Extractor = async (source, context) => {
  const { out, budget } = context
  if (budget.depth >= MAX_DEPTH)
    throw new ExtractionError("archive_rejected", `archives are nested more than ${MAX_DEPTH} deep`)
  const zip = new ZipReader(source.bytes, budget)
  if (zip.recovered)
    out.warn("damaged_archive", `the directory of ${source.name} is damaged; what was found is indexed`)
  const around = out.currentPlace.member
  const failures: ExtractionError[] = []
  let read = 0
  budget.depth++
  for (const [index, entry] of zip.entries.entries()) {
    const path = safePath(entry.name)
    if (isFile(entry, path)) {
      const failure = await readMember(zip, entry, around ? `${around}/${path}` : path, context)
      if (failure) failures.push(failure)
      else read++
    }
    context.progress((index + 1) / zip.entries.length)
    await context.pause()
  }
  budget.depth--
  out.atMember(around)
  if (read > 0) return
  const encrypted = failures.find(failure => failure.code === "encrypted_file")
  if (encrypted) throw new ExtractionError("encrypted_file", "all that could be read in this archive is encrypted")
  throw new ExtractionError("no_text", "nothing in this archive can be read")
}

/** Reads one member; what keeps it from being read is warned of and returned. A bomb ends the whole archive. */
async function readMember(
  zip: ZipReader,
  entry: ZipEntry,
  member: string,
  context: ExtractContext,
): Promise<ExtractionError | undefined> {
  const { out } = context
  out.atMember(member)
  try {
    const named = context.formats.byName(member)
    if (!named && !isWorthReading(zip, entry, context)) throw new ExtractionError("no_text", UNKNOWN_TYPE)
    const cutShort = zip.cutShort
    const bytes = zip.read(entry)
    if (zip.cutShort > cutShort)
      out.warn("member_damaged", `${member}: only what stands before the damage could be read`)
    const format = named ?? context.formats.byContent(bytes)
    if (!format) throw new ExtractionError("no_text", UNKNOWN_TYPE)
    await context.extractMember({ name: member, bytes }, format)
    return undefined
  } catch (error) {
    if (!(error instanceof ExtractionError) || error.code === "archive_rejected") throw error
    out.warn(WARNINGS[error.code] ?? "member_skipped", `${member}: ${error.message}`)
    return error
  }
}

const UNKNOWN_TYPE = "files of this type cannot be read"

/** Members whose names say nothing are read where they turn out to be text or a known format; film and programs stay packed. */
function isWorthReading(zip: ZipReader, entry: ZipEntry, { formats }: ExtractContext): boolean {
  if (entry.encrypted) return true // to say so
  if (!zip.fits(entry)) return false
  const head = zip.peek(entry)
  return head.length === 0 ? (entry.size ?? 0) <= SMALL_BYTES : formats.mayBeReadable(head)
}

/** Small enough to be unpacked for a look. */
const SMALL_BYTES = 16 * 1024 * 1024

const WARNINGS: Partial<Record<ExtractionError["code"], WarningCode>> = {
  encrypted_file: "member_encrypted",
  corrupt_file: "member_damaged",
}

/** Directories, empty files, and what systems put beside files are no members. */
function isFile({ name, compressedSize }: ZipEntry, path: string): boolean {
  return !name.endsWith("/") && compressedSize !== 0 && !/(^|\/)(__MACOSX\/|\.DS_Store$|Thumbs\.db$|\._)/.test(path)
}

/** A path that leads nowhere outside: no root, no drive, no `..`. It is only ever shown, never opened. */
function safePath(name: string): string {
  const steps = name.replace(/^[a-z]:/i, "").split("/")
  return steps
    .filter(step => step !== "" && step !== "." && step !== "..")
    .join("/")
    .replace(/[\x00-\x1f\x7f]/g, "")
    .toWellFormed()
}
