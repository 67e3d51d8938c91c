/**
 * Some seconds of a batch: its lines are carried out, several at a time, until the slice is over and other batches have their
 * turn. Every line has its answer recorded by itself, so that a daemon that dies loses none.
 */
import type { Principal } from "../access/principal.ts"
import type { LeasedJob } from "../jobs/worker.ts"
import { log } from "../log.ts"
import type { BatchesTable } from "../storage/batches.ts"
import type { StoredBytes } from "../storage/blobs/blobs.ts"
import { answerLine } from "./answer-line.ts"
import type { BatchEnd, BatchLine, BatchStore } from "./batch-store.ts"
import { carryOut, type ErrandDependencies } from "./errand.ts"
import { type LineProblem, parseRequest, problem } from "./input.ts"
import type { TargetUrl } from "./targets.ts"

export interface SliceDependencies extends ErrandDependencies {
  store: BatchStore
}

/** Lines go on to be begun for so long. */
const SLICE_MS = 5_000
/** How often a batch at work is looked at: cancelled, out of time, or without its key. */
const WATCH_MS = 1_000
/** Waits between tries for want of a model or a store. */
const BACK_OFF_MS = [1_000, 2_000, 5_000, 15_000, 30_000, 60_000]
/** Of all answers of a batch. */
const MAX_ANSWERS_BYTES = 2 ** 30

/** Why a batch ends before all is answered. */
export class BatchStop extends Error {
  constructor(
    readonly outcome: BatchEnd,
    readonly problems: readonly LineProblem[] = [],
  ) {
    super(`the batch is to end: ${outcome}`)
  }
}

/** @throws BatchStop; the reason of the job's signal; what the store throws */
export async function carryOutSlice(
  job: LeasedJob,
  batch: BatchesTable,
  input: StoredBytes,
  dependencies: SliceDependencies,
): Promise<void> {
  const stop = new AbortController()
  const signal = AbortSignal.any([job.signal, stop.signal])
  const slice = new Slice(job, batch, input, dependencies, signal)
  const watch = setInterval(() => {
    slice.check().catch(error => {
      if (error instanceof BatchStop) stop.abort(error)
    })
  }, WATCH_MS)
  try {
    const work = Array.from({ length: dependencies.room.concurrency }, () =>
      slice.work().catch(error => {
        stop.abort(error) // the others end with it
        throw error
      }),
    )
    await Promise.allSettled(work)
    if (stop.signal.aborted) throw stop.signal.reason
    await Promise.all(work)
  } finally {
    clearInterval(watch)
  }
}

class Slice {
  private readonly until = performance.now() + SLICE_MS
  /** Lines that this slice has in hand, or has dealt with. */
  private readonly taken = new Set<number>()
  private readonly next: BatchLine[] = []
  private filling: Promise<void> | undefined

  constructor(
    private readonly job: LeasedJob,
    private readonly batch: BatchesTable,
    private readonly input: StoredBytes,
    private readonly dependencies: SliceDependencies,
    private readonly signal: AbortSignal,
  ) {}

  /** One line after the other, while the slice lasts and there are any. */
  async work(): Promise<void> {
    while (performance.now() < this.until) {
      this.signal.throwIfAborted()
      const line = await this.take()
      if (!line) return
      await this.carryOut(line)
    }
  }

  /** @throws BatchStop where the batch may not go on */
  async check(): Promise<Principal> {
    const { store, holders } = this.dependencies
    const now = await store.find(this.batch.id)
    if (!now || now.status === "cancelling") throw new BatchStop("cancelled")
    if (now.expires_at <= new Date().toISOString()) throw new BatchStop("expired")
    if (now.answer_bytes > MAX_ANSWERS_BYTES) throw new BatchStop("failed", [TOO_LARGE])
    const holder = await holders.find(now.holder_id, now.workspace_id)
    if (!holder?.principal.scopes.includes("batches")) throw new BatchStop("failed", [NO_RIGHTS])
    return holder.principal
  }

  private async take(): Promise<BatchLine | undefined> {
    if (this.next.length === 0) {
      this.filling ??= this.fill().finally(() => {
        this.filling = undefined
      })
      await this.filling
    }
    return this.next.shift()
  }

  private async fill(): Promise<void> {
    const { store, room } = this.dependencies
    for (const line of await store.waiting(this.batch.id, [...this.taken], 2 * room.concurrency)) {
      this.taken.add(line.line)
      this.next.push(line)
    }
  }

  private async carryOut(line: BatchLine): Promise<void> {
    const { store, room } = this.dependencies
    const url = line.url as TargetUrl
    await room.within(this.batch.workspace_id, url, this.signal, async () => {
      const principal = await this.check()
      if (!line.begun) await store.changeLine(this.job, line, { begun: 1 })
      const outcome = await this.ask(line, url, principal)
      if (outcome.later) {
        const waitMs = BACK_OFF_MS[Math.min(line.tries, BACK_OFF_MS.length - 1)]!
        log.info("a request of a batch is put off", { batch_id: line.batch_id, line: line.line, wait_ms: waitMs })
        return store.putOff(this.job, line, waitMs)
      }
      const { text, isError } = answerLine(line.custom_id, outcome)
      await store.record(this.job, line, text, isError)
    })
    this.taken.delete(line.line)
  }

  private async ask(line: BatchLine, url: TargetUrl, principal: Principal) {
    const { store, dispatch, forget } = this.dependencies
    const range = { start: line.start_byte, end: line.end_byte }
    const bytes = await new Response(await this.input.stream(range, this.signal)).bytes()
    const { body } = parseRequest(bytes) as { body: unknown }
    return carryOut(
      {
        principal,
        key: `${line.batch_id}-${line.line}`,
        url,
        body: JSON.stringify(body),
        progress: { begun: line.begun === 1, round: line.round, leftover: line.leftover && JSON.parse(line.leftover) },
        save: ({ round, leftover }) =>
          store.changeLine(this.job, line, { round, leftover: leftover && JSON.stringify(leftover) }),
        signal: this.signal,
      },
      dispatch,
      forget,
    )
  }
}

const NO_RIGHTS = problem("unauthorized", "the key or user whose batch it is may not go on with it any more")
const TOO_LARGE = problem("output_too_large", `the answers have more than ${MAX_ANSWERS_BYTES} bytes together`)
