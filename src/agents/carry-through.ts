/** One run from its turn in the queue to its outcome, whatever that is. */
import { toErrorBody } from "../errors.ts"
import { foreignLinks, foreignLinkWarning } from "../grounding/foreign-links.ts"
import { type Citation, Passages } from "../grounding/passages.ts"
import type { Guarded } from "../guarded.ts"
import { agentRunSeconds } from "../metrics.ts"
import { PARTIAL_REDACTION } from "../redaction/redact.ts"
import type { SearchService } from "../search/types.ts"
import { orAbort } from "../threads/or-abort.ts"
import type { Evaluator } from "../tools/evaluator.ts"
import type { AgentLibrary } from "../tools/library.ts"
import type { TableReader } from "../tools/table-reader.ts"
import { PersonalApprover } from "./approver.ts"
import { Ending, endingOf } from "./endings.ts"
import { runExtractive } from "./extractive.ts"
import type { LiveRun } from "./live-run.ts"
import type { PreparedRun } from "./prepare.ts"
import { type RunInput, type RunResult, runAgent } from "./run.ts"
import { RUN_OUTCOME, type RunOutcome } from "./run-rows.ts"
import type { RunStore } from "./run-store.ts"
import { StepWriter } from "./step-writer.ts"

export interface CarryDependencies {
  store: RunStore
  library: AgentLibrary
  search: SearchService
  tables: TableReader
  evaluator: Evaluator
}

/** What the run reached, to be stored. Throws only when nothing at all can be said of it. */
export async function carryThrough(
  run: LiveRun,
  prepared: PreparedRun,
  { store, library, search, tables, evaluator }: CarryDependencies,
): Promise<Guarded<RunOutcome>> {
  const { signal } = run.abort
  const { guard } = prepared
  const startedAt = performance.now()
  const passages = new Passages()
  const { account } = prepared.input.model
  const steps = new StepWriter(store, run.id, account, () => run.notify())
  const input: RunInput = {
    ...prepared.input,
    context: { ...prepared.context, library, search, tables, evaluator, passages, now: () => new Date(), signal },
    approver: new PersonalApprover(run, store.approvals, guard, prepared.approvalSeconds),
    steps,
  }
  let ending: ReturnType<typeof endingOf>
  let citations: Citation[] = []
  let given: readonly string[] | undefined
  try {
    await run.pace.turn(signal)
    const result = await orAbort((prepared.extractive ? runExtractive : runAgent)(input), signal)
    given = result.given
    citations = passages.citedIn(result.output)
    ending = completed(result)
  } catch (error) {
    ending = endingOf(await guard.error(error), run.id)
  }
  await steps.flush().catch(() => {}) // what cannot be written now fails again when the end is stored
  run.abort.abort(new Ending("interrupted")) // nothing that the run began outlives it
  agentRunSeconds.observe({ status: ending.status }, (performance.now() - startedAt) / 1000)
  guard.audit({ run_id: run.id })
  const foreign = given && foreignLinkWarning(foreignLinks(ending.output, given))
  const warnings = [...(guard.partial ? [PARTIAL_REDACTION] : []), ...(foreign ? [foreign] : [])]
  const reached: RunOutcome = { ...ending, citations, warnings, usage: account.usage, nerCount: guard.count }
  return guard.passOutcome(reached, RUN_OUTCOME, error => ({
    ...reached,
    output: "",
    structuredOutput: undefined,
    citations: [],
    status: "failed",
    finishReason: "error",
    error: toErrorBody(error),
  }))
}

const completed = ({ output, structuredOutput, finishReason }: RunResult): ReturnType<typeof endingOf> => ({
  status: "completed",
  output,
  structuredOutput,
  finishReason,
  error: null,
})
