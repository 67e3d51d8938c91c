/** What a source does and how its last sync went, in words. */

import { ago, count, inRow } from "../../format.ts"
import { type Text, t } from "../../text.ts"
import type { SourceRecord, SyncRecord } from "../../wire.ts"

const STATES: Record<SourceRecord["status"], readonly [look: string, word: Text]> = {
  idle: ["good", "In sync"],
  syncing: ["busy", "Syncing"],
  failed: ["bad", "Failed"],
  guarded: ["bad", "Needs a decision"],
  paused: ["", "Paused"],
}

const NEVER = ["", "Not synced yet"] as const satisfies readonly [string, Text]

export function SourceState({
  source: { status, last_sync: last },
}: {
  source: Pick<SourceRecord, "status" | "last_sync">
}) {
  const [look, word] = status === "idle" && !last ? NEVER : STATES[status]
  return <span class={`badge ${look}`}>{t(word)}</span>
}

type Counts = Pick<SyncRecord, "added" | "updated" | "deleted" | "unchanged" | "skipped" | "failed">

/** "3 added, 1 deleted, 12 unchanged": what is none is left out. */
export function countsOf({ added, updated, deleted, unchanged, skipped, failed }: Counts): string {
  const parts = [
    [added, t("added")],
    [updated, t("updated")],
    [deleted, t("deleted")],
    [failed, t("failed")],
    [skipped, t("skipped")],
    [unchanged, t("unchanged")],
  ] as const
  const told = parts.filter(([value]) => value > 0).map(([value, word]) => `${count(value)} ${word}`)
  return inRow(told) || t("nothing there")
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
  const told = !brief ? countsOf(sync) : changes > 0 ? countsOf({ ...sync, unchanged: 0, skipped: 0 }) : t("no change")
  return (
    <span class="soft small">
      {told} · {sync.finished_at ? ago(sync.finished_at) : t("now")}
    </span>
  )
}

export const guardQuestion = ({ guarded }: SyncRecord): string =>
  t(
    "{guarded, plural, one {# file of this source is gone from its place.} other {# files of this source are gone from its place all at once.}}",
    { guarded },
  )
