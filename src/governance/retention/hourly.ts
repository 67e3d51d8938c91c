/** Applies the rules of each workspace, every hour, by the node that leads. */
import { log } from "../../log.ts"
import { inBackground } from "../../threads/background.ts"
import { pause } from "../../threads/or-abort.ts"
import { Pass, type PassDependencies } from "./pass.ts"

const HOUR_MS = 3_600_000
/** How often it is looked whether an hour is over. */
const LOOK_MS = 5_000

/** Until the signal aborts; what is under way then goes on with the next leader. */
export async function applyHourly(dependencies: PassDependencies, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await applyDue(dependencies, signal).catch(error => {
      if (!signal.aborted) log.warn("the rules of retention could not be applied", { error })
    })
    await pause(LOOK_MS, signal).catch(() => {})
  }
}

/** One workspace after the other: those whose last pass began an hour ago, or was cut short. */
export async function applyDue(dependencies: PassDependencies, signal: AbortSignal): Promise<void> {
  const before = new Date(Date.now() - HOUR_MS).toISOString()
  const due = await dependencies.database
    .selectFrom("retention")
    .select(["workspace_id", "rules"])
    .where("rules", "!=", "[]")
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("retention_passes")
            .select("id")
            .whereRef("retention_passes.workspace_id", "=", "retention.workspace_id")
            .where("started_at", ">", before)
            .where("finished_at", "is not", null),
        ),
      ),
    )
    .orderBy("workspace_id")
    .execute()
  for (const { workspace_id, rules } of due) {
    signal.throwIfAborted()
    const pass = await Pass.begin(dependencies, workspace_id, rules)
    await inBackground(() => pass.run(signal))
  }
}
