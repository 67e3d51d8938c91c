/** The daemon's end of a model that runs in a thread of its own. Whoever has several batches decides which goes next. */
import { log } from "../log.ts"
import { ThreadClient, ThreadEnded } from "../threads/thread-client.ts"

export interface ModelTasks<Open, Batch, Answer> {
  open: { ask: Open; answer: undefined }
  run: { ask: Batch; answer: Answer }
}

export interface ModelThreadOptions<Open> {
  /** Its name, for the log. */
  model: string
  /** See `ThreadOptions`. */
  entry: string
  open: Open
  /** Makes the worker; tests put one in that dies. */
  startWorker?: (() => Worker) | undefined
  /** After so long without work its memory is given back; the next call loads it again. Never without it. */
  idleMs?: number | undefined
}

/** For large models, which take 100 to 200 MB and load in a second. */
export const UNLOAD_IDLE_MS = 10 * 60_000

/** The model cannot be opened, or its thread died twice in a row. */
export class ModelUnusable extends Error {
  constructor(
    readonly why: "cannot be opened" | "crashed twice",
    reason: string,
  ) {
    super(reason)
  }
}

/** Loading and one batch end well within this. */
const CLOSE_MS = 3_000

/**
 * States: `not_started` (the thread starts with the first `load` or `run`) → `loading` → `loaded` ⇄ running one batch.
 * A thread that dies is replaced once, and its batch runs again; when the next one dies before it finished a batch, or the
 * model cannot be opened, the call fails with ModelUnusable, and the next call begins anew. `close` is final.
 */
export class ModelThread<Open, Batch, Answer> {
  state: "not_started" | "loading" | "loaded" = "not_started"
  private thread: ThreadClient<ModelTasks<Open, Batch, Answer>> | undefined
  private opened: Promise<void> = Promise.resolve()
  private deaths = 0
  private closed = false
  /** Calls under way. */
  private calls = 0
  private idle: Timer | undefined

  constructor(private readonly options: ModelThreadOptions<Open>) {}

  /** @throws ModelUnusable */
  load(): Promise<void> {
    return this.insist(async () => void (await this.open()))
  }

  /**
   * One batch; the next is to wait for its end.
   * @param signal after which it is not run a second time
   * @throws ModelUnusable; what the model threw; the reason of the signal
   */
  run(batch: Batch, signal?: AbortSignal): Promise<Answer> {
    return this.insist(async () => {
      const thread = await this.open()
      try {
        return await thread.ask("run", batch)
      } finally {
        if (!thread.ended) this.deaths = 0
      }
    }, signal)
  }

  /** Waits for what is under way: a thread that is ended inside native code takes the process with it. */
  async close(): Promise<void> {
    this.closed = true
    clearTimeout(this.idle)
    await this.thread?.close(CLOSE_MS)
    this.state = "not_started"
  }

  private async insist<T>(act: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    this.calls++
    clearTimeout(this.idle)
    try {
      for (;;)
        try {
          return await act()
        } catch (error) {
          if (!(error instanceof ThreadEnded) || this.closed) throw error
          this.countDeath(error)
          signal?.throwIfAborted()
        }
    } finally {
      if (--this.calls === 0) this.rest()
    }
  }

  private rest(): void {
    const { idleMs } = this.options
    if (idleMs === undefined || this.closed) return
    this.idle = setTimeout(() => this.unload(), idleMs)
    this.idle.unref()
  }

  /** Nothing is under way: it ends at once. */
  private unload(): void {
    void this.thread?.close()
    this.thread = undefined
    this.state = "not_started"
  }

  private countDeath({ message: reason }: ThreadEnded): void {
    this.state = "not_started"
    this.deaths++
    log.warn("the thread of a model died", { model: this.options.model, reason, deaths: this.deaths })
    if (this.deaths < 2) return
    this.deaths = 0
    throw new ModelUnusable("crashed twice", reason)
  }

  private async open(): Promise<ThreadClient<ModelTasks<Open, Batch, Answer>>> {
    if (this.closed) throw new ThreadEnded(`the model ${this.options.model} is closed`)
    if (!this.thread || this.thread.ended) this.start()
    await this.opened
    return this.thread!
  }

  private start(): void {
    const { model, entry, open, startWorker } = this.options
    const what = `the thread of the model ${model}`
    const thread = new ThreadClient<ModelTasks<Open, Batch, Answer>>({
      entry,
      what,
      ...(startWorker ? { start: startWorker } : {}),
    })
    this.thread = thread
    this.state = "loading"
    this.opened = thread.ask("open", open).then(
      () => {
        this.state = "loaded"
      },
      async error => {
        if (error instanceof ThreadEnded) throw error
        this.state = "not_started"
        this.deaths = 0
        await thread.close()
        throw new ModelUnusable("cannot be opened", (error as Error).message)
      },
    )
  }
}
