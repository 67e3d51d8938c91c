import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import { t } from "../text.ts"
import { Marked, type Marking } from "./marked.tsx"
import { overlaps, type Span } from "./spans.ts"

/** Of a row, as the style has it; all are of one height, so that what is in sight can be computed. */
const ROW_HEIGHT = 30
/** Rows drawn above and below what is in sight. */
const AHEAD = 20
/** Rows after which the widths of columns are known well enough. */
const MEASURED_ROWS = 200
const MAX_COLUMNS = 200

interface GridViewProps extends Marking {
  text: string
  part: Span
  /** Of the sheet, which its text begins with. */
  name: string
}

/** A sheet, of which only the rows in sight are drawn. */
export function GridView({ text, part, name, spans, current }: GridViewProps) {
  const rows = useMemo(() => rowsOf(text, part, name), [text, part.start, part.end])
  const widths = useMemo(() => widthsOf(text, rows), [rows])
  const box = useRef<HTMLElement>(null)
  const [top, setTop] = useState(0)
  useEffect(() => {
    const at = current ? rows.findIndex(row => overlaps(row, current)) : -1
    const element = box.current!
    if (at >= 0) element.scrollTop = at * ROW_HEIGHT - element.clientHeight / 2
    setTop(element.scrollTop)
  }, [rows, current])
  const first = Math.max(0, Math.floor(top / ROW_HEIGHT) - AHEAD)
  const last = Math.min(rows.length, Math.ceil((top + (box.current?.clientHeight ?? 800)) / ROW_HEIGHT) + AHEAD)
  return (
    <section
      ref={box}
      class="sheet"
      aria-label={name ? t("Sheet {name}", { name }) : t("Rows")}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
      tabIndex={0}
      onScroll={event => setTop(event.currentTarget.scrollTop)}
    >
      <table aria-rowcount={rows.length} style={{ width: `${widths.reduce((sum, width) => sum + width, 7)}ch` }}>
        <colgroup>
          <col style={{ width: "7ch" }} />
          {widths.map((width, i) => (
            <col key={i} style={{ width: `${width}ch` }} />
          ))}
        </colgroup>
        <tbody>
          <Gap rows={first} />
          {rows.slice(first, last).map((row, i) => (
            <tr key={row.start} aria-rowindex={first + i + 1}>
              <th scope="row">{first + i + 1}</th>
              {cellsOf(text, row).map(cell => (
                <td key={cell.start} dir="auto" title={text.slice(cell.start, cell.end)}>
                  <Marked text={text.slice(cell.start, cell.end)} from={cell.start} spans={spans} current={current} />
                </td>
              ))}
            </tr>
          ))}
          <Gap rows={rows.length - last} />
        </tbody>
      </table>
    </section>
  )
}

/** In the place of rows that are not drawn. */
const Gap = ({ rows }: { rows: number }) =>
  rows > 0 ? (
    <tr class="gap">
      <td style={{ height: `${rows * ROW_HEIGHT}px` }} />
    </tr>
  ) : null

/** Lines of the text, each a row; blank ones part tables, and the name of the sheet stands on its tab. */
function rowsOf(text: string, part: Span, name: string): Span[] {
  const rows: Span[] = []
  for (let start = part.start; start < part.end; ) {
    const found = text.indexOf("\n", start)
    const end = found < 0 || found > part.end ? part.end : found
    const isName = rows.length === 0 && name !== "" && text.slice(start, end) === name
    if (end > start && !isName) rows.push({ start, end })
    start = end + 1
  }
  return rows
}

function cellsOf(text: string, row: Span): Span[] {
  const cells: Span[] = []
  for (let start = row.start; start <= row.end && cells.length < MAX_COLUMNS; ) {
    const found = text.indexOf("\t", start)
    const end = found < 0 || found > row.end ? row.end : found
    cells.push({ start, end })
    start = end + 1
  }
  return cells
}

/** In characters. */
function widthsOf(text: string, rows: readonly Span[]): number[] {
  const widths: number[] = []
  for (const row of rows.slice(0, MEASURED_ROWS))
    for (const [i, { start, end }] of cellsOf(text, row).entries())
      widths[i] = Math.max(widths[i] ?? 8, Math.min(40, end - start + 3))
  return widths
}
