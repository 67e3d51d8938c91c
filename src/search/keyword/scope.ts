/**
 * What one search may see, and the statistics that its scores go by: those of the asking workspace's live passages, so
 * that no score depends on other workspaces or on removed passages, and a filter narrows the list without changing one.
 */
import type { IdRanges } from "../ids/id-ranges.ts"
import { normsOf } from "./bm25.ts"
import { GAIN, gains } from "./document-gain.ts"
import type { PassageTable } from "./passage-table.ts"

/** Marks of rows in a scope's mask; 0 is a passage of no concern. */
const IN_WORKSPACE = 1
export const IN_FILTER = 2

/** Passages that tell how long a passage and its neighbors are on average. */
const SAMPLED_PASSAGES = 20_000

export interface Scope {
  /** A mark per row. */
  mask: Uint8Array
  /** Live passages of the workspace; the N of BM25. */
  documents: number
  /** BM25's length part by passage length: k1 * (1 - b + b * length / mean). */
  norms: Float32Array
  /** Terms of a passage and its neighbors in its document, on average. */
  surroundedLength: number
  /** First and last id of each document, ascending. */
  spans: IdRanges
  /** Some document has several passages and lets them gain from each other. */
  gaining: boolean
  /** Some of the workspace's passages are not looked for. */
  filtered: boolean
  /** Of the table that it was made for. */
  version: number
}

/** `filter` absent: the whole workspace. `spans`: its documents, as first and last id, ascending. */
export function makeScope(
  table: PassageTable,
  workspace: IdRanges,
  filter: IdRanges | undefined,
  spans: IdRanges,
): Scope {
  const mask = new Uint8Array(table.rows.end)
  let documents = 0
  let length = 0
  table.rows.eachIn(workspace, (row, count) => {
    mask.fill(filter ? IN_WORKSPACE : IN_FILTER, row, row + count)
    documents += count
    for (let i = row; i < row + count; i++) length += table.lengths[i]!
  })
  if (filter)
    table.rows.eachIn(filter, (row, count) => {
      for (let i = row; i < row + count; i++) if (mask[i]) mask[i] = IN_FILTER
    })
  const mean = length / Math.max(1, documents)
  const gaining = spans.some((first, i) => i % 2 === 0 && gains(spans[i + 1]! - first + 1))
  return {
    mask,
    documents,
    norms: normsOf(mean),
    surroundedLength: gaining ? mean * neighborhood(table, spans, documents) : mean,
    spans,
    gaining,
    filtered: filter !== undefined,
    version: table.version,
  }
}

/** How many passages a passage and its neighbors are on average, weighed by their lengths. */
function neighborhood(table: PassageTable, spans: IdRanges, documents: number): number {
  const step = Math.ceil(documents / SAMPLED_PASSAGES)
  let alone = 0
  let surrounded = 0
  let place = 0
  for (let i = 0; i < spans.length; i += 2) {
    const [first, last] = [spans[i]!, spans[i + 1]!]
    for (let id = first + (place % step === 0 ? 0 : step - (place % step)); id <= last; id += step) {
      const length = table.lengthOf(id)
      alone += length
      const before = Math.min(id - first, GAIN.reach)
      surrounded += length * (before + 1 + Math.min(last - id, GAIN.reach))
    }
    place += last - first + 1
  }
  return alone > 0 ? surrounded / alone : 1
}
