/**
 * API keys: three values that a client sends with each request. Private key and secret are kept as hashes only. A key made
 * in the console is its owner's and works while the owner is enabled and in the key's workspace.
 * The command line uses the same functions beside a running daemon: what is remembered holds only while nothing is
 * committed by anyone, so that a revocation is effective at once.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import { AppError, invalid } from "../errors.ts"
import { newId } from "../id.ts"
import { changeMark, type Database, type Executor } from "../storage/database.ts"
import type { ApiKeysTable } from "../storage/keys.ts"
import {
  credentialOf,
  GRANTS,
  isActive,
  OWNER_GROUPS,
  OWNER_SEES_ALL,
  ownerIsActive,
  principalOfKey,
} from "./key-principal.ts"
import { columnsOf, type KeySettings, newColumns } from "./key-settings.ts"
import { LastUsed } from "./last-used.ts"
import { type Limits, type Quota, stored } from "./limits.ts"
import type { Credentials, Principal, Scope } from "./principal.ts"
import { VerifiedCredentials } from "./verified-credentials.ts"

/** The user whose access a key is. `active` is false while the user is disabled or not in the key's workspace: it is refused. */
export interface KeyOwner {
  id: string
  name: string
  email: string
  active: boolean
}

/** What may be said about a key after its creation. */
export interface ApiKeyRecord extends Limits {
  id: string
  name: string
  client_id: string
  workspace: string
  /** Null for a key of the command line. */
  owner: KeyOwner | null
  scopes: Scope[]
  rate_limit_per_minute: number | null
  quota: Quota | null
  expires_at: string | null
  created_at: string
  last_used_at: string | null
  revoked_at: string | null
}

/** The only time that the last three are shown. */
export interface NewApiKey extends ApiKeyRecord {
  private_key: string
  secret: string
  /** All three values in one, for those who have one field for a key: a bearer token. */
  token: string
}

export type KeyChanges = Partial<KeySettings> & { owner_id?: string | null }

/** 32 bytes: 256 random bits, above the 192 that the contract asks for. */
const SECRET_BYTES = 32

const hash = (value: string): string => createHash("sha256").update(value).digest("hex")
const randomToken = (prefix: string): string => `${prefix}_${randomBytes(SECRET_BYTES).toString("base64url")}`
/** Compared with when no such client exists, so that both cases take the same work. */
const NO_HASH = hash("")

const sameHash = (left: string, right: string): boolean =>
  timingSafeEqual(Buffer.from(left, "hex"), Buffer.from(right, "hex"))

const shown = (record: ApiKeyRecord, privateKey: string, secret: string): NewApiKey => ({
  ...record,
  private_key: privateKey,
  secret,
  token: `${record.client_id}.${privateKey}.${secret}`,
})

export class ApiKeys {
  private readonly lastUsed = new LastUsed((id, at) =>
    this.database.updateTable("api_keys").set({ last_used_at: at }).where("id", "=", id).execute(),
  )

  private readonly verified: VerifiedCredentials

  constructor(private readonly database: Database) {
    this.verified = new VerifiedCredentials(() => changeMark(database))
  }

  /**
   * Makes a key in a workspace given by id.
   * @throws AppError invalid_request for an unknown scope, a past or malformed expiry, an empty name.
   */
  async create(workspaceId: string, settings: KeySettings, ownerId: string | null = null): Promise<NewApiKey> {
    const columns = newColumns(settings)
    const privateKey = randomToken("cpk")
    const secret = randomToken("csk")
    const row: ApiKeysTable = {
      id: newId("key"),
      workspace_id: workspaceId,
      ...columns,
      client_id: `cid_${randomBytes(15).toString("base64url")}`,
      private_key_hash: hash(privateKey),
      secret_hash: hash(secret),
      previous_private_key_hash: null,
      previous_secret_hash: null,
      previous_until: null,
      created_at: new Date().toISOString(),
      last_used_at: null,
      revoked_at: null,
      owner_id: ownerId,
    }
    await this.database.insertInto("api_keys").values(row).execute()
    return shown(await this.get(row.id), privateKey, secret)
  }

  /** The principal of credentials that were verified and of which nothing has changed since; undefined for all others. */
  recall(credentials: Credentials): Principal | undefined {
    const principal = this.verified.find(credentials)
    if (principal) this.lastUsed.note(principal.keyId)
    return principal
  }

