import type { Reading } from "../../storage/files.ts"
import type { RecognizedWord } from "../pages/page.ts"
import type { DocumentBuilder } from "./document-builder.ts"
import type { OcrBudget } from "./ocr/ocr-budget.ts"

/** A file or an archive member, as bytes. Large files are mapped, not loaded: do not copy them without need. */
export interface Source {
  /** File name, for messages. */
  name: string
  bytes: Uint8Array
  /** Of a file that was fetched. */
  reading?: Reading | undefined
}

/** What a reader works with besides the bytes. One per file; the members of an archive share it. */
export interface ExtractContext {
  out: DocumentBuilder
  /** Tells the share of the work done, 0..1, in whole-file terms. */
  progress(fraction: number): void
  /** Lets the event loop turn, so that progress leaves the process. Call between pages. */
  pause(): Promise<void>
  /** Announces that this many pages or pictures will be read by OCR, which allows the file more time. */
  expectOcr(count: number): void
  /** To be asked before files that are attached to a document are read, which it can do without; false: leave them out. */
  mayReadAttachments(): boolean
  /** Reads a picture (PNG, JPEG, GIF, WebP, BMP, TIFF). Throws where the picture cannot be decoded. */
  recognize(image: Uint8Array): Promise<RecognizedText>
  /** What of text recognition the file may still have; to be asked and charged around `recognize`. */
  ocr: OcrBudget
  /** Archives: what may still be unpacked, over all levels of nesting. */
  budget: UnpackBudget
  /** Tells the formats of members. */
  formats: FormatFinder
  /** Extracts a member with the reader of a format, or of that which its content shows; throws what that reader throws. */
  extractMember(source: Source, format: string): Promise<void>
}

/** The formats there are, for readers of what holds files of other formats. Undefined: nobody can read it. */
export interface FormatFinder {
  byName(name: string): string | undefined
  /** For a name that says nothing. */
  byContent(bytes: Uint8Array): string | undefined
  /** Whether a file that begins so may have a format. */
  mayBeReadable(head: Uint8Array): boolean
}

export interface RecognizedText {
  /** Empty where nothing was recognized with some confidence. */
  text: string
  /** 0..100, the mean over the words. */
  confidence: number
  /** Scripts whose writing no installed language reads; it is left out. */
  missing?: string[]
  /** In the order of the text; those that were left out of it may be among them. */
  words?: RecognizedWord[]
  /** Of the picture, in pixels, upright as its camera says. */
  size?: { width: number; height: number }
}

/** What may still be unpacked from one file; shared by nested archives. */
export interface UnpackBudget {
  /** Bytes that may still be inflated. */
  bytes: number
  /** Entries that may still be listed. */
  entries: number
  /** Archives around the one being read; 0 for the file itself. */
  depth: number
}

/** Turns the bytes of one format into text and blocks, through `context.out`. */
export type Extractor = (source: Source, context: ExtractContext) => void | Promise<void>
