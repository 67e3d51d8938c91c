/**
 * The first of a query's two requests: how many passages hold each word, and the best by words and by meaning. The engine's
 * own order by words stands in for ours, which the second request makes: it goes by what all workspaces of a shard hold.
 */

import type { Tier } from "../../storage/chunk-tables.ts"
import type { Scored } from "../fuse.ts"
import { type IdRanges, NO_IDS, toRanges } from "../ids/id-ranges.ts"
import type { TermGroup } from "../text/analyze.ts"
import { allNear, byGraph, cosineOf, mostNear } from "./near.ts"
import {
  type Clause,
  type Clauses,
  fieldOf,
  holdsOne,
  MAX_CLAUSES,
  narrowed,
  query,
  spokenClauses,
} from "./scope-clauses.ts"
import { type Aggregation, BEST_FIRST, idsOf, type Part, type Search, type Searches } from "./searches.ts"

/** Looked at for the best score alone. */
const FOR_BEST = 50

/** The workspace's passages by what changes only with them. */
export interface LibrarySums {
  documents: number
  /** Terms of all passages, and of all passages each with its surroundings. */
  length: number
  surroundedLength: number
  /** Of each vector that was asked: passages in languages that its model does not know. */
  foreign: IdRanges[]
}

export interface FirstQuestion {
  words: string
  workspace: Clauses
  /** `workspace` itself where nothing narrows it. */
  allowed: Clauses
  /** Passages that pass the filters, and of the workspace. */
  visible: number
  live: number
  groups: TermGroup[]
  /** Those that vouch for a passage, where they are not all. */
  subject: TermGroup[] | undefined
  /** How many of the best by words are asked for. */
  byWords: number
  /** One of each tier at most, `fast` first. */
  vectors: readonly VectorQuestion[]
  /** Indexes of vectors of which it is not known how many passages of the workspace they hold. */
  tables: readonly string[]
  /** The sums are not known yet. */
  sums: boolean
}

export interface VectorQuestion {
  tier: Tier
  index: string
  values: number[]
  /** Languages of the model; null: any. */
  spoken: readonly string[] | null
  /** How many of the nearest are asked for; 0: cosines are asked for afterwards, of those that the other vector finds. */
  depth: number
  /** Those among which the best of the workspace is. */
  head: number
}

export interface FirstAnswer {
  /** Live passages that the index holds. */
  documents: number
  /** How many of them hold each group. */
  holding: number[]
  /** Allowed ones that hold any word. */
  matching: number
  byWords: number[]
  /** The best of the workspace where that is more than what is allowed, and by the words of the subject. */
  anywhere: number[]
  bySubject: number[]
  /** Of each vector. */
  meant: MeantFirst[]
  /** Passages of the workspace that each of the asked tables holds. */
  held: Map<string, number>
  sums: LibrarySums | undefined
}

export interface MeantFirst {
  nearest: Scored[]
  /** Allowed passages that it can be compared with. */
  comparable: number
  /** The best of the workspace. */
  anywhere: Scored[]
  /** Of a quality vector: of the fast one's comparable passages, those that its table holds too. */
  shared: number
}

export async function askFirst(searches: Searches, question: FirstQuestion): Promise<FirstAnswer> {
  const { words: index, workspace, allowed, groups, subject, byWords, vectors, tables } = question
  const narrow = allowed !== workspace
  /** Several searches for more words than the engine takes at once: the best by some of them. */
  const among = (name: string, clauses: Clauses, by: TermGroup[], size: number): Record<string, Search> => {
    const bodies = inSlices(by.flatMap(weighed)).map(should => ({
      ...BEST_FIRST,
      size,
      query: query(clauses, { should, minimum_should_match: 1 }),
    }))
    return Object.fromEntries(bodies.map((body, nth) => [`${name} ${nth}`, { index, body }]))
  }
  const found = await searches.all<string>({
    counts: { index, body: countsBody(question) },
    ...among("words", allowed, groups, byWords),
    matching: narrow && groups.length ? counted(index, narrowed(allowed, [holdsAny(groups)])) : undefined,
    ...(narrow ? among("anywhere", workspace, groups, FOR_BEST) : {}),
    ...(subject ? among("subject", workspace, subject, FOR_BEST) : {}),
    ...Object.assign({}, ...vectors.map((_, nth) => vectorSearches(question, nth))),
    ...Object.fromEntries(tables.map(table => [`held ${table}`, { ...counted(table, workspace), mayBeMissing: true }])),
  })
  const { counts } = found
  const holding = (counts?.aggregations.groups?.buckets ?? []).map(({ doc_count }) => doc_count)
  const any = (counts?.aggregations.any?.buckets ?? [])[0]?.doc_count ?? 0
  const list = (name: string) =>
    Object.entries(found).flatMap(([key, part]) => (key.startsWith(`${name} `) && part ? idsOf(part) : []))
  return {
    documents: counts!.total,
    holding,
    matching: found.matching?.total ?? any,
    byWords: list("words"),
    anywhere: list("anywhere"),
    bySubject: list("subject"),
    meant: vectors.map((_, nth) => {
      const nearest = found[`nearest ${nth}`]
      return {
        nearest: scoredOf(nearest),
        comparable: (found[`comparable ${nth}`] ?? nearest)?.total ?? 0,
        anywhere: scoredOf(found[`best ${nth}`] ?? nearest),
        shared: found[`shared ${nth}`]?.total ?? 0,
      }
    }),
    held: new Map(tables.map(table => [table, found[`held ${table}`]?.total ?? 0])),
    sums: question.sums ? sumsOf(counts!, vectors) : undefined,
  }
}

