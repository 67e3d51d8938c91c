/** Whether a chain is whole: each row as it was written, none missing, its end where the anchor says. */
import type { AuditRow } from "../../storage/audit.ts"
import type { Executor } from "../../storage/database.ts"
import { type Fault, faultIn } from "./chain.ts"
import { type Chains, findAnchor, findCheckpoint } from "./ends.ts"

export interface Verification {
  ok: boolean
  /** Looked at. */
  rows: number
  /** Id of the first row that is not as it was written, that follows a gap, or that is gone from the end. */
  first_bad: string | null
  /**
   * `changed`: a row, or the one before it. `missing`: rows before it. `cut`: the end is gone, or the log is older than it was.
   * `anchor`: what says where the chain ends is missing or not ours.
   */
  reason: Fault | "cut" | "anchor" | null
}

const PAGE = 1_000

export async function verify(chains: Chains, workspaceId: string): Promise<Verification> {
  for (;;) {
    const before = await findCheckpoint(chains, chains.database, workspaceId)
    const found = await look(chains, workspaceId)
    const after = await findCheckpoint(chains, chains.database, workspaceId)
    if (found.ok || before?.seq === after?.seq) return found // else retention removed rows meanwhile
  }
}

async function look(chains: Chains, workspaceId: string): Promise<Verification> {
  const { database } = chains
  // Before the rows: what is appended meanwhile lies behind it.
  const anchor = await findAnchor(chains, database, workspaceId)
  const start = await findCheckpoint(chains, database, workspaceId)
  let rows = 0
  const bad = (id: string | null | undefined, reason: NonNullable<Verification["reason"]>): Verification => ({
    ok: false,
    rows,
    first_bad: id ?? null,
    reason,
  })
  let end = start ?? { seq: 0, hash: "" }
  let anchored = anchor === undefined ? end.seq === 0 : anchor !== "unreadable" && anchor.seq === end.seq
  for await (const row of rowsBehind(database, workspaceId, 0)) {
    const isAllowed = start && anchor !== undefined && anchor !== "unreadable" && start.seq <= anchor.forgotten
    if (rows === 0 && (!start || (start.seq > 0 && !isAllowed))) return bad(row.id, "missing")
    const fault = faultIn(row, end, chains.key)
    if (fault) return bad(row.id, fault)
    rows++
    end = row
    if (anchor === undefined || anchor === "unreadable") return bad(row.id, "anchor")
    if (row.seq === anchor.seq) {
      if (row.hash !== anchor.hash) return bad(row.id, "changed")
      anchored = true
    }
    if (rows % PAGE === 0) await Bun.sleep(0) // others have their turn
  }
  if (anchor === "unreadable") return bad(null, "anchor")
  if (!anchored) return bad(anchor?.id, "cut")
  return { ok: true, rows, first_bad: null, reason: null }
}

/** In their order, page by page. */
async function* rowsBehind(executor: Executor, workspaceId: string, seq: number): AsyncGenerator<AuditRow> {
  for (let last = seq; ; ) {
    const page = await executor
      .selectFrom("audit_log")
      .selectAll()
      .where("workspace_id", "=", workspaceId)
      .where("seq", ">", last)
      .orderBy("seq")
      .limit(PAGE)
      .execute()
    yield* page
    if (page.length < PAGE) return
    last = page.at(-1)!.seq
  }
}
