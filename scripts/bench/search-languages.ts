/**
 * Whether hybrid search ever loses what words alone find, and what cutting documents costs, as the product runs it:
 *
 *   bun scripts/bench/search-languages.ts pairs DIRECTORY [LANGUAGE…]   questions and passages in one language each, and in
 *                                                                       a library of two, from the parallel xquad-* sets
 *   bun scripts/bench/search-languages.ts cut DIRECTORY [SET…]          documents cut into passages, against whole ones
 */

import { readdirSync } from "node:fs"
import { join } from "node:path"
import { wholeOf } from "../../src/access/view.ts"
import type { Embedder } from "../../src/backends/backend.ts"
import type { SearchMode } from "../../src/search/types.ts"
import { argumentsLeft, openBuiltInModel, openQualityModel } from "./built-in-model.ts"
import { type Collection, mean, ndcg, readAll, readBeir, recall, reciprocalRank } from "./collections.ts"
import { Bench } from "./search-library.ts"

const MODES: SearchMode[] = ["keyword", "hybrid"]
const [command = "", root = "", ...names] = argumentsLeft()

interface Library {
  name: string
  /** One passage each. */
  passages: string[]
  queries: Collection["queries"]
}

/** Questions of one language over passages of another, and over those of both. */
function* librariesOf(sets: Map<string, Collection>): Generator<Library> {
  const english = sets.get("en")!
  for (const [language, other] of sets) {
    if (language === "en") {
      yield { name: "en on en", passages: english.documents, queries: english.queries }
      continue
    }
    const both = [...english.documents, ...other.documents]
    const inBoth = ({ text, relevant }: Collection["queries"][number]) => {
      const rows = [...relevant].flatMap(([row, grade]) => [
        [row, grade] as const,
        [row + english.documents.length, grade] as const,
      ])
      return { text, relevant: new Map(rows) }
    }
    yield { name: `${language} on ${language}`, passages: other.documents, queries: other.queries }
    yield { name: `en on ${language}`, passages: other.documents, queries: english.queries }
    yield { name: `${language} on en`, passages: english.documents, queries: other.queries }
    yield { name: `en on en+${language}`, passages: both, queries: english.queries.map(inBoth) }
    yield { name: `${language} on en+${language}`, passages: both, queries: other.queries.map(inBoth) }
  }
}

async function pairs(embedder: Embedder, quality: Embedder | undefined): Promise<void> {
  const sets = new Map<string, Collection>()
  for (const name of readdirSync(root).sort()) {
    const language = /^xquad-(\w+)$/.exec(name)?.[1]
    if (language && (names.length === 0 || language === "en" || names.includes(language)))
      sets.set(language, readBeir(join(root, name)))
  }
  for (const { name, passages, queries } of librariesOf(sets)) {
    const bench = await Bench.open(embedder, undefined, undefined, { quality })
    const starts = await bench.addFile("file_set", passages)
    await bench.upgraded()
    const row = new Map(starts.map((start, i) => [start, i]))
    await report(name, queries, async (query, mode) => {
      const { hits } = await bench.index.search({ view: wholeOf("ws"), query, limit: 100, mode, highlight: false })
      return hits.map(hit => row.get(hit.position.start)!)
    })
    await bench.close()
  }
}

/** Each document as a file, title first: once in one passage, once cut. */
async function cut(embedder: Embedder): Promise<void> {
  for (const set of readAll(root, names.length ? names : readdirSync(root).sort())) {
    for (const whole of [true, false]) {
      const bench = await Bench.open(embedder)
      for (const [row, document] of set.documents.entries()) {
        const title = set.titles[row]!
        if (whole) await bench.addFile(`file_${row}`, [document])
        else await bench.addDocument(`file_${row}`, [title, document.slice(title.length).trim()])
      }
      await report(`${set.name} ${whole ? "whole" : "cut"}`, set.queries, async (query, mode) => {
        const { hits } = await bench.index.search({ view: wholeOf("ws"), query, limit: 100, mode, highlight: false })
        return [...new Set(hits.map(hit => Number(hit.file.id.slice("file_".length))))]
      })
      await bench.close()
    }
  }
}

async function report(
  name: string,
  queries: Collection["queries"],
  search: (query: string, mode: SearchMode) => Promise<number[]>,
): Promise<void> {
  const cells: string[] = []
  const found: number[] = []
  for (const mode of MODES) {
    const figures: number[][] = []
    for (const { text, relevant } of queries) {
      const ranking = await search(text.slice(0, 2000), mode)
      figures.push([ndcg(ranking, relevant), recall(ranking, relevant), reciprocalRank(ranking, relevant)])
    }
    const means = [0, 1, 2].map(i => mean(figures.map(each => each[i]!)))
    found.push(means[0]!)
    cells.push(`${mode} ${means.map(value => value.toFixed(4)).join(" ")}`)
  }
  console.log(name.padEnd(18), cells.join("   "), "  hybrid − keyword", (found[1]! - found[0]!).toFixed(4))
}

const embedder = await openBuiltInModel()
const quality = await openQualityModel()
if (command === "pairs") await pairs(embedder, quality)
else if (command === "cut") await cut(embedder)
else console.error("usage: search-languages.ts pairs DIRECTORY [LANGUAGE…] | cut DIRECTORY [SET…]")
await embedder.close()
await quality?.close()
process.exit(0)
