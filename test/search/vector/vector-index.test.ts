import { expect, test } from "bun:test"
import { mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { wholeOf } from "../../../src/access/view.ts"
import { KeywordIndex } from "../../../src/search/keyword/keyword-index.ts"
import { KeywordStore } from "../../../src/search/keyword/keyword-store.ts"
import { parseQuery } from "../../../src/search/text/query.ts"
import { StoredTexts } from "../../../src/search/text/stored-texts.ts"
import { QueryAnswerer } from "../../../src/search/thread/query-answerer.ts"
import type { QueryVector, WorkerSearch } from "../../../src/search/thread/worker-messages.ts"
import { VectorIndex } from "../../../src/search/vector/vector-index.ts"
import { VectorSets } from "../../../src/search/vector/vector-sets.ts"
import { TestLibrary } from "../library.ts"

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
const idsFrom = (first: number, count: number) => Float64Array.from({ length: count }, (_, i) => first + i)

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
    const { hits, comparable } = index.search(Float64Array.of(1, 2000), 10)
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
  const { hits, comparable } = index.search(Float64Array.of(10, 12, 300, 301, 900, 950), 100)
  expect(comparable).toBe(5)
  expect(hits.map(hit => hit.id).sort((a, b) => a - b)).toEqual([10, 11, 12, 300, 301])
})

/** A library above the size that is kept in memory. */
const large = (scratchDirectory?: string) =>
  new VectorIndex("t", DIMENSIONS, { smallBytes: 64_000, ...(scratchDirectory ? { scratchDirectory } : {}) })

for (const place of ["a scratch file", "memory, where the disk takes none"])
  test(`a large library with its bytes in ${place} finds nearly all of the nearest, with their real scores`, () => {
    const count = 110_000
    const rows = clustered(count, 9)
    const directory = mkdtempSync(join(tmpdir(), "carrel-vectors-"))
    const index = large(place === "a scratch file" ? directory : join(directory, "missing"))
    index.add(idsFrom(1, count), rows)
    expect(readdirSync(directory)).toEqual([])
    if (place === "a scratch file") expect(index.bytes).toBeLessThan(count * DIMENSIONS)
    const all = [...idsFrom(1, count)]
    let found = 0
    for (const probe of [5, 12_345, 109_000]) {
      const query = rowOf(clustered(1, probe), 0)
      index.setQuery(query)
      const { hits } = index.search(Float64Array.of(1, count), 10)
      for (const { id, score } of hits) expect(Math.abs(score - cosine(rowOf(rows, id - 1), query))).toBeLessThan(0.005)
      const near = new Set(hits.map(hit => hit.id))
      found += nearest(rows, all, query, 10).filter(id => near.has(id)).length
    }
    expect(found).toBeGreaterThanOrEqual(28)
    index.close()
    rmSync(directory, { recursive: true })
  })

test("a large library filters exactly, also where what is visible begins amid a block", () => {
  const directory = mkdtempSync(join(tmpdir(), "carrel-vectors-"))
  const rows = clustered(60_000, 4)
  const index = large(directory)
  for (let from = 0; from < 60_000; from += 2048) {
    const ids = idsFrom(from + 1, Math.min(2048, 60_000 - from))
    index.add(ids, rows.subarray(from * DIMENSIONS, (from + ids.length) * DIMENSIONS))
  }
  index.setQuery(rowOf(rows, 30_000))
  const few = index.search(Float64Array.of(7, 9, 30_001, 30_001, 59_999, 70_000), 100)
  expect(few.comparable).toBe(6)
  expect(few.hits.map(hit => hit.id).sort((a, b) => a - b)).toEqual([7, 8, 9, 30_001, 59_999, 60_000])
  expect(few.hits[0]!.id).toBe(30_001)
  const visible = [...idsFrom(1003, 27_000), ...idsFrom(40_007, 19_001)]
  const many = index.search(Float64Array.of(1003, 28_002, 40_007, 59_007), 10)
  expect(many.comparable).toBe(46_001)
  // Bytes round a cosine by up to half a percent: two that are closer may change places.
  const near = nearest(rows, visible, rowOf(rows, 30_000), 12)
  for (const { id } of many.hits) expect(near).toContain(id)
  index.close()
  rmSync(directory, { recursive: true })
})

