/**
 * The vector leg of one query: a passage is found and scored by its quality vector where it has one, with a share of its fast
 * one (`scale.ts`), else by its fast one alone; fast cosines are brought to the scale of the others (`calibration.ts`). Where a
 * model does not know the language of the query or of a passage, or no part of a text, vectors are noise: then they stay out.
 */
import type { Tier } from "../../storage/chunk-tables.ts"
import { countIds, hasId, type IdRanges, NO_IDS, subtract } from "../ids/id-ranges.ts"
import type { KeywordIndex } from "../keyword/keyword-index.ts"
import { foreignTo, type LanguageCode, maySpeak, NOT_JUDGED, PassageLanguages } from "../text/language.ts"
import type { StoredTexts } from "../text/stored-texts.ts"
import type { QueryVector } from "../thread/worker-messages.ts"
import { type Background, backgroundOf } from "./background.ts"
import { calibration } from "./calibration.ts"
import { Division } from "./division.ts"
import { joint, plain, type Scale } from "./scale.ts"
import type { VectorHit, VectorIndex } from "./vector-index.ts"

/** What the vector leg found. */
export interface Meaning {
  hits: VectorHit[]
  /** Passages with a vector that the filters and conditions leave. */
  comparable: number
  /** False when no model knows anything of the query, such as its language. */
  understood: boolean
  background: Background | null
  /** The best of the workspace, whatever the filters; -1 where vectors say nothing. */
  best: number
  /** NaN where a vector says nothing. */
  cosinesOf(ids: ArrayLike<number>): Float64Array
  /** The tier on whose scale all cosines are; null where vectors say nothing. */
  scale: Tier | null
  /** Share of the comparable passages that were scored by quality vectors, 0..1. */
  upgraded: number
  /** Passages of the workspace that have a vector of each tier that serves. */
  held: Partial<Record<Tier, number>>
}

export interface MeaningQuery {
  text: string
  /** Passages that may be hits, and those of the whole workspace. */
  allowed: IdRanges
  live: IdRanges
  depth: number
  /** The sets of vectors that serve, also those that the query has no vector for. */
  serving: readonly (readonly [Tier, VectorIndex])[]
}

/** The vector of a query and the vectors that it is compared with. */
export interface Asked {
  vector: QueryVector
  index: VectorIndex
}

/** Passages that are found by vectors of one tier. */
interface Part extends Asked {
  /** Of what the filters leave, and of the workspace; in languages that the model knows. */
  allowed: IdRanges
  live: IdRanges
  scale: Scale
}

export class MeaningLeg {
  private readonly division = new Division()

  constructor(
    private readonly index: KeywordIndex,
    private readonly texts: StoredTexts,
  ) {}

  search(asked: readonly Asked[], query: MeaningQuery): Meaning {
    const held = Object.fromEntries(
      query.serving.map(([tier, index]) => [tier, countIds(this.division.of(query.live, index.held()).inside)]),
    )
    const meant = asked.filter(({ vector }) => isUnderstood(query.text, vector))
    if (meant.length === 0) return { ...noMeaning(asked.length === 0), held }
    const parts = this.parts(meant, query)
    const found = parts.map(part => this.nearest(part, query))
    const comparable = found.reduce((sum, each) => sum + each.comparable, 0)
    const byQuality = parts.findIndex(({ vector }) => vector.tier === "quality")
    return {
      hits: found
        .flatMap(({ hits }) => hits)
        .sort((a, b) => b.score - a.score || a.id - b.id)
        .slice(0, query.depth),
      comparable,
      understood: true,
      background: this.background(parts, query.live),
      best: Math.max(...found.map(({ best }) => best)),
      cosinesOf: ids => this.cosinesOf(parts, ids),
      scale: parts[0]!.vector.tier,
      upgraded: comparable > 0 ? (found[byQuality]?.comparable ?? 0) / comparable : 0,
      held,
    }
  }

