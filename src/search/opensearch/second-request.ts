/** The second of a query's two requests: what every passage that may matter holds, by its id, and how near it is. */
import type { TermGroup } from "../text/analyze.ts"
import type { VectorQuestion } from "./first-request.ts"
import { allNear, cosineOf } from "./near.ts"
import { type Clause, fieldOf, spokenClauses } from "./scope-clauses.ts"
import { BARE, BEST_FIRST, type Part, type Search, type Searches } from "./searches.ts"

/** Passages asked for at a time: a page far down a long list takes more than one request. */
const PASSAGES = 10_000

/** How often a word counts in one passage at most, as in the keyword index of one machine. */
const MOST = 255
/** Bits of a score that are exact: it is a number of 32 bits. */
const SCORE_BITS = 24
/** Words counted in one score. Fewer than four bits for each would often not do. */
const WORDS_PER_SCORE = 6
/** Words whose counts fit in one score whatever they are. */
const WORDS_CERTAIN = SCORE_BITS / 8

export interface SecondQuestion {
  /** The index of words. */
  words: string
  /** Passages whose words are asked for. */
  ids: readonly number[]
  groups: readonly TermGroup[]
  /** Vectors, and the passages whose nearness to each is asked for. */
  near: readonly { vector: VectorQuestion; ids: readonly number[] }[]
}

/** How often each word stands in passages, as the keyword index of one machine counts. */
export interface HeldWords {
  /** Row of each passage. */
  rows: Map<number, number>
  /** Terms of each row's passage. */
  lengths: number[]
  /** By group: rows that hold it, and how often, 255 at most. */
  groups: { rows: number[]; frequencies: number[] }[]
}

export interface SecondAnswer {
  held: HeldWords
  /** By vector, of those passages of which its model knows something. */
  cosines: [id: number, cosine: number][][]
}

export async function askSecond(searches: Searches, question: SecondQuestion): Promise<SecondAnswer> {
  const { words, ids, groups, near } = question
  const counts = new Counts(groups)
  const cosines: SecondAnswer["cosines"] = near.map(() => [])
  const slices = inScores(groups, WORDS_PER_SCORE)
  const asksWords = groups.length > 0 ? ids.length : 0
  const most = Math.max(asksWords, ...near.map(each => each.ids.length))
  for (let from = 0; from < most; from += PASSAGES) {
    const some = ids.slice(from, from + PASSAGES)
    const found = await searches.all<string>({
      ...(some.length ? countsOf(words, some, slices) : {}),
      ...Object.fromEntries(
        near.map(({ vector, ids: all }, nth) => {
          const those = all.slice(from, from + PASSAGES)
          return [`cosine ${nth}`, those.length ? cosinesOf(vector, those) : undefined]
        }),
      ),
    })
    for (const [nth, slice] of slices.entries()) counts.note(found[nth], slice)
    cosines.forEach((all, nth) => {
      all.push(...pairsOf(found[`cosine ${nth}`]))
    })
  }
  await countAnew(searches, words, counts)
  return { held: counts.held(), cosines }
}

/** Where a word stands more often in a passage than its share of a score tells. */
async function countAnew(searches: Searches, words: string, counts: Counts): Promise<void> {
  const { ids, groups } = counts.uncertain
  const slices = inScores([...groups], WORDS_CERTAIN)
  for (let from = 0; from < ids.size; from += PASSAGES) {
    const parts = await searches.all<string>(countsOf(words, [...ids].slice(from, from + PASSAGES), slices))
    for (const [nth, slice] of slices.entries()) counts.note(parts[nth], slice)
  }
}

/** Words that are counted in one score, each in so many of its bits. */
interface Slice {
  groups: readonly TermGroup[]
  bits: number
}

function inScores(groups: readonly TermGroup[], most: number): Slice[] {
  const count = Math.ceil(groups.length / most)
  const size = Math.ceil(groups.length / count)
  return Array.from({ length: count }, (_, nth) => {
    const some = groups.slice(nth * size, (nth + 1) * size)
    return { groups: some, bits: Math.min(8, Math.floor(SCORE_BITS / some.length)) }
  })
}

/**
 * A passage can hold both forms of a word: they count together. Named queries that score would tell the same, in an answer
 * four times as long and with twice the work for the engine.
 */
const FREQUENCIES = `double all = 0;
  for (int i = 0; i < params.groups.length; i++) {
    double held = 0;
    for (term in params.groups[i]) held += Math.min(${MOST}, termFreq(params.fields[i], term));
    all = all * params.base + Math.min(params.most, held);
  }
  return all`

function countsOf(index: string, ids: readonly number[], slices: readonly Slice[]): Record<string, Search> {
  const filter = [{ terms: { i: ids } }]
  const search = ({ groups, bits }: Slice): Search => {
    const params = {
      fields: groups.map(({ terms }) => fieldOf(terms[0]!)),
      groups: groups.map(({ terms }) => terms),
      base: 2 ** bits,
      most: 2 ** bits - 1,
    }
    const query = { script_score: { query: { bool: { filter } }, script: { source: FREQUENCIES, params } } }
    const sort: Clause[] = [{ i: "asc" }, { n: "asc" }, { _score: "asc" }]
    return { index, body: { ...BARE, size: ids.length, sort, query } }
  }
  return Object.fromEntries(slices.map((slice, nth) => [nth, search(slice)]))
}

/** How often each word stands in each passage, as the answers tell it one after the other. */
class Counts {
  readonly uncertain = { ids: new Set<number>(), groups: new Set<TermGroup>() }
  private readonly rows = new Map<number, number>()
  private readonly lengths: number[] = []
  /** By group and row. */
  private readonly frequencies: Map<TermGroup, number[]>

  constructor(groups: readonly TermGroup[]) {
    this.frequencies = new Map(groups.map(group => [group, []]))
  }

  note(part: Part | undefined, { groups, bits }: Slice): void {
    const most = 2 ** bits - 1
    for (const { sort } of part?.hits ?? []) {
      let [id, length, packed] = sort as [number, number, number]
      const row = this.rows.get(id) ?? this.lengths.push(length) - 1
      this.rows.set(id, row)
      for (const group of groups.toReversed()) {
        const frequency = packed % (most + 1)
        packed = (packed - frequency) / (most + 1)
        this.frequencies.get(group)![row] = frequency
        if (frequency < most || most === MOST) continue
        this.uncertain.ids.add(id)
        this.uncertain.groups.add(group)
      }
    }
  }

  held(): HeldWords {
    const groups = [...this.frequencies.values()].map(all => {
      const rows = [...all.keys()].filter(row => all[row]! > 0)
      return { rows, frequencies: rows.map(row => all[row]!) }
    })
    return { rows: this.rows, lengths: this.lengths, groups }
  }
}

function cosinesOf({ index, values, spoken }: VectorQuestion, ids: readonly number[]): Search {
  const clauses = { filter: [{ terms: { i: ids } }, ...spokenClauses(spoken)], must_not: [] }
  return { index, body: { ...BEST_FIRST, size: ids.length, query: allNear(values, clauses) } }
}

const pairsOf = (part: Part | undefined): [id: number, cosine: number][] =>
  (part?.hits ?? []).map(({ sort: [score, id] }) => [id!, cosineOf(score!)])
