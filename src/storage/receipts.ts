/** Proofs of deletion and what they are about; `governance/receipts/` reads and writes them. */
import type { Generated } from "kysely"
import type { OwnedColumns } from "./owned.ts"

export interface ReceiptsTables {
  receipts: ReceiptsTable
  removals: RemovalsTable
  end_user_erasures: EndUserErasuresTable
}

/** Its owner columns say who removed it. */
export interface ReceiptsTable extends OwnedColumns {
  id: string
  workspace_id: string
  what: string
  /** The node that adds to it until it is closed; null where something durable does, which goes on after a crash. */
  opener: string | null
  /** 0 while more may be added. */
  closed: 0 | 1
  /** JSON of the signed receipt; null until the bytes are gone. */
  receipt: string | null
  created_at: string
  written_at: string | null
}

export interface RemovalsTable {
  id: string
  receipt_id: string
  /** Of the file, conversation, run …; for an end user the digest of the name. */
  resource_id: string
  kind: RemovalKind
  /** JSON array: of the bytes that were removed. */
  sha256s: string
  /** JSON of `Traces`: where to look whether its bytes are gone. */
  traces: string
  /** 1 once no row and no stored bytes are left of it. */
  gone: Generated<0 | 1>
}

/** Of which end user all is to be removed; the row goes when it is. */
interface EndUserErasuresTable {
  receipt_id: string
  workspace_id: string
  end_user: string
}

/**
 * `version`: the former bytes of a file that was replaced. `response`: a kept answer. `batch_file`: what a batch reads or has
 * written. `end_user`: a name, whose id here is its digest.
 */
export type RemovalKind = "file" | "version" | "conversation" | "run" | "response" | "batch" | "batch_file" | "end_user"

/** Where the bytes of what was removed may lie. */
export interface Traces {
  /** Names of stored bytes: originals, pictures. */
  blobs?: readonly string[]
  /** Of a file: texts and passages of this generation and of those before it. */
  generation?: number
  /** A worker was reading it. */
  isRead?: true
}
