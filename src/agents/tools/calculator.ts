/** Keeps one worker for expressions while they come, ends it when they stop or one does not finish. */
import { ToolError } from "./tool-error.ts"

/** From source the first use loads mathjs, which takes a second or two on a busy machine. */
const TIMEOUT_MS = 10_000
const IDLE_MS = 60_000

interface Pending {
  resolve(value: string): void
  reject(error: Error): void
}

export class Calculator {
  private worker: Worker | undefined
  private readonly pending = new Map<number, Pending>()
  private lastId = 0
  private idle: ReturnType<typeof setTimeout> | undefined

  /** @param url entry point of the worker */
  constructor(
    private readonly url: string,
    private readonly timeoutMs = TIMEOUT_MS,
  ) {}

  /** @throws ToolError saying what is wrong with the expression, or that it took too long */
  async evaluate(expression: string, signal: AbortSignal): Promise<string> {
    this.worker ??= this.start()
    clearTimeout(this.idle)
    const id = ++this.lastId
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    this.pending.set(id, { resolve, reject })
    const timer = setTimeout(
      () => this.end(`The expression took longer than ${this.timeoutMs / 1000} s.`),
      this.timeoutMs,
    )
    const stop = () => reject(new ToolError("The calculation was stopped."))
    signal.addEventListener("abort", stop, { once: true })
    try {
      this.worker.postMessage({ id, expression })
      return await promise
    } finally {
      clearTimeout(timer)
      signal.removeEventListener("abort", stop)
      this.pending.delete(id)
      if (this.pending.size === 0) this.restUntilIdle()
    }
  }

  close(): void {
    this.end("The calculator was closed.")
  }

  private start(): Worker {
    const worker = new Worker(this.url)
    worker.onmessage = ({ data }: MessageEvent<{ id: number; value?: string; problem?: string }>) => {
      const waiting = this.pending.get(data.id)
      if (data.value === undefined)
        waiting?.reject(new ToolError(data.problem ?? "The expression cannot be calculated."))
      else waiting?.resolve(data.value)
    }
    worker.onerror = () => this.end("The expression cannot be calculated.")
    return worker
  }

  /** Those that wait share the fate of the one that did not finish: the thread is gone. */
  private end(reason: string): void {
    clearTimeout(this.idle)
    this.worker?.terminate()
    this.worker = undefined
    for (const waiting of this.pending.values()) waiting.reject(new ToolError(reason))
  }

  private restUntilIdle(): void {
    clearTimeout(this.idle)
    this.idle = setTimeout(() => this.end("The calculator was closed."), IDLE_MS)
    this.idle.unref()
  }
}
