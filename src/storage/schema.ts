/** All tables. Each family declares its own in its own file; this joins them for Kysely. */
import type { AuditTables } from "./audit.ts"
import type { BatchesTables } from "./batches.ts"
import type { ChunksTables } from "./chunk-tables.ts"
import type { ConversationsTables } from "./conversations.ts"
import type { CountersTables } from "./counters.ts"
import type { EncryptionTables } from "./encryption/keys-table.ts"
import type { EventsTables } from "./events.ts"
import type { FileJobsTables } from "./file-jobs.ts"
import type { FilesTables } from "./files.ts"
import type { HoldsTables } from "./holds.ts"
import type { IdempotencyTables } from "./idempotency-table.ts"
import type { JobsTables } from "./jobs.ts"
import type { KeptAnswersTables } from "./kept-answers.ts"
import type { KeysTables } from "./keys.ts"
import type { NodesTables } from "./nodes.ts"
import type { ReadingNotesTables } from "./reading-notes.ts"
import type { ReceiptsTables } from "./receipts.ts"
import type { RecordsTables } from "./records.ts"
import type { RunsTables } from "./runs.ts"
import type { SchedulesTables } from "./schedules.ts"
import type { SecretsTables } from "./secrets-table.ts"
import type { SharesTables } from "./shares.ts"
import type { SourcesTables } from "./sources.ts"
import type { UsageTables } from "./usage.ts"
import type { UsersTables } from "./users.ts"
import type { VectorStoresTables } from "./vector-stores.ts"
import type { WebPagesTables } from "./web-pages.ts"

export interface Schema
  extends KeysTables,
    AuditTables,
    BatchesTables,
    FilesTables,
    FileJobsTables,
    ChunksTables,
    EncryptionTables,
    EventsTables,
    HoldsTables,
    IdempotencyTables,
    JobsTables,
    KeptAnswersTables,
    NodesTables,
    RecordsTables,
    ReadingNotesTables,
    ReceiptsTables,
    RunsTables,
    SchedulesTables,
    SecretsTables,
    SharesTables,
    SourcesTables,
    UsageTables,
    UsersTables,
    VectorStoresTables,
    WebPagesTables,
    ConversationsTables,
    CountersTables {}
