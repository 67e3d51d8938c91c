/** Pages of documents, places on them, and what is drawn of them. */

/** In shares of the page as it is shown, 0..1, from its upper left corner. */
export interface PageBox {
  x: number
  y: number
  width: number
  height: number
}

/** In points of a PDF or pixels of a picture, as it is shown. */
export interface PageSize {
  width: number
  height: number
}

/** One page of a document; its part of the stored text is [start, end), in UTF-16 code units, empty where it has none. */
export interface PageOutline extends PageSize {
  start: number
  end: number
  /** The same of the text in UTF-8. */
  startByte: number
  endByte: number
  /** Its text was recognized. */
  ocr: boolean
}

/** Where a word stands, in shares (0..1) of the picture as it was given, upright as its camera says. */
export interface RecognizedWord {
  text: string
  left: number
  top: number
  right: number
  bottom: number
}

/** A picture in memory: rows from the top, three bytes (red, green, blue) a pixel. */
export interface Pixels extends PageSize {
  pixels: Uint8Array
}

/** A box by its sides, in the unit of the page's size; y grows downwards. */
export interface Sides {
  left: number
  top: number
  right: number
  bottom: number
}

/** What the file itself places on a page. */
export interface PlacedText {
  text: string
  /** In the unit of the page's size. */
  sides: Sides
}

/** Pages are counted from 0. */
export interface PagedDocument {
  readonly pageCount: number
  /** It is one picture: all of its text was recognized. */
  readonly isPicture: boolean
  /** Undefined where the page is damaged. */
  sizeOf(index: number): PageSize | undefined
  /** @param width of the picture, in pixels; see `pixelSize`. Undefined where the page is damaged. */
  draw(index: number, width: number): Pixels | undefined
  /** Of one code point each, in the order of the text; what is scanned has none. */
  charactersOf(index: number): PlacedText[]
  /** What was filled into the fields of a form, or typed over the page. */
  entriesOf(index: number): PlacedText[]
  close(): void
}

/** Of one picture, whatever the shape of the page: 3 MB of memory for each million, several times. */
const MAX_PIXELS = 12_000_000

/** A page of this shape, so wide: less wide where it would have too many pixels. */
export function pixelSize({ width, height }: PageSize, wanted: number): PageSize {
  const most = Math.sqrt((MAX_PIXELS * width) / height)
  const actual = Math.max(1, Math.floor(Math.min(wanted, most)))
  return { width: actual, height: Math.max(1, Math.min(Math.round((actual * height) / width), MAX_PIXELS / actual)) }
}
