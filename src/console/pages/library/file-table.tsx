import { useEffect, useLayoutEffect, useRef } from "preact/hooks"
import { useSettled } from "../../loading.ts"
import type { Stretch } from "../../long-list.ts"
import { type Text, t } from "../../text.ts"
import { useMatches } from "../../ui/media.ts"
import { type ListWindow, useWindow } from "../../ui/window.ts"
import type { FileRecord } from "../../wire.ts"
import { COLUMNS, type ColumnName } from "./columns.tsx"
import { FileRow, MissingRow, type RowActions } from "./file-row.tsx"
import type { Filters } from "./filters.tsx"
import { useRowKeys } from "./row-keys.ts"
import type { Selection } from "./selection.ts"

/** Pixels of a row without labels: in a wide window, and as a card in a narrow one. */
const ROW = 57
const CARD = 128
/** Pixels of the head of the table, which stays in view. */
const HEAD = 39
/** Rows are cards: see `.stacked`. */
const NARROW = "(max-width: 900px)"
/** Beside those that a file has in columns: choice, name, actions. */
const OWN_COLUMNS = 3
const SETTLED_MS = 250

interface FileTableProps extends RowActions {
  stretch: Stretch<FileRecord>
  /** Changes with what is listed: the list is then shown from `from` on. */
  listed: string
  from: number
  filters: Filters
  columns: readonly ColumnName[]
  selection: Selection
  onSort: (filters: Partial<Filters>) => void
  /** These are seen. */
  onSeen: (from: number, to: number) => void
  /** The list came to rest at that row. */
  onRest: (from: number) => void
}

export function FileTable({ stretch, listed, from, filters, columns, selection, ...on }: FileTableProps) {
  const body = useRef<HTMLTableSectionElement>(null)
  const { start, rows, total } = stretch
  const isNarrow = useMatches(NARROW)
  const shown = useWindow({ total, estimate: isNarrow ? CARD : ROW, covered: isNarrow ? 0 : HEAD, body })
  const { items, seen, count } = shown
  useSteady(shown, stretch)
  const first = seen?.from ?? 0
  useEffect(() => void (seen && on.onSeen(first, seen.to)), [first, seen?.to, stretch])
  useRest(first, on.onRest)
  useLayoutEffect(() => {
    if (from > 0 || shown.into(0) > 0) shown.scrollTo(from, "start")
  }, [listed])
  const onKeyDown = useRowKeys(shown, body)
  const isChosen = (file: FileRecord) => selection.all || selection.ids.has(file.id)
  const width = columns.length + OWN_COLUMNS
  const drawn = useDrawn(listed)
  let end = shown.start
  return (
    <div class="table-frame long">
      <table class="table stacked files" aria-rowcount={total + 1}>
        <Head filters={filters} columns={columns} selection={selection} onSort={on.onSort} />
        <tbody ref={body} onKeyDown={onKeyDown}>
          {items.flatMap((item, i) => {
            const file = drawn.of(item.index, rows[item.index - start])
            const gap = item.start - end
            end = item.end
            return [
              gap > 0 && <Gap key={`gap ${i === 0 ? "before" : "between"}`} height={gap} width={width} />,
              file ? (
                <FileRow
                  key={file.id}
                  {...{ file, columns, index: item.index, chosen: isChosen(file) }}
                  onChoose={range => selection.choose(file, range)}
                  onFilters={on.onFilters}
                  onOpen={on.onOpen}
                  onRemove={on.onRemove}
                  onReindex={on.onReindex}
                />
              ) : (
                <MissingRow key={`missing ${item.index}`} index={item.index} columns={width} />
              ),
            ]
          })}
          {shown.end > end && <Gap key="gap after" height={shown.end - end} width={width} />}
        </tbody>
      </table>
      {count < total && (
        <p class="notice">
          {t(
            "The list ends after {files, plural, one {# file} other {# files}}: narrow it by the filters to see the others.",
            { files: count },
          )}
        </p>
      )}
    </div>
  )
}

/** Holds the place of rows that are not drawn. */
const Gap = ({ height, width }: { height: number; width: number }) => (
  // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a row without anything in it is not
  <tr class="gap" aria-hidden="true" style={{ height: `${height}px` }}>
    <td colSpan={width} />
  </tr>
)

/** Files as they were drawn last: one that has the focus stays, though the list was read on from somewhere else. */
function useDrawn(listed: string) {
  const before = useRef({ listed, files: new Map<number, FileRecord>() })
  const files = new Map<number, FileRecord>()
  useLayoutEffect(() => {
    before.current = { listed, files }
  })
  return {
    of(index: number, read: FileRecord | undefined): FileRecord | undefined {
      const file = read ?? (before.current.listed === listed ? before.current.files.get(index) : undefined)
      if (file) files.set(index, file)
      return file
    },
  }
}

/** Says where the list came to rest, once it was scrolled. */
function useRest(first: number, onRest: (first: number) => void): void {
  const settled = useSettled(first, SETTLED_MS)
  const wasScrolled = useRef(false)
  useEffect(() => {
    if (wasScrolled.current) onRest(settled)
    wasScrolled.current = true
  }, [settled])
}

/** What is looked at stays where it is while files before it come and go; at the top of the list new ones show. */
function useSteady({ seen, into, scrollInto }: ListWindow, { start, rows }: Stretch<FileRecord>): void {
  const looked = useRef<{ id: string; index: number } | undefined>(undefined)
  useLayoutEffect(() => {
    const before = looked.current
    if (!before || rows[before.index - start]?.id === before.id) return
    const at = rows.findIndex(({ id }) => id === before.id)
    const pixels = into(before.index)
    if (at >= 0 && (before.index > 0 || pixels > 0)) scrollInto(start + at, pixels)
  }, [rows])
  useLayoutEffect(() => {
    const file = seen && rows[seen.from - start]
    looked.current = file && { id: file.id, index: seen.from }
  })
}

interface HeadProps extends Pick<FileTableProps, "filters" | "columns" | "selection" | "onSort"> {}

function Head({ filters, columns, selection, onSort }: HeadProps) {
  const column = (title: Text, sort?: Filters["sort"]) => {
    if (!sort) return <th key={title}>{t(title)}</th>
    const active = filters.sort === sort
    const order = active && filters.order === "asc" ? "desc" : "asc"
    return (
      <th
        key={title}
        class={`of-${sort}`}
        aria-sort={active ? (filters.order === "asc" ? "ascending" : "descending") : "none"}
      >
        <button type="button" class="sort" onClick={() => onSort({ sort, order })}>
          {t(title)}
          <span aria-hidden="true">{active ? (filters.order === "asc" ? "↑" : "↓") : ""}</span>
        </button>
      </th>
    )
  }
  return (
    <thead>
      <tr aria-rowindex={1}>
        <th class="choice">
          <input
            type="checkbox"
            aria-label={t("Choose all")}
            checked={selection.isEvery}
            onChange={() => selection.chooseEvery(!selection.isEvery)}
          />
        </th>
        {column("Name", "name")}
        {columns.map(name => {
          const { title, sort }: { title: Text; sort?: Filters["sort"] } = COLUMNS[name]
          return column(title, sort)
        })}
        <th class="actions">
          <span class="unseen">{t("Actions")}</span>
        </th>
      </tr>
    </thead>
  )
}
