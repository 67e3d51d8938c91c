/** A file to text: told by its content which format it has, since names lie (RTF, HTML, XML and MHT under `.doc` are common), and read. */
import { type ExtractedDocument, ExtractionError } from "../../storage/document.ts"
import { unpackBudget } from "./archive/zip-reader.ts"
import { Content } from "./content.ts"
import { DocumentBuilder } from "./document-builder.ts"
import type { ExtractContext, FormatFinder, RecognizedText, Source } from "./extractor.ts"
import { FORMAT_NAMES, type FormatName, findExtension, findFormat, formatOf } from "./formats.ts"
import { DEFAULT_OCR_LIMITS, OcrBudget, type OcrLimits } from "./ocr/ocr-budget.ts"
import { openPackage } from "./office/office-crypto.ts"
import type { WarningCode } from "./warnings.ts"

/** What extraction needs from its surroundings. */
export interface Surroundings {
  onProgress(fraction: number): void
  onOcrExpected(count: number): void
  /** See ExtractContext; always true where absent. */
  mayReadAttachments?: () => boolean
  pause(): Promise<void>
  recognize(image: Uint8Array): Promise<RecognizedText>
  /** `DEFAULT_OCR_LIMITS` where absent. */
  ocrLimits?: OcrLimits | undefined
}

/** Text that a file of any size may give, its text that it may give for each byte, and text that no file may give; code units. */
const MIN_TEXT = 4 * 1024 * 1024
const MAX_TEXT_PER_BYTE = 200
const MAX_TEXT = 1024 * 1024 * 1024

/**
 * What a file may unfold to: cells that share a string and pages that share their content need no bytes of their own. Real
 * workbooks and archives stay below a fiftieth of it.
 */
function textLimit(fileBytes: number): number {
  return Math.min(MAX_TEXT, Math.max(MIN_TEXT, fileBytes * MAX_TEXT_PER_BYTE))
}

/**
 * Reads a file with the reader of its real format. The text goes to `sink`; the builder holds the rest.
 * @throws ExtractionError; anything else that a reader throws is damage that it did not expect.
 */
export async function extractInto(
  sink: (text: string) => void,
  source: Source,
  type: string,
  surroundings: Surroundings,
): Promise<DocumentBuilder> {
  const out = new DocumentBuilder(sink, textLimit(source.bytes.length))
  const context: ExtractContext = {
    out,
    budget: unpackBudget(source.bytes.length),
    progress: surroundings.onProgress,
    pause: surroundings.pause,
    expectOcr: surroundings.onOcrExpected,
    mayReadAttachments: surroundings.mayReadAttachments ?? (() => true),
    recognize: surroundings.recognize,
    ocr: new OcrBudget(surroundings.ocrLimits ?? DEFAULT_OCR_LIMITS),
    formats: FORMAT_FINDER,
    extractMember: (member, format) => read(member, format as FormatName, { ...context, progress: () => {} }),
  }
  const format = findFormat(type)
  if (!format) throw new ExtractionError("corrupt_file", `.${type} cannot be read`)
  await read(source, format, context)
  if (out.hasText) return out
  if (out.pageCount === 0 || out.warnings.some(({ code }) => DAMAGE.has(code)))
    throw new ExtractionError("corrupt_file", "the file is damaged")
  const warnings = out.allWarnings()
  const isUnread = warnings.some(({ code }) => code === ("ocr_language_missing" satisfies WarningCode))
  const message = isUnread
    ? "there is no text in this file that the installed OCR languages read"
    : "there is no text in this file"
  throw new ExtractionError("no_text", message, false, { warnings })
}

/** Warnings that explain why nothing was found. */
const DAMAGE = new Set<string>([
  "damaged_parts",
  "damaged_file",
  "damaged_archive",
  "unreadable_pages",
] satisfies WarningCode[])

/** The same in memory, for callers that have the bytes and trust them. */
export async function extractDocument(
  source: Source,
  type: string,
  surroundings: Surroundings,
): Promise<ExtractedDocument> {
  const parts: string[] = []
  const out = await extractInto(text => parts.push(text), source, type, surroundings)
  return out.toDocument(parts.join(""))
}

const FORMAT_FINDER: FormatFinder = {
  byName(name) {
    const extension = findExtension(name)
    return extension && findFormat(extension)
  },
  byContent: sniffUnnamed,
  mayBeReadable,
}

async function read(given: Source, named: FormatName, context: ExtractContext): Promise<void> {
  if (given.bytes.length === 0) throw new ExtractionError("no_text", "the file is empty")
  try {
    const source = { ...given, bytes: openPackage(given.bytes) }
    const extract = await formatOf(sniffFormat(source.bytes, named)).reader()
    await extract(source, context)
  } catch (error) {
    if (error instanceof ExtractionError) throw error
    throw new ExtractionError("corrupt_file", "the file is damaged", false, { cause: error })
  }
}

/** What the bytes show; else what the name promises. */
export function sniffFormat(bytes: Uint8Array, named: FormatName): FormatName {
  return shown(new Content(bytes, named, formatOf(named).plain === true)) ?? named
}

/**
 * The format of a file whose name says nothing that is known; undefined for what cannot be read: programs, sound,
 * film and the like.
 */
export function sniffUnnamed(bytes: Uint8Array): FormatName | undefined {
  const content = new Content(bytes, undefined, false)
  return content.begins(PROGRAM) ? undefined : shown(content)
}

/** Whether the beginning of a file leaves a chance that `sniffUnnamed` finds a format in the whole. */
export function mayBeReadable(head: Uint8Array): boolean {
  const content = new Content(head, undefined, false)
  return CONTAINERS.some(signature => content.begins(signature)) || sniffUnnamed(head) !== undefined
}

/** Of DOS and Windows. */
const PROGRAM = "MZ"
/** OLE and ZIP files: what they hold stands at their end. */
const CONTAINERS = ["\xd0\xcf\x11\xe0", "PK"]

/** What the name promises is asked first: a package may show several formats, and a picture is one under any name. */
function shown(content: Content): FormatName | undefined {
  const promised = FORMAT_NAMES.find(name => name === content.named)
  const order = promised ? [promised, ...FORMAT_NAMES] : FORMAT_NAMES
  return order.find(name => formatOf(name).shows?.(content))
}
