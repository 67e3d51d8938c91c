/** Workspaces as people see them: who is in which, and invitations by link. Membership alone opens a workspace. */
import { AppError } from "../errors.ts"
import { newId } from "../id.ts"
import type { Database, Executor } from "../storage/database.ts"
import { inOrder, PEOPLE } from "../storage/shared.ts"
import type { UserRole } from "../storage/users.ts"
import { ensureWorkspace } from "./keys.ts"
import { checkName } from "./name.ts"
import { hashToken, newToken } from "./token.ts"
import { checkEmail, type UserRecord, type Users } from "./users.ts"

export interface WorkspaceRecord {
  id: string
  name: string
  created_at: string
  /** Redaction is not the request's choice there. */
  enforce_redaction: boolean
  member_ids: string[]
}

export interface WorkspaceChange {
  name?: string
  enforce_redaction?: boolean
}

export interface InvitationRecord {
  id: string
  email: string
  role: UserRole
  workspace: string
  created_at: string
  expires_at: string
}

/** The token is shown once, as part of a link. */
export interface NewInvitation extends InvitationRecord {
  token: string
}

const INVITATION_LIFETIME_MS = 7 * 24 * 60 * 60 * 1000

export class Workspaces {
  constructor(private readonly database: Database) {}

  /** Read anew each time: what another process has changed holds at once, or prompts would leave as they are. */
  async enforcesRedaction(id: string): Promise<boolean> {
    const found = await this.database
      .selectFrom("workspaces")
      .select("enforce_redaction")
      .where("id", "=", id)
      .executeTakeFirst()
    return found?.enforce_redaction === 1
  }

  /** The workspaces that a user is in, first joined first. */
  async of(userId: string, executor: Executor = this.database): Promise<{ id: string; name: string }[]> {
    return executor
      .selectFrom("memberships")
      .innerJoin("workspaces", "workspaces.id", "memberships.workspace_id")
      .select(["workspaces.id", "workspaces.name"])
      .where("memberships.user_id", "=", userId)
      .orderBy("memberships.created_at")
      .orderBy("workspaces.name")
      .execute()
  }

  /** Those who can sign in, by name. */
  async membersOf(id: string): Promise<{ id: string; name: string }[]> {
    return this.database
      .selectFrom("memberships")
      .innerJoin("users", "users.id", "memberships.user_id")
      .select(["users.id", "users.name"])
      .where("memberships.workspace_id", "=", id)
      .where("users.disabled_at", "is", null)
      .orderBy("users.name")
      .orderBy("users.id")
      .execute()
  }

  async list(): Promise<WorkspaceRecord[]> {
    const workspaces = await this.database.selectFrom("workspaces").selectAll().orderBy("name").execute()
    const memberships = await this.database.selectFrom("memberships").select(["user_id", "workspace_id"]).execute()
    return workspaces.map(workspace => ({
      ...workspace,
      enforce_redaction: workspace.enforce_redaction === 1,
      member_ids: memberships.filter(entry => entry.workspace_id === workspace.id).map(entry => entry.user_id),
    }))
  }

  /** @throws AppError conflict for a name in use, invalid_request for a malformed one. */
  async create(name: string, firstMemberId: string): Promise<WorkspaceRecord> {
    const trimmed = name.trim()
    const id = await this.database.transaction().execute(async trx => {
      await inOrder(trx, PEOPLE)
      await refuseTaken(trx, trimmed)
      const made = await ensureWorkspace(trx, trimmed)
      await join(trx, made, firstMemberId)
      return made
    })
    return this.get(id)
  }

  /** Changes what is given. @throws AppError as `create`, not_found */
  async change(id: string, { name, enforce_redaction }: WorkspaceChange): Promise<WorkspaceRecord> {
    const present = await this.get(id)
    const trimmed = checkName(name ?? present.name, 64)
    await this.database.transaction().execute(async trx => {
      await inOrder(trx, PEOPLE)
      const set = (column: { name: string } | { enforce_redaction: number }) =>
        trx.updateTable("workspaces").set(column).where("id", "=", id).execute()
      if (present.name !== trimmed) {
        await refuseTaken(trx, trimmed)
        await set({ name: trimmed })
      }
      if (enforce_redaction !== undefined) await set({ enforce_redaction: Number(enforce_redaction) })
    })
    return this.get(id)
  }

  /** @throws AppError not_found. */
  async get(id: string): Promise<WorkspaceRecord> {
    const found = (await this.list()).find(workspace => workspace.id === id)
    if (!found) throw new AppError("not_found", { message: "there is no such workspace" })
    return found
  }

  /** A second call changes nothing. */
  async addMember(id: string, userId: string): Promise<void> {
    await this.get(id)
    await join(this.database, id, userId)
  }

