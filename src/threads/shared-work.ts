import { orAbort } from "./or-abort.ts"

interface UnderWay<T> {
  done: Promise<T>
  callers: number
  stop: AbortController
}

/** What several callers want at the same time is done once; it ends when nobody waits for it any more. */
export class SharedWork<T> {
  private readonly underWay = new Map<string, UnderWay<T>>()

  /** @throws what `work` throws, the reason of `signal` */
  async do(key: string, work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted()
    const shared = this.underWay.get(key) ?? this.begin(key, work)
    shared.callers++
    try {
      return await orAbort(shared.done, signal)
    } finally {
      if (--shared.callers === 0) {
        this.forget(key, shared)
        shared.stop.abort(new Error("nobody waits for it any more"))
      }
    }
  }

  private begin(key: string, work: (signal: AbortSignal) => Promise<T>): UnderWay<T> {
    const stop = new AbortController()
    const done = work(stop.signal)
    const shared = { done, callers: 0, stop }
    this.underWay.set(key, shared)
    done.catch(() => {}).finally(() => this.forget(key, shared))
    return shared
  }

  private forget(key: string, shared: UnderWay<T>): void {
    if (this.underWay.get(key) === shared) this.underWay.delete(key)
  }
}
