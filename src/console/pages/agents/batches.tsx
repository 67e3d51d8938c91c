/** Agents → Batches: many requests that are carried out in the background, line by line. */

import { useState } from "preact/hooks"
import { api, fileUrl, query } from "../../api.ts"
import { ago, count } from "../../format.ts"
import { useAction, useLoaded, useRepeated } from "../../loading.ts"
import { type Text, t } from "../../text.ts"
import { Button } from "../../ui/button.tsx"
import { Confirm } from "../../ui/dialog.tsx"
import { useFileChooser } from "../../ui/file-chooser.tsx"
import { Problem } from "../../ui/form.tsx"
import { Icon } from "../../ui/icons.tsx"
import { Empty, Page } from "../../ui/page.tsx"
import { notify } from "../../ui/toast.tsx"
import type { Batch } from "../../wire.ts"
import { AgentsTabs } from "./tabs.tsx"

const UNDER_WAY = new Set<Batch["status"]>(["validating", "in_progress", "finalizing", "cancelling"])
const BUSY_REFRESH_MS = 2_000
const PAGE_SIZE = 20

const EXAMPLE =
  '{"custom_id": "1", "method": "POST", "url": "/external/search", "body": {"query": "notice period"}}\n' +
  '{"custom_id": "2", "method": "POST", "url": "/external/agents/run", "body": {"task": "Summarize the lease"}}'

export function Batches() {
  const [after, setAfter] = useState<string[]>([])
  const [cancelling, setCancelling] = useState<Batch | null>(null)
  const parameters = query({ limit: PAGE_SIZE, after: after.at(-1) })
  const batches = useLoaded(parameters, signal =>
    api.get<{ data: Batch[]; has_more: boolean }>(`/batches${parameters}`, signal),
  )
  const list = batches.data?.data ?? []
  useRepeated(list.some(({ status }) => UNDER_WAY.has(status)) ? BUSY_REFRESH_MS : null, batches.reload)
  const start = useAction(async (file: File) => {
    await api.post<Batch>("/batches", file, { headers: { "content-type": "application/jsonl" } })
    notify(t("{name} is under way", { name: file.name }))
    setAfter([])
    batches.reload()
  })
  return (
    <Page title={t("Agents")} actions={<ChooseFile busy={start.busy} onChoose={file => void start.run(file)} />}>
      <div class="stack">
        <AgentsTabs current="/agents/batches" />
        <Problem error={start.error ?? batches.error} />
        {batches.data && list.length === 0 && <NoBatches />}
        <ul class="list">
          {list.map(batch => (
            <Item key={batch.id} batch={batch} onCancel={() => setCancelling(batch)} />
          ))}
        </ul>
        {batches.data && <Older after={after} list={list} hasMore={batches.data.has_more} onChange={setAfter} />}
      </div>
      {cancelling && <Cancel batch={cancelling} onClose={() => setCancelling(null)} onCancelled={batches.reload} />}
    </Page>
  )
}

const NoBatches = () => (
  <Empty icon="list" title={t("No batches")}>
    <p>
      {t("Upload a file of requests, one JSON object per line. They are carried out when nobody else needs the model.")}
    </p>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
    <pre class="code" tabIndex={0}>
      {EXAMPLE}
    </pre>
  </Empty>
)

interface OlderProps {
  /** The last batch of each page before the one that is shown. */
  after: string[]
  list: Batch[]
  hasMore: boolean
  onChange: (after: string[]) => void
}

/** Back and forth through a list that tells no number of pages. */
function Older({ after, list, hasMore, onChange }: OlderProps) {
  if (after.length === 0 && !hasMore) return null
  return (
    <nav class="pages" aria-label={t("Pages")}>
      <Button
        kind="quiet"
        icon="back"
        label={t("Newer batches")}
        disabled={after.length === 0}
        onClick={() => onChange(after.slice(0, -1))}
      />
      <Button
        kind="quiet"
        icon="forward"
        label={t("Older batches")}
        disabled={!hasMore}
        onClick={() => onChange([...after, list.at(-1)!.id])}
      />
    </nav>
  )
}

interface CancelProps {
  batch: Batch
  onClose: () => void
  onCancelled: () => void
}

const Cancel = ({ batch, onClose, onCancelled }: CancelProps) => (
  <Confirm
    title={t("Cancel this batch?")}
    action={t("Cancel the batch")}
    onClose={onClose}
    onConfirm={async () => {
      await api.post(`/batches/${batch.id}/cancel`)
      onCancelled()
    }}
  >
    <p>{t("Requests that are answered stay answered; the others are not carried out.")}</p>
  </Confirm>
)

interface ChooseFileProps {
  busy: boolean
  onChoose: (file: File) => void
}

function ChooseFile({ busy, onChoose }: ChooseFileProps) {
  const accept = ".jsonl,.ndjson,application/jsonl"
  const chooser = useFileChooser({ accept, onChoose: ([file]) => file && onChoose(file) })
  return (
    <>
      <Button kind="primary" icon="upload" busy={busy} onClick={chooser.open}>
        {t("Upload requests")}
      </Button>
      {chooser.field}
    </>
  )
}

const LOOKS: Partial<Record<Batch["status"], string>> = {
  completed: "good",
  failed: "bad",
  expired: "bad",
  cancelled: "",
}
const WORDS: Record<Batch["status"], Text> = {
  validating: "Checking",
  cancelled: "Cancelled",
  cancelling: "Cancelling",
  completed: "Completed",
  expired: "Expired",
  failed: "Failed",
  in_progress: "Running",
  finalizing: "Finishing",
}

function Item({ batch, onCancel }: { batch: Batch; onCancel: () => void }) {
  const { status, request_counts: counts } = batch
  const problems = batch.errors?.data ?? []
  return (
    <li class="stack">
      <div class="row between">
        <div class="grow">
          <strong>
            {batch.endpoint ?? t("{total, plural, one {# request} other {# requests}}", { total: counts.total })}
          </strong>{" "}
          <code class="soft small">{batch.id}</code>
          <span class="soft small block">
            {counts.total > 0 &&
              `${t("{completed} of {total} done", { completed: count(counts.completed), total: count(counts.total) })} · `}
            {counts.failed > 0 && `${t("{failed} failed", { failed: count(counts.failed) })} · `}
            {ago(new Date(batch.created_at * 1000).toISOString())}
          </span>
        </div>
        <span class={`badge ${LOOKS[status] ?? "busy"}`}>{t(WORDS[status])}</span>
      </div>
      {UNDER_WAY.has(status) && counts.total > 0 && (
        <progress
          max={counts.total}
          value={counts.completed + counts.failed}
          class="wide"
          aria-label={t("Progress of {id}", { id: batch.id })}
        />
      )}
      {problems.map(({ message, line }) => (
        <p key={`${line} ${message}`} class="small">
          {line !== null && `${t("Line {line}:", { line })} `}
          {message}
        </p>
      ))}
      <div class="row">
        {batch.output_file_id && <Download id={batch.output_file_id} name="results" />}
        {batch.error_file_id && <Download id={batch.error_file_id} name="errors" />}
        {UNDER_WAY.has(status) && status !== "cancelling" && <Button onClick={onCancel}>{t("Cancel")}</Button>}
      </div>
    </li>
  )
}

const Download = ({ id, name }: { id: string; name: "results" | "errors" }) => (
  <a class="button plain" href={fileUrl(id)} download>
    <Icon name="download" /> {t("Download {name}", { name })}
  </a>
)
