/** PDF documents through PDFium: page text, what is drawn on a page, rendering. Errors are ExtractionErrors. */
import { ExtractionError } from "../../../storage/document.ts"
import type { AttachedFile } from "../attached.ts"
import { attachedTo, filesOnPage } from "./attachments.ts"
import { type CharacterBoxes, type Entry, entryLine, fillIn } from "./entries.ts"
import { type PageEntries, PdfForms } from "./forms.ts"
import { loadPdfium, openPdf, type Pdfium } from "./pdfium-library.ts"
import { readXfa } from "./xfa.ts"

const ERROR_PASSWORD = 4
const ERROR_SECURITY = 5
/** Pages drawn from many thousand pieces are no scans. */
const MAX_OBJECTS = 1000
const OBJECT_TEXT = 1
const OBJECT_IMAGE = 3
/** A form wraps other objects, mostly pictures where it covers much of a page. */
const OBJECT_FORM = 5
const FORMAT_GRAY = 1
const RENDER_ANNOTATIONS = 1
const RENDER_GRAYSCALE = 8

/** Characters of a page that entries are placed beside. */
const MAX_PLACED_CHARS = 20_000
/** Characters whose fonts are asked whether they have a map. */
const MAX_MAPPED_CHARS = 6000
/** A page of more objects than this is told from others by its picture. */
const MAX_COMPARED_OBJECTS = 16

export interface PageText {
  /** What is printed, with what was filled in beside it. */
  text: string
  /** What is printed alone. */
  printed: string
  /** Font size in points of the character at a position of `text`. */
  fontSizeAt(index: number): number
  /** Share (0..1) of the printed characters for which the font has no map to text. */
  unmapped: number
  /** Everything that was filled in, a line each. */
  entries: string[]
  /** Those of them that stand beside no text, and are not in `text`. */
  unplaced: string[]
  comments: string[]
  /** Files hang on the page. */
  files: boolean
}

export interface Bitmap {
  width: number
  height: number
  /** Rows from the top, a byte per pixel: 0 is black. */
  pixels: Uint8Array
}

export class PdfiumDocument {
  readonly pageCount: number
  private readonly forms: PdfForms

  private constructor(
    private readonly pdfium: Pdfium,
    private readonly document: number,
    private readonly release: () => void,
  ) {
    this.pageCount = pdfium._FPDF_GetPageCount(document)
    this.forms = new PdfForms(pdfium, document)
  }

  /** @throws ExtractionError `encrypted_file` where a password is needed, else `corrupt_file`. */
  static async open(bytes: Uint8Array): Promise<PdfiumDocument> {
    const pdfium = await loadPdfium()
    const { document, release } = openPdf(pdfium, bytes)
    if (document) return new PdfiumDocument(pdfium, document, release)
    const error = pdfium._FPDF_GetLastError()
    release()
    if (error === ERROR_PASSWORD || error === ERROR_SECURITY)
      throw new ExtractionError("encrypted_file", "the PDF needs a password")
    throw new ExtractionError("corrupt_file", "the PDF is damaged")
  }

  close(): void {
    this.forms.close()
    this.pdfium._FPDF_CloseDocument(this.document)
    this.release()
  }

  /** As it is shown, in points; undefined where the page (0-based) is damaged. Cheap: the page is not loaded. */
  sizeOf(index: number): { width: number; height: number } | undefined {
    const { pdfium } = this
    const room = pdfium.wasmExports.malloc(16)
    const known = pdfium._FPDF_GetPageSizeByIndex(this.document, index, room, room + 8)
    const view = new DataView(pdfium.HEAPU8.buffer, room, 16)
    const [width, height] = [view.getFloat64(0, true), view.getFloat64(8, true)]
    pdfium.wasmExports.free(room)
    return known && width > 0 && height > 0 ? { width, height } : undefined
  }

  /** Calls `use` with the library and a page (0-based); undefined where the page cannot be loaded. */
  onPage<T>(index: number, use: (pdfium: Pdfium, page: number) => T | undefined): T | undefined {
    return this.withPage(index, page => use(this.pdfium, page))
  }

  /** What was filled in on a page (0-based). */
  entriesOn(index: number): readonly Entry[] {
    return this.withPage(index, page => this.forms.entriesOn(page).entries) ?? []
  }

  /** Calls `use` with the text of a page (0-based); undefined where the page cannot be loaded. */
  withText<T>(index: number, use: (page: PageText) => T): T | undefined {
    return this.withPage(index, page => {
      const text = this.pdfium._FPDFText_LoadPage(page)
      if (!text) return undefined
      try {
        return use(this.pageText(text, this.forms.entriesOn(page)))
      } finally {
        this.pdfium._FPDFText_ClosePage(text)
      }
    })
  }

