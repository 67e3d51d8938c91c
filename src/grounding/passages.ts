/**
 * The numbered passages that a model is given, and the citations that come back: one form for chat and agents.
 * A turn numbers the hits of its one search (`toSources`); a run numbers whatever its tools show (`Passages`).
 */
import type { Fields } from "../guarded.ts"
import type { Hit } from "../search/types.ts"
import type { Place } from "../storage/document.ts"
import { citedIn, withoutMarks } from "./citations.ts"

/** Offsets count UTF-16 units of the file's extracted text. */
export type Position = Place & { start: number; end: number }

export interface Passage {
  file_id: string
  /** Null for a stretch that was read rather than found. */
  chunk_id: string | null
  name: string
  position: Position
}

export interface Citation extends Passage {
  /** The `[n]` in the text. */
  index: number
}

/** A passage that was found, as the model gets it under its number. */
export interface Source extends Citation {
  chunk_id: string
  /** 0..1 */
  score: number
  text: string
  /** The text of a whole file, in reading order, or of one of the parts that it was read in. */
  whole?: boolean
}

/** Names of files, sheets and sections may hold private data as well. */
const POSITION = {
  page: "own",
  sheet: "text",
  slide: "own",
  member: "text",
  section: "text",
  start: "own",
  end: "own",
} as const satisfies Fields<Position>

export const CITATION = {
  index: "own",
  file_id: "own",
  chunk_id: "own",
  name: "text",
  position: POSITION,
} as const satisfies Fields<Citation>

export const SOURCE: Fields<Source> = { ...CITATION, score: "own", text: "text", whole: "own" }

/** Where a passage stands, for a model: `in.zip/a.pdf, page 4, 3.2 Term`; empty where nothing is known. */
export function placeText({ page, sheet, slide, member, section }: Place): string {
  const parts = [
    member,
    page === null ? null : `page ${page}`,
    sheet === null ? null : `sheet ${sheet}`,
    slide === null ? null : `slide ${slide}`,
    section,
  ]
  return parts.filter(part => part !== null && part !== "").join(", ")
}

/** The line over a passage in the prompt: `[2] report.pdf, page 4, 3.2 Term`. */
export function headOf({ index, name, position }: Citation): string {
  return `[${index}] ${withoutMarks([name, placeText(position)].filter(Boolean).join(", "))}`
}

/** The number of the passage that a result of a tool shows; undefined where it shows none. */
export function numberOf(result: string): number | undefined {
  const number = /^\[(\d+)\] /.exec(result)?.[1]
  return number === undefined ? undefined : Number(number)
}

/** Longest passage that merging may make, in UTF-16 units: longer ones blur what is cited. */
const MAX_MERGED = 4_000
/** Hits this far apart touch; what lies between is a separator. */
const MAX_GAP = 2

/** The hits of one search as numbered passages: duplicates dropped, neighbors merged. */
export function toSources(hits: readonly Hit[]): Source[] {
  const passages: Source[] = []
  const seen = new Set<string>()
  for (const hit of hits) {
    const key = hit.text.replace(/\s+/g, " ").trim().toLowerCase()
    if (seen.has(key)) continue
    seen.add(key)
    const passage = toSource(hit)
    const neighbor = passages.findIndex(other => touches(other, passage))
    if (neighbor < 0) passages.push(passage)
    else passages[neighbor] = merge(passages[neighbor]!, passage)
  }
  return passages.map((passage, at) => ({ ...passage, index: at + 1 }))
}

const toSource = ({ id, score, text, file, position }: Hit): Source => ({
  index: 0,
  file_id: file.id,
  name: file.name,
  chunk_id: id,
  score,
  text,
  position,
})

function touches(left: Source, right: Source): boolean {
  if (left.file_id !== right.file_id || !samePlace(left.position, right.position)) return false
  const [first, second] = inOrder(left, right)
  const length = Math.max(first.position.end, second.position.end) - first.position.start
  return second.position.start <= first.position.end + MAX_GAP && length <= MAX_MERGED
}

/** A merged passage has one place, so only what lies in the same place is merged. */
const samePlace = (left: Position, right: Position): boolean =>
  left.page === right.page && left.sheet === right.sheet && left.slide === right.slide && left.member === right.member

const inOrder = (left: Source, right: Source): [Source, Source] =>
  left.position.start <= right.position.start ? [left, right] : [right, left]

/** The better hit gives its id, score and place; the text runs from the first to the last character of both. */
function merge(better: Source, other: Source): Source {
  const [first, second] = inOrder(better, other)
  const { start, end } = first.position
  const gap = "\n".repeat(Math.max(0, second.position.start - end))
  const text = first.text + gap + second.text.slice(Math.max(0, end - second.position.start))
  return {
    ...better,
    text,
    position: { ...better.position, start, end: Math.max(end, second.position.end) },
  }
}

const keyOf = ({ chunk_id, file_id, position: { start, end } }: Passage, asked = ""): string =>
  chunk_id ?? [file_id, start, end, asked].join(" ")

/** What a run has shown to its model so far; the same passage keeps its number. */
export class Passages {
  private readonly byKey = new Map<string, Citation>()

  /**
   * @param taken the highest number that something else has
   * @param shown `all` of former ones that these go on from
   */
  constructor(
    private readonly taken = 0,
    shown: readonly Citation[] = [],
  ) {
    for (const each of shown) {
      const key = keyOf(each)
      this.byKey.set(this.byKey.has(key) ? keyOf(each, `as ${each.index}`) : key, each)
    }
  }

  /**
   * The number of the passage.
   * @param asked tells apart what was asked of one and the same place, as statements over one table
   */
  add(passage: Passage, asked = ""): number {
    const key = keyOf(passage, asked)
    const known = this.byKey.get(key)
    if (known) return known.index
    const index = this.taken + this.byKey.size + 1
    this.byKey.set(key, { index, ...passage })
    return index
  }

  /** Every passage so far, by number. */
  all(): Citation[] {
    return [...this.byKey.values()]
  }

  /** Those that the text cites, each once, in the order of their first mark. */
  citedIn(text: string): Citation[] {
    return citedIn(text, this.all()).citations
  }
}
