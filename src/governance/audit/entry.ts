/** What the audit log is told. */
import type { View } from "../../access/view.ts"
import { newId } from "../../id.ts"
import type { ActorType, AuditAction, Outcome } from "./actions.ts"
import type { chained } from "./chain.ts"

export interface AuditEntry {
  workspaceId: string
  action: AuditAction
  outcome: Outcome
  actor: { type: ActorType; id: string | null; name?: string }
  resourceType?: string | null
  resourceId?: string | null
  requestId?: string | null
  endpoint?: string | null
  sourceIp?: string | null
  /** Names of fields, counts, codes: nothing that a caller wrote. */
  details?: Record<string, unknown>
}

/** Who works with a view of the past, such as the job of a request. */
export function actorOfView({ author }: View): AuditEntry["actor"] {
  const maker = author?.maker
  if (maker?.startsWith("tok_")) return { type: "token", id: maker }
  return author ? { type: author.type, id: author.id } : { type: "system", id: null }
}

/** A row that has no place in its chain yet. */
export type Unplaced = Parameters<typeof chained>[0]

/** A row on its way. The name of the actor is null where it is to be looked up. */
export type Told = Omit<Unplaced, "actor_name"> & { actor_name: string | null }

/** @param ts ISO-8601 */
export const rowOf = (entry: AuditEntry, ts: string): Told => ({
  workspace_id: entry.workspaceId,
  id: newId("aud"),
  ts,
  action: entry.action,
  outcome: entry.outcome,
  actor_type: entry.actor.type,
  actor_id: entry.actor.id,
  actor_name: entry.actor.name ?? null,
  resource_type: entry.resourceType ?? null,
  resource_id: entry.resourceId ?? null,
  request_id: entry.requestId ?? null,
  endpoint: entry.endpoint ?? null,
  source_ip: entry.sourceIp ?? null,
  details: JSON.stringify(entry.details ?? {}),
})
