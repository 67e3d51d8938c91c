/** Files inside a PDF, see `attached.ts`. */
import type { AttachedFile } from "../attached.ts"
import { annotationsOn, FILE_ATTACHMENT } from "./annotations.ts"
import { contentFrom, type Pdfium, textFrom } from "./pdfium-library.ts"

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
