/**
 * People who sign in to the console. Administrators manage users and workspaces; members use the workspaces they are in.
 * A daemon without an administrator is unclaimed, also when it has members: only the holder of a setup token can make the
 * first one over the web.
 */
import { AppError, invalid } from "../errors.ts"
import { newId } from "../id.ts"
import type { Database, Executor } from "../storage/database.ts"
import { inOrder, PEOPLE } from "../storage/shared.ts"
import type { UserRole } from "../storage/users.ts"
import { checkGroups, groupsOf } from "./groups.ts"
import { endKeysOf, ensureWorkspace } from "./keys.ts"
import { checkName } from "./name.ts"
import { hashToken, newToken } from "./token.ts"

export type { UserRole } from "../storage/users.ts"

export interface UserRecord {
  id: string
  email: string
  name: string
  role: UserRole
  /** Names of the workspaces the user is a member of. */
  workspaces: string[]
  created_at: string
  last_signed_in_at: string | null
  disabled_at: string | null
  /** Their names, as `group:NAME` in the acl of a file stands for them. */
  groups: string[]
  /** The issuer of the provider that names them at each sign-in; null where administrators name them. */
  groups_from: string | null
}

export interface NewUser {
  email: string
  name?: string
  password: string
  role: UserRole
  workspaceId: string
}

export interface UserChanges {
  name?: string
  role?: UserRole
  disabled?: boolean
  /** In the place of those before. */
  groups?: string[]
}

const MIN_PASSWORD_LENGTH = 8
/** Longer input is refused, so that hashing a password costs a bounded time. */
const MAX_PASSWORD_LENGTH = 1000

/** The link stands in logs, so it does not open the door for ever; `carrel users setup-link` makes another. */
const SETUP_TOKEN_MS = 24 * 3_600_000

/** Compared with when no such user exists, so that both cases take the same time. Made on first use. */
let nobodysHash: Promise<string> | undefined

export class Users {
  /** @param provider by which alone members sign in */
  constructor(
    private readonly database: Database,
    private readonly provider?: string,
  ) {}

  /** False until the first administrator exists; the last one can neither be removed nor disabled. */
  isClaimed(): Promise<boolean> {
    return hasAdministrator(this.database)
  }

  /**
   * A token that claims the daemon, for a day; earlier ones end with it, unless it stands `beside` those of other nodes.
   * Null when there is an administrator already.
   */
  async newSetupToken(beside = false): Promise<string | null> {
    const token = newToken("setup")
    return this.database.transaction().execute(async trx => {
      await inOrder(trx, PEOPLE)
      const ended = trx.deleteFrom("setup_tokens")
      await (beside ? ended.where("created_at", "<=", oldestSetupToken()) : ended).execute()
      if (await hasAdministrator(trx)) return null
      await trx
        .insertInto("setup_tokens")
        .values({ token_hash: hashToken(token), created_at: new Date().toISOString() })
        .execute()
      return token
    })
  }

  async isSetupToken(token: string): Promise<boolean> {
    return (await findSetupToken(this.database, token)) !== undefined
  }

  /**
   * Makes the first administrator.
   * @throws AppError forbidden for a wrong token, conflict when somebody was faster.
   */
  async claim(token: string, user: { email: string; name?: string; password: string }): Promise<UserRecord> {
    if (!(await this.isSetupToken(token))) throw new AppError("forbidden", { message: "the setup link is not valid" })
    const workspaceId = await ensureWorkspace(this.database)
    return this.add({ ...user, role: "administrator", workspaceId }, trx => claimOnce(trx, token))
  }

  /** @throws AppError invalid_request for a bad address or password, conflict for an address in use. */
  async add(user: NewUser, before: (trx: Executor) => Promise<void> = async () => {}): Promise<UserRecord> {
    const email = checkEmail(user.email)
    const passwordHash = await hashPassword(user.password)
    const id = newId("user")
    await this.database.transaction().execute(async trx => {
      await inOrder(trx, PEOPLE)
      await before(trx)
      if (await trx.selectFrom("users").select("id").where("email", "=", email).executeTakeFirst())
        throw new AppError("conflict", { message: "a user with this e-mail address already exists" })
      const { name = email.split("@")[0]!, role, workspaceId } = user
      await insertUser(trx, { id, email, name: checkName(name), role, passwordHash, workspaceId })
    })
    return this.get(id)
  }

  /**
   * The user's id when the password is right and the user is not disabled, else null; always as slow as one hash.
   * @throws AppError forbidden for the right password of somebody who is to sign in by the provider
   */
  async authenticate(email: string, password: string): Promise<string | null> {
    const row = await this.database
      .selectFrom("users")
      .select(["id", "password_hash", "role", "disabled_at"])
      .where("email", "=", email.trim().toLowerCase())
      .executeTakeFirst()
    nobodysHash ??= unknownPassword()
    const known = row?.password_hash ?? (await nobodysHash)
    const right = await Bun.password.verify(password.slice(0, MAX_PASSWORD_LENGTH) || " ", known)
    if (!right || !row || row.disabled_at) return null
    if (row.role !== "administrator") this.checkPasswords()
    return row.id
  }

