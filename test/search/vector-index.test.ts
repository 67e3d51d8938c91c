import { expect, test } from "bun:test"
import { VectorIndex } from "../../src/search/vector-index.ts"

const DIMENSIONS = 64

function random(seed: number) {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

/** Unit vectors around a few centres. */
function clustered(count: number, seed = 3): Float32Array {
  const next = random(seed)
  const centres = Array.from({ length: 40 }, () => Array.from({ length: DIMENSIONS }, () => next() - 0.5))
  const rows = new Float32Array(count * DIMENSIONS)
  for (let row = 0; row < count; row++) {
    const centre = centres[Math.floor(next() * centres.length)]!
    const vector = centre.map(value => value + (next() - 0.5) * 0.9)
    const length = Math.hypot(...vector)
    for (let i = 0; i < DIMENSIONS; i++) rows[row * DIMENSIONS + i] = vector[i]! / length
  }
  return rows
}

const rowOf = (rows: Float32Array, row: number) => rows.subarray(row * DIMENSIONS, (row + 1) * DIMENSIONS)
const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, i) => sum + value * b[i]!, 0)
const idsFrom = (first: number, count: number) => Int32Array.from({ length: count }, (_, i) => first + i)

function nearest(rows: Float32Array, ids: number[], query: Float32Array, depth: number): number[] {
  return ids
    .map(id => ({ id, score: cosine(rowOf(rows, id - 1), query) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, depth)
    .map(({ id }) => id)
}

test("scores are the cosine within half a percent, the nearest is first", () => {
  const rows = clustered(2000)
  const index = new VectorIndex("t", DIMENSIONS)
  index.add(idsFrom(1, 2000), rows)
  for (const probe of [0, 77, 1999]) {
    const query = rowOf(rows, probe)
    index.setQuery(query)
    const { hits, comparable } = index.search(Int32Array.of(1, 2000), 10)
    expect(comparable).toBe(2000)
    expect(hits[0]!.id).toBe(probe + 1)
    for (const { id, score } of hits) expect(Math.abs(score - cosine(rowOf(rows, id - 1), query))).toBeLessThan(0.005)
  }
})

test("a filter is exact: every visible passage and no other", () => {
  const rows = clustered(500)
  const index = new VectorIndex("t", DIMENSIONS)
  index.add(idsFrom(1, 500), rows)
  index.setQuery(rowOf(rows, 0))
  const { hits, comparable } = index.search(Int32Array.of(10, 12, 300, 301, 900, 950), 100)
  expect(comparable).toBe(5)
  expect(hits.map(hit => hit.id).sort((a, b) => a - b)).toEqual([10, 11, 12, 300, 301])
})

test("the first pass by sign bits keeps nearly all of the nearest", () => {
  const count = 110_000
  const rows = clustered(count, 9)
  const index = new VectorIndex("t", DIMENSIONS)
  index.add(idsFrom(1, count), rows)
  const all = [...idsFrom(1, count)]
  let found = 0
  for (const probe of [5, 12_345, 109_000]) {
    const query = rowOf(clustered(1, probe), 0)
    index.setQuery(query)
    const near = new Set(index.search(Int32Array.of(1, count), 10).hits.map(hit => hit.id))
    found += nearest(rows, all, query, 10).filter(id => near.has(id)).length
  }
  expect(found).toBeGreaterThanOrEqual(25)
})

test("adding twice changes nothing; removed passages are closed up and the rest keep their scores", () => {
  const rows = clustered(1000)
  const index = new VectorIndex("t", DIMENSIONS)
  index.add(idsFrom(1, 1000), rows)
  index.add(idsFrom(1, 1000), rows)
  expect(index.count).toBe(1000)
  index.setQuery(rowOf(rows, 800))
  const before = index.search(Int32Array.of(401, 1000), 50).hits
  index.remove(Int32Array.of(1, 100, 201, 400))
  expect(index.count).toBe(700)
  expect(index.held()).toEqual(Int32Array.of(101, 200, 401, 1000))
  expect(index.search(Int32Array.of(401, 1000), 50).hits).toEqual(before)
  expect(index.scoreOf(50)).toBeUndefined()
  index.add(Int32Array.of(2000), rowOf(rows, 3))
  expect(index.search(Int32Array.of(2000, 2000), 5).hits.map(hit => hit.id)).toEqual([2000])
})
