/** Picks from passages the sentences that answer a question, by the words that they share with it. Pure. */
import type { Grounding } from "./backend.ts"

export interface Quote {
  /** Number of the passage. */
  index: number
  /** Exactly as it stands in the passage, blanks at both ends aside. */
  text: string
}

const PARAMETERS = {
  /** Most sentences that one answer quotes. */
  maxQuotes: 4,
  /** Share of the question's weight that a passage must cover to be quoted at all: below it, it speaks of something else. */
  minPassageCover: 0.3,
  /** The same for a sentence. */
  minSentenceCover: 0.2,
  /** A sentence is quoted beside the best one only if it scores at least this share of it. */
  keepNearBest: 0.6,
  /** Weight of the passage's cover, and of its search score, beside the sentence's own. */
  passageShare: 0.35,
  hitShare: 0.15,
  /** Weight of a word that only the conversation so far holds. */
  topicWeight: 0.35,
  /** What a heading is worth beside a sentence of the same words. */
  headingShare: 0.5,
  /** Share of words in common above which two sentences say the same. */
  sameness: 0.7,
  /** Longest quoted sentence in UTF-16 units; a longer one is cut at a word. */
  maxLength: 600,
}

const STOP = new Set(
  `a about after all also am an and any are as at be been before being both but by can could did do does done during each
either ever every for from further get give given gives had has have having he her here hers him his how i if in into is it
its just like made make many may me might more most much must my no nor not of off often on once one only or other our out over own per
please said say says shall she should so some such tell than that the their them then there these they this those through
to too under until up upon us very was we were what whats when where whether which while who whom whose why will with would
you your explain describe show find list know mean means regarding
der die das und ist ein eine einen wie was wer wann wo warum den dem des im in zu für von mit auf
le la les un une des et est que qui quoi quand où comment pourquoi dans pour sur avec du au aux
el los las una unos y es qué quién cuándo dónde cómo por para con del`.split(/\s+/),
)

/** Question words that ask for a kind of thing, and what such a thing looks like in a sentence. */
const EXPECTED: [RegExp, RegExp][] = [
  [
    /\bhow (much|many|long|far|old|heavy|high|large|big|fast|often)\b|\bwhat (percentage|number|amount|price|cost)\b/i,
    /\p{N}|\b(one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|every|daily|weekly|monthly|yearly|once|twice)\b/iu,
  ],
  [
    /\bwhen\b|\bwhat (year|date|day|month|time)\b/i,
    /\p{N}|\b(monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december|morning|evening|noon|spring|summer|autumn|winter|days?|weeks?|months?|years?|until|before|after)\b/iu,
  ],
  [/\bwho\b|\bwhose\b|\bwhom\b/i, /\p{Lu}\p{Ll}+/u],
]

interface Candidate extends Quote {
  /** Place in the passage. */
  order: number
  terms: Set<string>
  score: number
}

/** @returns the best sentences, those of the best passage first, in the order in which they stand there */
export function bestSentences({ question, topic, passages }: Grounding): Quote[] {
  const wanted = weigh(question, topic, passages)
  const total = [...wanted.values()].reduce((sum, weight) => sum + weight, 0)
  if (total === 0) return []
  const expected = EXPECTED.filter(([asks]) => asks.test(question)).map(([, shape]) => shape)
  const candidates: Candidate[] = []
  for (const passage of passages) {
    const passageCover = cover(new Set(termsOf(passage.text)), wanted) / total
    if (passageCover < PARAMETERS.minPassageCover) continue
    for (const [order, text] of sentencesOf(passage.text).entries()) {
      const terms = new Set(termsOf(text))
      const own = cover(terms, wanted) / total
      if (own < PARAMETERS.minSentenceCover) continue
      const fits = expected.some(shape => shape.test(text)) ? 0.1 : 0
      const bonus = passageCover * PARAMETERS.passageShare + passage.score * PARAMETERS.hitShare + fits
      const share = isHeading(text, terms) ? PARAMETERS.headingShare : 1
      candidates.push({ index: passage.index, text, order, terms, score: own * (1 + bonus) * share })
    }
  }
  return choose(candidates)
}

function choose(candidates: Candidate[]): Quote[] {
  const ranked = candidates.sort((left, right) => right.score - left.score || left.index - right.index)
  const best = ranked[0]?.score ?? 0
  const chosen: Candidate[] = []
  for (const candidate of ranked) {
    if (chosen.length === PARAMETERS.maxQuotes || candidate.score < best * PARAMETERS.keepNearBest) break
    if (!chosen.some(other => overlap(other.terms, candidate.terms) >= PARAMETERS.sameness)) chosen.push(candidate)
  }
  const rankOf = new Map([...new Set(chosen.map(({ index }) => index))].map((index, rank) => [index, rank]))
  return chosen
    .sort((left, right) => rankOf.get(left.index)! - rankOf.get(right.index)! || left.order - right.order)
    .map(({ index, text }) => ({ index, text: clip(text) }))
}

