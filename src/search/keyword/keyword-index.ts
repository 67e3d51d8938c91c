/**
 * The keyword leg: exact BM25 over the postings of all segments. Lives in the search worker; a search is synchronous and
 * short, indexing and merging come in slices.
 *
 * Statistics (number of passages, how many hold a term, mean length) are those of the asking workspace's live
 * passages, counted while the postings are read: scores do not depend on other workspaces, on removed passages or on
 * how far merging has come, and a filter narrows the list without changing a score.
 */

import { type IdRanges, NO_IDS, pairAround, toRanges, union } from "../ids/id-ranges.ts"
import { Rows } from "../ids/rows.ts"
import { TopK } from "../ids/top-k.ts"
import { isIdentifier, schemeOf, type TermGroup, termsOf } from "../text/analyze.ts"
import { foreignTo, type LanguageCode, NO_LANGUAGE, NOT_JUDGED, PassageLanguages } from "../text/language.ts"
import type { TextsOf } from "../thread/worker-messages.ts"
import { GAIN, gains, gainsOf, QueryPostings, type SpanOf } from "./document-gain.ts"
import type { KeywordStore, Segment } from "./keyword-store.ts"
import type { Pace } from "./pace.ts"
import { PostingBuffer, PostingWriter } from "./posting-list.ts"

/** k1: how soon more of the same word stops to count (1.2–1.5 measured alike; `fuse` is tuned to it). b: length. */
export const BM25 = { k1: 1.2, b: 0.75 }

const IN_WORKSPACE = 1
const IN_FILTER = 2
/** Lengths are stored as 16 bits. */
const MAX_LENGTH = 65_535
/** A word is rare where no more passages hold it than these, and no more than this share of the library or a single one. */
const RARE = { passages: 5, share: 0.05 }
/** Passages that tell how long a passage and its neighbours are on average. */
const SAMPLED_PASSAGES = 20_000

/** Which passages a search may see, as marks per row. */
export interface Scope {
  mask: Uint8Array
  /** Live passages of the workspace; the N of BM25. */
  documents: number
  /** BM25's length part by passage length: k1 * (1 - b + b * length / mean). */
  norms: Float32Array
  /** Terms of a passage and its neighbours in its document, on average. */
  surroundedLength: number
  /** First and last id of each document, ascending. */
  spans: IdRanges
  /** Some document has several passages and lets them gain from each other. */
  gaining: boolean
  /** Some of the workspace's passages are not looked for. */
  filtered: boolean
  version: number
}

