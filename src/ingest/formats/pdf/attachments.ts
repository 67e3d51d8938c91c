/** Files inside a PDF: enclosures of a letter, the parts of a portfolio, the data of an invoice. */
import { ExtractionError } from "../../../storage/document.ts"
import type { ExtractContext } from "../extractor.ts"
import { annotationsOn, FILE_ATTACHMENT } from "./annotations.ts"
import { contentFrom, type Pdfium, textFrom } from "./pdfium-library.ts"

export interface AttachedFile {
  name: string
  /** Undefined where it has more than so many bytes. */
  unpack(mostBytes: number): Uint8Array | undefined
}

/** A file in a file in a file is still read. */
const MAX_DEPTH = 3

/** Adds the text of attached files behind that of the pages; what cannot be read is warned of. */
export async function addAttachments(files: Iterable<AttachedFile>, context: ExtractContext): Promise<void> {
  const { out, budget } = context
  const { pageCount, currentPlace } = out
  const around = currentPlace.member
  /** One file may hang on several pages. */
  const seen = new Set<string>()
  budget.depth++
  for (const { name, unpack } of files) {
    if (--budget.entries < 0) throw new ExtractionError("archive_rejected", "the PDF has too many attached files")
    const bytes = unpack(budget.bytes)
    budget.bytes -= bytes?.length ?? 0
    const key = `${name} ${new Bun.CryptoHasher("sha256").update(bytes ?? "").digest("hex")}`
    if (seen.has(key)) continue
    seen.add(key)
    const member = around ? `${around}/${name}` : name
    out.atMember(member)
    await addFile(name, bytes, member, context)
    await context.pause()
  }
  budget.depth--
  out.atMember(around)
  out.pageCount = pageCount // of the document itself
}

async function addFile(
  name: string,
  bytes: Uint8Array | undefined,
  member: string,
  context: ExtractContext,
): Promise<void> {
  const { formats, budget, out } = context
  try {
    if (!bytes) throw new ExtractionError("no_text", "it unpacks to more than is allowed for a PDF of this size")
    if (budget.depth > MAX_DEPTH) throw new ExtractionError("no_text", "it lies too deep")
    const format = formats.byName(name) ?? formats.byContent(bytes)
    if (!format) throw new ExtractionError("no_text", "files of this type cannot be read")
    await context.extractMember({ name: member, bytes }, format)
  } catch (error) {
    if (!(error instanceof ExtractionError) || error.code === "archive_rejected") throw error
    out.warn("attachment_skipped", `the attached file ${member}: ${error.message}`)
  }
}

/** Files of the document as a whole. */
export function* attachedTo(pdfium: Pdfium, document: number): Generator<AttachedFile> {
  const count = pdfium._FPDFDoc_GetAttachmentCount(document)
  for (let i = 0; i < count; i++) {
    const attachment = pdfium._FPDFDoc_GetAttachment(document, i)
    if (attachment) yield fileOf(pdfium, attachment)
  }
}

/** Files that are pinned to places of a page. */
export function filesOnPage(pdfium: Pdfium, page: number): AttachedFile[] {
  const files: AttachedFile[] = []
  for (const annotation of annotationsOn(pdfium, page)) {
    if (pdfium._FPDFAnnot_GetSubtype(annotation) !== FILE_ATTACHMENT) continue
    const attachment = pdfium._FPDFAnnot_GetFileAttachment(annotation)
    if (attachment) files.push(fileOf(pdfium, attachment))
  }
  return files
}

function fileOf(pdfium: Pdfium, attachment: number): AttachedFile {
  const name = textFrom(pdfium, (buffer, bytes) => pdfium._FPDFAttachment_GetName(attachment, buffer, bytes))
  return {
    name: name.replace(/[\x00-\x1f\x7f]/g, "").trim() || "unnamed",
    unpack: mostBytes =>
      contentFrom(pdfium, (...room) => pdfium._FPDFAttachment_GetFile(attachment, ...room), mostBytes),
  }
}
