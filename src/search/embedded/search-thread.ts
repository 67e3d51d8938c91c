/** The daemon's end of the search worker, which can be started anew. */
import { EngineError } from "../../errors.ts"
import { ThreadClient, ThreadEnded } from "../../threads/thread-client.ts"
import type { WorkerTasks } from "../thread/worker-messages.ts"

export class SearchThread {
  private client: ThreadClient<WorkerTasks> | undefined

  /** `failed` is called when the worker died: what waited was rejected, and it may be started anew. */
  async start(open: WorkerTasks["open"]["ask"], failed: (error: ThreadEnded) => void): Promise<void> {
    this.client = new ThreadClient({ entry: "search/thread/search-worker", what: "the search worker", onDeath: failed })
    await this.client.ask("open", open)
  }

  /** @throws EngineError while there is no worker */
  ask<Name extends keyof WorkerTasks>(
    task: Name,
    ask: WorkerTasks[Name]["ask"],
    transfer?: ArrayBufferLike[],
  ): Promise<WorkerTasks[Name]["answer"]> {
    const answer = this.client?.ask(task, ask, transfer) ?? Promise.reject(new ThreadEnded("search is not running"))
    return answer.catch(error => {
      throw error instanceof ThreadEnded ? new EngineError("search", error.message, { cause: error }) : error
    })
  }

  async stop(): Promise<void> {
    await this.client?.ask("close", {}).catch(() => {}) // a worker that failed has nothing left to close
    await this.client?.close()
    this.client = undefined
  }
}
