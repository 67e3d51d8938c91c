/**
 * Keeps the number of segments small and drops removed passages. Segments of like size are merged by eights, each
 * passage is rewritten a few times in its life. A merge runs in slices of a few milliseconds, so that queries of the
 * same worker go between them; until its last transaction nothing of it is visible, and after a crash it starts anew.
 */
import { countIds, eachOverlap, type IdRanges, intersect, subtract } from "../ids/id-ranges.ts"
import { Rows } from "../ids/rows.ts"
import type { KeywordIndex } from "./keyword-index.ts"
import type { KeywordStore, Segment } from "./keyword-store.ts"
import type { Pace } from "./pace.ts"
import { eachPosting, PostingWriter } from "./posting-list.ts"

/** Segments merged at once. More means fewer rewrites and more look-ups a query. */
const WIDTH = 8
/** A segment with this share of removed passages is rewritten alone. */
const REWRITE_SHARE = 0.1
/** Terms read from a segment at a time. */
const PAGE = 64
/** Postings of merged segments cleared at a time. */
const CLEARED = 64

/** The segments that should become one, or none. One of up to `erased` passages is rewritten for a single removed one. */
function planMerge(segments: Segment[], removed: IdRanges, erased = 0): Segment[] {
  const levels = new Map<number, Segment[]>()
  for (const segment of segments) {
    const gone = countRemoved(segment, removed)
    if (gone > 0 && (gone >= segment.documents * REWRITE_SHARE || segment.documents <= erased)) return [segment]
    const level = Math.max(0, Math.floor(Math.log(segment.documents / 64) / Math.log(WIDTH)))
    levels.set(level, [...(levels.get(level) ?? []), segment])
  }
  for (const level of [...levels.keys()].sort((a, b) => a - b)) {
    const group = levels.get(level)!
    if (group.length >= WIDTH) return group.slice(0, 2 * WIDTH)
  }
  return []
}

function countRemoved(segment: Segment, removed: IdRanges): number {
  let count = 0
  for (let i = 0; i < segment.stretches.length; i += 2) {
    const first = segment.stretches[i]!
    eachOverlap(removed, first, first + segment.stretches[i + 1]! - 1, (from, to) => {
      count += to - from + 1
    })
  }
  return count
}

/**
 * Merges what `planMerge` names, slice by slice, and clears what is left of merged segments.
 * @returns the number of passages in the merged segments, 0 when there was nothing to do.
 */
export async function mergeOnce(index: KeywordIndex, pace: Pace, erased = 0): Promise<number> {
  await clearLeftovers(index, pace)
  const removed = index.removedRanges()
  const sources = planMerge(index.segments, removed, erased)
  if (sources.length === 0) return 0
  const merge = new Merge(index.store, sources, removed)
  try {
    await pace.giveWay()
    while (!merge.step(pace)) await pace.giveWay()
    index.show(merge.segment.documents ? merge.segment : undefined, sources)
  } catch (error) {
    index.leftovers.push(merge.segment.number)
    throw error
  }
  index.leftovers.push(...sources.map(({ number }) => number))
  forgetRemoved(index)
  await clearLeftovers(index, pace)
  return sources.reduce((sum, source) => sum + source.documents, 0)
}

async function clearLeftovers({ store, leftovers }: KeywordIndex, pace: Pace): Promise<void> {
  for (; leftovers.length > 0; leftovers.shift())
    for (let more = true; more; await pace.giveWay())
      store.transaction(() => {
        while (more && !pace.isDue()) more = store.clearSome(leftovers[0]!, CLEARED)
      })
}

/** A removed id that no segment holds any more need not be remembered. */
function forgetRemoved(index: KeywordIndex): void {
  const still = intersect(index.removedRanges(), index.held())
  if (countIds(still) !== countIds(index.removedRanges())) index.setRemoved(still)
}

class Merge {
  readonly segment: Segment
  private readonly sources: Source[]
  private readonly writer = new PostingWriter()

