import { AppError } from "../errors.ts"

/** Aborts a request when nothing came for too long, or when the caller's signal does; tells the two apart afterwards. */
export class SilenceWatch {
  private readonly controller = new AbortController()
  private timer: Timer | undefined
  private silent = false
  private readonly onAbort = () => this.controller.abort(this.outer.reason)
  private received = false

  constructor(
    private readonly outer: AbortSignal,
    /** Longest time without a byte; a model that is loaded from a slow disk is silent for minutes. */
    private readonly silenceMs: number,
  ) {
    outer.throwIfAborted()
    outer.addEventListener("abort", this.onAbort, { once: true })
    this.heard()
  }

  get signal(): AbortSignal {
    return this.controller.signal
  }

  /** Something arrived: the silence starts anew. */
  heard(bytes = false): void {
    this.received ||= bytes
    clearTimeout(this.timer)
    this.timer = setTimeout(() => {
      this.silent = true
      this.controller.abort()
    }, this.silenceMs)
  }

  /** Our own waiting is not the server's silence; the watch goes on with the next request. */
  rest(): void {
    clearTimeout(this.timer)
  }

  close(): void {
    clearTimeout(this.timer)
    this.outer.removeEventListener("abort", this.onAbort)
    this.controller.abort() // ends the request if it still runs: leaving the loop early must stop the model
  }

  /** What a failed read or connection means. */
  explain(cause: unknown, hint: string): unknown {
    if (cause instanceof AppError) return cause
    if (this.outer.aborted) return this.outer.reason
    if (this.silent)
      return new AppError("model_error", {
        message: "the model server stopped responding",
        hint: `nothing received for ${Math.round(this.silenceMs / 1000)} s; raise --model-silence-seconds for slower models`,
        cause,
      })
    if (this.received)
      return new AppError("model_error", { message: "the connection to the model server was lost", hint, cause })
    return new AppError("model_unavailable", { hint, cause, retryAfter: 5 })
  }
}
