/** Passages of many generations, which the engine is told as a bitmap. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { rangesOf } from "../../../src/search/ids/live-ranges.ts"
import { wordsDocument, wordsIndex, wordsIndexBody } from "../../../src/search/opensearch/layout.ts"
import { filteredClauses, query, workspaceClauses } from "../../../src/search/opensearch/scope-clauses.ts"
import { NO_LANGUAGE } from "../../../src/search/text/language.ts"
import { openSearch } from "../../support/engines.ts"
import { ask } from "./engine.ts"

const engine = await openSearch()
const MANY = 70_000

/** Live passages, one to a generation. */
function setOf(generations: number[]) {
  const rows = generations.map(id => ({ id, first: id, last: id, metadata: null }))
  return { ...rangesOf("key", rows), generations: Float64Array.from(generations) }
}

describe.skipIf(!engine)("the engine finds the passages of", () => {
  const index = wordsIndex(engine?.prefix ?? "")
  const held = [1, 2, 3, 4095, 65_535, 65_536, 131_072, 199_999, 200_001, 2 ** 31 + 2, 2 ** 31 + 200_001]

  beforeAll(async () => {
    await ask(engine!, "PUT", index, wordsIndexBody({ shards: 1, copies: 0 }))
    const lines = held.flatMap(generation => {
      const passage = { workspaceId: "w1", generation, id: generation, ordinal: 0, passages: 1 }
      return [
        { index: { _index: index, _id: String(generation), routing: "w1" } },
        wordsDocument({ ...passage, terms: ["ferri"], language: NO_LANGUAGE }),
      ]
    })
    expect(await ask(engine!, "POST", "_bulk?refresh=true", lines)).toMatchObject({ errors: false })
  })
  afterAll(() => ask(engine!, "DELETE", index))

  const found = async (clauses: ReturnType<typeof filteredClauses>) => {
    const body = { size: 100, query: query(clauses), sort: [{ i: "asc" }] }
    const { hits } = (await ask(engine!, "POST", `${index}/_search?routing=w1`, body)) as {
      hits: { hits: { sort: [number] }[] }
    }
    return hits.hits.map(({ sort }) => sort[0])
  }
  const view = (live: number[], visible: number[], hidden: number[] | undefined) => {
    const workspace = setOf(live)
    return { workspace, visible: visible === live ? workspace : setOf(visible), pendingFiles: 0, hidden }
  }

  test("few generations, by name", async () => {
    expect(await found(filteredClauses("w1", view(held, [2, 65_536, 2 ** 31 + 2], [])))).toEqual([
      2,
      65_536,
      2 ** 31 + 2,
    ])
  })

  test("many generations, lists and bits in it, some of them beyond 31 bits", async () => {
    const sparse = Array.from({ length: MANY }, (_, i) => 2 * i + 1)
    expect(await found(filteredClauses("w1", view(held, sparse, [])))).toEqual([1, 3, 4095, 65_535])
    const dense = Array.from({ length: MANY }, (_, i) => 131_000 + i)
    // A generation of the same number modulo 2³¹ is told apart by its passages, which are not live.
    const wanted = [...dense, 2 ** 31 + 2]
    expect(await found(filteredClauses("w1", view(held, wanted, [])))).toEqual([
      2,
      131_072,
      199_999,
      200_001,
      2 ** 31 + 2,
      2 ** 31 + 200_001,
    ])
  })

  test("a workspace: all but the hidden ones, and by name where those are too many", async () => {
    expect(await found(workspaceClauses("w1", view(held, held, [1, 199_999])))).toEqual(
      held.filter(id => id !== 1 && id !== 199_999),
    )
    expect(await found(workspaceClauses("w1", view([3, 4095], [3, 4095], undefined)))).toEqual([3, 4095])
    expect(await found(workspaceClauses("w2", view(held, held, [])))).toEqual([])
  })
})
