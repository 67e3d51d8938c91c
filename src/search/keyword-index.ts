/**
 * The keyword leg: exact BM25 over the postings of all segments. Lives in the search worker; a search is synchronous and
 * short, indexing and merging come in slices.
 *
 * Statistics (number of passages, how many hold a term, mean length) are those of the asking workspace's live
 * passages, counted while the postings are read: scores do not depend on other workspaces, on removed passages or on
 * how far merging has come, and a filter narrows the list without changing a score.
 */
import { type Scheme, schemeOf, type TermGroup, termsOf } from "./analyze.ts"
import { type IdRanges, NO_IDS, toRanges, union } from "./id-ranges.ts"
import type { KeywordStore, Segment } from "./keyword-store.ts"
import type { Pace } from "./pace.ts"
import { PostingBuffer, PostingWriter } from "./posting-list.ts"
import { Rows } from "./rows.ts"
import { TopK } from "./top-k.ts"

/** k1: how soon more of the same word stops to count (1.2–1.5 measured alike; `fuse` is tuned to it). b: length. */
export const BM25 = { k1: 1.2, b: 0.75 }

const IN_WORKSPACE = 1
const IN_FILTER = 2
/** Lengths are stored as 16 bits. */
const MAX_LENGTH = 65_535

/** Which passages a search may see, as marks per row. */
export interface Scope {
  mask: Uint8Array
  /** Live passages of the workspace; the N of BM25. */
  documents: number
  /** BM25's length part by passage length: k1 * (1 - b + b * length / mean). */
  norms: Float32Array
  version: number
}

export interface KeywordResult {
  hits: { id: number; score: number }[]
  /** Passages within the filter that hold at least one word. */
  total: number
  /** The largest score that a passage could reach for this query. */
  bound: number
  /** The real score of any passage, 0 where it holds none of the words. Valid until the next search. */
  scoreOf(id: number): number
}

interface LoadedSegment extends Segment {
  base: number
}

export class KeywordIndex {
  segments: LoadedSegment[] = []
  rows = new Rows()
  /** Rises whenever row numbers change; scopes of an older version are stale. */
  version = 0
  /** Segments that are not visible and whose postings are to be cleared: merged ones, and what was left unfinished. */
  readonly leftovers: number[]
  private lengths = new Uint16Array(0)
  private scores = new Float32Array(0)
  private removed: IdRanges
  private readonly buffer = new PostingBuffer()
  private readonly writer = new PostingWriter()

  constructor(readonly store: KeywordStore) {
    this.removed = toRanges(store.removed())
    this.leftovers = store.hidden()
    this.setSegments(store.segments())
  }

  /** Makes a segment visible, on disk and here, in the place of those that it replaces. */
  show(segment: Segment | undefined, replaced: Segment[]): void {
    const numbers = new Set(replaced.map(({ number }) => number))
    this.store.show(segment, [...numbers])
    this.setSegments([...this.segments.filter(({ number }) => !numbers.has(number)), ...(segment ? [segment] : [])])
  }

  private setSegments(segments: Segment[]): void {
    let base = 0
    this.rows = new Rows()
    this.segments = segments.map(segment => {
      const loaded = { ...segment, base }
      base += segment.documents
      for (let i = 0; i < segment.stretches.length; i += 2)
        this.rows.append(segment.stretches[i]!, segment.stretches[i + 1]!)
      return loaded
    })
    // An eighth more than needed: a library that grows would else allocate anew at every segment.
    if (base > this.scores.length) {
      this.scores = new Float32Array(Math.ceil(base * 1.125))
      this.lengths = new Uint16Array(this.scores.length)
    }
    for (const segment of this.segments) this.lengths.set(segment.lengths, segment.base)
    this.version++
  }

  /**
   * Indexes passages `firstId…` as one durable segment, which is seen when all of it is written. `fallbacks` are the
   * schemes of texts whose language does not show.
   */
  async add(firstId: number, texts: string[], fallbacks: Scheme[], pace: Pace): Promise<void> {
    if (texts.length === 0) return
    const postings = new Map<string, number[]>()
    const lengths = new Uint16Array(texts.length)
    for (const [row, text] of texts.entries()) {
      const words = termsOf(text, schemeOf(text, fallbacks[row]))
      lengths[row] = Math.min(MAX_LENGTH, words.length)
      for (const [term, frequency] of countOf(words)) {
        const list = postings.get(term)
        if (list) list.push(row, frequency)
        else postings.set(term, [row, frequency])
      }
      if (pace.isDue()) await pace.giveWay()
    }
    const number = this.store.nextNumber()
    const terms = [...postings.keys()].sort()
    try {
      for (let at = 0; at < terms.length; await pace.giveWay())
        this.store.transaction(() => {
          while (at < terms.length && !pace.isDue()) this.write(number, terms[at]!, postings.get(terms[at++]!)!)
        })
      this.show({ number, documents: texts.length, stretches: Int32Array.of(firstId, texts.length), lengths }, [])
    } catch (error) {
      this.leftovers.push(number)
      throw error
    }
  }

