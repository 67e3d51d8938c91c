/**
 * Words of a query that stand in no passage are also looked up as the words at one letter's distance that do. Which words
 * those are is decided here, for every store, in steps: `missingWords`; the store counts the passages that hold words near
 * them; `likely`; the store reads some of those passages; `corrected`.
 *
 * A corrected word counts for less than one that is there as it was asked. Left as they are: words of fewer than four letters,
 * which are near too many others; words with digits, where one digit makes another thing; scripts without spaces, whose words
 * are pairs of characters; words that must stand in the passage (`+word`, phrases); and function words, also where two
 * of their letters were swapped. A query with many unknown words is in another language or about something else, and none of it is corrected.
 */
import { formsOf, hasDigit, isStopWord, isUnspaced, type TermGroup, WORDS, wordsOf } from "../text/analyze.ts"
import { foldText } from "../text/fold.ts"
import { subjectGroups } from "../text/function-words.ts"
import { nearWords, swapped } from "../text/near-words.ts"
import type { ParsedQuery } from "../text/query.ts"

/** As the answer says it. */
export interface Correction {
  /** Of the query, in the letters by which words are compared. */
  word: string
  /** What was looked up in its place, held by most passages first; never empty. */
  tried: string[]
}

/** Each is looked up as hundreds of others: more would take as long as the search itself. */
const MAX_MISSING = 4
const LETTERS = { least: 4, most: 24 }
/** Near words whose passages are counted; the index may hold them for other workspaces alone. */
const MAX_COUNTED = 64
/** Of those that the workspace holds, the likeliest come into question, and the commonest of these are looked for in texts. */
const LIKELY = { sought: 16, read: 6 }
/** Passages in which a near word is looked for: its terms may be there for another word, as `extens` is for `extensive`. */
export const TEXTS_READ = 8
/** Words tried in the place of one. */
const MAX_TRIED = 3
/** What a corrected word counts beside one that is there as it was asked: .4 gains less, and 1 would let it count as much. */
const CORRECTED_WEIGHT = 0.7

/** Words that are one to the index, such as `contract` and `contracts`: the terms under which they can stand in a passage. */
export interface NearWord {
  terms: string[]
  /** The likeliest first. */
  words: string[]
}

export interface MissingWord {
  /** Its place among the groups of the query. */
  group: number
  word: string
  /** The likeliest first; none of the terms twice. */
  near: NearWord[]
}

/** The words of a query that may be misspelt. `holding`: passages of the workspace that hold each group. */
export function missingWords(query: ParsedQuery, groups: TermGroup[], holding: readonly number[]): MissingWord[] {
  const unknown = groups.filter((_, nth) => holding[nth] === 0)
  if (unknown.length === 0 || unknown.length > MAX_MISSING) return []
  const asWritten = new Set(query.required.flatMap(condition => condition.groups.map(keyOf)))
  const subject = new Set(subjectGroups(query.text, groups))
  const words = new Map(wordsOf(query.text).map(word => [keyOf(formsOf(word)[0] ?? []), word]))
  return groups.flatMap((group, nth) => {
    const word = words.get(keyOf(group.terms))
    if (holding[nth] !== 0 || word === undefined || !subject.has(group) || asWritten.has(keyOf(group.terms))) return []
    return isCorrectable(word) ? [{ group: nth, word, near: byTerms(nearWords(word)) }] : []
  })
}

/** Of a missing word's near words those to be counted. `held`: whether the index holds a term, for whomever. */
export const countable = (near: readonly NearWord[], held: (term: string) => boolean): NearWord[] =>
  near.filter(({ terms }) => terms.some(held)).slice(0, MAX_COUNTED)

export interface CountedWord {
  near: NearWord
  /** Passages of the workspace that hold it. */
  holding: number
}

/** The near words to be looked for in texts, the commonest first. */
export function likely(counted: readonly CountedWord[]): NearWord[] {
  const held = counted.filter(({ holding }) => holding > 0).slice(0, LIKELY.sought)
  return held
    .sort((a, b) => b.holding - a.holding)
    .slice(0, LIKELY.read)
    .map(({ near }) => near)
}

/** A near word with texts of passages that hold its terms. */
export interface ReadWord {
  near: NearWord
  texts: readonly string[]
}

/** The groups of a query with those of misspelt words replaced, and what is said of it. */
export interface Corrected {
  groups: TermGroup[]
  corrections: Correction[]
}

/** Undefined where nothing is corrected. */
export function corrected(
  groups: readonly TermGroup[],
  missing: readonly (MissingWord & { read: readonly ReadWord[] })[],
): Corrected | undefined {
  const spelt = [...groups]
  const corrections: Correction[] = []
  for (const { group, word, read } of missing) {
    const standing = read.flatMap(({ near, texts }) => {
      const found = standingIn(near, texts)
      return found === undefined ? [] : [{ word: found, terms: near.terms }]
    })
    const tried = standing.slice(0, MAX_TRIED)
    if (tried.length === 0) continue
    const terms = [...new Set(tried.flatMap(each => each.terms))]
    spelt[group] = { terms, weight: groups[group]!.weight * CORRECTED_WEIGHT, corrected: true }
    corrections.push({ word, tried: tried.map(each => each.word) })
  }
  return corrections.length > 0 ? { groups: spelt, corrections } : undefined
}

/** The likeliest of a near word's spellings that stands in one of the texts. */
function standingIn({ words }: NearWord, texts: readonly string[]): string | undefined {
  const standing = new Set(texts.flatMap(text => foldText(text).match(WORDS) ?? []))
  return words.find(word => standing.has(word))
}

function isCorrectable(word: string): boolean {
  const { length } = [...word]
  if (length < LETTERS.least || length > LETTERS.most || hasDigit(word) || isUnspaced(word)) return false
  return ![word, ...swapped(word)].some(isStopWord)
}

function byTerms(words: string[]): NearWord[] {
  const near = new Map<string, NearWord>()
  for (const word of words) {
    const terms = formsOf(word)[0] ?? []
    const key = keyOf(terms)
    if (isStopWord(word) || terms.length === 0) continue
    const known = near.get(key)
    if (known) known.words.push(word)
    else near.set(key, { terms, words: [word] })
  }
  return [...near.values()]
}

const keyOf = (terms: readonly string[]): string => terms.join(" ")
