import { ExtractionError } from "../../../storage/document.ts"
import { addAttachments } from "../attached.ts"
import type { ExtractContext, Extractor, RecognizedText } from "../extractor.ts"
import { explainMissing } from "../ocr/scripts.ts"
import { familiarity, legibility } from "../text/legibility.ts"
import { bitmapFile, isBlank } from "./bitmap.ts"
import {
  CLEARLY_FAMILIAR,
  contradicts,
  flatten,
  letterCount,
  type Page,
  readPage,
  replace,
  SHARED_WORDS,
  sharedWords,
  unloaded,
} from "./page.ts"
import { type Bitmap, PdfiumDocument } from "./pdfium.ts"

/** A page with fewer letters and digits than this may be a picture of text. */
const THIN_PAGE_CHARS = 20
/** A thin page that has some text is looked at as a picture only if one covers this share of it. */
const PICTURE_SHARE = 0.3
/** Gives the same words as 300 dpi for common type sizes, in half the time. */
const OCR_DPI = 200
const OCR_MAX_PIXELS = 12_000_000
/** Recognizing a page takes about this many times as long as reading the text of one. */
const OCR_EFFORT = 100
/** Below this the text of a page deserves a warning. */
const DOUBTFUL_CONFIDENCE = 60
/** After so many pages whose doubtful text was what they show, the others of the document are believed. */
const TRUSTED_AFTER = 3
/** PDFium unpacks attached files in its own memory, whatever becomes of them. */
const MAX_BYTES_UNPACKED = 128 * 1024 * 1024
/** pdf.js holds a file in memory, more than once. */
const MAX_PDFJS_BYTES = 100 * 1024 * 1024

