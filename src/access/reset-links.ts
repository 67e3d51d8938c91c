/** Links by which users set a new password without the old one: made by administrators, for a day, used once. */
import { AppError } from "../errors.ts"
import type { Database } from "../storage/database.ts"
import { hashToken, newToken } from "./token.ts"
import type { Users } from "./users.ts"

const LIFETIME_MS = 24 * 3_600_000

/** The token is shown once, as part of a link. */
export interface NewResetLink {
  token: string
  expires_at: string
}

export class ResetLinks {
  constructor(
    private readonly database: Database,
    private readonly users: Users,
  ) {}

  /**
   * A link for that user; earlier ones end with it. Password and sessions stay as they are until it is used.
   * @throws AppError not_found; conflict for a disabled user; forbidden for a member who has no password
   */
  async create(userId: string, by: string): Promise<NewResetLink> {
    const user = await this.users.get(userId)
    if (user.disabled_at) throw new AppError("conflict", { message: "the user is disabled: enable the user first" })
    if (user.role !== "administrator") this.users.checkPasswords()
    const token = newToken("reset")
    const now = Date.now()
    const expires_at = new Date(now + LIFETIME_MS).toISOString()
    await this.database.transaction().execute(async trx => {
      await trx.deleteFrom("reset_links").where("user_id", "=", user.id).execute()
      await trx
        .insertInto("reset_links")
        .values({
          token_hash: hashToken(token),
          user_id: user.id,
          created_by: by,
          created_at: new Date(now).toISOString(),
          expires_at,
        })
        .execute()
    })
    return { token, expires_at }
  }

  /** Whose password it sets. @throws AppError forbidden for an unknown, used or expired token, or a disabled user */
  async read(token: string): Promise<{ id: string; email: string; name: string }> {
    const found = await this.database
      .selectFrom("reset_links")
      .innerJoin("users", "users.id", "reset_links.user_id")
      .select(["users.id", "users.email", "users.name"])
      .where("reset_links.token_hash", "=", hashToken(token))
      .where("reset_links.expires_at", ">", new Date().toISOString())
      .where("users.disabled_at", "is", null)
      .executeTakeFirst()
    if (!found) throw dead()
    return found
  }

  /**
   * Sets the password and ends all sessions of the user. @returns the user's id
   * @throws AppError as `read`; invalid_request for a bad password, after which the link is as good as before
   */
  async use(token: string, password: string): Promise<string> {
    const { id } = await this.read(token)
    await this.users.setPassword(id, password, "", async trx => {
      const used = await trx.deleteFrom("reset_links").where("token_hash", "=", hashToken(token)).executeTakeFirst()
      if (used.numDeletedRows === 0n) throw dead()
    })
    return id
  }
}

const dead = (): AppError => new AppError("forbidden", { message: "the link has been used or has expired" })
