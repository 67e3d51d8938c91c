/**
 * How surely a sentence answers a question: a logistic curve over what words, and vectors where there are any, say of both.
 * `scripts/train/answers/fit.ts` fits the weights to questions whose answers are known, and to others that near ones do not answer.
 */

import type { Grounding } from "./backend.ts"
import { shapesAsked } from "./question-kinds.ts"
import { formsIn, type LookedFor, lookedFor, shareOf, subjectWords, type WordForms } from "./question-words.ts"
import { isHeading, sentencesOf } from "./sentences.ts"

/** Unit vectors of texts, by the text. */
export type Vectors = ReadonlyMap<string, Float32Array>

export interface Candidate {
  /** Number of the passage. */
  index: number
  /** Place in the passage. */
  order: number
  text: string
  words: WordForms
  /** Log-odds. */
  score: number
}

/** What is weighed of each sentence; each lies about 0..1. */
export interface WordEvidence {
  /** Weight of the question's words that the sentence holds, and without those that name its passage in a heading. */
  held: number
  asked: number
  /** The same of what is asked where the sentence looks like an answer to its question word; whether it does not. */
  fitting: number
  unlike: number
  heading: number
  length: number
}

export interface MeaningEvidence extends WordEvidence {
  /** `asked`, with words that come near in meaning. */
  near: number
  /** Cosine of question and sentence. */
  cosine: number
}

type Weights<Evidence> = { [Name in keyof Evidence | "base"]: number }

export const BY_WORDS: Weights<WordEvidence> = {
  base: -1.71,
  held: 4.19,
  asked: 2.33,
  fitting: 1.63,
  unlike: -2.1,
  heading: -2.37,
  length: -0.45,
}

export const BY_MEANING: Weights<MeaningEvidence> = {
  base: -3.19,
  held: 0.41,
  asked: -1.3,
  fitting: 0.95,
  unlike: -1.95,
  heading: -2.35,
  length: 0.5,
  near: 5.04,
  cosine: 4.68,
}

/** Of a message: each is looked for in each sentence. */
const MAX_WORDS = 64
/** Weight of a word that only the conversation so far holds. */
const TOPIC_WEIGHT = 0.35
/** Where the heading holds the whole question, the sentences under it may answer or not. */
const NOTHING_ASKED = 0.5
/** Cosines of words below it mean nothing. */
const NEAR = 0.2

interface Sentence extends Omit<Candidate, "score"> {
  /** Folded. */
  list: string[]
  isHeading: boolean
  heading: WordForms
}

/** Every sentence of the passages with its evidence. */
export class EvidenceOf {
  readonly sentences: readonly Sentence[]
  private readonly asked = new Map<string, LookedFor & { weight: number }>()
  private readonly shapes: RegExp[]

  constructor(private readonly grounding: Grounding) {
    this.sentences = grounding.passages.flatMap(sentencesIn)
    this.shapes = shapesAsked(grounding.question)
    this.weigh(grounding.question, 1)
    // A question of function words alone ("and what about that?") lives from the topic.
    this.weigh(grounding.topic, this.asked.size === 0 ? 1 : TOPIC_WEIGHT)
  }

  /** Nothing is asked for. */
  get isEmpty(): boolean {
    return this.asked.size === 0
  }

  /** What vectors are needed of: the question comes first. */
  get texts(): string[] {
    const { question } = this.grounding
    const words = this.sentences.flatMap(({ list }) => list)
    return [...new Set([question, ...this.asked.keys(), ...this.sentences.map(({ text }) => text), ...words])]
  }

  words(sentence: Sentence): WordEvidence {
    const share = (word: LookedFor) => shareOf(word, sentence.words)
    const held = this.sum(share)
    const asked = this.sum(share, sentence.heading)
    const fits = this.shapes.some(shape => shape.test(sentence.text))
    return {
      held,
      asked,
      fitting: fits ? asked : 0,
      unlike: this.shapes.length > 0 && !fits ? 1 : 0,
      heading: sentence.isHeading ? 1 : 0,
      length: Math.log(1 + sentence.text.length) / 5,
    }
  }

  meaning(sentence: Sentence, vectors: Vectors): MeaningEvidence {
    const others = sentence.list.map(word => vectors.get(word)!)
    const nearest = (word: LookedFor) => {
      const own = vectors.get(word.word)!
      const cosine = others.reduce((best, other) => Math.max(best, dot(own, other)), 0)
      return Math.max(shareOf(word, sentence.words), (cosine - NEAR) / (1 - NEAR), 0)
    }
    return {
      ...this.words(sentence),
      near: this.sum(nearest, sentence.heading),
      cosine: dot(vectors.get(this.grounding.question)!, vectors.get(sentence.text)!),
    }
  }

  /** The share of the question's weight that is held, of its words that do not stand in the heading. */
  private sum(held: (word: LookedFor) => number, heading?: WordForms): number {
    let sum = 0
    let total = 0
    for (const word of this.asked.values()) {
      if (heading && shareOf(word, heading) === 1) continue
      total += word.weight
      sum += word.weight * held(word)
    }
    return total > 0 ? sum / total : NOTHING_ASKED
  }

  /** Rare words among the sentences weigh more; a word that stands in none weighs most, for the question hangs on it. */
  private weigh(text: string, factor: number): void {
    const words = subjectWords(text)
    // A question stands at the beginning of a long message or at its end.
    const looked = words.length > MAX_WORDS ? [...words.slice(0, MAX_WORDS / 2), ...words.slice(-MAX_WORDS / 2)] : words
    for (const word of looked) {
      if (this.asked.has(word)) continue
      const own = lookedFor(word)
      const among = this.sentences.filter(({ words }) => shareOf(own, words) === 1).length
      const weight = factor * Math.log(1 + (this.sentences.length + 1) / (among + 0.5))
      this.asked.set(word, { ...own, weight })
    }
  }
}

function sentencesIn({ index, text: passage }: Grounding["passages"][number]): Sentence[] {
  const texts = sentencesOf(passage)
  const headings = texts.filter(isHeading).join("\n")
  const heading = formsIn(subjectWords(headings), headings)
  return texts.map((text, order) => {
    const list = subjectWords(text)
    return { index, order, text, list, words: formsIn(list, text), isHeading: isHeading(text), heading }
  })
}

export function candidatesBy(evidence: EvidenceOf, vectors: Vectors | undefined): Candidate[] {
  if (evidence.isEmpty) return []
  return evidence.sentences.map(sentence => {
    const score = vectors
      ? weighed(BY_MEANING, evidence.meaning(sentence, vectors))
      : weighed(BY_WORDS, evidence.words(sentence))
    return { ...sentence, score }
  })
}

function weighed<Evidence extends WordEvidence>(weights: Weights<Evidence>, evidence: Evidence): number {
  let sum: number = weights.base
  for (const name in evidence) sum += weights[name] * (evidence[name] as number)
  return sum
}

export function dot(left: Float32Array, right: Float32Array): number {
  let sum = 0
  for (let at = 0; at < left.length; at++) sum += left[at]! * right[at]!
  return sum
}
