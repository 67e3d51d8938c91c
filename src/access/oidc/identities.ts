/**
 * Who somebody from the provider is here: found by issuer and subject, which never change hands. At the first sign-in an
 * account that has the e-mail address becomes the person's only where the provider vouches for the address, nobody of the
 * provider has the account yet, and it gains no rights by it: an administrator's needs one of the provider. All else is made
 * anew, as a member. Role, name, workspace and groups follow the provider at each sign-in.
 */
import { AppError } from "../../errors.ts"
import { newId } from "../../id.ts"
import type { Database, Executor } from "../../storage/database.ts"
import { inOrder, PEOPLE } from "../../storage/shared.ts"
import type { UserRole } from "../../storage/users.ts"
import { usableGroups } from "../groups.ts"
import { ensureWorkspace } from "../keys.ts"
import { insertUser, keepAnAdministrator, type UserRow, unknownPassword } from "../users.ts"
import { join, leave } from "../workspaces.ts"
import type { Person } from "./person.ts"
import { SignInRefused } from "./refusal.ts"
import type { SignInSettings } from "./settings.ts"

export interface SignedIn {
  userId: string
  /** The one that the provider names; null where it names none. */
  workspaceId: string | null
}

interface Known extends UserRow {
  email: string
  /** What the provider named last; undefined before the first sign-in. */
  formerWorkspaceId?: string | null
}

type Rules = Pick<SignInSettings, "adminGroup" | "workspaceClaim">

export class Identities {
  constructor(
    private readonly database: Database,
    private readonly rules: Rules,
  ) {}

  /** The user, made where there is none, as the provider says now. @throws SignInRefused */
  async enter(person: Person): Promise<SignedIn> {
    const isKnown = (await findIdentity(this.database, person)) !== undefined
    // Outside the transaction: a hash takes its time.
    const passwordHash = isKnown ? "" : await unknownPassword()
    try {
      return await this.database.transaction().execute(async trx => {
        await inOrder(trx, PEOPLE)
        const workspaceId = await this.workspaceOf(trx, person)
        const known = (await findIdentity(trx, person)) ?? (await this.adopt(trx, person))
        if (known?.disabled_at) throw new SignInRefused("disabled", { userId: known.id })
        const userId =
          known?.id ?? (await this.make(trx, person, passwordHash || (await unknownPassword()), workspaceId))
        if (known) await this.update(trx, known, person)
        await setGroups(trx, userId, person)
        await moveTo(trx, userId, workspaceId, known?.formerWorkspaceId ?? null)
        await note(trx, person, userId, workspaceId)
        return { userId, workspaceId }
      })
    } catch (error) {
      if (error instanceof SignInRefused && error.reason === "last_administrator" && error.userId)
        await this.database.deleteFrom("sessions").where("user_id", "=", error.userId).execute()
      throw error
    }
  }

  private isAdministrator({ groups }: Person): boolean {
    return this.rules.adminGroup !== null && groups?.includes(this.rules.adminGroup) === true
  }

  /** Null where workspaces are managed here. @throws SignInRefused */
  private async workspaceOf(trx: Executor, { workspace }: Person): Promise<string | null> {
    if (this.rules.workspaceClaim === null) return null
    if (workspace === null) throw new SignInRefused("bad_workspace")
    return ensureWorkspace(trx, workspace).catch(error => {
      throw error instanceof AppError ? new SignInRefused("bad_workspace", { cause: error }) : error
    })
  }

  /** The account that has the address and becomes the person's. @throws SignInRefused where it must not */
  private async adopt(trx: Executor, person: Person): Promise<Known | undefined> {
    if (person.email === null) throw new SignInRefused("no_email")
    const found = await trx
      .selectFrom("users")
      .select(["id", "email", "role", "disabled_at", "groups_from"])
      .where("email", "=", person.email)
      .executeTakeFirst()
    if (!found) return undefined
    const other = await trx
      .selectFrom("identities")
      .select("subject")
      .where("user_id", "=", found.id)
      .where("issuer", "=", person.issuer)
      .executeTakeFirst()
    if (!person.emailVerified || other) throw new SignInRefused("email_taken", { userId: found.id })
    if (found.role === "administrator" && !this.isAdministrator(person))
      throw new SignInRefused("local_administrator", { userId: found.id })
    return found
  }

