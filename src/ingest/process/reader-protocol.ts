/**
 * What daemon and reader process say to each other, and the files in which a result is handed over. The reader opens none
 * of them: it gets the document, the text and the chunks as open files, in this order.
 */
import type { ExtractionErrorCode, TextChunk, Warning } from "../../storage/document.ts"
import type { ChunkOptions } from "../chunk.ts"
import type { OcrLimits } from "../formats/ocr/ocr-budget.ts"

/** Daemon → reader: read this document. */
export interface ReadRequest {
  name: string
  /** Extension. */
  type: string
  ocrLanguagesDirectory?: string
  ocrLimits: OcrLimits
  chunkOptions?: ChunkOptions
}

export type ReadStage = "extracting" | "ocr" | "chunking"

/** Reader → daemon, while it reads. */
export type ReadProgress =
  | { kind: "progress"; progress: number; stage: ReadStage }
  | { kind: "ocr_expected"; count: number }

/** Reader → daemon, at the end. */
export type ReadAnswer = { kind: "done"; outline: Outline } | ReadFailure | ReadDiskFailure

export interface ReadFailure {
  kind: "failed"
  code: ExtractionErrorCode
  message: string
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
  documents: { name: string; type: string; content: string }[]
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

/** The text in UTF-8. */
export const textFile = (resultPath: string) => `${resultPath}.text`
/** Its chunks, see `chunk-file.ts`. */
export const chunkFile = (resultPath: string) => `${resultPath}.chunks`
