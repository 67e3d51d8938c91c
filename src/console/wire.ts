/** What the API answers, as the console reads it. Types of the domain are used as they are: one definition. */

import type { InvitationRecord, WorkspaceRecord } from "../access/workspaces.ts"
import type { Conversation as StoredConversation, Message as StoredMessage } from "../chat/types.ts"
import type { WebhookRecord } from "../events/webhook-record.ts"
import type { Citation } from "../grounding/passages.ts"
import type { CoverageItem, CoverageTotals } from "../sources/coverage.ts"
import type { DiskUse } from "../storage/disk-use.ts"

export type { ApiKeyRecord, NewApiKey } from "../access/keys.ts"
export type { Quota } from "../access/limits.ts"
export type { OwnerRecord as Owner } from "../access/owner.ts"
export type { Scope } from "../access/principal.ts"
export type { SessionRecord } from "../access/sessions.ts"
export type { ShareRecord as Shares } from "../access/shares.ts"
export type { UserRecord, UserRole } from "../access/users.ts"
export type { ApprovalRecord as Approval } from "../agents/approval-record.ts"
export type { ToolServer } from "../agents/external-tools.ts"
export type { RunRecord as Run, RunSummary, StepRecord as RunStep } from "../agents/run-record.ts"
export type { ModelRecord as Model } from "../backends/index.ts"
export type { FoundOllama } from "../backends/local-ollama.ts"
export type { BatchRecord as Batch } from "../batches/record.ts"
export type { Schedule, ScheduleRun } from "../batches/schedules.ts"
export type { ChatEventData, PartsDone, Phase, WarningCode } from "../chat/events.ts"
export type { ModelTrial } from "../chat/model-trial.ts"
export type { AnswerRecord } from "../chat/record/answer-record.ts"
export type { Reading } from "../chat/settings.ts"
export type { ConversationSummary } from "../chat/types.ts"
export type { EventType } from "../events/types.ts"
export type { Delivery, WebhookRecord as Webhook } from "../events/webhook-record.ts"
export type { AuditRecord as AuditRow } from "../governance/audit/chain.ts"
export type { Covered, HoldRecord } from "../governance/holds/holds.ts"
export type { Receipt } from "../governance/receipts/receipt.ts"
export type { Counts as RetentionCounts, RetentionRecord } from "../governance/retention/retention.ts"
export type { Kind as RetentionKind, Rule as RetentionRule } from "../governance/retention/rules.ts"
export type { UsageRecord as UsageRow } from "../governance/usage/report.ts"
export type { Position } from "../grounding/passages.ts"
export type { InstallationSetting, PackRecord as Pack } from "../http/installation.ts"
export type { PageBox, PageRecord } from "../library/pages.ts"
export type { FileRecord } from "../library/record.ts"
export type { Failure } from "../log-record.ts"
export type { BuiltInKind } from "../redaction/recognizers/index.ts"
export type { Hit, SearchFilters, SearchMode, SearchResult } from "../search/types.ts"
export type { DryRun } from "../sources/dry-run.ts"
export type { SourceRecord, SyncRecord } from "../sources/source.ts"
export type { BackupState as Backups } from "../storage/backups.ts"
export type { Warning } from "../storage/document.ts"
export type { InvitationRecord, WorkspaceRecord }

export interface Source extends Citation {
  /** The text that cites it, where it was opened from there. */
  answer?: string
}

/** A picture that came with a message. */
export interface MessageImage {
  mime_type: string
  size: number
  url: string
}

export type { Feedback, Variant } from "../chat/types.ts"

export interface Message extends Omit<StoredMessage, "images"> {
  images: MessageImage[]
}

export interface Conversation extends Omit<StoredConversation, "messages"> {
  messages: Message[]
}

export interface Coverage extends CoverageTotals {
  items: CoverageItem[]
  pagination: Page<unknown>["pagination"]
}

export interface NewWebhook extends WebhookRecord {
  secret: string
}
/** Somebody whom things can be shared with. */
export interface Member {
  id: string
  name: string
}

export interface Page<T> {
  data: T[]
  pagination: { page: number; page_size: number; total_items: number; total_pages: number; has_next: boolean }
}

/** Of a list that is also read on by cursor. */
export interface LongPage<T> extends Page<T> {
  /** Leads to what follows; null at the end. */
  next: string | null
  /** Leads to what goes before; null at the beginning. */
  previous: string | null
}

export interface Me {
  user: { id: string; email: string; name: string; role: "administrator" | "member" }
  workspace: { id: string; name: string }
  workspaces: { id: string; name: string }[]
  expires_at: string
  version: string
}

/** What the sign-in page goes by. */
export interface SignInStatus {
  configured: boolean
  /** By whom people sign in; without passwords where `only` is true. */
  provider?: { name: string; only: boolean }
}

export interface SignInProvider {
  issuer: string
  client_id: string
  redirect_uri: string
  only: boolean
  admin_group: string | null
  workspace_claim: string | null
}

/** What is redacted in the workspace, and who insists on it whatever a request says. */
export interface Redaction {
  enforced_by: "daemon" | "workspace" | null
  kinds: { kind: string; category: string; label: string }[]
}

/** What uploads may hold. */
export interface UploadRules {
  max_file_bytes: number
  /** Extensions of file names, in groups that people look for them in. */
  groups: { name: string; types: string[] }[]
}

export interface ToolChoice {
  name: string
  title: string
  external: boolean
}

export interface Overview {
  uptime_seconds: number
  embedding_model: string
  disk: { used_bytes: number; free_bytes: number }
  /** Requests of each key of the workspace in the last hour, one count per minute, oldest first. */
  requests: { key_id: string; name: string; per_minute: number[] }[]
  /** Those that were given up. */
  disabled_webhooks: { id: string; url: string; reason: string }[]
}

export interface StorageUse extends DiskUse {
  directory: string
  files: { count: number; bytes: number }
}
