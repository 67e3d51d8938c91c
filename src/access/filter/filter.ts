/**
 * The one filter language (section 13 of the API): conditions on a file and its metadata. `checkFilter` takes whatever
 * somebody sent; `condition.ts` makes SQL of it.
 */
import { parseBounded } from "../../bounded-json.ts"
import { AppError } from "../../errors.ts"
import { nearest } from "../../nearest.ts"
import { FIELD_NAMES, fieldOf, isCounted, METADATA } from "./fields.ts"

export type Scalar = string | number | boolean

const EQUAL = ["eq", "ne"] as const
const ORDER = ["gt", "gte", "lt", "lte"] as const
const LISTS = ["in", "nin"] as const
const TEXT = ["starts_with"] as const
const GROUPS = ["and", "or", "not"] as const

export type Comparison =
  | { type: (typeof EQUAL)[number] | "contains"; key: string; value: Scalar }
  | { type: (typeof ORDER)[number]; key: string; value: string | number }
  | { type: (typeof LISTS)[number]; key: string; value: readonly Scalar[] }
  | { type: (typeof TEXT)[number]; key: string; value: string }
  | { type: "exists"; key: string; value: boolean }

export type Filter = Comparison | { type: (typeof GROUPS)[number]; filters: readonly Filter[] }

const TYPES = [...EQUAL, ...ORDER, ...LISTS, "contains", ...TEXT, "exists", ...GROUPS] as const

/** Levels, a comparison being one. */
const MAX_DEPTH = 6
/** Comparisons of one filter. */
const MAX_LEAVES = 100
/** Code points of a key or of a value. */
const MAX_CHARACTERS = 1_000
/** Values of one list. */
const MAX_VALUES = 1_000

export interface FilterOptions {
  /** Name of what was sent, with which the places in its errors begin. */
  place?: string
  /** Takes `year` for `metadata.year`, as the endpoints in the shapes of others do. */
  bareKeys?: boolean
}

/** @throws AppError invalid_filter naming the place, such as `filter.filters[1].value` */
export function checkFilter(given: unknown, { place = "filter", bareKeys = false }: FilterOptions = {}): Filter {
  let leaves = 0
  const check = (value: unknown, at: string, depth: number): Filter => {
    if (depth > MAX_DEPTH) throw refused(at, `is nested deeper than ${MAX_DEPTH} levels`)
    const { type, ...rest } = objectAt(value, at)
    if (!isOneOf(TYPES, type)) throw refused(`${at}.type`, typeIssue(type))
    const isGroup = isOneOf(GROUPS, type)
    for (const name of Object.keys(rest))
      if (!(isGroup ? ["filters"] : ["key", "value"]).includes(name))
        throw refused(`${at}.${shown(name)}`, `is not a field of ${type}`)
    if (isGroup) {
      const filters = groupAt(type, rest.filters, `${at}.filters`)
      return { type, filters: filters.map((each, i) => check(each, `${at}.filters[${i}]`, depth + 1)) }
    }
    if (++leaves > MAX_LEAVES) throw refused(at, `is one comparison more than ${MAX_LEAVES}`)
    const key = keyAt(rest.key, `${at}.key`, bareKeys)
    if (!("value" in rest)) throw refused(`${at}.value`, "is missing")
    return { type, key, value: VALUES[type](rest.value, `${at}.value`) } as Comparison
  }
  return check(given, place, 1)
}

/** The same, where null and nothing are no filter. @throws AppError invalid_filter */
export const filterOf = (given: unknown): Filter | null =>
  given === null || given === undefined ? null : checkFilter(given)

/** The same of JSON. @throws AppError invalid_filter */
export function parseFilter(text: string, options: FilterOptions = {}): Filter {
  let value: unknown
  try {
    value = parseBounded(text)
  } catch {
    throw refused(options.place ?? "filter", "must be the JSON of a filter")
  }
  return checkFilter(value, options)
}

/** Both must hold; undefined where there is none. */
export function joinFilters(...filters: readonly (Filter | null | undefined)[]): Filter | undefined {
  const given = filters.filter(filter => filter !== null && filter !== undefined)
  return given.length > 1 ? { type: "and", filters: given } : given[0]
}

/** Whether what passes stays the same until the counter of the workspace's changes moves: what is remembered goes by it. */
export const goesByCounter = (filter: Filter): boolean =>
  "filters" in filter ? filter.filters.every(goesByCounter) : isCounted(fieldOf(filter.key)!)

