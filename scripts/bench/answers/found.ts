/** What the library gives to each question of a set: the product's search over a library of its own, as chat asks it. */
import { wholeOf } from "../../../src/access/view.ts"
import type { Embedder, Grounding } from "../../../src/backends/backend.ts"
import { toSources } from "../../../src/grounding/passages.ts"
import { CHANCE } from "../../../src/search/relevance.ts"
import { Bench } from "../search-library.ts"
import { type AnswerDocument, type AnswerQuestion, type AnswerSet, paragraphsOf } from "./questions.ts"

/** Hits that chat asks for. */
const HITS = 10

export interface FoundPassages {
  question: AnswerQuestion
  grounding: Grounding
  /** Names of the passages' documents, in their order. */
  documents: string[]
}

export async function findAll(set: AnswerSet, embedder: Embedder, quality?: Embedder): Promise<FoundPassages[]> {
  const bench = await Bench.open(embedder, undefined, undefined, { quality })
  try {
    for (const document of set.documents) await bench.addDocument(document.name, contentsOf(document))
    await bench.upgraded()
    const all: FoundPassages[] = []
    for (const question of set.questions) {
      const asked = { view: wholeOf("ws"), query: question.text, limit: HITS, highlight: false, min_relevance: CHANCE }
      const sources = toSources((await bench.index.search(asked)).hits)
      const passages = sources.map(({ index, text, score }) => ({ index, text, score }))
      const grounding = { question: question.text, topic: "", passages }
      all.push({ question, grounding, documents: sources.map(({ file_id }) => file_id) })
    }
    return all
  } finally {
    await bench.close()
  }
}

const contentsOf = ({ title, isTable, lines }: AnswerDocument): string[] =>
  isTable ? [lines.join("\n")] : [title, ...paragraphsOf(lines)]
