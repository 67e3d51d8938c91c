/** How a run ends: in its row, in the steps it leaves open, and in the answer of a blocking call. */
import { AppError, type ErrorBody, toErrorBody } from "../errors.ts"
import { log } from "../log.ts"
import type { RunRecord } from "./run-record.ts"
import type { RunOutcome } from "./run-rows.ts"

/** Why a run is ended before it has come to its own end. One that is `left` waits on, and is taken over from its rows. */
export type EndReason = "timeout" | "cancelled" | "interrupted" | "left"

export class Ending extends Error {
  constructor(readonly reason: EndReason) {
    super(`the run ended: ${reason}`)
  }
}

export const INTERRUPTED: ErrorBody = {
  code: "interrupted",
  message: "the daemon stopped while the run was in progress",
}

export function endingOf(
  error: unknown,
  runId: string,
): Pick<RunOutcome, "status" | "output" | "structuredOutput" | "finishReason" | "error"> {
  const nothing = { output: "", structuredOutput: undefined }
  if (error instanceof Ending) {
    if (error.reason === "cancelled") return { ...nothing, status: "cancelled", finishReason: "cancelled", error: null }
    if (error.reason === "timeout")
      return {
        ...nothing,
        status: "timed_out",
        finishReason: "timeout",
        error: toErrorBody(new AppError("agent_timeout")),
      }
    return { ...nothing, status: "failed", finishReason: "error", error: INTERRUPTED }
  }
  if (!(error instanceof AppError)) log.error("an agent run failed", { run_id: runId, error })
  return { ...nothing, status: "failed", finishReason: "error", error: toErrorBody(error) }
}

export function openStepResult(reason: RunOutcome["finishReason"]): string {
  if (reason === "timeout") return "The call was stopped: the run passed its timeout."
  return reason === "cancelled"
    ? "The call was stopped: the run was cancelled."
    : "The call was stopped because the run ended."
}

/** Errors that a later run may not meet. */
const RETRIED = new Set<string>(["overloaded", "store_unavailable"])

/** A finished run as the answer of a blocking call. */
export function answerOf(run: RunRecord): RunRecord {
  if (run.error === null) return run
  const { code, message, details = [], hint } = run.error
  const known = [
    "agent_timeout",
    "output_schema_violation",
    "model_error",
    "model_unavailable",
    "model_not_found",
    "overloaded",
    "insufficient_storage",
    "store_unavailable",
    "invalid_pattern",
  ] as const
  const shown = known.find(each => each === code)
  const options = { message, details: [{ run_id: run.run_id }, ...details], ...(hint ? { hint } : {}) }
  if (code === "interrupted") throw new AppError("overloaded", { ...options, retryAfter: 5 })
  if (shown) throw new AppError(shown, { ...options, ...(RETRIED.has(shown) ? { retryAfter: 5 } : {}) })
  throw new AppError("internal_error", { details: options.details })
}

export const noSuchRun = (): AppError => new AppError("not_found", { message: "there is no such run" })