const counted = (index: string, clauses: Clauses): Search => ({
  index,
  body: { size: 0, track_total_hits: true, query: query(clauses) },
})

/** As lists of terms, of which the engine takes more than of clauses. */
function holdsAny(groups: TermGroup[]): Clause {
  const terms = Object.groupBy(
    groups.flatMap(group => group.terms),
    fieldOf,
  )
  const should = Object.entries(terms).map(([field, some]) => ({ terms: { [field]: some } }))
  return { bool: { should, minimum_should_match: 1 } }
}

const weighed = ({ terms, weight }: TermGroup): Clause[] =>
  terms.map(term => ({ term: { [fieldOf(term)]: { value: term, boost: weight } } }))

function inSlices(clauses: Clause[]): Clause[][] {
  const slices: Clause[][] = []
  for (let from = 0; from < clauses.length; from += MAX_CLAUSES) slices.push(clauses.slice(from, from + MAX_CLAUSES))
  return slices
}

function countsBody({ workspace, groups, sums, vectors }: FirstQuestion): Clause {
  const aggs: Clause = {}
  if (groups.length) {
    aggs.groups = { filters: { filters: groups.map(({ terms }) => holdsOne(terms)) } }
    aggs.any = { filters: { filters: [holdsAny(groups)] } }
  }
  if (sums) Object.assign(aggs, sumsBody(vectors))
  return { size: 0, track_total_hits: true, query: query(workspace), aggs }
}

/** Ids as first and last of those that follow one another, which passages of one language do in a document. */
const RANGES = {
  init_script: "state.r = new ArrayList()",
  map_script: `long i = doc['i'].value; int z = state.r.size();
    if (z > 0 && state.r[z - 1] == i - 1) state.r[z - 1] = i; else { state.r.add(i); state.r.add(i); }`,
  combine_script: "return state.r",
  reduce_script: "def all = []; for (some in states) if (some != null) all.addAll(some); return all",
}

const sumsBody = (vectors: readonly VectorQuestion[]): Clause => ({
  n: { sum: { field: "n" } },
  m: { sum: { field: "m" } },
  ...Object.fromEntries(
    vectors.flatMap(({ spoken }, nth) =>
      spoken ? [[`foreign ${nth}`, rangesOf({ bool: { must_not: [{ terms: { l: spoken } }] } })]] : [],
    ),
  ),
})

const rangesOf = (filter: Clause): Clause => ({ filter, aggs: { ids: { scripted_metric: RANGES } } })

function toldRanges(aggregation: Aggregation | undefined): IdRanges {
  const ids = (aggregation?.ids as { value?: number[] } | undefined)?.value ?? []
  const pairs: [number, number][] = []
  for (let i = 0; i < ids.length; i += 2) pairs.push([ids[i]!, ids[i + 1]!])
  return pairs.length ? toRanges(pairs) : NO_IDS
}

/** Passages of the workspace that a table of vectors holds. */
export async function askHeld(searches: Searches, table: string, workspace: Clauses): Promise<IdRanges> {
  const body = {
    size: 0,
    track_total_hits: false,
    query: query(workspace),
    aggs: { held: rangesOf({ match_all: {} }) },
  }
  const { held } = await searches.all({ held: { index: table, mayBeMissing: true, body } })
  return toldRanges(held?.aggregations.held)
}

function sumsOf({ total, aggregations }: Part, vectors: readonly VectorQuestion[]): LibrarySums {
  const { n, m } = aggregations
  return {
    documents: total,
    length: (n?.value as number | undefined) ?? 0,
    surroundedLength: (m?.value as number | undefined) ?? 0,
    foreign: vectors.map((_, nth) => toldRanges(aggregations[`foreign ${nth}`])),
  }
}

/** Only what sums are asked of: for those that the first request did not ask, since it took them for known. */
export async function askSums(searches: Searches, question: FirstQuestion): Promise<LibrarySums> {
  const body = countsBody({ ...question, groups: [], sums: true })
  const { counts } = await searches.all({ counts: { index: question.words, body } })
  return sumsOf(counts!, question.vectors)
}

/** Looked at for the best one that is scored by this vector and not by the other. */
const FOR_NEAREST = 50

function vectorSearches(
  { workspace, allowed, visible, live, vectors }: FirstQuestion,
  nth: number,
): Record<string, Search | undefined> {
  const { tier, index, values, spoken, depth, head } = vectors[nth]!
  if (depth === 0) return {}
  const other = vectors[1 - nth]?.depth ? vectors[1 - nth] : undefined
  // Those that are scored by the other vector are left out of the list afterwards.
  const wanted = other ? 2 * depth : depth
  const near = (clauses: Clauses, passages: number, count: number): Search => {
    const those = narrowed(clauses, spokenClauses(spoken))
    const body = { ...BEST_FIRST, size: count }
    if (byGraph(passages, count)) return { index, body: { ...body, query: mostNear(values, those, count) } }
    return { index, body: { ...body, track_total_hits: true, query: allNear(values, those) } }
  }
  return {
    [`nearest ${nth}`]: near(allowed, visible, wanted),
    [`comparable ${nth}`]: byGraph(visible, wanted)
      ? counted(index, narrowed(allowed, spokenClauses(spoken)))
      : undefined,
    [`best ${nth}`]:
      allowed === workspace ? undefined : near(workspace, live, other ? Math.max(FOR_NEAREST, 2 * head) : head),
    [`shared ${nth}`]:
      other && tier === "quality" ? counted(index, narrowed(allowed, spokenClauses(other.spoken))) : undefined,
  }
}

const scoredOf = (part: Part | undefined): Scored[] =>
  (part?.hits ?? []).map(({ sort: [score, id] }) => ({ id: id!, score: cosineOf(score!) }))
