/** Pages of lists that are read by cursor: what follows a row, or goes before it, in the order in which they were made. */
export interface CursorRequest<Cursor> {
  limit: number
  order: "asc" | "desc"
  /** Begins behind this one. */
  after?: Cursor | undefined
  /** Ends before this one; ignored beside `after`. */
  before?: Cursor | undefined
}

export type IdPageRequest = CursorRequest<string>

export interface IdPage<Item> {
  items: Item[]
  /** There are further ones, in the direction in which it was read. */
  hasMore: boolean
}

/** How the rows of a page are to be read: one more than `limit`, so that it shows whether there are others. */
export function readingOf<Cursor>({ after, before, order, limit }: CursorRequest<Cursor>) {
  const isBack = before !== undefined && after === undefined
  const direction = (order === "asc") === isBack ? "desc" : "asc"
  return {
    cursor: after ?? before,
    direction,
    /** Holds for what comes behind the cursor. */
    compares: direction === "asc" ? ">" : "<",
    rows: limit + 1,
    page<Row>(read: Row[]): IdPage<Row> {
      const items = read.slice(0, limit)
      return { items: isBack ? items.reverse() : items, hasMore: read.length > limit }
    },
  } as const
}
