/**
 * Turns text into index terms: FlexSearch's `Encoder` as a configurable analyzer (its ranking is not used), with a
 * split that keeps combining marks, so that Hindi, Thai and Arabic words stay whole.
 *
 * Two schemes, chosen per document by its words:
 * - `english`: stop words out, English stemmer.
 * - `other`: words longer than five letters and without a digit are cut to five (marked `*`), a language-free stemmer that measured
 *   .94–.96 nDCG@10 from German to Hindi where whole words gave .87–.95.
 * Both: pairs of neighbouring characters for scripts written without spaces (Chinese, Japanese, Korean, Thai …).
 *
 * A query is not assigned a language: each of its words becomes one group that holds both forms, and a document
 * matches through the form of its own scheme. A library of mixed languages needs no guess about a two-word query.
 */
import { Encoder } from "flexsearch"
import english from "flexsearch/lang/en"
import { foldText, INVISIBLE, SIGNED } from "./fold.ts"
import { stemEnglish } from "./stem-english.ts"

export type Scheme = "english" | "other"

/** The forms under which one word of a query can stand in the index. */
export interface TermGroup {
  terms: string[]
  /** How often the query says it; less for a single letter in a long query, and for a corrected word. */
  weight: number
  /** The terms are those of words near the query's own, which no passage holds. */
  corrected?: boolean
}

const NOT_IN_WORDS = /[^\p{L}\p{N}\p{M}]+/u
/** Scripts without spaces between words: Thai, Lao, Myanmar, Khmer, kana, Han, Hangul. */
const UNSPACED_CHARACTERS =
  "\\u0e00-\\u0eff\\u1000-\\u109f\\u1780-\\u17ff\\u3005-\\u3007\\u3040-\\u30ff\\u3400-\\u9fff\\uac00-\\ud7af\\u{20000}-\\u{323af}"
