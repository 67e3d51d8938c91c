import type { Generated } from "kysely"

/** People who use the console: users, their workspaces, sessions, invitations, and the links that claim a fresh daemon. */
export interface UsersTables {
  users: UsersTable
  memberships: MembershipsTable
  sessions: SessionsTable
  invitations: InvitationsTable
  setup_tokens: SetupTokensTable
  reset_links: ResetLinksTable
  saved_prompts: SavedPromptsTable
  saved_views: SavedViewsTable
  identities: IdentitiesTable
  sign_in_states: SignInStatesTable
}

export type UserRole = "administrator" | "member"

interface UsersTable {
  id: string
  /** Trimmed and in lower case. */
  email: string
  name: string
  /** argon2id, in PHC form. */
  password_hash: string
  role: UserRole
  created_at: string
  last_signed_in_at: string | null
  disabled_at: string | null
  /** JSON array, sorted. */
  group_names: Generated<string>
  /** The issuer that names them; null where administrators do. */
  groups_from: string | null
}

/** The workspaces that a user may act in. */
interface MembershipsTable {
  user_id: string
  workspace_id: string
  created_at: string
}

export interface SessionsTable {
  id: string
  user_id: string
  /** The workspace that the session acts in. */
  workspace_id: string
  /** SHA-256 of the token in hex; the token holds 256 random bits, so no slow hash is needed. */
  token_hash: string
  user_agent: string
  address: string
  created_at: string
  last_used_at: string
  expires_at: string
  /** That vouched for the user; null where a password or a link opened it. */
  provider: string | null
}

interface InvitationsTable {
  id: string
  email: string
  role: UserRole
  workspace_id: string
  token_hash: string
  created_by: string
  created_at: string
  expires_at: string
  accepted_at: string | null
}

/** Any of these claims the daemon; all are removed with the first user. */
interface SetupTokensTable {
  token_hash: string
  created_at: string
}

interface ResetLinksTable {
  token_hash: string
  user_id: string
  created_by: string
  created_at: string
  expires_at: string
}

interface SavedPromptsTable {
  workspace_id: string
  user_id: string
  name: string
  text: string
  updated_at: string
}

export interface SavedViewsTable {
  id: string
  workspace_id: string
  user_id: string
  name: string
  /** JSON. */
  filters: string
  created_at: string
  updated_at: string
}

/** Who a user is at a provider of sign-ins. */
export interface IdentitiesTable {
  issuer: string
  /** The provider's own name of the person: no other person ever has it there. */
  subject: string
  user_id: string
  /** The workspace that the provider named at the last sign-in; null where it names none. */
  workspace_id: string | null
  created_at: string
  last_used_at: string
}

/** Sign-ins that came back from the provider: none comes back twice. Kept until they would have expired. */
interface SignInStatesTable {
  state_hash: string
  expires_at: string
}
