/** What is known of a request for the audit log: what its route declares, and what its handler noted. */
import type { Principal } from "../access/principal.ts"
import type { ActorType, AuditAction } from "../governance/audit/actions.ts"
import type { Named } from "../governance/audit/subjects.ts"

/**
 * What the audit log tells of a request once it is answered: see `audit.ts`. `id` is where the id of its resource stands:
 * `params.NAME`, a part of the path; `answer.NAME`, a field of the JSON that is answered; `noted`, what the handler gave to
 * `noteResource`. Absent where the action has no single resource. `fields`: the names of the fields that were given are told.
 */
export interface Audited {
  action: AuditAction
  id?: `params.${string}` | `answer.${string}` | "noted"
  fields?: true
}

/** A route as it was asked for. */
export interface AskedRoute {
  audit: "nothing" | Audited
  /** As in `/external/libraries/:file_id`. */
  pattern: string
  params: Readonly<Record<string, string>>
}

export interface AuditNote {
  /** Once a route that has something to tell has begun. */
  begun?: AskedRoute
  /** Names of the fields that were given. */
  fields?: readonly string[]
  /** Of what the request made or changed. */
  ids?: readonly string[]
  /** Who asked, where no credential says so. */
  actor?: { type: ActorType; id: string }
  workspaceId?: string
  /** Whom wrong credentials name. */
  named?: Named
}

export function actorOfPrincipal({ holderId, view }: Principal): { type: ActorType; id: string } {
  if (holderId.startsWith("tok_")) return { type: "token", id: holderId }
  return { type: view.author?.type ?? "key", id: holderId }
}
