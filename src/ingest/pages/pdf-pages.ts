/** The pages of a PDF as they are shown: turned as the page says, cut to its visible box. */

import { PdfiumDocument } from "../formats/pdf/pdfium.ts"
import type { Pdfium } from "../formats/pdf/pdfium-library.ts"
import { type PagedDocument, type PageSize, type Pixels, type PlacedText, pixelSize, type Sides } from "./page.ts"

const FORMAT_BGR = 2
const RENDER_ANNOTATIONS = 1
/** Red first. */
const RENDER_REVERSE = 0x10
const WHITE = 0xffffffff
/** Whole numbers in which the library tells places on a page: a fraction of a pixel of any picture of it. */
const STEPS = 1_000_000
/** More stand on no page that a person reads. */
const MAX_CHARACTERS = 200_000
/** Times the area of the ink: a letter has about 3, dots and dashes up to 40. */
const MOST_ROOM = 100

export async function openPdfPages(bytes: Uint8Array): Promise<PagedDocument> {
  return new PdfPages(await PdfiumDocument.open(bytes))
}

class PdfPages implements PagedDocument {
  readonly isPicture = false

  constructor(private readonly document: PdfiumDocument) {}

  get pageCount(): number {
    return this.document.pageCount
  }

  sizeOf(index: number): PageSize | undefined {
    return this.document.sizeOf(index)
  }

  draw(index: number, width: number): Pixels | undefined {
    return this.document.onPage(index, (pdfium, page) => {
      const size = sizeOfPage(pdfium, page)
      return size && drawPage(pdfium, page, pixelSize(size, width))
    })
  }

  charactersOf(index: number): PlacedText[] {
    const found = this.document.onPage(index, (pdfium, page) => {
      const size = sizeOfPage(pdfium, page)
      const text = size ? pdfium._FPDFText_LoadPage(page) : 0
      if (!size || !text) return []
      try {
        return placedCharacters(pdfium, page, text, size)
      } finally {
        pdfium._FPDFText_ClosePage(text)
      }
    })
    return found ?? []
  }

  entriesOf(index: number): PlacedText[] {
    const entries = this.document.entriesOn(index)
    const found = this.document.onPage(index, (pdfium, page) => {
      const size = sizeOfPage(pdfium, page)
      if (!size || entries.length === 0) return []
      return withPlaces(pdfium, page, place =>
        entries.flatMap(({ value, box: { left, top, right, bottom } }) => {
          const sides = place(left, top, right, bottom)
          return sides ? [{ text: value, sides: inPoints(sides, size) }] : []
        }),
      )
    })
    return found ?? []
  }

  close(): void {
    this.document.close()
  }
}

function sizeOfPage(pdfium: Pdfium, page: number): PageSize | undefined {
  const size = { width: pdfium._FPDF_GetPageWidth(page), height: pdfium._FPDF_GetPageHeight(page) }
  return size.width > 0 && size.height > 0 ? size : undefined
}

function drawPage(pdfium: Pdfium, page: number, { width, height }: PageSize): Pixels | undefined {
  const bytes = width * height * 3
  const buffer = pdfium.wasmExports.malloc(bytes)
  if (buffer === 0) return undefined
  const bitmap = pdfium._FPDFBitmap_CreateEx(width, height, FORMAT_BGR, buffer, width * 3)
  pdfium._FPDFBitmap_FillRect(bitmap, 0, 0, width, height, WHITE)
  pdfium._FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, RENDER_ANNOTATIONS | RENDER_REVERSE)
  const pixels = pdfium.HEAPU8.slice(buffer, buffer + bytes)
  pdfium._FPDFBitmap_Destroy(bitmap)
  pdfium.wasmExports.free(buffer)
  return { width, height, pixels }
}

function placedCharacters(pdfium: Pdfium, page: number, text: number, size: PageSize): PlacedText[] {
  const count = Math.min(MAX_CHARACTERS, pdfium._FPDFText_CountChars(text))
  const characters: PlacedText[] = []
  withPlaces(pdfium, page, (place, room) => {
    for (let i = 0; i < count; i++) {
      const code = pdfium._FPDFText_GetUnicode(text, i)
      const sides = code > 0 && code <= 0x10ffff ? sidesOf(pdfium, text, i, place, room) : undefined
      if (sides) characters.push({ text: String.fromCodePoint(code), sides: inPoints(sides, size) })
    }
  })
  return characters
}

type Four = [number, number, number, number]
/** From two corners in the file's own coordinates to steps of the page as it is shown; undefined for what has no area. */
type Place = (...corners: Four) => Sides | undefined

/** `room`: 32 bytes to be used. */
function withPlaces<T>(pdfium: Pdfium, page: number, use: (place: Place, room: number) => T): T {
  const room = pdfium.wasmExports.malloc(40)
  const shown = (x: number, y: number): [number, number] => {
    pdfium._FPDF_PageToDevice(page, 0, 0, STEPS, STEPS, 0, x, y, room + 32, room + 36)
    const view = new DataView(pdfium.HEAPU8.buffer, room + 32, 8)
    return [view.getInt32(0, true), view.getInt32(4, true)]
  }
  const place: Place = (x1, y1, x2, y2) => {
    const [[xa, ya], [xb, yb]] = [shown(x1, y1), shown(x2, y2)]
    const sides = { left: Math.min(xa, xb), right: Math.max(xa, xb), top: Math.min(ya, yb), bottom: Math.max(ya, yb) }
    return sides.right > sides.left && sides.bottom > sides.top ? sides : undefined
  }
  try {
    return use(place, room)
  } finally {
    pdfium.wasmExports.free(room)
  }
}

/**
 * With the room that its font gives every letter, so that a line has one height; the ink alone where a font exaggerates.
 * @returns undefined for characters that are not drawn
 */
function sidesOf(pdfium: Pdfium, text: number, at: number, place: Place, room: number): Sides | undefined {
  if (!pdfium._FPDFText_GetCharBox(text, at, room, room + 8, room + 16, room + 24)) return undefined
  const view = () => new DataView(pdfium.HEAPU8.buffer, room, 32) // the memory may have grown
  const [left, right, bottom, top] = [0, 8, 16, 24].map(offset => view().getFloat64(offset, true)) as Four
  const ink = place(left, top, right, bottom)
  if (!pdfium._FPDFText_GetLooseCharBox(text, at, room)) return ink
  // struct FS_RECTF: left, top, right, bottom.
  const roomy = place(...([0, 4, 8, 12].map(offset => view().getFloat32(offset, true)) as Four))
  return ink && (!roomy || areaOf(roomy) > areaOf(ink) * MOST_ROOM) ? ink : roomy
}

const areaOf = ({ left, top, right, bottom }: Sides): number => (right - left) * (bottom - top)

const inPoints = ({ left, top, right, bottom }: Sides, { width, height }: PageSize): Sides => ({
  left: (left / STEPS) * width,
  right: (right / STEPS) * width,
  top: (top / STEPS) * height,
  bottom: (bottom / STEPS) * height,
})
