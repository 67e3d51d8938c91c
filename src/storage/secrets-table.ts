/** What the daemon signs with; see secrets.ts. */
export interface SecretsTables {
  secrets: SecretsTable
}

interface SecretsTable {
  name: string
  /** Base64url. */
  value: string
  created_at: string
}
