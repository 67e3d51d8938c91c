/** The keyword leg over what the engine said of some passages: the same arithmetic as over the postings of all. */
import { type IdRanges, pairAround } from "../ids/id-ranges.ts"
import { largestPart, lengthPart } from "../keyword/bm25.ts"
import { gainsOf, QueryPostings } from "../keyword/document-gain.ts"
import { type KeywordResult, mayDecide, NO_WORDS, partOfRare } from "../keyword/keyword-search.ts"
import type { TermGroup } from "../text/analyze.ts"
import type { LibrarySums } from "./first-request.ts"
import type { HeldWords } from "./second-request.ts"

export interface HeldSearchInput {
  held: HeldWords
  /** Of `held`, and how many passages of the workspace hold each. */
  groups: readonly TermGroup[]
  holding: readonly number[]
  sums: LibrarySums
  /** First and last passage of each document. */
  spans: IdRanges
  /** Passages among `held` that may be hits; undefined: all. */
  allowed: readonly number[] | undefined
  /** All passages that may be hits and hold a word. */
  matching: number
}

/** @returns what `searchWords` asks; the best come from `held`, which must hold every passage that may be among them */
export function heldSearch(input: HeldSearchInput): (groups: TermGroup[], depth: number) => KeywordResult {
  const { held, sums, allowed, matching } = input
  const mean = sums.length / Math.max(1, sums.documents)
  const ids = [...held.rows.keys()]
  return (groups, depth) => {
    if (groups.length === 0) return { ...NO_WORDS, rare: new Map() }
    const scores = new Float64Array(ids.length)
    const postings = new QueryPostings()
    const words = scoreWords(groups, input, mean, { ids, scores, postings })
    const best = (among: Iterable<number>) => {
      const scored = Array.from(among, id => ({ id, score: scores[held.rows.get(id) ?? -1] ?? 0 }))
      const found = scored.filter(({ score }) => score > 0)
      return found.sort((a, b) => b.score - a.score || a.id - b.id).slice(0, depth)
    }
    const anywhere = best(ids)
    return {
      hits: allowed ? best(allowed) : anywhere,
      anywhere,
      total: matching,
      ...words,
      scoresOf: wanted => withGains(wanted, input, mean, { scores, postings }),
    }
  }
}

interface Scoring {
  /** Passage of each row. */
  ids: number[]
  scores: Float64Array
  postings: QueryPostings
}

/** Adds every word's part to the scores of the rows. */
function scoreWords(
  groups: TermGroup[],
  { held, groups: asked, holding, sums }: HeldSearchInput,
  mean: number,
  { ids, scores, postings }: Scoring,
): Pick<KeywordResult, "bound" | "knownShare" | "parts" | "holding" | "rare"> {
  const norms = held.lengths.map(length => lengthPart(length, mean))
  const rare = new Map<number, number>()
  let [bound, known] = [0, 0]
  const parts = groups.map(group => {
    const nth = asked.indexOf(group)
    const { rows, frequencies } = held.groups[nth]!
    const part = largestPart(group.weight, sums.documents, Math.min(holding[nth]!, sums.documents))
    bound += part
    if (holding[nth]! > 0) known += part
    const own = mayDecide(group, holding[nth]!, sums.documents) ? partOfRare(group, part) : 0
    rows.forEach((row, i) => {
      scores[row]! += (part * frequencies[i]!) / (frequencies[i]! + norms[row]!)
      if (own > 0) rare.set(ids[row]!, (rare.get(ids[row]!) ?? 0) + own)
    })
    const entries = { rows: Int32Array.from(rows), frequencies: Uint8Array.from(frequencies), length: rows.length }
    postings.keep(part, entries, holding[nth]!)
    return part
  })
  for (const [id, part] of rare) rare.set(id, Math.min(1, part / bound))
  return { bound, knownShare: known / bound, parts, holding: groups.map(group => holding[asked.indexOf(group)]!), rare }
}

function withGains(
  wanted: ArrayLike<number>,
  { held, sums, spans }: HeldSearchInput,
  mean: number,
  { scores, postings }: Omit<Scoring, "ids">,
): Float64Array {
  const { rows, lengths } = held
  const surrounded = sums.length > 0 ? (mean * sums.surroundedLength) / sums.length : mean
  const gained = gainsOf(wanted, {
    postings,
    spanOf: id => pairAround(spans, id),
    rowOf: id => rows.get(id) ?? -1,
    lengthOf: row => lengths[row]!,
    norm: length => lengthPart(length, mean),
    surroundedNorm: length => lengthPart(length, surrounded),
    rowsEnd: lengths.length,
  })
  return Float64Array.from(wanted, (id, i) => {
    const own = scores[rows.get(id) ?? -1] ?? 0
    return own > 0 ? own + gained[i]! : 0
  })
}
