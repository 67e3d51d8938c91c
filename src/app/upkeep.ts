import type { AgentRuns } from "../agents/runs.ts"
import type { Chat } from "../chat/chat.ts"
import type { Config } from "../config.ts"
import { ocrLanguagesOf } from "../configured.ts"
import { watchGauges } from "../gauges.ts"
import { findLanguages } from "../ingest/formats/ocr/languages.ts"
import { sweepFiles, sweepSharedFiles } from "../library/sweep.ts"
import { log } from "../log.ts"
import { watchEventLoop } from "../metrics.ts"
import type { SearchIndex } from "../search/index.ts"
import { pause } from "../threads/or-abort.ts"
import type { LibraryParts } from "./library.ts"
import type { Models } from "./models.ts"
import type { Storage } from "./storage.ts"

/** Nodes that die leave something behind while others go on: they are not started anew for it. */
const SWEEP_EVERY_MS = 6 * 3_600_000

interface WatchedParts {
  storage: Storage
  models: Models
  index: SearchIndex
  chat: Chat
  agents: AgentRuns
  files: Pick<LibraryParts, "webPages">
}

/** What goes on beside the requests: figures, the embedding model's state, and leftovers that are swept once. */
export function startUpkeep(config: Config, parts: WatchedParts, stack: AsyncDisposableStack): void {
  const { storage, models, index, chat, agents, files } = parts
  const { database, disk, stores, queue, blobs, leader, cluster } = storage
  const { entityModel } = models
  const embedders = Object.values(models.embedders)
  const dataDirectory = config.data
  const ocrLanguages = () => [...findLanguages(ocrLanguagesOf(config)).keys()]
  stack.defer(watchEventLoop())
  stack.defer(
    watchGauges({
      database,
      dataDirectory,
      disk,
      stores,
      queue,
      index,
      agents,
      chat,
      entityModel,
      embedders,
      ocrLanguages,
    }),
  )
  // A large model of our own is loaded when there is something for it to do.
  for (const embedder of embedders) if (embedder === embedders[0] || embedder.onServer) embedder.watch()
  leader.whileLeader(signal => files.webPages.refreshDue(signal))
  leader.whileLeader(async signal => {
    if (!cluster) return void (await sweepFiles(database, blobs, Date.now(), signal))
    while (!signal.aborted) {
      await sweepSharedFiles(database, blobs, signal).catch(error => {
        if (!signal.aborted) log.warn("leftover files could not be swept", { error })
      })
      await pause(SWEEP_EVERY_MS, signal).catch(() => {})
    }
  })
}
