/** Compares the stores of search with the database, whose chunks are the truth. */
import type { Database } from "../../storage/database.ts"
import { countIds } from "../ids/id-ranges.ts"
import type { PassageStore } from "../passage-store.ts"
import type { VectorModels } from "../vector/vector-models.ts"
import { wantedIds } from "./generations.ts"

export interface Inspection {
  problems: string[]
  /**
   * Those that are an index which holds nothing yet, as after a restore, or vectors that follow: the daemon makes it in the
   * background.
   */
  unmade?: string[]
}

export async function inspect(db: Database, store: PassageStore, models: VectorModels): Promise<Inspection> {
  for (const tier of models.tiers) await store.load(tier).catch(() => {})
  const wanted = countIds(await wantedIds(db))
  const words = countIds(await store.lackingWords())
  const unknown = await store.unknown()
  const problems: string[] = []
  const unmade: string[] = []
  const tell = (count: number, what: string, isUnmade = false) => {
    if (count === 0) return
    problems.push(`${count} ${what}`)
    if (isUnmade) unmade.push(`${count} ${what}`)
  }
  tell(words, "passages are missing in the keyword index", words === wanted && unknown.words === 0)
  tell(unknown.words, "passages in the keyword index belong to no file")
  for (const tier of models.tiers) {
    const model = await models.model(tier).catch(() => undefined)
    const lacking = model ? countIds(await store.lackingVectors(model.table)) : 0
    if (tier === models.inline) tell(lacking, "passages have no vector", lacking === wanted && unknown.vectors === 0)
    else tell(lacking, "passages wait for their vector of the better model", true)
  }
  tell(unknown.vectors, "vectors belong to no file")
  const { count } = await db
    .selectFrom("chunks")
    .select(eb => eb.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow()
  tell(Math.max(0, wanted - count), "passages have no text")
  return { problems, ...(unmade.length > 0 ? { unmade } : {}) }
}
