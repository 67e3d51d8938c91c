/** Nearness of passages to the vector of a query, as the engine tells it. */
import { type Clause, type Clauses, query } from "./scope-clauses.ts"

/** Visible passages up to which all are compared: that takes no longer than the walk through a graph, which finds most of the nearest. */
const EXACT_PASSAGES = 100_000

/** Passages that a walk through the graph keeps: by fewer the hundred nearest are missed. The engine takes no more than `most`. */
const WALK = { least: 1000, perHit: 10, most: 10_000 }

/** Whether the graph is asked for the nearest of so many. A page far down a list compares all. */
export const byGraph = (passages: number, wanted: number): boolean =>
  passages > EXACT_PASSAGES && wanted * WALK.perHit <= WALK.most

/** Digits that tell a number of 32 bits from every other. */
const DIGITS = 9

/** The engine adds 1 to an inner product, or takes 1 / (1 − product) where it is negative: a score must not be below 0. */
export const cosineOf = (score: number): number => (score >= 1 ? score - 1 : 1 - 1 / score)

/** As short as it can be said: it goes into each search of a request. */
export const spell = (vector: Float32Array): number[] => Array.from(vector, value => Number(value.toPrecision(DIGITS)))

/** Every passage of these, each with its nearness. */
export const allNear = (vector: number[], clauses: Clauses): Clause => ({
  script_score: {
    query: query(clauses),
    script: {
      source: "knn_score",
      lang: "knn",
      params: { field: "v", query_value: vector, space_type: "innerproduct" },
    },
  },
})

/** Most of the nearest among these. */
export const mostNear = (vector: number[], clauses: Clauses, wanted: number): Clause => {
  const k = Math.max(WALK.least, wanted * WALK.perHit)
  return { knn: { v: { vector, k, filter: query(clauses) } } }
}
