/** What a request shows, and who it then acts for. */
import type { Quota } from "./limits.ts"
import type { View } from "./view.ts"

export const SCOPES = [
  "models:read",
  "files:read",
  "files:write",
  "search",
  "chat",
  "agents",
  "sources",
  "webhooks",
  "batches",
  "usage",
  "audit",
  "retention",
  "tokens",
] as const
export type Scope = (typeof SCOPES)[number]

/** Who an authenticated request acts for. */
export interface Principal {
  keyId: string
  /**
   * What let the request in: of a key, its id and which of its pairs; of the console, the session's id. Of work that no request
   * waits for, such as a line of a batch, the holder's id. Never told.
   */
  credential: string
  workspaceId: string
  /** Whose the links are that it is shown: the id of the key, of the scoped token, or of the console's user. They end with it. */
  holderId: string
  /** What it may see; of that workspace. */
  view: View
  scopes: readonly Scope[]
  /** The key's own limit; null means the daemon's setting. */
  rateLimitPerMinute: number | null
  /** Of the key. */
  quota?: Quota | null
}

/** No request showed credentials that could end; whose work it is was asked when it began. */
export const isUnattended = ({ credential, holderId }: Principal): boolean => credential === holderId

export interface Credentials {
  clientId: string
  privateKey: string
  secret: string
}
