/**
 * The vector leg of one query in a cluster, from what the engine says of both tables of vectors: the same rules as on one
 * machine (`vector/meaning.ts`). A passage is found and scored by its quality vector where it has one, with a share of its fast
 * one, else by its fast one alone, brought to the scale of the others. Which passages have which is known by `held`: as of a
 * moment ago, so all parts go by that.
 */
import type { Scored } from "../fuse.ts"
import { hasId, type IdRanges, intersect, subtract } from "../ids/id-ranges.ts"
import type { QueryVector } from "../thread/worker-messages.ts"
import { type Background, backgroundOf, sampleOf } from "../vector/background.ts"
import { calibration } from "../vector/calibration.ts"
import type { Meaning } from "../vector/meaning.ts"
import { joint, plain, type Scale } from "../vector/scale.ts"
import type { MeantFirst, VectorQuestion } from "./first-request.ts"

/** What was found by one of the vectors. */
export interface FoundByVector {
  vector: QueryVector
  question: VectorQuestion
  found: MeantFirst
  /** Passages of the workspace in languages that the model does not know. */
  foreign: IdRanges
}

/** Passages that are found by vectors of one tier. */
interface Part extends FoundByVector {
  /** Of the workspace, in languages that the model knows. */
  live: IdRanges
  /** Whether a passage is found by this vector. */
  has(id: number): boolean
}

/** The fast vectors of passages that have both. */
interface Beside extends FoundByVector {
  /** Of the workspace, in languages that both models know. */
  both: IdRanges
  /** Of a passage's score that comes from them. */
  share: number
}

export class ClusterMeaning {
  private readonly parts: readonly Part[]
  private readonly beside: Beside | undefined
  /** By the vector that they are compared with. */
  private readonly cosines: ReadonlyMap<QueryVector, Map<number, number>>

  /**
   * @param held passages of the workspace that have a quality vector; undefined: all that are asked about have one, or there
   * is but one vector
   */
  constructor(
    private readonly byVector: readonly FoundByVector[],
    private readonly workspace: IdRanges,
    held: IdRanges | undefined,
  ) {
    this.parts = partsOf(byVector, workspace, held)
    this.beside = besideOf(byVector, this.parts)
    const known = ({ nearest, anywhere }: MeantFirst) =>
      [...nearest, ...anywhere].map(({ id, score }) => [id, score] as const)
    this.cosines = new Map(byVector.map(({ vector, found }) => [vector, new Map(known(found))]))
  }

  /** Candidates by nearness, before any scale is known: the best of each part. */
  get near(): number[] {
    return this.parts.flatMap(part => own(part, part.found.nearest).map(({ id }) => id))
  }

  /** What is still to be asked, so that all of `among` have cosines, and the background and the scale can be told. */
  wanted(among: Iterable<number>): { vector: VectorQuestion; ids: number[] }[] {
    const { parts, beside } = this
    const ids = new Set([
      ...among,
      ...this.sample(),
      ...parts.flatMap(part => own(part, part.found.anywhere).map(idOf)),
    ])
    // The scale is told by passages that have both vectors.
    const pairs = beside ? sampleOf(beside.both) : []
    if (beside) for (const id of this.near) ids.add(id)
    return this.byVector.map(({ vector, question }) => {
      const part = parts.find(each => each.vector === vector)
      const wanted = new Set(
        [...ids].filter(id => part?.has(id) || (vector === beside?.vector && hasId(beside.both, id))),
      )
      for (const id of pairs) wanted.add(id)
      return { vector: question, ids: [...wanted].filter(id => !this.cosines.get(vector)!.has(id)) }
    })
  }

  /** In the order of `wanted`. */
  note(cosines: readonly (readonly [id: number, cosine: number])[][]): void {
    this.byVector.forEach(({ vector }, nth) => {
      for (const [id, cosine] of cosines[nth] ?? []) this.cosines.get(vector)!.set(id, cosine)
    })
  }

  /** Once all that was wanted is noted. */
  meaning(visible: IdRanges, depth: number, held: Meaning["held"]): Meaning {
    const [first, second] = this.parts
    const scales = this.scales()
    const scaleOf = (part: Part): Scale => scales[this.parts.indexOf(part)]!
    const cosineOf = (id: number): number | undefined => {
      const part = this.parts.find(each => each.has(id))
      const cosine = part && this.cosines.get(part.vector)!.get(id)
      return cosine === undefined ? undefined : scaleOf(part!).of(id, cosine)
    }
    const hits = this.parts
      .flatMap(part => {
        const nearest = own(part, part.found.nearest).filter(({ id }) => hasId(visible, id))
        return scaleOf(part).ordered(nearest.slice(0, depth))
      })
      .sort((a, b) => b.score - a.score || a.id - b.id)
      .slice(0, depth)
    const comparableByFirst = first!.found.comparable
    const comparable = comparableByFirst + (second ? Math.max(0, second.found.comparable - first!.found.shared) : 0)
    const upgraded = first!.vector.tier === "quality" && comparable > 0 ? comparableByFirst / comparable : 0
    const bestOf = (part: Part) => scaleOf(part).ordered(own(part, part.found.anywhere))[0]?.score ?? -1
    return {
      hits,
      comparable,
      understood: true,
      background: this.background(cosineOf),
      best: Math.max(-1, ...this.parts.map(bestOf)),
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

  /** Of each part. */
  private scales(): Scale[] {
    const { beside } = this
    const [first] = this.parts
    if (!beside) return [plain()]
    const measureOf = ({ vector }: FoundByVector) => ({
      vector,
      cosineOf: (id: number) => this.cosines.get(vector)!.get(id),
    })
    const scaled = calibration(beside.both, measureOf(beside), measureOf(first!))
    const fastOf = (id: number): number | undefined => {
      const cosine = hasId(beside.both, id) ? this.cosines.get(beside.vector)!.get(id) : undefined
      return cosine === undefined ? undefined : scaled(cosine)
    }
    return [beside.share > 0 ? joint(beside.share, fastOf) : plain(), plain(scaled)]
  }
}

/** Those of a list that are found by a part's vector. */
const own = (part: Part, list: readonly Scored[]): Scored[] => list.filter(({ id }) => part.has(id))

const idOf = ({ id }: Scored): number => id

/** Undefined where no passage is scored by both vectors, or by one on the scale of the other. */
function besideOf(byVector: readonly FoundByVector[], [first, second]: readonly Part[]): Beside | undefined {
  const fast = byVector.find(({ vector }) => vector.tier === "fast")
  const share = first!.vector.fastShare
  if (!fast || first!.vector.tier === "fast" || (!second && share === 0)) return undefined
  return { ...fast, both: spoken(first!.live, fast), share }
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
