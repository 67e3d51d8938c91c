/**
 * From the cosines of one query with vectors of one tier to the scores of an answer.
 *
 * A passage that has vectors of both tiers is scored by both: its cosine by the quality model, and a share of the one by the
 * fast model (`Embedder.fastShare`), brought to the same scale. They are wrong about different passages.
 */
import type { Scored } from "../fuse.ts"

/**
 * The nearest by the quality model among which both decide; those after them keep its order, whatever the page that is asked
 * for. All passages by both find no more: nDCG@10 differs by .001 at most.
 */
export const JOINT_HEAD = 100

export interface Scale {
  /** @param cosine of the passage by the vector that the scale is of */
  of(id: number, cosine: number): number
  /** Those nearest by that vector, with their scores, best first. */
  ordered(nearest: readonly Scored[]): Scored[]
  /** The best score is among so many of the nearest. */
  readonly head: number
}

/** By one vector alone. `scaled`: rises with its argument. */
export function plain(scaled: (cosine: number) => number = cosine => cosine): Scale {
  return {
    of: (_, cosine) => scaled(cosine),
    ordered: nearest => nearest.map(({ id, score }) => ({ id, score: scaled(score) })),
    head: 1,
  }
}

/**
 * By the quality vector, and by the fast one where `fastOf` has something to say, on the scale of the former.
 * @param share of the fast one, 0..1
 */
export function joint(share: number, fastOf: (id: number) => number | undefined): Scale {
  const of = (id: number, cosine: number): number => cosine + share * ((fastOf(id) ?? cosine) - cosine)
  return {
    of,
    ordered(nearest) {
      const head = nearest
        .slice(0, JOINT_HEAD)
        .map(({ id, score }) => ({ id, score: of(id, score) }))
        .sort((a, b) => b.score - a.score || a.id - b.id)
      // No score rises: the first after the head is no nearer than the last of it by the quality model.
      const shift = (head.at(-1)?.score ?? 0) - (nearest[head.length - 1]?.score ?? 0)
      return [...head, ...nearest.slice(JOINT_HEAD).map(({ id, score }) => ({ id, score: score + shift }))]
    },
    head: JOINT_HEAD,
  }
}
