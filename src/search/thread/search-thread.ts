/** The main thread's end of the search worker: one call, one promise. */
import { workerUrl } from "../../native/self.ts"
import type { TaskName, WorkerReply, WorkerTasks } from "./worker-messages.ts"

export class SearchThread {
  private worker: Worker | undefined
  private nextId = 1
  private readonly waiting = new Map<number, { resolve(answer: unknown): void; reject(error: Error): void }>()

  /** `failed` is called when the worker died: what waited was rejected, and it may be started anew. */
  async start(dataDirectory: string, failed: (error: Error) => void): Promise<void> {
    const worker = new Worker(workerUrl("search/thread/search-worker"))
    this.worker = worker
    worker.onmessage = (event: MessageEvent<WorkerReply>) => this.settle(event.data)
    const died = (reason: string) => {
      if (this.worker !== worker) return
      const error = new Error(`the search worker failed: ${reason}`)
      this.worker = undefined
      this.failAll(error)
      worker.terminate()
      failed(error)
    }
    worker.onerror = event => died(event.message)
    // A thread may end without an error; whoever waits for it, `stop` above all, must not wait for ever.
    worker.addEventListener("close", () => died("the thread ended"))
    await this.ask("open", { dataDirectory })
  }

  ask<Name extends TaskName>(
    task: Name,
    ask: WorkerTasks[Name]["ask"],
    transfer: ArrayBufferLike[] = [],
  ): Promise<WorkerTasks[Name]["answer"]> {
    const { worker } = this
    if (!worker) return Promise.reject(new Error("search is not running"))
    const id = this.nextId++
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve: resolve as (answer: unknown) => void, reject })
      worker.postMessage({ id, task, ask }, transfer as Transferable[])
    })
  }

  async stop(): Promise<void> {
    if (!this.worker) return
    await this.ask("close", {}).catch(() => {}) // a worker that failed has nothing left to close
    const { worker } = this
    this.worker = undefined
    worker?.terminate()
    this.failAll(new Error("search was stopped"))
  }

  private settle(reply: WorkerReply): void {
    const waiting = this.waiting.get(reply.id)
    this.waiting.delete(reply.id)
    if ("error" in reply) waiting?.reject(new Error(reply.error))
    else waiting?.resolve(reply.answer)
  }

  private failAll(error: Error): void {
    for (const { reject } of this.waiting.values()) reject(error)
    this.waiting.clear()
  }
}