  private async make(trx: Executor, person: Person, passwordHash: string, workspaceId: string | null): Promise<string> {
    const id = newId("user")
    const email = person.email!
    await insertUser(trx, {
      id,
      email,
      name: person.name ?? email.split("@")[0]!.slice(0, 128),
      role: this.isAdministrator(person) ? "administrator" : "member",
      passwordHash,
      workspaceId: workspaceId ?? (await ensureWorkspace(trx)),
    })
    return id
  }

  /** @throws SignInRefused last_administrator */
  private async update(trx: Executor, known: Known, person: Person): Promise<void> {
    const role: UserRole =
      this.rules.adminGroup === null ? known.role : this.isAdministrator(person) ? "administrator" : "member"
    if (role === "member")
      await keepAnAdministrator(trx, known).catch(cause => {
        throw cause instanceof AppError ? new SignInRefused("last_administrator", { userId: known.id, cause }) : cause
      })
    const { name } = person
    const email = await newAddress(trx, known, person)
    await trx
      .updateTable("users")
      .set({ role, email, ...(name === null ? {} : { name }) })
      .where("id", "=", known.id)
      .execute()
    if (role === "administrator") await trx.deleteFrom("setup_tokens").execute()
  }
}

const findIdentity = (executor: Executor, { issuer, subject }: Person): Promise<Known | undefined> =>
  executor
    .selectFrom("identities")
    .innerJoin("users", "users.id", "identities.user_id")
    .select(["users.id", "users.email", "users.role", "users.disabled_at", "users.groups_from"])
    .select("identities.workspace_id as formerWorkspaceId")
    .where("identities.issuer", "=", issuer)
    .where("identities.subject", "=", subject)
    .executeTakeFirst()

/** One that the provider vouches for and nobody else has; else it stays. */
async function newAddress(trx: Executor, { id, email }: Known, person: Person): Promise<string> {
  if (person.email === null || !person.emailVerified) return email
  const other = await trx
    .selectFrom("users")
    .select("id")
    .where("email", "=", person.email)
    .where("id", "!=", id)
    .executeTakeFirst()
  return other ? email : person.email
}

/** Those that the provider names are the user's, and no others; where it names none any more, those that it named are over. */
async function setGroups(trx: Executor, userId: string, { issuer, groups }: Person): Promise<void> {
  const named = groups && JSON.stringify(usableGroups(groups))
  await trx
    .updateTable("users")
    .set({ group_names: named ?? "[]", groups_from: named === null ? null : issuer })
    .where("id", "=", userId)
    .$if(named === null, query => query.where("groups_from", "is not", null))
    .execute()
}

/** Into the workspace that the provider names, and out of the one that it named before. */
async function moveTo(trx: Executor, userId: string, workspaceId: string | null, former: string | null): Promise<void> {
  if (workspaceId === null) return
  await join(trx, workspaceId, userId)
  if (former !== null && former !== workspaceId) await leave(trx, former, userId)
}

async function note(
  trx: Executor,
  { issuer, subject }: Person,
  userId: string,
  workspaceId: string | null,
): Promise<void> {
  const now = new Date().toISOString()
  await trx
    .insertInto("identities")
    .values({ issuer, subject, user_id: userId, workspace_id: workspaceId, created_at: now, last_used_at: now })
    .onConflict(conflict =>
      conflict.columns(["issuer", "subject"]).doUpdateSet({ workspace_id: workspaceId, last_used_at: now }),
    )
    .execute()
}
