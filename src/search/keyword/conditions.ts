/** The passages that a query's conditions leave: words and phrases that must be there, or must not. */
import { type IdRanges, intersect, subtract } from "../ids/id-ranges.ts"
import { holdsPhrase } from "../text/phrase.ts"
import type { Condition, ParsedQuery } from "../text/query.ts"
import type { StoredTexts } from "../text/stored-texts.ts"
import type { KeywordSearch } from "./keyword-search.ts"
import type { Scope } from "./scope.ts"

/** Passages whose text is read to decide on a phrase; a phrase of rarer words never comes near. */
export const MAX_PHRASE_CHECKS = 20_000

export class Conditions {
  constructor(
    private readonly words: KeywordSearch,
    private readonly texts: StoredTexts,
  ) {}

  /** Of the passages that pass the filters; `passing` itself where nothing is asked. */
  allowed({ required, excluded }: ParsedQuery, scope: Scope, passing: IdRanges): IdRanges {
    let allowed = passing
    for (const condition of required)
      if (condition.groups.length || condition.phrase) allowed = this.meeting(condition, scope, allowed)
    for (const condition of excluded) allowed = subtract(allowed, this.meeting(condition, scope, allowed))
    return allowed
  }

  private meeting({ groups, phrase }: Condition, scope: Scope, among: IdRanges): IdRanges {
    // A phrase of stop words alone cannot be looked up; asking for it asks for nothing.
    const holding = groups.length ? intersect(this.words.holding(groups, scope), among) : among
    if (!phrase || groups.length === 0) return holding
    const pairs: number[] = []
    let checks = 0
    for (let i = 0; i < holding.length; i += 2)
      for (const { id, text } of this.texts.between(holding[i]!, holding[i + 1]!)) {
        if (++checks > MAX_PHRASE_CHECKS) return Float64Array.from(pairs)
        if (holdsPhrase(text, phrase)) pairs.push(id, id)
      }
    return Float64Array.from(pairs)
  }
}
