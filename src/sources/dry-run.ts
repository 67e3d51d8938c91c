/** What a sync would do. */
import { AppError } from "../errors.ts"
import type { Database } from "../storage/database.ts"
import { type Connector, Outage } from "./connector.ts"
import { heldKeys } from "./held-files.ts"
import { Listing, type ListingCounts, type ListingRules } from "./listing.ts"
import type { SourceRow } from "./source.ts"
import { seeAll } from "./sync.ts"

/** Spelled as on the wire. */
export interface DryRun extends ListingCounts {
  dry_run: true
  deleted: number
  /** Files that would not be deleted because they are too many at once; then `deleted` is 0. */
  guarded: number
  /** Some keys of each. */
  sample: { added: string[]; updated: string[]; deleted: string[] }
}

const SAMPLE = 20

/** Reads everything and writes nothing. @throws AppError fetch_failed where the place cannot be listed; the signal's reason */
export async function rehearse(
  database: Database,
  source: Pick<SourceRow, "id" | "workspace_id">,
  connector: Connector,
  rules: ListingRules,
  signal: AbortSignal,
): Promise<DryRun> {
  const sample: DryRun["sample"] = { added: [], updated: [], deleted: [] }
  const listing = await Listing.begin(database, source.id, rules)
  const forget = async () => listing.forget()
  try {
    await seeAll(listing, connector, signal, forget, ({ key }, kind) => {
      if ((kind === "added" || kind === "updated") && sample[kind].length < SAMPLE) sample[kind].push(key)
    })
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof Outage) throw new AppError("fetch_failed", { message: error.message, cause: error })
    if (error instanceof AppError) throw error
    throw new AppError("fetch_failed", { message: "the source could not be read", cause: error })
  }
  const { deleted: gone, guarded } = listing.finish()
  const held = await heldKeys(database, source, gone)
  const deleted = gone.filter(key => !held.has(key))
  sample.deleted = deleted.slice(0, SAMPLE)
  return { dry_run: true, ...listing.counts, deleted: deleted.length, guarded, sample }
}
