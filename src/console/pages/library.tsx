import type { ComponentChildren } from "preact"
import { useRef, useState } from "preact/hooks"
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
import { FileTable } from "./library/file-table.tsx"
import { addressOf, emptyFilters, type Filters, filtersIn, LibraryFilters } from "./library/filters.tsx"
import { LibraryTabs } from "./library/tabs.tsx"
import { UploadList, UploadOptions } from "./library/upload-list.tsx"

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

function Files() {
  const { query: address } = usePlace()
  const filters = filtersIn(address)
  const setFilters = (next: Filters) => go(addressOf(next), true)
  const rules = useUploadRules()
  const [labels, setLabels] = useState({ contextId: "", tags: "" })
  const parameters = useSettled(query({ ...filters, page_size: 50 }), 200)
  const files = useLoaded(parameters, signal => api.get<ListPage<FileRecord>>(`/libraries${parameters}`, signal))
  const uploads = useUploads(files.reload)
  const { hidden, remove } = useRemovals(files.reload)
  const shown = (files.data?.data ?? []).filter(file => !hidden.has(file.id))
  const busy = shown.some(file => file.status === "queued" || file.status === "indexing")
  useRepeated(busy ? BUSY_REFRESH_MS : IDLE_REFRESH_MS, files.reload)

  const receive = (list: Iterable<File> | null | undefined) => list && addUploads(list, labels, rules?.max_file_bytes)
  const opened = address.get("file")
  const close = () => {
    go(addressOf(filters))
    files.reload()
  }
  const filtered = JSON.stringify({ ...filters, page: 1 }) !== JSON.stringify(emptyFilters)

  return (
    <Page title="Library" actions={<UploadButton accept={acceptedBy(rules)} onChoose={receive} />}>
      <DropArea onDrop={receive}>
        <LibraryTabs current="/library" />
        <UploadOptions labels={labels} onChange={setLabels} />
        <UploadList uploads={uploads} />
        <LibraryFilters filters={filters} rules={rules} onChange={setFilters} />
        <Problem error={files.error} />
        {files.data && shown.length === 0 && (
          <NoFiles filtered={filtered} rules={rules} onClear={() => setFilters(emptyFilters)} />
        )}
        {shown.length > 0 && (
          <FileTable
            files={shown}
            filters={filters}
            onFilters={setFilters}
            onOpen={file => go(addressOf(filters, file.id))}
            onRemove={remove}
            onReindex={file => void reindex(file).finally(files.reload)}
          />
        )}
        {files.data && (
          <div class="row between">
            <span class="soft">{plural(files.data.pagination.total_items, "file")}</span>
            <Pages of={files.data.pagination} onPage={page => setFilters({ ...filters, page })} />
          </div>
        )}
      </DropArea>
      {opened && <Lazy load={loadFile} props={{ fileId: opened, onClose: close }} />}
    </Page>
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

interface UploadButtonProps {
  accept: string | undefined
  onChoose: (files: FileList | null) => void
}

function UploadButton({ accept, onChoose }: UploadButtonProps) {
  const chooser = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button kind="primary" icon="upload" onClick={() => chooser.current?.click()}>
        Upload
      </Button>
      <input
        ref={chooser}
        type="file"
        multiple
        hidden
        accept={accept}
        onChange={event => {
          onChoose(event.currentTarget.files)
          event.currentTarget.value = ""
        }}
      />
    </>
  )
}

interface DropAreaProps {
  onDrop: (files: FileList | undefined) => void
  children: ComponentChildren
}

function DropArea({ onDrop, children }: DropAreaProps) {
  const [dragging, setDragging] = useState(false)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a shortcut; the Upload button does the same by keyboard
    <div
      class={dragging ? "drop stack over" : "drop stack"}
      onDragOver={event => {
        event.preventDefault()
        setDragging(true)
      }}
      onDragLeave={event => event.currentTarget.contains(event.relatedTarget as Node) || setDragging(false)}
      onDrop={event => {
        event.preventDefault()
        setDragging(false)
        onDrop(event.dataTransfer?.files)
      }}
    >
      {children}
      {dragging && <div class="drop-hint">Drop to upload</div>}
    </div>
  )
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
