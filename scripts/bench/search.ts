/**
 * Measures search as the product runs it, the whole index over real stores in a temporary directory, beside the engines
 * of `peers/` with the same passages, vectors and questions. Those that are not the product's own are installed first.
 *
 *   bun scripts/bench/search.ts quality DIRECTORY [SET…]   nDCG@10, recall@100, MRR@10 on BEIR-layout sets
 *   bun scripts/bench/search.ts alone DIRECTORY [SET…]     the same without the other engines
 *   bun scripts/bench/search.ts speed PASSAGES [KEEP]      build, then one table of CPU, latency, memory, adds, deletes
 *                                                          on made-up text; the other engines up to 100 000 passages
 *   bun scripts/bench/search.ts measure KEPT               the same without the build, on a kept directory
 *   bun scripts/bench/search.ts peer KEPT ENGINE           one other engine alone
 *
 * `--model NAME` names another built-in embedding model, `--quality NAME` one for the quality tier beside it, `--vectors FILE`
 * keeps vectors between runs; so with the other measurements of search.
 */

import { readdirSync } from "node:fs"
import { join } from "node:path"
import { wholeOf } from "../../src/access/view.ts"
import type { Embedder } from "../../src/backends/backend.ts"
import type { SearchMode } from "../../src/search/types.ts"
import { argumentsLeft, openBuiltInModel, openQualityModel } from "./built-in-model.ts"
import { type Collection, mean, ndcg, type Query, readAll, readOffice, recall, reciprocalRank } from "./collections.ts"
import { ENGINES } from "./peers/engines.ts"
import { preparePeers } from "./peers/install.ts"
import { Bench } from "./search-library.ts"
import { measurePeer, measurePeers } from "./search-peers.ts"
import { measureSpeed, speed } from "./search-speed.ts"

const ROOT = join(import.meta.dir, "../..")
const MODES: SearchMode[] = ["keyword", "semantic", "hybrid"]
/** The longest query the product takes. */
const LONGEST_QUERY = 2000

/** nDCG@10, recall@100, MRR@10. */
type Figures = [number, number, number]

async function quality(root: string, names: string[], engines: typeof ENGINES): Promise<void> {
  if (engines.length > 0) preparePeers()
  const [embedder, better] = [await openBuiltInModel(), await openQualityModel()]
  const sets = [
    ...readAll(root, names.length ? names : readdirSync(root).sort()),
    ...readOffice(join(ROOT, "test/fixtures/search/office.jsonl")),
  ]
  const rows = new Map<string, Figures[]>()
  console.log(line("set", "engine", ["nDCG@10", "R@100", "MRR@10"]))
  for (const set of sets)
    for await (const [engine, figures] of measureSet(set, { embedder, better }, engines)) {
      rows.set(engine, [...(rows.get(engine) ?? []), figures])
      console.log(line(set.name, engine, cells(figures)))
    }
  for (const [engine, all] of rows)
    if (all.length === sets.length) console.log(line("mean", engine, cells(meanOf(all))))
  await embedder.close()
  await better?.close()
}

/** The product in its modes, then the other engines. */
async function* measureSet(
  set: Collection,
  { embedder, better }: { embedder: Embedder; better: Embedder | undefined },
  engines: typeof ENGINES,
): AsyncGenerator<[engine: string, Figures]> {
  const bench = await Bench.open(embedder, undefined, undefined, { quality: better })
  const starts = await bench.addFile("file_set", set.documents)
  await bench.upgraded()
  const row = new Map(starts.map((start, i) => [start, i]))
  for (const mode of MODES) yield [mode, await measure(set.queries, query => ask(bench, query, mode, row))]
  const vectors = await embedder.embed(set.documents, "passage")
  for (const { name, open } of engines) {
    const peer = await open({ texts: set.documents, vectors, embedder }).catch((error: Error) => {
      console.log(line(set.name, name, [`not measured: ${error.message}`]))
    })
    if (peer) yield [name, await measure(set.queries, query => peer.search(query))]
    await peer?.close()
  }
  // Not before: LanceDB keeps the temporary files of the whole process in the product's directory.
  await bench.close()
}

async function ask(bench: Bench, query: string, mode: SearchMode, row: Map<number, number>): Promise<number[]> {
  const { hits } = await bench.index.search({ view: wholeOf("ws"), query, limit: 100, mode, highlight: false })
  return hits.map(hit => row.get(hit.position.start)!)
}

async function measure(queries: Query[], search: (query: string) => Promise<number[]>): Promise<Figures> {
  const figures: Figures[] = []
  for (const { text, relevant } of queries) {
    const ranking = await search(text.slice(0, LONGEST_QUERY))
    figures.push([ndcg(ranking, relevant), recall(ranking, relevant), reciprocalRank(ranking, relevant)])
  }
  return meanOf(figures)
}

const meanOf = (all: Figures[]): Figures => [0, 1, 2].map(i => mean(all.map(figures => figures[i]!))) as Figures

const cells = (figures: Figures): string[] => figures.map(value => value.toFixed(4))

const line = (set: string, engine: string, cells: string[]): string =>
  [set.padEnd(16), engine.padEnd(20), ...cells.map(cell => cell.padStart(8))].join("")

const [command = "", ...words] = argumentsLeft()

if (command === "quality") await quality(words[0] ?? "", words.slice(1), ENGINES)
else if (command === "alone") await quality(words[0] ?? "", words.slice(1), [])
else if (command === "speed") await speed(Number(words[0] ?? 10_000), words[1])
else if (command === "measure") {
  await measureSpeed(words[0]!)
  await measurePeers(words[0]!)
} else if (command === "peer") await measurePeer(words[0]!, words[1]!)
else
  console.error(
    "usage: search.ts quality|alone DIRECTORY [SET…] | speed PASSAGES [KEEP] | measure KEPT | peer KEPT ENGINE",
  )
process.exit(0)
