/** Keys of what is encrypted at rest, each wrapped by another; `keyring.ts` reads and writes them. */
export interface EncryptionTables {
  encryption_keys: EncryptionKeysTable
}

/**
 * - `mixed`: what was stored in clear is being encrypted; both are read, all that is new is encrypted.
 * - `sealed`: everything is encrypted, and what is not is no file of ours.
 */
export type EncryptionState = "mixed" | "sealed"

interface EncryptionKeysTable {
  /** `root`, `records`, or 16 hexadecimal digits for that of a workspace. */
  id: string
  /** Null for the first two. */
  workspace_id: string | null
  /** Base64: the root key sealed by that of the key file, the others by the root key. */
  wrapped: string
  /** Of `root` alone. */
  state: EncryptionState | null
  created_at: string
}