export interface KeywordResult {
  hits: { id: number; score: number }[]
  /** Best of the whole workspace, whatever the filter. */
  anywhere: { id: number; score: number }[]
  /** Passages within the filter that hold at least one word. */
  total: number
  /** The largest score that a passage could reach for this query. */
  bound: number
  /** How much of the query's weight lies on words that some passage holds, 0..1. */
  knownShare: number
  /** The largest part of each word in a score, in the order of the groups. */
  parts: number[]
  /** Passages of the workspace that hold a rare word, with the share of the query's weight on their rare words: 1 with an identifier. */
  rare: Map<number, number>
  /**
   * The real scores of passages, with what each gains from its document; 0 where it holds none of the words itself. Valid
   * until the next search.
   */
  scoresOf(ids: ArrayLike<number>): Float64Array
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
  private languages: Uint8Array = new Uint8Array(0)
  private readonly foreignRanges = new Map<string, IdRanges>()
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
      this.languages = new Uint8Array(this.scores.length)
    }
    for (const segment of this.segments) {
      this.lengths.set(segment.lengths, segment.base)
      this.languages.set(segment.languages, segment.base)
    }
    this.foreignRanges.clear()
    this.version++
  }

  /** NOT_JUDGED where a passage is not here or comes from a version that did not tell languages. */
  languageOf(id: number): LanguageCode {
    const row = this.rows.rowOf(id)
    return row < 0 ? NOT_JUDGED : this.languages[row]!
  }

  /** Passages in languages that are none of these. */
  foreign(languages: readonly string[]): IdRanges {
    const key = languages.join(" ")
    let ranges = this.foreignRanges.get(key)
    if (!ranges) {
      ranges = this.idsWith(foreignTo(languages))
      this.foreignRanges.set(key, ranges)
    }
    return ranges
  }

  /** A segment whose passages' languages were not told when it was written. */
  unjudged(): { number: number; ids: IdRanges } | undefined {
    const segment = this.segments.find(({ languages }) => languages.includes(NOT_JUDGED))
    return segment && { number: segment.number, ids: toRanges(spansOf(segment)) }
  }

  /** Notes the languages of an unjudged segment, by id; of passages that have no text any more there is none. */
  setLanguages(number: number, told: ReadonlyMap<number, LanguageCode>): void {
    const segment = this.segments.find(each => each.number === number)
    if (!segment) return // merged meanwhile
    let row = 0
    for (const [first, last] of spansOf(segment))
      for (let id = first; id <= last; id++, row++)
        if (segment.languages[row] === NOT_JUDGED) segment.languages[row] = told.get(id) ?? NO_LANGUAGE
    this.store.setLanguages(number, segment.languages)
    this.languages.set(segment.languages, segment.base)
    this.foreignRanges.clear()
  }

  private idsWith(codes: ReadonlySet<LanguageCode>): IdRanges {
    const marked = new Uint8Array(256)
    for (const code of codes) marked[code] = 1
    const spans: [number, number][] = []
    for (let row = 0; row < this.rows.end; row++) {
      if (marked[this.languages[row]!] === 0) continue
      const id = this.rows.idOf(row)
      const last = spans.at(-1)
      if (last?.[1] === id - 1) last[1] = id
      else spans.push([id, id])
    }
    return spans.length ? toRanges(spans) : NO_IDS
  }

  /**
   * Indexes passages `firstId…` as one durable segment, which is seen when all of it is written. `documents` says whose
   * they are, in their order.
   */
  async add(firstId: number, texts: string[], documents: TextsOf[], pace: Pace): Promise<void> {
    if (texts.length === 0) return
    const postings = new Map<string, number[]>()
    const lengths = new Uint16Array(texts.length)
    const languages = new Uint8Array(texts.length)
    let row = 0
    for (const { count, scheme } of documents) {
      const told = new PassageLanguages()
      for (const end = row + count; row < end; row++) {
        const text = texts[row]!
        const words = termsOf(text, schemeOf(text, scheme))
        lengths[row] = Math.min(MAX_LENGTH, words.length)
        languages[row] = told.next(text)
        for (const [term, frequency] of countOf(words)) {
          const list = postings.get(term)
          if (list) list.push(row, frequency)
          else postings.set(term, [row, frequency])
        }
        if (pace.isDue()) await pace.giveWay()
      }
    }
    const number = this.store.nextNumber()
    const terms = [...postings.keys()].sort()
    try {
      for (let at = 0; at < terms.length; await pace.giveWay())
        this.store.transaction(() => {
          while (at < terms.length && !pace.isDue()) this.write(number, terms[at]!, postings.get(terms[at++]!)!)
        })
      const stretches = Int32Array.of(firstId, texts.length)
      this.show({ number, documents: texts.length, stretches, lengths, languages }, [])
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
    return toRanges(this.segments.flatMap(spansOf))
  }

  removedRanges(): IdRanges {
    return this.removed
  }

  setRemoved(ranges: IdRanges): void {
    this.removed = ranges
    this.store.setRemoved(ranges)
  }

  /** `filter` absent: the whole workspace. `spans`: its documents, as first and last id, ascending. */
  scope(workspace: IdRanges, filter: IdRanges | undefined, spans: IdRanges): Scope {
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
    const mean = length / Math.max(1, documents)
    const gaining = spans.some((first, i) => i % 2 === 0 && gains(spans[i + 1]! - first + 1))
    const surroundedLength = gaining ? mean * this.neighbourhood(spans, documents) : mean
    return {
      mask,
      documents,
      norms: normsOf(mean),
      surroundedLength,
      spans,
      gaining,
      filtered: filter !== undefined,
      version: this.version,
    }
  }

  /** How many passages a passage and its neighbours are on average, weighed by their lengths. */
  private neighbourhood(spans: IdRanges, documents: number): number {
    const step = Math.ceil(documents / SAMPLED_PASSAGES)
    let alone = 0
    let surrounded = 0
    let place = 0
    for (let i = 0; i < spans.length; i += 2) {
      const [first, last] = [spans[i]!, spans[i + 1]!]
      for (let id = first + (place % step === 0 ? 0 : step - (place % step)); id <= last; id += step) {
        const length = this.lengthOf(id)
        alone += length
        const before = Math.min(id - first, GAIN.reach)
        surrounded += length * (before + 1 + Math.min(last - id, GAIN.reach))
      }
      place += last - first + 1
    }
    return alone > 0 ? surrounded / alone : 1
  }

  private lengthOf(id: number): number {
    const row = this.rows.rowOf(id)
    return row < 0 ? 0 : this.lengths[row]!
  }

  search(groups: TermGroup[], scope: Scope, depth: number): KeywordResult {
    const { scores, rows } = this
    if (groups.length === 0)
      return {
        hits: [],
        anywhere: [],
        total: 0,
        bound: 0,
        knownShare: 0,
        parts: [],
        rare: new Map(),
        scoresOf: ids => new Float64Array(ids.length),
      }
    scores.fill(0, 0, rows.end)
    const postings = new QueryPostings()
    let bound = 0
    let known = 0
    const parts: number[] = []
    const rare = new Map<number, number>()
    const fewest = Math.max(1, Math.min(RARE.passages, RARE.share * scope.documents))
    for (const group of groups) {
      const part = this.accumulate(group, scope, postings)
      bound += part
      parts.push(part)
      const { length } = this.buffer
      if (length > 0) known += part
      if (length <= fewest) {
        // A question with an identifier is about it, however many other words it has.
        const own = group.terms.some(isIdentifier) ? Number.POSITIVE_INFINITY : part
        for (const row of this.buffer.rows.subarray(0, length)) {
          const id = rows.idOf(row)
          rare.set(id, (rare.get(id) ?? 0) + own)
        }
      }
    }
    for (const [id, part] of rare) rare.set(id, Math.min(1, part / bound))
    const top = new TopK(Math.min(depth, rows.end))
    const anywhere = scope.filtered ? new TopK(Math.min(depth, rows.end)) : top
    let total = 0
    const { mask } = scope
    for (let row = 0; row < rows.end; row++) {
      const score = scores[row]!
      if (score === 0) continue
      if (scope.filtered && score >= anywhere.threshold) anywhere.push(score, rows.idOf(row))
      if (mask[row]! < IN_FILTER) continue
      total++
      if (score >= top.threshold) top.push(score, rows.idOf(row))
    }
    const { norms, surroundedLength, spans } = scope
    const surroundedNorm = (length: number) => lengthPart(length, surroundedLength)
    const spanOf: SpanOf = id => pairAround(spans, id)
    const scoresOf = (ids: ArrayLike<number>) => {
      const gained = gainsOf(ids, {
        postings,
        spanOf,
        rowOf: id => rows.rowOf(id),
        lengthOf: row => this.lengths[row]!,
        norm: length => norms[length]!,
        surroundedNorm,
        rowsEnd: rows.end,
      })
      return Float64Array.from(ids, (id, i) => {
        const row = rows.rowOf(id)
        const own = row < 0 ? 0 : scores[row]!
        return own > 0 ? own + gained[i]! : 0
      })
    }
    const hits = top.list()
    const best = scope.filtered ? anywhere.list() : hits
    return { hits, anywhere: best, total, bound, knownShare: known / bound, parts, rare, scoresOf }
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

  /** Adds one group's part to the scores; its postings are then in the buffer. @returns its largest possible part. */
  private accumulate(group: TermGroup, scope: Scope, postings: QueryPostings): number {
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
    if (scope.gaining) postings.keep(part, buffer)
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

function spansOf({ stretches }: Segment): [first: number, last: number][] {
  const spans: [number, number][] = []
  for (let i = 0; i < stretches.length; i += 2) spans.push([stretches[i]!, stretches[i]! + stretches[i + 1]! - 1])
  return spans
}

/** Robertson's weight of a term in the form that never goes below zero. */
function idf(documents: number, holding: number): number {
  return Math.log(1 + (documents - holding + 0.5) / (holding + 0.5))
}

function normsOf(meanLength: number): Float32Array {
  const norms = new Float32Array(MAX_LENGTH + 1)
  for (let length = 0; length < norms.length; length++) norms[length] = lengthPart(length, meanLength)
  return norms
}

const lengthPart = (length: number, meanLength: number): number =>
  BM25.k1 * (1 - BM25.b + (BM25.b * length) / Math.max(1, meanLength))

function countOf(words: string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}
