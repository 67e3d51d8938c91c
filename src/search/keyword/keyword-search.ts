/** Answers the keyword leg: exact BM25 over the postings of all segments, synchronous and short. See `scope.ts`. */
import { type IdRanges, idsToRanges, pairAround } from "../ids/id-ranges.ts"
import { withRoom } from "../ids/rows.ts"
import { TopK } from "../ids/top-k.ts"
import { isIdentifier, isSingleCharacter, type TermGroup } from "../text/analyze.ts"
import { largestPart, lengthPart } from "./bm25.ts"
import { CharacterPairs } from "./character-pairs.ts"
import { gainsOf, QueryPostings } from "./document-gain.ts"
import type { KeywordIndex, LoadedSegment } from "./keyword-index.ts"
import { eachPosting, PostingBuffer } from "./posting-list.ts"
import { IN_FILTER, type Scope } from "./scope.ts"

/** A word is rare where no more passages hold it than these, and no more than this share of the library or a single one. */
const RARE = { passages: 5, share: 0.05 }

const isRare = (holding: number, documents: number): boolean =>
  holding <= Math.max(1, Math.min(RARE.passages, RARE.share * documents))

/** Only a word that is there as it was asked can decide: see `rareFirst`. */
export const mayDecide = ({ corrected }: TermGroup, holding: number, documents: number): boolean =>
  !corrected && isRare(holding, documents)

/** A question with an identifier is about it, however many other words it has. */
export const partOfRare = ({ terms }: TermGroup, part: number): number =>
  terms.some(isIdentifier) ? Number.POSITIVE_INFINITY : part

interface KeywordHit {
  id: number
  score: number
}

export interface KeywordResult {
  hits: KeywordHit[]
  /** Best of the whole workspace, whatever the filter. */
  anywhere: KeywordHit[]
  /** Passages within the filter that hold at least one word. */
  total: number
  /** The largest score that a passage could reach for this query. */
  bound: number
  /** How much of the query's weight lies on words that some passage holds, 0..1. */
  knownShare: number
  /** The largest part of each word in a score, in the order of the groups, and how many passages of the workspace hold it. */
  parts: number[]
  holding: number[]
  /** Passages of the workspace that hold a rare word, with the share of the query's weight on their rare words: 1 with an identifier. */
  rare: Map<number, number>
  /**
   * The real scores of passages, with what each gains from its document; 0 where it holds none of the words itself. Valid
   * until the next search.
   */
  scoresOf(ids: ArrayLike<number>): Float64Array
}

export const NO_WORDS: Omit<KeywordResult, "rare"> = {
  hits: [],
  anywhere: [],
  total: 0,
  bound: 0,
  knownShare: 0,
  parts: [],
  holding: [],
  scoresOf: ids => new Float64Array(ids.length),
}

export class KeywordSearch {
  private scores = new Float32Array(0)
  /** Passages within the filter that have a score. */
  private total = 0
  private readonly buffer = new PostingBuffer()

  private readonly pairs: CharacterPairs

  constructor(private readonly index: KeywordIndex) {
    this.pairs = new CharacterPairs(index.store)
  }

  /** `depth`: hits wanted, within the filter and anywhere. */
  search(groups: TermGroup[], scope: Scope, depth: number): KeywordResult {
    if (groups.length === 0) return { ...NO_WORDS, rare: new Map() }
    this.clearScores()
    const postings = new QueryPostings()
    const words = this.scoreWords(groups, scope, postings)
    return { ...this.best(scope, depth), ...words, scoresOf: ids => this.withGains(ids, scope, postings) }
  }

  /** Passages of the scope's filter that hold at least one form of every group. */
  holding(groups: string[][], scope: Scope): IdRanges {
    const { rows } = this.index.table
    const seen = new Uint16Array(rows.end)
    groups.forEach((terms, nth) => {
      for (const term of terms) {
        this.readTerm(term, scope)
        for (let i = 0; i < this.buffer.length; i++) {
          const row = this.buffer.rows[i]!
          if (seen[row] === nth) seen[row] = nth + 1
        }
      }
    })
    const ids: number[] = []
    for (let row = 0; row < seen.length; row++)
      if (seen[row] === groups.length && scope.mask[row]! >= IN_FILTER) ids.push(rows.idOf(row))
    return idsToRanges(Float64Array.from(ids).sort())
  }

  /** Reads the postings of a word's forms into the buffer. @returns how many passages of the workspace hold it */
  countHolding(terms: readonly string[], scope: Scope): number {
    this.buffer.length = 0
    for (const term of terms) {
      const before = this.buffer.length
      this.readTerm(term, scope, before)
      // A passage can hold both forms: `lens` stands for itself in one scheme and for `lenses` in the other.
      this.buffer.joinFrom(before)
    }
    return this.buffer.length
  }

  /** The first passages of the workspace that hold at least one of the terms, by their ids. */
  firstHolding(terms: readonly string[], scope: Scope, count: number): number[] {
    this.countHolding(terms, scope)
    const { rows } = this.index.table
    const first = new TopK(count)
    for (const row of this.buffer.rows.subarray(0, this.buffer.length)) {
      const id = rows.idOf(row)
      if (-id >= first.threshold) first.push(-id, id)
    }
    return first.list().map(({ id }) => id)
  }

