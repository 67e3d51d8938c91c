/**
 * Joins what a reranking model says of passages with what was known of them before. The model sees words and their order,
 * and nothing of how rare they are in the library: both together order better than either.
 */
import type { Ranked, Ranking } from "../answer.ts"

/**
 * Of the logits of relevance and of the model's score, and of the share of the fused score between the least and the most of
 * those that are judged. Each of the three keeps the others from going wrong on some kind of question: without the last, short
 * titles of papers are ordered worse than before.
 */
const ORDER = { relevance: 1, model: 1, fused: 2 } as const

/**
 * What the other two keep of their weights where the words of a query say nothing of the passages: both are made of words, and of
 * vectors, which order such passages as well as the model does.
 */
const MISTRUSTED_SHARE = 0.6

/**
 * How surely a passage answers, by the same measure as before. Fitted to the best 30 passages of 240 questions, of which a third
 * have no answer (`scripts/train/rerank/fit.py`), and brought to the scale of what relevance alone was fitted to there. The model's
 * weight lies between .44, where each question has one right passage, and .02, where a text goes on after its own question.
 */
const RELEVANCE = { base: -0.6, relevance: 0.73, model: 0.2 } as const

/** Shares are taken for this much more than 0 and less than 1: relevance is rounded to thousandths. */
const LEAST = { relevance: 0.0005, model: 1e-7 } as const

/**
 * Best first among those that have a score, in the places that they held: a passage in a language that the model does
 * not know stays where it is. `score` only orders, and stays with the place.
 */
export function reorder(
  { list, mistrust }: Pick<Ranking, "list" | "mistrust">,
  scores: ReadonlyMap<number, number>,
): Ranked[] {
  const before = 1 - (1 - MISTRUSTED_SHARE) * mistrust
  const held = list.filter(({ id }) => scores.has(id))
  const most = held[0]?.score ?? 0
  const range = most - (held.at(-1)?.score ?? 0)
  const order = held.map(each => {
    const known = logit(each.relevance, LEAST.relevance)
    const said = logit(scores.get(each.id)!, LEAST.model)
    const fused = range > 0 ? 1 - (most - each.score) / range : 1
    return {
      id: each.id,
      key: ORDER.model * said + before * (ORDER.relevance * known + ORDER.fused * fused),
      relevance: share(RELEVANCE.base + RELEVANCE.relevance * known + RELEVANCE.model * said),
    }
  })
  order.sort((a, b) => b.key - a.key) // stable: equal ones keep their order
  let next = 0
  return list.map(each => {
    if (!scores.has(each.id)) return each
    const { id, relevance } = order[next]!
    return { id, score: held[next++]!.score, relevance }
  })
}

/** In thousandths, as relevance is elsewhere. */
const share = (sum: number): number => Math.round(1000 / (1 + Math.exp(-sum))) / 1000

function logit(share: number, least: number): number {
  const held = Math.min(1 - least, Math.max(least, share))
  return Math.log(held / (1 - held))
}