test("places of removed passages are taken by new ones, in a large library too", () => {
  const rows = clustered(5000, 6)
  for (const index of [new VectorIndex("t", DIMENSIONS), large()]) {
    index.add(idsFrom(1, 4000), rows.subarray(0, 4000 * DIMENSIONS))
    const { bytes } = index
    for (let round = 0; round < 5; round++) {
      index.remove(Float64Array.of(1001, 1700, 3000, 3299))
      expect([index.count, index.scoreOf(1500)]).toEqual([3000, undefined])
      index.add(idsFrom(4001, 1000), rows.subarray(4000 * DIMENSIONS))
      index.remove(Float64Array.of(4001, 5000))
      index.add(idsFrom(1001, 700), rows.subarray(1000 * DIMENSIONS, 1700 * DIMENSIONS))
      index.add(idsFrom(3000, 300), rows.subarray(2999 * DIMENSIONS, 3299 * DIMENSIONS))
    }
    expect([index.count, index.bytes, [...index.held()]]).toEqual([4000, bytes, [1, 4000]])
    for (const id of [1, 1001, 1700, 1701, 3000, 3299, 3300, 4000]) {
      index.setQuery(rowOf(rows, id - 1))
      expect(index.search(Float64Array.of(1, 9000), 1).hits[0]!.id).toBe(id)
    }
  }
})

test("adding twice changes nothing; removed passages are gone and the rest keep their scores", () => {
  const rows = clustered(1000)
  const index = new VectorIndex("t", DIMENSIONS)
  index.add(idsFrom(1, 1000), rows)
  index.add(idsFrom(1, 1000), rows)
  expect(index.count).toBe(1000)
  index.setQuery(rowOf(rows, 800))
  const before = index.search(Float64Array.of(401, 1000), 50).hits
  index.remove(Float64Array.of(1, 100, 201, 400))
  expect(index.count).toBe(700)
  expect(index.held()).toEqual(Float64Array.of(101, 200, 401, 1000))
  expect(index.search(Float64Array.of(401, 1000), 50).hits).toEqual(before)
  expect(index.scoreOf(50)).toBeUndefined()
  index.add(Float64Array.of(2000), rowOf(rows, 3))
  expect(index.search(Float64Array.of(2000, 2000), 5).hits.map(hit => hit.id)).toEqual([2000])
})

test("a disk that takes no more of the scratch file gives back what it took", () => {
  const directory = mkdtempSync(join(tmpdir(), "carrel-vectors-"))
  const rows = clustered(6000)
  const index = large(directory)
  index.add(idsFrom(1, 3000), rows.subarray(0, 3000 * DIMENSIONS))
  const before = index.bytes
  // The file is there to be read, and no more to be written.
  const path = join(directory, "read-only")
  const codes = Reflect.get(index, "codes")
  writeFileSync(path, readFileSync(`/proc/self/fd/${Reflect.get(codes, "file")}`))
  Reflect.set(codes, "file", openSync(path, "r"))
  index.add(idsFrom(3001, 3000), rows.subarray(3000 * DIMENSIONS))
  expect([index.count, index.bytes > before]).toEqual([6000, true])
  for (const id of [1, 2999, 3001, 6000]) {
    index.setQuery(rowOf(rows, id - 1))
    expect(index.search(Float64Array.of(1, 6000), 1).hits[0]!.id).toBe(id)
  }
  rmSync(directory, { recursive: true })
})

test("a scratch file that cannot be read any more costs the vectors, not the search", async () => {
  const library = await TestLibrary.open()
  await library.put("file_a", "the heron\nthe otter")
  const keyword = new KeywordIndex(new KeywordStore(join(library.directory, "keyword.db")))
  const texts = new StoredTexts(library.directory)
  const sets = new VectorSets(library.directory)
  const vectors = large(library.directory)
  vectors.add(idsFrom(1, 3000), clustered(3000))
  sets.serve("fast", vectors)
  const queries = new QueryAnswerer(keyword, sets, texts)
  const values = rowOf(clustered(1), 0)
  const vector: QueryVector = { tier: "fast", table: "t", values, languages: null, usual: null, slope: 1, fastShare: 0 }
  const ask: WorkerSearch = {
    view: wholeOf("ws_a"),
    query: parseQuery("heron"),
    mode: "hybrid",
    vectors: [vector],
    tables: { fast: "t" },
    depth: 5,
  }
  const search = () => queries.search(ask)
  expect(search()).toMatchObject({ comparable: 2, matching: 1 })
  vectors.close()
  expect(search()).toMatchObject({ vectorsLost: true })
  expect(search()).toMatchObject({ otherModel: true })
  texts.close()
  keyword.store.close()
  await library.close()
})