  private write(segment: number, term: string, list: number[]): void {
    const { writer } = this
    for (let i = 0; i < list.length; i += 2) writer.add(list[i]!, list[i + 1]!)
    this.store.writePosting(segment, term, list.length / 2, writer.take())
  }

  /** Notes that passages are gone for good; merges drop them. Removing twice does nothing. */
  remove(ranges: IdRanges): void {
    this.setRemoved(union(this.removed, ranges))
  }

  /** Ids in any segment, removed ones included. */
  held(): IdRanges {
    const spans: [number, number][] = []
    for (const { stretches } of this.segments)
      for (let i = 0; i < stretches.length; i += 2) spans.push([stretches[i]!, stretches[i]! + stretches[i + 1]! - 1])
    return toRanges(spans)
  }

  removedRanges(): IdRanges {
    return this.removed
  }

  setRemoved(ranges: IdRanges): void {
    this.removed = ranges
    this.store.setRemoved(ranges)
  }

  /** `filter` absent: the whole workspace. */
  scope(workspace: IdRanges, filter: IdRanges | undefined): Scope {
    const mask = new Uint8Array(this.rows.end)
    let documents = 0
    let length = 0
    this.rows.eachIn(workspace, (row, count) => {
      mask.fill(filter ? IN_WORKSPACE : IN_WORKSPACE | IN_FILTER, row, row + count)
      documents += count
      for (let i = row; i < row + count; i++) length += this.lengths[i]!
    })
    if (filter)
      this.rows.eachIn(filter, (row, count) => {
        for (let i = row; i < row + count; i++) if (mask[i]) mask[i] = IN_WORKSPACE | IN_FILTER
      })
    return { mask, documents, norms: normsOf(length / Math.max(1, documents)), version: this.version }
  }

  search(groups: TermGroup[], scope: Scope, depth: number): KeywordResult {
    const { scores, rows } = this
    if (groups.length === 0) return { hits: [], total: 0, bound: 0, scoreOf: () => 0 }
    scores.fill(0, 0, rows.end)
    let bound = 0
    for (const group of groups) bound += this.accumulate(group, scope)
    const top = new TopK(Math.min(depth, rows.end))
    let total = 0
    const { mask } = scope
    for (let row = 0; row < rows.end; row++) {
      const score = scores[row]!
      if (score === 0 || mask[row]! < IN_FILTER) continue
      total++
      if (score >= top.threshold) top.push(score, rows.idOf(row))
    }
    const scoreOf = (id: number) => {
      const row = rows.rowOf(id)
      return row < 0 ? 0 : scores[row]!
    }
    return { hits: top.list(), total, bound, scoreOf }
  }

  /** Passages of the scope's filter that hold at least one form of every group. */
  holding(groups: string[][], scope: Scope): IdRanges {
    const seen = new Uint16Array(this.rows.end)
    groups.forEach((terms, nth) => {
      for (const term of terms) {
        this.readTerm(term, scope)
        for (let i = 0; i < this.buffer.length; i++) {
          const row = this.buffer.rows[i]!
          if (seen[row] === nth) seen[row] = nth + 1
        }
      }
    })
    const pairs: [number, number][] = []
    for (let row = 0; row < seen.length; row++)
      if (seen[row] === groups.length && scope.mask[row]! >= IN_FILTER) {
        const id = this.rows.idOf(row)
        pairs.push([id, id])
      }
    return pairs.length ? toRanges(pairs) : NO_IDS
  }

  /** Adds one group's part to the scores. @returns its largest possible part. */
  private accumulate(group: TermGroup, scope: Scope): number {
    const { scores, lengths, buffer } = this
    buffer.length = 0
    for (const term of group.terms) {
      const before = buffer.length
      this.readTerm(term, scope, before)
      // A passage can hold both forms: `lens` stands for itself in one scheme and for `lenses` in the other.
      buffer.joinFrom(before)
    }
    const found = Math.min(buffer.length, scope.documents)
    if (found === 0) return group.weight * idf(scope.documents, 0) * (BM25.k1 + 1)
    const part = group.weight * idf(scope.documents, found) * (BM25.k1 + 1)
    const { norms } = scope
    for (let i = 0; i < buffer.length; i++) {
      const row = buffer.rows[i]!
      const frequency = buffer.frequencies[i]!
      scores[row]! += (part * frequency) / (frequency + norms[lengths[row]!]!)
    }
    return part
  }

  /** Reads a term's postings of every segment into the buffer, from position `at`. */
  private readTerm(term: string, scope: Scope, at = 0): void {
    this.buffer.length = at
    for (const segment of this.segments) {
      const posting = this.store.find(segment.number, term)
      if (posting) this.buffer.read(posting.data, segment.base, scope.mask)
    }
  }
}

/** Robertson's weight of a term in the form that never goes below zero. */
function idf(documents: number, holding: number): number {
  return Math.log(1 + (documents - holding + 0.5) / (holding + 0.5))
}

function normsOf(meanLength: number): Float32Array {
  const norms = new Float32Array(MAX_LENGTH + 1)
  const mean = Math.max(1, meanLength)
  for (let length = 0; length < norms.length; length++)
    norms[length] = BM25.k1 * (1 - BM25.b + (BM25.b * length) / mean)
  return norms
}

function countOf(words: string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}
