import { ExtractionError } from "../../storage/document.ts"
import { bitmapFile, isBlank } from "./bitmap.ts"
import type { ExtractContext, Extractor } from "./extractor.ts"
import { type PageBlock, pageBlocks } from "./pdf-page.ts"
import { type Bitmap, PdfiumDocument } from "./pdfium.ts"

/** A page with fewer letters and digits than this may be a picture of text. */
const THIN_PAGE_CHARS = 20
/** A thin page that has some text is looked at as a picture only if one covers this share of it. */
const PICTURE_SHARE = 0.3
/** Gives the same words as 300 dpi for common type sizes, in half the time. */
const OCR_DPI = 200
const OCR_MAX_PIXELS = 12_000_000
/** Recognising a page takes about this many times as long as reading the text of one. */
const OCR_EFFORT = 100
/** Below this the text of a page deserves a warning. */
const DOUBTFUL_CONFIDENCE = 60
/** pdf.js holds a file in memory, more than once. */
const MAX_PDFJS_BYTES = 100 * 1024 * 1024

/**
 * PDF page by page: PDFium's text; where a page has almost none, what pdf.js finds; where that is nothing either and the
 * page shows something, OCR of its picture.
 */
export const extractPdf: Extractor = async (source, context) => {
  let document: PdfiumDocument
  try {
    document = await PdfiumDocument.open(source.bytes)
  } catch (error) {
    const damaged = error instanceof ExtractionError && error.code === "corrupt_file"
    if (damaged && source.bytes.length <= MAX_PDFJS_BYTES) return readDamaged(source.bytes, context)
    throw error
  }
  try {
    const reading = new PdfReading(document, source.bytes, context)
    await reading.run()
  } finally {
    document.close()
  }
}

/** What PDFium cannot open at all; no page of it can be drawn. */
async function readDamaged(bytes: Uint8Array, { out }: ExtractContext): Promise<void> {
  const { readWithPdfJs } = await import("./pdfjs.ts")
  const { pageCount, texts } = await readWithPdfJs(bytes)
  out.pageCount = (out.pageCount ?? 0) + pageCount
  for (const [index, text] of texts) {
    out.at({ page: index + 1 })
    out.add("paragraph", text)
  }
  out.warn("damaged_file", "the PDF is damaged; what could be read is indexed")
}

class PdfReading {
  private readonly pages: PageBlock[][] = []
  private unreadable = 0
  private doubtful = 0

  constructor(
    private readonly document: PdfiumDocument,
    private readonly bytes: Uint8Array,
    private readonly context: ExtractContext,
  ) {}

  async run(): Promise<void> {
    const { out } = this.context
    const { pageCount } = this.document
    await this.readTexts()
    const thin = this.pages.flatMap((blocks, index) =>
      letterCount(blocks) < THIN_PAGE_CHARS && this.mayHideText(index) ? [index] : [],
    )
    await this.askPdfJs(thin.filter(index => this.document.objectCounts(index).texts > 0))
    await this.readPictures(thin.filter(index => this.isPicture(index)))
    out.pageCount = (out.pageCount ?? 0) + pageCount
    for (const [index, blocks] of this.pages.entries()) {
      out.at({ page: index + 1 })
      for (const { kind, text, level } of blocks) out.add(kind, text, level)
    }
    if (this.unreadable > 0) out.warn("unreadable_pages", `${this.unreadable} of ${pageCount} pages could not be read`)
    if (this.doubtful > 0)
      out.warn("low_ocr_confidence", `the text of ${this.doubtful} of ${pageCount} pages was recognised with doubts`)
  }

  private async readTexts(): Promise<void> {
    const { pageCount } = this.document
    for (let index = 0; index < pageCount; index++) {
      const blocks = this.document.withText(index, pageBlocks)
      if (!blocks) this.unreadable++
      this.pages.push(blocks ?? [])
      if (index % 16 !== 15) continue
      const empty = this.pages.filter(found => found.length === 0).length
      this.tellProgress(index + 1, 0, (empty / (index + 1)) * pageCount)
      await this.context.pause()
    }
  }

  /** Pages read and pictures recognised, of the pages and the pictures that are expected. */
  private tellProgress(pages: number, pictures: number, expected: number): void {
    const { pageCount } = this.document
    this.context.progress((pages + pictures * OCR_EFFORT) / (pageCount + expected * OCR_EFFORT))
  }

  /** Fonts that PDFium cannot map to text are the usual case. */
  private async askPdfJs(thin: number[]): Promise<void> {
    if (thin.length === 0 || this.bytes.length > MAX_PDFJS_BYTES) return
    const { readWithPdfJs } = await import("./pdfjs.ts")
    const found = await readWithPdfJs(this.bytes, thin).catch(() => undefined)
    for (const [index, text] of found?.texts ?? []) {
      const blocks: PageBlock[] = [{ kind: "paragraph", text }]
      if (letterCount(blocks) > letterCount(this.pages[index]!)) this.pages[index] = blocks
    }
  }

  /** A short page is suspect where more is drawn than it has letters, or a picture covers much of it. */
  private mayHideText(index: number): boolean {
    const objects = this.document.objectCounts(index).all
    const letters = letterCount(this.pages[index]!)
    return objects > letters || (objects > 0 && this.document.hasPicture(index, PICTURE_SHARE))
  }

  private isPicture(index: number): boolean {
    const letters = letterCount(this.pages[index]!)
    if (letters === 0) return true
    return letters < THIN_PAGE_CHARS && this.document.hasPicture(index, PICTURE_SHARE)
  }

  private async readPictures(indexes: number[]): Promise<void> {
    if (indexes.length === 0) return
    this.context.expectOcr(indexes.length)
    for (const [done, index] of indexes.entries()) {
      const bitmap = this.document.render(index, OCR_DPI, OCR_MAX_PIXELS)
      if (!bitmap) this.unreadable++
      else if (!isBlank(bitmap)) await this.readPicture(index, bitmap)
      this.tellProgress(this.pages.length, done + 1, indexes.length)
      await this.context.pause()
    }
  }

  private async readPicture(index: number, bitmap: Bitmap): Promise<void> {
    const { text, confidence } = await this.context.recognize(bitmapFile(bitmap))
    if (!text) return
    const blocks: PageBlock[] = text.split(/\n{2,}/).map(paragraph => ({ kind: "paragraph", text: paragraph }))
    this.context.out.ocrPageCount++
    if (confidence < DOUBTFUL_CONFIDENCE) this.doubtful++
    if (letterCount(blocks) > letterCount(this.pages[index]!)) this.pages[index] = blocks
  }
}

function letterCount(blocks: PageBlock[]): number {
  let count = 0
  for (const { text } of blocks) {
    count += text.length > 400 ? 400 : (text.match(/[\p{L}\p{N}]/gu)?.length ?? 0)
    if (count >= THIN_PAGE_CHARS * 20) break
  }
  return count
}
