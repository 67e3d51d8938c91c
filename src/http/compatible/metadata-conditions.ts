/** The conditions on metadata that Dify sends, in the filter language. */
import { checkFilter, type Filter, type Scalar } from "../../access/filter/filter.ts"
import { invalid } from "../../errors.ts"
import { nearest } from "../../nearest.ts"
import { type Condition, type Conditions, OPERATORS } from "./retrieval.docs.ts"

type Operator = (typeof OPERATORS)[number]
type Place = { key: string; value: unknown; at: string }

/** @throws AppError invalid_request, invalid_filter, naming the condition; undefined where there is none */
export function filterOf(given: Conditions | null | undefined): Filter | undefined {
  const conditions = given?.conditions ?? []
  if (conditions.length === 0) return undefined
  const filters = conditions.map((each, i) => conditionOf(each, `metadata_condition.conditions.${i}`))
  return { type: given?.logical_operator ?? "and", filters }
}

/** Of several names one has to satisfy it, and for what denies something, none may satisfy the opposite. */
function conditionOf({ name, comparison_operator: operator, value }: Condition, at: string): Filter {
  if (!isOperator(operator)) throw unknownOperator(operator, at)
  const names = typeof name === "string" ? [name] : name
  const denied = DENIED[operator]
  const positive = FILTERS[denied ?? (operator as Positive)]
  const parts = names.map(key =>
    checkFilter(positive({ key, value, at: `${at}.value` }), { place: at, bareKeys: true }),
  )
  const any: Filter = parts.length === 1 ? parts[0]! : { type: "or", filters: parts }
  return denied ? { type: "not", filters: [any] } : any
}

const isOperator = (name: string): name is Operator => (OPERATORS as readonly string[]).includes(name)

function unknownOperator(operator: string, at: string) {
  const near = nearest(operator, OPERATORS)
  return invalid(
    `${at}.comparison_operator`,
    `must be one of ${OPERATORS.join(", ")}${near ? `; did you mean ${near}?` : ""}`,
  )
}

/** What each of these is the opposite of. */
const DENIED = {
  "not contains": "contains",
  "is not": "is",
  "≠": "=",
  "not in": "in",
  "not empty": "empty",
  "not null": "null",
} as const satisfies Partial<Record<Operator, Operator>> as Partial<Record<Operator, Positive>>

type Positive =
  | "contains"
  | "start with"
  | "is"
  | "in"
  | "empty"
  | "null"
  | "="
  | ">"
  | "<"
  | "≥"
  | "≤"
  | "before"
  | "after"

const FILTERS: Record<Positive, (place: Place) => unknown> = {
  contains: ({ key, ...given }) => ({ type: "contains", key, value: oneOf(given) }),
  "start with": ({ key, ...given }) => ({ type: "starts_with", key, value: String(oneOf(given)) }),
  is: ({ key, ...given }) => ({ type: "in", key, value: eitherWay([oneOf(given)]) }),
  "=": ({ key, ...given }) => ({ type: "in", key, value: eitherWay([oneOf(given)]) }),
  in: ({ key, ...given }) => ({ type: "in", key, value: eitherWay(listOf(given)) }),
  empty: ({ key }) => ({
    type: "or",
    filters: [
      { type: "exists", key, value: false },
      { type: "eq", key, value: "" },
    ],
  }),
  null: ({ key }) => ({ type: "exists", key, value: false }),
  ">": ordered("gt"),
  "<": ordered("lt"),
  "≥": ordered("gte"),
  "≤": ordered("lte"),
  before: ordered("lt"),
  after: ordered("gt"),
}

/** A form sends numbers as texts: such a text is compared as the number that it is. */
function ordered(type: "gt" | "lt" | "gte" | "lte") {
  return ({ key, ...given }: Place) => {
    const value = oneOf(given)
    return { type, key, value: numberIn(value) ?? value }
  }
}

/** For the same reason equals such a text the number too. */
const eitherWay = (values: readonly Scalar[]): Scalar[] =>
  values.flatMap(value => {
    const number = typeof value === "string" ? numberIn(value) : undefined
    return number === undefined ? [value] : [value, number]
  })

function numberIn(value: Scalar): number | undefined {
  if (typeof value === "string" && !/^\s*[-+]?\d+(?:\.\d+)?\s*$/.test(value)) return undefined
  return typeof value === "boolean" ? undefined : Number(value)
}

function listOf({ value, at }: Omit<Place, "key">): Scalar[] {
  const list = typeof value === "string" ? value.split(",").map(each => each.trim()) : value
  if (!Array.isArray(list)) return [oneOf({ value, at })]
  return list.map((each, i) => oneOf({ value: each, at: `${at}.${i}` }))
}

function oneOf({ value, at }: Omit<Place, "key">): Scalar {
  const only = Array.isArray(value) && value.length === 1 ? value[0] : value
  if (typeof only !== "string" && typeof only !== "number" && typeof only !== "boolean")
    throw invalid(at, "must be a text or a number")
  return only
}
