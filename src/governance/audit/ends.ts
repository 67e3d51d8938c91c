/** Where a chain begins and ends, by the table and by what is kept outside of it. */
import type { Database, Executor } from "../../storage/database.ts"
import { type Anchor, type Anchors, understood } from "./anchors.ts"
import { type ChainEnd, macOf, NO_ROWS } from "./chain.ts"

export interface Chains {
  database: Database
  anchors: Anchors
  key: Buffer
}

/** The end by the table, and whether the anchor agrees. */
export interface Head extends Anchor {
  /** False where rows are missing, or the anchor is. */
  isSound: boolean
}

/** `unreadable`: there is one, and it is not ours. Undefined for a chain that has not begun. */
export async function findAnchor(
  { anchors, key }: Chains,
  executor: Executor,
  workspaceId: string,
): Promise<Anchor | "unreadable" | undefined> {
  const texts = await anchors.read(executor, workspaceId)
  if (texts.length === 0) return undefined
  const ours = texts.flatMap(text => understood(key, workspaceId, text) ?? [])
  return ours.sort((left, right) => right.seq - left.seq || right.forgotten - left.forgotten)[0] ?? "unreadable"
}

/** The last row that retention removed; the beginning where it removed none. Undefined for one that is not ours. */
export async function findCheckpoint(
  { key }: Chains,
  executor: Executor,
  workspaceId: string,
): Promise<ChainEnd | undefined> {
  const row = await executor
    .selectFrom("audit_checkpoints")
    .selectAll()
    .where("workspace_id", "=", workspaceId)
    .executeTakeFirst()
  if (!row) return NO_ROWS
  const { seq, hash, mac } = row
  return mac === macOf(key, "checkpoint", workspaceId, seq, hash) ? { seq, hash } : undefined
}

export const setCheckpoint = (executor: Executor, key: Buffer, workspaceId: string, { seq, hash }: ChainEnd) => {
  const checkpoint = { seq, hash, mac: macOf(key, "checkpoint", workspaceId, seq, hash) }
  return executor
    .insertInto("audit_checkpoints")
    .values({ workspace_id: workspaceId, ...checkpoint })
    .onConflict(conflict => conflict.column("workspace_id").doUpdateSet(checkpoint))
    .execute()
}

export async function headOf(chains: Chains, executor: Executor, workspaceId: string): Promise<Head> {
  const last = await executor
    .selectFrom("audit_log")
    .select(["seq", "hash", "id"])
    .where("workspace_id", "=", workspaceId)
    .orderBy("seq", "desc")
    .limit(1)
    .executeTakeFirst()
  const checkpoint = await findCheckpoint(chains, executor, workspaceId)
  const anchor = await findAnchor(chains, executor, workspaceId)
  const end = last ?? { ...(checkpoint ?? NO_ROWS), id: null }
  if (anchor === undefined || anchor === "unreadable")
    return { ...end, forgotten: 0, isSound: anchor === undefined && end.seq === 0 }
  const isSound = anchor.seq <= end.seq && (await hashAt(executor, workspaceId, anchor.seq, checkpoint)) === anchor.hash
  return { ...end, forgotten: anchor.forgotten, isSound }
}

async function hashAt(executor: Executor, workspaceId: string, seq: number, checkpoint: ChainEnd | undefined) {
  if (seq === checkpoint?.seq) return checkpoint.hash
  const row = await executor
    .selectFrom("audit_log")
    .select("hash")
    .where("workspace_id", "=", workspaceId)
    .where("seq", "=", seq)
    .executeTakeFirst()
  return row?.hash
}

/** The newest row that may be removed; the last of all stays. */
export const lastBefore = (executor: Executor, workspaceId: string, before: string, { seq }: ChainEnd) =>
  executor
    .selectFrom("audit_log")
    .select(["seq", "hash"])
    .where("workspace_id", "=", workspaceId)
    .where("ts", "<", before)
    .where("seq", "<", seq)
    .orderBy("seq", "desc")
    .limit(1)
    .executeTakeFirst()
