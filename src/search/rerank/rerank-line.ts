/**
 * Everyone's texts before the one reranking model: a few at a time, in turn between workspaces and within one between
 * requests, so that a thousand documents delay ten passages by a batch and not by a minute. Whoever cannot be served in the
 * time that he has is told at once.
 */
import { availableParallelism } from "node:os"
import { Gate } from "../../threads/gate.ts"
import { orAbort } from "../../threads/or-abort.ts"
import type { RerankBudget } from "./budgets.ts"
import type { Judged, Reranker } from "./scorer.ts"
import { MAX_WINDOWS, WINDOW_CHARS } from "./windows.ts"

export interface RerankRequest extends Pick<RerankBudget, "budgetMs" | "coreShare"> {
  workspaceId: string
  query: string
  texts: readonly string[]
  /** See `Reranker.score`. */
  foreign: "pass over" | "score"
  signal?: AbortSignal | undefined
}

/** What the next texts are worth, in the order in which they were given. */
export interface JudgedPart extends Judged {
  /** Index of the first of them. */
  from: number
}

/** The time that a request had is over, or would be. */
export class TooLate extends Error {
  override name = "TooLate"
}

/** A batch under way cannot be interrupted: 150 ms on a slow core. */
const BATCH_CHARS = 4_000
/** Requests that wait at a time. */
const MAX_WAITING = 256
/** Before anything was measured: a core of 2020 reads a window of 1 200 characters in 40 ms. */
const FIRST_MS_PER_CHAR = 0.035
/** Of what was measured, the share of the last batch. */
const LAST_SHARE = 0.2
/** A slow spell is forgotten after this: whoever is turned away because of it measures nothing. */
const FORGET_MS = 3_000

export class RerankLine {
  private readonly gate = new Gate({
    places: 1,
    waiting: MAX_WAITING,
    refusal: "too many requests wait for the reranking model",
    retryAfterSeconds: 5,
  })
  private msPerChar = FIRST_MS_PER_CHAR
  private measuredAt = Number.NEGATIVE_INFINITY
  /** Characters that each request under way still has to be read. */
  private readonly left = new Map<RerankRequest, number>()
  /** Until then those that may take a share only have had theirs. */
  private sharedUntil = Number.NEGATIVE_INFINITY
  private readonly forgetMs: number
  private readonly cores: number

  constructor(
    private readonly reranker: Reranker,
    { forgetMs = FORGET_MS, cores = availableParallelism() }: { forgetMs?: number; cores?: number } = {},
  ) {
    this.forgetMs = forgetMs
    this.cores = cores
  }

  get model(): string {
    return this.reranker.model
  }

  /** How many of the first of these texts can be judged in so much time. */
  fitting(texts: readonly string[], budgetMs: number): number {
    let count = texts.length
    while (count > 0 && this.expectedMs(texts.slice(0, count)) > budgetMs) count--
    return count
  }

  /**
   * Part after part until all texts are judged.
   * @throws TooLate; AppError overloaded, model_unavailable; the reason of the signal
   */
  async *judge(request: RerankRequest): AsyncGenerator<JudgedPart, void> {
    const { texts, budgetMs, coreShare, signal } = request
    const begun = performance.now()
    if (coreShare !== undefined && begun < this.sharedUntil) throw new TooLate("the share of the cores is used up")
    if (this.expectedMs(texts) > budgetMs) throw new TooLate("others are to be served first")
    if (coreShare !== undefined) this.sharedUntil = Number.POSITIVE_INFINITY
    const late = AbortSignal.timeout(budgetMs)
    const stop = signal ? AbortSignal.any([signal, late]) : late
    this.left.set(request, costOf(texts))
    try {
      for (const [from, part] of batchesOf(texts)) {
        yield { from, ...(await this.judgePart(request, part, stop)) }
        this.left.set(request, this.left.get(request)! - costOf(part))
      }
    } catch (error) {
      signal?.throwIfAborted()
      throw late.aborted ? new TooLate("the time is over") : error
    } finally {
      this.left.delete(request)
      if (coreShare !== undefined) {
        const now = performance.now()
        this.sharedUntil = now + (now - begun) * Math.max(0, 1 / (coreShare * this.cores) - 1)
      }
    }
  }

  private async judgePart(
    { workspaceId, query, foreign }: RerankRequest,
    texts: string[],
    stop: AbortSignal,
  ): Promise<Judged> {
    const ticket = this.gate.enter(workspaceId)
    let running: Promise<Judged> | undefined
    try {
      await ticket.turn(stop)
      stop.throwIfAborted()
      const since = performance.now()
      running = this.reranker.score(query, texts, foreign, stop).then(judged => {
        this.note(texts, judged, performance.now() - since)
        return judged
      })
      return await orAbort(running, stop)
    } finally {
      // Who was not waited for holds the model until it is done.
      if (running) void running.catch(() => {}).finally(() => ticket.leave())
      else ticket.leave()
    }
  }

  /** With everyone served in turn, nobody is read more of than oneself before one is done. */
  private expectedMs(texts: readonly string[]): number {
    const own = costOf(texts)
    let chars = own
    for (const left of this.left.values()) chars += Math.min(left, own)
    const isRecent = performance.now() - this.measuredAt < this.forgetMs
    return chars * (isRecent ? this.msPerChar : FIRST_MS_PER_CHAR)
  }

  private note(texts: string[], { tokens }: Judged, tookMs: number): void {
    const chars = costOf(texts)
    // What was passed over, and a few words, say nothing of the speed.
    if (tokens * 10 < chars || chars < WINDOW_CHARS) return
    this.msPerChar += LAST_SHARE * (tookMs / chars - this.msPerChar)
    this.measuredAt = performance.now()
  }
}

/** Characters that are read; a long text is not read whole. */
const costOf = (texts: readonly string[]): number =>
  texts.reduce((sum, { length }) => sum + Math.min(length, MAX_WINDOWS * WINDOW_CHARS), 0)

function* batchesOf(texts: readonly string[]): Generator<[from: number, texts: string[]]> {
  for (let from = 0, to = 0; from < texts.length; from = to) {
    let chars = 0
    for (to = from; to < texts.length && (to === from || chars + texts[to]!.length <= BATCH_CHARS); to++)
      chars += texts[to]!.length
    yield [from, texts.slice(from, to)]
  }
}
