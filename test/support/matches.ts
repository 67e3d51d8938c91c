/** Whether a filter lets a file's record pass, told from the record alone: what the SQL of filters is held to. */
import type { Filter } from "../../src/access/filter/filter.ts"
import type { FileRecord } from "../../src/library/record.ts"

type Told = Pick<
  FileRecord,
  | "id"
  | "name"
  | "type"
  | "size"
  | "sha256"
  | "context_id"
  | "tags"
  | "status"
  | "created_at"
  | "updated_at"
  | "metadata"
>

export function matches(filter: Filter, file: Told): boolean {
  switch (filter.type) {
    case "and":
      return filter.filters.every(each => matches(each, file))
    case "or":
      return filter.filters.some(each => matches(each, file))
    case "not":
      return !matches(filter.filters[0]!, file)
    case "exists":
      return (valueAt(filter.key, file) !== undefined) === filter.value
    case "eq":
      return equals(filter.key, filter.value, file)
    case "ne":
      return !equals(filter.key, filter.value, file)
    case "in":
      return filter.value.some(value => equals(filter.key, value, file))
    case "nin":
      return !filter.value.some(value => equals(filter.key, value, file))
    case "contains": {
      const own = valueAt(filter.key, file)
      if (Array.isArray(own)) return own.some(element => element === filter.value)
      return typeof own === "string" && typeof filter.value === "string" && own.includes(filter.value)
    }
    case "starts_with": {
      const own = valueAt(filter.key, file)
      return typeof own === "string" && own.startsWith(filter.value)
    }
    default: {
      const order = compare(filter.key, filter.value, file)
      if (order === undefined) return false
      return { gt: order > 0, gte: order >= 0, lt: order < 0, lte: order <= 0 }[filter.type]
    }
  }
}

/** Undefined where the file has none, or null. */
export function valueAt(key: string, file: Told): unknown {
  const [room, ...path] = key.split(".")
  if (room === "file") return (file as Record<string, unknown>)[path[0]!] ?? undefined
  let value: unknown = file.metadata
  for (const name of path) {
    if (typeof value !== "object" || value === null || Array.isArray(value) || !Object.hasOwn(value, name))
      return undefined
    value = (value as Record<string, unknown>)[name]
  }
  return value ?? undefined
}

const isTime = (key: string): boolean => key === "file.created_at" || key === "file.updated_at"

/** Whether the text names a day that there is. */
const isDay = (text: string): boolean => {
  const [year, month, day] = text.slice(0, 10).split("-").map(Number)
  const date = new Date(Date.UTC(2000, 0, 1))
  date.setUTCFullYear(year!, month! - 1, day)
  return date.getUTCMonth() === month! - 1 && date.getUTCDate() === day
}

function millisecondsOf(value: unknown): number | undefined {
  if (typeof value !== "string" || !/^\d{4}-\d\d-\d\d($|[ T]\d\d:\d\d)/i.test(value) || !isDay(value)) return undefined
  const isZoned = value.length === 10 || /(z|[+-]\d\d:?\d\d)$/i.test(value.slice(10))
  const time = Date.parse(isZoned ? value : `${value}Z`)
  return Number.isNaN(time) ? undefined : time
}

function equals(key: string, value: unknown, file: Told): boolean {
  const own = valueAt(key, file)
  if (Array.isArray(own)) return own.some(element => element === value)
  if (isTime(key)) return millisecondsOf(value) === Date.parse(own as string)
  return own !== undefined && own === value
}

function compare(key: string, value: string | number, file: Told): number | undefined {
  const own = valueAt(key, file)
  if (isTime(key)) {
    const given = millisecondsOf(value)
    return given === undefined ? undefined : Date.parse(own as string) - given
  }
  if (typeof own === "number" && typeof value === "number") return own - value
  if (typeof own === "string" && typeof value === "string") return byCodePoint(own, value)
  return undefined
}

function byCodePoint(left: string, right: string): number {
  const [a, b] = [[...left], [...right]]
  for (let i = 0; i < Math.min(a.length, b.length); i++)
    if (a[i] !== b[i]) return a[i]!.codePointAt(0)! - b[i]!.codePointAt(0)!
  return a.length - b.length
}