  /**
   * The principal of valid credentials; null when any of the three is wrong, and for a key that is revoked, expired, or of an
   * owner without access. Constant time.
   */
  async verify(credentials: Credentials): Promise<Principal | null> {
    const mark = changeMark(this.database)
    const row = await this.database
      .selectFrom("api_keys")
      .selectAll()
      .select([ownerIsActive.as("owner_active"), OWNER_SEES_ALL, OWNER_GROUPS])
      .where("client_id", "=", credentials.clientId)
      .executeTakeFirst()
    const privateKeyHash = hash(credentials.privateKey)
    const secretHash = hash(credentials.secret)
    const present =
      Number(sameHash(privateKeyHash, row?.private_key_hash ?? NO_HASH)) &
      Number(sameHash(secretHash, row?.secret_hash ?? NO_HASH))
    const previous =
      Number(sameHash(privateKeyHash, row?.previous_private_key_hash ?? NO_HASH)) &
      Number(sameHash(secretHash, row?.previous_secret_hash ?? NO_HASH))
    if (!row) return null
    const now = new Date().toISOString()
    const inGrace = row.previous_until !== null && row.previous_until > now
    if (!present && !(previous && inGrace)) return null
    if (row.revoked_at !== null || (row.expires_at !== null && row.expires_at <= now) || !row.owner_active) return null
    this.lastUsed.note(row.id)
    const principal = principalOfKey(row, credentialOf(row.id, privateKeyHash, row))
    const ends = [row.expires_at, present ? null : row.previous_until].filter(time => time !== null)
    this.verified.remember(credentials, principal, mark, ends)
    return principal
  }

  /**
   * Those of some credentials of requests that are still good: the key is neither revoked nor expired nor of an owner
   * without access, the pair is its present one or within its grace, and it is as narrow as it was.
   */
  async alive(credentials: readonly string[]): Promise<Set<string>> {
    const now = new Date().toISOString()
    const ids = credentials.map(credential => credential.split(" ")[0]!)
    const rows = await this.database
      .selectFrom("api_keys")
      .select(GRANTS)
      .select(["private_key_hash", "previous_private_key_hash", "previous_until"])
      .where("id", "in", ids)
      .where(isActive())
      .execute()
    const good = rows.flatMap(row => [
      credentialOf(row.id, row.private_key_hash, row),
      ...(row.previous_until !== null && row.previous_until > now
        ? [credentialOf(row.id, row.previous_private_key_hash!, row)]
        : []),
    ])
    return new Set(credentials).intersection(new Set(good))
  }

  /** Oldest first; of one workspace and one owner where these are given. */
  async list(workspaceId?: string, ownerId?: string): Promise<ApiKeyRecord[]> {
    let query = this.select()
    if (workspaceId) query = query.where("api_keys.workspace_id", "=", workspaceId)
    if (ownerId) query = query.where("api_keys.owner_id", "=", ownerId)
    return (await query.orderBy("api_keys.created_at").orderBy("api_keys.id").execute()).map(toRecord)
  }

  /** @throws AppError not_found, also for a key of another workspace when one is given. */
  async get(idOrClientId: string, workspaceId?: string): Promise<ApiKeyRecord> {
    let query = this.select().where(eb =>
      eb.or([eb("api_keys.id", "=", idOrClientId), eb("api_keys.client_id", "=", idOrClientId)]),
    )
    if (workspaceId) query = query.where("api_keys.workspace_id", "=", workspaceId)
    const row = await query.executeTakeFirst()
    if (!row) throw new AppError("not_found")
    return toRecord(row)
  }

  private select() {
    return this.database
      .selectFrom("api_keys")
      .innerJoin("workspaces", "workspaces.id", "api_keys.workspace_id")
      .leftJoin("users", "users.id", "api_keys.owner_id")
      .select(["users.id as owner_id", "users.name as owner_name", "users.email as owner_email"])
      .select(ownerIsActive.as("owner_active"))
      .select(["api_keys.id", "api_keys.name", "api_keys.client_id", "workspaces.name as workspace", "api_keys.scopes"])
      .select([
        "api_keys.rate_limit_per_minute",
        "api_keys.context_ids",
        "api_keys.models",
        "api_keys.filter",
        "api_keys.quota",
        "api_keys.expires_at",
        "api_keys.created_at",
        "api_keys.last_used_at",
        "api_keys.revoked_at",
      ])
  }

