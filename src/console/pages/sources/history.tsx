import { useState } from "preact/hooks"
import { api, query } from "../../api.ts"
import { count, dateTime, duration } from "../../format.ts"
import { useLoaded, useRepeated } from "../../loading.ts"
import { t } from "../../text.ts"
import { Problem } from "../../ui/form.tsx"
import { Pages } from "../../ui/page.tsx"
import type { Page as ListPage, SyncRecord } from "../../wire.ts"
import { countsOf } from "./sync-state.tsx"

interface HistorySectionProps {
  sourceId: string
  /** Changes with each sync. */
  version: string
  busy: boolean
}

/** The syncs of a source, the newest first. */
export function HistorySection({ sourceId, version, busy }: HistorySectionProps) {
  const [page, setPage] = useState(1)
  const parameters = query({ page, page_size: 10 })
  const syncs = useLoaded(`${sourceId}${parameters}${version}${busy}`, signal =>
    api.get<ListPage<SyncRecord>>(`/sources/${sourceId}/history${parameters}`, signal),
  )
  useRepeated(busy ? 2_000 : null, syncs.reload)
  return (
    <section class="stack">
      <h2>{t("History")}</h2>
      <Problem error={syncs.error} />
      {syncs.data?.data.length === 0 && <p class="soft">{t("It has not been synced yet.")}</p>}
      <ul class="list">
        {syncs.data?.data.map(sync => (
          <li key={sync.sync_id} class="row between">
            <div>
              {sync.error ? sync.error.message : countsOf(sync)}
              {sync.guarded > 0 && (
                <span class="small block">
                  {t("{count} held back: too many at once", { count: count(sync.guarded) })}
                </span>
              )}
            </div>
            <span class="row">
              <span class="soft small">
                {dateTime(sync.started_at)}
                {sync.finished_at && ` · ${duration(Date.parse(sync.finished_at) - Date.parse(sync.started_at))}`}
              </span>
              <SyncState sync={sync} />
            </span>
          </li>
        ))}
      </ul>
      {syncs.data && <Pages of={syncs.data.pagination} onPage={setPage} />}
    </section>
  )
}

function SyncState({ sync }: { sync: SyncRecord }) {
  if (!sync.finished_at) return <span class="badge busy">{t("Running")}</span>
  if (sync.error) return <span class="badge bad">{t("Failed")}</span>
  return sync.guarded > 0 ? <span class="badge bad">{t("Guarded")}</span> : <span class="badge good">{t("Done")}</span>
}
