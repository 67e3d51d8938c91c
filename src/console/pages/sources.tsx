/** Library → Sources: places that are kept in sync with the library. For administrators. */

import { useState } from "preact/hooks"
import { api, query } from "../api.ts"
import { dateTime } from "../format.ts"
import { useLoaded, useRepeated } from "../loading.ts"
import type { PageProps } from "../page-props.ts"
import { go, Link, pageIn, usePlace } from "../router.tsx"
import { t } from "../text.ts"
import { Button } from "../ui/button.tsx"
import { Problem } from "../ui/form.tsx"
import { Empty, Page, Pages } from "../ui/page.tsx"
import type { Page as ListPage, SourceRecord } from "../wire.ts"
import { LibraryTabs } from "./library/tabs.tsx"
import { SourceForm } from "./sources/source-form.tsx"
import { SourceView } from "./sources/source-view.tsx"
import { LastSync, SourceState } from "./sources/sync-state.tsx"
import { placeOfSource, TYPES } from "./sources/types.ts"

const BUSY_REFRESH_MS = 2_000
const IDLE_REFRESH_MS = 15_000

export const Sources = ({ rest: [sourceId] }: PageProps) =>
  sourceId ? <SourceView key={sourceId} sourceId={sourceId} /> : <SourceList />

function SourceList() {
  const [adding, setAdding] = useState(false)
  const { query: address } = usePlace()
  const parameters = query({ page: pageIn(address) })
  const sources = useLoaded(parameters, signal => api.get<ListPage<SourceRecord>>(`/sources${parameters}`, signal))
  const busy = sources.data?.data.some(({ status }) => status === "syncing")
  useRepeated(busy ? BUSY_REFRESH_MS : IDLE_REFRESH_MS, sources.reload)
  return (
    <Page
      title={t("Library")}
      actions={
        <Button kind="primary" icon="plus" onClick={() => setAdding(true)}>
          {t("Add a source")}
        </Button>
      }
    >
      <div class="stack">
        <LibraryTabs current="/library/sources" />
        <Problem error={sources.error} />
        {sources.data?.data.length === 0 && (
          <Empty icon="refresh" title={t("No sources yet")}>
            <p>{t("A folder, a server, a repository, a mailbox or a web site that the library follows by itself.")}</p>
          </Empty>
        )}
        <ul class="list">
          {sources.data?.data.map(source => (
            <SourceItem key={source.id} source={source} />
          ))}
        </ul>
        {sources.data && (
          <Pages of={sources.data.pagination} onPage={page => go(`/library/sources${query({ page })}`, true)} />
        )}
      </div>
      {adding && (
        <SourceForm onClose={() => setAdding(false)} onSaved={source => go(`/library/sources/${source.id}`)} />
      )}
    </Page>
  )
}

const SourceItem = ({ source }: { source: SourceRecord }) => (
  <li>
    <Link to={`/library/sources/${source.id}`} class="row between run-link">
      <span class="name">
        <bdi>{source.name}</bdi>
        <span class="soft small block">
          {TYPES[source.type].title} · <bdi>{placeOfSource(source)}</bdi>
        </span>
      </span>
      <span class="source-state">
        <SourceState source={source} />
        <span class="block">
          <LastSync sync={source.last_sync} brief />
        </span>
        {source.next_sync_at && source.status !== "paused" && (
          <span class="soft small block">{t("next {time}", { time: dateTime(source.next_sync_at) })}</span>
        )}
      </span>
    </Link>
  </li>
)
