/**
 * The vector leg of one query in a cluster, from what the engine says of both tables of vectors: the same rules as on one
 * machine (`vector/meaning.ts`). A passage is scored by its quality vector where it has one, else by its fast one, brought to
 * the scale of the others. Which passages have which is known by `held`: as of a moment ago, so all parts go by that.
 */
import type { Scored } from "../fuse.ts"
import { hasId, type IdRanges, intersect, subtract } from "../ids/id-ranges.ts"
import type { QueryVector } from "../thread/worker-messages.ts"
import { type Background, backgroundOf, sampleOf } from "../vector/background.ts"
import { calibration } from "../vector/calibration.ts"
import type { Meaning } from "../vector/meaning.ts"
import type { MeantFirst, VectorQuestion } from "./first-request.ts"

/** What was found by one of the vectors. */
export interface FoundByVector {
  vector: QueryVector
  question: VectorQuestion
  found: MeantFirst
  /** Passages of the workspace in languages that the model does not know. */
  foreign: IdRanges
}

/** Passages that are scored by vectors of one tier. */
interface Part extends FoundByVector {
  /** Of the workspace, in languages that the model knows. */
  live: IdRanges
  /** Whether a passage is scored by this vector. */
  has(id: number): boolean
}

export class ClusterMeaning {
  private readonly parts: readonly Part[]
  private readonly cosines = new Map<Part, Map<number, number>>()

  /**
   * @param held passages of the workspace that have a quality vector; undefined: all that are asked about are scored by one
   * vector, the only one
   */
  constructor(
    byVector: readonly FoundByVector[],
    private readonly workspace: IdRanges,
    held: IdRanges | undefined,
  ) {
    this.parts = partsOf(byVector, workspace, held)
    for (const part of this.parts)
      this.cosines.set(part, new Map(part.found.nearest.map(({ id, score }) => [id, score])))
  }

  /** Candidates by nearness, before any scale is known: the best of each part. */
  get near(): number[] {
    return this.parts.flatMap(part => part.found.nearest.filter(({ id }) => part.has(id)).map(({ id }) => id))
  }

  /** What is still to be asked, so that all of `among` have cosines, and the background and the scale can be told. */
  wanted(among: Iterable<number>): { vector: VectorQuestion; ids: number[] }[] {
    const [first, second] = this.parts
    const ids = new Set([...among, ...this.sample()])
    return this.parts.map(part => {
      const own = new Set([...ids].filter(id => part.has(id)))
      // The scale is told by passages that have both vectors.
      if (second) for (const id of sampleOf(spoken(first!.live, second))) own.add(id)
      return { vector: part.question, ids: [...own].filter(id => !this.cosines.get(part)!.has(id)) }
    })
  }

  /** In the order of `wanted`. */
  note(cosines: readonly (readonly [id: number, cosine: number])[][]): void {
    this.parts.forEach((part, nth) => {
      for (const [id, cosine] of cosines[nth] ?? []) this.cosines.get(part)!.set(id, cosine)
    })
  }

  /** Once all that was wanted is noted. */
  meaning(visible: IdRanges, depth: number, held: Meaning["held"]): Meaning {
    const [first, second] = this.parts
    const scaled = this.scale()
    const cosineOf = (id: number): number | undefined => {
      const part = this.parts.find(each => each.has(id))
      const cosine = part && this.cosines.get(part)!.get(id)
      return cosine === undefined ? undefined : part === second ? scaled(cosine) : cosine
    }
    const ofPart = (part: Part, list: readonly Scored[]) =>
      list
        .filter(({ id }) => part.has(id))
        .map(({ id, score }) => ({ id, score: part === second ? scaled(score) : score }))
    const hits = this.parts
      .flatMap(part => ofPart(part, part.found.nearest).filter(({ id }) => hasId(visible, id)))
      .sort((a, b) => b.score - a.score || a.id - b.id)
      .slice(0, depth)
    const own = first!.found.comparable
    const comparable = own + (second ? Math.max(0, second.found.comparable - first!.found.shared) : 0)
    const upgraded = first!.vector.tier === "quality" && comparable > 0 ? own / comparable : 0
    return {
      hits,
      comparable,
      understood: true,
      background: this.background(cosineOf),
      best: Math.max(-1, ...this.parts.map(part => ofPart(part, part.found.anywhere)[0]?.score ?? -1)),
      cosinesOf: ids => Float64Array.from(ids, id => cosineOf(id) ?? Number.NaN),
      scale: first!.vector.tier,
      upgraded,
      held,
    }
  }

  private sample(): number[] {
    const [first, second] = this.parts
    return sampleOf(second ? this.workspace : first!.live)
  }

  /** Over all parts: a passage says as much with one kind of vector as with the other. */
  private background(cosineOf: (id: number) => number | undefined): Background {
    const [first, second] = this.parts
    if (!second) return backgroundOf(first!.live, cosineOf)
    return backgroundOf(this.workspace, id =>
      this.parts.some(({ live }) => hasId(live, id)) ? cosineOf(id) : undefined,
    )
  }

  /** From the second part's cosines to those of the first. */
  private scale(): (cosine: number) => number {
    const [quality, fast] = this.parts
    if (!quality || !fast) return cosine => cosine
    const measureOf = (part: Part) => ({
      vector: part.vector,
      cosineOf: (id: number) => this.cosines.get(part)!.get(id),
    })
    return calibration(spoken(quality.live, fast), measureOf(fast), measureOf(quality))
  }
}

/** The first sets the scale. */
function partsOf(byVector: readonly FoundByVector[], workspace: IdRanges, held: IdRanges | undefined): Part[] {
  const fast = byVector.find(({ vector }) => vector.tier === "fast")
  const quality = byVector.find(({ vector }) => vector.tier === "quality")
  const alone = (each: FoundByVector): Part[] => [{ ...each, live: spoken(workspace, each), has: () => true }]
  if (!quality || !fast) return alone((quality ?? fast)!)
  if (held === undefined) return alone(quality)
  if (held.length === 0) return alone(fast)
  const rest = subtract(workspace, held)
  if (rest.length === 0) return alone(quality)
  return [
    { ...quality, live: spoken(intersect(workspace, held), quality), has: id => hasId(held, id) },
    { ...fast, live: spoken(rest, fast), has: id => !hasId(held, id) },
  ]
}

const spoken = (ids: IdRanges, { foreign }: FoundByVector): IdRanges => (foreign.length ? subtract(ids, foreign) : ids)