  private clearScores(): void {
    const { end } = this.index.table.rows
    this.total = 0
    if (this.scores.length < end) this.scores = new Float32Array(withRoom(end))
    else this.scores.fill(0, 0, end)
  }

  /** Adds every word's part to the scores. */
  private scoreWords(
    groups: TermGroup[],
    scope: Scope,
    postings: QueryPostings,
  ): Pick<KeywordResult, "bound" | "knownShare" | "parts" | "holding" | "rare"> {
    const { rows } = this.index.table
    let bound = 0
    let known = 0
    const parts: number[] = []
    const holding: number[] = []
    const rare = new Map<number, number>()
    for (const group of groups) {
      const part = this.accumulate(group, scope, postings)
      bound += part
      parts.push(part)
      const { length } = this.buffer
      holding.push(length)
      if (length > 0) known += part
      if (!mayDecide(group, length, scope.documents)) continue
      const own = partOfRare(group, part)
      for (const row of this.buffer.rows.subarray(0, length)) {
        const id = rows.idOf(row)
        rare.set(id, (rare.get(id) ?? 0) + own)
      }
    }
    for (const [id, part] of rare) rare.set(id, Math.min(1, part / bound))
    return { bound, knownShare: known / bound, parts, holding, rare }
  }

  /** Adds one group's part to the scores; its postings are then in the buffer. @returns its largest possible part. */
  private accumulate(group: TermGroup, scope: Scope, postings: QueryPostings): number {
    const { scores, buffer } = this
    const { lengths } = this.index.table
    this.countHolding(group.terms, scope)
    const part = largestPart(group.weight, scope.documents, Math.min(buffer.length, scope.documents))
    const { norms, mask } = scope
    let { total } = this
    for (let i = 0; i < buffer.length; i++) {
      const row = buffer.rows[i]!
      const frequency = buffer.frequencies[i]!
      const before = scores[row]!
      if (before === 0 && mask[row]! >= IN_FILTER) total++
      scores[row] = before + (part * frequency) / (frequency + norms[lengths[row]!]!)
    }
    this.total = total
    if (scope.gaining) postings.keep(part, buffer)
    return part
  }

  /** Reads a term's postings of every segment into the buffer, from position `at`. */
  private readTerm(term: string, scope: Scope, at = 0): void {
    this.buffer.length = at
    if (isSingleCharacter(term)) {
      this.pairs.keep(new Set(this.index.segments.map(({ number }) => number)))
      for (const segment of this.index.segments) this.readCharacter(term, segment, scope)
      return
    }
    const postings = this.index.store.find(term)
    if (postings.size === 0) return
    for (const { number, base } of this.index.segments) {
      const data = postings.get(number)
      if (data) this.buffer.read(data, base, scope.mask)
    }
  }

  /**
   * Reads the passages of a segment that hold a character, which are known by the pairs that it stands in. It begins a pair
   * wherever it does not end a word, and ends one wherever it does not begin a word: it stands there as often as the more
   * of both.
   */
  private readCharacter(character: string, { number, base, documents }: LoadedSegment, { mask }: Scope): void {
    const begins = new Uint32Array(documents)
    const ends = new Uint32Array(documents)
    const count = (terms: string[], counts: Uint32Array) => {
      for (const term of terms)
        eachPosting(this.index.store.findIn(number, term), (row, frequency) => {
          counts[row]! += frequency
        })
    }
    const terms = this.pairs.holding(number, character)
    count(terms.begins, begins)
    count(terms.ends, ends)
    const most = begins.map((count, row) => Math.max(count, ends[row]!))
    this.buffer.add(most, base, mask)
  }

  /** Those with the highest scores. */
  private best({ mask, filtered }: Scope, depth: number): Pick<KeywordResult, "hits" | "anywhere" | "total"> {
    const { scores, total } = this
    const { rows } = this.index.table
    const top = new TopK(Math.min(depth, rows.end))
    const anywhere = filtered ? new TopK(Math.min(depth, rows.end)) : top
    // Nothing below it enters either list, and nearly all rows are below it: this loop is a tenth of a query.
    let least = Number.MIN_VALUE
    for (let row = 0; row < rows.end; row++) {
      const score = scores[row]!
      if (score < least) continue
      if (filtered && score >= anywhere.threshold) anywhere.push(score, rows.idOf(row))
      if (mask[row]! < IN_FILTER) continue
      top.push(score, rows.idOf(row))
      least = Math.max(Number.MIN_VALUE, top.threshold)
    }
    const hits = top.list()
    return { hits, anywhere: filtered ? anywhere.list() : hits, total }
  }

  private withGains(ids: ArrayLike<number>, scope: Scope, postings: QueryPostings): Float64Array {
    const { rows, lengths } = this.index.table
    const { norms, surroundedLength, spans } = scope
    const gained = gainsOf(ids, {
      postings,
      spanOf: id => pairAround(spans, id),
      rowOf: id => rows.rowOf(id),
      lengthOf: row => lengths[row]!,
      norm: length => norms[length]!,
      surroundedNorm: length => lengthPart(length, surroundedLength),
      rowsEnd: rows.end,
    })
    return Float64Array.from(ids, (id, i) => {
      const row = rows.rowOf(id)
      const own = row < 0 ? 0 : this.scores[row]!
      return own > 0 ? own + gained[i]! : 0
    })
  }
}
