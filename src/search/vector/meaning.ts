/**
 * The vector leg of one query. Where the model does not know the language of the query or of a passage, or no part of a
 * text, vectors are noise: then it stays out.
 */
import { type IdRanges, NO_IDS, subtract } from "../ids/id-ranges.ts"
import type { KeywordIndex } from "../keyword/keyword-index.ts"
import { foreignTo, type LanguageCode, maySpeak, NOT_JUDGED, PassageLanguages } from "../text/language.ts"
import type { StoredTexts } from "../text/stored-texts.ts"
import type { QueryVector } from "../thread/worker-messages.ts"
import type { Background } from "./background.ts"
import type { VectorHit, VectorIndex } from "./vector-index.ts"

/** How many times more vectors are looked at before the languages of an older index are told. */
const DEPTH_WHILE_JUDGING = 10

/** What the vector leg found. */
export interface Meaning {
  hits: VectorHit[]
  /** Passages with a vector that the filters and conditions leave. */
  comparable: number
  /** False when the model knows nothing of the query, such as its language. */
  understood: boolean
  background: Background | null
  /** The best of the workspace, whatever the filters; -1 where vectors say nothing. */
  best: number
  /** NaN where a vector says nothing. */
  cosinesOf(ids: ArrayLike<number>): Float64Array
}

export interface MeaningQuery {
  text: string
  /** Passages that may be hits, and those of the whole workspace. */
  allowed: IdRanges
  live: IdRanges
  depth: number
}

export class MeaningLeg {
  constructor(
    private readonly index: KeywordIndex,
    private readonly texts: StoredTexts,
  ) {}

  search(vector: QueryVector | undefined, vectors: VectorIndex | undefined, query: MeaningQuery): Meaning {
    const languages = vector?.languages ?? null
    const understood = isUnderstood(query.text, vector)
    if (!vector || !vectors || !understood) return noMeaning(understood)
    const { allowed, live, depth } = query
    const foreign = languages ? this.index.table.foreign(languages) : NO_IDS
    const spokenOf = (ids: IdRanges) => (foreign.length ? subtract(ids, foreign) : ids)
    const spoken = spokenOf(allowed)
    const everywhere = allowed === live ? spoken : spokenOf(live)
    vectors.setQuery(vector.values)
    // While languages are still being told, foreign passages are found out only here: enough others are to be left.
    const deeper = languages && this.index.unjudged() ? DEPTH_WHILE_JUDGING : 1
    const near = vectors.search(spoken, depth * deeper)
    const unknown = this.foreignAmong(
      near.hits.map(({ id }) => id),
      languages,
    )
    const known = near.hits.filter(({ id }) => !unknown.has(id))
    const nearest = everywhere === spoken ? known[0] : vectors.search(everywhere, 1).hits[0]
    return {
      hits: known.slice(0, depth),
      comparable: near.comparable,
      understood,
      background: vectors.background(everywhere),
      best: nearest?.score ?? -1,
      cosinesOf: ids => {
        const noise = this.foreignAmong(ids, languages)
        return Float64Array.from(ids, id => (noise.has(id) ? Number.NaN : (vectors.scoreOf(id) ?? Number.NaN)))
      },
    }
  }

  /** Passages in none of the languages. Those whose language was not told when they were indexed are judged here. */
  private foreignAmong(ids: ArrayLike<number>, languages: readonly string[] | null): Set<number> {
    if (!languages) return new Set()
    const foreign = foreignTo(languages)
    const codes = new Map<number, LanguageCode>(Array.from(ids, id => [id, this.index.table.languageOf(id)]))
    const unjudged = [...codes.keys()].filter(id => codes.get(id) === NOT_JUDGED)
    for (const { id, text } of this.texts.among(unjudged)) codes.set(id, new PassageLanguages().next(text))
    return new Set([...codes.keys()].filter(id => foreign.has(codes.get(id)!)))
  }
}

/** Whether the model of a vector knows the language of the query, and any of it. */
export const isUnderstood = (text: string, vector: QueryVector | undefined): boolean =>
  !vector ||
  ((vector.languages === null || maySpeak(text, vector.languages)) && vector.values.some(value => value !== 0))

export const noMeaning = (understood: boolean): Meaning => ({
  hits: [],
  comparable: 0,
  understood,
  background: null,
  best: -1,
  cosinesOf: ids => new Float64Array(ids.length).fill(Number.NaN),
})
