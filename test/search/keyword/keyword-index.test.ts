import { afterAll, beforeEach, describe, expect, test } from "bun:test"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { NO_IDS } from "../../../src/search/ids/id-ranges.ts"
import { BM25 } from "../../../src/search/keyword/bm25.ts"
import { KeywordIndex } from "../../../src/search/keyword/keyword-index.ts"
import { KeywordSearch } from "../../../src/search/keyword/keyword-search.ts"
import { KeywordStore } from "../../../src/search/keyword/keyword-store.ts"
import { Pace } from "../../../src/search/keyword/pace.ts"
import { makeScope } from "../../../src/search/keyword/scope.ts"
import { compareBytes, mergeOnce } from "../../../src/search/keyword/segment-merge.ts"
import { groupsOf, schemeOf, termsOf } from "../../../src/search/text/analyze.ts"
import type { TextsOf } from "../../../src/search/thread/worker-messages.ts"
import { rejection } from "../../support/rejection.ts"

const directory = mkdtempSync(join(tmpdir(), "keyword-test-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** Looks at the index between all slices of a piece of work. */
class Watched extends Pace {
  slices = 0
  constructor(private readonly look: () => void) {
    super()
  }
  override isDue(): boolean {
    return ++this.slices % 3 === 0
  }
  override giveWay(): Promise<void> {
    this.look()
    return super.giveWay()
  }
}

const one = (texts: string[]): TextsOf[] => [{ count: texts.length, scheme: "english" }]

const add = (firstId: number, texts: string[]) => index.add(firstId, texts, one(texts), new Pace())

let files = 0
let index: KeywordIndex
beforeEach(() => {
  index = new KeywordIndex(new KeywordStore(join(directory, `${files++}.db`)))
})

const WORDS = "pump valve river stone heron otter garden ledger invoice contract notice tenant roof window".split(" ")

/** Repeatable passages; the later words of the list are rare. */
function passages(count: number, seed = 1): string[] {
  let state = seed
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
  return Array.from({ length: count }, () =>
    Array.from({ length: 3 + Math.floor(next() * 30) }, () => WORDS[Math.floor(next() ** 2 * WORDS.length)]!).join(" "),
  )
}

/** BM25 written down plainly, over the given passages only. */
function reference(all: Map<number, string>, query: string): Map<number, number> {
  const terms = new Map([...all].map(([id, text]) => [id, termsOf(text, schemeOf(text, "english"))]))
  const mean = [...terms.values()].reduce((sum, list) => sum + list.length, 0) / terms.size
  const scores = new Map<number, number>()
  for (const { terms: forms, weight } of groupsOf(query)) {
    const counts = [...terms].map(([id, list]) => [id, list.filter(term => forms.includes(term)).length] as const)
    const holding = counts.filter(([, count]) => count > 0)
    const idf = Math.log(1 + (terms.size - holding.length + 0.5) / (holding.length + 0.5))
    for (const [id, count] of holding) {
      const norm = BM25.k1 * (1 - BM25.b + (BM25.b * terms.get(id)!.length) / mean)
      scores.set(id, (scores.get(id) ?? 0) + (weight * idf * count * (BM25.k1 + 1)) / (count + norm))
    }
  }
  return scores
}

function expectExact(all: Map<number, string>, ranges: Float64Array, query: string): void {
  const scope = makeScope(index.table, ranges, undefined, ranges)
  const { hits, total } = new KeywordSearch(index).search(groupsOf(query), scope, 1000)
  const expected = reference(all, query)
  expect(total).toBe(expected.size)
  expect(hits.map(hit => hit.id).sort((a, b) => a - b)).toEqual([...expected.keys()].sort((a, b) => a - b))
  for (const { id, score } of hits) expect(score).toBeCloseTo(expected.get(id)!, 4)
}

const QUERIES = ["pump", "tenant notice", "heron heron otter window", "the roofs of the contract", "nothing"]

describe("scores are exact BM25", () => {
  for (const query of QUERIES)
    test(query, async () => {
      const texts = passages(300)
      await add(100, texts.slice(0, 120))
      await add(220, texts.slice(120))
      const all = new Map(texts.map((text, i) => [100 + i, text]))
      expectExact(all, Float64Array.of(100, 399), query)
    })

  test("over the asking workspace's live passages alone", async () => {
    const texts = passages(200)
    await add(1, texts)
    const live = new Map(
      [...texts.entries()].map(([i, text]) => [i + 1, text] as const).filter(([id]) => id <= 50 || id > 150),
    )
    expectExact(live, Float64Array.of(1, 50, 151, 200), "tenant notice pump")
  })

  test("before, between and after merges, with removed passages dropped and bytes freed", async () => {
    const texts = passages(900)
    for (let i = 0; i < 18; i++) await add(1 + i * 50, texts.slice(i * 50, i * 50 + 50))
    index.remove(Float64Array.of(101, 200, 333, 333))
    const all = new Map(
      [...texts.entries()]
        .map(([i, text]) => [i + 1, text] as const)
        .filter(([id]) => (id < 101 || id > 200) && id !== 333),
    )
    const ranges = Float64Array.of(1, 100, 201, 332, 334, 900)
    expectExact(all, ranges, "tenant notice pump")
    let merges = 0
    while ((await mergeOnce(index, new Watched(() => expectExact(all, ranges, "otter")))) > 0) merges++
    expect(merges).toBeGreaterThan(0)
    expect(index.segments.length).toBeLessThan(8)
    expect(index.removedRanges()).toEqual(new Float64Array(0))
    for (const query of QUERIES) expectExact(all, ranges, query)
    expect(index.store.hidden()).toEqual([])
  })

  test("equal scores come in the order of ids, also at the end of the list", async () => {
    await add(50, Array(20).fill("heron stone"))
    await add(10, Array(20).fill("heron stone"))
    const live = Float64Array.of(10, 29, 50, 69)
    const scope = makeScope(index.table, live, undefined, live)
    const { hits } = new KeywordSearch(index).search(groupsOf("heron"), scope, 25)
    expect(hits.map(hit => hit.id)).toEqual([...Array(20).keys()].map(i => 10 + i).concat([50, 51, 52, 53, 54]))
  })
})

test("passages are seen all at once when their segment is complete, and none of one that failed", async () => {
  const texts = passages(40)
  const all = new Map(texts.map((text, i) => [i + 1, text]))
  const live = Float64Array.of(1, 80)
  const found = () =>
    new KeywordSearch(index).search(groupsOf("pump"), makeScope(index.table, live, undefined, live), 100).total
  const pace = new Watched(() => expect(found()).toBe(0))
  await index.add(1, texts, one(texts), pace)
  expect(pace.slices).toBeGreaterThan(10)
  expectExact(all, Float64Array.of(1, 80), "pump")
  const cut = new Watched(() => {
    if (cut.slices > 50) throw new Error("the disk is full")
  })
  expect((await rejection(index.add(41, texts, one(texts), cut))).message).toBe("the disk is full")
  expect(index.store.hidden()).toHaveLength(1)
  expectExact(all, Float64Array.of(1, 80), "pump")
  await mergeOnce(index, new Pace())
  expect(index.store.hidden()).toEqual([])
})

test("what a crash leaves of a build or merge is invisible, and cleared after the next start", async () => {
  await add(1, ["the heron"])
  index.store.writePosting(99, "heron", 1, Uint8Array.of(3))
  const opened = new KeywordIndex(index.store)
  expect(opened.leftovers).toEqual([99])
  expect(opened.segments.map(({ documents }) => documents)).toEqual([1])
  await mergeOnce(opened, new Pace())
  expect(index.store.hidden()).toEqual([])
})

test("terms are merged in the order of their bytes, surrogates above the private use area", async () => {
  const terms = ["a", "ab", "b", "é", "中", "\ue000", "\uffe5", "𐐷", "𠀀"]
  const byBytes = [...terms].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  expect([...terms].reverse().sort(compareBytes)).toEqual(byBytes)
})

test("a passage that holds both forms of a word counts it once, with both frequencies", async () => {
  const texts = ["a lens and the lenses of the heron", "one lens", "two lenses of a river", "stone"]
  await add(1, texts)
  const all = new Map(texts.map((text, i) => [i + 1, text]))
  expectExact(all, Float64Array.of(1, 4), "lens")
})

test("what follows an apostrophe is no word, and a single letter counts for less in a long query", () => {
  expect(termsOf("The system's user doesn’t know plan s", "english")).toEqual([
    "system",
    "user",
    "doesn",
    "know",
    "plan",
    "s",
  ])
  expect(groupsOf("system's")).toEqual(groupsOf("system"))
  expect(groupsOf("vitamin c").map(({ weight }) => weight)).toEqual([1, 1])
  const long = groupsOf("shared memory systems of J Dennis described operating principles")
  expect(long.find(({ terms }) => terms[0] === "j")?.weight).toBeLessThan(0.5)
  expect(long.filter(({ weight }) => weight === 1)).toHaveLength(long.length - 1)
})

test("a store that was closed leaves no log and no lock behind", async () => {
  await add(1, passages(50))
  new KeywordSearch(index).search(
    groupsOf("pump"),
    makeScope(index.table, Float64Array.of(1, 50), undefined, NO_IDS),
    5,
  )
  index.store.close()
  expect(existsSync(join(directory, `${files - 1}.db-wal`))).toBe(false)
})