/** Names of metadata and texts that people choose, for what must not be kept where they are private. */
export function chosenTexts(filter: Filter): string[] {
  if ("filters" in filter) return filter.filters.flatMap(chosenTexts)
  const { key, value } = filter
  if (!key.startsWith(METADATA) && !CHOSEN.includes(key)) return []
  const names = key.startsWith(METADATA) ? key.slice(METADATA.length).split(".") : []
  return [...names, ...[value].flat().filter(each => typeof each === "string")]
}

const CHOSEN = ["file.name", "file.tags", "file.context_id"]

const refused = (place: string, issue: string): AppError =>
  new AppError("invalid_filter", { message: `${place}: ${issue}`, details: [{ field: place, issue }] })

const isOneOf = <const T extends string>(names: readonly T[], value: unknown): value is T =>
  (names as readonly unknown[]).includes(value)

/** A name that somebody else chose, short enough to be repeated. */
const shown = (name: string): string => (name.length > 60 ? `${name.slice(0, 60)}…` : name).toWellFormed()

function objectAt(value: unknown, at: string): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw refused(at, "must be an object")
  return value as Record<string, unknown>
}

const typeIssue = (type: unknown): string => (type === undefined ? "is missing" : `must be one of ${TYPES.join(", ")}`)

function groupAt(type: (typeof GROUPS)[number], filters: unknown, at: string): unknown[] {
  if (!Array.isArray(filters) || filters.length === 0) throw refused(at, "must be a list of at least one filter")
  if (type === "not" && filters.length !== 1) throw refused(at, "must hold one filter")
  if (filters.length > MAX_LEAVES) throw refused(at, `must hold at most ${MAX_LEAVES} filters`)
  return filters
}

function keyAt(given: unknown, at: string, bareKeys: boolean): string {
  if (given === undefined) throw refused(at, "is missing")
  const text = textAt(given, at)
  const key = bareKeys && !text.startsWith("file.") && !text.startsWith(METADATA) ? `${METADATA}${text}` : text
  if (fieldOf(key)) return key
  if (key.startsWith(METADATA)) throw refused(at, "must name a part of the metadata, such as metadata.year")
  const near =
    nearest(key, FIELD_NAMES) ?? (/^[\p{L}_][\p{L}\p{N}_-]{0,60}$/u.test(key) ? `${METADATA}${key}` : undefined)
  throw refused(at, `must be metadata.… or one of ${FIELD_NAMES.join(", ")}${near ? `; did you mean ${near}?` : ""}`)
}

function textAt(value: unknown, at: string): string {
  if (typeof value !== "string") throw refused(at, "must be a text")
  // No more than two units make a character.
  if (value.length > 2 * MAX_CHARACTERS || (value.length > MAX_CHARACTERS && [...value].length > MAX_CHARACTERS))
    throw refused(at, `must have at most ${MAX_CHARACTERS} characters`)
  if (!value.isWellFormed()) throw refused(at, "must be well-formed Unicode")
  return value
}

function numberOrTextAt(value: unknown, at: string): string | number {
  if (typeof value === "string") return textAt(value, at)
  // JSON may write a number that is none: 1e999.
  if (typeof value !== "number" || !Number.isFinite(value)) throw refused(at, "must be a text or a number")
  return value
}

function scalarAt(value: unknown, at: string): Scalar {
  if (value === null) throw refused(at, "must not be null: exists asks whether there is a value")
  if (typeof value === "boolean") return value
  if (typeof value !== "string" && (typeof value !== "number" || !Number.isFinite(value)))
    throw refused(at, "must be a text, a number, true or false")
  return numberOrTextAt(value, at)
}

function listAt(value: unknown, at: string): Scalar[] {
  if (!Array.isArray(value)) throw refused(at, "must be a list")
  if (value.length > MAX_VALUES) throw refused(at, `must hold at most ${MAX_VALUES} values`)
  return value.map((each, i) => scalarAt(each, `${at}[${i}]`))
}

function booleanAt(value: unknown, at: string): boolean {
  if (typeof value !== "boolean") throw refused(at, "must be true or false")
  return value
}

const VALUES: Record<Comparison["type"], (value: unknown, at: string) => Comparison["value"]> = {
  eq: scalarAt,
  ne: scalarAt,
  gt: numberOrTextAt,
  gte: numberOrTextAt,
  lt: numberOrTextAt,
  lte: numberOrTextAt,
  in: listAt,
  nin: listAt,
  contains: scalarAt,
  starts_with: textAt,
  exists: booleanAt,
}
