/** Pages of lists that are read by cursor: what follows a row, or goes before it, in the order in which they were made. */
export interface IdPageRequest {
  limit: number
  order: "asc" | "desc"
  /** Begins behind this one. */
  after?: string | undefined
  /** Ends before this one; ignored beside `after`. */
  before?: string | undefined
}

export interface IdPage<Item> {
  items: Item[]
  /** There are further ones, in the direction in which it was read. */
  hasMore: boolean
}

/** How the rows of a page are to be read: one more than `limit`, so that it shows whether there are others. */
export function readingOf({ after, before, order, limit }: IdPageRequest) {
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
