/** Picks from passages the sentences that answer a question, word for word; none where none is sure enough. */
import type { Embedder, Grounding, MeaningModels } from "./backend.ts"
import { type Candidate, candidatesBy, dot, EvidenceOf, type Vectors } from "./evidence.ts"
import { isHeading } from "./sentences.ts"

export interface Quote {
  /** Number of the passage. */
  index: number
  /** Exactly as it stands in the passage, blanks at both ends aside. */
  text: string
}

const PARAMETERS = {
  /** Most sentences that one answer quotes. */
  maxQuotes: 3,
  /** A sentence is quoted beside the best one only if it is no more than this behind. */
  nearBest: 1,
  /** Share of words in common above which two sentences say the same. */
  sameness: 0.7,
  /** Sentences that the better model looks at for the nearest one, 4 CPU-ms each. */
  looked: 24,
  /** Deviations above the usual at which it finds one near. */
  near: 1.5,
  /** How long an answer waits for it. */
  patienceMs: 1_500,
  /** Longest quoted sentence in UTF-16 units; a longer one is cut at a word. */
  maxLength: 600,
}

/** What of the passages answers a question. */
export interface Answering {
  /** Those of the best passage first, in the order in which they stand there; none where none is sure enough. */
  quotes: Quote[]
  /** The best sentence, where none is sure enough and this one is not far from it. */
  nearest?: Quote
}

/** By words alone. */
export const bestSentences = (grounding: Grounding): Quote[] =>
  choose(candidatesBy(new EvidenceOf(grounding), undefined), LEAST.words).quotes

/** With embedding models, where there are some that do not fail: they know other words for the same thing. */
export async function answering(
  grounding: Grounding,
  { fast, quality }: MeaningModels,
  signal?: AbortSignal,
): Promise<Answering> {
  const evidence = new EvidenceOf(grounding)
  if (evidence.isEmpty || evidence.sentences.length === 0) return { quotes: [] }
  const vectors = fast && (await vectorsOf(evidence, fast, signal).catch(() => undefined))
  signal?.throwIfAborted()
  const candidates = candidatesBy(evidence, vectors)
  const answer = choose(candidates, vectors ? LEAST.meaning : LEAST.words)
  if (answer.quotes.length > 0 || !quality) return answer
  const nearest = await nearestOf(grounding.question, candidates, quality, signal)
  signal?.throwIfAborted()
  return nearest ? { ...answer, nearest: quoteOf(nearest) } : answer
}

/**
 * Of the first candidates the one that the better model finds nearest; undefined where it is not near, and where the model
 * takes too long, fails, or says nothing of its usual cosines. It does not decide what is sure enough: of questions that nothing answers it let more through than
 * it answered of those in other words.
 */
async function nearestOf(
  question: string,
  candidates: readonly Candidate[],
  quality: Pick<Embedder, "embed" | "cosines">,
  signal: AbortSignal | undefined,
): Promise<Candidate | undefined> {
  if (!quality.cosines) return undefined
  const { mean, deviation } = quality.cosines
  const first = candidates
    .toSorted(bestFirst)
    .filter(({ text }) => !isHeading(text))
    .slice(0, PARAMETERS.looked)
  const late = AbortSignal.timeout(PARAMETERS.patienceMs)
  const stop = signal ? AbortSignal.any([signal, late]) : late
  const texts = first.map(({ text }) => clip(text))
  const asked = [quality.embed([question], "query", stop), quality.embed(texts, "passage", stop)] as const
  const [[own], vectors] = await Promise.all(asked).catch(() => [[], []])
  if (!own || vectors.length === 0) return undefined
  const cosines = vectors.map(vector => dot(own, vector))
  const best = Math.max(...cosines)
  return (best - mean) / deviation < PARAMETERS.near ? undefined : first[cosines.indexOf(best)]
}

/** Log-odds of a sentence that answers, and of one that comes near. 95 % of what no sentence answers lies below the former. */
const LEAST = { words: { sure: 1.5, near: -0.8 }, meaning: { sure: 1.9, near: -0.9 } } as const

export async function vectorsOf(
  { texts }: EvidenceOf,
  embedder: Pick<Embedder, "embed">,
  signal?: AbortSignal,
): Promise<Vectors> {
  const vectors = await embedder.embed(texts, "passage", signal)
  return new Map(texts.map((text, at) => [text, vectors[at]!]))
}

const bestFirst = (left: Candidate, right: Candidate): number => right.score - left.score || left.index - right.index

function choose(candidates: Candidate[], { sure, near }: { sure: number; near: number }): Answering {
  const ranked = candidates.toSorted(bestFirst)
  const [first] = ranked
  const best = first?.score ?? Number.NEGATIVE_INFINITY
  if (!first || best < near) return { quotes: [] }
  if (best < sure) return { quotes: [], nearest: quoteOf(first) }
  const chosen: Candidate[] = []
  for (const candidate of ranked) {
    if (chosen.length === PARAMETERS.maxQuotes || candidate.score < best - PARAMETERS.nearBest) break
    if (!chosen.some(other => overlap(other, candidate) >= PARAMETERS.sameness)) chosen.push(candidate)
  }
  const rankOf = new Map([...new Set(chosen.map(({ index }) => index))].map((index, rank) => [index, rank]))
  const quotes = chosen
    .sort((left, right) => rankOf.get(left.index)! - rankOf.get(right.index)! || left.order - right.order)
    .map(quoteOf)
  return { quotes }
}

const quoteOf = ({ index, text }: Candidate): Quote => ({ index, text: clip(text) })

function overlap({ words: { forms: left } }: Candidate, { words: { forms: right } }: Candidate): number {
  let common = 0
  for (const term of left) if (right.has(term)) common++
  return common / Math.max(1, Math.min(left.size, right.size))
}

function clip(text: string): string {
  if (text.length <= PARAMETERS.maxLength) return text
  const cut = text.slice(0, PARAMETERS.maxLength)
  return cut.slice(0, Math.max(cut.lastIndexOf(" "), PARAMETERS.maxLength / 2))
}
