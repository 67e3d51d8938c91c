/**
 * The postings of all segments as one index, written here and read by `KeywordSearch`. Lives in the search worker:
 * indexing and merging come in slices, between which queries go.
 */
import { type IdRanges, toRanges, union } from "../ids/id-ranges.ts"
import { schemeOf, termsOf } from "../text/analyze.ts"
import { PassageLanguages } from "../text/language.ts"
import type { TextsOf } from "../thread/worker-messages.ts"
import { MAX_LENGTH } from "./bm25.ts"
import type { KeywordStore, Segment } from "./keyword-store.ts"
import type { Pace } from "./pace.ts"
import { PassageTable } from "./passage-table.ts"
import { PostingWriter } from "./posting-list.ts"

export interface LoadedSegment extends Segment {
  /** Its first row. */
  base: number
}

/** Texts as they go into a segment. */
interface Analyzed {
  /** Row and frequency by turns. */
  postings: Map<string, number[]>
  lengths: Uint16Array
  languages: Uint8Array
}

export class KeywordIndex {
  segments: LoadedSegment[] = []
  readonly table = new PassageTable()
  /** Segments that are not visible and whose postings are to be cleared: merged ones, and what was left unfinished. */
  readonly leftovers: number[]
  private removed: IdRanges
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
    const bases = this.table.load(segments)
    this.segments = segments.map((segment, i) => ({ ...segment, base: bases[i]! }))
  }

  /**
   * Indexes passages `firstId…` as one durable segment, which is seen when all of it is written. `documents` says whose
   * they are, in their order.
   */
  async add(firstId: number, texts: string[], documents: TextsOf[], pace: Pace): Promise<void> {
    if (texts.length === 0) return
    const { postings, lengths, languages } = await analyze(texts, documents, pace)
    const number = this.store.nextNumber()
    try {
      await this.write(number, postings, pace)
      const stretches = Float64Array.of(firstId, texts.length)
      this.show({ number, documents: texts.length, stretches, lengths, languages }, [])
    } catch (error) {
      this.leftovers.push(number)
      throw error
    }
  }

  private async write(segment: number, postings: ReadonlyMap<string, number[]>, pace: Pace): Promise<void> {
    const { writer } = this
    const terms = [...postings.keys()].sort()
    for (let at = 0; at < terms.length; await pace.giveWay())
      this.store.transaction(() => {
        for (; at < terms.length && !pace.isDue(); at++) {
          const list = postings.get(terms[at]!)!
          for (let i = 0; i < list.length; i += 2) writer.add(list[i]!, list[i + 1]!)
          this.store.writePosting(segment, terms[at]!, list.length / 2, writer.take())
        }
      })
  }

  /** Notes that passages are gone for good; merges drop them. Removing twice does nothing. */
  remove(ranges: IdRanges): void {
    this.setRemoved(union(this.removed, ranges))
  }

  /** Ids in any segment, removed ones included. */
  held(): IdRanges {
    return this.table.rows.ids()
  }

  removedRanges(): IdRanges {
    return this.removed
  }

  setRemoved(ranges: IdRanges): void {
    this.removed = ranges
    this.store.setRemoved(ranges)
  }
}

async function analyze(texts: string[], documents: TextsOf[], pace: Pace): Promise<Analyzed> {
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
  return { postings, lengths, languages }
}

function countOf(words: string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}
