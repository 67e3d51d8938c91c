import { wholeOf } from "../access/view.ts"
import type { AgentRuns } from "../agents/runs.ts"
import type { Chat } from "../chat/chat.ts"
import type { AuditLog } from "../governance/audit/audit-log.ts"
import { applyHourly } from "../governance/retention/hourly.ts"
import type { Removing } from "../governance/retention/pass.ts"
import { Retention } from "../governance/retention/retention.ts"
import type { Library } from "../library/library.ts"
import type { Storage } from "./storage.ts"

export interface Removed {
  library: Library
  chat: Chat
  agents: AgentRuns
}

/** What is deleted by itself: its rules, and the node that leads goes by them. */
export function openRetention({ database, node, leader }: Storage, removed: Removed, audit: AuditLog): Retention {
  const removing = removingFrom(removed)
  leader.whileLeader(signal => applyHourly({ database, node, removing, audit }, signal))
  return new Retention(database, audit)
}

/** By what everybody removes through, as the workspace itself. */
const removingFrom = ({ library, chat, agents }: Removed): Removing => ({
  conversations: ({ workspaceId, id, ...step }) => chat.expire(wholeOf(workspaceId), id, step),
  runs: ({ workspaceId, id, ...step }) => agents.expire(wholeOf(workspaceId), id, step),
  files: ({ workspaceId, id, receipt, only, check }) =>
    library.delete(wholeOf(workspaceId), id, { receipt, only, also: check }),
})
