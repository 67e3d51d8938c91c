/** The files that the address's filters let pass, and what is done with them. */
import { useEffect, useMemo, useReducer, useRef, useState } from "preact/hooks"
import { api, query } from "../../api.ts"
import { useLoaded, useRepeated, useSettled } from "../../loading.ts"
import { LongList, PART, type Place, type Stretch } from "../../long-list.ts"
import { go, placeNow, usePlace } from "../../router.tsx"
import { t } from "../../text.ts"
import { notify, notifyWithUndo } from "../../ui/toast.tsx"
import type { FileRecord, LongPage } from "../../wire.ts"
import { startBulk } from "./bulk.tsx"
import { addressOf, type Filters, fileIn, filtersIn, parametersOf, rowIn } from "./filters.tsx"
import { useSelection } from "./selection.ts"
import { loadSummary, type Summary } from "./summary.tsx"

/** While anything on the page is queued or indexing. */
const BUSY_REFRESH_MS = 1_000
/** Others may upload too. */
const IDLE_REFRESH_MS = 15_000
/** After one that failed. */
const FAILED_REFRESH_MS = 4_000
/** Records that one request asks for at most. */
const MOST = 100

const NOTHING: Stretch<FileRecord> = { start: 0, parts: [], rows: [], total: 0 }

export function useFiles() {
  const { query: address } = usePlace()
  const filters = filtersIn(address)
  const asked = useSettled(query(parametersOf(filters)), 200)
  const list = useLongList(asked, rowIn(address))
  const summary = useLoaded("summary", loadSummary)
  const reload = () => {
    list.reload()
    summary.reload()
  }
  const { hidden, remove } = useRemovals(reload)
  // Files that other filters let pass would look like those of these.
  const stretch = list.error && list.listed !== asked ? undefined : list.stretch
  const files = useMemo(() => stretch && without(hidden, stretch), [stretch, hidden])
  const shown = files ?? NOTHING
  const selection = useSelection(shown, (from, to) => idsFrom(asked, from, to), !filters.name)
  const [job, setJob] = useState<string>()
  const usualMs = isBusy(shown.rows, summary.data) ? BUSY_REFRESH_MS : IDLE_REFRESH_MS
  useRepeated(list.error ? FAILED_REFRESH_MS : usualMs, reload)
  const setFilters = (next: Filters) => {
    // what was chosen among other files is not what somebody sees now
    if (query(parametersOf(next)) !== query(parametersOf(filters))) selection.clear()
    go(addressOf(next), true)
  }
  const retry = () =>
    startBulk({ action: "reindex", filter: { type: "eq", key: "file.status", value: "failed" } }).then(setJob, error =>
      notify(error.message),
    )
  const opened = fileIn(address)
  // By the address as it is when they are called, which may be later than this was drawn: a file that was closed meanwhile would open again.
  const rest = (row: number) => {
    const { path, query: now } = placeNow()
    const shown = filtersIn(now)
    // while another list or page is on its way, what is seen is none of the address
    if (path[0] === "library" && list.listed === query(parametersOf(shown)))
      go(addressOf(shown, { file: fileIn(now), row }), true)
  }
  const open = (file: string | undefined) => {
    const now = placeNow().query
    go(addressOf(filtersIn(now), { file, row: rowIn(now) }))
  }
  return {
    ...{ filters, setFilters, files, listed: list.listed, from: list.from, error: list.error, want: list.want },
    ...{ summary, reload, remove, selection, job, setJob, retry, opened, open, rest },
  }
}

const partOf = (asked: string, size: number, place: Place, signal?: AbortSignal) => {
  const more = query({ page_size: size, ...place }).replace("?", asked ? "&" : "?")
  return api.get<LongPage<FileRecord>>(`/libraries${asked}${more}`, signal)
}

/** What was listed stays visible until the first answer about what is listed now. */
function useLongList(asked: string, row: number) {
  const [, redraw] = useReducer((turn: number) => turn + 1, 0)
  const answered = useRef<{ stretch: Stretch<FileRecord>; listed: string; from: number } | undefined>(undefined)
  const list = useMemo(() => {
    const made: LongList<FileRecord> = new LongList(
      (place, signal) => partOf(asked, PART, place, signal),
      () => {
        if (made.stretch) answered.current = { stretch: made.stretch, listed: asked, from: row }
        redraw(0)
      },
      row,
    )
    return made
  }, [asked])
  useEffect(() => {
    list.want(row, row)
    return () => list.end()
  }, [list])
  const { stretch, listed = asked, from = row } = answered.current ?? {}
  return {
    ...{ stretch, listed, from, error: list.error, reload: list.reload },
    want: (from: number, to: number) => listed === asked && list.want(from, to),
  }
}

function without(hidden: ReadonlySet<string>, stretch: Stretch<FileRecord>): Stretch<FileRecord> {
  const rows = stretch.rows.filter(({ id }) => !hidden.has(id))
  return { ...stretch, rows, total: stretch.total - stretch.rows.length + rows.length }
}

async function idsFrom(asked: string, from: number, to: number): Promise<string[]> {
  const first = Math.floor(from / MOST)
  let part = await partOf(asked, MOST, { page: first + 1 })
  const ids = part.data.map(({ id }) => id)
  while (part.next && first * MOST + ids.length <= to) {
    part = await partOf(asked, MOST, { after: part.next })
    ids.push(...part.data.map(({ id }) => id))
  }
  return ids.slice(from - first * MOST, to + 1 - first * MOST)
}

const isBusy = (shown: readonly FileRecord[], summary: Summary | undefined): boolean =>
  shown.some(file => file.status === "queued" || file.status === "indexing") ||
  (summary !== undefined && summary.by_status.queued + summary.by_status.indexing > 0)

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
        notify(t("{name} could not be deleted: {problem}", { name: file.name, problem: error.message }))
      })
    notifyWithUndo(t("Deleted {name}", { name: file.name }), carryOut, undo)
  }
  return { hidden, remove }
}
