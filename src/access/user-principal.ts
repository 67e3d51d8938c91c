/** Who a request of a console user acts for. */
import type { UserRole } from "../storage/users.ts"
import { type Principal, SCOPES } from "./principal.ts"
import { wholeOf } from "./view.ts"

export interface UserGrants {
  userId: string
  role: UserRole
  workspaceId: string
}

/**
 * Users have every scope and see all files of the workspace; members see their own conversations, runs and batches alone.
 * @param id of the session that asks; the user's own where none does
 */
export function principalOfUser({ userId, role, workspaceId }: UserGrants, id = userId): Principal {
  const own = role === "administrator" ? null : { ownerId: userId, maker: null, endUser: null }
  return {
    keyId: id,
    credential: id,
    workspaceId,
    holderId: userId,
    view: { ...wholeOf(workspaceId), own, author: { type: "user", id: userId, maker: null, endUser: null } },
    scopes: SCOPES,
    rateLimitPerMinute: null,
  }
}
