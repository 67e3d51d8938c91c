/** Corrects the words of a query by the words of a cluster's index. Asks nothing where none is missing. */
import type { Database } from "../../storage/database.ts"
import {
  type Corrected,
  corrected,
  likely,
  type MissingWord,
  missingWords,
  type NearWord,
  TEXTS_READ,
} from "../keyword/corrections.ts"
import type { TermGroup } from "../text/analyze.ts"
import { indexedText } from "../text/indexed-text.ts"
import type { ParsedQuery } from "../text/query.ts"
import { type Clauses, holdsOne, narrowed, query } from "./scope-clauses.ts"
import { BARE, idsOf, type Search, type Searches } from "./searches.ts"

interface Sources {
  db: Database
  searches: Searches
  /** The index of words. */
  index: string
  /** Passages that count. */
  workspace: Clauses
}

/** Undefined where nothing is corrected. `holding`: passages of the workspace that hold each group. */
export async function spelt(
  asked: ParsedQuery,
  groups: TermGroup[],
  holding: readonly number[],
  sources: Sources,
): Promise<Corrected | undefined> {
  const missing = missingWords(asked, groups, holding)
  if (missing.length === 0) return undefined
  const near = await likelyWords(missing, sources)
  const texts = await textsHolding(near.flat(), sources)
  const read = missing.map((word, nth) => ({
    ...word,
    read: near[nth]!.map(each => ({ near: each, texts: texts.get(each) ?? [] })),
  }))
  return corrected(groups, read)
}

/** Of each missing word. */
async function likelyWords(
  missing: readonly MissingWord[],
  { searches, index, workspace }: Sources,
): Promise<NearWord[][]> {
  const counting = ({ near }: MissingWord): Search => {
    const among = query(narrowed(workspace, [holdsOne(near.flatMap(({ terms }) => terms))]))
    const aggs = { near: { filters: { filters: near.map(({ terms }) => holdsOne(terms)) } } }
    return { index, body: { size: 0, track_total_hits: false, query: among, aggs } }
  }
  const found = await searches.all(Object.fromEntries(missing.map((word, nth) => [nth, counting(word)])))
  return missing.map(({ near }, nth) => {
    const buckets = found[nth]?.aggregations.near?.buckets ?? []
    return likely(near.map((each, i) => ({ near: each, holding: buckets[i]?.doc_count ?? 0 })))
  })
}

/** Texts of the first passages that hold each. */
async function textsHolding(
  near: readonly NearWord[],
  { db, searches, index, workspace }: Sources,
): Promise<Map<NearWord, string[]>> {
  const holding = ({ terms }: NearWord): Search => {
    const body = {
      ...BARE,
      size: TEXTS_READ,
      sort: [{ i: "asc" }],
      query: query(narrowed(workspace, [holdsOne(terms)])),
    }
    return { index, body }
  }
  const found = await searches.all(Object.fromEntries(near.map((word, nth) => [nth, holding(word)])))
  const ids = near.map((_, nth) => (found[nth] ? idsOf(found[nth]) : []))
  const rows = ids.flat().length
    ? await db.selectFrom("chunks").select(["id", "text", "context"]).where("id", "in", ids.flat()).execute()
    : []
  const texts = new Map(rows.map(({ id, text, context }) => [id, indexedText(text, context)]))
  return new Map(near.map((word, nth) => [word, ids[nth]!.flatMap(id => texts.get(id) ?? [])]))
}