  /**
   * Changes what is given, leaves the rest. With `owner_id` the key becomes that user's, or nobody's: it then works whatever
   * becomes of the former owner.
   * @throws AppError invalid_request as `create`, and for an owner who is disabled or not in the key's workspace
   */
  async change(idOrClientId: string, changes: KeyChanges, workspaceId?: string): Promise<ApiKeyRecord> {
    const record = await this.get(idOrClientId, workspaceId)
    const { owner_id: ownerId, ...settings } = changes
    // Those alone that were given: somebody may be narrowing the scopes while somebody else gives the key a name.
    const given = columnsOf(settings)
    await this.database.transaction().execute(async trx => {
      if (Object.keys(given).length > 0)
        await trx.updateTable("api_keys").set(given).where("id", "=", record.id).execute()
      if (ownerId !== undefined) await setOwner(trx, record.id, ownerId)
    })
    return this.get(record.id)
  }

  /** New private key and secret; the old pair stays valid for `graceSeconds`. */
  async rotate(idOrClientId: string, graceSeconds = 0, workspaceId?: string): Promise<NewApiKey> {
    const record = await this.get(idOrClientId, workspaceId)
    if (record.revoked_at) throw new AppError("conflict", { message: "the key is revoked" })
    const privateKey = randomToken("cpk")
    const secret = randomToken("csk")
    await this.database
      .updateTable("api_keys")
      .set(eb => ({
        previous_private_key_hash: eb.ref("private_key_hash"),
        previous_secret_hash: eb.ref("secret_hash"),
        previous_until: new Date(Date.now() + graceSeconds * 1000).toISOString(),
        private_key_hash: hash(privateKey),
        secret_hash: hash(secret),
      }))
      .where("id", "=", record.id)
      .execute()
    return shown(await this.get(record.id), privateKey, secret)
  }

  /** Effective at once and for good; a second call changes nothing. */
  async revoke(idOrClientId: string, workspaceId?: string): Promise<ApiKeyRecord> {
    const record = await this.get(idOrClientId, workspaceId)
    await this.database
      .updateTable("api_keys")
      .set({ revoked_at: new Date().toISOString() })
      .where("id", "=", record.id)
      .where("revoked_at", "is", null)
      .execute()
    return this.get(record.id)
  }
}

async function setOwner(trx: Executor, id: string, ownerId: string | null): Promise<void> {
  await trx.updateTable("api_keys").set({ owner_id: ownerId }).where("id", "=", id).execute()
  const { active } = await trx
    .selectFrom("api_keys")
    .select(ownerIsActive.as("active"))
    .where("id", "=", id)
    .executeTakeFirstOrThrow()
  if (!active) throw invalid("owner_id", "must be an enabled user of the key's workspace, or null")
}

/**
 * Ends the keys of a user for good, or hands those over that `heirId` can have: the ones of workspaces that both are in.
 * Part of the transaction that removes the user.
 */
export async function endKeysOf(trx: Executor, ownerId: string, heirId?: string): Promise<void> {
  if (heirId)
    await trx
      .updateTable("api_keys")
      .set({ owner_id: heirId })
      .where("owner_id", "=", ownerId)
      .where("workspace_id", "in", trx.selectFrom("memberships").select("workspace_id").where("user_id", "=", heirId))
      .execute()
  await trx
    .updateTable("api_keys")
    .set({ revoked_at: new Date().toISOString() })
    .where("owner_id", "=", ownerId)
    .where("revoked_at", "is", null)
    .execute()
}

/** The workspace of that name, made when there is none; `default` is the one of a fresh installation. */
export async function ensureWorkspace(database: Executor, name = "default"): Promise<string> {
  if (!/^[\p{L}\p{N}][\p{L}\p{N} _.:-]{0,63}$/u.test(name))
    throw invalid("workspace", "must be 1 to 64 letters, digits, spaces or _ . : - and begin with a letter or digit")
  await database
    .insertInto("workspaces")
    .values({ id: newId("ws"), name, created_at: new Date().toISOString() })
    .onConflict(conflict => conflict.column("name").doNothing())
    .execute()
  return (await database.selectFrom("workspaces").select("id").where("name", "=", name).executeTakeFirstOrThrow()).id
}

type SelectedKey = Omit<ApiKeyRecord, "scopes" | "owner" | "quota" | keyof Limits> &
  Pick<ApiKeysTable, "scopes" | "quota" | keyof Limits> & {
    owner_id: string | null
    owner_name: string | null
    owner_email: string | null
    owner_active: number
  }

function toRecord({ owner_id, owner_name, owner_email, owner_active, ...row }: SelectedKey): ApiKeyRecord {
  const owner = owner_id && { id: owner_id, name: owner_name!, email: owner_email!, active: owner_active === 1 }
  return {
    ...row,
    scopes: JSON.parse(row.scopes) as Scope[],
    context_ids: stored(row.context_ids),
    models: stored(row.models),
    filter: stored(row.filter),
    quota: stored(row.quota),
    owner: owner || null,
  }
}
