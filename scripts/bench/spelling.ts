/**
 * What correcting misspelt words gains, and what it costs where nothing is misspelt.
 *
 *   bun scripts/bench/spelling.ts DIRECTORY [SET…]   sets in BEIR layout
 *
 * Every set is asked as it is, and with one letter wrong in one word of each query: swapped, doubled, dropped or changed, by a
 * seeded choice. nDCG@10 of each, with `exact` and without, by words and by both legs.
 */

import { readdirSync } from "node:fs"
import { wholeOf } from "../../src/access/view.ts"
import { WORDS } from "../../src/search/text/analyze.ts"
import { openBuiltInModel } from "./built-in-model.ts"
import { type Collection, mean, ndcg, readAll } from "./collections.ts"
import { seeded } from "./random.ts"
import { Bench } from "./search-library.ts"

const MODES = ["keyword", "hybrid"] as const
/** As the API bounds a query. */
const MAX_QUERY = 2000
/** Shorter words are not corrected, and seldom misspelt. */
const LEAST_LETTERS = 4

const random = seeded(20_417)
const below = (limit: number) => Math.floor(random() * limit)

/** One letter wrong in one word; as it is where no word is long enough. */
function misspelt(query: string): string {
  const words = [...query.matchAll(WORDS)].filter(([word]) => [...word].length >= LEAST_LETTERS && !/\p{N}/u.test(word))
  if (words.length === 0) return query
  const { 0: word, index } = words[below(words.length)]!
  const letters = [...word]
  const at = 1 + below(letters.length - 2)
  const kinds = [
    () => letters.with(at, letters[at + 1]!).with(at + 1, letters[at]!),
    () => letters.toSpliced(at, 0, letters[at]!),
    () => letters.toSpliced(at, 1),
    () => letters.with(at, letters[below(letters.length)]!),
  ]
  const wrong = kinds[below(kinds.length)]!().join("")
  return query.slice(0, index) + wrong + query.slice(index + word.length)
}

async function measure(set: Collection, bench: Bench, row: ReadonlyMap<number, number>): Promise<void> {
  const wrong = set.queries.map(({ text, relevant }) => ({ text: misspelt(text.slice(0, MAX_QUERY)), relevant }))
  for (const mode of MODES)
    for (const [name, queries] of [
      ["as they are", set.queries],
      ["misspelt", wrong],
    ] as const) {
      const figures = { exact: [] as number[], corrected: [] as number[] }
      let [corrections, ms] = [0, [0, 0] as [number, number]]
      for (const { text, relevant } of queries)
        for (const exact of [true, false]) {
          const startedAt = performance.now()
          const query = text.slice(0, MAX_QUERY)
          const found = await bench.index.search({
            view: wholeOf("ws"),
            query,
            limit: 100,
            mode,
            exact,
            highlight: false,
          })
          ms[exact ? 0 : 1] += performance.now() - startedAt
          corrections += found.corrections.length
          const ranking = found.hits.map(hit => row.get(hit.position.start)!)
          figures[exact ? "exact" : "corrected"].push(ndcg(ranking, relevant))
        }
      const count = queries.length
      const [was, is] = [mean(figures.exact), mean(figures.corrected)]
      console.log(
        `${set.name.padEnd(16)} ${mode.padEnd(8)} ${name.padEnd(12)} exact ${was.toFixed(4)}, corrected ${is.toFixed(4)} (${(is - was).toFixed(4)}),` +
          ` ${(corrections / count).toFixed(2)} words a query, ms ${ms.map(each => (each / count).toFixed(1)).join(" → ")}`,
      )
    }
}

const [directory, ...names] = process.argv.slice(2)
if (!directory) throw new Error("usage: bun scripts/bench/spelling.ts DIRECTORY [SET…]")
const embedder = await openBuiltInModel()
for (const set of readAll(directory, names.length ? names : readdirSync(directory).sort())) {
  const bench = await Bench.open(embedder)
  const starts = await bench.addFile("file_set", set.documents)
  await measure(set, bench, new Map(starts.map((start, i) => [start, i])))
  await bench.close()
}
await embedder.close()
process.exit(0)