  /** @throws AppError forbidden where members sign in by a provider alone */
  checkPasswords(): void {
    if (this.provider !== undefined)
      throw new AppError("forbidden", { message: `members sign in by ${this.provider}, and have no passwords here` })
  }

  async list(): Promise<UserRecord[]> {
    const users = await this.database
      .selectFrom("users")
      .select(["id", "email", "name", "role", "created_at", "last_signed_in_at", "disabled_at"])
      .select(["group_names", "groups_from"])
      .orderBy("created_at")
      .execute()
    const memberships = await this.database
      .selectFrom("memberships")
      .innerJoin("workspaces", "workspaces.id", "memberships.workspace_id")
      .select(["memberships.user_id", "workspaces.name"])
      .orderBy("workspaces.name")
      .execute()
    return users.map(({ group_names, ...user }) => ({
      ...user,
      groups: groupsOf({ group_names }),
      workspaces: memberships.filter(entry => entry.user_id === user.id).map(entry => entry.name),
    }))
  }

  /** @throws AppError not_found. */
  async get(idOrEmail: string): Promise<UserRecord> {
    const wanted = idOrEmail.trim().toLowerCase()
    const found = (await this.list()).find(user => user.id === wanted || user.email === wanted)
    if (!found) throw new AppError("not_found", { message: "there is no such user" })
    return found
  }

  /**
   * Disabling ends the user's sessions, and the keys for as long as it lasts. The last active administrator keeps the role.
   * Who leaves a group sees its files no more from the next request on.
   * @throws AppError not_found, invalid_request; conflict, also for groups that the provider names
   */
  async change(id: string, changes: UserChanges): Promise<UserRecord> {
    const name = changes.name === undefined ? {} : { name: checkName(changes.name) }
    const groups = changes.groups === undefined ? {} : { group_names: JSON.stringify(checkGroups(changes.groups)) }
    await this.database.transaction().execute(async trx => {
      await inOrder(trx, PEOPLE)
      const user = await findUser(trx, id)
      if (changes.groups) refuseGroupsOf(user)
      const role = changes.role ?? user.role
      const disabledAt = disabledTime(user, changes.disabled)
      if (role !== "administrator" || disabledAt) await keepAnAdministrator(trx, user)
      if (disabledAt) await trx.deleteFrom("sessions").where("user_id", "=", id).execute()
      await trx
        .updateTable("users")
        .set({ ...name, ...groups, role, disabled_at: disabledAt })
        .where("id", "=", id)
        .execute()
    })
    return this.get(id)
  }

  /**
   * Removes the user, all sessions, and ends the user's keys; with `heirId` those of workspaces that both are in become that
   * user's.
   * @throws AppError invalid_request for an heir who is unknown, disabled, or the user; conflict for the last administrator
   */
  async remove(id: string, heirId?: string): Promise<void> {
    await this.database.transaction().execute(async trx => {
      await inOrder(trx, PEOPLE)
      const user = await findUser(trx, id)
      if (heirId !== undefined) await checkHeir(trx, user.id, heirId)
      await keepAnAdministrator(trx, user)
      await endKeysOf(trx, user.id, heirId)
      await trx.deleteFrom("users").where("id", "=", user.id).execute()
    })
  }

  /**
   * Sets a password and ends all sessions of the user but `keepSessionId`, and the links that would set another one.
   * @param before part of the same transaction
   */
  async setPassword(
    id: string,
    password: string,
    keepSessionId = "",
    before: (trx: Executor) => Promise<void> = async () => {},
  ): Promise<void> {
    const password_hash = await hashPassword(password)
    await this.database.transaction().execute(async trx => {
      await before(trx)
      await trx.updateTable("users").set({ password_hash }).where("id", "=", id).execute()
      await trx.deleteFrom("sessions").where("user_id", "=", id).where("id", "!=", keepSessionId).execute()
      await trx.deleteFrom("reset_links").where("user_id", "=", id).execute()
    })
  }
}

interface InsertedUser {
  id: string
  email: string
  name: string
  role: UserRole
  passwordHash: string
  workspaceId: string
}

/** Part of the transaction that has seen that nobody has the address. */
export async function insertUser(trx: Executor, { passwordHash, workspaceId, ...user }: InsertedUser): Promise<void> {
  const now = new Date().toISOString()
  await trx
    .insertInto("users")
    .values({ ...user, password_hash: passwordHash, created_at: now, last_signed_in_at: null, disabled_at: null })
    .execute()
  await trx.insertInto("memberships").values({ user_id: user.id, workspace_id: workspaceId, created_at: now }).execute()
  // The first administrator has claimed the daemon; members leave the door open for one.
  if (user.role === "administrator") await trx.deleteFrom("setup_tokens").execute()
}

/** When one was made that ends now. */
const oldestSetupToken = (): string => new Date(Date.now() - SETUP_TOKEN_MS).toISOString()

