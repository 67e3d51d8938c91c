/**
 * Measures how well a library finds what it should: `carrel eval FILE`, one JSON object a line,
 * `{"query": "…", "file": "…"}` with a file's id or name, or several in an array.
 */
import { wholeOf } from "../access/view.ts"
import { invalid } from "../errors.ts"
import type { SearchMode, SearchRequest, SearchService } from "./types.ts"

export interface Expectation {
  /** 1-based line of the file that it stands in. */
  line: number
  query: string
  /** Ids or names; any of them is right. */
  files: string[]
}

export interface Evaluation {
  mode: SearchMode
  queries: number
  /** Share of queries with a right file among the first k files. */
  hit_at: Record<1 | 3 | 5 | 10, number>
  /** Mean of 1 / rank of the first right file, 0 beyond the tenth. */
  mrr: number
  /** Normalised discounted cumulative gain over the first ten files. */
  ndcg: number
  /** Queries whose right file is not among the first ten. */
  missed: string[]
  /** The gain of each query, of which `ndcg` is the mean. */
  gains: number[]
}

/** Hits read for a query: many may be of one file. */
const DEPTH = 100
const FILES = 10

/** @throws AppError invalid_request naming the line that is wrong */
export function readExpectations(text: string): Expectation[] {
  const expectations: Expectation[] = []
  for (const [i, line] of text.split("\n").entries()) {
    if (!line.trim()) continue
    let given: { query?: unknown; file?: unknown }
    try {
      given = JSON.parse(line)
    } catch {
      throw invalid(`line ${i + 1}`, "is not JSON")
    }
    const files = Array.isArray(given.file) ? given.file : [given.file]
    if (typeof given.query !== "string" || !given.query.trim()) throw invalid(`line ${i + 1}`, "has no query")
    if (files.length === 0 || files.some(file => typeof file !== "string"))
      throw invalid(`line ${i + 1}`, "has no file: an id or a name, or an array of them")
    expectations.push({ line: i + 1, query: given.query, files })
  }
  if (expectations.length === 0) throw invalid("file", "holds no line with a query and a file")
  return expectations
}

/**
 * A question about a file that is not there can only be missed: a mistyped name would count against the search.
 * @throws AppError invalid_request naming line and file
 */
export function checkExpectations(expectations: Expectation[], files: readonly { id: string; name: string }[]): void {
  const known = new Set(files.flatMap(({ id, name }) => [id, name]))
  for (const { line, files: wanted } of expectations)
    for (const file of wanted)
      if (!known.has(file))
        throw invalid(`line ${line}`, `names ${JSON.stringify(file)}, which is not a file of the library`)
}

/** `on` is told how many searches of how many are done. */
export async function evaluate(
  search: SearchService,
  workspaceId: string,
  expectations: Expectation[],
  modes: SearchMode[] = ["keyword", "semantic", "hybrid"],
  on: (done: number, total: number) => void = () => {},
  how: Pick<SearchRequest, "rerank"> = {},
): Promise<Evaluation[]> {
  const evaluations: Evaluation[] = []
  const total = modes.length * expectations.length
  let done = 0
  for (const mode of modes) {
    const ranks: number[][] = []
    for (const expectation of expectations) {
      ranks.push(await ranksOf(search, { view: wholeOf(workspaceId), mode, ...how }, expectation))
      on(++done, total)
    }
    evaluations.push({ mode, ...summary(expectations, ranks) })
  }
  return evaluations
}

/** 1-based ranks of the right files among the files found, ascending. */
async function ranksOf(
  search: SearchService,
  asked: Pick<SearchRequest, "view" | "mode" | "rerank">,
  { query, files }: Expectation,
): Promise<number[]> {
  const { hits } = await search.search({ ...asked, query, limit: DEPTH, highlight: false })
  const found = new Map(hits.map(hit => [hit.file.id, hit.file.name]))
  return [...found]
    .slice(0, FILES)
    .flatMap(([id, name], i) => (files.includes(id) || files.includes(name) ? [i + 1] : []))
}

function summary(expectations: Expectation[], ranks: number[][]): Omit<Evaluation, "mode"> {
  const rounded = (value: number) => Math.round(value * 10_000) / 10_000
  const meanOf = (values: number[]) => rounded(values.reduce((sum, value) => sum + value, 0) / values.length)
  const mean = (value: (own: number[]) => number) => meanOf(ranks.map(value))
  const hitAt = (k: number) => mean(own => (own.some(rank => rank <= k) ? 1 : 0))
  const gain = (rank: number) => 1 / Math.log2(rank + 1)
  const best = (count: number) =>
    Array.from({ length: Math.min(FILES, count) }, (_, i) => gain(i + 1)).reduce((a, b) => a + b, 0)
  const gains = ranks.map((own, i) =>
    Math.min(1, own.reduce((sum, rank) => sum + gain(rank), 0) / best(expectations[i]!.files.length)),
  )
  return {
    queries: ranks.length,
    hit_at: { 1: hitAt(1), 3: hitAt(3), 5: hitAt(5), 10: hitAt(10) },
    mrr: mean(own => (own[0] ? 1 / own[0] : 0)),
    ndcg: meanOf(gains),
    missed: expectations.filter((_, i) => ranks[i]!.length === 0).map(({ query }) => query),
    gains: gains.map(rounded),
  }
}
