import type { AgentRuns } from "../agents/runs.ts"
import type { Chat } from "../chat/chat.ts"
import { watchGauges } from "../gauges.ts"
import { sweepFiles } from "../library/sweep.ts"
import { watchEventLoop } from "../metrics.ts"
import type { SearchIndex } from "../search/index.ts"
import { orAbort } from "../threads/or-abort.ts"
import type { Models } from "./models.ts"
import type { Storage } from "./storage.ts"

/** An upload that another node takes in may have stored its first file so long before its rows are written. */
const UNDER_WAY_MS = 24 * 3_600_000
/** Nodes that die leave something behind while others go on: they are not started anew for it. */
const SWEEP_EVERY_MS = 6 * 3_600_000

interface WatchedParts {
  storage: Storage
  models: Models
  index: SearchIndex
  chat: Chat
  agents: AgentRuns
}

/** What goes on beside the requests: figures, the embedding model's state, and leftovers that are swept once. */
export function startUpkeep(dataDirectory: string, parts: WatchedParts, stack: AsyncDisposableStack): void {
  const { storage, models, index, chat, agents } = parts
  const { database, disk, stores, queue, blobs, leader } = storage
  const { entityModel, embedder } = models
  stack.defer(watchEventLoop())
  stack.defer(watchGauges({ database, dataDirectory, disk, stores, queue, index, agents, chat, entityModel, embedder }))
  embedder.watch()
  leader.whileLeader(async signal => {
    const before = () => Date.now() - (leader.isAlone ? 0 : UNDER_WAY_MS)
    await sweepFiles(database, blobs, before(), signal)
    while (!leader.isAlone) {
      await orAbort(Bun.sleep(SWEEP_EVERY_MS), signal)
      await sweepFiles(database, blobs, before(), signal)
    }
  })
}
