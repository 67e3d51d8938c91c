/** A source: what it follows, how it went, what became of every file of it. */

import { useState } from "preact/hooks"
import { api, query } from "../../api.ts"
import { dateTime } from "../../format.ts"
import { useAction, useLoaded, useRepeated } from "../../loading.ts"
import { go, Link } from "../../router.tsx"
import { t } from "../../text.ts"
import { Button } from "../../ui/button.tsx"
import { Confirm, Dialog } from "../../ui/dialog.tsx"
import { Problem, Segments } from "../../ui/form.tsx"
import { Page } from "../../ui/page.tsx"
import { notify } from "../../ui/toast.tsx"
import type { DryRun, SourceRecord } from "../../wire.ts"
import { scheduleText } from "../timing-fields.tsx"
import { CoverageSection } from "./coverage.tsx"
import { Guard } from "./guard.tsx"
import { HistorySection } from "./history.tsx"
import { SourceForm } from "./source-form.tsx"
import { countsOf, LastSync, SourceState } from "./sync-state.tsx"
import { placeOfSource, TYPES } from "./types.ts"

const BUSY_REFRESH_MS = 2_000
const IDLE_REFRESH_MS = 10_000

type Open = { what: "change" } | { what: "remove" } | { what: "preview"; found: DryRun }

export function SourceView({ sourceId }: { sourceId: string }) {
  const [open, setOpen] = useState<Open | null>(null)
  const source = useLoaded(sourceId, signal => api.get<SourceRecord>(`/sources/${sourceId}`, signal))
  const record = source.data
  const busy = record?.status === "syncing"
  useRepeated(busy ? BUSY_REFRESH_MS : IDLE_REFRESH_MS, source.reload)
  const change = useAction(async (body: object) =>
    source.set(await api.patch<SourceRecord>(`/sources/${sourceId}`, body)),
  )
  const sync = useAction(async (force?: true) => {
    await api.post(`/sources/${sourceId}/sync`, force ? { force } : {})
    source.reload()
  })
  const preview = useAction(async () =>
    setOpen({ what: "preview", found: await api.post<DryRun>(`/sources/${sourceId}/sync`, { dry_run: true }) }),
  )
  return (
    <Page
      title={record?.name ?? t("Source")}
      actions={
        record && (
          <Actions
            source={record}
            busy={sync.busy || preview.busy || change.busy}
            onSync={() => void sync.run()}
            onPreview={() => void preview.run()}
            onPause={paused => void change.run({ paused })}
            onOpen={what => setOpen({ what })}
          />
        )
      }
    >
      <div class="stack wide-gap">
        <Link to="/library/sources">{t("All sources")}</Link>
        <Problem error={source.error ?? sync.error ?? change.error ?? preview.error} />
        {record && (
          <>
            {record.status === "guarded" && record.last_sync && (
              <Guard
                sync={record.last_sync}
                onForce={() => sync.run(true)}
                onKeep={async () => (await change.run({ delete_missing: false })) && (await sync.run(true))}
              />
            )}
            <Facts source={record} />
            <CoverageSection sourceId={sourceId} busy={busy} />
            <HistorySection sourceId={sourceId} version={record.last_sync?.sync_id ?? ""} busy={busy} />
          </>
        )}
      </div>
      {open && record && (
        <Opened open={open} source={record} onClose={() => setOpen(null)} onSync={sync.run} onChanged={source.set} />
      )}
    </Page>
  )
}

interface OpenedProps {
  open: Open
  source: SourceRecord
  onClose: () => void
  onSync: (force?: true) => Promise<unknown>
  onChanged: (source: SourceRecord) => void
}

/** The dialog that is shown. */
function Opened({ open, source, onClose, onSync, onChanged }: OpenedProps) {
  if (open.what === "remove") return <Remove source={source} onClose={onClose} />
  if (open.what === "change") {
    const onSaved = (changed: SourceRecord) => {
      onChanged(changed)
      onClose()
    }
    return <SourceForm present={source} onClose={onClose} onSaved={onSaved} />
  }
  // What was held back is there again: the guard's question needs no answer any more.
  const isSettled = source.status === "guarded" && open.found.guarded === 0
  return <Preview found={open.found} onClose={onClose} onSync={() => onSync(isSettled ? true : undefined)} />
}

interface ActionsProps {
  source: SourceRecord
  busy: boolean
  onSync: () => void
  onPreview: () => void
  onPause: (paused: boolean) => void
  onOpen: (what: "change" | "remove") => void
}

