/** The thread in which both legs of search run, so that no query, merge or index build holds up the event loop. */
import { SearchCore } from "./search-core.ts"
import type { WorkerRequest } from "./worker-messages.ts"

declare const self: Worker

const core = new SearchCore()

self.onmessage = async (event: MessageEvent<WorkerRequest>) => {
  const { id } = event.data
  try {
    const answer = core.run(event.data)
    // A search is answered in the same turn: waiting for what is no promise would let others go first.
    self.postMessage({ id, answer: answer instanceof Promise ? await answer : answer })
  } catch (error) {
    self.postMessage({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  }
}
