/** pdf.js as the second opinion: it reads some files and pages that PDFium does not. Text only. */
import { getDocument, VerbosityLevel } from "pdfjs-dist/legacy/build/pdf.mjs"
import { ExtractionError } from "../../../storage/document.ts"

/**
 * Texts of the given pages (0-based), or of all.
 * @throws ExtractionError `encrypted_file` or `corrupt_file`.
 */
export async function readWithPdfJs(
  bytes: Uint8Array,
  pages?: number[],
): Promise<{ pageCount: number; texts: Map<number, string> }> {
  // With its worker present as a global, pdf.js runs in this thread and does not look for a worker file.
  const scope = globalThis as { pdfjsWorker?: unknown }
  // @ts-expect-error: has no types
  scope.pdfjsWorker ??= await import("pdfjs-dist/legacy/build/pdf.worker.mjs")
  const task = getDocument({
    // pdf.js takes the buffer for itself.
    data: new Uint8Array(bytes),
    verbosity: VerbosityLevel.ERRORS,
    useSystemFonts: false,
    disableFontFace: true,
    isEvalSupported: false,
    stopAtErrors: false,
  } as Parameters<typeof getDocument>[0])
  try {
    const document = await task.promise
    const texts = new Map<number, string>()
    for (const index of pages ?? Array.from({ length: document.numPages }, (_, i) => i)) {
      if (index >= document.numPages) continue
      try {
        const page = await document.getPage(index + 1)
        const content = await page.getTextContent()
        texts.set(
          index,
          content.items.map(item => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : "")).join(""),
        )
        page.cleanup()
      } catch {
        // A damaged page: the other pages may still be read.
      }
    }
    return { pageCount: document.numPages, texts }
  } catch (error) {
    if ((error as Error).name === "PasswordException")
      throw new ExtractionError("encrypted_file", "the PDF needs a password")
    throw new ExtractionError("corrupt_file", "the PDF is damaged", false, { cause: error })
  } finally {
    await task.destroy()
  }
}
