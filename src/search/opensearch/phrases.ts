/** The conditions of a query as clauses: words are decided by the engine, phrases on texts, as on one machine. */
import type { Database } from "../../storage/database.ts"
import { MAX_PHRASE_CHECKS } from "../keyword/conditions.ts"
import { indexedText } from "../text/indexed-text.ts"
import { holdsPhrase } from "../text/phrase.ts"
import type { Condition, ParsedQuery } from "../text/query.ts"
import { type Clause, type Clauses, holdsAll, narrowed, query } from "./scope-clauses.ts"
import { BARE, idsOf, type Searches } from "./searches.ts"

/** Texts read at a time. */
const TEXTS = 500

interface Sources {
  db: Database
  searches: Searches
  /** The index of words. */
  index: string
}

/** The passages of `passing` that meet the conditions; `passing` itself where nothing is asked. */
export async function allowedBy(
  { required, excluded }: ParsedQuery,
  passing: Clauses,
  sources: Sources,
): Promise<Clauses> {
  let allowed = passing
  for (const condition of required) {
    // A phrase of stop words alone cannot be looked up; asking for it asks for nothing.
    if (condition.groups.length) allowed = narrowed(allowed, await meeting(condition, allowed, sources))
  }
  for (const condition of excluded) {
    const filter = await meeting(condition, allowed, sources)
    allowed = narrowed(allowed, [], [filter.length === 1 ? filter[0]! : { bool: { filter } }])
  }
  return allowed
}

async function meeting({ groups, phrase }: Condition, among: Clauses, sources: Sources): Promise<Clause[]> {
  const holding = holdsAll(groups)
  if (!phrase) return holding
  const ids = await holdingPhrase(phrase, narrowed(among, holding), sources)
  return [ids.length ? { terms: { i: ids } } : { match_none: {} }]
}

async function holdingPhrase(
  phrase: string[],
  candidates: Clauses,
  { db, searches, index }: Sources,
): Promise<number[]> {
  const size = MAX_PHRASE_CHECKS
  const body = { ...BARE, size, sort: [{ i: "asc" }], query: query(candidates) }
  const ids = idsOf((await searches.all({ holding: { index, body } })).holding!)
  const found: number[] = []
  for (let from = 0; from < ids.length; from += TEXTS) {
    const rows = await db
      .selectFrom("chunks")
      .select(["id", "text", "context"])
      .where("id", "in", ids.slice(from, from + TEXTS))
      .execute()
    for (const { id, text, context } of rows) if (holdsPhrase(indexedText(text, context), phrase)) found.push(id)
  }
  return found
}
