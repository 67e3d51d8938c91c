/**
 * Measures what reranking brings and costs: searches as the product runs them, without and with it, on BEIR-layout sets.
 *
 *   bun scripts/bench/rerank.ts DIRECTORY [SET…] [--candidates 30] [--queries 60] [--keep DIR] [--quality NAME]
 *
 * `--keep` also writes, per set, what `scripts/train/rerank/fit.py` reads.
 */

import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { wholeOf } from "../../src/access/view.ts"
import { ASKED_FOR } from "../../src/search/rerank/budgets.ts"
import { RerankLine } from "../../src/search/rerank/rerank-line.ts"
import { openReranker } from "../../src/search/rerank/reranker.ts"
import { argumentsLeft, openBuiltInModel, openQualityModel } from "./built-in-model.ts"
import { type Collection, mean, ndcg, readAll, readOffice, reciprocalRank } from "./collections.ts"
import { Bench } from "./search-library.ts"

const ROOT = join(import.meta.dir, "../..")
/** Nothing is too late here. */
const BUDGET_MS = 600_000
/** Hits that are asked for: more than any candidate. */
const LIMIT = 100
/** The longest query the product takes. */
const LONGEST_QUERY = 2_000

const { values, positionals } = parseArgs({
  args: argumentsLeft(),
  allowPositionals: true,
  options: {
    candidates: { type: "string", default: String(ASKED_FOR.candidates) },
    queries: { type: "string", default: "60" },
    keep: { type: "string" },
  },
})
const [directory = "", ...names] = positionals
const candidates = Number(values.candidates)
const embedder = await openBuiltInModel()
const quality = await openQualityModel()
const model = openReranker([join(ROOT, "models")], { nativeDirectory: mkdtempSync(join(tmpdir(), "bench-native-")) })
if (!model) throw new Error("there is no reranking model")
const reranker = new RerankLine(model)

const sets = [
  ...readAll(directory, names.length ? names : readdirSync(directory).sort()),
  ...readOffice(join(ROOT, "test/fixtures/search/office.jsonl")).filter(
    ({ name }) => !names.length || names.includes(name),
  ),
]
console.log(row("set", ["nDCG@10", "after", "MRR@10", "after", "CPU-ms each"]))
for (const set of sets) console.log(row(set.name, await measure(set)))
await model.close()
await embedder.close()
await quality?.close()
process.exit(0)

async function measure(set: Collection): Promise<string[]> {
  const bench = await Bench.open(embedder, undefined, undefined, { reranker, quality })
  const starts = await bench.addFile("file_set", set.documents)
  await bench.upgraded()
  const rowAt = new Map(starts.map((start, i) => [start, i]))
  const step = Math.ceil(set.queries.length / Number(values.queries))
  const figures: number[][] = []
  const kept: object[] = []
  let judged = 0
  let cpuMs = 0
  for (const { text, relevant } of set.queries.filter((_, i) => i % step === 0)) {
    const asked = { view: wholeOf("ws"), query: text.slice(0, LONGEST_QUERY), limit: LIMIT, highlight: false }
    const before = await bench.index.search(asked)
    const since = process.cpuUsage()
    const after = await bench.index.search({ ...asked, explain: true, rerank: { candidates, budgetMs: BUDGET_MS } })
    const { user, system } = process.cpuUsage(since)
    cpuMs += (user + system) / 1000
    judged += after.reranked ?? 0
    const rowsOf = ({ hits }: typeof after) => hits.map(({ position }) => rowAt.get(position.start)!)
    const lists = [rowsOf(before), rowsOf(after)]
    figures.push([ndcg, reciprocalRank].flatMap(by => lists.map(list => by(list, relevant))))
    const scoreOf = new Map(after.hits.map(({ id, scores }) => [id, scores?.rerank?.score ?? null]))
    const hits = before.hits.map(({ id, relevance, position }) => {
      const right = relevant.has(rowAt.get(position.start)!)
      return { relevance, rerank: scoreOf.get(id) ?? null, right }
    })
    kept.push({ query: text, hits })
  }
  await bench.close()
  if (values.keep) {
    mkdirSync(values.keep, { recursive: true })
    writeFileSync(join(values.keep, `${set.name}.json`), JSON.stringify(kept))
  }
  const means = [0, 1, 2, 3].map(i => mean(figures.map(each => each[i]!)).toFixed(3))
  return [...means, (cpuMs / Math.max(1, judged)).toFixed(1)]
}

function row(name: string, cells: string[]): string {
  return [name.padEnd(16), ...cells.map(cell => cell.padStart(12))].join("")
}
