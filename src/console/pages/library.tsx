import { useState } from "preact/hooks"
import type { Filter } from "../../access/filter/filter.ts"
import { api } from "../api.ts"
import { count } from "../format.ts"
import { Lazy } from "../lazy.tsx"
import type { Stretch } from "../long-list.ts"
import type { PageProps } from "../page-props.ts"
import { useAccount } from "../session.ts"
import { t } from "../text.ts"
import { Button } from "../ui/button.tsx"
import { Problem } from "../ui/form.tsx"
import { Empty, Page } from "../ui/page.tsx"
import { notify } from "../ui/toast.tsx"
import { acceptedBy, addUploads, useUploadRules, useUploads } from "../uploads.ts"
import type { FileRecord, UploadRules } from "../wire.ts"
import { JobProgress, SelectionBar } from "./library/bulk.tsx"
import { columnsIn } from "./library/columns.tsx"
import { FileTable } from "./library/file-table.tsx"
import { type Filters, filterOf, isNarrow, LibraryFilters, widened } from "./library/filters.tsx"
import { ListBar } from "./library/list-bar.tsx"
import { filterOfIds, MAX_IDS, type Selection } from "./library/selection.ts"
import { Indexing } from "./library/summary.tsx"
import { LibraryTabs } from "./library/tabs.tsx"
import { UploadList, UploadOptions } from "./library/upload-list.tsx"
import { DropArea, UploadButton } from "./library/upload-ways.tsx"
import { useFiles } from "./library/use-files.ts"

/** Arrives with its own first show: few look at it. */
const loadFile = async () => (await import("./library/file-view.tsx")).FileView
const loadSources = async () => (await import("./sources.tsx")).Sources

export function LibraryPage({ rest: [part, ...rest] }: PageProps) {
  const { me } = useAccount()
  if (!part) return <Files />
  if (part === "sources" && me.user.role === "administrator") return <Lazy load={loadSources} props={{ rest }} />
  return (
    <Page title={t("Library")}>
      <Empty icon="search" title={t("There is no such page")} />
    </Page>
  )
}

function Files() {
  const list = useFiles()
  const { filters, setFilters, files, reload } = list
  const rules = useUploadRules()
  const [labels, setLabels] = useState({ contextId: "", tags: "" })
  const uploads = useUploads(reload)
  const receive = (chosen: Iterable<File> | null | undefined) =>
    chosen && addUploads(chosen, labels, rules?.max_file_bytes)
  const close = () => {
    list.open(undefined)
    reload()
  }

  return (
    <Page title={t("Library")} actions={<UploadButton accept={acceptedBy(rules)} onChoose={receive} />}>
      <DropArea onDrop={receive}>
        <LibraryTabs current="/library" />
        <UploadOptions labels={labels} onChange={setLabels} />
        <UploadList uploads={uploads} />
        <Work list={list} rules={rules} />
        <Problem error={list.error} />
        {!files && !list.error && (
          <p class="soft" role="status">
            {t("Loading the library …")}
          </p>
        )}
        {files && <ListBar total={files.total} filters={filters} onFilters={setFilters} />}
        {files?.total === 0 && (
          <NoFiles filtered={isNarrow(filters)} rules={rules} onClear={() => setFilters(widened(filters))} />
        )}
        {files && files.total > 0 && <Listed list={list} files={files} />}
      </DropArea>
      {list.opened && <Lazy load={loadFile} props={{ fileId: list.opened, onClose: close }} />}
    </Page>
  )
}

type List = ReturnType<typeof useFiles>

const Listed = ({ list, files }: { list: List; files: Stretch<FileRecord> }) => (
  <FileTable
    stretch={files}
    listed={list.listed}
    from={list.from}
    filters={list.filters}
    columns={columnsIn(list.filters.columns)}
    selection={list.selection}
    onSort={change => list.setFilters({ ...list.filters, ...change })}
    onFilters={change => list.setFilters({ ...list.filters, ...change })}
    onSeen={list.want}
    onRest={list.rest}
    onOpen={file => list.open(file.id)}
    onRemove={list.remove}
    onReindex={file => void reindex(file).finally(list.reload)}
  />
)

interface WorkProps {
  list: List
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
          onShowFailed={() => setFilters({ ...widened(filters), status: "failed" })}
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
      {files && <Chosen selection={selection} filters={filters} total={files.total} onStarted={setJob} />}
    </>
  )
}

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
      note={noteOf(selection, filters)}
      all={mayChooseAll ? { total, onChoose: chooseAll } : undefined}
      onClear={clear}
      onStarted={id => {
        clear()
        onStarted(id)
      }}
    />
  )
}

/** What happens to so many. */
function noteOf({ all, isCut }: Selection, { name }: Filters): string | undefined {
  if (all)
    return t("One job works through every file that passes these filters. Files that come in later are left alone.")
  if (!isCut) return
  const limit = { limit: count(MAX_IDS) }
  return name
    ? t(
        "One by one, {limit} files can be chosen: the first of them are. For more, take away the part of the name and narrow the list by state, type, tag or context.",
        limit,
      )
    : t(
        "One by one, {limit} files can be chosen: the first of them are. For more, choose all that match: one job then goes by the filters.",
        limit,
      )
}

const reindex = (file: FileRecord): Promise<unknown> =>
  api.post(`/libraries/${file.id}/reindex`).catch(error => notify(error.message))

interface NoFilesProps {
  filtered: boolean
  rules: UploadRules | undefined
  onClear: () => void
}

const NoFiles = ({ filtered, rules, onClear }: NoFilesProps) => (
  <Empty icon="library" title={filtered ? t("No files match these filters") : t("The library is empty")}>
    {filtered ? (
      <Button onClick={onClear}>{t("Clear the filters")}</Button>
    ) : (
      <>
        <p>{t("Drop files here, or select Upload.")}</p>
        {rules && <p class="soft">{rules.groups.map(group => group.name).join(" · ")}</p>}
      </>
    )}
  </Empty>
)
