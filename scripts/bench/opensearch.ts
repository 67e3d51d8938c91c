/**
 * Whether OpenSearch can stand behind search without changing a ranking: two requests a query, statistics and fusion ours.
 * Request 1 asks the workspace's counts, its best 200 by words and its best 100 by meaning; request 2 the exact scores of
 * their union. Both legs are held against the same arithmetic in memory.
 *
 *   bun scripts/bench/opensearch.ts URL DIRECTORY [SET…]   an OpenSearch with k-NN, empty; sets in BEIR layout
 *
 * `npm run cluster -- up --nodes 3` starts one and prints its URL, which holds the password, and the `NODE_EXTRA_CA_CERTS`
 * with which its certificate is known.
 *
 * On three nodes of 3.5.0 with k-NN 3.5.0.0 (Lucene engine, three shards, one copy), adi cacm cisi med xquad-de -zh -ar:
 * nDCG@10 and recall@100 of words equal to exact BM25 on every set (difference .0000), where the engine's own scores stray by
 * −.020 to +.003; scores equal to 1.1e-7 (words) and 2.1e-7 (vectors); the best 200 hold at least .94 of the exact first
 * 100 of every query; two round trips and 43–97 KB a query. On 3.4.0, behind TLS and a password, the same of adi and xquad-de,
 * and so on one node of 2.19.1 (words equal to exact BM25, scores within 1.1e-7 and 2.6e-7).
 */
import type { Embedder } from "../../src/backends/backend.ts"
import { BM25 } from "../../src/search/keyword/bm25.ts"
import { groupsOf, schemeOf, termsOf } from "../../src/search/text/analyze.ts"
import { openBuiltInModel } from "./built-in-model.ts"
import { type Collection, mean, ndcg, readAll, recall } from "./collections.ts"
import { ExactBm25 } from "./exact-bm25.ts"

const INDEX = "passages"
const BY_WORDS = 200
const BY_MEANING = 100
/** Passages of one bulk request. */
const BULK = 500
/** The engine adds 1 to an inner product, or takes 1 / (1 − product) where it is negative: a score must not be below 0. */
const productOf = (score: number): number => (score >= 1 ? score - 1 : 1 - 1 / score)

/** BM25 with the statistics that we give: the engine knows only how often a term stands in a passage. */
const EXACT_WORDS = `
  double score = 0;
  double length = params.k1 * (1 - params.b + params.b * doc['n'].value / params.mean);
  for (group in params.groups) {
    double count = 0;
    for (term in group.terms) count += termFreq('t', term);
    if (count > 0) score += group.part * count / (count + length);
  }
  return score;`

interface Hit {
  _score: number
  fields: { i: [number] }
}

interface Part {
  error?: unknown
  hits: { total: { value: number }; hits: Hit[] }
  aggregations: { n: { value: number }; groups: { buckets: { doc_count: number }[] } }
}

class Engine {
  bytes = 0
  trips = 0
  constructor(private readonly url: string) {}

  async create(dimension: number): Promise<void> {
    await fetch(new URL(INDEX, this.url), { method: "DELETE" })
    const method = { name: "hnsw", engine: "lucene", space_type: "innerproduct" }
    const analysis = { analyzer: { terms: { type: "custom", tokenizer: "whitespace" } } }
    await this.call("PUT", INDEX, {
      settings: { number_of_shards: 3, number_of_replicas: 1, "index.knn": true, analysis },
      mappings: {
        _source: { enabled: false },
        _routing: { required: true },
        properties: {
          w: { type: "keyword" },
          i: { type: "integer" },
          n: { type: "integer" },
          t: { type: "text", analyzer: "terms", index_options: "freqs" },
          v: { type: "knn_vector", dimension, method },
        },
      },
    })
  }

  async add({ name, documents }: Collection, vectors: Float32Array[]): Promise<void> {
    for (let start = 0; start < documents.length; start += BULK) {
      const lines = documents.slice(start, start + BULK).flatMap((text, at) => {
        const terms = termsOf(text, schemeOf(text))
        const i = start + at
        const passage = { w: name, i, n: terms.length, t: terms.join(" "), v: [...vectors[i]!] }
        return [{ index: { _index: INDEX, _id: `${name}:${i}`, routing: name } }, passage]
      })
      const { errors } = (await this.call("POST", "_bulk", lines)) as { errors: boolean }
      if (errors) throw new Error("the engine refused passages")
    }
    await this.call("POST", `${INDEX}/_refresh`)
  }

  async searches(routing: string, bodies: unknown[]): Promise<Part[]> {
    const lines = bodies.flatMap(body => [{ index: INDEX, routing }, body])
    const { responses } = (await this.call("POST", "_msearch", lines)) as { responses: Part[] }
    for (const { error } of responses) if (error) throw new Error(JSON.stringify(error))
    return responses
  }

