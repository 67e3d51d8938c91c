/** Test collections in BEIR layout and the project's own office questions, with the usual measures. */
import { existsSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"

export interface Query {
  text: string
  /** Index into `documents` → grade above 0. */
  relevant: Map<number, number>
}

export interface Collection {
  name: string
  documents: string[]
  /** Of the documents, in their order; empty where there is none. */
  titles: string[]
  queries: Query[]
}

interface OfficeRow {
  text: string
  paraphrase: string
  literal: string
}

/** A folder with `corpus.jsonl`, `queries.jsonl`, `qrels.tsv`. Queries without a relevant document are left out. */
export function readBeir(directory: string): Collection {
  const corpus = readLines(join(directory, "corpus.jsonl")) as { _id: string; title?: string; text?: string }[]
  const queries = readLines(join(directory, "queries.jsonl")) as { _id: string; text: string }[]
  const row = new Map(corpus.map(({ _id }, index) => [_id, index]))
  const relevant = new Map<string, Map<number, number>>()
  for (const line of readFileSync(join(directory, "qrels.tsv"), "utf8").split("\n").slice(1)) {
    const [query = "", document = "", grade = "0"] = line.trim().split("\t")
    const index = row.get(document)
    if (index === undefined || Number(grade) <= 0) continue
    if (!relevant.has(query)) relevant.set(query, new Map())
    relevant.get(query)!.set(index, Number(grade))
  }
  return {
    name: basename(directory),
    documents: corpus.map(({ title, text }) => `${title ?? ""} ${text ?? ""}`.trim()),
    titles: corpus.map(({ title }) => title ?? ""),
    queries: queries.flatMap(({ _id, text }) => (relevant.has(_id) ? [{ text, relevant: relevant.get(_id)! }] : [])),
  }
}

/** `test/fixtures/search/office.jsonl` twice: asked in other words than the passage's, and in its own words. */
export function readOffice(path: string): Collection[] {
  const rows = readLines(path) as OfficeRow[]
  const documents = rows.map(({ text }) => text)
  const titles = rows.map(() => "")
  const asked = (field: "paraphrase" | "literal") =>
    rows.map((row, index) => ({ text: row[field], relevant: new Map([[index, 1]]) }))
  return [
    { name: "office", documents, titles, queries: asked("paraphrase") },
    { name: "office-literal", documents, titles, queries: asked("literal") },
  ]
}

/** All collections below `root` that exist among `names`. */
export function readAll(root: string, names: string[]): Collection[] {
  return names.filter(name => existsSync(join(root, name))).map(name => readBeir(join(root, name)))
}

function readLines(path: string): unknown[] {
  const lines = readFileSync(path, "utf8").split("\n")
  return lines.filter(line => line).map(line => JSON.parse(line))
}

/** Normalised discounted cumulative gain with gains of 2^grade − 1. */
export function ndcg(ranking: number[], relevant: Query["relevant"], depth = 10): number {
  const gain = (grade: number, at: number) => (2 ** grade - 1) / Math.log2(at + 2)
  const found = ranking.slice(0, depth).reduce((sum, id, at) => sum + gain(relevant.get(id) ?? 0, at), 0)
  const best = [...relevant.values()].sort((a, b) => b - a).slice(0, depth)
  return found / best.reduce((sum, grade, at) => sum + gain(grade, at), 0)
}

export function recall(ranking: number[], relevant: Query["relevant"], depth = 100): number {
  return ranking.slice(0, depth).filter(id => relevant.has(id)).length / relevant.size
}

/** One over the rank of the first relevant document within `depth`, else 0. */
export function reciprocalRank(ranking: number[], relevant: Query["relevant"], depth = 10): number {
  const at = ranking.slice(0, depth).findIndex(id => relevant.has(id))
  return at < 0 ? 0 : 1 / (at + 1)
}

export const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
