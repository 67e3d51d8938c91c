/** What a source does and how its last sync went, in words. */
import { ago, plural } from "../../format.ts"
import type { SourceRecord, SyncRecord } from "../../wire.ts"

const STATES: Record<SourceRecord["status"], readonly [look: string, word: string]> = {
  idle: ["good", "In sync"],
  syncing: ["busy", "Syncing"],
  failed: ["bad", "Failed"],
  guarded: ["bad", "Needs a decision"],
  paused: ["", "Paused"],
}

export function SourceState({
  source: { status, last_sync: last },
}: {
  source: Pick<SourceRecord, "status" | "last_sync">
}) {
  const [look, word] = status === "idle" && !last ? ["", "Not synced yet"] : STATES[status]
  return <span class={`badge ${look}`}>{word}</span>
}

type Counts = Pick<SyncRecord, "added" | "updated" | "deleted" | "unchanged" | "skipped" | "failed">

/** "3 added, 1 deleted, 12 unchanged": what is none is left out. */
export function countsOf({ added, updated, deleted, unchanged, skipped, failed }: Counts): string {
  const parts = [
    [added, "added"],
    [updated, "updated"],
    [deleted, "deleted"],
    [failed, "failed"],
    [skipped, "skipped"],
    [unchanged, "unchanged"],
  ] as const
  const told = parts.filter(([count]) => count > 0).map(([count, word]) => `${count.toLocaleString()} ${word}`)
  return told.join(", ") || "nothing there"
}

interface LastSyncProps {
  sync: SyncRecord | null
  /** Tells only what is other than before. */
  brief?: boolean
}

/** Why the last sync failed, or what it did. */
export function LastSync({ sync, brief }: LastSyncProps) {
  if (!sync) return null
  if (sync.error) return <span class="small">{sync.error.message}</span>
  const changes = sync.added + sync.updated + sync.deleted + sync.failed
  const told = !brief ? countsOf(sync) : changes > 0 ? countsOf({ ...sync, unchanged: 0, skipped: 0 }) : "no change"
  return (
    <span class="soft small">
      {told} · {sync.finished_at ? ago(sync.finished_at) : "now"}
    </span>
  )
}

export const guardQuestion = ({ guarded }: SyncRecord): string =>
  `${plural(guarded, "file")} of this source ${guarded === 1 ? "is" : "are"} gone from its place all at once.`
