/** Lists as connections: entries with cursors, read forwards. */
import { invalid } from "../../errors.ts"
import { cursorOf, placeOf } from "../cursor.ts"
import type { Window } from "./loaders.ts"

export interface ConnectionArguments {
  first?: number | null
  after?: string | null
}

const MOST_ENTRIES = 100

/** @throws AppError invalid_request */
export function firstOf({ first }: ConnectionArguments, fallback: number, most = MOST_ENTRIES): number {
  const wanted = first ?? fallback
  if (wanted < 1 || wanted > most) throw invalid("first", `must be a whole number from 1 to ${most}`)
  return wanted
}

/** @returns undefined for the beginning. @throws AppError invalid_request for what is no cursor of such a list */
export const placeAfter = <const Types extends readonly ("string" | "number")[]>(
  { after }: ConnectionArguments,
  list: string,
  types: Types,
) => (after === undefined || after === null ? undefined : placeOf(after, list, types, "after"))

/** The place that a list of numbered entries begins behind. @throws AppError invalid_request */
export function numberAfter(given: ConnectionArguments, list: string): number {
  const [after = 0] = placeAfter(given, list, ["number"]) ?? []
  if (!Number.isSafeInteger(after) || after < 0 || after > 2 ** 31) throw invalid("after", "is no cursor of this list")
  return after
}

/** What an entry has of its own: how it is shown, and where it stands. */
interface Entry<Node> {
  node: Node
  cursor: string
}

interface ConnectionOptions {
  hasMore: boolean
  /** Whether it began behind a cursor. */
  isBehind: boolean
  /** Read only where it is asked for. */
  total: () => number | Promise<number>
}

/** Spelled as records are: see `resolve` of `engine.ts`. */
export const connection = <Node>(entries: Entry<Node>[], { hasMore, isBehind, total }: ConnectionOptions) => ({
  edges: entries,
  nodes: entries.map(({ node }) => node),
  page_info: {
    has_next_page: hasMore,
    has_previous_page: isBehind,
    start_cursor: entries[0]?.cursor ?? null,
    end_cursor: entries.at(-1)?.cursor ?? null,
  },
  total_count: total,
})

const OF_EACH = 20

/** The part that is asked for of a list below an object, with one entry more, by which it shows whether there are others. */
export function windowOf(given: ConnectionArguments, list: string): Window {
  return { after: numberAfter(given, list), limit: firstOf(given, OF_EACH) + 1 }
}

/** A connection of what was loaded for such a window. */
export function ofWindow<Item, Node>(
  items: readonly Item[],
  { after, limit }: Window,
  { list, place, node, total }: { list: string; place(item: Item): number; node(item: Item): Node; total: number },
) {
  const entries = items.slice(0, limit - 1).map(item => ({ node: node(item), cursor: cursorOf(list, place(item)) }))
  return connection(entries, { hasMore: items.length >= limit, isBehind: after > 0, total: () => total })
}
