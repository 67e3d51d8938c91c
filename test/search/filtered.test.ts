/** A filter is decided inside the index: the best passages among those allowed are found, however few those are. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { seeded } from "../../scripts/bench/random.ts"
import { checkFilter } from "../../src/access/filter/filter.ts"
import type { Hit } from "../../src/search/types.ts"
import { TestLibrary } from "./library.ts"

setDefaultTimeout(120_000)

const FILES = 300
const PASSAGES = 8
const ALLOWED = ["file_7", "file_107", "file_207"]
const WORDS = "pump valve garden lease notice heron harbor boat winter cedar ledger copper".split(" ")
const next = seeded(11)
const someWords = (count: number): string =>
  Array.from({ length: count }, () => WORDS[Math.floor(next() * WORDS.length)]!).join(" ")

let library: TestLibrary
beforeAll(async () => {
  library = await TestLibrary.open()
  for (let n = 0; n < FILES; n++) {
    const text = Array.from({ length: PASSAGES }, (_, i) => `${someWords(6)} ${n}x${i}`).join("\n")
    await library.put(`file_${n}`, text, { metadata: JSON.stringify({ share: n % 100 }) })
  }
})
afterAll(() => library.close())

test.each(["keyword", "semantic"] as const)("by %s, the best of what a filter of 1 % leaves are found", async mode => {
  const filter = checkFilter({ type: "eq", key: "metadata.share", value: 7 })
  const scoreOf = ({ scores }: Hit): number => (mode === "keyword" ? scores!.keyword! : scores!.semantic!).score
  for (let i = 0; i < 10; i++) {
    const query = someWords(3)
    const ask = { mode, explain: true, limit: 100 }
    // A passage's score is the same whatever narrows the search.
    const all: Hit[] = []
    for (const file of ALLOWED)
      all.push(...(await library.search(query, { ...ask, filters: { file_ids: [file] } })).hits)
    const best = all.map(scoreOf).sort((a, b) => b - a)
    const { hits } = await library.search(query, { ...ask, limit: 10, filters: { filter } })
    expect(hits.every(({ file }) => ALLOWED.includes(file.id))).toBe(true)
    expect(hits.map(scoreOf)).toEqual(best.slice(0, 10))
  }
})

test("narrows a hybrid search to what passes, and fills the page", async () => {
  const filter = checkFilter({ type: "eq", key: "metadata.share", value: 7 })
  const { hits } = await library.search(someWords(3), { limit: 10, filters: { filter } })
  expect(hits).toHaveLength(10)
  expect(hits.every(({ file }) => ALLOWED.includes(file.id))).toBe(true)
})

test("a filter that leaves no passage with a word of the query loses none of the hybrid hits", async () => {
  const file_ids = ["file_8"]
  const ask = { limit: 100, mode: "hybrid" } as const
  // `7x3` stands in another file alone.
  const everywhere = await library.search("7x3 pump9", { ...ask, limit: 1000 })
  const wanted = everywhere.hits.filter(({ file }) => file_ids.includes(file.id)).map(({ id }) => id)
  const { hits } = await library.search("7x3 pump9", { ...ask, filters: { file_ids } })
  expect(hits.length).toBeGreaterThan(0)
  expect(hits.map(({ id }) => id)).toEqual(expect.arrayContaining(wanted))
})
