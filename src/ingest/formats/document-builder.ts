import {
  type Block,
  type BlockKind,
  type ExtractedDocument,
  ExtractionError,
  NOWHERE,
  type Place,
  type Warning,
} from "../../storage/document.ts"
import { packWords, placedWords, type ReadPage } from "../pages/layout.ts"
import type { RecognizedWord } from "../pages/page.ts"
import { BlockList } from "./block-list.ts"
import { cleanText } from "./clean-text.ts"
import type { WarningCode } from "./warnings.ts"

/** A block of raw text, by offsets into the text given with it. */
export interface RawBlock {
  kind: BlockKind
  start: number
  end: number
  level?: number
  section?: string
}

/** Two neighbors of these kinds are lines of one thing and stand on adjacent lines; others get an empty line between. */
const LINE_KINDS = new Set<BlockKind>(["table_header", "table_row", "list_item"])

/** At most this many warnings with one code; a broken archive of 20 000 members must not fill the file record. */
const WARNINGS_PER_CODE = 20

/**
 * Collects what a reader finds: text with blocks and places, page counts, warnings.
 * Text goes to `sink` piece by piece, so that a document need not fit in memory as one string.
 */
export class DocumentBuilder {
  readonly blocks = new BlockList()
  readonly warnings: Warning[] = []
  pageCount: number | null = null
  ocrPageCount = 0
  /** Code units written so far. */
  length = 0
  /** True once a letter, digit or sign was written; a document of blanks has no text. */
  hasText = false
  private place: Place = NOWHERE
  private held: Place | undefined
  private previous: BlockKind | undefined
  /** Of the file itself, where its pages can be shown. */
  readonly pages: ReadPage[] = []
  private shown: { text: string[]; start: number | undefined } | undefined
  private byteLength = 0
  private startByte = 0
  private readonly omittedWarnings = new Map<string, number>()

  /** `maxLength`: code units that the text may have. */
  constructor(
    private readonly sink: (text: string) => void,
    private readonly maxLength = Number.POSITIVE_INFINITY,
  ) {}

  /** @throws ExtractionError where so many more code units would be too many. For readers that gather before they add. */
  checkRoom(more: number): void {
    if (this.length + more > this.maxLength)
      throw new ExtractionError("archive_rejected", "the file unfolds to more text than is allowed for its size")
  }

  /** Everything added from here on lies there; what is not named stays. */
  at(change: Partial<Place>): void {
    const { page, slide, sheet, member } = this.held ?? {}
    this.place = { ...this.place, ...change, ...(this.held ? { page, slide, sheet, member } : {}) } as Place
  }

  /** Everything added from here on lies at the beginning of that member; null: of the file itself. */
  atMember(member: string | null): void {
    this.at({ ...NOWHERE, member })
  }

  /** While `read` runs, pages, slides, sheets and members stay as they are: it reads something embedded there. */
  async holdingPlace(read: () => Promise<void>): Promise<void> {
    const { held, place, pageCount } = this
    this.held = place
    try {
      await read()
    } finally {
      this.held = held
      this.place = place
      this.pageCount = pageCount
    }
  }

  get currentPlace(): Place {
    return this.place
  }

  /** Everything that `add` adds while the function runs stands on one page that can be shown. */
  onPage(page: Pick<ReadPage, "width" | "height" | "ocr">, words: readonly RecognizedWord[], add: () => void): void {
    const isEmbedded = this.held !== undefined || this.place.member !== null
    if (isEmbedded) {
      add() // its pages are not shown
      return
    }
    this.shown = { text: [], start: undefined }
    add()
    const { start = this.length, text } = this.shown
    this.shown = undefined
    if (start === this.length) this.startByte = this.byteLength
    this.pages.push({
      ...page,
      start,
      end: this.length,
      startByte: this.startByte,
      endByte: this.byteLength,
      words: packWords(placedWords(text.join(""), words)),
    })
  }

  /** Adds one block. Blank text is ignored. A heading becomes the section of what follows. */
  add(kind: BlockKind, text: string, level?: number): void {
    const cleaned = cleanText(text).replace(/^\n+/, "").trimEnd()
    if (!cleaned) return
    if (kind === "heading") this.at({ section: sectionTitle(cleaned) })
    this.separate(kind)
    const start = this.length
    if (this.shown && this.shown.start === undefined) {
      this.shown = { text: [], start }
      this.startByte = this.byteLength
    }
    this.write(cleaned)
    this.blocks.push(this.block(kind, start, this.length, level))
  }

  /** Adds text as it is, right after raw text that was not ended; `split` finds its blocks, given the text as it was stored. */
  addRaw(text: string, split: (text: string) => Iterable<RawBlock>): void {
    const cleaned = cleanText(text)
    if (this.previous !== undefined && this.length > 0) this.write("\n\n")
    const base = this.length
    this.write(cleaned)
    for (const raw of split(cleaned)) {
      if (raw.section !== undefined) this.at({ section: raw.section || null })
      this.blocks.push(this.block(raw.kind, base + raw.start, base + raw.end, raw.level))
    }
    this.previous = undefined
  }

  /** Ends a run of raw text, so that the next document of an archive starts on a line of its own. */
  endRaw(): void {
    this.previous = "paragraph"
  }

  warn(code: WarningCode, message: string): void {
    const same = this.warnings.filter(warning => warning.code === code).length
    if (same < WARNINGS_PER_CODE) this.warnings.push({ code, message })
    else this.omittedWarnings.set(code, (this.omittedWarnings.get(code) ?? 0) + 1)
  }

  /** Warnings with a line for those that were left out. */
  allWarnings(): Warning[] {
    const omitted = [...this.omittedWarnings].map(([code, count]) => ({
      code,
      message: `and ${count} more of this kind`,
    }))
    return [...this.warnings, ...omitted]
  }

  toDocument(text: string): ExtractedDocument {
    const { blocks, pageCount, ocrPageCount } = this
    return { text, blocks: [...blocks], pageCount, ocrPageCount, warnings: this.allWarnings() }
  }

  private separate(kind: BlockKind): void {
    if (this.length === 0) return
    const lines = this.previous !== undefined && LINE_KINDS.has(this.previous) && LINE_KINDS.has(kind)
    this.write(lines ? "\n" : "\n\n")
  }

  private write(text: string): void {
    if (!this.hasText) this.hasText = /\S/.test(text)
    this.checkRoom(text.length)
    this.length += text.length
    this.byteLength += Buffer.byteLength(text)
    this.shown?.text.push(text)
    this.sink(text)
  }

  private block(kind: BlockKind, start: number, end: number, level?: number): Block {
    this.previous = kind
    return level === undefined
      ? { kind, start, end, place: this.place }
      : { kind, start, end, level, place: this.place }
  }
}

/** A heading as the name of a section: one line, not longer than a line. */
export function sectionTitle(heading: string): string {
  const line = heading.replace(/\s+/g, " ").trim()
  return line.length > 200 ? line.slice(0, 200).toWellFormed().trim() : line
}
