/**
 * How passages lie in OpenSearch: one index of words for all workspaces, and one index of vectors for each row of
 * `vector_tables`. A document is a passage, under its number; all documents of a workspace lie in one shard, which its id
 * routes to. Texts stay in the relational database: nothing here is stored, all of it is made anew from there.
 *
 * The engine is asked for candidates and for what they hold. Scores, statistics and visibility are Carrel's, so a document
 * says what these need: see `query-answerer.ts`.
 */

import { MAX_LENGTH } from "../keyword/bm25.ts"
import { GAIN } from "../keyword/document-gain.ts"
import { FIRST_UNSPACED, isSingleCharacter } from "../text/analyze.ts"
import { type LanguageCode, languageName } from "../text/language.ts"

export const wordsIndex = (prefix: string): string => `${prefix}-words`

/** `table`: of `vector_tables`. */
export const vectorsIndex = (prefix: string, table: string): string => `${prefix}-${table}`

/** The `_id` of a passage. Its routing is the id of its workspace. */
export const documentId = (passage: number): string => String(passage)

/** Of passages in no language that can be told. */
export const NO_LANGUAGE_TAG = "-"

/** Generations are filtered by a bitmap where they are many, whose numbers have 31 bits: two of one number are told apart by their passages. */
export const bitmapNumber = (generation: number): number => generation % 2 ** 31

/** The deepest page of a search, and what is fused before it. */
export const MAX_RESULTS = 1_100_000

export interface IndexSize {
  shards: number
  /** Beside the first. */
  copies: number
}

/** A passage as it is written. */
export interface IndexedPassage {
  workspaceId: string
  generation: number
  id: number
  /** Its place among the passages of its file, from 0, and how many these are. */
  ordinal: number
  passages: number
  /** `termsOf` its indexed text, by the scheme that `schemeOf` tells. */
  terms: string[]
  /** As `PassageLanguages` tells it. */
  language: LanguageCode
}

interface PassageFields {
  /** Workspace. */
  w: string
  /** Generation, and its `bitmapNumber`. */
  g: number
  b: number
  /** Number of the passage. */
  i: number
  /** ISO 639-1, or `NO_LANGUAGE_TAG`. */
  l: string
  /** Terms, blanks between them. */
  t: string
  /** Single characters of scripts without spaces, whose terms are pairs; each as often as `t` holds it. */
  c?: string
}

export interface WordsDocument extends PassageFields {
  /** Terms in the passage. */
  n: number
  /** The same times the number of passages in its surroundings, itself included: what these are long is told by both sums. */
  m: number
}

export interface VectorDocument extends PassageFields {
  /** Unit vector; left out where the model knows nothing of the text (zeros): such a passage is near to nothing. */
  v?: number[]
}

export function wordsDocument(passage: IndexedPassage): WordsDocument {
  const { terms, ordinal, passages } = passage
  const n = Math.min(MAX_LENGTH, terms.length)
  const surroundings = Math.min(ordinal, GAIN.reach) + 1 + Math.min(passages - 1 - ordinal, GAIN.reach)
  return { ...fieldsOf(passage, terms, charactersOf(terms)), n, m: n * surroundings }
}

/** Holds each term once: words are only conditions here, for a query such as `-draft`. */
export function vectorDocument(passage: IndexedPassage, vector: Float32Array): VectorDocument {
  const terms = new Set(passage.terms)
  const fields = fieldsOf(passage, [...terms], [...new Set(charactersOf(passage.terms))])
  return vector.some(value => value !== 0) ? { ...fields, v: Array.from(vector, rounded) } : fields
}

/**
 * A component of a unit vector as it is spelled. 8 digits are what 32 bits hold of it; all of the 17 that a number of 64 bits
 * has would double what is sent, and what the engine keeps of it for a while.
 */
const rounded = (component: number): number => Math.round(component * 1e8) / 1e8

function fieldsOf(
  { workspaceId, generation, id, language }: IndexedPassage,
  terms: string[],
  characters: string[],
): PassageFields {
  return {
    w: workspaceId,
    g: generation,
    b: bitmapNumber(generation),
    i: id,
    l: languageName(language) ?? NO_LANGUAGE_TAG,
    t: terms.join(" "),
    ...(characters.length ? { c: characters.join(" ") } : {}),
  }
}

/**
 * A character begins a pair wherever it does not end a word, and ends one wherever it does not begin a word: it stands in
 * a text as often as the more of both.
 */
function charactersOf(terms: string[]): string[] {
  const begins = new Map<string, number>()
  const ends = new Map<string, number>()
  const count = (counts: Map<string, number>, character: string | undefined) => {
    if (character !== undefined && isSingleCharacter(character)) counts.set(character, (counts.get(character) ?? 0) + 1)
  }
  for (const term of terms) {
    const [first, second, ...more] = term
    count(begins, first)
    // As `CharacterPairs` does, which looks through terms of these scripts alone: of `2000年` it does not know the last one.
    if (more.length === 0 && first! >= FIRST_UNSPACED) count(ends, second)
  }
  return [...new Set([...begins.keys(), ...ends.keys()])].flatMap(character =>
    Array.from({ length: Math.max(begins.get(character) ?? 0, ends.get(character) ?? 0) }, () => character),
  )
}

const SHARED = {
  w: { type: "keyword", doc_values: false },
  g: { type: "long" },
  b: { type: "integer" },
  i: { type: "long" },
  l: { type: "keyword", doc_values: false },
}
const NUMBER_READ = { type: "integer", index: false }

/** What creates the index of words. */
export function wordsIndexBody(size: IndexSize) {
  const terms = { type: "text", analyzer: "terms", index_options: "freqs" }
  return indexBody(size, {}, { ...SHARED, n: NUMBER_READ, m: NUMBER_READ, t: terms, c: terms })
}

/** What creates an index of vectors. */
export function vectorsIndexBody(size: IndexSize, dimension: number) {
  const terms = { type: "text", analyzer: "terms", index_options: "docs", norms: false }
  const parameters = { m: 16, ef_construction: 128 }
  const method = { name: "hnsw", engine: "lucene", space_type: "innerproduct", parameters }
  const v = { type: "knn_vector", dimension, method }
  return indexBody(size, { "index.knn": true }, { ...SHARED, t: terms, c: terms, v })
}

function indexBody({ shards, copies }: IndexSize, settings: object, properties: object) {
  return {
    settings: {
      number_of_shards: shards,
      number_of_replicas: copies,
      "index.replication.type": "DOCUMENT",
      "index.max_result_window": MAX_RESULTS,
      analysis: { analyzer: { terms: { type: "custom", tokenizer: "whitespace" } } },
      ...settings,
    },
    mappings: { dynamic: "strict", _source: { enabled: false }, _routing: { required: true }, properties },
  }
}
