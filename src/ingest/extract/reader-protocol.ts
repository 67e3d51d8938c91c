/** What parent and reader process say to each other, and the files in which a result is handed over. */
import type { ExtractionErrorCode, Warning } from "../../storage/document.ts"
import type { ChunkOptions } from "../chunk.ts"

/** Parent → child: read this file. One at a time. */
export interface ReadRequest {
  path: string
  name: string
  type: string
  /** Start of the names of the result files. */
  resultPath: string
  ocrLanguagesDirectory?: string
  chunkOptions?: ChunkOptions
}

export type ReadStage = "extracting" | "ocr" | "chunking"

/** Child → parent. */
export type ReaderMessage =
  | { kind: "ready" }
  | { kind: "progress"; progress: number; stage: ReadStage }
  | { kind: "ocr_expected"; count: number }
  | { kind: "done"; outline: Outline }
  | { kind: "failed"; code: ExtractionErrorCode; message: string; detail?: string }

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
