/** How the records that chat and agents share pass the guard. */
import type { ErrorBody } from "../errors.ts"
import type { Fields } from "../guarded.ts"
import type { Place, Warning } from "../storage/document.ts"

export const ERROR = {
  code: "own",
  message: "text",
  request_id: "own",
  details: "json",
  hint: "text",
} as const satisfies Fields<ErrorBody>

export const WARNING = { code: "own", message: "text" } as const satisfies Fields<Warning>

/** Names of files, sheets and sections may hold private data as well. */
export const POSITION = {
  page: "own",
  sheet: "text",
  slide: "own",
  member: "text",
  section: "text",
  start: "own",
  end: "own",
} as const satisfies Fields<Place & { start: number; end: number }>

interface CitationRecord {
  index: number
  file_id: string
  chunk_id: string | null
  name: string
  position: Place & { start: number; end: number }
}

export const CITATION = {
  index: "own",
  file_id: "own",
  chunk_id: "own",
  name: "text",
  position: POSITION,
} as const satisfies Fields<CitationRecord>
