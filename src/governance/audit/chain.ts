/**
 * How a row of the audit log is bound to the one before. `hash` is SHA-256 over the canonical JSON (RFC 8785) of the record as
 * it is exported, without `hash` itself: whoever holds an export can check it. `mac` is HMAC-SHA-256 over workspace, number and
 * hash with the installation's key, so that nobody who can only write the table makes a row.
 */
import { createHash, createHmac } from "node:crypto"
import { canonicalJson } from "../../canonical-json.ts"
import type { AuditRow } from "../../storage/audit.ts"
import type { ActorType, Outcome } from "./actions.ts"

const AUDIT_VERSION = 1

/** Spelled as on the wire. */
export interface AuditRecord {
  audit_version: number
  workspace_id: string
  /** 1, 2, 3 … within the workspace. */
  seq: number
  id: string
  ts: string
  action: string
  outcome: Outcome
  actor: { type: ActorType; id: string | null; name: string }
  resource_type: string | null
  resource_id: string | null
  request_id: string | null
  endpoint: string | null
  source_ip: string | null
  details: Record<string, unknown>
  prev_hash: string
  hash: string
}

/** Where a chain stands: behind the row of that number. */
export interface ChainEnd {
  seq: number
  hash: string
}

/** Before the first row. */
export const NO_ROWS: ChainEnd = { seq: 0, hash: "" }

export const toRecord = ({ actor_type, actor_id, actor_name, details, mac, ...row }: AuditRow): AuditRecord => ({
  audit_version: AUDIT_VERSION,
  ...row,
  outcome: row.outcome as Outcome,
  actor: { type: actor_type as ActorType, id: actor_id, name: actor_name },
  details: detailsIn(details),
})

/** Text that somebody put in their place is shown as it is: the log is read all the same, and tells that the row was changed. */
function detailsIn(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return { unreadable: text }
  }
}

/** The row with its place in the chain. */
export function chained(
  row: Omit<AuditRow, "seq" | "prev_hash" | "hash" | "mac">,
  end: ChainEnd,
  key: Buffer,
): AuditRow {
  const placed = { ...row, seq: end.seq + 1, prev_hash: end.hash }
  const hash = hashOf({ ...placed, hash: "", mac: "" })
  return { ...placed, hash, mac: macOf(key, "row", row.workspace_id, placed.seq, hash) }
}

function hashOf(row: AuditRow): string {
  const { hash, ...record } = toRecord(row)
  return createHash("sha256").update(canonicalJson(record)).digest("hex")
}

/** @param what tells the uses of the key apart */
export const macOf = (key: Buffer, what: "row" | "checkpoint" | "anchor", ...parts: readonly unknown[]): string =>
  createHmac("sha256", key)
    .update(JSON.stringify([what, ...parts]))
    .digest("hex")

export type Fault = "missing" | "changed"

/** What is wrong with the row that follows `end`; undefined where nothing is. */
export function faultIn(row: AuditRow, end: ChainEnd, key: Buffer): Fault | undefined {
  if (row.seq !== end.seq + 1 || row.prev_hash !== end.hash) return row.seq === end.seq + 1 ? "changed" : "missing"
  const isOurs = row.mac === macOf(key, "row", row.workspace_id, row.seq, row.hash)
  return isOurs && row.hash === hashOf(row) ? undefined : "changed"
}