const UNSPACED = new RegExp(`[${UNSPACED_CHARACTERS}]`, "u")
/** A word ends where those scripts begin or end, too: `NFL冠军` is two. */
const wordsWith = (more: string): RegExp => {
  const among = `[\\p{L}\\p{N}\\p{M}${more}]`
  return new RegExp(`[${among}&&[${UNSPACED_CHARACTERS}${more}]]+|[${among}--[${UNSPACED_CHARACTERS}]]+`, "gv")
}
/** In a folded text. */
export const WORDS = wordsWith("")
/** In a text as it is. */
export const WORDS_IN_TEXT = new RegExp(`${SIGNED}|${wordsWith(INVISIBLE).source}`, "giv")
/** The least character of those scripts: most words are settled without the expression. */
export const FIRST_UNSPACED = "\u0e00"
const FIRST_UNSPACED_CODE = FIRST_UNSPACED.charCodeAt(0)
/** In FlexSearch's English list, some for `she'll` without its sign, but words that people search for: they stay in the index. */
const CONTENT = new Set(
  "back come even get go good id ill just know like lot make made new now off one say see shed shell take think time times us use want way wed well work".split(
    " ",
  ),
)
const STOP_WORDS: ReadonlySet<string> = new Set(
  [...(english.filter as Iterable<string>)].filter(word => !CONTENT.has(word)),
)
/** Words that make English text English and are rare in other languages written in Latin letters. */
const ENGLISH_MARKS = new Set(
  "the of and to for that with by from this which be it is at as have were been their".split(" "),
)
/** Share of such words above which text counts as English; plain English has 15–30 %, German or Spanish under 4 %. */
const ENGLISH_SHARE = 0.08
/** Below this many words the share says nothing. */
const WORDS_TO_JUDGE = 12
/** Longer words than the longest checksum are noise (encoded data); they would only fill the index. */
const MAX_WORD = 128
const CUT = 5
/** With what is written together with it: "and", "with", "like", "so", "for". Of five letters it left two or three of the word. */
const ARABIC_ARTICLE = /^(?:[وبكف]?ال|لل)(?=...)/
/** What follows the apostrophe in `system's` and `don't`: counted as words they cost .003 nDCG@10 on titles and questions. */
const TAILS = /(?<=\p{L})['’](?:s|t|d|m|ll|ve|re)(?![\p{L}\p{N}])/giu
/**
 * In a query with more words than these, a single letter is an initial or a label more often than what is asked for,
 * and counts for less: at full weight the initials of authors cost .02 nDCG@10 on a collection that has them.
 */
const WORDS_BESIDE_LETTER = 5
const LETTER_WEIGHT = 0.3

const common = {
  normalize: foldText,
  split: NOT_IN_WORDS,
  numeric: false,
  dedupe: false,
  cache: false,
  maxlength: 4096,
}
const ENCODERS: Record<Scheme, Encoder> = {
  english: new Encoder({
    ...common,
    normalize: text => foldText(withoutTails(text)),
    filter: STOP_WORDS as Set<string>,
    finalize: words => spread(words, stemmed),
  }),
  other: new Encoder({ ...common, finalize: words => spread(words, cut) }),
}

/** The terms of a document, repeated as often as they stand in it. */
export function termsOf(text: string, scheme: Scheme): string[] {
  return ENCODERS[scheme].encode(text)
}

/** Which scheme a document is indexed by; `fallback` when its own words do not tell. */
export function schemeOf(text: string, fallback?: Scheme): Scheme {
  const words = foldText(text.slice(0, 20_000)).match(/[a-z]+/g) ?? []
  let marks = 0
  for (const word of words) if (ENGLISH_MARKS.has(word)) marks++
  if (words.length >= WORDS_TO_JUDGE) {
    const share = marks / words.length
    if (share >= ENGLISH_SHARE) return "english"
    if (words.length >= 5 * WORDS_TO_JUDGE || share < ENGLISH_SHARE / 4) return fallback ?? byLetters(text)
  }
  return fallback ?? byLetters(text)
}

/** Without enough words to judge: plain ASCII is taken for English, letters beyond it for another language. */
function byLetters(text: string): Scheme {
  return /[^\P{L}\x00-\x7f]/u.test(text) ? "other" : "english"
}

/** The folded words of a query or a condition, as they are looked up. */
export function wordsOf(text: string): string[] {
  return foldText(withoutTails(text)).match(WORDS) ?? []
}

function withoutTails(text: string): string {
  return text.includes("'") || text.includes("’") ? text.replace(TAILS, "") : text
}

/** The words of a query as groups of forms. Stop words are left out, unless there is nothing else. */
export function groupsOf(text: string): TermGroup[] {
  const groups = new Map<string, TermGroup>()
  const words = wordsOf(text)
  const content = words.filter(word => !STOP_WORDS.has(word))
  for (const word of content.length ? content : words) {
    const weight = content.length > WORDS_BESIDE_LETTER && /^[a-z]$/.test(word) ? LETTER_WEIGHT : 1
    for (const terms of formsOf(word)) {
      const key = terms.join(" ")
      const known = groups.get(key)
      if (known) known.weight += weight
      else groups.set(key, { terms, weight })
    }
  }
  return [...groups.values()]
}

/** One folded word as groups of alternative terms: one group, or one per pair of characters for unspaced scripts. */
export function formsOf(word: string): string[][] {
  if (isUnspaced(word)) return pairsOf(word).map(pair => [pair])
  const other = cut(word)
  if (STOP_WORDS.has(word)) return [[other]]
  const stem = stemmed(word)
  return [stem === other ? [stem] : [stem, other]]
}

/** Whether a folded word of a spaced script stands among the terms in either form. */
export function hasFormOf(terms: ReadonlySet<string>, word: string): boolean {
  return terms.has(cut(word)) || (!STOP_WORDS.has(word) && terms.has(stemmed(word)))
}

/** Words with digits are identifiers, numbers, dates: one that differs in a digit is another word, not another form. */
export const hasDigit = (word: string): boolean => /\p{N}/u.test(word)

/** Letters with digits, or a long number: what is looked up, where `30` and `1998` are words like others. */
export const isIdentifier = (term: string): boolean =>
  hasDigit(term) && !isUnspaced(term) && (!ONLY_DIGITS.test(term) || term.length >= LONG_NUMBER)

const LONG_NUMBER = 5

export const isStopWord = (word: string): boolean => STOP_WORDS.has(word)

export function isUnspaced(word: string): boolean {
  for (let i = 0; i < word.length; i++) if (word.charCodeAt(i) >= FIRST_UNSPACED_CODE) return UNSPACED.test(word)
  return false
}

/** A single character of a script without spaces: as a query it stands for every pair that it is part of. */
export function isSingleCharacter(term: string): boolean {
  return (term.length === 1 || (term.length === 2 && [...term].length === 1)) && isUnspaced(term)
}

function spread(words: string[], form: (word: string) => string): string[] {
  const terms: string[] = []
  for (const word of words) {
    for (const part of isUnspaced(word) ? word.match(WORDS)! : [word])
      if (isUnspaced(part)) terms.push(...pairsOf(part))
      else if (part.length <= MAX_WORD) terms.push(form(part))
  }
  return terms
}

function pairsOf(word: string): string[] {
  const characters = [...word]
  if (characters.length < 2) return [word]
  return characters.slice(1).map((character, i) => characters[i]! + character)
}

const ONLY_DIGITS = /^\p{N}+$/u

/** Identifiers and numbers stay whole: cut, `row54321` and `row54090` would be one word. */
const cut = (word: string): string => (hasDigit(word) ? word.slice(0, MAX_WORD) : shortened(word))

function shortened(word: string): string {
  if (word.length <= CUT) return word
  const characters = [...word.replace(ARABIC_ARTICLE, "")]
  if (characters.length <= CUT) return characters.join("")
  return `${characters.slice(0, CUT).join("")}*`
}

/**
 * Stems seen lately: a library repeats its words, and stemming is most of the cost of analysis. Asked for each word of each
 * text, so all go at once when there are too many: noting which was used last would cost as much as it saves.
 */
const stems = new Map<string, string>()
const MAX_STEMS = 50_000

function stemmed(word: string): string {
  const known = stems.get(word)
  if (known !== undefined) return known
  const stem = stemEnglish(word)
  if (stems.size >= MAX_STEMS) stems.clear()
  stems.set(word, stem)
  return stem
}
