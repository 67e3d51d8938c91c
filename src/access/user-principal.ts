/** Who a request of a console user acts for. */
import type { UserRole } from "../storage/users.ts"
import { principalsOf } from "./groups.ts"
import { type Principal, SCOPES } from "./principal.ts"
import { wholeOf } from "./view.ts"

export interface UserGrants {
  userId: string
  role: UserRole
  workspaceId: string
  /** JSON array. */
  groups: string
}

/**
 * Users have every scope. Administrators see all of the workspace; members their own conversations, runs and batches, and
 * files whose acl is null or names them or one of their groups.
 * @param session that asks; absent where none does
 */
export function principalOfUser(
  { userId, role, workspaceId, groups }: UserGrants,
  session: { sessionId: string; credential: string } = { sessionId: userId, credential: userId },
): Principal {
  const own = role === "administrator" ? null : { ownerId: userId, maker: null, endUser: null }
  return {
    keyId: session.sessionId,
    credential: session.credential,
    workspaceId,
    holderId: userId,
    view: {
      ...wholeOf(workspaceId),
      principals: principalsOf({ id: userId, role, group_names: groups }),
      own,
      author: { type: "user", id: userId, maker: null, endUser: null },
    },
    scopes: SCOPES,
    rateLimitPerMinute: null,
  }
}
