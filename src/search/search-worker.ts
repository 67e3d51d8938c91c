/** The thread in which both legs of search run, so that no query, merge or index build holds up the event loop. */
import { SearchCore } from "./search-core.ts"
import type { WorkerRequest } from "./worker-messages.ts"

declare const self: Worker

const core = new SearchCore()

self.onmessage = (event: MessageEvent<WorkerRequest>) => {
  const { id } = event.data
  try {
    self.postMessage({ id, answer: core.run(event.data) })
  } catch (error) {
    self.postMessage({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  }
}