  /** Ends the sessions that act in the workspace. Everybody stays in at least one. */
  async removeMember(id: string, userId: string): Promise<void> {
    await this.database.transaction().execute(async trx => {
      await inOrder(trx, PEOPLE)
      const left = await trx
        .selectFrom("memberships")
        .select("workspace_id")
        .where("user_id", "=", userId)
        .where("workspace_id", "!=", id)
        .executeTakeFirst()
      if (!left) throw new AppError("conflict", { message: "a user must be in at least one workspace" })
      await leave(trx, id, userId)
    })
  }

  async invite(invitation: { email: string; role: UserRole; workspaceId: string }, by: string): Promise<NewInvitation> {
    const email = checkEmail(invitation.email)
    const workspace = await this.get(invitation.workspaceId)
    const known = await this.database.selectFrom("users").select("id").where("email", "=", email).executeTakeFirst()
    if (known) throw new AppError("conflict", { message: "a user with this e-mail address already exists" })
    const token = newToken("invite")
    const now = Date.now()
    const record: InvitationRecord = {
      id: newId("inv"),
      email,
      role: invitation.role,
      workspace: workspace.name,
      created_at: new Date(now).toISOString(),
      expires_at: new Date(now + INVITATION_LIFETIME_MS).toISOString(),
    }
    const { workspace: _name, ...row } = record
    await this.database
      .insertInto("invitations")
      .values({
        ...row,
        workspace_id: workspace.id,
        token_hash: hashToken(token),
        created_by: by,
        accepted_at: null,
      })
      .execute()
    return { ...record, token }
  }

  /** Those that can still be accepted. */
  async listInvitations(): Promise<InvitationRecord[]> {
    return this.openInvitations().orderBy("invitations.created_at", "desc").execute()
  }

  private openInvitations() {
    return this.database
      .selectFrom("invitations")
      .innerJoin("workspaces", "workspaces.id", "invitations.workspace_id")
      .select(["invitations.id", "invitations.email", "invitations.role", "workspaces.name as workspace"])
      .select(["invitations.created_at", "invitations.expires_at"])
      .where("invitations.accepted_at", "is", null)
      .where("invitations.expires_at", ">", new Date().toISOString())
  }

  async removeInvitation(id: string): Promise<void> {
    const gone = await this.database.deleteFrom("invitations").where("id", "=", id).executeTakeFirst()
    if (gone.numDeletedRows === 0n) throw new AppError("not_found")
  }

  /** @throws AppError forbidden for an unknown, used or expired token. */
  async getInvitation(token: string): Promise<InvitationRecord> {
    const found = await this.openInvitations().where("invitations.token_hash", "=", hashToken(token)).executeTakeFirst()
    if (!found) throw new AppError("forbidden", { message: "the invitation is no longer valid" })
    return found
  }

  /** Makes the invited user. An invitation works once. @throws AppError forbidden where members have no passwords */
  async accept(token: string, user: { name?: string; password: string }, users: Users): Promise<UserRecord> {
    users.checkPasswords()
    const invitation = await this.getInvitation(token)
    const { workspace_id: workspaceId } = await this.database
      .selectFrom("invitations")
      .select("workspace_id")
      .where("id", "=", invitation.id)
      .executeTakeFirstOrThrow()
    const { email, role } = invitation
    return users.add({ ...user, email, role, workspaceId }, async trx => {
      const used = await trx
        .updateTable("invitations")
        .set({ accepted_at: new Date().toISOString() })
        .where("id", "=", invitation.id)
        .where("accepted_at", "is", null)
        .executeTakeFirst()
      if (used.numUpdatedRows === 0n) throw new AppError("conflict", { message: "the invitation has been used" })
    })
  }
}

async function refuseTaken(trx: Executor, name: string): Promise<void> {
  const taken = await trx.selectFrom("workspaces").select("id").where("name", "=", name).executeTakeFirst()
  if (taken) throw new AppError("conflict", { message: "a workspace of this name already exists" })
}

/** Ends the sessions that act in the workspace as well. */
export async function leave(trx: Executor, id: string, userId: string): Promise<void> {
  await trx.deleteFrom("memberships").where("workspace_id", "=", id).where("user_id", "=", userId).execute()
  await trx.deleteFrom("sessions").where("workspace_id", "=", id).where("user_id", "=", userId).execute()
}

/** A second call changes nothing. */
export async function join(executor: Executor, id: string, userId: string): Promise<void> {
  await executor
    .insertInto("memberships")
    .values({ user_id: userId, workspace_id: id, created_at: new Date().toISOString() })
    .onConflict(conflict => conflict.doNothing())
    .execute()
}
