/**
 * The daemon's end of a worker thread: one request, one promise. A thread that ended stays ended, and what waited for it
 * fails with `ThreadEnded`; whether another takes its place, and when, is its owner's decision and is made there. It keeps
 * the process up only while somebody waits for it.
 */
import { workerUrl } from "../native/self.ts"
import { errorOf, type TaskTable, type ThreadReply, type ThreadRequest } from "./thread-side.ts"

export interface ThreadOptions {
  /** Its entry point below `src/`, such as `search/search-worker`; see `workerUrl`. */
  entry: string
  /** What the thread is called in errors: `the search thread`. */
  what: string
  /** Told once when it died by itself, after what waited has failed; not told of `close`. */
  onDeath?: (error: ThreadEnded) => void
  /** Makes the worker; tests put one in that dies. */
  start?: () => Worker
}

/** The thread is no more: what was asked of it may or may not have been done. */
export class ThreadEnded extends Error {
  override name = "ThreadEnded"
}

/** The browser's types are in the way of Bun's. */
type BunWorker = Worker & { ref?(): void; unref?(): void }

interface Waiting {
  resolve(answer: unknown): void
  reject(error: Error): void
}

export class ThreadClient<Tasks extends TaskTable<Tasks>> {
  private readonly worker: BunWorker
  private readonly waiting = new Map<number, Waiting>()
  private lastId = 0
  private end: ThreadEnded | undefined
  private idle = Promise.withResolvers<void>()

  constructor(private readonly options: ThreadOptions) {
    const { entry, start = () => new Worker(workerUrl(entry)) } = options
    this.worker = start()
    this.worker.unref?.()
    this.worker.onmessage = ({ data }: MessageEvent<ThreadReply>) => this.settle(data)
    this.worker.onerror = event => this.died(event.message)
    // A thread may end without an error; whoever waits for it must not wait for ever.
    this.worker.addEventListener("close", () => this.died("it ended"))
  }

  get ended(): boolean {
    return this.end !== undefined
  }

  /**
   * @param transfer buffers of `ask` that go over to the thread instead of being copied
   * @throws ThreadEnded; what the task threw, without its class
   */
  ask<Name extends keyof Tasks>(
    task: Name,
    ask: Tasks[Name]["ask"],
    transfer: ArrayBufferLike[] = [],
  ): Promise<Tasks[Name]["answer"]> {
    if (this.end) return Promise.reject(this.end)
    const id = ++this.lastId
    return new Promise((resolve, reject) => {
      this.worker.postMessage({ id, task, ask } satisfies ThreadRequest<Tasks>, transfer as Transferable[])
      if (this.waiting.size === 0) this.worker.ref?.()
      this.waiting.set(id, { resolve: resolve as (answer: unknown) => void, reject })
    })
  }

  /**
   * Waits for what is under way, if not for long, and ends the thread; what waits then fails. Ended inside native code a
   * thread takes the process with it: one that is still busy is left alone, and ends with its next word.
   */
  async close(patienceMs = 0): Promise<void> {
    if (this.waiting.size > 0 && patienceMs > 0) await Promise.race([this.idle.promise, Bun.sleep(patienceMs)])
    if (this.end) return
    const isBusy = this.waiting.size > 0
    this.fail(new ThreadEnded(`${this.options.what} was stopped`))
    if (!isBusy) this.worker.terminate()
    else this.worker.onmessage = () => this.worker.terminate()
  }

  private settle(reply: ThreadReply): void {
    const waiting = this.waiting.get(reply.id)
    this.waiting.delete(reply.id)
    if (this.waiting.size === 0) this.rest()
    if ("failure" in reply) waiting?.reject(errorOf(reply.failure))
    else waiting?.resolve(reply.answer)
  }

  private rest(): void {
    this.worker.unref?.()
    this.idle.resolve()
    this.idle = Promise.withResolvers()
  }

  private died(reason: string): void {
    if (this.end) return
    const error = new ThreadEnded(`${this.options.what} failed: ${reason}`)
    this.fail(error)
    this.worker.terminate()
    this.options.onDeath?.(error)
  }

  private fail(error: ThreadEnded): void {
    this.end = error
    for (const { reject } of this.waiting.values()) reject(error)
    this.waiting.clear()
    this.rest()
  }
}
