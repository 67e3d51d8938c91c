/**
 * Asks a person whether a call may be carried out, and waits for the answer. While a run waits it holds no place among the
 * runs that go, and its time stands still; the approval has a time of its own.
 */
import type { Guard } from "../grounding/guard.ts"
import type { Guarded } from "../guarded.ts"
import type { Approver } from "../tools/calls.ts"
import type { ToolOutcome } from "../tools/tool.ts"
import { type ApprovalStore, ASKED_APPROVAL, type AskedApproval } from "./approval-store.ts"
import { CHECKPOINT, type Checkpoint } from "./checkpoint.ts"
import { Ending } from "./endings.ts"
import type { LiveRun } from "./live-run.ts"

/** How often to look for a decision that another node has stored. */
const LOOK_MS = 1_000

export interface RunApprover extends Approver {
  /** Waits for the answer to what was asked before. @returns undefined where the call may be carried out: now, and once */
  answerTo(approvalId: string): Promise<ToolOutcome | undefined>
}

interface ApproverParts {
  run: LiveRun
  store: ApprovalStore
  guard: Guard
  timeoutSeconds: number
  /** Settles when the step that waits is stored. */
  stored(): Promise<void>
  /** What the run goes on from where the daemon ends meanwhile. */
  checkpoint(): Checkpoint
}

export class PersonalApprover implements RunApprover {
  constructor(private readonly parts: ApproverParts) {}

  async refusalOf(
    step: number,
    tool: string,
    args: Guarded<Record<string, unknown>>,
  ): Promise<ToolOutcome | undefined> {
    const { run, store, guard, timeoutSeconds, stored, checkpoint } = this.parts
    const expiresAt = new Date(Date.now() + timeoutSeconds * 1_000).toISOString()
    const asked: AskedApproval = { step, tool, arguments: args, expiresAt }
    guard.trust(args as object)
    await stored()
    const goesOnFrom = await guard.pass(checkpoint(), CHECKPOINT)
    const id = await store.ask(run.id, await guard.pass(asked, ASKED_APPROVAL), goesOnFrom)
    if (id === undefined) throw new Ending("interrupted")
    if (id === null) return refused("too many calls wait for approval already")
    return this.answerTo(id)
  }

  async answerTo(id: string): Promise<ToolOutcome | undefined> {
    const { run, store } = this.parts
    const verdict = () => answered(run, () => store.take(run.id, id))
    const { status, reason } = await run.pace.pausedFor(verdict, run.abort.signal)
    if (status === "approved") return undefined
    if (status === "cancelled") throw new Ending("interrupted")
    if (status === "expired") return refused("nobody approved it in time")
    return refused(`a person denied it${reason ? `, saying: ${reason}` : ""}`)
  }
}

/** Parks the run until `look` finds an answer. @throws the reason for which the run ends */
export async function answered<Answer>(run: LiveRun, look: () => Promise<Answer | undefined>): Promise<Answer> {
  const { signal } = run.abort
  using _ = run.wakeOn(signal)
  run.park()
  for (;;) {
    signal.throwIfAborted()
    const changed = run.changed() // before reading, so that nothing falls between
    const answer = await look()
    if (answer !== undefined) {
      run.notify()
      return answer
    }
    await Promise.race([changed, Bun.sleep(LOOK_MS)])
  }
}

const refused = (why: string): ToolOutcome => ({
  result: `The call was not carried out: ${why}. Go on without it, and do not try it again.`,
  isError: true,
  fileIds: [],
})
