/** What lies on a page of a PDF beside what is printed: fields of forms, comments, files that are pinned to it. */
import type { Pdfium } from "./pdfium-library.ts"

const MAX_ANNOTATIONS = 5000
/** Of the kinds in fpdf_annot.h. */
export const FILE_ATTACHMENT = 17

/** Each is open until the next is asked for. */
export function* annotationsOn(pdfium: Pdfium, page: number): Generator<number> {
  const count = Math.min(MAX_ANNOTATIONS, pdfium._FPDFPage_GetAnnotCount(page))
  for (let i = 0; i < count; i++) {
    const annotation = pdfium._FPDFPage_GetAnnot(page, i)
    if (!annotation) continue
    try {
      yield annotation
    } finally {
      pdfium._FPDFPage_CloseAnnot(annotation)
    }
  }
}
