/** Keys that go through the rows: the control beside the same one of the next row, of the last, a screen further. */
import type { RefObject } from "preact"
import { useLayoutEffect, useRef } from "preact/hooks"
import type { ListWindow } from "../../ui/window.ts"

/** What a cell offers to keys. */
const CONTROL = "input, button, a"

interface Stop {
  row: number
  cell: number
}

export function useRowKeys(shown: ListWindow, body: RefObject<HTMLElement | null>) {
  const wanted = useRef<Stop | undefined>(undefined)
  // Rows that are far away arrive some frames later.
  useLayoutEffect(() => {
    const stop = wanted.current
    const row = stop && body.current?.querySelector<HTMLTableRowElement>(`[data-index="${stop.row}"]:not(.missing)`)
    if (!stop || !row) return
    wanted.current = undefined
    const cell = row.cells[stop.cell]?.querySelector(CONTROL) ? row.cells[stop.cell]! : row.cells[1]!
    cell.querySelector<HTMLElement>(CONTROL)!.focus({ preventScroll: true })
  })
  return (event: KeyboardEvent) => {
    const cell = (event.target as HTMLElement).closest("td")
    const row = cell?.closest<HTMLTableRowElement>("[data-index]")
    if (!cell || !row || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
    const next = stepped(event.key, Number(row.dataset.index), shown)
    if (next === undefined) return
    event.preventDefault()
    wanted.current = { row: next, cell: cell.cellIndex }
    shown.scrollTo(next)
    shown.redraw()
  }
}

function stepped(key: string, at: number, { count, seen }: ListWindow): number | undefined {
  const screen = seen ? Math.max(1, seen.to - seen.from - 1) : 1
  const steps: Record<string, number> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    PageDown: at + screen,
    PageUp: at - screen,
    Home: 0,
    End: count - 1,
  }
  const next = steps[key]
  return next === undefined ? undefined : Math.max(0, Math.min(count - 1, next))
}
