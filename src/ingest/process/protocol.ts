/**
 * What daemon and reader process say to each other, and what comes of it. The reader opens no file: it gets the document,
 * the text, the chunks and the layout of the pages as open files, in this order, see `result-files.ts`; small files travel in the messages.
 */
import {
  type ChunkSource,
  type ExtractedDocument,
  ExtractionError,
  type ExtractionErrorCode,
  type TextChunk,
  type Warning,
} from "../../storage/document.ts"
import type { Reading } from "../../storage/files.ts"
import type { ChunkOptions } from "../chunk.ts"
import type { OcrLanguageSources } from "../formats/ocr/languages.ts"
import type { OcrLimits } from "../formats/ocr/ocr-budget.ts"

/** A stored file as a reader is asked for it. */
export interface FileToRead {
  path: string
  name: string
  /** Extension. */
  type: string
  /** Bytes. */
  size: number
  reading?: Reading
}

/** What a reader made of a file. Text and chunks lie in files: nothing here grows with the document. */
export interface ReadDocument extends Omit<ExtractedDocument, "text" | "blocks"> {
  /** The text in UTF-8, in the temporary directory; may be moved away. */
  textPath: string
  /** Where its pages can be shown: what of the text stands where on them, see `layout.ts`; may be moved away. */
  layoutPath: string | undefined
  /** UTF-16 code units. */
  characterCount: number
  chunks: ChunkSource
  /** Removes the files that are left. To be called whatever happens. */
  close(): Promise<void>
}

/** What a reader made of a small file, in memory. */
export interface QuickDocument extends Omit<ReadDocument, "textPath" | "layoutPath" | "close"> {
  text: string
}

/** `not quick`: for the ordinary reader, which finds out what is the matter with it. An Error says why it cannot be read. */
export type QuickOutcome = QuickDocument | "not quick" | Error

/** Daemon → reader: read this document. */
export interface ReadRequest {
  name: string
  /** Extension. */
  type: string
  reading?: Reading
  ocrLanguages?: OcrLanguageSources
  ocrLimits: OcrLimits
  chunkOptions?: ChunkOptions
  /** Leave out the files that are attached to documents, with a warning. */
  withoutAttachments?: boolean
}

export type ReadStage = "extracting" | "ocr" | "chunking"
export type OnProgress = (progress: { stage: ReadStage; progress: number }) => void

/** Reader → daemon, while it reads. */
export type ReadProgress =
  | { kind: "progress"; progress: number; stage: ReadStage }
  | { kind: "ocr_expected"; count: number }
  /** A document is read, and the files attached to it are next. */
  | { kind: "attachments_next" }

/** Reader → daemon, at the end. */
export type ReadAnswer = { kind: "done"; outline: Outline } | ReadFailure | ReadDiskFailure

export interface ReadFailure {
  kind: "failed"
  code: ExtractionErrorCode
  message: string
  warnings?: Warning[]
  detail?: string
}

/** The disk, and not the document, ended the reading. */
export interface ReadDiskFailure {
  kind: "disk_failed"
  /** Of the system, such as ENOSPC. */
  code: string
  message: string
}

/** Daemon → reader: read these, which are small, one after the other. Each result is told as progress when it is there. */
export interface QuickRequest {
  /** `content`: its bytes, base64. */
  documents: { name: string; type: string; reading?: Reading; content: string }[]
  chunkOptions?: ChunkOptions
}

/** `not_quick`: larger than it looked, or in need of OCR. */
export type QuickResult =
  | { kind: "read"; outline: Outline; text: string; chunks: TextChunk[] }
  | { kind: "not_quick" }
  | ReadFailure
  | ReadDiskFailure

/** Reader → daemon, when all results are told. */
export interface QuickAnswer {
  kind: "all_told"
}

/** What is told about a document beside its text and chunks. */
export interface Outline {
  pageCount: number | null
  ocrPageCount: number
  warnings: Warning[]
  /** UTF-16 code units of the text. */
  characterCount: number
  chunkCount: number
}

/**
 * What the reader itself said about the file, or the disk's error as the system names it. A fault of the reader, unlike
 * one of the file, may be gone next time.
 */
export function failureOf(answer: ReadFailure | ReadDiskFailure): Error {
  const { code, message } = answer
  if (answer.kind === "disk_failed") return Object.assign(new Error(message), { code })
  const options = {
    ...(answer.detail ? { cause: new Error(answer.detail) } : {}),
    ...(answer.warnings ? { warnings: answer.warnings } : {}),
  }
  return new ExtractionError(answer.code, message, code === "internal_error", options)
}