  constructor(
    private readonly store: KeywordStore,
    segments: Segment[],
    removed: IdRanges,
  ) {
    const rows = new Rows()
    const total = segments.reduce((sum, { documents }) => sum + documents, 0)
    const kept: KeptRows = { rows, lengths: new Uint16Array(total), languages: new Uint8Array(total) }
    this.sources = segments.map(segment => new Source(store, segment, keepRows(segment, removed, kept)))
    this.segment = {
      number: store.nextNumber(),
      documents: rows.end,
      stretches: rows.toPairs(),
      lengths: kept.lengths.slice(0, rows.end),
      languages: kept.languages.slice(0, rows.end),
    }
  }

  /** Merges terms for one slice of time, in one transaction. @returns true when all is merged. */
  step(pace: Pace): boolean {
    let done = false
    this.store.transaction(() => {
      while (!done && !pace.isDue()) done = !this.mergeNextTerm()
    })
    return done
  }

  private mergeNextTerm(): boolean {
    let least: string | undefined
    for (const source of this.sources) {
      const term = source.term()
      if (term !== undefined && (least === undefined || compareBytes(term, least) < 0)) least = term
    }
    if (least === undefined) return false
    for (const source of this.sources) {
      if (source.term() !== least) continue
      eachPosting(source.take(), (row, frequency) => {
        const kept = source.newRows[row]!
        if (kept >= 0) this.writer.add(kept, frequency)
      })
    }
    const { count } = this.writer
    if (count) this.store.writePosting(this.segment.number, least, count, this.writer.take())
    return true
  }
}

/** What a merged segment holds of its passages. */
interface KeptRows {
  rows: Rows
  lengths: Uint16Array
  languages: Uint8Array
}

/** Rows of a segment in the merged one, -1 for removed passages; appends what is kept. */
function keepRows(segment: Segment, removed: IdRanges, { rows, lengths, languages }: KeptRows): Int32Array {
  const newRows = new Int32Array(segment.documents).fill(-1)
  let row = 0
  for (let i = 0; i < segment.stretches.length; i += 2) {
    const first = segment.stretches[i]!
    const count = segment.stretches[i + 1]!
    const kept = subtract(Float64Array.of(first, first + count - 1), removed)
    for (let at = 0; at < kept.length; at += 2) {
      const from = row + kept[at]! - first
      const size = kept[at + 1]! - kept[at]! + 1
      for (let j = 0; j < size; j++) newRows[from + j] = rows.end + j
      lengths.set(segment.lengths.subarray(from, from + size), rows.end)
      languages.set(segment.languages.subarray(from, from + size), rows.end)
      rows.append(kept[at]!, size)
    }
    row += count
  }
  return newRows
}

/** A cursor over the terms of one segment. */
class Source {
  private page: { term: string; data: Uint8Array }[] = []
  private at = 0
  private last = ""
  private ended = false

  constructor(
    private readonly store: KeywordStore,
    private readonly segment: Segment,
    readonly newRows: Int32Array,
  ) {}

  term(): string | undefined {
    if (this.at >= this.page.length && !this.ended) {
      this.page = this.store.termsAfter(this.segment.number, this.last, PAGE)
      this.at = 0
      this.ended = this.page.length < PAGE
      this.last = this.page.at(-1)?.term ?? this.last
    }
    return this.page[this.at]?.term
  }

  take(): Uint8Array {
    return this.page[this.at++]!.data
  }
}

/** The order of UTF-8 bytes, which is SQLite's: JavaScript's differs where surrogates meet U+E000 and above. */
export function compareBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    let x = a.charCodeAt(i)
    let y = b.charCodeAt(i)
    if (x === y) continue
    if (x >= 0xd800 && y >= 0xd800) {
      x = x >= 0xe000 ? x - 0x2000 : x + 0x2000
      y = y >= 0xe000 ? y - 0x2000 : y + 0x2000
    }
    return x - y
  }
  return a.length - b.length
}
