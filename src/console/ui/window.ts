/** Of a long list only what is seen stands in the page, and some rows around it. Loaded with the pages that have one. */
import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  type Range,
  type VirtualItem,
  Virtualizer,
} from "@tanstack/virtual-core"
import type { RefObject } from "preact"
import { useLayoutEffect, useReducer, useState } from "preact/hooks"

/** Rows on either side of what is seen: enough for a key or a notch of the wheel before the next frame. */
const OVERSCAN = 8
/** Pixels. Browsers lay nothing out that lies deeper, Firefox at 17.8 million. */
const MAX_HEIGHT = 15_000_000

interface WindowOptions {
  /** Rows of the list. */
  total: number
  /** Pixels of a row that was not drawn yet. */
  estimate: number
  /** Pixels at the top of the frame under which rows are hidden. */
  covered: number
  /** What the rows stand in, each with its position as `data-index`. */
  body: RefObject<HTMLElement | null>
}

export interface ListWindow {
  /** Those to be drawn, in order. The one that has the focus is among them wherever it is. */
  items: VirtualItem[]
  /** Pixels from the top of the frame to the first row, and to the end of the last. */
  start: number
  end: number
  /** Rows that can be reached. */
  count: number
  /** Undefined before anything is seen. */
  seen: { from: number; to: number } | undefined
  scrollTo(index: number, align?: "auto" | "start"): void
  /** How far the frame is scrolled into a row; negative before it. */
  into(index: number): number
  /** The frame is scrolled that far into the row. */
  scrollInto(index: number, pixels: number): void
  redraw(): void
}

/** What all pages scroll in. */
const frame = () => document.getElementById("main")

export function useWindow({ total, estimate, covered, body }: WindowOptions): ListWindow {
  const [, redraw] = useReducer((turn: number) => turn + 1, 0)
  const [start, setStart] = useState(0)
  const count = Math.min(total, Math.floor(MAX_HEIGHT / estimate))
  const options = {
    ...{ count, overscan: OVERSCAN, scrollMargin: start, scrollPaddingStart: covered },
    initialOffset: () => frame()?.scrollTop ?? 0,
    estimateSize: () => estimate,
    getScrollElement: frame,
    rangeExtractor: (range: Range) => drawn(range, focusedIn(body.current)),
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: () => redraw(0),
  }
  const [virtualizer] = useState(() => new Virtualizer<HTMLElement, HTMLElement>(options))
  virtualizer.setOptions(options)
  useLayoutEffect(() => virtualizer._didMount(), [])
  useLayoutEffect(() => {
    virtualizer._willUpdate()
    const [list, around] = [body.current, frame()]
    if (!list || !around) return
    const top = Math.round(list.getBoundingClientRect().top - around.getBoundingClientRect().top + around.scrollTop)
    // What appears above the list, or goes, does not move what is looked at.
    if (top !== start && start > 0 && around.scrollTop > start) around.scrollTop += top - start
    setStart(top)
    for (const row of list.querySelectorAll<HTMLElement>("[data-index]")) virtualizer.measureElement(row)
    virtualizer.measureElement(null) // those that are gone
  })
  useLayoutEffect(() => virtualizer.measure(), [estimate])
  // What stands above the list grows and shrinks by itself.
  useLayoutEffect(() => {
    const observer = new ResizeObserver(() => redraw(0))
    const page = frame()?.firstElementChild
    if (page) observer.observe(page)
    return () => observer.disconnect()
  }, [])
  const { range, scrollOffset } = virtualizer
  const items = virtualizer.getVirtualItems()
  const isUncovered = ({ index, end }: VirtualItem) =>
    index >= range!.startIndex && end > (scrollOffset ?? 0) + covered + 1
  const topOf = (index: number) => virtualizer.getOffsetForIndex(index, "start")?.[0] ?? 0
  return {
    items,
    start,
    end: start + virtualizer.getTotalSize(),
    count,
    seen: range ? { from: items.find(isUncovered)?.index ?? range.startIndex, to: range.endIndex } : undefined,
    scrollTo: (index, align = "auto") => virtualizer.scrollToIndex(index, { align }),
    into: index => (scrollOffset ?? 0) - topOf(index),
    scrollInto: (index, pixels) => virtualizer.scrollToOffset(topOf(index) + pixels),
    redraw: () => redraw(0),
  }
}

function focusedIn(list: HTMLElement | null): number | undefined {
  const row = document.activeElement?.closest<HTMLElement>("[data-index]")
  return row && list?.contains(row) ? Number(row.dataset.index) : undefined
}

function drawn({ startIndex, endIndex, overscan, count }: Range, focused: number | undefined): number[] {
  const [from, to] = [Math.max(0, startIndex - overscan), Math.min(count - 1, endIndex + overscan)]
  const rows = Array.from({ length: to - from + 1 }, (_, i) => from + i)
  if (focused === undefined || focused >= count) return rows
  return focused < from ? [focused, ...rows] : focused > to ? [...rows, focused] : rows
}