  /** Files inside the document: its own, then those on these pages (0-based). Each is unpacked when it is asked for. */
  *attachments(pages: readonly number[]): Generator<AttachedFile> {
    yield* attachedTo(this.pdfium, this.document)
    for (const index of pages) yield* this.withPage(index, page => filesOnPage(this.pdfium, page)) ?? []
  }

  /** What a form of the XFA kind keeps apart from the pages: labels, and values with their names. */
  xfaLines(): { labels: string[]; values: string[] } {
    const { labels, values } = readXfa(this.pdfium, this.document)
    return { labels, values: values.map(entryLine) }
  }

  private pageText(text: number, { entries, comments, files }: PageEntries): PageText {
    const printed = this.readText(text)
    const filled = fillIn(printed, entries, entries.length > 0 ? this.characterBoxes(text) : [])
    return {
      text: filled.text,
      printed,
      fontSizeAt: at => this.pdfium._FPDFText_GetFontSize(text, filled.origin(at)),
      unmapped: this.unmappedShare(text),
      entries: entries.map(entryLine),
      unplaced: filled.unplaced,
      comments,
      files,
    }
  }

  private unmappedShare(text: number): number {
    const count = Math.min(MAX_MAPPED_CHARS, this.pdfium._FPDFText_CountChars(text))
    let unmapped = 0
    for (let i = 0; i < count; i++) if (this.pdfium._FPDFText_HasUnicodeMapError(text, i) === 1) unmapped++
    return count > 0 ? unmapped / count : 0
  }

  private characterBoxes(text: number): CharacterBoxes {
    const { pdfium } = this
    const count = Math.min(MAX_PLACED_CHARS, pdfium._FPDFText_CountChars(text))
    const at = pdfium.wasmExports.malloc(32)
    const boxes: CharacterBoxes = []
    for (let i = 0; i < count; i++) {
      if (!pdfium._FPDFText_GetCharBox(text, i, at, at + 8, at + 16, at + 24)) continue
      const view = new DataView(pdfium.HEAPU8.buffer, at, 32)
      const [left, right, bottom, top] = [0, 8, 16, 24].map(offset => view.getFloat64(offset, true)) as [
        number,
        number,
        number,
        number,
      ]
      const position = pdfium._FPDFText_GetTextIndexFromCharIndex(text, i)
      if (right > left && position >= 0) boxes.push({ left, right, bottom, top, at: position })
    }
    pdfium.wasmExports.free(at)
    return boxes
  }

  /**
   * The same for pages that show the same pictures at the same places and nothing else; undefined where there is more on
   * the page than pictures. Cheap: nothing is unpacked or drawn.
   */
  pictureKey(index: number): string | undefined {
    return this.withPage(index, page => {
      const { pdfium } = this
      const count = pdfium._FPDFPage_CountObjects(page)
      if (count < 1 || count > MAX_COMPARED_OBJECTS || pdfium._FPDFPage_GetAnnotCount(page) > 0) return undefined
      const pictures: string[] = []
      for (let i = 0; i < count; i++) {
        const picture = this.pictureHash(pdfium._FPDFPage_GetObject(page, i))
        if (!picture) return undefined
        pictures.push(picture)
      }
      return `${this.visibleBox(page)} ${pdfium._FPDFPage_GetRotation(page)} ${pictures.join(" ")}`
    })
  }

  private visibleBox(page: number): string {
    const at = this.pdfium.wasmExports.malloc(16)
    this.pdfium._FPDF_GetPageBoundingBox(page, at)
    const box = Buffer.from(this.pdfium.HEAPU8.subarray(at, at + 16)).toString("hex")
    this.pdfium.wasmExports.free(at)
    return box
  }

  private pictureHash(object: number): string | undefined {
    const { pdfium } = this
    if (pdfium._FPDFPageObj_GetType(object) !== OBJECT_IMAGE) return undefined
    if (pdfium._FPDFClipPath_CountPaths(pdfium._FPDFPageObj_GetClipPath(object)) > 0) return undefined
    const length = pdfium._FPDFImageObj_GetImageDataRaw(object, 0, 0)
    const buffer = length > 0 ? pdfium.wasmExports.malloc(length + 24) : 0
    if (buffer === 0) return undefined
    const placed = pdfium._FPDFPageObj_GetMatrix(object, buffer)
    pdfium._FPDFImageObj_GetImageDataRaw(object, buffer + 24, length)
    const hash = new Bun.CryptoHasher("sha256")
      .update(pdfium.HEAPU8.subarray(buffer, buffer + 24 + length))
      .digest("hex")
    pdfium.wasmExports.free(buffer)
    return placed ? hash : undefined
  }

