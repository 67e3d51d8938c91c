/** A call of a tool that a person must allow before it is carried out, spelled as on the wire. */
import type { Selectable } from "kysely"
import type { OwnerType } from "../storage/owned.ts"
import type { AgentApprovalsTable, ApprovalStatus } from "../storage/runs.ts"

export interface ApprovalRecord {
  id: string
  /** `index` of the step that waits for it. */
  step: number
  tool: string
  /** As the tool gets them. */
  arguments: Record<string, unknown>
  status: ApprovalStatus
  /** What who decided said of it. */
  reason: string | null
  /** Null while it is pending, and where nobody decided. */
  decided_by: { type: OwnerType; id: string; name: string; end_user: string | null } | null
  created_at: string
  /** Nobody has decided by then: the call is not carried out. */
  expires_at: string
  decided_at: string | null
}

/** With the name of who decided, as it is now. */
export type ApprovalRow = Selectable<AgentApprovalsTable> & { decider_name: string | null }

export const DECISIONS = ["approve", "deny"] as const
export type Decision = (typeof DECISIONS)[number]

export const toApprovalRecord = (row: ApprovalRow): ApprovalRecord => ({
  id: row.id,
  step: row.step,
  tool: row.tool,
  arguments: JSON.parse(row.arguments),
  status: row.status,
  reason: row.reason,
  decided_by:
    row.decided_by_type && row.decided_by
      ? { type: row.decided_by_type, id: row.decided_by, name: row.decider_name ?? "", end_user: row.end_user }
      : null,
  created_at: row.created_at,
  expires_at: row.expires_at,
  decided_at: row.decided_at,
})

/** As it was when it was asked for. */
export const asRequested = (row: ApprovalRow): ApprovalRecord => ({
  ...toApprovalRecord(row),
  status: "pending",
  reason: null,
  decided_by: null,
  decided_at: null,
})
