/** Where a text may be cut. Positions are offsets in UTF-16 code units. */
import type { Characters } from "../storage/document.ts"

/** Best place first. Each matches what stands before the cut. */
const BOUNDARIES = [
  /\n\s*\n/g,
  /\n/g,
  // The end of a sentence, with closing quotes and brackets.
  /[.!?…]["'”’»)\]]*\s|[。！？｡][」』”’）】]*/g,
  /[;:,،؛]\s|[；：，、]/g,
  /\s|[|,;>}\])]/g,
]
/** How far around a cut a character of several code points is looked for; family emoji have 11 units. */
const CLUSTER_UNITS = 32

/** The best cut in (`earliest`, `latest`] for a piece that begins at `from`; always progress. */
export function findCut(text: Characters, from: number, earliest: number, latest: number): number {
  const window = text.slice(earliest, latest)
  for (const boundary of BOUNDARIES) {
    let found = -1
    for (const match of window.matchAll(boundary)) found = match.index + match[0].length
    if (found > 0 && isWhole(text, earliest + found)) return earliest + found
  }
  return wholeBefore(text, from, latest)
}

/**
 * Where the overlap with a chunk that ended at `end` begins: at the first sentence, else the first word, that begins
 * after `from`; `start`, where the new chunk begins by itself, if there is none.
 */
export function overlapStart(text: Characters, from: number, end: number, start: number): number {
  const window = text.slice(from, end)
  for (const boundary of [/[.!?…]["'”’»)\]]*\s+|[。！？｡]|\n+/, /\s+|[，、]/]) {
    const match = boundary.exec(window)
    const at = match ? from + match.index + match[0].length : end
    if (at < end && isWhole(text, at)) return trimmedStart(text, at, start)
  }
  return start
}

/** First position in [start, end) that is not blank; `end` where there is none. */
export function trimmedStart(text: Characters, start: number, end: number): number {
  let at = start
  while (at < end && isBlank(text.charCodeAt(at))) at++
  return at
}

/** Position after the last character in [start, end) that is not blank. */
export function trimmedEnd(text: Characters, start: number, end: number): number {
  let at = end
  while (at > start && isBlank(text.charCodeAt(at - 1))) at--
  return at
}

function isBlank(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13) || code === 0xa0 || code === 0x3000
}

/** Marks (variation selectors among them) and the zero-width joiner. */
const JOINED_TO_BEFORE = /^(?:\p{M}|\u200d)/u

/** True where a cut at `at` separates no surrogate pair and no mark from its letter. */
function isWhole(text: Characters, at: number): boolean {
  const code = text.charCodeAt(at)
  if (code < 0x300) return true
  if (code >= 0xdc00 && code <= 0xdfff) return false
  return !JOINED_TO_BEFORE.test(text.slice(at, at + 2))
}

/** The last cut at or before `at` that leaves whole characters, as a reader counts them. */
function wholeBefore(text: Characters, from: number, at: number): number {
  const base = Math.max(from, at - CLUSTER_UNITS)
  let cut = base
  for (const { index, segment } of graphemes.segment(text.slice(base, at + CLUSTER_UNITS))) {
    if (base + index > at) break
    cut = base + index
    if (base + index + segment.length > at) break
  }
  if (cut > from) return cut
  // One cluster longer than a chunk (marks without end): only surrogate pairs stay together.
  const low = text.charCodeAt(at) & 0xfc00
  return low === 0xdc00 ? at - 1 : at
}

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" })