  /** How many things are drawn on a page, and how many of them may be text. */
  objectCounts(index: number): { all: number; texts: number } {
    const counts = this.withPage(index, page => {
      const all = this.pdfium._FPDFPage_CountObjects(page)
      let texts = 0
      for (let i = 0; i < Math.min(MAX_OBJECTS, all); i++) {
        const type = this.pdfium._FPDFPageObj_GetType(this.pdfium._FPDFPage_GetObject(page, i))
        if (type === OBJECT_TEXT || type === OBJECT_FORM) texts++
      }
      return { all, texts }
    })
    return counts ?? { all: 0, texts: 0 }
  }

  /** True where one picture covers at least `share` (0..1) of a page. */
  hasPicture(index: number, share: number): boolean {
    const found = this.withPage(index, page => {
      const area = this.pdfium._FPDF_GetPageWidth(page) * this.pdfium._FPDF_GetPageHeight(page)
      const count = Math.min(MAX_OBJECTS, this.pdfium._FPDFPage_CountObjects(page))
      for (let i = 0; i < count; i++) {
        const object = this.pdfium._FPDFPage_GetObject(page, i)
        const type = this.pdfium._FPDFPageObj_GetType(object)
        if ((type === OBJECT_IMAGE || type === OBJECT_FORM) && this.objectArea(object) >= share * area) return true
      }
      return false
    })
    return found ?? false
  }

  private objectArea(object: number): number {
    const bounds = this.pdfium.wasmExports.malloc(16)
    const known = this.pdfium._FPDFPageObj_GetBounds(object, bounds, bounds + 4, bounds + 8, bounds + 12)
    const at = new DataView(this.pdfium.HEAPU8.buffer, bounds, 16)
    const [left, bottom, right, top] = [0, 4, 8, 12].map(offset => at.getFloat32(offset, true)) as [
      number,
      number,
      number,
      number,
    ]
    this.pdfium.wasmExports.free(bounds)
    return known ? (right - left) * (top - bottom) : 0
  }

  /** Draws a page (0-based) in grey, at `dpi`, less where it would have more than `maxPixels`. */
  render(index: number, dpi: number, maxPixels: number): Bitmap | undefined {
    return this.withPage(index, page => {
      const { pdfium } = this
      const points = { width: pdfium._FPDF_GetPageWidth(page), height: pdfium._FPDF_GetPageHeight(page) }
      if (!(points.width > 0 && points.height > 0)) return undefined
      const scale = Math.min(dpi / 72, Math.sqrt(maxPixels / (points.width * points.height)))
      const width = Math.max(1, Math.round(points.width * scale))
      const height = Math.max(1, Math.round(points.height * scale))
      const buffer = pdfium.wasmExports.malloc(width * height)
      if (buffer === 0) return undefined
      const bitmap = pdfium._FPDFBitmap_CreateEx(width, height, FORMAT_GRAY, buffer, width)
      pdfium._FPDFBitmap_FillRect(bitmap, 0, 0, width, height, 0xffffffff)
      pdfium._FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, RENDER_ANNOTATIONS | RENDER_GRAYSCALE)
      const pixels = pdfium.HEAPU8.slice(buffer, buffer + width * height)
      pdfium._FPDFBitmap_Destroy(bitmap)
      pdfium.wasmExports.free(buffer)
      return { width, height, pixels }
    })
  }

  private withPage<T>(index: number, use: (page: number) => T | undefined): T | undefined {
    const page = this.pdfium._FPDF_LoadPage(this.document, index)
    if (!page) return undefined
    try {
      return use(page)
    } finally {
      this.pdfium._FPDF_ClosePage(page)
    }
  }

  private readText(text: number): string {
    const count = this.pdfium._FPDFText_CountChars(text)
    if (count <= 0) return ""
    const buffer = this.pdfium.wasmExports.malloc((count + 1) * 2)
    if (buffer === 0) return ""
    // The length that comes back counts the closing zero.
    const length = this.pdfium._FPDFText_GetText(text, 0, count, buffer)
    const bytes = this.pdfium.HEAPU8.subarray(buffer, buffer + Math.max(0, length - 1) * 2)
    const decoded = new TextDecoder("utf-16le").decode(bytes)
    this.pdfium.wasmExports.free(buffer)
    return decoded
  }
}