const findSetupToken = (executor: Executor, token: string) =>
  executor
    .selectFrom("setup_tokens")
    .select("token_hash")
    .where("token_hash", "=", hashToken(token))
    .where("created_at", ">", oldestSetupToken())
    .executeTakeFirst()

const hasAdministrator = async (executor: Executor): Promise<boolean> =>
  (await executor.selectFrom("users").select("id").where("role", "=", "administrator").limit(1).executeTakeFirst()) !==
  undefined

/** Inside the transaction that makes the user: two holders of a setup link can not both become the first. */
async function claimOnce(trx: Executor, token: string): Promise<void> {
  const used = await trx.deleteFrom("setup_tokens").where("token_hash", "=", hashToken(token)).executeTakeFirst()
  if (used.numDeletedRows === 0n || (await hasAdministrator(trx)))
    throw new AppError("conflict", { message: "this daemon is already set up" })
}

export type UserRow = Pick<UserRecord, "id" | "role" | "disabled_at" | "groups_from">

/** @throws AppError not_found */
async function findUser(executor: Executor, id: string): Promise<UserRow> {
  const row = await executor
    .selectFrom("users")
    .select(["id", "role", "disabled_at", "groups_from"])
    .where("id", "=", id)
    .executeTakeFirst()
  if (!row) throw new AppError("not_found", { message: "there is no such user" })
  return row
}

/** @throws AppError conflict */
function refuseGroupsOf({ groups_from }: UserRow): void {
  if (groups_from !== null)
    throw new AppError("conflict", {
      message: `the groups of this user are those that ${groups_from} names at sign-in`,
    })
}

async function checkHeir(trx: Executor, leaving: string, heirId: string): Promise<void> {
  const heir = await trx.selectFrom("users").select("disabled_at").where("id", "=", heirId).executeTakeFirst()
  if (!heir || heir.disabled_at || heirId === leaving) throw invalid("keys_to", "must be another user who is enabled")
}

/** @throws AppError conflict */
export async function keepAnAdministrator(trx: Executor, leaving: UserRow): Promise<void> {
  if (leaving.role !== "administrator" || leaving.disabled_at) return
  const other = await trx
    .selectFrom("users")
    .select("id")
    .where("role", "=", "administrator")
    .where("disabled_at", "is", null)
    .where("id", "!=", leaving.id)
    .executeTakeFirst()
  if (!other) throw new AppError("conflict", { message: "the last administrator must remain one" })
}

function disabledTime(user: UserRow, disabled: boolean | undefined): string | null {
  if (disabled === undefined) return user.disabled_at
  return disabled ? (user.disabled_at ?? new Date().toISOString()) : null
}

export function checkEmail(text: string): string {
  const email = text.trim().toLowerCase()
  if (email.length > 254 || !/^[^\s@]+@[^\s@]+$/.test(email)) throw invalid("email", "must be an e-mail address")
  return email
}

function checkPassword(password: string): void {
  if (password.length < MIN_PASSWORD_LENGTH || password.length > MAX_PASSWORD_LENGTH)
    throw invalid("password", `must have ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters`)
}

/** @throws AppError invalid_request */
async function hashPassword(password: string): Promise<string> {
  checkPassword(password)
  return Bun.password.hash(password, "argon2id")
}

/** Of a password that nobody knows. */
export const unknownPassword = (): Promise<string> => hashPassword(newToken("cst"))

/** `carrel users add`: the user, in the named workspace, which is made when there is none. */
export async function usersAdd(
  database: Database,
  user: { email: string; password: string; admin?: boolean; workspace?: string; name?: string },
): Promise<UserRecord> {
  checkEmail(user.email)
  checkPassword(user.password)
  const workspaceId = await ensureWorkspace(database, user.workspace)
  const { email, password, name } = user
  const role = user.admin ? "administrator" : "member"
  return new Users(database).add({ email, password, role, workspaceId, ...(name ? { name } : {}) })
}

/** `carrel users list`. */
export const usersList = (database: Database): Promise<UserRecord[]> => new Users(database).list()

/** `carrel users groups`. @returns those that the user is in then */
export async function usersGroups(
  database: Database,
  id: string,
  { add, remove }: { add: readonly string[]; remove: readonly string[] },
): Promise<string[]> {
  const users = new Users(database)
  const { groups } = await users.get(id)
  const kept = [...groups, ...add].filter(name => !remove.includes(name))
  return (await users.change(id, { groups: kept })).groups
}

/** `carrel users passwd`: sets a new password and signs the user out everywhere. */
export async function usersPasswd(database: Database, email: string, password: string): Promise<void> {
  const users = new Users(database)
  await users.setPassword((await users.get(email)).id, password)
}

/** `carrel users setup-link`: a one-time link that claims the daemon; null when it has been claimed. See `newSetupToken`. */
export async function setupLink(database: Database, appUrl: string, beside = false): Promise<string | null> {
  const token = await new Users(database).newSetupToken(beside)
  return token && `${appUrl.replace(/\/+$/, "")}/setup?token=${token}`
}
