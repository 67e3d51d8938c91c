/** The page of hits that a caller sees: texts, highlights, positions of what was found. */
import { dot } from "../../backends/evidence.ts"
import type { Database } from "../../storage/database.ts"
import type { SectionStart } from "../../storage/document.ts"
import { explainer, type Ranked } from "../answer.ts"
import type { QueryVector } from "../query-vector.ts"
import { formsOf } from "../text/analyze.ts"
import type { WorkerAnswer } from "../thread/worker-messages.ts"
import type { Hit, SearchRequest } from "../types.ts"
import { QueryWords, sectionAt, sectionTexts } from "./best-place.ts"
import { Highlighter } from "./highlight.ts"
import { livePassages } from "./passages.ts"

/** Sections whose vectors are made to tell which one a hit is about: as many as one request of a model takes. */
const MAX_SECTIONS_BY_MEANING = 32

/** A hit whose passage joins sections and holds no word of the query. */
interface WordlessHit {
  hit: Hit
  sections: SectionStart[]
}

interface Page {
  hits: Hit[]
  /** A passage of the page was replaced or removed since it was found. */
  passedOver: boolean
}

export interface PageQuery {
  request: SearchRequest
  list: Ranked[]
  answer: WorkerAnswer
  /** What the reranking model said of passages, by their numbers; absent where it was not to be asked. */
  reranked?: ReadonlyMap<number, number>
  /** Names the sections of passages without a word of the query, where it means something. */
  vector: QueryVector | undefined
}

/** The hits of one page of the list. */
export async function readPage(db: Database, query: PageQuery, signal: AbortSignal | undefined): Promise<Page> {
  const { request, list, answer, vector } = query
  const { view, limit, offset = 0, highlight = true, explain = false } = request
  const highlighter = highlight ? new Highlighter(answer.weights.flatMap(({ terms }) => terms)) : undefined
  const places = explain ? explainer(answer, query.reranked) : undefined
  const spelt = explain ? answer.corrections.flatMap(({ tried }) => tried.map(readsAs)) : []
  const words = new QueryWords(answer.weights)
  const wordless: WordlessHit[] = []
  const hits: Hit[] = []
  let passedOver = false
  for (let from = offset; from < list.length && hits.length < limit; ) {
    const part = list.slice(from, from + limit - hits.length)
    from += part.length
    const ids = part.map(({ id }) => id)
    const passages = await livePassages(db, view, ids)
    for (const { id, score, relevance } of part) {
      const passage = passages.get(id)
      if (!passage) {
        passedOver = true
        continue
      }
      const { text, file, position, sections } = passage
      const at = sections && words.bestSentence(text)
      if (sections && at !== undefined) position.section = sectionAt(sections, at)
      const highlights = highlighter?.find(text) ?? []
      const corrected = spelt.flatMap(({ word, standsIn }) => (standsIn(text) ? [word] : []))
      const scores = places ? { scores: { ...places(id), ...(corrected.length ? { corrected } : {}) } } : {}
      const hit: Hit = { id: passage.id, score, relevance, text, highlights, file, position, ...scores }
      hits.push(hit)
      if (sections && at === undefined) wordless.push({ hit, sections })
    }
  }
  if (vector) await placeByMeaning(wordless, vector, signal)
  return { hits, passedOver }
}

/** Tells whether a corrected word stands in a text, in any form. */
function readsAs(word: string): { word: string; standsIn: (text: string) => boolean } {
  const highlighter = new Highlighter(formsOf(word).flat())
  return { word, standsIn: text => highlighter.find(text).length > 0 }
}

/** Names the nearest section of passages that hold no word of the query. A model that fails costs this alone. */
async function placeByMeaning(
  joined: WordlessHit[],
  { model, values }: QueryVector,
  signal: AbortSignal | undefined,
): Promise<void> {
  const few: WordlessHit[] = []
  let count = 0
  for (const each of joined) {
    count += each.sections.length
    if (count > MAX_SECTIONS_BY_MEANING) break
    few.push(each)
  }
  if (few.length === 0) return
  const texts = few.flatMap(({ hit, sections }) => sectionTexts(hit.text, sections))
  const vectors = await model.embedder.embed(texts, "passage", signal).catch(error => {
    if (signal?.aborted) throw error
    return undefined
  })
  if (!vectors) return
  let next = 0
  for (const { hit, sections } of few) {
    const nearness = sections.map(() => dot(values, vectors[next++]!))
    const best = nearness.indexOf(Math.max(...nearness))
    hit.position.section = sections[best]![1]
  }
}
