/**
 * Asks a person whether a call may be carried out, and waits for the answer. While a run waits it holds no place among the
 * runs that go, and its time stands still; the approval has a time of its own.
 */
import type { Guard } from "../grounding/guard.ts"
import type { Guarded } from "../guarded.ts"
import type { Approver } from "../tools/calls.ts"
import type { ToolOutcome } from "../tools/tool.ts"
import { type ApprovalStore, ASKED_APPROVAL, type AskedApproval } from "./approval-store.ts"
import { Ending } from "./endings.ts"
import type { LiveRun } from "./live-run.ts"

/** How often to look for a decision that another node has stored. */
const LOOK_MS = 1_000

export class PersonalApprover implements Approver {
  constructor(
    private readonly run: LiveRun,
    private readonly store: ApprovalStore,
    private readonly guard: Guard,
    private readonly timeoutSeconds: number,
  ) {}

  async refusalOf(
    step: number,
    tool: string,
    args: Guarded<Record<string, unknown>>,
  ): Promise<ToolOutcome | undefined> {
    const { run, store, guard } = this
    const expiresAt = new Date(Date.now() + this.timeoutSeconds * 1_000).toISOString()
    const asked: AskedApproval = { step, tool, arguments: args, expiresAt }
    guard.trust(args as object)
    const id = await store.ask(run.id, await guard.pass(asked, ASKED_APPROVAL))
    if (id === undefined) throw new Ending("interrupted")
    if (id === null) return refused("too many calls wait for approval already")
    const { status, reason } = await run.pace.pausedFor(() => this.verdict(id), run.abort.signal)
    if (status === "approved") return undefined
    if (status === "cancelled") throw new Ending("interrupted")
    if (status === "expired") return refused("nobody approved it in time")
    return refused(`a person denied it${reason ? `, saying: ${reason}` : ""}`)
  }

  private async verdict(id: string) {
    const { run, store } = this
    const { signal } = run.abort
    using _ = run.wakeOn(signal)
    run.park()
    for (;;) {
      signal.throwIfAborted()
      const changed = run.changed() // before reading, so that nothing falls between
      const verdict = await store.take(run.id, id)
      if (verdict) {
        run.notify()
        return verdict
      }
      await Promise.race([changed, Bun.sleep(LOOK_MS)])
    }
  }
}

const refused = (why: string): ToolOutcome => ({
  result: `The call was not carried out: ${why}. Go on without it, and do not try it again.`,
  isError: true,
  fileIds: [],
})
