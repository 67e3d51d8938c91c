/** Cursors of lists of files: one is of a list in one order. */
import { type FilePlace, type FileSort, placeOf as placeIn } from "../library/file-list.ts"
import type { FileRecord } from "../library/record.ts"
import { cursorOf, placeOf } from "./cursor.ts"

interface Order {
  sort: FileSort
  order: "asc" | "desc"
}

const listOf = ({ sort, order }: Order): string => `files ${sort} ${order}`

export const fileCursor = (record: FileRecord, order: Order): string =>
  cursorOf(listOf(order), placeIn(record, order.sort), record.id)

/** @param field names it where it is refused. @throws AppError invalid_request */
export function filePlace(cursor: string, order: Order, field: string): FilePlace {
  const type = order.sort === "size" ? "number" : "string"
  const [value, id] = placeOf(cursor, listOf(order), [type, "string"], field)
  return { value, id }
}
