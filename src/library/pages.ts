/** The pages of a document as its users see them: which there are, each as a picture, and where on it a passage stands. */
import type { View } from "../access/view.ts"
import { AppError, invalid } from "../errors.ts"
import { lineBoxes } from "../ingest/pages/line-boxes.ts"
import type { PageBox } from "../ingest/pages/page.ts"
import type { Marks } from "../ingest/process/page-protocol.ts"
import type { PageReader } from "../ingest/process/page-reader.ts"
import type { Blobs } from "../storage/blobs/blobs.ts"
import { ExtractionError } from "../storage/document.ts"
import { Lru } from "../threads/lru.ts"
import { SharedWork } from "../threads/shared-work.ts"
import { KeptOriginals } from "./kept-originals.ts"
import type { Library, LiveVersion } from "./library.ts"
import { type KnownPage, readLayout, readWords } from "./page-layouts.ts"
import { ShownPages, type TaggedPage } from "./shown-pages.ts"

export type { PageBox }

export interface PageRecord {
  /** Counted from 1. */
  page: number
  /** As it is shown: points of a PDF, pixels of a picture. */
  width: number
  height: number
  /** UTF-16 code units of the extracted text that stand on it. */
  characters: number
  /** Its text was recognized. */
  ocr: boolean
}

/** Offsets into the extracted text of the whole file, in UTF-16 code units; what of the range lies on other pages is left out. */
export interface TextRange {
  /** 0 where absent. */
  start?: number | undefined
  /** The end of the text where absent. */
  end?: number | undefined
}

export interface PictureOptions extends TextRange {
  /** Pixels, 320 to 2400; 1200 where absent. */
  width?: number | undefined
}

export interface PagePicture {
  /** PNG. */
  bytes: Uint8Array<ArrayBuffer>
  /** Another one where the picture would be another. */
  tag: string
}

interface PagesDependencies {
  library: Pick<Library, "version">
  blobs: Blobs
  reader: Pick<PageReader, "outline" | "show">
}

const MIN_WIDTH = 320
const MAX_WIDTH = 2400
const WIDTH = 1200
/** Pages of all outlines that are remembered: some 100 bytes each. */
const OUTLINED_PAGES = 100_000
/** Of a page's text, UTF-8: more is not looked through for a passage. */
const MAX_PAGE_BYTES = 2 ** 20
const BROKEN_MS = 60_000
/** To be raised when pages are drawn or marked differently. */
const DRAWING = 1

interface Range {
  start: number
  end: number
}

interface Asked {
  page: number
  /** Absent: no picture is wanted. */
  width?: number
  range: Range | undefined
}

const NOTHING = new Uint8Array()

export class Pages implements AsyncDisposable {
  private readonly outlines = new Lru<string, KnownPage[]>({
    entries: 1_000,
    weight: OUTLINED_PAGES,
    weigh: pages => pages.length,
  })
  private readonly outlining = new SharedWork<KnownPage[]>()
  /** Pages that cannot be shown. */
  private readonly broken = new Lru<string, { error: AppError; until: number }>({ entries: 1_000 })
  private readonly showing = new SharedWork<TaggedPage>()
  private readonly originals: KeptOriginals
  private readonly shown = new ShownPages()

  constructor(private readonly dependencies: PagesDependencies) {
    this.originals = new KeptOriginals(dependencies.blobs)
  }

  /** What was drawn of the files, and is kept in memory. */
  forget(fileIds: ReadonlySet<string>): void {
    this.shown.forget(fileIds)
    for (const [key] of [...this.outlines]) if (fileIds.has(key.split(" ")[0]!)) this.outlines.delete(key)
  }

  /** @throws AppError not_found, also for files without pages that can be shown; conflict while the file is not findable */
  async list(view: View, fileId: string, signal: AbortSignal): Promise<PageRecord[]> {
    const { library } = this.dependencies
    const outline = await this.outline(await library.version(view, fileId), signal)
    await library.version(view, fileId) // it may have been deleted meanwhile
    return outline.map(({ width, height, start, end, ocr }, i) => ({
      page: i + 1,
      width,
      height,
      characters: end - start,
      ocr,
    }))
  }

  /**
   * The page with the range marked on it; unmarked where neither end of it is given.
   * @throws AppError as `list`; not_found for a page that there is not; invalid_request; overloaded
   */
  async png(
    view: View,
    fileId: string,
    page: number,
    options: PictureOptions,
    signal: AbortSignal,
  ): Promise<PagePicture> {
    const { width = WIDTH, start, end } = options
    if (!Number.isInteger(width) || width < MIN_WIDTH || width > MAX_WIDTH)
      throw invalid("width", `must be a whole number from ${MIN_WIDTH} to ${MAX_WIDTH}`)
    const isMarked = start !== undefined || end !== undefined
    const range = isMarked ? checkRange(options) : undefined
    const { picture, tag } = await this.show(view, fileId, { page, width, range }, signal)
    return { bytes: picture, tag }
  }

  /** One box a line. @throws AppError as `png` */
  async marks(view: View, fileId: string, page: number, range: TextRange, signal: AbortSignal): Promise<PageBox[]> {
    return (await this.show(view, fileId, { page, range: checkRange(range) }, signal)).boxes
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.shown[Symbol.dispose]()
    await this.originals[Symbol.asyncDispose]()
  }

