import { useState } from "preact/hooks"
import type { Filter } from "../../access/filter/filter.ts"
import { api, query } from "../api.ts"
import { plural } from "../format.ts"
import { Lazy } from "../lazy.tsx"
import { useLoaded, useRepeated, useSettled } from "../loading.ts"
import type { PageProps } from "../page-props.ts"
import { go, usePlace } from "../router.tsx"
import { useAccount } from "../session.ts"
import { Button } from "../ui/button.tsx"
import { Problem } from "../ui/form.tsx"
import { Empty, Page, Pages } from "../ui/page.tsx"
import { notify, notifyWithUndo } from "../ui/toast.tsx"
import { acceptedBy, addUploads, useUploadRules, useUploads } from "../uploads.ts"
import type { FileRecord, Page as ListPage, UploadRules } from "../wire.ts"
import { JobProgress, SelectionBar, startBulk } from "./library/bulk.tsx"
import { FileTable } from "./library/file-table.tsx"
import { addressOf, emptyFilters, type Filters, filterOf, filtersIn, LibraryFilters } from "./library/filters.tsx"
import { filterOfIds, type Selection, useSelection } from "./library/selection.ts"
import { Indexing, loadSummary, type Summary } from "./library/summary.tsx"
import { LibraryTabs } from "./library/tabs.tsx"
import { UploadList, UploadOptions } from "./library/upload-list.tsx"
import { DropArea, UploadButton } from "./library/upload-ways.tsx"

/** While anything on the page is queued or indexing. */
const BUSY_REFRESH_MS = 1_000
/** Others may upload too. */
const IDLE_REFRESH_MS = 15_000

/** Arrives with its own first show: few look at it. */
const loadFile = async () => (await import("./library/file-view.tsx")).FileView
const loadSources = async () => (await import("./sources.tsx")).Sources

export function LibraryPage({ rest: [part, ...rest] }: PageProps) {
  const { me } = useAccount()
  if (!part) return <Files />
  if (part === "sources" && me.user.role === "administrator") return <Lazy load={loadSources} props={{ rest }} />
  return (
    <Page title="Library">
      <Empty icon="search" title="There is no such page" />
    </Page>
  )
}

/** The files that the address's filters let pass, and what is done with them. */
function useFiles() {
  const { query: address } = usePlace()
  const filters = filtersIn(address)
  const parameters = useSettled(query({ ...filters, page_size: 50 }), 200)
  const files = useLoaded(parameters, signal => api.get<ListPage<FileRecord>>(`/libraries${parameters}`, signal))
  const summary = useLoaded("summary", loadSummary)
  const reload = () => {
    files.reload()
    summary.reload()
  }
  const { hidden, remove } = useRemovals(reload)
  const shown = (files.data?.data ?? []).filter(file => !hidden.has(file.id))
  const selection = useSelection(shown)
  const [job, setJob] = useState<string>()
  useRepeated(isBusy(shown, summary.data) ? BUSY_REFRESH_MS : IDLE_REFRESH_MS, reload)
  const setFilters = (next: Filters) => {
    selection.clear() // what was chosen among other files is not what somebody sees now
    go(addressOf(next), true)
  }
  const retry = () =>
    startBulk({ action: "reindex", filter: { type: "eq", key: "file.status", value: "failed" } }).then(setJob, error =>
      notify(error.message),
    )
  const opened = address.get("file")
  return { filters, setFilters, files, summary, reload, remove, shown, selection, job, setJob, retry, opened }
}

function Files() {
  const list = useFiles()
  const { filters, setFilters, files, shown, reload } = list
  const rules = useUploadRules()
  const [labels, setLabels] = useState({ contextId: "", tags: "" })
  const uploads = useUploads(files.reload)
  const receive = (chosen: Iterable<File> | null | undefined) =>
    chosen && addUploads(chosen, labels, rules?.max_file_bytes)
  const close = () => {
    go(addressOf(filters))
    reload()
  }
  const filtered = JSON.stringify({ ...filters, page: 1 }) !== JSON.stringify(emptyFilters)

  return (
    <Page title="Library" actions={<UploadButton accept={acceptedBy(rules)} onChoose={receive} />}>
      <DropArea onDrop={receive}>
        <LibraryTabs current="/library" />
        <UploadOptions labels={labels} onChange={setLabels} />
        <UploadList uploads={uploads} />
        <Work list={list} rules={rules} />
        <Problem error={files.error} />
        {files.data && shown.length === 0 && (
          <NoFiles filtered={filtered} rules={rules} onClear={() => setFilters(emptyFilters)} />
        )}
        {shown.length > 0 && (
          <FileTable
            files={shown}
            filters={filters}
            selection={list.selection}
            onFilters={setFilters}
            onOpen={file => go(addressOf(filters, file.id))}
            onRemove={list.remove}
            onReindex={file => void reindex(file).finally(reload)}
          />
        )}
        {files.data && (
          <div class="row between">
            <span class="soft">{plural(files.data.pagination.total_items, "file")}</span>
            <Pages of={files.data.pagination} onPage={page => go(addressOf({ ...filters, page }), true)} />
          </div>
        )}
      </DropArea>
      {list.opened && <Lazy load={loadFile} props={{ fileId: list.opened, onClose: close }} />}
    </Page>
  )
}

