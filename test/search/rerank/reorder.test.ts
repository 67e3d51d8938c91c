import { describe, expect, test } from "bun:test"
import { reorder } from "../../../src/search/rerank/reorder.ts"

const list = [
  { id: 1, score: 0.9, relevance: 0.5 },
  { id: 2, score: 0.8, relevance: 0.5 },
  { id: 3, score: 0.7, relevance: 0.5 },
  { id: 4, score: 0.2, relevance: 0.1 },
]
/** As reranking is given it: a query whose words are to be trusted, unless it says otherwise. */
const ranking = (of = list, mistrust = 0) => ({ list: of, mistrust })
const ids = (of: { id: number }[]) => of.map(({ id }) => id)

describe("the order of a list after reranking", () => {
  test("follows the model where nothing else tells passages apart, and scores stay with their places", () => {
    const after = reorder(ranking(), new Map([[1, 0.1], [2, 0.9], [3, 0.5]])) // biome-ignore format: pairs
    expect(ids(after)).toEqual([2, 3, 1, 4])
    expect(after.map(({ score }) => score)).toEqual([0.9, 0.8, 0.7, 0.2])
  })

  test("follows the model more where the words of the query say nothing of the passages", () => {
    const known = [
      { id: 1, score: 0.9, relevance: 0.6 },
      { id: 2, score: 0.5, relevance: 0.2 },
    ]
    const said = new Map([[1, 0.2], [2, 0.75]]) // biome-ignore format: pairs
    expect(ids(reorder(ranking(known), said))).toEqual([1, 2])
    expect(ids(reorder(ranking(known, 1), said))).toEqual([2, 1])
  })

  test("leaves what was not judged in its place", () => {
    const after = reorder(ranking(), new Map([[1, 0.1], [3, 0.9]])) // biome-ignore format: pairs
    expect(ids(after)).toEqual([3, 2, 1, 4])
    expect(after[1]).toEqual(list[1]!)
  })

  test("changes nothing without scores, and keeps the order of equal ones", () => {
    expect(reorder(ranking(), new Map())).toEqual(list)
    expect(ids(reorder(ranking(list.slice(0, 3)), new Map([[1, 0.5], [2, 0.5], [3, 0.5]])))).toEqual([1, 2, 3]) // biome-ignore format: pairs
  })

  test("relevance rises and falls with what the model says, within 0 and 1", () => {
    const [best] = reorder(ranking(list.slice(0, 1)), new Map([[1, 1]]))
    const [worst] = reorder(ranking(list.slice(0, 1)), new Map([[1, 0]]))
    expect(best!.relevance).toBeGreaterThan(0.5)
    expect(worst!.relevance).toBeLessThan(0.5)
    for (const { relevance } of [best!, worst!]) expect(relevance).toBe(Math.min(1, Math.max(0, relevance)))
  })
})
