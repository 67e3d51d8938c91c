/** Which part of its stored text stands on which page of a document, found by reading it once more, without recognition. */
import { ExtractionError } from "../../storage/document.ts"
import { extractInto } from "../formats/extract.ts"
import type { Source } from "../formats/extractor.ts"
import type { PagedDocument, PageOutline } from "./page.ts"

/**
 * Text that was recognized is what lies between that of other pages: where several scanned pages follow one another, the
 * first is taken to have all of it.
 * @param stored the text as it was read when the file was indexed
 */
export async function outlineOf(
  document: PagedDocument,
  source: Source,
  type: string,
  stored: string,
): Promise<PageOutline[]> {
  const read = document.isPicture ? new Map<number, string>() : await readAgain(source, type)
  const pages: PageRange[] = []
  let at = 0
  for (let index = 0; index < document.pageCount; index++) {
    const { width, height } = document.sizeOf(index) ?? { width: 0, height: 0 }
    const text = read.get(index + 1)
    const start = text ? stored.indexOf(text, at) : -1
    if (start >= 0) {
      giveGap(pages, stored, at, start)
      at = start + text!.length
      pages.push({ width, height, start, end: at, ocr: false })
    } else pages.push({ width, height, start: at, end: at, ocr: false })
  }
  giveGap(pages, stored, at, stored.length)
  return inBytes(pages, stored)
}

type PageRange = Omit<PageOutline, "startByte" | "endByte">

function inBytes(pages: readonly PageRange[], stored: string): PageOutline[] {
  let [at, byte] = [0, 0]
  const advance = (to: number) => {
    byte += Buffer.byteLength(stored.slice(at, to))
    at = to
    return byte
  }
  return pages.map(page => ({ ...page, startByte: advance(page.start), endByte: advance(page.end) }))
}

/** The first of the last pages without text has what lies before the next page's. */
function giveGap(pages: PageRange[], stored: string, from: number, to: number): void {
  const gap = stored.slice(from, to)
  const last = pages.findLastIndex(({ start, end }) => end > start)
  const page = pages[last + 1]
  if (!gap.trim() || !page) return
  page.start = from + (gap.length - gap.trimStart().length)
  page.end = from + gap.trimEnd().length
  page.ocr = true
}

/** The texts of pages, by their numbers. */
async function readAgain(source: Source, type: string): Promise<Map<number, string>> {
  const parts: string[] = []
  const texts = new Map<number, string>()
  try {
    const { blocks } = await extractInto(text => parts.push(text), source, type, WITHOUT_RECOGNITION)
    const text = parts.join("")
    const ranges = new Map<number, { start: number; end: number }>()
    for (const { start, end, place } of blocks)
      if (place.page !== null && place.member === null)
        ranges.set(place.page, { start: ranges.get(place.page)?.start ?? start, end })
    for (const [page, { start, end }] of ranges) texts.set(page, text.slice(start, end))
  } catch (error) {
    if (!(error instanceof ExtractionError && error.code === "no_text")) throw error
  }
  return texts
}

const WITHOUT_RECOGNITION = {
  onProgress() {},
  onOcrExpected() {},
  mayReadAttachments: () => false,
  pause: async () => {},
  ocrLimits: { pages: 0, seconds: 0 },
  async recognize() {
    return { text: "", confidence: 0 }
  },
}
