/** Keeps a daemon in sync with a place: a pass at the start, one soon after each change, and one every so often. */
import { OperatorError } from "../../errors.ts"
import { log } from "../../log.ts"
import { withProgress } from "../progress.ts"
import { Refusal } from "./daemon.ts"
import { type Outcome, type PassPlan, pass } from "./pass.ts"
import type { RemoteSource } from "./remote.ts"
import { reportPass } from "./report.ts"
import { rest } from "./rest.ts"

/** Whoever writes one file writes the next: they go together. */
const GATHERED_MS = 1_000
/** After a pass that failed. */
const FIRST_WAIT_MS = 5_000
const LONGEST_WAIT_MS = 300_000
/** A place that tells of changes may have missed one. */
const LONGEST_REST_MS = 3_600_000

interface WatchRequest {
  asJson: boolean
  everyMs: number
}

/** Never returns. @throws the reason of the signal; Refusal where the daemon would refuse the next pass as well */
export async function keepInSync(plan: PassPlan, source: RemoteSource, request: WatchRequest): Promise<never> {
  const { connector, daemon } = plan
  const { signal } = daemon
  let changed = Promise.withResolvers<void>()
  const watching = connector.watch?.(() => changed.resolve(), signal)
  let everyMs = watching ? LONGEST_REST_MS : request.everyMs
  watching?.catch(error => {
    if (signal.aborted) return
    log.warn("the place does not tell of changes any more: it is looked at every so often", { error })
    everyMs = request.everyMs
    changed.resolve()
  })
  let failures = 0
  for (let last = ""; ; ) {
    changed = Promise.withResolvers() // what was told before is being seen to
    try {
      const outcome = await withProgress("Comparing", progress => pass(plan, source, progress))
      const said = JSON.stringify(outcome.failed)
      if (hasChanged(outcome) || said !== last) reportPass(source, outcome, request.asJson)
      last = said
      failures = 0
      await rest(everyMs, signal, changed.promise)
      await rest(GATHERED_MS, signal)
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof OperatorError) || isFinal(error)) throw error
      log.warn(error.message, error.hint ? { hint: error.hint } : {})
      await rest(Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures++), signal)
    }
  }
}

const hasChanged = ({ uploaded, deleted }: Outcome): boolean => uploaded > 0 || deleted > 0

/** A guarded deletion waits for somebody to look; a key or a source that is gone does not come back. */
const isFinal = (error: OperatorError): boolean => error instanceof Refusal && error.code !== "guarded"
