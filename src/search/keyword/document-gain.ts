/**
 * Scores a passage together with what stands around it in its document. A document cut into passages is else worse found
 * by words than a whole one, since a question shares some words with one passage and some with the next: on 3 000
 * abstracts asked for with half of their titles nDCG@10 is .832 whole, .812 cut, .825 with this.
 *
 * gained = own + share · (BM25 of the passage and its neighbors as one text − own), by which a passage may also fall
 * behind another whose surroundings say more. The passages of one-passage documents keep their score, and no score
 * exceeds the query's bound.
 */
import { withRoom } from "../ids/rows.ts"
import type { PostingBuffer } from "./posting-list.ts"

export const GAIN = {
  /** How much the surroundings count beside the passage itself. .4 to .7 measured alike; 1 finds documents, not passages. */
  share: 0.6,
  /** Passages on each side that are surroundings. */
  reach: 2,
  /** In a document of more passages than this the share falls: long ones speak of many things. */
  fullUpTo: 5,
  /** Passages of a document from which on it falls so low that it is not worth the looking. */
  none: 50,
} as const

/** Whether a document of so many passages lets them gain. */
export const gains = (passages: number): boolean => passages > 1 && passages < GAIN.none

/** Postings kept of one word, and of all words of a query: commoner words say little, and would take long. */
const MAX_OF_WORD = 65_536
const MAX_OF_QUERY = 1_000_000

/** One word's postings among the visible passages. */
interface WordPostings {
  /** The largest part that it can have in a score. */
  part: number
  rows: Int32Array
  frequencies: Uint8Array
}

/** Notes the postings of a query's words while they are scored. */
export class QueryPostings {
  readonly words: WordPostings[] = []
  private total = 0

  /** `holding`: the visible passages that hold the word, where the postings are of some of them. */
  keep(
    part: number,
    { rows, frequencies, length }: Pick<PostingBuffer, "rows" | "frequencies" | "length">,
    holding = length,
  ): void {
    if (holding === 0 || holding > MAX_OF_WORD || this.total + holding > MAX_OF_QUERY) return
    this.total += holding
    this.words.push({ part, rows: rows.slice(0, length), frequencies: frequencies.slice(0, length) })
  }
}

/** Where a passage lies: ids of its document's first and last passage. */
export type SpanOf = (id: number) => readonly [first: number, last: number]

export interface GainInput {
  postings: QueryPostings
  spanOf: SpanOf
  /** -1 where a passage is not in the index. */
  rowOf(id: number): number
  /** Terms in a row's passage. */
  lengthOf(row: number): number
  /** BM25's length part of a passage, and of a passage with its surroundings, of so many terms. */
  norm(length: number): number
  surroundedNorm(length: number): number
  /** Row after the last. */
  rowsEnd: number
}

/** @returns what is to be added to each passage's own score, in the order of `ids` */
export function gainsOf(ids: ArrayLike<number>, input: GainInput): Float64Array {
  const gains = new Float64Array(ids.length)
  const { words } = input.postings
  const { rows, of } = surroundings(ids, input)
  if (rows.length === 0 || words.length === 0) return gains
  const frequencies = frequenciesIn(rows, input)
  of.forEach((near, i) => {
    if (!near) return
    let length = 0
    for (const slot of near.slots) length += input.lengthOf(rows[slot]!)
    const own = near.slots[0]!
    const ownNorm = input.norm(input.lengthOf(rows[own]!))
    const norm = input.surroundedNorm(length)
    let gain = 0
    for (let word = 0; word < words.length; word++) {
      const held = frequencies[own * words.length + word]!
      let frequency = 0
      for (const slot of near.slots) frequency += frequencies[slot * words.length + word]!
      if (frequency > 0)
        gain += words[word]!.part * (frequency / (frequency + norm) - (held > 0 ? held / (held + ownNorm) : 0))
    }
    gains[i] = near.share * gain
  })
  return gains
}

interface Surroundings {
  /** Every row that is looked at, once. */
  rows: number[]
  /** For each passage the places in `rows` of itself, first, and of its neighbors; undefined where it stands alone. */
  of: ({ slots: number[]; share: number } | undefined)[]
}

function surroundings(ids: ArrayLike<number>, { spanOf, rowOf }: GainInput): Surroundings {
  const rows: number[] = []
  const slots = new Map<number, number>()
  const slotOf = (id: number): number => {
    let slot = slots.get(id)
    if (slot === undefined) {
      const row = rowOf(id)
      slot = row < 0 ? -1 : rows.push(row) - 1
      slots.set(id, slot)
    }
    return slot
  }
  const of = Array.from(ids, id => {
    const [first, last] = spanOf(id)
    if (!gains(last - first + 1)) return undefined
    const own = slotOf(id)
    if (own < 0) return undefined
    const near = [own]
    for (let other = Math.max(first, id - GAIN.reach); other <= Math.min(last, id + GAIN.reach); other++) {
      const slot = other === id ? -1 : slotOf(other)
      if (slot >= 0) near.push(slot)
    }
    return { slots: near, share: GAIN.share * Math.min(1, (GAIN.fullUpTo - 1) / (last - first)) }
  })
  return { rows, of }
}

/** Place of a row among those looked at, by row; all zero between calls. */
let places = new Uint16Array(0)

/** How often every word stands in every row, row by row. */
function frequenciesIn(rows: number[], { postings: { words }, rowsEnd }: GainInput): Uint8Array {
  if (places.length < rowsEnd) places = new Uint16Array(withRoom(rowsEnd))
  rows.forEach((row, slot) => {
    places[row] = slot + 1
  })
  const found = new Uint8Array(rows.length * words.length)
  words.forEach(({ rows: holding, frequencies }, word) => {
    for (let i = 0; i < holding.length; i++) {
      const slot = places[holding[i]!]!
      if (slot > 0) found[(slot - 1) * words.length + word] = frequencies[i]!
    }
  })
  for (const row of rows) places[row] = 0
  return found
}