  private async show(view: View, fileId: string, asked: Asked, signal: AbortSignal): Promise<TaggedPage> {
    const { library } = this.dependencies
    const version = await library.version(view, fileId)
    const { page, width, range } = asked
    const key = [fileId, version.generation, page, width, range?.start, range?.end].join(" ")
    const known = this.shown.find(key)
    if (known) return known
    const shown = await this.showing.do(key, stop => this.draw(version, asked, key, stop), signal)
    await library.version(view, fileId) // it may have been deleted meanwhile
    this.shown.keep(key, shown)
    return shown
  }

  private async draw(version: LiveVersion, asked: Asked, key: string, signal: AbortSignal): Promise<TaggedPage> {
    const { page, width, range } = asked
    const marks = range && (await this.marksOf(version, page, range, signal))
    const tag = new Bun.CryptoHasher("sha256").update(`${DRAWING} ${key}`).digest("base64url").slice(0, 22)
    const boxes = !marks ? [] : "boxes" in marks ? [...marks.boxes] : undefined
    if (width === undefined && boxes) return { picture: NOTHING, boxes, tag }
    const options = { page, ...(width === undefined ? {} : { width }), ...(marks ? { marks } : {}) }
    const shown = await this.unlessBroken(`${version.id} ${version.generation} ${page}`, () =>
      this.reading(version, signal, file => this.dependencies.reader.show(file, options, signal)),
    )
    if (!shown) throw new AppError("not_found", { message: "there is no such page" })
    return { ...shown, tag }
  }

  /** A page that ended its reader is not tried again for a while: it may have held one for long. */
  private async unlessBroken<T>(key: string, work: () => Promise<T>): Promise<T> {
    const known = this.broken.get(key)
    if (known && performance.now() < known.until) throw known.error
    try {
      return await work()
    } catch (error) {
      if (error instanceof AppError && error.code === "conflict")
        this.broken.set(key, { error, until: performance.now() + BROKEN_MS })
      throw error
    }
  }

  /** What the reader is to mark; undefined where nothing of the range lies on the page. */
  private async marksOf(
    version: LiveVersion,
    number: number,
    range: Range,
    signal: AbortSignal,
  ): Promise<Marks | undefined> {
    const page = (await this.outline(version, signal))[number - 1]
    if (!page) throw new AppError("not_found", { message: "there is no such page" })
    const [start, end] = [Math.max(range.start, page.start), Math.min(range.end, page.end)]
    if (start >= end) return undefined
    if (page.words) return this.wordMarks(version, page, { start: start - page.start, end: end - page.start }, signal)
    const bytes = await this.dependencies.blobs.findText(version.id, version.generation)
    if (!bytes) throw new AppError("not_found")
    const part = { start: page.startByte, end: Math.min(page.endByte, page.startByte + MAX_PAGE_BYTES) }
    const text = await new Response(await bytes.stream(part, signal)).text()
    return { text, start: start - page.start, end: Math.min(end - page.start, text.length) }
  }

  /** @param range in the text of the page */
  private async wordMarks(version: LiveVersion, page: KnownPage, range: Range, signal: AbortSignal): Promise<Marks> {
    const layout = await this.dependencies.blobs.findLayout(version.id, version.generation)
    if (!layout) throw new AppError("not_found") // deleted meanwhile
    const { width, height } = page
    const words = (await readWords(layout, page.words!, signal)).filter(
      ({ start, end }) => start < range.end && end > range.start,
    )
    const pieces = words.map(({ left, top, right, bottom, beginsLine }) => ({
      sides: { left: left * width, right: right * width, top: top * height, bottom: bottom * height },
      beginsLine,
    }))
    return { boxes: lineBoxes(pieces, page) }
  }

  private async outline(version: LiveVersion, signal: AbortSignal): Promise<KnownPage[]> {
    const key = `${version.id} ${version.generation}`
    return this.outlines.get(key) ?? this.outlining.do(key, stop => this.readOutline(version, key, stop), signal)
  }

  private async readOutline(version: LiveVersion, key: string, signal: AbortSignal): Promise<KnownPage[]> {
    const { blobs, reader } = this.dependencies
    const layout = await blobs.findLayout(version.id, version.generation)
    if (layout) return this.outlines.set(key, await readLayout(layout, signal))
    // Files without pages have none, and those that were read before layouts were stored.
    const text = await blobs.findText(version.id, version.generation)
    if (!text) throw new AppError("not_found")
    await using local = await text.local(signal)
    const outline = await this.reading(version, signal, file => reader.outline(file, local.path, signal))
    if (!outline) throw new AppError("not_found", { message: "files of this kind have no pages that can be shown" })
    return this.outlines.set(key, outline)
  }

  /** @throws AppError in place of what the reader says of the document */
  private async reading<T>(
    { blob, name, type, workspaceId }: LiveVersion,
    signal: AbortSignal,
    work: (file: { path: string; name: string; type: string; size: number; workspaceId: string }) => Promise<T>,
  ): Promise<T> {
    await using original = await this.originals.get(blob, signal)
    try {
      return await work({ path: original.path, size: original.size, name, type, workspaceId })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") throw new AppError("not_found", { cause: error })
      if (!(error instanceof ExtractionError) || error.code === "internal_error") throw error
      throw new AppError("conflict", { message: `the page cannot be shown: ${error.message}`, cause: error })
    }
  }
}

function checkRange({ start = 0, end = Number.MAX_SAFE_INTEGER }: TextRange): Range {
  if (!Number.isSafeInteger(start) || start < 0) throw invalid("start", "must be a whole number of at least 0")
  if (!Number.isSafeInteger(end) || end < start) throw invalid("end", "must be a whole number of at least start")
  return { start, end }
}
