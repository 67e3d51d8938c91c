/** Whether the audit log of each workspace is as it was written. */
import type { Anchors } from "../governance/audit/anchors.ts"
import { AuditLog } from "../governance/audit/audit-log.ts"
import { verify } from "../governance/audit/verify.ts"
import type { Database } from "../storage/database.ts"
import { type Finding, someOf } from "./finding.ts"

export async function describeAudit(database: Database, anchors: Anchors): Promise<Finding> {
  const what = "audit log"
  if (await anchors.arrival(database))
    return { what, state: "note", text: "was brought here", remedy: "start the daemon: it says so in the log" }
  const audit = await AuditLog.open(database, anchors)
  const workspaces = await database.selectFrom("audit_log").select("workspace_id").distinct().execute()
  let rows = 0
  const bad: string[] = []
  for (const { workspace_id: id } of workspaces) {
    const found = await verify(audit.chains, id)
    rows += found.rows
    if (!found.ok) bad.push(`${id} (${found.reason} at ${found.first_bad ?? "its end"})`)
  }
  if (bad.length === 0) return { what, state: "ok", text: `${rows} rows, as they were written` }
  const remedy = "compare it with a backup or an export: docs/audit.md says what each of these means"
  return { what, state: "problem", text: `not as it was written: ${someOf(bad)}`, remedy }
}