/** Rare words among the passages weigh more; a word that stands in none weighs most, for the question hangs on it. */
function weigh(question: string, topic: string, passages: Grounding["passages"]): Map<string, number> {
  const sets = passages.map(({ text }) => new Set(termsOf(text)))
  const weights = new Map<string, number>()
  const add = (text: string, factor: number) => {
    for (const term of termsOf(text)) {
      if (weights.has(term)) continue
      const among = sets.filter(set => set.has(term)).length
      weights.set(term, factor * Math.log(1 + (passages.length + 1) / (among + 0.5)))
    }
  }
  add(question, 1)
  // A question of stop words alone ("and what about that?") lives from the topic.
  add(topic, weights.size === 0 ? 1 : PARAMETERS.topicWeight)
  return weights
}

function cover(terms: Set<string>, wanted: Map<string, number>): number {
  let sum = 0
  for (const [term, weight] of wanted) if (terms.has(term)) sum += weight
  return sum
}

function overlap(left: Set<string>, right: Set<string>): number {
  let common = 0
  for (const term of left) if (right.has(term)) common++
  return common / Math.max(1, Math.min(left.size, right.size))
}

const UNSPACED = /[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/u

/** Comparable forms of the words that carry meaning; pairs of characters for scripts without spaces. */
export function termsOf(text: string): string[] {
  const folded = text
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFC")
    .toLowerCase()
  return (folded.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []).flatMap(word => {
    if (UNSPACED.test(word)) return pairs(word)
    return STOP.has(word) ? [] : [stem(word)]
  })
}

function pairs(word: string): string[] {
  const characters = [...word]
  return characters.length === 1 ? characters : characters.slice(1).map((second, i) => characters[i]! + second)
}

/** Cuts common endings, so that `primed`, `priming` and `primes` meet; wrong for rare words, which costs little here. */
function stem(word: string): string {
  if (word.length <= 3 || /\p{N}/u.test(word)) return word
  const cut = word
    .replace(/(?:ies|ied)$/, "y")
    .replace(/(?:ations?|ating|ated)$/, "at")
    .replace(/(?:ingly|edly|ings?|ed|es|ly|s)$/, "")
    .replace(/(.)\1$/, "$1")
    .replace(/[ey]$/, "")
  return cut.length >= 3 ? cut : word
}

/** Ends of sentences: punctuation before a blank, an empty line, a line break. A few quotes and brackets may close it. */
const ENDS = /(?<=[.!?]["'”’)\]]{0,6})\s+|(?<=[。！？]["'”’)\]]{0,6})\s*|\n\s*\n|\n/gu
/** "Dr. Hale" and "No. 7" are no ends. */
const ABBREVIATION = /(?:\b(?:dr|mr|mrs|ms|no|nr|st|vs|etc|e\.g|i\.e|approx|fig|art|sec)|\b\p{Lu})\.$/iu

/** What of a sentence tells whether it goes on: one of many abbreviations would be looked at again for each. */
const LOOK_BACK = 400

/** Sentences, list items and table rows, each exactly as it stands in the text. */
export const sentencesOf = (text: string): string[] =>
  sentenceSpans(text).map(({ start, end }) => text.slice(start, end))

/** Where they stand, in UTF-16 units. */
export function sentenceSpans(text: string): { start: number; end: number }[] {
  const spans: { start: number; end: number }[] = []
  const add = (from: number, to: number) => {
    const sentence = text.slice(from, to)
    const start = from + sentence.length - sentence.trimStart().length
    const end = from + sentence.trimEnd().length
    if (end > start) spans.push({ start, end })
  }
  let start = 0
  for (const end of text.matchAll(ENDS)) {
    const tail = text.slice(Math.max(start, end.index - LOOK_BACK), end.index).trim()
    if (end[0].includes("\n") ? runsOn(tail, text.slice(end.index), end[0]) : ABBREVIATION.test(tail)) continue
    add(start, end.index)
    start = end.index + end[0].length
  }
  add(start, text.length)
  return spans
}

/** A line of prose that breaks within its sentence, as lines of a page do; rows of a table do not. */
const runsOn = (sentence: string, rest: string, end: string): boolean =>
  end === "\n" && /^\n\p{Ll}/u.test(rest) && sentence.split(" ").length > 5 && !/[.!?:;]$/.test(sentence)

/** A line that names what follows and says nothing itself. */
const isHeading = (text: string, terms: Set<string>): boolean =>
  /^#/.test(text) || (terms.size < 5 && !/[.!?:;,|\t]/.test(text) && !/\p{N}/u.test(text))

function clip(text: string): string {
  if (text.length <= PARAMETERS.maxLength) return text
  const cut = text.slice(0, PARAMETERS.maxLength)
  return cut.slice(0, Math.max(cut.lastIndexOf(" "), PARAMETERS.maxLength / 2))
}
