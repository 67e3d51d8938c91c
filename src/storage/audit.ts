/** The audit log; `governance/audit/` reads and writes it. */
export interface AuditTables {
  audit_log: AuditRow
  audit_checkpoints: AuditCheckpointsTable
  audit_anchors: AuditAnchorsTable
  audit_strangers: AuditStrangersTable
  audit_pending: AuditPendingTable
}

/** Never changed; the oldest of a workspace are removed by its retention alone. */
export interface AuditRow {
  workspace_id: string
  /** 1, 2, 3 … within the workspace, in the order of the commits. */
  seq: number
  id: string
  ts: string
  action: string
  outcome: string
  actor_type: string
  actor_id: string | null
  /** As it was then; empty where nobody has one. */
  actor_name: string
  resource_type: string | null
  resource_id: string | null
  request_id: string | null
  /** Method and pattern, `DELETE /external/libraries/:file_id`. */
  endpoint: string | null
  source_ip: string | null
  /** JSON object. */
  details: string
  /** `hash` of the row before; empty for the first. */
  prev_hash: string
  /** SHA-256 in hex: see `chain.ts`. */
  hash: string
  /** Over the hash, with the installation's key. */
  mac: string
}

/** The last row that retention removed. */
interface AuditCheckpointsTable {
  workspace_id: string
  seq: number
  hash: string
  mac: string
}

/** Of several machines: where the chain ends, as `anchors.ts` writes it; one machine has it in a file. */
interface AuditAnchorsTable {
  workspace_id: string
  anchor: string
}

/** Refusals of requests that name no key and no user of ours, by day. */
interface AuditStrangersTable {
  day: string
  refusals: number
}

/** Rows that came with a change, until they have their place in the chain. */
interface AuditPendingTable {
  /** Of the row. */
  id: string
  /** JSON. */
  told: string
}
