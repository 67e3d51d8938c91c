/** How the records of runs pass the guard: what comes from elsewhere, and what is the daemon's own. */
import type { ToolCall } from "../backends/backend.ts"
import { CITATION, ERROR, WARNING } from "../grounding/fields.ts"
import type { Fields } from "../guarded.ts"
import type { RunDescription, RunOutcome, StepOutcome } from "./run-store.ts"

/** Tools and files exist, and the scope was looked at when it came. */
export const RUN_DESCRIPTION: Fields<RunDescription> = {
  task: "text",
  model: "own",
  request: {
    tools: "own",
    file_ids: "own",
    context_id: "own",
    max_steps: "own",
    output_schema: "json",
    redaction: "own",
  },
  additionalMetadata: "json",
  nerCount: "own",
}

export const STEP_CALL: Fields<ToolCall> = { id: "own", name: "text", arguments: "json" }

export const STEP_OUTCOME: Fields<StepOutcome> = { result: "text", isError: "own", durationMs: "own" }

export const RUN_OUTCOME: Fields<RunOutcome> = {
  status: "own",
  output: "text",
  structuredOutput: "json",
  citations: CITATION,
  finishReason: "own",
  error: ERROR,
  warnings: WARNING,
  usage: "own",
  nerCount: "own",
}
