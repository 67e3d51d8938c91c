/** Compares the stores of search with the database, whose chunks are the truth. */
import type { Database } from "../../storage/database.ts"
import { countIds, type IdRanges, subtract } from "../ids/id-ranges.ts"
import type { SearchThread } from "../thread/search-thread.ts"
import type { VectorLeg } from "../vector/vector-leg.ts"
import { wantedIds } from "./reindex.ts"
import { knownIds } from "./sweep.ts"

export interface Inspection {
  problems: string[]
  /** Those that are an index which holds nothing yet, as after a restore: the daemon makes it in the background. */
  unmade?: string[]
}

export async function inspect(db: Database, thread: SearchThread, vectors: VectorLeg): Promise<Inspection> {
  await vectors.load().catch(() => {})
  const [wanted, { keyword, vector }] = await Promise.all([wantedIds(db), thread.ask("holdings", {})])
  const known = await knownIds(db)
  const problems: string[] = []
  const unmade: string[] = []
  const tell = (count: number, what: string, isUnmade = false) => {
    if (count === 0) return
    problems.push(`${count} ${what}`)
    if (isUnmade) unmade.push(`${count} ${what}`)
  }
  const isEmpty = (held: IdRanges) => countIds(held) === 0
  tell(countIds(subtract(wanted, keyword)), "passages are missing in the keyword index", isEmpty(keyword))
  tell(countIds(subtract(keyword, known)), "passages in the keyword index belong to no file")
  if (await vectors.model().catch(() => undefined))
    tell(countIds(subtract(wanted, vector)), "passages have no vector", isEmpty(vector))
  tell(countIds(subtract(vector, known)), "vectors belong to no file")
  const { count } = await db
    .selectFrom("chunks")
    .select(eb => eb.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow()
  tell(Math.max(0, countIds(wanted) - count), "passages have no text")
  return { problems, ...(unmade.length > 0 ? { unmade } : {}) }
}
