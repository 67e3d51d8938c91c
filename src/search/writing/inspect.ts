/** Compares the stores of search with the database, whose chunks are the truth. */
import type { Database } from "../../storage/database.ts"
import { countIds } from "../ids/id-ranges.ts"
import type { PassageStore } from "../passage-store.ts"
import type { VectorModels } from "../vector/vector-models.ts"
import { wantedIds } from "./generations.ts"

export interface Inspection {
  problems: string[]
  /** Those that are an index which holds nothing yet, as after a restore: the daemon makes it in the background. */
  unmade?: string[]
}

export async function inspect(db: Database, store: PassageStore, models: VectorModels): Promise<Inspection> {
  await store.load().catch(() => {})
  const wanted = countIds(await wantedIds(db))
  const model = await models.model().catch(() => undefined)
  const words = countIds(await store.lackingWords())
  const vectors = model ? countIds(await store.lackingVectors(model.table)) : 0
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
  tell(vectors, "passages have no vector", vectors === wanted && unknown.vectors === 0)
  tell(unknown.vectors, "vectors belong to no file")
  const { count } = await db
    .selectFrom("chunks")
    .select(eb => eb.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow()
  tell(Math.max(0, wanted - count), "passages have no text")
  return { problems, ...(unmade.length > 0 ? { unmade } : {}) }
}
