/** The nearest passages, by comparing all and by the engine's graph. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { seeded } from "../../../scripts/bench/random.ts"
import { vectorDocument, vectorsIndex, vectorsIndexBody } from "../../../src/search/opensearch/layout.ts"
import { allNear, byGraph, cosineOf, mostNear, spell } from "../../../src/search/opensearch/near.ts"
import { narrowed, spokenClauses } from "../../../src/search/opensearch/scope-clauses.ts"
import { NO_LANGUAGE } from "../../../src/search/text/language.ts"
import { openSearch } from "../../support/engines.ts"
import { ask } from "./engine.ts"

const engine = await openSearch()
const DIMENSIONS = 8
const PASSAGES = 600

const random = seeded(99)
function unit(): Float32Array {
  const vector = Float32Array.from({ length: DIMENSIONS }, () => random() - 0.5)
  const length = Math.hypot(...vector)
  return vector.map(value => value / length)
}

test("the graph is asked where all are too many, but for pages far down the list", () => {
  expect([byGraph(100_000, 100), byGraph(100_001, 100), byGraph(100_001, 1_000), byGraph(100_001, 1_001)]).toEqual([
    false,
    true,
    true,
    false,
  ])
})

describe.skipIf(!engine)("the nearest passages", () => {
  const index = vectorsIndex(engine?.prefix ?? "", "vectors_one")
  const vectors = Array.from({ length: PASSAGES }, (_, i) => (i % 50 === 49 ? new Float32Array(DIMENSIONS) : unit()))
  const wanted = unit()
  const workspaceOf = (id: number) => (id % 3 === 0 ? "w1" : "w2")

  beforeAll(async () => {
    await ask(engine!, "PUT", index, vectorsIndexBody({ shards: 1, copies: 0 }, DIMENSIONS))
    const lines = vectors.flatMap((vector, id) => {
      const passage = { workspaceId: workspaceOf(id), generation: id % 4, id, ordinal: 0, passages: 1 }
      return [
        { index: { _index: index, _id: String(id), routing: workspaceOf(id) } },
        vectorDocument({ ...passage, terms: [id % 5 ? "ferri" : "pump"], language: NO_LANGUAGE }, vector),
      ]
    })
    expect(await ask(engine!, "POST", "_bulk?refresh=true", lines)).toMatchObject({ errors: false })
  })
  afterAll(() => ask(engine!, "DELETE", index))

  const product = (id: number) => vectors[id]!.reduce((sum, value, at) => sum + value * wanted[at]!, 0)

  test.each([
    ["of a workspace", [], [], () => true],
    ["but those of some generations", [], [{ terms: { g: [1, 2] } }], (id: number) => id % 4 === 0 || id % 4 === 3],
    ["that hold a word", [{ terms: { t: ["pump"] } }], [], (id: number) => id % 5 === 0],
  ])("%s are found by both, with their cosines", async (_, filter, without, isWanted) => {
    const own = { filter: [{ term: { w: "w1" } }], must_not: [] }
    const clauses = narrowed(own, [...filter, ...spokenClauses(null)], without)
    const known = vectors.flatMap((vector, id) =>
      workspaceOf(id) === "w1" && isWanted(id) && vector.some(value => value !== 0) ? [id] : [],
    )
    const nearest = known.sort((a, b) => product(b) - product(a)).slice(0, 20)
    for (const near of [allNear, mostNear]) {
      const body = { size: 20, query: near(spell(wanted), clauses, 20), sort: [{ _score: "desc" }, { i: "asc" }] }
      const { hits } = (await ask(engine!, "POST", `${index}/_search?routing=w1`, body)) as {
        hits: { hits: { sort: [number, number] }[] }
      }
      expect(hits.hits.map(({ sort: [, id] }) => id)).toEqual(nearest)
      for (const { sort } of hits.hits) expect(cosineOf(sort[0])).toBeCloseTo(product(sort[1]), 5)
    }
  })
})
