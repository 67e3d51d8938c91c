/**
 * Measures search as the product runs it: the whole index over real stores, in a temporary directory.
 *
 *   bun scripts/bench/search.ts quality DIRECTORY [SET…]   nDCG@10, recall@100, MRR@10 of each mode on BEIR-layout sets
 *   bun scripts/bench/search.ts speed PASSAGES [KEEP]      build, then one table of CPU, latency, memory, adds, deletes
 *                                                          on made-up text, beside FTS5 and LanceDB's own hybrid
 *   bun scripts/bench/search.ts measure KEPT               the same without the build, on a kept directory
 */
import { mkdtempSync, readdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openEmbedder } from "../../src/backends/embedder.ts"
import type { SearchMode } from "../../src/search/types.ts"
import { type Collection, mean, ndcg, type Query, readAll, readOffice, recall, reciprocalRank } from "./collections.ts"
import { Bench } from "./search-library.ts"
import { openPeers } from "./search-peers.ts"
import { measureSpeed, speed } from "./search-speed.ts"

const ROOT = join(import.meta.dir, "../..")
async function quality(root: string, names: string[]): Promise<void> {
  const embedder = await openEmbedder({
    name: "",
    directories: [join(ROOT, "models")],
    nativeDirectory: mkdtempSync(join(tmpdir(), "bench-native-")),
  })
  const sets = [
    ...readAll(root, names.length ? names : readdirSync(root)),
    ...readOffice(join(ROOT, "test/fixtures/search/office.jsonl")),
  ]
  const modes: SearchMode[] = ["keyword", "semantic", "hybrid"]
  const all = new Map<SearchMode, number[][]>(modes.map(mode => [mode, []]))
  console.log("set".padEnd(16), ...modes.map(mode => `${mode} nDCG R@100 MRR`.padEnd(28)))
  for (const set of sets) {
    const bench = await Bench.open(embedder)
    const starts = await bench.addFile("file_set", set.documents)
    const row = new Map(starts.map((start, i) => [start, i]))
    const cells = await Promise.all(
      modes.map(async mode => {
        const figures = await measure(bench, set.queries, mode, row)
        all.get(mode)!.push(figures)
        return figures
          .map(value => value.toFixed(4))
          .join(" ")
          .padEnd(28)
      }),
    )
    console.log(set.name.padEnd(16), ...cells, ...(await peerCells(set)))
    await bench.close()
  }
  const means = modes.map(mode =>
    [0, 1, 2]
      .map(i => mean(all.get(mode)!.map(row => row[i]!)).toFixed(4))
      .join(" ")
      .padEnd(28),
  )
  console.log("mean".padEnd(16), ...means)
  await embedder.close()
}

/** Figures of other engines' full text on the same set. */
async function peerCells({ documents, queries }: Collection): Promise<string[]> {
  const cells: string[] = []
  for (const peer of await openPeers(documents)) {
    const figures: number[][] = []
    for (const { text, relevant } of queries) {
      const ranking = await peer.search(text)
      figures.push([ndcg(ranking, relevant), recall(ranking, relevant), reciprocalRank(ranking, relevant)])
    }
    await peer.close()
    cells.push(`${peer.name} ${[0, 1, 2].map(i => mean(figures.map(figure => figure[i]!)).toFixed(4)).join(" ")}`)
  }
  return cells
}

async function measure(bench: Bench, queries: Query[], mode: SearchMode, row: Map<number, number>): Promise<number[]> {
  const figures: number[][] = []
  for (const { text, relevant } of queries) {
    const { hits } = await bench.index.search({
      workspaceId: "ws",
      query: text.slice(0, 2000),
      limit: 100,
      mode,
      highlight: false,
    })
    const ranking = hits.map(hit => row.get(hit.position.start)!)
    figures.push([ndcg(ranking, relevant), recall(ranking, relevant), reciprocalRank(ranking, relevant)])
  }
  return [0, 1, 2].map(i => mean(figures.map(figure => figure[i]!)))
}

const [command = "", ...words] = process.argv.slice(2)

if (command === "quality") await quality(words[0] ?? "", words.slice(1))
else if (command === "speed") await speed(Number(words[0] ?? 10_000), words[1])
else if (command === "measure") await measureSpeed(words[0]!)
else console.error("usage: search.ts quality DIRECTORY [SET…] | speed PASSAGES [KEEP] | measure KEPT")
process.exit(0)
