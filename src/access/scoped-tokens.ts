/**
 * Tokens that narrow a key for a while, for one session of one user: `cat_…`, used as bearer. Kept as hashes only. A token
 * is what its key still is and no more: with the key it ends, and is narrowed, from one request to the next.
 */
import { AppError, invalid } from "../errors.ts"
import { newId } from "../id.ts"
import { changeMark, type Database } from "../storage/database.ts"
import { checkPrincipals } from "./acl.ts"
import { GRANTS, isActive, type KeyGrants, limitsMark, principalOfToken, type TokenGrants } from "./key-principal.ts"
import { checkScopes } from "./key-settings.ts"
import { LastUsed } from "./last-used.ts"
import { checkEndUser, checkLimits, toStore } from "./limits.ts"
import type { Principal } from "./principal.ts"
import { hashToken, newToken } from "./token.ts"
import { VerifiedCredentials } from "./verified-credentials.ts"
import type { View } from "./view.ts"

/** What a token narrows its key to; what is absent narrows nothing. */
export interface TokenSettings {
  expires_in?: number
  end_user?: string
  principals?: string[]
  context_ids?: string[]
  filter?: unknown
  scopes?: string[]
}

/** The only time that the token is shown. */
export interface NewScopedToken {
  token: string
  expires_at: string
}

export const DEFAULT_LIFETIME_S = 3_600
export const MAX_LIFETIME_S = 86_400

export class ScopedTokens {
  private readonly verified: VerifiedCredentials
  private readonly lastUsed = new LastUsed((id, at) =>
    this.database.updateTable("api_keys").set({ last_used_at: at }).where("id", "=", id).execute(),
  )

  constructor(private readonly database: Database) {
    this.verified = new VerifiedCredentials(() => changeMark(database))
  }

  /**
   * Makes a token of the key that asks. Also removes those that have expired.
   * @throws AppError invalid_request, invalid_filter, also for a scope that the key lacks; forbidden for a token or a console session
   */
  async mint(minter: Principal, settings: TokenSettings): Promise<NewScopedToken> {
    if (minter.view.author?.type !== "key" || !minter.view.mayWiden)
      throw new AppError("forbidden", { message: "only a key makes tokens" })
    const seconds = settings.expires_in ?? DEFAULT_LIFETIME_S
    if (!Number.isInteger(seconds) || seconds < 1 || seconds > MAX_LIFETIME_S)
      throw invalid("expires_in", `must be a whole number from 1 to ${MAX_LIFETIME_S}`)
    const scopes = settings.scopes && checkScopes(settings.scopes)
    const beyond = scopes?.find(scope => scope === "tokens" || !minter.scopes.includes(scope))
    if (beyond) throw invalid("scopes", `a token of this key cannot have ${beyond}`)
    const { context_ids, filter } = checkLimits(settings)
    const token = newToken("cat")
    const now = Date.now()
    const expiresAt = new Date(now + seconds * 1_000).toISOString()
    const createdAt = new Date(now).toISOString()
    await this.database.deleteFrom("scoped_tokens").where("expires_at", "<=", createdAt).execute()
    await this.database
      .insertInto("scoped_tokens")
      .values({
        id: newId("tok"),
        key_id: minter.keyId,
        token_hash: hashToken(token),
        scopes: toStore(scopes),
        context_ids: toStore(context_ids),
        filter: toStore(filter),
        principals: toStore(settings.principals && checkPrincipals("principals", settings.principals)),
        end_user: settings.end_user === undefined ? null : checkEndUser(settings.end_user),
        created_at: createdAt,
        expires_at: expiresAt,
      })
      .execute()
    return { token, expires_at: expiresAt }
  }

  /** The principal of a token that was verified and of which nothing has changed since; undefined for all others. */
  recall(token: string): Principal | undefined {
    const principal = this.verified.find(asCredentials(token))
    if (principal) this.lastUsed.note(principal.keyId)
    return principal
  }

  /** The principal of a token that is good, as is its key; null for all others. */
  async verify(token: string): Promise<Principal | null> {
    const mark = changeMark(this.database)
    const row = await this.good().where("scoped_tokens.token_hash", "=", hashToken(token)).executeTakeFirst()
    if (!row) return null
    this.lastUsed.note(row.id)
    const { principal, ends } = principalOf(row)
    this.verified.remember(asCredentials(token), principal, mark, ends)
    return principal
  }

  /** What a token that is good sees, as is its key, and when the first of them ends; undefined for all others. */
  async holder(id: string): Promise<{ principal: Principal; view: View; endsAt: string } | undefined> {
    const row = await this.good().where("scoped_tokens.id", "=", id).executeTakeFirst()
    if (!row) return undefined
    const { principal, ends } = principalOf(row)
    return { principal, view: principal.view, endsAt: [...ends].sort()[0]! }
  }

  /** Those of some credentials of requests that are still good: neither token nor key has ended, and the key is as narrow as it was. */
  async alive(credentials: readonly string[]): Promise<Set<string>> {
    const ids = credentials.map(credential => credential.split(" ")[0]!).filter(id => id.startsWith("tok_"))
    if (ids.length === 0) return new Set()
    const rows = await this.good().where("scoped_tokens.id", "in", ids).execute()
    return new Set(credentials).intersection(new Set(rows.map(row => `${row.token_id}${limitsMark(row)}`)))
  }

  private good() {
    return this.database
      .selectFrom("scoped_tokens")
      .innerJoin("api_keys", "api_keys.id", "scoped_tokens.key_id")
      .select(GRANTS)
      .select(["api_keys.expires_at as key_expires_at", "scoped_tokens.expires_at as token_expires_at"])
      .select(["scoped_tokens.id as token_id", "scoped_tokens.scopes as token_scopes"])
      .select(["scoped_tokens.context_ids as token_context_ids", "scoped_tokens.filter as token_filter"])
      .select(["scoped_tokens.principals", "scoped_tokens.end_user"])
      .where("scoped_tokens.expires_at", ">", new Date().toISOString())
      .where(isActive())
  }
}

type GoodToken = KeyGrants &
  Pick<TokenGrants, "principals" | "end_user"> & {
    token_id: string
    token_scopes: string | null
    token_context_ids: string | null
    token_filter: string | null
    key_expires_at: string | null
    token_expires_at: string
  }

/** With the times at which token and key end. */
function principalOf({ token_id, key_expires_at, token_expires_at, ...row }: GoodToken) {
  const token = {
    id: token_id,
    key_id: row.id,
    scopes: row.token_scopes,
    context_ids: row.token_context_ids,
    filter: row.token_filter,
    principals: row.principals,
    end_user: row.end_user,
  }
  const ends = [token_expires_at, key_expires_at].filter(time => time !== null)
  return { principal: principalOfToken(row, token, `${token_id}${limitsMark(row)}`), ends }
}

/** As `VerifiedCredentials` knows them; no client id begins as a token does. */
const asCredentials = (token: string) => ({ clientId: token, privateKey: "", secret: "" })
