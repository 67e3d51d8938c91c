/**
 * Words that bind other words and say nothing of a subject, for languages other than English, whose own are not indexed. In a
 * library that is mostly English they are as rare as names, and would vouch for any passage of their language. They stay in the
 * ranking; relevance leaves them out. Counting them in the passages of their language instead would need many of these.
 */
import { FUNCTION_WORDS } from "../../backends/function-words.ts"
import { formsOf, type TermGroup } from "./analyze.ts"
import { foldText } from "./fold.ts"
import { likelyLanguages } from "./language.ts"

const sets = new Map<string, ReadonlySet<string>>()

/** The groups of a query that say something of its subject; in a language without a list, and in English, all. */
export function subjectGroups(text: string, groups: TermGroup[]): TermGroup[] {
  const lists = likelyLanguages(text).flatMap(language => termsFor(language) ?? [])
  return lists.length ? groups.filter(({ terms }) => !lists.some(list => list.has(terms.join(" ")))) : groups
}

function termsFor(language: string): ReadonlySet<string> | undefined {
  const words = FUNCTION_WORDS[language]
  if (words === undefined) return undefined
  let terms = sets.get(language)
  if (!terms) {
    terms = new Set(words.split(" ").flatMap(word => formsOf(foldText(word)).map(forms => forms.join(" "))))
    sets.set(language, terms)
  }
  return terms
}