interface WorkProps {
  list: ReturnType<typeof useFiles>
  rules: UploadRules | undefined
}

/** What stands above the files: how far they are, which are shown, what is done with many. */
const Work = ({ list, rules }: WorkProps) => {
  const { summary, filters, setFilters, selection, files, job, setJob, reload, retry } = list
  return (
    <>
      {summary.data && (
        <Indexing
          summary={summary.data}
          onShowFailed={() => setFilters({ ...emptyFilters, status: "failed" })}
          onRetry={retry}
        />
      )}
      <LibraryFilters
        filters={filters}
        rules={rules}
        version={`${summary.data?.total} ${job ?? ""}`}
        onChange={setFilters}
      />
      {job && (
        <JobProgress
          key={job}
          id={job}
          onEnd={() => {
            setJob(undefined)
            reload()
          }}
        />
      )}
      {files.data && (
        <Chosen selection={selection} filters={filters} total={files.data.pagination.total_items} onStarted={setJob} />
      )}
    </>
  )
}

const isBusy = (shown: FileRecord[], summary: Summary | undefined): boolean =>
  shown.some(file => file.status === "queued" || file.status === "indexing") ||
  (summary !== undefined && summary.by_status.queued + summary.by_status.indexing > 0)

/** A filter that every file passes. */
const EVERY_FILE: Filter = { type: "exists", key: "file.id", value: true }

interface ChosenProps {
  selection: Selection
  filters: Filters
  /** Files that the filters let pass. */
  total: number
  onStarted: (jobId: string) => void
}

function Chosen({ selection, filters, total, onStarted }: ChosenProps) {
  const { ids, all, clear, chooseAll } = selection
  if (!all && ids.size === 0) return null
  const mayChooseAll = !all && !filters.name && ids.size < total
  return (
    <SelectionBar
      chosen={all ? total : ids.size}
      filter={all ? (filterOf(filters) ?? EVERY_FILE) : filterOfIds(ids)}
      all={mayChooseAll ? { total, onChoose: chooseAll } : undefined}
      onClear={clear}
      onStarted={id => {
        clear()
        onStarted(id)
      }}
    />
  )
}

const reindex = (file: FileRecord): Promise<unknown> =>
  api.post(`/libraries/${file.id}/reindex`).catch(error => notify(error.message))

/** Removes files: each is hidden at once, and deleted when the time to undo it is over. */
function useRemovals(reload: () => void) {
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  const hide = (id: string, away: boolean) =>
    setHidden(before => new Set(away ? [...before, id] : [...before].filter(other => other !== id)))
  const remove = (file: FileRecord) => {
    hide(file.id, true)
    const undo = () => hide(file.id, false)
    const carryOut = () =>
      api.delete(`/libraries/${file.id}`, { keepalive: true }).then(reload, error => {
        undo()
        notify(`${file.name} could not be deleted: ${error.message}`)
      })
    notifyWithUndo(`Deleted ${file.name}`, carryOut, undo)
  }
  return { hidden, remove }
}

interface NoFilesProps {
  filtered: boolean
  rules: UploadRules | undefined
  onClear: () => void
}

const NoFiles = ({ filtered, rules, onClear }: NoFilesProps) => (
  <Empty icon="library" title={filtered ? "No files match these filters" : "The library is empty"}>
    {filtered ? (
      <Button onClick={onClear}>Clear the filters</Button>
    ) : (
      <>
        <p>Drop files here, or select Upload.</p>
        {rules && <p class="soft">{rules.groups.map(group => group.name).join(" · ")}</p>}
      </>
    )}
  </Empty>
)
