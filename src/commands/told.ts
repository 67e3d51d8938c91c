/** What commands tell the audit log. A daemon beside them, or the next one, puts it in its place. */
import type { AuditAction } from "../governance/audit/actions.ts"
import type { AuditEntry } from "../governance/audit/entry.ts"
import { tell, tellEverywhere } from "../governance/audit/pending.ts"
import { AuditSubjects } from "../governance/audit/subjects.ts"
import type { Database, Executor } from "../storage/database.ts"

/** @param command as it is given: `keys create` */
const done = (command: string, action: AuditAction) => ({
  action,
  outcome: "success" as const,
  actor: { type: "command" as const, id: null, name: `carrel ${command}` },
})

/** About a key or a user, in the workspace where they are. */
export async function tellAbout(database: Database, command: string, action: AuditAction, id: string): Promise<void> {
  const workspaceId = await new AuditSubjects(database).workspaceOf(id)
  if (workspaceId === undefined) return
  await tell(database, { ...done(command, action), workspaceId, resourceType: action.split(".")[0]!, resourceId: id })
}

/** About all workspaces. */
export const tellAll = (
  executor: Executor,
  command: string,
  action: AuditAction,
  details: NonNullable<AuditEntry["details"]> = {},
): Promise<void> => tellEverywhere(executor, { ...done(command, action), details })
