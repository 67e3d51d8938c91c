/** Workspaces, API keys, and tokens that narrow them. */
import type { Generated } from "kysely"

export interface KeysTables {
  workspaces: WorkspacesTable
  api_keys: ApiKeysTable
  scoped_tokens: ScopedTokensTable
}

interface WorkspacesTable {
  id: string
  name: string
  created_at: string
  /** 1 where every conversation and run is redacted, whatever the request says. */
  enforce_redaction: Generated<number>
}

export interface ApiKeysTable {
  id: string
  workspace_id: string
  name: string
  client_id: string
  /** SHA-256 in hex; the values hold at least 192 random bits, so no slow hash is needed. */
  private_key_hash: string
  secret_hash: string
  /** The pair before the last rotation, valid until `previous_until`. */
  previous_private_key_hash: string | null
  previous_secret_hash: string | null
  previous_until: string | null
  /** JSON array. */
  scopes: string
  rate_limit_per_minute: number | null
  expires_at: string | null
  created_at: string
  last_used_at: string | null
  revoked_at: string | null
  /** The user whose access it is; null for keys of the command line, which belong to nobody. */
  owner_id: string | null
  /** JSON array: files without one of these contexts do not exist for the key; null for no limit. */
  context_ids: string | null
  /** JSON array of values and globs; null for all models. */
  models: string | null
  /** JSON of a filter that every file must pass; null for none. */
  filter: string | null
  /** JSON object; null for none. */
  quota: string | null
}

export interface ScopedTokensTable {
  id: string
  key_id: string
  /** SHA-256 in hex; the token holds 256 random bits. */
  token_hash: string
  /** JSON array; null: those of the key. */
  scopes: string | null
  /** As of keys. */
  context_ids: string | null
  filter: string | null
  /** JSON array; null: files are seen whatever their acl. */
  principals: string | null
  end_user: string | null
  created_at: string
  expires_at: string
}
