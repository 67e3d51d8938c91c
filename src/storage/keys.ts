/** Workspaces and API keys. */
import type { Generated } from "kysely"

export interface KeysTables {
  workspaces: WorkspacesTable
  api_keys: ApiKeysTable
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
}
