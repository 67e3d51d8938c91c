import type { AgentRuns } from "../agents/runs.ts"
import type { Chat } from "../chat/chat.ts"
import { watchGauges } from "../gauges.ts"
import { sweepFiles } from "../library/sweep.ts"
import { log } from "../log.ts"
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

/** Longest wait for the file that is looked at, on a disk that hangs. */
const SWEEP_END_MS = 500

/** What goes on beside the requests: figures, the embedding model's state, and leftovers that are swept once. */
export function startUpkeep(dataDirectory: string, parts: WatchedParts, stack: AsyncDisposableStack): void {
  const { storage, models, index, chat, agents } = parts
  const { database, disk, stores, queue, blobs } = storage
  const { entityModel, embedder } = models
  stack.defer(watchEventLoop())
  stack.defer(watchGauges({ database, dataDirectory, disk, stores, queue, index, agents, chat, entityModel, embedder }))
  embedder.watch()
  const stop = new AbortController()
  const sweeping = sweepFiles(database, blobs, Date.now(), stop.signal).catch(error =>
    log.warn("leftover files could not be swept", { error }),
  )
  stack.defer(async () => {
    stop.abort()
    await Promise.race([sweeping, Bun.sleep(SWEEP_END_MS)])
  })
}
