/**
 * Changes a tier to another model: a table is filled beside the one that serves; the change to it is one row in one
 * transaction.
 */
import type { Embedder } from "../../backends/backend.ts"
import { log } from "../../log.ts"
import type { Tier } from "../../storage/chunk-tables.ts"
import { countIds, type IdRanges, NO_IDS, subtract, union } from "../ids/id-ranges.ts"
import type { PassageStore } from "../passage-store.ts"
import type { BackgroundPace } from "../vector/background-pace.ts"
import type { VectorModels } from "../vector/vector-models.ts"
import { Backlog } from "./backlog.ts"
import { wantedIds } from "./generations.ts"
import { embedMissing, type FillParts } from "./missing.ts"

export interface ReindexProgress {
  model: string
  done: number
  total: number
}

export interface ChangeOptions {
  on: (progress: ReindexProgress) => void
  pace?: BackgroundPace | undefined
}

/**
 * The former model serves until all is done. Interrupted, it goes on where it stopped when it is started again for the same
 * model.
 */
export async function changeModel(
  parts: FillParts & { models: VectorModels },
  { tier, embedder }: { tier: Tier; embedder: Embedder },
  { on, pace }: ChangeOptions,
): Promise<void> {
  const { db, store, models } = parts
  const table = await models.tableToFill(tier, embedder)
  let tried: IdRanges = NO_IDS // what has no text stays without a vector
  for (;;) {
    const lacking = await store.lackingVectors(table)
    const missing = subtract(lacking, tried)
    if (countIds(missing) === 0) break
    const total = countIds(await wantedIds(db))
    let done = Math.max(0, total - countIds(missing))
    on({ model: embedder.model, done, total })
    await embedMissing(parts, { tier, table, embedder }, new Backlog(missing), {
      on(passages) {
        done += passages
        on({ model: embedder.model, done: Math.min(done, total), total })
      },
      pace,
    })
    tried = union(tried, missing)
  }
  await store.finishTable(table)
  await models.replaceBy(table)
  await store.serve({ tier, table, embedder })
  log.info("the embedding model was changed", { tier, model: embedder.model, passages: countIds(await wantedIds(db)) })
}

/** Removes the tables of a tier's former models, and with the first tier those of tiers that are not in use. */
export async function dropDeadTables(store: PassageStore, models: VectorModels, tier: Tier): Promise<void> {
  const isOwn = (other: Tier) => other === tier || (tier === models.inline && !models.tiers.includes(other))
  for (const row of await models.tables()) if (row.state === "dead" && isOwn(row.tier)) await store.dropTable(row.name)
}
