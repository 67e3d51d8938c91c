/** How an answer is judged, by what it says and cites: the answer's text and line are known. Pure. */
import type { AnswerQuestion, QuestionKind } from "./questions.ts"

/** What came back. */
export interface GivenAnswer {
  text: string
  /** What the text cites, each once. */
  cited: { index: number; document: string; text: string }[]
  ms: number
}

export interface Judgement {
  kind: QuestionKind
  /** Says that the library does not answer, perhaps with what comes nearest. */
  refused: boolean
  /** Says that no language model is connected, or that this is none. */
  introduced: boolean
  /** Holds the answer, and cites a passage with the line that gives it. Of a refusal: what it names as nearest. */
  holdsAnswer: boolean
  citesRight: boolean
  /** Passages that are cited, and those among them that hold the line. */
  citations: number
  rightCitations: number
  /** Sentences before a mark, and those among them that stand word for word in the passage that they cite. */
  quotes: number
  faithful: number
  ms: number
}

const REFUSAL =
  /^(?:The library holds nothing|Die Bibliothek enthält nichts|La bibliothèque ne contient rien|La biblioteca no contiene nada|资料库中没有|لا تحتوي المكتبة)|(?:does not|doesn't|do not|no) (?:contain|mention|provide|answer|have|hold|information)/i
const INTRODUCTION = /no language model/i

export function judge(question: AnswerQuestion, { text, cited, ms }: GivenAnswer): Judgement {
  const { kind, answer, line, document } = question
  const right = cited.filter(each => line !== "" && each.document === document && bare(each.text).includes(bare(line)))
  const quotes = quotesIn(text)
  const textOf = new Map(cited.map(each => [each.index, plain(each.text)]))
  return {
    kind,
    refused: REFUSAL.test(text),
    introduced: INTRODUCTION.test(text),
    holdsAnswer: answer !== "" && text.includes(answer),
    citesRight: right.length > 0 || (kind === "whole" && cited.some(each => each.document === document)),
    citations: cited.length,
    rightCitations: right.length,
    quotes: quotes.length,
    faithful: quotes.filter(({ index, said }) => textOf.get(index)?.includes(said)).length,
    ms,
  }
}

/** What stands before each mark since the one before it, or since the paragraph began. */
function quotesIn(text: string): { index: number; said: string }[] {
  return text.split(/\n\s*\n/).flatMap(paragraph => {
    const parts = paragraph.split(/\[(\d+)\]/)
    return parts.flatMap((part, at) => {
      if (at % 2 === 1 || at + 1 >= parts.length) return []
      const said = plain(part).replace(/^[.,;\s]+/, "")
      return said ? [{ index: Number(parts[at + 1]), said }] : []
    })
  })
}

/** Cells of a row are set apart otherwise in a passage than in the file. */
const bare = (text: string): string => text.replace(/[\s,;|]+/g, " ").trim()

const plain = (text: string): string => text.replace(/\s+/g, " ").trim()

export interface Scores {
  questions: number
  /** Shares of the questions, 0..1. */
  answered: number
  refused: number
  introduced: number
  citesRight: number
  holdsAnswer: number
  /** Refused, and what is named as nearest holds the answer. */
  nearestRight: number
  /** Of citations, of quotes. */
  precision: number
  faithful: number
  medianMs: number
}

export function scoresOf(judged: readonly Judgement[]): Scores {
  const share = (is: (each: Judgement) => boolean) => ratio(judged.filter(is).length, judged.length)
  const sum = (of: (each: Judgement) => number) => judged.reduce((total, each) => total + of(each), 0)
  const given = judged.filter(({ refused }) => !refused)
  const citations = given.reduce((total, each) => total + each.citations, 0)
  return {
    questions: judged.length,
    answered: share(each => !each.refused && each.holdsAnswer && each.citesRight),
    refused: share(each => each.refused),
    introduced: share(each => each.introduced),
    citesRight: share(each => !each.refused && each.citesRight),
    holdsAnswer: share(each => !each.refused && each.holdsAnswer),
    nearestRight: share(each => each.refused && each.holdsAnswer && each.citesRight),
    precision: ratio(
      given.reduce((total, each) => total + each.rightCitations, 0),
      citations,
    ),
    faithful: ratio(
      sum(each => each.faithful),
      sum(each => each.quotes),
    ),
    medianMs: judged.map(({ ms }) => ms).sort((a, b) => a - b)[judged.length >> 1] ?? 0,
  }
}

const ratio = (part: number, whole: number): number => (whole > 0 ? Math.round((1000 * part) / whole) / 1000 : 1)
