/**
 * Fits the weights of `src/search/relevance.ts` to libraries of questions and answers, and prints them beside those that
 * stand there. Of each file a library of its own size is made; a third of its questions have no answer there, and some
 * queries are random letters.
 *
 *   bun scripts/train/relevance/fit.ts FILE.jsonl[.zst]…   lines of ["question", "answer"]; one question may have several
 */

import { readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { wholeOf } from "../../../src/access/view.ts"
import type { Embedder } from "../../../src/backends/backend.ts"
import { queryEvidence, rank, traitsOf } from "../../../src/search/answer.ts"
import { KeywordIndex } from "../../../src/search/keyword/keyword-index.ts"
import { KeywordStore } from "../../../src/search/keyword/keyword-store.ts"
import { askedOf } from "../../../src/search/query-vector.ts"
import { BOTH, featuresIn, WORDS } from "../../../src/search/relevance.ts"
import { parseQuery } from "../../../src/search/text/query.ts"
import { StoredTexts } from "../../../src/search/text/stored-texts.ts"
import { QueryAnswerer } from "../../../src/search/thread/query-answerer.ts"
import { VectorSets } from "../../../src/search/vector/vector-sets.ts"
import { argumentsLeft, openBuiltInModel } from "../../bench/built-in-model.ts"
import { randomWords, seeded } from "../../bench/random.ts"
import { Bench } from "../../bench/search-library.ts"

/** Passages of the smallest and the largest library; the others lie between, each larger by the same factor. */
const SIZES = { least: 8, most: 1700 }
const QUESTIONS = 240
const NONSENSE = 30
const HITS = 10
const DEPTH = 100
const PASSAGE_CHARACTERS = { least: 80, most: 1200 }
/** Keeps the weights of features that say the same apart from each other. */
const RIDGE = 1e-3
const ROUNDS = 50

interface Example {
  features: Record<string, number>
  right: boolean
}

interface Question {
  text: string
  /** All that are right: passages of one section share its title. */
  answers: string[]
}

function readQuestions(path: string): Question[] {
  const bytes = readFileSync(path)
  const text = new TextDecoder().decode(path.endsWith(".zst") ? Bun.zstdDecompressSync(bytes) : bytes)
  const questions = new Map<string, Set<string>>()
  for (const line of text.split("\n").filter(Boolean)) {
    const [question, answer] = JSON.parse(line) as [string, string]
    const { length } = answer
    if (length < PASSAGE_CHARACTERS.least || length > PASSAGE_CHARACTERS.most || !/\s/.test(question)) continue
    questions.set(question, (questions.get(question) ?? new Set()).add(answer))
  }
  return [...questions].map(([text, answers]) => ({ text, answers: [...answers] }))
}

/** About `size` answers, and questions of which a third have theirs elsewhere. */
function draw(all: Question[], size: number): { held: string[]; questions: Question[] } {
  const next = seeded(size)
  const drawn = all.map(question => ({ question, at: next() })).sort((a, b) => a.at - b.at)
  const held: string[] = []
  const asked: Question[] = []
  for (const { question } of drawn) {
    if (held.length >= size) break
    held.push(...question.answers)
    asked.push(question)
  }
  const own = asked.slice(0, QUESTIONS)
  const others = drawn.slice(asked.length, asked.length + Math.ceil(own.length / 2)).map(({ question }) => question)
  const nonsense = randomWords(size, NONSENSE).map(text => ({ text, answers: [] }))
  return { held, questions: [...own, ...others, ...nonsense] }
}

async function* examplesOf(
  all: Question[],
  size: number,
  embedder: Embedder,
): AsyncGenerator<[curve: string, Example]> {
  const { held, questions } = draw(all, size)
  const bench = await Bench.open(embedder)
  await bench.addFile("file_set", held)
  const rows = await bench.db.selectFrom("chunks").select(["id", "text"]).orderBy("id").execute()
  const queries = openQueries(bench.directory, rows, await embedder.embed(held, "passage"))
  const textOf = new Map(rows.map(({ id, text }) => [id, text]))
  for (const { text, answers } of questions) {
    const isRight = (id: number) => answers.includes(textOf.get(id)!)
    const values = (await embedder.embed([text], "query"))[0]!
    yield* hitsOf(queries, text, { mode: "hybrid", values, embedder }, isRight)
    yield* hitsOf(queries, text, { mode: "keyword" }, isRight)
  }
  await bench.close()
}

type How = { mode: "keyword" } | { mode: "hybrid"; values: Float32Array; embedder: Embedder }

/** The best hits of a query, with what speaks for each. */
function* hitsOf(
  queries: QueryAnswerer,
  text: string,
  how: How,
  isRight: (id: number) => boolean,
): Generator<[curve: string, Example]> {
  const { mode } = how
  const embedder = how.mode === "hybrid" ? how.embedder : undefined
  const model = { tier: "fast", table: "t" } as const
  const vectors =
    how.mode === "hybrid" ? [askedOf({ model: { ...model, embedder: how.embedder }, values: how.values })] : []
  const found = queries.search({
    view: wholeOf("ws"),
    query: parseQuery(text),
    mode,
    depth: DEPTH,
    vectors,
    tables: {},
  })
  const traits = traitsOf(embedder)
  const featuresOf = featuresIn(queryEvidence(found, traits))
  const place = new Map(Array.from(found.candidates.ids, (id, i) => [id, i]))
  for (const { id } of rank(mode, found, traits).list.slice(0, HITS)) {
    const i = place.get(id)
    if (i === undefined) continue
    const { keyword } = found.ground
    const { cosine, rare } = found.candidates
    const features = featuresOf({ keyword: keyword[i]!, cosine: cosine[i]!, rare: rare[i]! })
    for (const [curve, each] of Object.entries(features ?? {}))
      yield [curve, { features: { ...each }, right: isRight(id) }]
  }
}

/** Search over the stores of a directory, in this thread. */
function openQueries(directory: string, rows: { id: number }[], vectors: Float32Array[]): QueryAnswerer {
  const sets = new VectorSets(directory)
  sets.begin("fast", "t", vectors[0]!.length)
  vectors.forEach((vector, i) => {
    sets.add("t", Float64Array.of(rows[i]!.id), vector)
  })
  sets.swap("t")
  const keyword = new KeywordIndex(new KeywordStore(join(directory, "keyword.db")))
  return new QueryAnswerer(keyword, sets, new StoredTexts(directory))
}

/** Logistic regression by Newton's method. @returns the weights in the order of `names`, which `base` is the first of */
function fit(names: string[], examples: Example[]): number[] {
  const rows = examples.map(({ features }) => names.map(name => (name === "base" ? 1 : features[name]!)))
  const weights = names.map(() => 0)
  for (let round = 0; round < ROUNDS; round++) {
    const gradient = weights.map((weight, i) => -RIDGE * weight * (i === 0 ? 0 : 1))
    const curvature = names.map((_, i) => names.map((_, j) => (i === j ? RIDGE : 0)))
    rows.forEach((row, at) => {
      const said = 1 / (1 + Math.exp(-row.reduce((sum, value, i) => sum + value * weights[i]!, 0)))
      const off = (examples[at]!.right ? 1 : 0) - said
      for (let i = 0; i < row.length; i++) {
        gradient[i]! += off * row[i]!
        for (let j = 0; j < row.length; j++) curvature[i]![j]! += said * (1 - said) * row[i]! * row[j]!
      }
    })
    const step = solve(curvature, gradient)
    step.forEach((by, i) => {
      weights[i]! += by
    })
    if (Math.max(...step.map(Math.abs)) < 1e-6) break
  }
  return weights
}

/** Mean surprise of what is right and wrong, in nats: what the fit makes least. */
function loss(names: string[], examples: Example[], weights: number[]): number {
  const losses = examples.map(({ features, right }) => {
    const sum = names.reduce((all, name, i) => all + weights[i]! * (name === "base" ? 1 : features[name]!), 0)
    return Math.log1p(Math.exp(right ? -sum : sum))
  })
  return losses.reduce((all, each) => all + each, 0) / losses.length
}

/** Gauss–Jordan elimination with the largest pivot. */
function solve(matrix: number[][], right: number[]): number[] {
  const rows = matrix.map((row, i) => [...row, right[i]!])
  for (let at = 0; at < rows.length; at++) {
    const pivot = rows.slice(at).reduce((best, row) => (Math.abs(row[at]!) > Math.abs(best[at]!) ? row : best))
    rows.splice(rows.indexOf(pivot), 1, rows[at]!)
    rows[at] = pivot
    for (const row of rows) {
      const factor = row === pivot ? 0 : row[at]! / pivot[at]!
      if (factor !== 0) for (let i = at; i < row.length; i++) row[i]! -= factor * pivot[i]!
    }
  }
  return rows.map((row, i) => row.at(-1)! / row[i]!)
}

const files = argumentsLeft()
if (files.length === 0) {
  console.error("usage: fit.ts FILE.jsonl[.zst]…")
  process.exit(2)
}
const embedder = await openBuiltInModel()
const examples: Record<string, Example[]> = { words: [], both: [] }
for (const [i, path] of files.entries()) {
  const size = Math.round(SIZES.least * (SIZES.most / SIZES.least) ** (i / Math.max(1, files.length - 1)))
  for await (const [curve, example] of examplesOf(readQuestions(path), size, embedder)) examples[curve]!.push(example)
  console.log(`${basename(path)}: ${size} passages`)
}
for (const [curve, present] of Object.entries({ words: WORDS, both: BOTH })) {
  const names = Object.keys(present)
  const weights = fit(names, examples[curve]!)
  const right = examples[curve]!.filter(each => each.right).length
  const losses = [weights, Object.values(present)].map(each => loss(names, examples[curve]!, each).toFixed(4))
  console.log(`\n${curve}: ${examples[curve]!.length} hits, ${right} right; loss ${losses[0]} (${losses[1]})`)
  names.forEach((name, i) => {
    console.log(`  ${name.padEnd(10)}${weights[i]!.toFixed(3).padStart(8)}  (${Object.values(present)[i]})`)
  })
}
await embedder.close()
process.exit(0)
