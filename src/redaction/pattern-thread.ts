/** The main thread's end of the search for custom patterns. */
import { AppError } from "../errors.ts"
import { workerUrl } from "../native/self.ts"
import type { PatternAnswer, PatternAsk } from "./pattern-messages.ts"
import type { CustomPattern } from "./policy.ts"

/** Characters that wait to be searched; more texts are refused, because each is held in memory twice. */
const MAX_WAITING_CHARACTERS = 16_000_000
/** Shorter ones are always taken: the deltas of a reply that is being written. */
const SHORT_CHARACTERS = 16_384
const RETRY_AFTER_SECONDS = 10

interface Waiting {
  resolve(answer: PatternAnswer): void
  reject(error: Error): void
}

/** A session, and the worker that holds it: what was begun in one that died cannot be gone on with. */
interface Place {
  session: number
  worker: Worker
}

interface Text {
  given: string
  plain: string
  final: boolean
}

/** Starts with the first text that is searched. */
export class PatternThread {
  private worker: Worker | undefined
  private readonly waiting = new Map<number, Waiting>()
  private waitingCharacters = 0
  private lastSession = 0
  /** Whoever lets go of a text that has not ended frees what the thread holds for it. */
  private readonly forgotten = new FinalizationRegistry<number>(session =>
    this.worker?.postMessage({ kind: "close", session } satisfies PatternAsk),
  )

  open(patterns: { custom: CustomPattern; ofGiven: boolean }[], signal?: AbortSignal): PatternSession {
    const session = ++this.lastSession
    this.worker ??= this.start()
    this.worker.postMessage({ kind: "open", session, patterns } satisfies PatternAsk)
    const opened = new PatternSession(this, { session, worker: this.worker }, signal)
    this.forgotten.register(opened, session)
    return opened
  }

  /** @throws AppError overloaded; invalid_pattern where it takes too long; the reason of the signal */
  async push({ session, worker }: Place, text: Text, signal?: AbortSignal) {
    signal?.throwIfAborted()
    if (this.worker !== worker) throw new Error("the search for custom patterns was cut off")
    const length = text.given.length + text.plain.length
    if (length > SHORT_CHARACTERS && this.waitingCharacters + length > MAX_WAITING_CHARACTERS)
      throw new AppError("overloaded", {
        message: "too much text is being searched for custom patterns at present",
        retryAfter: RETRY_AFTER_SECONDS,
      })
    const { promise, resolve, reject } = Promise.withResolvers<PatternAnswer>()
    const stop = () => {
      worker.postMessage({ kind: "close", session } satisfies PatternAsk)
      reject(signal!.reason)
    }
    signal?.addEventListener("abort", stop)
    this.waiting.set(session, { resolve, reject })
    this.waitingCharacters += length
    try {
      worker.postMessage({ kind: "push", session, ...text } satisfies PatternAsk)
      const { found, pending } = await promise
      if (found) return { found, pending }
      throw new AppError("invalid_pattern", {
        message: "the custom patterns take too long on this text; make them simpler or the text shorter",
      })
    } finally {
      this.waitingCharacters -= length
      this.waiting.delete(session)
      signal?.removeEventListener("abort", stop)
    }
  }

  close(): void {
    this.end(new Error("the search for custom patterns was stopped"))
  }

  private start(): Worker {
    const worker: Worker & { unref?(): void } = new Worker(workerUrl("redaction/pattern-worker"))
    worker.unref?.() // it holds nothing that must be finished
    worker.onmessage = ({ data }: MessageEvent<PatternAnswer>) => this.waiting.get(data.session)?.resolve(data)
    const died = (reason: string) => {
      if (this.worker === worker) this.end(new Error(`the search for custom patterns failed: ${reason}`))
    }
    worker.onerror = event => died(event.message)
    worker.addEventListener("close", () => died("the thread ended"))
    return worker
  }

  /** Texts that were begun cannot be gone on with; the next one starts a thread anew. */
  private end(error: Error): void {
    const { worker } = this
    this.worker = undefined
    for (const { reject } of this.waiting.values()) reject(error)
    worker?.terminate()
  }
}

/** The search through one text that arrives in pieces. */
export class PatternSession {
  constructor(
    private readonly thread: PatternThread,
    private readonly place: Place,
    private readonly signal: AbortSignal | undefined,
  ) {}

  push(given: string, plain: string, final: boolean): Promise<{ found: Uint32Array; pending: number[] }> {
    return this.thread.push(this.place, { given, plain, final }, this.signal)
  }
}