  /** Which passages are found by which vectors; the first part sets the scale. */
  private parts(meant: readonly Asked[], { allowed, live }: MeaningQuery): Part[] {
    const fast = meant.find(({ vector }) => vector.tier === "fast")
    const quality = meant.find(({ vector }) => vector.tier === "quality")
    for (const { vector, index } of meant) index.setQuery(vector.values)
    if (!quality) return [this.part(fast!, allowed, live)]
    if (!fast) return [this.part(quality, allowed, live)]
    const held = quality.index.held()
    const among = this.division.of(live, held)
    if (among.inside.length === 0) return [this.part(fast, allowed, live)]
    const { inside, rest } = this.division.of(allowed, held)
    const better = this.part(quality, inside, among.inside)
    const share = quality.vector.fastShare
    if (among.rest.length === 0 && share === 0) return [better]
    // What the fast model does not know is noise to it, and would tell nothing of its scale.
    const both = this.part(fast, better.live, better.live).live
    const scaled = calibration(both, measureOf(fast), measureOf(quality))
    if (share > 0)
      better.scale = joint(share, id => {
        const cosine = hasId(both, id) ? fast.index.scoreOf(id) : undefined
        return cosine === undefined ? undefined : scaled(cosine)
      })
    return among.rest.length === 0 ? [better] : [better, this.part(fast, rest, among.rest, plain(scaled))]
  }

  private part({ vector, index }: Asked, allowed: IdRanges, live: IdRanges, scale = plain()): Part {
    const foreign = vector.languages ? this.index.table.foreign(vector.languages) : NO_IDS
    const spokenOf = (ids: IdRanges) => (foreign.length ? subtract(ids, foreign) : ids)
    const spoken = spokenOf(live)
    return { vector, index, scale, live: spoken, allowed: allowed === live ? spoken : spokenOf(allowed) }
  }

  /** The nearest of a part, and the best of the workspace in it. */
  private nearest({ vector, index, allowed, live, scale }: Part, { depth }: MeaningQuery) {
    const { languages } = vector
    const near = index.search(allowed, depth)
    const unknown = this.foreignAmong(
      near.hits.map(({ id }) => id),
      languages,
    )
    const known = near.hits.filter(({ id }) => !unknown.has(id))
    const hits = scale.ordered(known.slice(0, depth))
    const best = allowed === live ? hits[0] : scale.ordered(index.search(live, scale.head).hits)[0]
    return { hits, comparable: near.comparable, best: best?.score ?? -1 }
  }

  /** Over all parts: a passage says as much with one kind of vector as with the other. */
  private background(parts: readonly Part[], everywhere: IdRanges): Background {
    const [first, ...others] = parts
    if (others.length === 0) return backgroundOf(first!.live, id => cosineIn(parts, id))
    return backgroundOf(everywhere, id => (parts.some(({ live }) => hasId(live, id)) ? cosineIn(parts, id) : undefined))
  }

  private cosinesOf(parts: readonly Part[], ids: ArrayLike<number>): Float64Array {
    const noise = new Set<number>()
    const byPart = Map.groupBy(Array.from(ids), id => partOf(parts, id))
    for (const [part, own] of byPart)
      for (const id of this.foreignAmong(own, part?.vector.languages ?? null)) noise.add(id)
    return Float64Array.from(ids, id => (noise.has(id) ? Number.NaN : (cosineIn(parts, id) ?? Number.NaN)))
  }

  /** Passages in none of the languages. Those whose words are not indexed yet are judged here. */
  private foreignAmong(ids: ArrayLike<number>, languages: readonly string[] | null): Set<number> {
    if (!languages) return new Set()
    const foreign = foreignTo(languages)
    const codes = new Map<number, LanguageCode>(Array.from(ids, id => [id, this.index.table.languageOf(id)]))
    const unjudged = [...codes.keys()].filter(id => codes.get(id) === NOT_JUDGED)
    for (const { id, text } of this.texts.among(unjudged)) codes.set(id, new PassageLanguages().next(text))
    return new Set([...codes.keys()].filter(id => foreign.has(codes.get(id)!)))
  }
}

/** The cosine of a passage on the scale of the answer, by the first part that holds it. */
function cosineIn(parts: readonly Part[], id: number): number | undefined {
  const part = partOf(parts, id)
  const cosine = part?.index.scoreOf(id)
  return cosine === undefined ? undefined : part!.scale.of(id, cosine)
}

const partOf = (parts: readonly Part[], id: number): Part | undefined => parts.find(({ index }) => index.holds(id))

const measureOf = ({ vector, index }: Asked) => ({ vector, cosineOf: (id: number) => index.scoreOf(id) })

/** Whether the model of a vector knows the language of the query, and any of it. */
export const isUnderstood = (text: string, vector: QueryVector): boolean =>
  (vector.languages === null || maySpeak(text, vector.languages)) && vector.values.some(value => value !== 0)

/** @param understood no model was asked */
export const noMeaning = (understood: boolean): Meaning => ({
  hits: [],
  comparable: 0,
  understood,
  background: null,
  best: -1,
  cosinesOf: ids => new Float64Array(ids.length).fill(Number.NaN),
  scale: null,
  upgraded: 0,
  held: {},
})
