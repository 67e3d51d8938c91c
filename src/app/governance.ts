import { join } from "node:path"
import type { View } from "../access/view.ts"
import type { Config } from "../config.ts"
import { FileAnchors, RowAnchors } from "../governance/audit/anchors.ts"
import { AuditLog } from "../governance/audit/audit-log.ts"
import { AuditTrail } from "../governance/audit/audit-trail.ts"
import { AuditSubjects } from "../governance/audit/subjects.ts"
import { Holds } from "../governance/holds/holds.ts"
import { EndUsers } from "../governance/receipts/end-users.ts"
import { forgetEndUser } from "../governance/usage/entries.ts"
import type { JobWorker } from "../jobs/worker.ts"
import type { SearchIndex } from "../search/index.ts"
import type { openBatches } from "./batches.ts"
import type { LibraryParts } from "./library.ts"
import { openReceipts } from "./receipts.ts"
import { openRetention, type Removed } from "./retention.ts"
import type { Storage } from "./storage.ts"

export type GovernanceParts = Awaited<ReturnType<typeof openGovernance>>

interface Governed extends Pick<Removed, "chat" | "agents"> {
  storage: Storage
  audit: AuditLog
  index: SearchIndex
  files: LibraryParts
  worker: JobWorker
  unattended: ReturnType<typeof openBatches>
}

/** Open until all that is told of has ended. */
export async function openAudit(
  { data }: Config,
  { cluster, database }: Storage,
  stack: AsyncDisposableStack,
): Promise<AuditLog> {
  const anchors = cluster ? new RowAnchors() : stack.use(new FileAnchors(data))
  return stack.use(await AuditLog.openArrived(database, anchors, join(data, "audit", "journal")))
}

/** What is kept, for how long, and the proof that the rest is gone. */
export async function openGovernance(config: Config, parts: Governed) {
  const { database, leader, usage } = parts.storage
  const { audit } = parts
  const endUsers = openEndUsers(parts)
  leader.whileLeader(signal => endUsers.keepErasing(signal))
  return {
    usage,
    holds: new Holds(database, parts.storage.idempotency),
    audit,
    auditTrail: new AuditTrail(audit),
    auditSubjects: new AuditSubjects(database),
    receipts: await openReceipts(config, parts),
    retention: openRetention(parts.storage, { ...parts, library: parts.files.library }, audit),
    endUsers,
  }
}

const openEndUsers = ({ storage, chat, agents, unattended }: Governed): EndUsers =>
  new EndUsers({
    database: storage.database,
    remove: {
      batches: (view, id, receipt) => unattended.batches.remove(view, id, receipt),
      batch_files: (view, id, receipt) => unattended.batches.files.delete(view, id, receipt),
      async agent_runs(view: View, id: string, receipt: string) {
        await agents.cancel(view, id)
        await agents.delete(view, id, receipt)
      },
      conversations: (view, id, receipt) => chat.delete(view, id, receipt),
    },
    forget: forgetEndUser,
  })