  private async call(method: string, path: string, body?: object | object[]): Promise<unknown> {
    const lines = Array.isArray(body)
    const text = lines ? body.map(line => `${JSON.stringify(line)}\n`).join("") : JSON.stringify(body)
    const headers = { "content-type": lines ? "application/x-ndjson" : "application/json" }
    const response = await fetch(new URL(path, this.url), { method, headers, ...(body ? { body: text } : {}) })
    const answer = await response.text()
    this.trips++
    this.bytes += answer.length + (text?.length ?? 0)
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer.slice(0, 500)}`)
    return JSON.parse(answer)
  }
}

const rowsOf = (part: Part): number[] => part.hits.hits.map(({ fields }) => fields.i[0])
const meaning = (query: object, vector: Float32Array) => ({
  script_score: {
    query,
    script: {
      source: "knn_score",
      lang: "knn",
      params: { field: "v", query_value: [...vector], space_type: "innerproduct" },
    },
  },
})
const asked = (size: number, query: object) => ({ size, query, _source: false, docvalue_fields: ["i"] })

/** Both requests of one query: the engine's own ranking by words, and the exact scores of all candidates by row. */
async function askTwice(engine: Engine, workspace: string, text: string, vector: Float32Array) {
  const groups = groupsOf(text)
  const visible = [{ term: { w: workspace } }]
  const words = groups.flatMap(({ terms, weight }) =>
    terms.map(term => ({ term: { t: { value: term, boost: weight } } })),
  )
  const [counts, byWords, byMeaning] = (await engine.searches(workspace, [
    {
      size: 0,
      track_total_hits: true,
      query: { bool: { filter: visible } },
      aggs: {
        n: { sum: { field: "n" } },
        groups: { filters: { filters: groups.map(({ terms }) => ({ terms: { t: terms } })) } },
      },
    },
    asked(BY_WORDS, { bool: { filter: visible, should: words, minimum_should_match: 1 } }),
    asked(BY_MEANING, meaning({ bool: { filter: visible } }, vector)),
  ])) as [Part, Part, Part]
  const total = counts.hits.total.value
  const parts = groups.map(({ terms, weight }, at) => {
    const found = counts.aggregations.groups.buckets[at]!.doc_count
    return { terms, part: weight * Math.log(1 + (total - found + 0.5) / (found + 0.5)) * (BM25.k1 + 1) }
  })
  const rows = [...new Set([...rowsOf(byWords), ...rowsOf(byMeaning)])]
  const candidates = { bool: { filter: [...visible, { terms: { i: rows } }] } }
  const params = { k1: BM25.k1, b: BM25.b, mean: counts.aggregations.n.value / total, groups: parts }
  const [exactWords, exactMeaning] = (await engine.searches(workspace, [
    asked(rows.length, { script_score: { query: candidates, script: { source: EXACT_WORDS, params } } }),
    asked(rows.length, meaning(candidates, vector)),
  ])) as [Part, Part]
  return { engineWords: rowsOf(byWords), words: exactWords.hits.hits, meaning: exactMeaning.hits.hits }
}

async function measure(engine: Engine, set: Collection, embedder: Embedder): Promise<void> {
  const vectors = await embedder.embed(set.documents, "passage")
  await engine.add(set, vectors)
  const reference = new ExactBm25(set.documents)
  const figures = { exact: [] as number[], engine: [] as number[], twoRequests: [] as number[] }
  const recalls = { exact: [] as number[], twoRequests: [] as number[] }
  let [strayWords, strayMeaning, leastHeld] = [0, 0, 1]
  Object.assign(engine, { bytes: 0, trips: 0 })
  for (const { text, relevant } of set.queries) {
    const [vector] = (await embedder.embed([text], "query")) as [Float32Array]
    const found = await askTwice(engine, set.name, text, vector)
    const { scores } = reference.query(text)
    const exact = ranked([...scores].map((score, row) => [score, row]))
    const rescored = ranked(found.words.map(({ _score, fields }) => [_score, fields.i[0]]))
    for (const { _score, fields } of found.words)
      strayWords = Math.max(strayWords, Math.abs(_score - scores[fields.i[0]]!) / Math.max(1, _score))
    for (const { _score, fields } of found.meaning)
      strayMeaning = Math.max(strayMeaning, Math.abs(productOf(_score) - product(vectors[fields.i[0]]!, vector)))
    const top = exact.slice(0, 100)
    leastHeld = Math.min(leastHeld, top.filter(row => found.engineWords.includes(row)).length / (top.length || 1))
    for (const [name, ranking] of Object.entries({ exact, engine: found.engineWords, twoRequests: rescored }))
      figures[name as keyof typeof figures].push(ndcg(ranking, relevant))
    recalls.exact.push(recall(exact, relevant))
    recalls.twoRequests.push(recall(rescored, relevant))
  }
  const shown = (values: Record<string, number[]>) =>
    Object.entries(values)
      .map(([name, all]) => `${name} ${mean(all).toFixed(4)}`)
      .join(" ")
  const queries = set.queries.length
  console.log(`${set.name}: nDCG@10 ${shown(figures)}; recall@100 ${shown(recalls)}`)
  console.log(
    `  scores stray ${strayWords.toExponential(1)} by words, ${strayMeaning.toExponential(1)} by meaning; first 100 held ≥ ${leastHeld.toFixed(3)};` +
      ` a query ${(engine.trips / queries).toFixed(1)} requests, ${(engine.bytes / queries / 1000).toFixed(0)} KB`,
  )
}

/** Rows with a score above 0, best first. */
const ranked = (scored: [score: number, row: number][]): number[] =>
  scored
    .filter(([score]) => score > 0)
    .sort(([a, rowA], [b, rowB]) => b - a || rowA - rowB)
    .map(([, row]) => row)

const product = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, at) => sum + value * b[at]!, 0)

const [url, directory, ...names] = process.argv.slice(2)
if (!url || !directory) throw new Error("usage: bun scripts/bench/opensearch.ts URL DIRECTORY [SET…]")
const embedder = await openBuiltInModel()
const engine = new Engine(url)
const [probe] = (await embedder.embed(["probe"], "passage")) as [Float32Array]
await engine.create(probe.length)
const wanted = names.length ? names : ["adi", "cacm", "cisi", "med", "xquad-de", "xquad-zh", "xquad-ar"]
for (const set of readAll(directory, wanted)) await measure(engine, set, embedder)
await embedder.close()
