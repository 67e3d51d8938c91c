/** What routes may call. `app.ts` fills it; a route file takes the whole and destructures what it needs. */
import type { ApiKeys } from "../access/keys.ts"
import type { Links } from "../access/links.ts"
import type { ProviderSignIn } from "../access/oidc/sign-in.ts"
import type { ResetLinks } from "../access/reset-links.ts"
import type { SavedViews } from "../access/saved-views.ts"
import type { ScopedTokens } from "../access/scoped-tokens.ts"
import type { Sessions } from "../access/sessions.ts"
import type { Shares } from "../access/shares.ts"
import type { SignInBrake } from "../access/sign-in-brake.ts"
import type { StreamTokens } from "../access/stream-tokens.ts"
import type { Users } from "../access/users.ts"
import type { Workspaces } from "../access/workspaces.ts"
import type { AgentRuns } from "../agents/runs.ts"
import type { EmbeddingLine } from "../backends/embedding-line.ts"
import type { ModelCatalog } from "../backends/index.ts"
import type { LocalOllama } from "../backends/local-ollama.ts"
import type { Batches } from "../batches/batches.ts"
import type { Schedules } from "../batches/schedules.ts"
import type { Chat } from "../chat/chat.ts"
import type { SavedPrompts } from "../chat/saved-prompts.ts"
import type { Engine } from "../errors.ts"
import type { EventFeed } from "../events/feed.ts"
import type { Webhooks } from "../events/webhooks.ts"
import type { AuditLog } from "../governance/audit/audit-log.ts"
import type { AuditTrail } from "../governance/audit/audit-trail.ts"
import type { AuditSubjects } from "../governance/audit/subjects.ts"
import type { Holds } from "../governance/holds/holds.ts"
import type { EndUsers } from "../governance/receipts/end-users.ts"
import type { Receipts } from "../governance/receipts/receipts.ts"
import type { Retention } from "../governance/retention/retention.ts"
import type { Usage } from "../governance/usage/usage.ts"
import type { Bulk } from "../library/bulk.ts"
import type { FileCounts } from "../library/counts.ts"
import type { Library } from "../library/library.ts"
import type { LinkedFiles } from "../library/linked-files.ts"
import type { Pages } from "../library/pages.ts"
import type { Uploads } from "../library/uploads.ts"
import type { VectorStoreBatches } from "../library/vector-store-batches.ts"
import type { VectorStores } from "../library/vector-stores.ts"
import type { WebPages } from "../library/web/web-pages.ts"
import type { WorkspaceRemoval } from "../library/workspace-removal.ts"
import type { Redactor } from "../redaction/redact.ts"
import type { RerankLine } from "../search/rerank/rerank-line.ts"
import type { SearchService } from "../search/types.ts"
import type { BroughtFiles } from "../sources/brought.ts"
import type { Manifests } from "../sources/manifest.ts"
import type { Sources } from "../sources/sources.ts"
import type { Backups } from "../storage/backups.ts"
import type { DiskUse } from "../storage/disk-use.ts"
import type { GraphqlApi } from "./graphql/graphql-api.ts"
import type { Installation } from "./installation.ts"
import type { McpSessions } from "./mcp/sessions.ts"
import type { RateLimiter } from "./rate-limit.ts"
import type { Traffic } from "./traffic.ts"

export interface Services {
  version: string
  apiKeys: ApiKeys
  scopedTokens: ScopedTokens
  streamTokens: StreamTokens
  users: Users
  resetLinks: ResetLinks
  savedPrompts: SavedPrompts
  savedViews: SavedViews
  sessions: Sessions
  workspaces: Workspaces
  workspaceRemoval: WorkspaceRemoval
  signInBrake: SignInBrake
  /** Undefined where nobody signs in by a provider. */
  providerSignIn: ProviderSignIn | undefined
  rateLimiter: RateLimiter
  /** Makes and reads the addresses that open one passage without sign-in. */
  links: Links
  linkedFiles: LinkedFiles
  /** Requests of each key, for the console. */
  traffic: Traffic
  /** The model of the best vectors, for texts of callers. */
  embeddings: EmbeddingLine
  diskUse(): Promise<DiskUse>
  installation: Installation
  backups: Backups
  library: Library
  endUsers: EndUsers
  /** Proofs of deletion. */
  receipts: Receipts
  fileCounts: FileCounts
  bulk: Bulk
  pages: Pages
  search: SearchService
  /** Undefined where the model is missing. */
  reranker: RerankLine | undefined
  models: ModelCatalog
  localOllama: LocalOllama
  redactor: Redactor
  /** Redaction applies to every request of that workspace, whatever it says. */
  redactionEnforced(workspaceId: string): Promise<boolean>
  chat: Chat
  agents: AgentRuns
  batches: Batches
  schedules: Schedules
  /** Of assistants that are connected. */
  mcp: McpSessions
  /** Null where it is switched off. */
  graphql: GraphqlApi | null
  feed: EventFeed
  webhooks: Webhooks
  holds: Holds
  shares: Shares
  retention: Retention
  audit: AuditLog
  auditSubjects: AuditSubjects
  auditTrail: AuditTrail
  uploads: Uploads
  webPages: WebPages
  vectorStores: VectorStores
  sources: Sources
  /** What programs say of the sources that they feed, and bring to them. */
  manifests: Manifests
  broughtFiles: BroughtFiles
  storeBatches: VectorStoreBatches
  /** What one file may have, bytes. */
  maxFileBytes: number
  /** Accepted extensions without the dot, each with its MIME type. */
  fileTypes: ReadonlyMap<string, string>
  /** The same extensions in groups that people think in. */
  typeGroups: readonly { name: string; types: readonly string[] }[]
  /** Counts what is used. */
  usage: Usage
  readiness(): Promise<ReadinessReport>
}

/**
 * `ready`: stores are open, migrations done, the embedding model answers. `degraded`: a model server does not answer, and
 * search goes by words until it does; or a store of `missing` does not, and what needs it is refused. `model_failed`: the
 * embedding model does not load. `unwritable`: the disk fails. Of a node among several, `without_database`: it does not
 * answer; `cut_off`: others may take the node for dead, and it has stopped its work.
 */
export type Readiness =
  | "ready"
  | "degraded"
  | "starting"
  | "unwritable"
  | "model_failed"
  | "without_database"
  | "cut_off"

export interface ReadinessReport {
  status: Readiness
  /** Engines that do not answer; absent on one machine, which has none. */
  missing?: Engine[]
}
