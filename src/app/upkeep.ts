import type { AgentRuns } from "../agents/runs.ts"
import type { Chat } from "../chat/chat.ts"
import { watchGauges } from "../gauges.ts"
import { sweepFiles } from "../library/sweep.ts"
import { watchEventLoop } from "../metrics.ts"
import type { SearchIndex } from "../search/index.ts"
import type { Models } from "./models.ts"
import type { Storage } from "./storage.ts"

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
    await sweepFiles(database, blobs, Date.now(), signal)
  })
}
