/**
 * What a reader makes of a file: one extracted text and the structure found in it.
 * All offsets count UTF-16 code units of `text`. `text` is what `GET …/text` serves, and every chunk is a slice of it.
 */
export interface ExtractedDocument {
  text: string
  /** In ascending order, not overlapping; gaps between blocks are separators (line breaks) only. */
  blocks: Block[]
  /** Pages of a paged format (pdf, docx page breaks), slides of a presentation; null where there are none. */
  pageCount: number | null
  /** Pages or pictures whose text came from OCR. */
  ocrPageCount: number
  warnings: Warning[]
}

/** What was skipped or is doubtful; shown in the file record. */
export interface Warning {
  code: string
  message: string
  /** Of `foreign_link`: addresses that the model was not given. */
  addresses?: string[]
  /** Of `foreign_link`: how many of them are not named. */
  more?: number
}

export const BLOCK_KINDS = ["heading", "paragraph", "list_item", "table_header", "table_row", "code", "notes"] as const
export type BlockKind = (typeof BLOCK_KINDS)[number]

/** A structural unit with its place in the source; the chunker cuts between blocks first. */
export interface Block {
  kind: BlockKind
  start: number
  end: number
  /** 1..6 for headings. */
  level?: number
  place: Place
}

/** Where a block or chunk lies in its source; null where the format has no such thing. Pages and slides are 1-based. */
export interface Place {
  page: number | null
  sheet: string | null
  slide: number | null
  /** Path inside a zip, or name of a file inside a PDF, nested ones joined: `inner.zip/a/b.txt`. */
  member: string | null
  /** Heading path or nearest heading, such as `3.2 Term`. */
  section: string | null
}

/** Where a section begins, counted from the beginning of the slice, and its name. */
export type SectionStart = readonly [at: number, section: string | null]

/** An indexed slice: `document.text.slice(start, end)` is exactly its text. */
export interface Chunk {
  start: number
  end: number
  place: Place
  /**
   * Text put before the slice for the index only (the header row of a table, the section title), never shown.
   * Absent where there is none.
   */
  context?: string
  /** Where the slice joins sections: the beginning of each, ascending, the first at 0. Absent where it lies in one. */
  sections?: SectionStart[]
}

/** A chunk with its text. */
export interface TextChunk extends Chunk {
  text: string
}

/** The chunks of one document in reading order, read when they are needed: a gigabyte of text has a million. */
export interface ChunkSource {
  count: number
  /** How the document's text begins; enough to tell its language. */
  opening: string
  /** From the first one on at every call. All batches but the last hold `size`. */
  batches(size: number): AsyncIterable<TextChunk[]>
}

/** A text that is read here and there: a string, or a file that need not fit in memory. Positions as in a string. */
export interface Characters {
  slice(start: number, end: number): string
  /** NaN after the end. */
  charCodeAt(at: number): number
}

export const NOWHERE: Place = { page: null, sheet: null, slide: null, member: null, section: null }

/** Why a file can not become searchable; `failed` records carry one of these. */
export type ExtractionErrorCode =
  | "corrupt_file"
  | "encrypted_file"
  | "no_text"
  | "archive_rejected"
  | "extraction_timeout"
  | "internal_error"

/** A file that cannot be read, for a reason the user can act on. Retrying does not help unless `transient`. */
export class ExtractionError extends Error {
  /** What was skipped until then, which may be why. */
  readonly warnings: Warning[]

  constructor(
    readonly code: ExtractionErrorCode,
    message: string,
    readonly transient = false,
    options?: ErrorOptions & { warnings?: Warning[] },
  ) {
    super(message, options)
    this.warnings = options?.warnings ?? []
    this.name = "ExtractionError"
  }
}
