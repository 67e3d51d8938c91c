/** Turns search hits into the numbered passages that a model is given: duplicates dropped, neighbours merged. Pure. */
import { withoutMarks } from "../grounding/citations.ts"
import type { Hit } from "../search/types.ts"
import type { Position, Source } from "./types.ts"

/** Longest passage that merging may make, in UTF-16 units: longer ones blur what is cited. */
const MAX_MERGED = 4_000
/** Hits this far apart touch; what lies between is a separator. */
const MAX_GAP = 2

export function toSources(hits: readonly Hit[]): Source[] {
  const passages: Source[] = []
  const seen = new Set<string>()
  for (const hit of hits) {
    const key = hit.text.replace(/\s+/g, " ").trim().toLowerCase()
    if (seen.has(key)) continue
    seen.add(key)
    const passage = toSource(hit)
    const neighbour = passages.findIndex(other => touches(other, passage))
    if (neighbour < 0) passages.push(passage)
    else passages[neighbour] = merge(passages[neighbour]!, passage)
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

/** The line over a passage in the prompt: `[2] report.pdf, page 4, 3.2 Term`. */
export function headOf({ index, name, position }: Source): string {
  const { page, sheet, slide, member, section } = position
  const place = [
    member,
    page === null ? null : `page ${page}`,
    sheet === null ? null : `sheet ${sheet}`,
    slide === null ? null : `slide ${slide}`,
    section,
  ].filter(part => part !== null && part !== "")
  return `[${index}] ${withoutMarks([name, ...place].join(", "))}`
}