function Actions({ source: { type, status }, busy, onSync, onPreview, onPause, onOpen }: ActionsProps) {
  const isPaused = status === "paused"
  return (
    <>
      {type !== "push" && (
        <>
          <Button kind="primary" icon="refresh" disabled={busy || isPaused || status === "syncing"} onClick={onSync}>
            {t("Sync now")}
          </Button>
          <Button disabled={busy} onClick={onPreview}>
            {t("Preview")}
          </Button>
        </>
      )}
      <Button disabled={busy} onClick={() => onPause(!isPaused)}>
        {isPaused ? t("Resume") : t("Pause")}
      </Button>
      <Button kind="quiet" icon="edit" label={t("Change")} onClick={() => onOpen("change")} />
      <Button kind="quiet" icon="trash" label={t("Delete")} onClick={() => onOpen("remove")} />
    </>
  )
}

const Facts = ({ source }: { source: SourceRecord }) => (
  <dl class="facts">
    <dt>{t("State")}</dt>
    <dd class="row">
      <SourceState source={source} /> <LastSync sync={source.last_sync} />
    </dd>
    <dt>{t("From")}</dt>
    <dd>
      {t(TYPES[source.type].title)} · <bdi>{placeOfSource(source)}</bdi>
    </dd>
    {source.type !== "push" && (
      <>
        <dt>{t("Synced")}</dt>
        <dd>
          {source.schedule
            ? `${scheduleText(source.schedule)}${source.timezone ? ` (${source.timezone})` : ""}`
            : t("on request")}
          {source.next_sync_at &&
            source.status !== "paused" &&
            ` · ${t("next {time}", { time: dateTime(source.next_sync_at) })}`}
        </dd>
      </>
    )}
    {(source.context_id || source.tags.length > 0) && (
      <>
        <dt>{t("Labels")}</dt>
        <dd class="labels">
          {source.context_id && <span class="label context">{source.context_id}</span>}
          {source.tags.map(tag => (
            <span key={tag} class="label" dir="auto">
              {tag}
            </span>
          ))}
        </dd>
      </>
    )}
    <dt>{t("Gone there")}</dt>
    <dd>{source.delete_missing ? t("deleted here too") : t("kept here")}</dd>
    <dt>{t("Source ID")}</dt>
    <dd>
      <code>{source.id}</code>
    </dd>
  </dl>
)

interface PreviewProps {
  found: DryRun
  onClose: () => void
  onSync: () => Promise<unknown>
}

const SAMPLES = [
  ["added", "Added"],
  ["updated", "Updated"],
  ["deleted", "Deleted"],
] as const

/** What a sync would do now. */
const Preview = ({ found, onClose, onSync }: PreviewProps) => (
  <Dialog title={t("A sync now would do this")} onClose={onClose}>
    <div class="stack">
      <p>{countsOf(found)}</p>
      {found.guarded > 0 && (
        <p class="notice">
          {t(
            "{count, plural, one {# file is gone: it would be kept until you decide.} other {# files are gone all at once: they would be kept until you decide.}}",
            {
              count: found.guarded,
            },
          )}
        </p>
      )}
      {SAMPLES.map(
        ([name, title]) =>
          found.sample[name].length > 0 && (
            <section key={name}>
              <h3>{t(title)}</h3>
              <ul class="small">
                {found.sample[name].map(key => (
                  <li key={key} class="entry-key">
                    <bdi>{key}</bdi>
                  </li>
                ))}
                {found[name] > found.sample[name].length && <li class="soft">{t("and more")}</li>}
              </ul>
            </section>
          ),
      )}
      <footer class="row end">
        <Button onClick={onClose}>{t("Close")}</Button>
        <Button
          kind="primary"
          icon="refresh"
          onClick={() => {
            onClose()
            void onSync()
          }}
        >
          {t("Sync now")}
        </Button>
      </footer>
    </div>
  </Dialog>
)

function Remove({ source, onClose }: { source: SourceRecord; onClose: () => void }) {
  const [files, setFiles] = useState<"keep" | "delete">("keep")
  return (
    <Confirm
      title={t("Delete {name}?", { name: source.name })}
      action={files === "delete" ? t("Delete the source and its files") : t("Delete the source")}
      onClose={onClose}
      onConfirm={async () => {
        await api.delete(`/sources/${source.id}${query({ delete_files: files === "delete" ? "true" : undefined })}`)
        notify(t("{name} is deleted", { name: source.name }))
        go("/library/sources")
      }}
    >
      <p>{t("The library no longer follows this place. This cannot be undone.")}</p>
      <Segments
        label={t("Its files")}
        value={files}
        onChange={setFiles}
        options={[
          ["keep", t("Keep its files")],
          ["delete", t("Delete its files")],
        ]}
      />
    </Confirm>
  )
}
