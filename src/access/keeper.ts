/** Whose things are that users of the console keep for themselves: each user's own, in the workspace in which they were kept. */
import { type RawBuilder, sql } from "kysely"
import type { SessionPrincipal } from "./sessions.ts"

export type Keeper = Pick<SessionPrincipal, "userId" | "workspaceId">

/** The condition on rows. */
export const keptBy = ({ userId, workspaceId }: Keeper): RawBuilder<boolean> =>
  sql<boolean>`user_id = ${userId} and workspace_id = ${workspaceId}`
