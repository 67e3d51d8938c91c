/**
 * What daemon and reader process say to each other about the pages of a document. The reader gets the document and an empty
 * file for its result as open files, in this order; of an outline, the stored text between them.
 */
import type { MarkedText } from "../pages/marks.ts"
import type { PageBox } from "../pages/page.ts"
import type { ReadDiskFailure, ReadFailure } from "./protocol.ts"

/** Daemon → reader: which pages has it, and what of the stored text is on each? */
export interface OutlineRequest {
  ask: "outline"
  name: string
  /** Extension. */
  type: string
}

/** Daemon → reader: one page, as a picture or as places only. */
export interface PageRequest {
  ask: "page"
  name: string
  /** Extension. */
  type: string
  /** Counted from 1. */
  page: number
  /** Of a picture, in pixels; absent: none is wanted. */
  width?: number
  marks?: Marks
}

/** Places that are known, or what is to be found. */
export type Marks = { boxes: readonly PageBox[] } | MarkedText

/** Reader → daemon. The result file holds the `PageOutline` of each page as JSON, or the picture. */
export type PageAnswer =
  | { kind: "outlined" }
  | { kind: "shown"; boxes: PageBox[] }
  /** Files of that format have no pages that can be shown. */
  | { kind: "no_pages" }
  /** There is no such page, or it is damaged. */
  | { kind: "no_page" }
  | ReadFailure
  | ReadDiskFailure
