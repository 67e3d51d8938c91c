/** Corrects the words of a query by the words of one machine's index: see `corrections.ts`. */
import type { TermGroup } from "../text/analyze.ts"
import type { ParsedQuery } from "../text/query.ts"
import type { StoredTexts } from "../text/stored-texts.ts"
import {
  type Corrected,
  corrected,
  countable,
  likely,
  missingWords,
  type NearWord,
  type ReadWord,
  TEXTS_READ,
} from "./corrections.ts"
import type { KeywordIndex } from "./keyword-index.ts"
import type { KeywordSearch } from "./keyword-search.ts"
import type { Scope } from "./scope.ts"

export class Spelling {
  constructor(
    private readonly index: KeywordIndex,
    private readonly words: KeywordSearch,
    private readonly texts: StoredTexts,
  ) {}

  /** Undefined where nothing is corrected. `holding`: passages of the workspace that hold each group. */
  correct(query: ParsedQuery, groups: TermGroup[], holding: readonly number[], scope: Scope): Corrected | undefined {
    const missing = missingWords(query, groups, holding)
    if (missing.length === 0) return undefined
    const held = this.heldAmong(missing.flatMap(({ near }) => near.flatMap(({ terms }) => terms)))
    const read = missing.map(word => {
      const counted = countable(word.near, term => held.has(term)).map(near => ({
        near,
        holding: this.words.countHolding(near.terms, scope),
      }))
      return { ...word, read: likely(counted).map(near => this.read(near, scope)) }
    })
    return corrected(groups, read)
  }

  private read(near: NearWord, scope: Scope): ReadWord {
    const ids = this.words.firstHolding(near.terms, scope, TEXTS_READ)
    return { near, texts: this.texts.among(ids).map(({ text }) => text) }
  }

  /** Those that stand in any passage of any workspace. */
  private heldAmong(terms: string[]): Set<string> {
    // In the order of the index, so that one look-up finds its place beside the last.
    const sorted = JSON.stringify([...new Set(terms)].sort())
    return new Set(this.index.segments.flatMap(({ number }) => this.index.store.termsAmong(number, sorted)))
  }
}
