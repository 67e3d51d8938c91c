/**
 * Measures an embedding model and its fusion with the keyword leg on test collections, everything exact:
 * `bun scripts/bench/fusion.ts --model models/carrel-embed-multi-v1 --collections DIR [--weights]`.
 * With `--weights` it also shows every weight, and the result when the weight of each collection is chosen on the others.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { openEmbedder } from "../../src/backends/embedder.ts"
import { fuse, type Scored } from "../../src/search/fuse.ts"
import { groupsOf } from "../../src/search/text/analyze.ts"
import { type Collection, mean, ndcg, type Query, readAll, readOffice, recall, reciprocalRank } from "./collections.ts"
import { ExactBm25 } from "./exact-bm25.ts"

const ENGLISH = ["adi", "cacm", "cisi", "med", "xquad-en"]
const OFFICE = join(import.meta.dir, "../../test/fixtures/search/office.jsonl")
/** Length of each leg's list, as in the product. */
const DEPTH = 100
const WEIGHTS = [0.2, 0.25, 0.3, 0.35, 0.4, 0.5]

/** Both legs' real scores for the union of their top lists. */
interface Candidates {
  query: Query
  keyword: Scored[]
  vector: Scored[]
  keywordRanking: number[]
  vectorRanking: number[]
  coverage: number
  words: number
}

export interface LegsOfCollection {
  name: string
  candidates: Candidates[]
}

export interface Measured {
  ndcg: number
  recall: number
  mrr: number
}

export interface Row {
  name: string
  keyword: Measured
  vector: Measured
  hybrid: Measured
}

export function englishCollections(root: string): Collection[] {
  return [...readAll(root, ENGLISH), ...readOffice(OFFICE)]
}

/** The project's own questions say how the model does on office text; the gate and the mean look at the public sets. */
export const isOffice = ({ name }: { name: string }): boolean => name.startsWith("office")

export async function legs(modelFolder: string, collections: Collection[]): Promise<LegsOfCollection[]> {
  const nativeDirectory = mkdtempSync(join(tmpdir(), "carrel-bench-"))
  const folder = resolve(modelFolder)
  const embedder = await openEmbedder({ name: basename(folder), directories: [dirname(folder)], nativeDirectory })
  try {
    const found: LegsOfCollection[] = []
    for (const { name, documents, queries } of collections) {
      const keyword = new ExactBm25(documents)
      const passages = await embedder.embed(documents, "passage")
      const asked = await embedder.embed(
        queries.map(query => query.text),
        "query",
      )
      found.push({
        name,
        candidates: queries.map((query, at) => {
          const similarity = Float64Array.from(passages, passage => dot(asked[at]!, passage))
          return candidatesOf(query, keyword.query(query.text), similarity)
        }),
      })
    }
    return found
  } finally {
    await embedder.close()
    rmSync(nativeDirectory, { recursive: true, force: true })
  }
}

export function measure({ name, candidates }: LegsOfCollection, weight: number): Row {
  return {
    name,
    keyword: average(candidates, ({ keywordRanking }) => keywordRanking),
    vector: average(candidates, ({ vectorRanking }) => vectorRanking),
    hybrid: average(candidates, ({ keyword, vector, coverage, words }) =>
      fuse(keyword, vector, { weight, coverage, words }).map(({ id }) => id),
    ),
  }
}

function candidatesOf(query: Query, keyword: { scores: Float64Array; bound: number }, similarity: Float64Array) {
  const keywordRanking = top(keyword.scores).filter(id => keyword.scores[id]! > 0)
  const vectorRanking = top(similarity)
  const union = [...new Set([...keywordRanking, ...vectorRanking])]
  const best = keywordRanking.length ? keyword.scores[keywordRanking[0]!]! : 0
  return {
    query,
    keywordRanking,
    vectorRanking,
    keyword: union.map(id => ({ id, score: keyword.scores[id]! })),
    vector: union.map(id => ({ id, score: similarity[id]! })),
    coverage: keyword.bound > 0 ? best / keyword.bound : 0,
    words: groupsOf(query.text).reduce((sum, group) => sum + group.weight, 0),
  }
}

function top(scores: Float64Array): number[] {
  return [...scores.keys()].sort((a, b) => scores[b]! - scores[a]! || a - b).slice(0, DEPTH)
}

function dot(left: Float32Array, right: Float32Array): number {
  let sum = 0
  for (let i = 0; i < left.length; i++) sum += left[i]! * right[i]!
  return sum
}

function average(candidates: Candidates[], rank: (candidates: Candidates) => number[]): Measured {
  const rankings = candidates.map(each => ({ ranking: rank(each), relevant: each.query.relevant }))
  return {
    ndcg: mean(rankings.map(({ ranking, relevant }) => ndcg(ranking, relevant))),
    recall: mean(rankings.map(({ ranking, relevant }) => recall(ranking, relevant))),
    mrr: mean(rankings.map(({ ranking, relevant }) => reciprocalRank(ranking, relevant))),
  }
}

function printRows(rows: Row[]): void {
  const cells = ({ ndcg, recall, mrr }: Measured) => [ndcg, recall, mrr].map(value => value.toFixed(4)).join(" ")
  console.log("collection      keyword nDCG R@100 MRR   model nDCG R@100 MRR     hybrid nDCG R@100 MRR")
  for (const { name, keyword, vector, hybrid } of rows)
    console.log(name.padEnd(15), cells(keyword), " ", cells(vector), " ", cells(hybrid))
}

function printWeights(all: LegsOfCollection[]): void {
  const byWeight = WEIGHTS.map(weight => all.map(one => measure(one, weight)))
  for (const [at, rows] of byWeight.entries()) {
    const open = rows.filter(row => !isOffice(row))
    const office = rows.filter(isOffice).map(({ name, hybrid }) => `${name} MRR ${hybrid.mrr.toFixed(3)}`)
    const changes = open.map(({ hybrid, keyword }) => (hybrid.ndcg - keyword.ndcg).toFixed(3))
    console.log(
      `weight ${WEIGHTS[at]}: mean nDCG ${mean(open.map(row => row.hybrid.ndcg)).toFixed(4)}, change by collection`,
      changes.join(" "),
      "·",
      office.join(", "),
    )
  }
  const names = all.filter(one => !isOffice(one)).map(({ name }) => name)
  const chosen = names.map(left => {
    const others = byWeight.map(rows =>
      mean(rows.filter(row => !isOffice(row) && row.name !== left).map(row => row.hybrid.ndcg)),
    )
    const at = others.indexOf(Math.max(...others))
    return { weight: WEIGHTS[at], row: byWeight[at]!.find(row => row.name === left)! }
  })
  const gain = mean(chosen.map(({ row }) => row.hybrid.ndcg - row.keyword.ndcg))
  console.log(
    `weight chosen on the other collections (${chosen.map(({ weight }) => weight).join(" ")}): nDCG over keyword`,
    gain.toFixed(4),
  )
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      model: { type: "string", default: join(import.meta.dir, "../../models/carrel-embed-multi-v1") },
      collections: { type: "string" },
      weight: { type: "string", default: "0.3" },
      weights: { type: "boolean", default: false },
    },
  })
  const all = await legs(values.model, englishCollections(values.collections ?? ""))
  printRows(all.map(one => measure(one, Number(values.weight))))
  if (values.weights) printWeights(all)
}