/**
 * PDF page by page: PDFium's text with what was filled in; where a page has almost none, or its fonts map it to noise, what
 * pdf.js finds; where that is no better and the page shows something, OCR of its picture.
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
  private readonly pages: Page[] = []
  /** What was recognized, by what the page shows. */
  private readonly recognized = new Map<string, RecognizedText>()
  /** Indexes of pages that the file's share of text recognition did not suffice for. */
  private readonly unread: number[] = []
  /** Indexes of pages, by the scripts, joined by blanks, that no installed language of OCR reads. */
  private readonly missing = new Map<string, number[]>()
  private unreadable = 0
  private doubtful = 0
  private garbled = 0
  /** Those of the garbled whose pictures could not be read either. */
  private lost = 0
  private trusted = 0

  constructor(
    private readonly document: PdfiumDocument,
    private readonly bytes: Uint8Array,
    private readonly context: ExtractContext,
  ) {}

  async run(): Promise<void> {
    await this.readTexts()
    const indexes = [...this.pages.keys()]
    const thin = indexes.filter(index => this.pages[index]!.letters < THIN_PAGE_CHARS && this.mayHideText(index))
    const strange = indexes.filter(index => this.pages[index]!.legibility !== "clear")
    const askable = thin.filter(index => this.document.objectCounts(index).texts > 0)
    await this.askPdfJs(new Set([...askable, ...strange]))
    const pictures = thin.filter(index => this.isPicture(index))
    const stillStrange = strange.filter(index => this.pages[index]!.legibility !== "clear")
    await this.readPictures([...new Set([...pictures, ...stillStrange])].sort((a, b) => a - b))
    this.addPages()
    this.warn()
    await this.addAttachments(indexes.filter(index => this.pages[index]!.files))
  }

  /** Last, so that the pages are known to be readable if an attached file ends the process. */
  private async addAttachments(holders: number[]): Promise<void> {
    const { out, mayReadAttachments } = this.context
    if (this.document.attachments(holders).next().done) return
    if (this.bytes.length > MAX_BYTES_UNPACKED)
      out.warn("attachment_skipped", "the files inside of so large a PDF are not read")
    else if (mayReadAttachments()) await addAttachments(this.document.attachments(holders), this.context, "PDF")
    else out.warn("attachment_skipped", "the files inside of the PDF take more memory than is allowed")
  }

  private async readTexts(): Promise<void> {
    const { pageCount } = this.document
    let length = 0
    for (let index = 0; index < pageCount; index++) {
      const page = this.document.withText(index, readPage)
      if (!page) this.unreadable++
      this.pages.push(page ?? unloaded())
      for (const { text } of page?.blocks ?? []) length += text.length
      this.context.out.checkRoom(length)
      if (index % 16 !== 15) continue
      const empty = this.pages.filter(({ blocks }) => blocks.length === 0).length
      this.tellProgress(index + 1, 0, (empty / (index + 1)) * pageCount)
      await this.context.pause()
    }
  }

  /** Pages read and pictures recognized, of the pages and the pictures that are expected. */
  private tellProgress(pages: number, pictures: number, expected: number): void {
    const { pageCount } = this.document
    this.context.progress((pages + pictures * OCR_EFFORT) / (pageCount + expected * OCR_EFFORT))
  }

  /** Fonts that PDFium cannot map to text are the usual case. */
  private async askPdfJs(indexes: Set<number>): Promise<void> {
    if (indexes.size === 0 || this.bytes.length > MAX_PDFJS_BYTES) return
    const { readWithPdfJs } = await import("./pdfjs.ts")
    const found = await readWithPdfJs(this.bytes, [...indexes]).catch(() => undefined)
    for (const [index, text] of found?.texts ?? []) {
      const page = this.pages[index]!
      if (legibility(text) !== "clear") continue
      if (page.legibility === "clear") {
        if (letterCount(text) > page.letters) replace(page, text)
      } else if (sharedWords(text, page) > SHARED_WORDS) page.legibility = "clear"
      else if ((familiarity(text) ?? 0) >= CLEARLY_FAMILIAR) {
        replace(page, text)
        page.legibility = "clear"
      }
    }
  }

  /** A short page is suspect where more is drawn than it has letters, or a picture covers much of it. */
  private mayHideText(index: number): boolean {
    const objects = this.document.objectCounts(index).all
    return objects > this.pages[index]!.letters || (objects > 0 && this.document.hasPicture(index, PICTURE_SHARE))
  }

  private isPicture(index: number): boolean {
    const { letters } = this.pages[index]!
    if (letters === 0) return true
    return letters < THIN_PAGE_CHARS && this.document.hasPicture(index, PICTURE_SHARE)
  }

  private async readPictures(indexes: number[]): Promise<void> {
    const { ocr, expectOcr, pause } = this.context
    if (indexes.length === 0) return
    if (!ocr.spent) expectOcr(Math.min(indexes.length, ocr.pagesLeft))
    for (const [done, index] of indexes.entries()) {
      const page = this.pages[index]!
      if (page.legibility === "doubtful" && this.trusted >= TRUSTED_AFTER) continue
      if (ocr.spent) this.unread.push(index)
      else await ocr.charge(() => this.readPicture(index))
      if (page.legibility === "noise") this.drop(page)
      this.tellProgress(this.pages.length, done + 1, indexes.length)
      await pause()
    }
  }

  /** A page that shows the same as an earlier one is not recognized again. */
  private async readPicture(index: number): Promise<"recognized" | "nothing"> {
    const key = this.document.pictureKey(index)
    const known = key === undefined ? undefined : this.recognized.get(key)
    if (known) {
      this.take(index, known)
      return "nothing"
    }
    const bitmap = this.document.render(index, OCR_DPI, OCR_MAX_PIXELS)
    if (!bitmap) this.unreadable++
    if (!bitmap || isBlank(bitmap)) return "nothing"
    const shown = bitmapKey(bitmap)
    const before = this.recognized.get(shown)
    const found = before ?? (await this.context.recognize(bitmapFile(bitmap)))
    this.recognized.set(shown, found)
    if (key !== undefined) this.recognized.set(key, found)
    this.take(index, found)
    return before ? "nothing" : "recognized"
  }

  private take(index: number, { text, confidence, missing = [], words = [] }: RecognizedText): void {
    const page = this.pages[index]!
    const scripts = missing.join(" ")
    if (scripts) this.missing.set(scripts, [...(this.missing.get(scripts) ?? []), index])
    if (page.legibility === "doubtful" && !contradicts(text, confidence, page)) {
      this.trusted++
      return
    }
    if (page.legibility === "clear" ? letterCount(text) <= page.letters : confidence < DOUBTFUL_CONFIDENCE) return
    this.context.out.ocrPageCount++
    if (confidence < DOUBTFUL_CONFIDENCE && missing.length === 0) this.doubtful++
    if (page.legibility !== "clear") this.garbled++
    page.legibility = "clear"
    replace(page, text)
    page.words = words
  }

  /** Noise is not stored. */
  private drop(page: Page): void {
    this.garbled++
    this.lost++
    replace(page, "")
  }

  private addPages(): void {
    const { out } = this.context
    out.pageCount = (out.pageCount ?? 0) + this.document.pageCount
    for (const [index, { blocks, comments, words }] of this.pages.entries()) {
      out.at({ page: index + 1 })
      const size = this.document.sizeOf(index) ?? { width: 0, height: 0 }
      out.onPage({ ...size, ocr: words !== undefined }, words ?? [], () => {
        for (const { kind, text, level } of blocks) out.add(kind, text, level)
        for (const comment of comments) out.add("notes", comment)
      })
    }
    this.addXfa()
  }

  /** An XFA form: mostly its pages show the values too; where they show none, they say only that it cannot be shown. */
  private addXfa(): void {
    const { out } = this.context
    if (this.pages.some(({ entries }) => entries.length > 0)) return
    const { labels, values } = this.document.xfaLines()
    const printed = flatten(this.pages.flatMap(({ blocks }) => blocks.map(({ text }) => text)).join(" "))
    const shown = labels.filter(label => printed.includes(flatten(label))).length
    const lines = [...(shown < labels.length * SHARED_WORDS ? labels : []), ...values]
    if (lines.length > 0) out.at({ page: null, section: "Form" })
    for (const line of lines) out.add("paragraph", line)
  }

  private warn(): void {
    const { out, ocr } = this.context
    const of = `of ${this.document.pageCount} pages`
    if (this.unreadable > 0) out.warn("unreadable_pages", `${this.unreadable} ${of} could not be read`)
    if (this.garbled > 0) {
      const lost = this.lost > 0 ? `; ${this.lost} of these were left out: OCR did not know their writing` : ""
      out.warn(
        "garbled_text",
        `the fonts of ${this.garbled} ${of} do not tell their letters; OCR was tried instead${lost}`,
      )
    }
    if (this.doubtful > 0)
      out.warn("low_ocr_confidence", `the text of ${this.doubtful} ${of} was recognized with low confidence`)
    for (const [scripts, indexes] of this.missing)
      out.warn("ocr_language_missing", explainMissing(scripts.split(" "), havingPages(indexes)))
    if (this.unread.length > 0) out.warn("ocr_limit", ocr.explain(`${pageRanges(this.unread)} not read`))
  }
}

/** Such as `pages 3–7, 9 have`. */
const havingPages = (indexes: number[]): string => `${pageRanges(indexes)} ${indexes.length === 1 ? "has" : "have"}`

function bitmapKey({ width, height, pixels }: Bitmap): string {
  return `${width} ${height} ${new Bun.CryptoHasher("sha256").update(pixels).digest("hex")}`
}

const MAX_RANGES = 10

/** Such as `pages 3–7, 9`, counted from 1. */
function pageRanges(indexes: number[]): string {
  const ranges: [first: number, last: number][] = []
  for (const index of indexes) {
    const open = ranges.at(-1)
    if (open && open[1] === index) open[1] = index + 1
    else ranges.push([index + 1, index + 1])
  }
  const shown = ranges.slice(0, MAX_RANGES).map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`))
  const more = ranges.length > MAX_RANGES ? " and others" : ""
  return `${indexes.length === 1 ? "page" : "pages"} ${shown.join(", ")}${more}`
}
