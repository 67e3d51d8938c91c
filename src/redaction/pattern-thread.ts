/** The main thread's end of the search for custom patterns. */
import { AppError } from "../errors.ts"
import { Gate } from "../threads/gate.ts"
import { orAbort } from "../threads/or-abort.ts"
import { ThreadClient } from "../threads/thread-client.ts"
import type { CustomPattern } from "./custom-pattern.ts"

/** What the thread that searches is asked. Offsets count from the text's beginning. */
export interface PatternTasks {
  open: { ask: { session: number; patterns: SearchedPattern[] }; answer: undefined }
  /** More text; only one of a session at a time. */
  push: { ask: { session: number } & PatternText; answer: PatternAnswer }
  close: { ask: { session: number }; answer: undefined }
}

export interface SearchedPattern {
  custom: CustomPattern
  ofGiven: boolean
}

/** As it was given, and plain. */
export interface PatternText {
  given: string
  plain: string
  final: boolean
}

export interface PatternAnswer {
  /** Number of the pattern, start, end; by pattern, then by position. Undefined where the search took too long. */
  found?: Uint32Array
  /** Per pattern: where the earliest match that is still open begins. */
  pending: number[]
}

/** Characters that wait to be searched; more texts are refused, because each is held in memory twice. */
const MAX_WAITING_CHARACTERS = 16_000_000
/** Shorter ones are always taken: the deltas of a reply that is being written. */
const SHORT_CHARACTERS = 16_384
const RETRY_AFTER_SECONDS = 10

/** Starts with the first text that is searched, and again with the next one after it died. */
export class PatternThread {
  private thread: ThreadClient<PatternTasks> | undefined
  private readonly characters = new Gate({
    places: MAX_WAITING_CHARACTERS,
    placesPerKey: MAX_WAITING_CHARACTERS,
    waiting: 0,
    refusal: "too much text is being searched for custom patterns at present",
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })
  private lastSession = 0
  /** Whoever lets go of a text that has not ended frees what the thread holds for it. */
  private readonly forgotten = new FinalizationRegistry<PatternPlace>(closeSession)

  open(patterns: SearchedPattern[], signal?: AbortSignal): PatternSession {
    if (!this.thread || this.thread.ended)
      this.thread = new ThreadClient({ entry: "redaction/pattern-worker", what: "the search for custom patterns" })
    const place = { session: ++this.lastSession, thread: this.thread }
    // What keeps a session from being opened is told to the first text that is pushed.
    place.thread.ask("open", { session: place.session, patterns }).catch(() => {}) // a search in it fails, and says so
    const opened = new PatternSession(place, this.characters, signal)
    this.forgotten.register(opened, place)
    return opened
  }

  /** What is under way fails: the thread holds nothing that must be finished. */
  close(): void {
    void this.thread?.close()
  }
}

/** A session, and the thread that holds it: what was begun in one that died cannot be gone on with. */
interface PatternPlace {
  session: number
  thread: ThreadClient<PatternTasks>
}

function closeSession({ session, thread }: PatternPlace): void {
  thread.ask("close", { session }).catch(() => {}) // what ended holds nothing
}

/** The search through one text that arrives in pieces. */
export class PatternSession {
  constructor(
    private readonly place: PatternPlace,
    private readonly characters: Gate,
    private readonly signal: AbortSignal = new AbortController().signal,
  ) {}

  /** @throws AppError overloaded; invalid_pattern where it takes too long; the reason of the signal */
  async push(given: string, plain: string, final: boolean): Promise<{ found: Uint32Array; pending: number[] }> {
    const { place, signal } = this
    signal.throwIfAborted()
    const length = given.length + plain.length
    const ticket = length > SHORT_CHARACTERS ? this.characters.enter("", length) : undefined
    try {
      const { session, thread } = place
      const { found, pending } = await orAbort(thread.ask("push", { session, given, plain, final }), signal)
      if (found) return { found, pending }
    } catch (error) {
      if (signal.aborted) closeSession(place)
      throw error
    } finally {
      ticket?.leave()
    }
    throw new AppError("invalid_pattern", {
      message: "the custom patterns take too long on this text; make them simpler or the text shorter",
    })
  }
}
