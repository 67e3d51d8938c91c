/** Holds and retention; `governance/` reads and writes them. */

export interface HoldsTables {
  holds: HoldsTable
  held: HeldTable
  retention: RetentionTable
  retention_passes: RetentionPassesTable
}

/** What may not be deleted now: `governance/holds/covers.ts` says what that is. */
export interface HoldsTable {
  id: string
  workspace_id: string
  name: string
  /** JSON of a filter on files. */
  filter: string | null
  end_user: string | null
  context_id: string | null
  created_at: string
}

/** What a hold covered once, and goes on to cover whatever has changed of it. */
export interface HeldTable {
  hold_id: string
  kind: "files" | "conversations" | "runs"
  id: string
}

/** Rules of a workspace: when what is deleted by itself. */
export interface RetentionTable {
  workspace_id: string
  /** JSON array. */
  rules: string
  updated_at: string
}

/** One going over a workspace by its rules, as they were at its beginning. */
export interface RetentionPassesTable {
  id: string
  workspace_id: string
  /** JSON array. */
  rules: string
  started_at: string
  /** Null while it is under way, also after a crash. */
  finished_at: string | null
  /** JSON: how far it came. */
  cursor: string
  /** JSON: how many of each kind it has deleted. */
  counts: string
}
