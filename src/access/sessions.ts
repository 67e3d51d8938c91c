/** Console sessions: a random token in the browser, its hash here. Each session acts in one workspace at a time. */
import { sql } from "kysely"
import { AppError } from "../errors.ts"
import { newId } from "../id.ts"
import type { Database } from "../storage/database.ts"
import { inOrder, PEOPLE } from "../storage/shared.ts"
import type { UserRole } from "../storage/users.ts"
import { LastUsed } from "./last-used.ts"
import { hashToken, markOf, newToken } from "./token.ts"
import type { Workspaces } from "./workspaces.ts"

/** Who a request with a console session acts for. */
export interface SessionPrincipal {
  sessionId: string
  userId: string
  email: string
  name: string
  role: UserRole
  workspaceId: string
  expiresAt: string
  /** JSON array. */
  groups: string
  /** The session and what its user may do: a request that lasts ends when the user may do less, or other things. */
  credential: string
}

export interface SessionRecord {
  id: string
  user_agent: string
  address: string
  created_at: string
  last_used_at: string
  expires_at: string
  /** True for the session that asks. */
  current: boolean
}

export interface NewSession {
  token: string
  expires_at: string
}

export const SESSION_LIFETIME_MS = 14 * 24 * 60 * 60 * 1000

export class Sessions {
  private readonly lastUsed = new LastUsed((id, at) =>
    this.database.updateTable("sessions").set({ last_used_at: at }).where("id", "=", id).execute(),
  )

  constructor(
    private readonly database: Database,
    private readonly workspaces: Workspaces,
    /** By which alone members sign in: their other sessions are over. */
    private readonly provider?: string,
  ) {}

  /**
   * Opens a session in `workspaceId`, or in the user's first workspace where it is none of the user's or not given. Also
   * removes expired sessions.
   * @param from `provider` where one vouches for the user
   */
  async open(
    userId: string,
    from: { userAgent: string; address: string; provider?: string },
    workspaceId: string | null = null,
  ): Promise<NewSession> {
    const token = newToken("cst")
    const now = Date.now()
    const expiresAt = new Date(now + SESSION_LIFETIME_MS).toISOString()
    const createdAt = new Date(now).toISOString()
    await this.database.transaction().execute(async trx => {
      await inOrder(trx, PEOPLE) // whoever ends the membership ends its sessions as well, this one included
      const own = await this.workspaces.of(userId, trx)
      const workspace = own.find(({ id }) => id === workspaceId) ?? own[0]
      if (!workspace) throw new AppError("forbidden", { message: "you are in no workspace; ask an administrator" })
      await trx.deleteFrom("sessions").where("expires_at", "<=", createdAt).execute()
      await trx
        .insertInto("sessions")
        .values({
          id: newId("sess"),
          user_id: userId,
          workspace_id: workspace.id,
          token_hash: hashToken(token),
          user_agent: from.userAgent.slice(0, 300),
          address: from.address,
          created_at: createdAt,
          last_used_at: createdAt,
          expires_at: expiresAt,
          provider: from.provider ?? null,
        })
        .execute()
      await trx.updateTable("users").set({ last_signed_in_at: createdAt }).where("id", "=", userId).execute()
    })
    return { token, expires_at: expiresAt }
  }

  /** The principal of a valid token; null for an unknown or expired one and for a disabled user. */
  async verify(token: string): Promise<SessionPrincipal | null> {
    const now = new Date().toISOString()
    const row = await this.database
      .selectFrom("sessions")
      .innerJoin("users", "users.id", "sessions.user_id")
      .select(["sessions.id as sessionId", "sessions.user_id as userId", "sessions.workspace_id as workspaceId"])
      .select(["sessions.expires_at as expiresAt", "users.email", "users.name", "users.role"])
      .select("users.group_names as groups")
      .where("sessions.token_hash", "=", hashToken(token))
      .where("sessions.expires_at", ">", now)
      .where("users.disabled_at", "is", null)
      .where(this.isHonoured)
      .executeTakeFirst()
    if (!row) return null
    this.lastUsed.note(row.sessionId)
    return { ...row, credential: credentialOf(row) }
  }

  /** Those of some credentials whose session has neither ended nor expired and whose user is enabled, and may do what he might. */
  async alive(credentials: readonly string[]): Promise<Set<string>> {
    const ids = credentials.map(credential => credential.split(" ")[0]!)
    const rows = await this.database
      .selectFrom("sessions")
      .innerJoin("users", "users.id", "sessions.user_id")
      .select(["sessions.id as sessionId", "users.role", "users.group_names as groups"])
      .where("sessions.id", "in", ids)
      .where("sessions.expires_at", ">", new Date().toISOString())
      .where("users.disabled_at", "is", null)
      .where(this.isHonoured)
      .execute()
    return new Set(credentials).intersection(new Set(rows.map(credentialOf)))
  }

  /** Of sessions joined with their users. */
  private get isHonoured() {
    return this.provider === undefined
      ? sql<boolean>`true`
      : sql<boolean>`(sessions.provider is not null or users.role = 'administrator')`
  }

  async list(principal: SessionPrincipal): Promise<SessionRecord[]> {
    const rows = await this.database
      .selectFrom("sessions")
      .select(["id", "user_agent", "address", "created_at", "last_used_at", "expires_at"])
      .where("user_id", "=", principal.userId)
      .where("expires_at", ">", new Date().toISOString())
      .orderBy("last_used_at", "desc")
      .execute()
    return rows.map(row => ({ ...row, current: row.id === principal.sessionId }))
  }

  /** @throws AppError not_found for an unknown session and for one of another user. */
  async revoke(id: string, userId: string): Promise<void> {
    this.lastUsed.forget(id)
    const gone = await this.database
      .deleteFrom("sessions")
      .where("id", "=", id)
      .where("user_id", "=", userId)
      .executeTakeFirst()
    if (gone.numDeletedRows === 0n) throw new AppError("not_found")
  }

  /** @throws AppError not_found for a workspace that the user is not in. */
  async switchWorkspace(principal: SessionPrincipal, workspaceId: string): Promise<void> {
    await this.database.transaction().execute(async trx => {
      await inOrder(trx, PEOPLE)
      const reachable = await this.workspaces.of(principal.userId, trx)
      if (!reachable.some(workspace => workspace.id === workspaceId)) throw new AppError("not_found")
      await trx
        .updateTable("sessions")
        .set({ workspace_id: workspaceId })
        .where("id", "=", principal.sessionId)
        .execute()
    })
  }
}

const credentialOf = ({ sessionId, role, groups }: Pick<SessionPrincipal, "sessionId" | "role" | "groups">): string =>
  `${sessionId} ${markOf(`${role} ${groups}`)}`
