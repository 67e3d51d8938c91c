/**
 * What a query asks for beyond plain words: `"a phrase"` and `+word` must be there, `-word` and `-"a phrase"` must not.
 * In a longer question quotes set off a name or a term and ask for nothing, unless a `+` stands before them: taken as
 * conditions they lost .03 nDCG@10 on collections of such questions.
 * There is no other syntax and nothing that can be wrong: whatever does not fit is read as plain words.
 */
import { formsOf, isStopWord, WORDS, wordsOf } from "./analyze.ts"
import { foldText } from "./fold.ts"

export interface ParsedQuery {
  /** The words that are looked for, operators and excluded words left out; never empty when the query has words. */
  text: string
  required: Condition[]
  excluded: Condition[]
}

/** A word or phrase that a passage must (or must not) hold. */
export interface Condition {
  /** Each group is one word's alternative forms; a passage must hold one of every group. Empty: the text decides. */
  groups: string[][]
  /** Folded words in order, when their order matters. */
  phrase: string[] | null
}

/** With more words than these beside it, a quoted part is a name in a question and not a condition. */
const WORDS_BESIDE_PHRASE = 4

/** Brackets around a quotation and signs behind it belong to the sentence; what else touches it makes one word with it. */
const TOKEN = /\s*(?:[([{]*([+-]?)"([^"]*)"(?=[.,;:!?…)\]}]*(?:\s|$))|(\S+))/gy
const LETTER = /^[\p{L}\p{N}]/u

export function parseQuery(query: string): ParsedQuery {
  const plain: string[] = []
  const required: Condition[] = []
  const excluded: Condition[] = []
  const tokens = [...query.replace(/[“”„«»]/g, '"').matchAll(TOKEN)]
  const beside = tokens.filter(([, , , word]) => word !== undefined && foldText(word).match(WORDS)).length
  for (const [, sign, quoted, word = ""] of tokens) {
    const operator = quoted === undefined ? operatorOf(word) : sign
    const text = quoted ?? (operator ? word.slice(1) : word)
    const words = foldText(text).match(WORDS) ?? []
    if (words.length === 0) continue
    if (operator === "-") excluded.push(condition(text, quoted !== undefined))
    else {
      plain.push(text)
      if (operator === "+" || (quoted !== undefined && beside <= WORDS_BESIDE_PHRASE))
        required.push(condition(text, quoted !== undefined))
    }
  }
  // Nothing but exclusions: there is nothing to rank by, so the words count as plain ones.
  if (plain.length === 0) return { text: query, required: [], excluded: [] }
  return { text: plain.join(" "), required, excluded: excluded.filter(({ groups }) => groups.length > 0) }
}

/** A sign counts before a letter; `-5` and `- ` are plain. */
function operatorOf(word: string): string {
  const sign = word[0]
  if (sign === "+" && LETTER.test(word.slice(1))) return sign
  if (sign === "-" && /^\p{L}/u.test(word.slice(1))) return sign
  return ""
}

/** Stop words are not in the index of English passages: in a phrase the text decides, alone they ask for nothing. */
function condition(text: string, ordered: boolean): Condition {
  const words = foldText(text).match(WORDS) ?? []
  const groups = wordsOf(text)
    .filter(word => !isStopWord(word))
    .flatMap(formsOf)
  return { groups, phrase: ordered || words.length > 1 ? words : null }
}
