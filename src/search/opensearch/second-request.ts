/** The second of a query's two requests: what every passage that may matter holds, by its id. */
import type { TermGroup } from "../text/analyze.ts"
import type { VectorQuestion } from "./first-request.ts"
import { allNear, cosineOf } from "./near.ts"
import { type Clause, fieldOf, holdsOne, MAX_CLAUSES, spokenClauses } from "./scope-clauses.ts"
import { BARE, BEST_FIRST, type EngineHit, type Part, type Searches } from "./searches.ts"

/** Passages asked for at a time: a page far down a long list takes more than one request. */
const PASSAGES = 10_000

/** How often each word stands in passages, as the keyword index of one machine counts. */
export interface HeldWords {
  /** Row of each passage. */
  rows: Map<number, number>
  /** Terms of each row's passage. */
  lengths: number[]
  /** By group: rows that hold it, and how often, 255 at most. */
  groups: { rows: number[]; frequencies: number[] }[]
}

/** A passage can hold both forms of a word: they count together. */
const FREQUENCY = `double all = 0;
  for (term in params.terms) all += Math.min(255, termFreq(params.field, term));
  return Math.min(255, all)`

export async function askWords(
  searches: Searches,
  index: string,
  ids: readonly number[],
  groups: readonly TermGroup[],
): Promise<HeldWords> {
  const named = groups.map(({ terms }, nth) => counting(terms, String(nth)))
  const held: HeldWords = { rows: new Map(), lengths: [], groups: groups.map(() => ({ rows: [], frequencies: [] })) }
  for (let from = 0; from < named.length; from += MAX_CLAUSES) {
    const should = named.slice(from, from + MAX_CLAUSES)
    const parts = await inSlices(ids, some => searches.one({ index, body: wordsBody(some, should) }))
    for (const hit of parts.flatMap(({ hits }) => hits)) note(hit, held)
  }
  return held
}

const wordsBody = (ids: readonly number[], should: Clause[]): Clause => ({
  ...BARE,
  size: ids.length,
  sort: [{ i: "asc" }],
  docvalue_fields: ["n"],
  query: { bool: { filter: [{ terms: { i: ids } }], should } },
})

function note({ sort, fields, matched_queries = {} }: EngineHit, { rows, lengths, groups }: HeldWords): void {
  const id = sort[0]!
  const row = rows.get(id) ?? lengths.push(fields!.n[0]) - 1
  rows.set(id, row)
  for (const nth in matched_queries) {
    const group = groups[Number(nth)]!
    group.rows.push(row)
    group.frequencies.push(matched_queries[nth]!)
  }
}

const counting = (terms: string[], name: string): Clause => ({
  script_score: {
    _name: name,
    query: holdsOne(terms),
    script: { source: FREQUENCY, params: { field: fieldOf(terms[0]!), terms } },
  },
})

/** Cosines of those passages of which the model knows something. */
export async function askCosines(
  searches: Searches,
  { index, values, spoken }: VectorQuestion,
  ids: readonly number[],
): Promise<[id: number, cosine: number][]> {
  const parts = await inSlices(ids, async some => {
    const clauses = { filter: [{ terms: { i: some } }, ...spokenClauses(spoken)], must_not: [] }
    const body = { ...BEST_FIRST, size: some.length, query: allNear(values, clauses) }
    return (await searches.all({ near: { index, body } })).near!
  })
  return parts.flatMap(({ hits }) => hits.map(({ sort: [score, id] }): [number, number] => [id!, cosineOf(score!)]))
}

async function inSlices(ids: readonly number[], ask: (some: readonly number[]) => Promise<Part>): Promise<Part[]> {
  const parts: Part[] = []
  for (let from = 0; from < ids.length; from += PASSAGES) parts.push(await ask(ids.slice(from, from + PASSAGES)))
  return parts
}
