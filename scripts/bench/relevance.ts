/**
 * How well `relevance` is calibrated: for each set and each tenth of relevance how many of the ten best hits are right,
 * and what questions of another set and nonsense get.
 *
 *   bun scripts/bench/relevance.ts report DIRECTORY [SET…]
 */

import { readdirSync } from "node:fs"
import { wholeOf } from "../../src/access/view.ts"
import type { SearchMode } from "../../src/search/types.ts"
import { argumentsLeft, openBuiltInModel, openQualityModel } from "./built-in-model.ts"
import { type Collection, type Query, readAll } from "./collections.ts"
import { randomWords } from "./random.ts"
import { Bench } from "./search-library.ts"

const MODES: SearchMode[] = ["hybrid", "keyword"]
const HITS = 10
const OTHERS = 30
const NONSENSE = 40

/** Hits and right ones among them, by tenths. */
class Tenths {
  private readonly rows = Array.from({ length: 10 }, () => ({ hits: 0, right: 0, said: 0 }))

  add(relevance: number, right: boolean): void {
    const row = this.rows[Math.min(9, Math.floor(relevance * 10))]!
    row.hits++
    row.said += relevance
    if (right) row.right++
  }

  toString(): string {
    const hits = this.rows.reduce((sum, row) => sum + row.hits, 0)
    const off = this.rows.reduce((sum, row) => sum + Math.abs(row.said - row.right), 0) / Math.max(1, hits)
    const cells = this.rows.map(({ hits, right }, i) => (hits ? `.${i} ${(right / hits).toFixed(2)} (${hits})` : ""))
    return `off by ${off.toFixed(3)}: ${cells.filter(Boolean).join("  ")}`
  }
}

/** Letters drawn alike, which are the words of no language. */
const nonsense = (seed: number): Query[] => randomWords(seed, NONSENSE).map(text => ({ text, relevant: new Map() }))

async function report(sets: Collection[]): Promise<void> {
  const embedder = await openBuiltInModel()
  const quality = await openQualityModel()
  for (const [at, set] of sets.entries()) {
    const bench = await Bench.open(embedder, undefined, undefined, { quality })
    const starts = await bench.addFile("file_set", set.documents)
    await bench.upgraded()
    const row = new Map(starts.map((start, i) => [start, i]))
    const other = sets[(at + 1) % sets.length]!.queries.slice(0, OTHERS)
    const kinds: [string, Query[]][] = [
      ["questions", set.queries],
      [`questions of ${sets[(at + 1) % sets.length]!.name}`, other.map(({ text }) => ({ text, relevant: new Map() }))],
      ["nonsense", nonsense(7)],
    ]
    for (const mode of MODES)
      for (const [kind, queries] of kinds) {
        const tenths = new Tenths()
        let answered = 0
        for (const { text, relevant } of queries) {
          const query = text.slice(0, 2000)
          const { hits } = await bench.index.search({ view: wholeOf("ws"), query, limit: HITS, mode, highlight: false })
          if (hits.length > 0) answered++
          for (const hit of hits) tenths.add(hit.relevance, relevant.has(row.get(hit.position.start)!))
        }
        console.log(
          set.name.padEnd(10),
          mode.padEnd(8),
          kind.padEnd(24),
          `${answered} of ${queries.length} with hits,`,
          `${tenths}`,
        )
      }
    await bench.close()
  }
  await embedder.close()
  await quality?.close()
}

const [command, root = "", ...names] = argumentsLeft()
if (command === "report") await report(readAll(root, names.length ? names : readdirSync(root).sort()))
else console.error("usage: relevance.ts report DIRECTORY [SET…]")
process.exit(0)
