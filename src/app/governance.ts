import type { Config } from "../config.ts"
import { Holds } from "../governance/holds/holds.ts"
import type { SearchIndex } from "../search/index.ts"
import type { LibraryParts } from "./library.ts"
import { openReceipts } from "./receipts.ts"
import type { Storage } from "./storage.ts"

export type GovernanceParts = Awaited<ReturnType<typeof openGovernance>>

interface Governed {
  storage: Storage
  index: SearchIndex
  files: Pick<LibraryParts, "pages">
}

/** What is kept, for how long, and the proof that the rest is gone. */
export async function openGovernance(config: Config, parts: Governed) {
  return { holds: new Holds(parts.storage.database), receipts: await openReceipts(config, parts) }
}
