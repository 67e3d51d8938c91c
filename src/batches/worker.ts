/** Carries batches out: the handler of their jobs. Each job goes on where the last attempt, or another node, has left it. */
import { isUsedUp, type JobQueue } from "../jobs/queue.ts"
import type { JobFailure, LeasedJob } from "../jobs/worker.ts"
import { log } from "../log.ts"
import type { BatchesTable } from "../storage/batches.ts"
import { unanswered } from "./answer-line.ts"
import type { BatchEnd } from "./batch-store.ts"
import type { BatchFile, BatchFiles } from "./files.ts"
import { checkInput, problem } from "./input.ts"
import { BatchStop, carryOutSlice, type SliceDependencies } from "./slice.ts"

export interface BatchWorkerDependencies extends SliceDependencies {
  queue: JobQueue
  files: BatchFiles
}

/** Longest wait for lines that are put off: a clock may be wrong. */
const MAX_WAIT_MS = 60_000

/** What is said of lines that were not answered, by how their batch ended. */
const UNANSWERED: Record<Exclude<BatchEnd, "completed">, { code: string; message: string }> = {
  expired: { code: "batch_expired", message: "the batch was out of time before this request was answered" },
  cancelled: { code: "batch_cancelled", message: "the batch was cancelled before this request was answered" },
  failed: { code: "batch_failed", message: "the batch ended before this request was answered" },
}

export class BatchWorker {
  constructor(private readonly dependencies: BatchWorkerDependencies) {}

  handle = async (jobs: readonly LeasedJob[]): Promise<JobFailure[]> => {
    const failures: JobFailure[] = []
    for (const job of jobs) await this.carryOn(job).catch(error => failures.push({ job, error }))
    return failures
  }

  /** @throws what makes it worth another try */
  private async carryOn(job: LeasedJob): Promise<void> {
    const { store } = this.dependencies
    for (;;) {
      job.signal.throwIfAborted()
      const batch = await store.find(job.subject)
      if (!batch || batch.finished_at !== null) return store.forget(job)
      if (isUsedUp(job)) return store.end(job, batch, "failed", { errors: [GIVEN_UP] })
      if (batch.status === "validating") await this.validate(job, batch)
      else if (batch.status === "cancelling") await store.finalize(job, "cancelled")
      else if (batch.status === "finalizing") return this.finish(job, batch)
      else if (!(await this.goOn(job, batch))) return
    }
  }

  private async validate(job: LeasedJob, batch: BatchesTable): Promise<void> {
    const { store, files } = this.dependencies
    const input = await store.inputOf(batch)
    if (!input) return store.end(job, batch, "failed", { errors: [NO_INPUT] })
    const stream = await (await files.bytes(input)).stream(undefined, job.signal)
    const { lines, problems } = await checkInput(stream, batch.endpoint, job.signal)
    if (problems.length > 0) await store.end(job, batch, "failed", { errors: problems })
    else await store.begin(job, batch, lines)
  }

  /** @returns false when others have their turn, or the next line is not due */
  private async goOn(job: LeasedJob, batch: BatchesTable): Promise<boolean> {
    const { store, queue, files } = this.dependencies
    const due = await store.nextDue(batch.id)
    if (due === undefined) {
      await store.finalize(job, "completed")
      return true
    }
    try {
      const input = await store.inputOf(batch)
      if (!input) throw new BatchStop("failed", [NO_INPUT])
      await carryOutSlice(job, batch, await files.bytes(input), this.dependencies)
    } catch (error) {
      if (!(error instanceof BatchStop)) throw error
      await store.finalize(job, error.outcome, error.problems)
      return true
    }
    const next = await store.nextDue(batch.id)
    if (next === undefined) return true
    const waitMs = next === "" ? 1 : Math.min(MAX_WAIT_MS, Math.max(1, Date.parse(next) - Date.now()))
    await queue.goOn(job, waitMs)
    return false
  }

  private async finish(job: LeasedJob, batch: BatchesTable): Promise<void> {
    const { store } = this.dependencies
    const outcome = (batch.outcome ?? "failed") as BatchEnd
    const output = await this.write(job, batch, "output")
    const errorFile = await this.write(job, batch, "errors")
    const files = { ...(output ? { output } : {}), ...(errorFile ? { errorFile } : {}) }
    await store.end(job, batch, outcome, files)
    log.info("a batch has ended", { batch_id: batch.id, status: outcome })
  }

  /** Undefined where there is no line for it. Bytes of an attempt that ends before its rows are swept. */
  private async write(job: LeasedJob, batch: BatchesTable, of: "output" | "errors"): Promise<BatchFile | undefined> {
    const { store, files } = this.dependencies
    const lines = store.answers(batch.id, of)
    const first = await lines.next()
    if (first.done) return undefined
    const instead = UNANSWERED[(batch.outcome === "completed" ? "failed" : batch.outcome) as keyof typeof UNANSWERED]
    const encoder = new TextEncoder()
    const spelled = ({ custom_id, answer }: typeof first.value) =>
      encoder.encode(`${answer ?? unanswered(custom_id, instead.code, instead.message).text}\n`)
    async function* bytes() {
      yield spelled(first.value!)
      for await (const line of lines) yield spelled(line)
    }
    return files.write(batch, `${batch.id}_${of === "output" ? "output" : "error"}.jsonl`, bytes(), job.signal)
  }
}

const NO_INPUT = problem("input_gone", "the input file is gone")
const GIVEN_UP = problem("internal_error", "the batch was tried again and again, and never came on")
