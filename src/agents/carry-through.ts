/** One run from its turn in the queue to its outcome, whatever that is. */
import type { Account } from "../account.ts"
import { toErrorBody } from "../errors.ts"
import { foreignLinks, foreignLinkWarning } from "../grounding/foreign-links.ts"
import type { Guard } from "../grounding/guard.ts"
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
import type { Checkpoint, LoopState } from "./checkpoint.ts"
import { Ending, endingOf } from "./endings.ts"
import { runExtractive } from "./extractive.ts"
import type { LiveRun } from "./live-run.ts"
import type { ReadyRun } from "./prepare.ts"
import type { Resumption } from "./resumed-calls.ts"
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

/** A run that was accepted, or one that waited elsewhere. */
export interface Undertaking {
  guard: Guard
  account: Account
  /** What of it was before; nothing of a new run. */
  before?: Before
  /** Settles when the run may go. @throws the reason for which it ends before */
  begin(run: LiveRun): Promise<{ ready: ReadyRun; from?: Resumption }>
}

/** What one process has of a run, and another has not. */
export interface Before extends Pick<Checkpoint, "nerCount" | "isPartlyRead" | "passages"> {
  steps: number
}

const NOTHING_BEFORE: Before = { nerCount: 0, isPartlyRead: false, passages: [], steps: 0 }

/** What the run reached, to be stored; undefined for one that waits on, elsewhere or later. Throws only when nothing at all can be said of it. */
export async function carryThrough(
  run: LiveRun,
  undertaking: Undertaking,
  dependencies: CarryDependencies,
): Promise<Guarded<RunOutcome> | undefined> {
  const { signal } = run.abort
  const { guard, account, before = NOTHING_BEFORE } = undertaking
  const startedAt = performance.now()
  const passages = new Passages(0, before.passages)
  const steps = new StepWriter(dependencies.store, run.id, account, () => run.notify(), before.steps)
  const soFar = () => ({
    nerCount: before.nerCount + guard.count,
    isPartlyRead: before.isPartlyRead || guard.partial,
    passages: passages.all(),
  })
  let ending: ReturnType<typeof endingOf>
  let citations: Citation[] = []
  let given: readonly string[] | undefined
  try {
    const { ready, from } = await undertaking.begin(run)
    const input = { ...inputOf(run, ready, { passages, steps, soFar }, dependencies), ...(from ? { from } : {}) }
    const result = await orAbort((ready.extractive ? runExtractive : runAgent)(input), signal)
    given = result.given
    citations = passages.citedIn(result.output)
    ending = completed(result)
  } catch (error) {
    if (error instanceof Ending && error.reason === "left") return leave(steps)
    ending = endingOf(await guard.error(error), run.id)
  }
  await steps.flush().catch(() => {}) // what cannot be written now fails again when the end is stored
  run.abort.abort(new Ending("interrupted")) // nothing that the run began outlives it
  agentRunSeconds.observe({ status: ending.status }, (performance.now() - startedAt) / 1000)
  guard.audit({ run_id: run.id })
  const foreign = given && foreignLinkWarning(foreignLinks(ending.output, given))
  const { nerCount, isPartlyRead } = soFar()
  const warnings = [...(isPartlyRead ? [PARTIAL_REDACTION] : []), ...(foreign ? [foreign] : [])]
  const reached: RunOutcome = { ...ending, citations, warnings, usage: account.usage, nerCount }
  return guard.passOutcome<RunOutcome>(reached, RUN_OUTCOME, error => ({
    ...reached,
    output: "",
    structuredOutput: undefined,
    citations: [],
    status: "failed",
    finishReason: "error",
    error: toErrorBody(error),
  }))
}

interface Work {
  passages: Passages
  steps: StepWriter
  soFar(): Omit<Before, "steps">
}

function inputOf(
  run: LiveRun,
  ready: ReadyRun,
  { passages, steps, soFar }: Work,
  { store, library, search, tables, evaluator }: CarryDependencies,
): RunInput {
  const { guard, approvalSeconds, redaction, context } = ready
  const checkpoint = (loop: LoopState): Checkpoint => ({
    ...{ view: context.view, approvalSeconds, redaction, guardKey: guard.key },
    ...{ leftMs: run.pace.remainingMs, ...soFar(), loop },
  })
  const stored = () => steps.flush()
  const asking = { run, store: store.approvals, guard, timeoutSeconds: approvalSeconds, stored }
  return {
    ...ready.input,
    context: {
      ...{ ...context, library, search, tables, evaluator, passages },
      ...{ now: () => new Date(), signal: run.abort.signal },
    },
    approver: state => new PersonalApprover({ ...asking, checkpoint: () => checkpoint(state()) }),
    steps,
  }
}

/** What has ended beside the call that waits is stored still. */
const leave = (steps: StepWriter): Promise<undefined> =>
  steps.flush().then(
    () => undefined,
    () => undefined,
  )

const completed = ({ output, structuredOutput, finishReason }: RunResult): ReturnType<typeof endingOf> => ({
  status: "completed",
  output,
  structuredOutput,
  finishReason,
  error: null,
})
