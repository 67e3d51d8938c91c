/** Cursors of lists. One says a place in one kind of list, and nothing else. */
import { invalid } from "../errors.ts"

type Place = (string | number)[]

/** @param list which kind of list it is of, and in which order */
export const cursorOf = (list: string, ...place: Place): string =>
  Buffer.from(JSON.stringify([list, ...place])).toString("base64url")

/**
 * @param field names it where it is refused
 * @throws AppError invalid_request for what is no cursor of such a list
 */
export function placeOf<const Types extends readonly ("string" | "number")[]>(
  cursor: string,
  list: string,
  types: Types,
  field: string,
): { [At in keyof Types]: Types[At] extends "string" ? string : number } {
  const [of, ...place] = decoded(cursor)
  if (of !== list || place.length !== types.length || types.some((type, at) => typeof place[at] !== type))
    throw invalid(field, "is no cursor of this list")
  return place as never
}

const MAX_CURSOR = 4_000

function decoded(cursor: string): unknown[] {
  try {
    const value: unknown = cursor.length > MAX_CURSOR ? [] : JSON.parse(Buffer.from(cursor, "base64url").toString())
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}
