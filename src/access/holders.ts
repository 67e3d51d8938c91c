/** Whose links and unattended work are: a key, a token of one, or a user of the console. What they may do is looked up anew each time. */
import type { Database } from "../storage/database.ts"
import { GRANTS, isActive, principalOfKey } from "./key-principal.ts"
import type { Principal } from "./principal.ts"
import type { ScopedTokens } from "./scoped-tokens.ts"
import { principalOfUser } from "./user-principal.ts"
import type { View } from "./view.ts"

export interface Holder {
  /** What it may do now. */
  principal: Principal
  /** What it sees now. */
  view: View
  /** When it ends by itself; ISO-8601. */
  endsAt: string | null
}

export class Holders {
  constructor(
    private readonly database: Database,
    private readonly tokens: Pick<ScopedTokens, "holder">,
  ) {}

  /**
   * Undefined for a key or token that is revoked, expired or gone, or of an owner without access, and for a user who is
   * disabled, gone, or not in the workspace.
   * @param workspaceId of what is to be seen; undefined where nobody has it any more
   */
  find(holderId: string, workspaceId: string | undefined): Promise<Holder | undefined> {
    if (holderId.startsWith("user_")) return this.findUser(holderId, workspaceId)
    return holderId.startsWith("tok_") ? this.tokens.holder(holderId) : this.findKey(holderId)
  }

  private async findKey(id: string): Promise<Holder | undefined> {
    const key = await this.database
      .selectFrom("api_keys")
      .select(GRANTS)
      .select("expires_at")
      .where("id", "=", id)
      .where(isActive())
      .executeTakeFirst()
    return key && holder(principalOfKey(key, key.id), key.expires_at)
  }

  private async findUser(id: string, workspaceId: string | undefined): Promise<Holder | undefined> {
    const membership = await this.database
      .selectFrom("memberships")
      .innerJoin("users", "users.id", "memberships.user_id")
      .select(["memberships.workspace_id", "users.role", "users.group_names as groups"])
      .where("users.id", "=", id)
      .where("users.disabled_at", "is", null)
      .$if(workspaceId !== undefined, query => query.where("memberships.workspace_id", "=", workspaceId!))
      .executeTakeFirst()
    if (!membership) return undefined
    const { workspace_id, role, groups } = membership
    return holder(principalOfUser({ userId: id, role, workspaceId: workspace_id, groups }), null)
  }
}

const holder = (principal: Principal, endsAt: string | null): Holder => ({ principal, view: principal.view, endsAt })
