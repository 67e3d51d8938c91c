import type { Config } from "../config.ts"
import { Holds } from "../governance/holds/holds.ts"
import type { SearchIndex } from "../search/index.ts"
import type { LibraryParts } from "./library.ts"
import { openReceipts } from "./receipts.ts"
import { openRetention, type Removed } from "./retention.ts"
import type { Storage } from "./storage.ts"

export type GovernanceParts = Awaited<ReturnType<typeof openGovernance>>

interface Governed extends Pick<Removed, "chat" | "agents"> {
  storage: Storage
  index: SearchIndex
  files: LibraryParts
}

/** What is kept, for how long, and the proof that the rest is gone. */
export async function openGovernance(config: Config, parts: Governed) {
  return {
    holds: new Holds(parts.storage.database),
    receipts: await openReceipts(config, parts),
    retention: openRetention(parts.storage, { ...parts, library: parts.files.library }),
  }
}
