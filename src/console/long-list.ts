/**
 * A list that is too long to be read as a whole: the rows around what is seen, some parts one right behind the other. It is
 * read on by cursor, so that none is left out or repeated while others come and go; a leap goes by the number of a page.
 */
import type { LongPage } from "./wire.ts"

/** Rows of a part. */
export const PART = 50
/** Parts that are kept: those farthest from what is seen go first. */
const MAX_PARTS = 20
/** Rows beyond what is seen that are read ahead. */
const AHEAD = 30

export type Part<Row> = Pick<LongPage<Row>, "data" | "next" | "previous">

export interface Stretch<Row> {
  /** Position of its first row; about right where rows came or went before it. */
  start: number
  parts: readonly Part<Row>[]
  rows: readonly Row[]
  /** Of the list. */
  total: number
}

/** What is read next. */
export type Place = { page: number } | { after: string } | { before: string }

type Read<Row> = (place: Place, signal: AbortSignal) => Promise<LongPage<Row>>

interface Identified {
  id: string
}

function stretchOf<Row>(start: number, parts: readonly Part<Row>[], total: number): Stretch<Row> {
  const rows = parts.flatMap(({ data }) => data)
  const end = start + rows.length
  return { start, parts, rows, total: parts.at(-1)?.next ? Math.max(total, end + 1) : end }
}

/** What is missing of the rows from `from` to `to`, or soon will be; undefined where nothing is. */
export function missing<Row>(stretch: Stretch<Row> | undefined, from: number, to: number): Place | undefined {
  const page = { page: Math.floor(from / PART) + 1 }
  if (!stretch) return page
  // The list has become shorter than what was asked for.
  if (stretch.rows.length === 0) return stretch.total > 0 ? { page: Math.ceil(stretch.total / PART) } : undefined
  const { start, rows, parts } = stretch
  const end = start + rows.length
  const { next } = parts.at(-1)!
  const { previous } = parts[0]!
  if ((from > end + PART && next) || (to < start - PART && previous)) return page
  if (to + AHEAD >= end && next) return { after: next }
  if (from - AHEAD < start && previous) return { before: previous }
}

/** With what was read at that place. */
export function joined<Row extends Identified>(
  stretch: Stretch<Row> | undefined,
  place: Place,
  answer: LongPage<Row>,
): Stretch<Row> {
  const total = answer.pagination.total_items
  if (!stretch || "page" in place) {
    const start = "page" in place ? (place.page - 1) * PART : 0
    return stretchOf(Math.min(start, total), [answer], total)
  }
  const known = new Set(stretch.rows.map(({ id }) => id))
  // One whose place in the order changed meanwhile stands where it was until all is read anew.
  const part = { ...answer, data: answer.data.filter(({ id }) => !known.has(id)) }
  if ("after" in place) {
    const gone = stretch.parts.slice(0, Math.max(0, stretch.parts.length + 1 - MAX_PARTS))
    const start = stretch.start + gone.reduce((sum, { data }) => sum + data.length, 0)
    return stretchOf(start, [...stretch.parts.slice(gone.length), part], total)
  }
  const start = part.previous === null ? 0 : Math.max(1, stretch.start - part.data.length)
  return stretchOf(start, [part, ...stretch.parts.slice(0, MAX_PARTS - 1)], total)
}

/** Reads one thing after the other, always what is wanted now. */
export class LongList<Row extends Identified> {
  stretch: Stretch<Row> | undefined
  error: Error | undefined
  private wanted: { from: number; to: number }
  private isStale = false
  private isReading = false
  private readonly ended = new AbortController()

  /** @param from the row that is seen first */
  constructor(
    private readonly read: Read<Row>,
    private readonly onChange: () => void,
    from: number,
  ) {
    this.wanted = { from, to: from }
  }

  /** These rows are seen. */
  want(from: number, to: number): void {
    this.wanted = { from, to }
    void this.work()
  }

  /** What is seen is read anew. */
  reload = (): void => {
    this.isStale = true
    void this.work()
  }

  end(): void {
    this.ended.abort()
  }

  private async work(): Promise<void> {
    const { signal } = this.ended
    if (this.isReading || signal.aborted) return
    this.isReading = true
    try {
      for (let next = this.next(); next; next = this.next()) {
        const stretch = await next()
        if (signal.aborted) return
        this.stretch = stretch
        this.error = undefined
        this.onChange()
      }
    } catch (error) {
      if (signal.aborted) return
      this.error = error as Error
      this.onChange()
    } finally {
      this.isReading = false
    }
  }

  private next(): (() => Promise<Stretch<Row>>) | undefined {
    const { stretch, wanted } = this
    const place = missing(stretch, wanted.from, wanted.to)
    const isLeap = place && "page" in place
    if (this.isStale && stretch && !isLeap) return () => this.anew(stretch)
    this.isStale = false
    return place && (async () => joined(stretch, place, await this.read(place, this.ended.signal)))
  }

  /** From the first part that is seen to the last; the parts behind them are read again when they are wanted. */
  private async anew(known: Stretch<Row>): Promise<Stretch<Row>> {
    this.isStale = false
    const { from, to } = this.wanted
    let stretch = known
    let at = partAt(stretch, from)
    if (at === 0 && stretch.parts[0]!.previous !== null) {
      const place = { before: stretch.parts[0]!.previous }
      stretch = joined(stretch, place, await this.read(place, this.ended.signal))
      at = partAt(stretch, from)
    }
    const before = stretch.parts.slice(0, at)
    let next = before.at(-1)?.next ?? null
    stretch = stretchOf(stretch.start, before, stretch.total)
    do {
      const place: Place = next === null ? { page: 1 } : { after: next }
      const answer = await this.read(place, this.ended.signal)
      stretch =
        stretch.parts.length === 0
          ? stretchOf(0, [answer], answer.pagination.total_items)
          : joined(stretch, place, answer)
      next = answer.next
    } while (next !== null && stretch.start + stretch.rows.length <= to)
    return stretch
  }
}

function partAt<Row>({ start, parts }: Stretch<Row>, row: number): number {
  let end = start
  const at = parts.findIndex(({ data }) => {
    end += data.length
    return row < end
  })
  return at < 0 ? parts.length - 1 : at
}
