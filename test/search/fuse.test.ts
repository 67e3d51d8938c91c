import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { FUSION, fuse, type Scored, vectorWeight } from "../../src/search/fuse.ts"

const list = (...scores: number[]): Scored[] => scores.map((score, id) => ({ id, score }))
const ids = (hits: Scored[]) => hits.map(({ id }) => id)

describe("fusing the two legs", () => {
  test("orders by the weighted sum of min-max scores", () => {
    const fused = fuse(list(10, 8, 0), list(0.1, 0.6, 0.2), { weight: 0.5 })
    expect(ids(fused)).toEqual([1, 0, 2])
    expect(fused.map(({ score }) => score)).toEqual([expect.closeTo(0.9), expect.closeTo(0.5), expect.closeTo(0.1)])
  })

  test("weight 0 is the keyword leg's order, weight 1 the vector leg's, whatever the coverage", () => {
    const keyword = list(3, 2, 1)
    const vector = list(0.1, 0.2, 0.3)
    for (const coverage of [0, 0.1, 0.5, 1]) {
      expect(ids(fuse(keyword, vector, { weight: 0, coverage, words: 4 }))).toEqual([0, 1, 2])
      expect(ids(fuse(keyword, vector, { weight: 1, coverage, words: 4 }))).toEqual([2, 1, 0])
    }
  })

  test("ties come in the order of ids", () => {
    const keyword = [4, 2, 9].map(id => ({ id, score: 1 }))
    expect(ids(fuse(keyword, [], { weight: 0.35 }))).toEqual([2, 4, 9])
  })

  test("an accidental word does not bury what the vectors found", () => {
    // The best keyword hit shares one word of five; the vectors prefer passage 1.
    const keyword = list(4, 0, 0)
    const vector = list(0.1, 0.5, 0.2)
    expect(ids(fuse(keyword, vector, { weight: 0.35 }))[0]).toBe(0)
    expect(ids(fuse(keyword, vector, { weight: 0.35, coverage: 0.1, words: 5 }))[0]).toBe(1)
  })

  test("a long question that covers little of itself still trusts its words", () => {
    const keyword = list(30, 5, 0)
    const vector = list(0.3, 0.35, 0.2)
    expect(ids(fuse(keyword, vector, { weight: 0.35, coverage: 0.2, words: 20 }))[0]).toBe(0)
  })

  test("a passage with the rare word that a query hangs on comes before those with next to none of its words", () => {
    // Passage 0 holds the identifier, 1 and 2 look alike to the model and hold a word that is everywhere, 3 holds much.
    const keyword = list(8, 0.1, 0, 4)
    const vector = list(0.4, 0.7, 0.8, 0.9)
    const options = { weight: 0.9, coverage: 0.4, words: 1 }
    expect(ids(fuse(keyword, vector, options))).toEqual([3, 2, 1, 0])
    const fused = fuse(keyword, vector, { ...options, rare: new Map([[0, 0.8]]) })
    expect(ids(fused)).toEqual([3, 0, 2, 1])
    const scores = fused.map(({ score }) => score)
    expect(scores).toEqual([...scores].sort((a, b) => b - a))
    // A small part of a long question may be there by accident.
    expect(ids(fuse(keyword, vector, { ...options, rare: new Map([[0, 0.3]]) }))).toEqual([3, 2, 1, 0])
  })

  test("a single word that is found is trusted", () => {
    expect(vectorWeight({ weight: 0.35, coverage: 0.45, words: 1 })).toBeLessThan(0.35)
  })

  test("nothing found by either leg gives nothing, by one leg that leg's order", () => {
    expect(fuse([], [], { weight: 0.35, coverage: 0, words: 3 })).toEqual([])
    expect(ids(fuse(list(0, 0), list(0.1, 0.4), { weight: 0.35, coverage: 0, words: 3 }))).toEqual([1, 0])
    expect(ids(fuse(list(1, 2), [], { weight: 0.35, coverage: 0.4 }))).toEqual([1, 0])
  })

  test("scores lie in 0..1 and never rise, for any lists, and every candidate comes once", () => {
    const scored = fc.uniqueArray(fc.record({ id: fc.nat(50), score: fc.double({ min: -5, max: 40, noNaN: true }) }), {
      selector: ({ id }) => id,
    })
    const share = fc.double({ min: 0, max: 1, noNaN: true })
    const options = fc.record({ weight: share, coverage: fc.option(share, { nil: undefined }), words: fc.nat(30) })
    const shares = fc.array(fc.tuple(fc.nat(50), share))
    fc.assert(
      fc.property(scored, scored, options, shares, (keyword, vector, { weight, coverage, words }, rares) => {
        const rare = new Map(rares)
        const fused = fuse(keyword, vector, { weight, words, rare, ...(coverage === undefined ? {} : { coverage }) })
        expect(new Set(ids(fused))).toEqual(new Set([...ids(keyword), ...ids(vector)]))
        expect(fused).toHaveLength(new Set(ids(fused)).size)
        let last = 1
        for (const { score } of fused) {
          expect(score).toBeGreaterThanOrEqual(0)
          expect(score).toBeLessThanOrEqual(last)
          last = score
        }
      }),
    )
  })
})

describe("the weight of the vector leg", () => {
  test("is the model's own at typical coverage of a question with several words", () => {
    expect(vectorWeight({ weight: 0.35, coverage: FUSION.typicalCoverage, words: 10 })).toBeCloseTo(0.35)
    expect(vectorWeight({ weight: 0.35 })).toBe(0.35)
  })

  test("of a weak model grows less where words are mistrusted in another language than English; of a sound one alike", () => {
    const doubted = { coverage: 0.05, words: 5 }
    expect(vectorWeight({ weight: 0.3, ...doubted, foreign: true })).toBeLessThan(
      vectorWeight({ weight: 0.3, ...doubted }) - 0.2,
    )
    expect(vectorWeight({ weight: 0.6, ...doubted, foreign: true })).toBe(vectorWeight({ weight: 0.6, ...doubted }))
  })

  test("never falls as coverage falls, and stays in 0..1", () => {
    for (const words of [1, 3, 10, 40]) {
      let last = 0
      for (let coverage = 1; coverage >= 0; coverage -= 0.01) {
        const weight = vectorWeight({ weight: 0.35, coverage, words })
        expect(weight).toBeGreaterThanOrEqual(last - 1e-9)
        expect(weight).toBeLessThanOrEqual(1)
        last = weight
      }
    }
  })
})
