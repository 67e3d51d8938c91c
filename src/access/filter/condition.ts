/**
 * A filter as SQL on `files`, for both databases: constants of the language in the text, every value bound. What is missing
 * makes a comparison false and never null, so that `not`, `ne` and `nin` hold where it is.
 */

import type { RawBuilder } from "kysely"
import type { Executor } from "../../storage/database.ts"
import { type Condition, type Sign, scalarsOf } from "../../storage/json-words.ts"
import { filled, texts, type Words, words as wordsOf } from "../../storage/words.ts"
import { type Column, type Field, fieldOf } from "./fields.ts"
import type { Comparison, Filter, Scalar } from "./filter.ts"
import { instantOf } from "./instant.ts"

const NEVER: Condition = { text: "false", values: [] }
const SIGNS = { gt: ">", gte: ">=", lt: "<", lte: "<=" } as const

export function conditionOf(filter: Filter, words: Words): Condition {
  if (!("filters" in filter)) return comparison(filter, words)
  const parts = gathered(filter).map(each => conditionOf(each, words))
  const joined = parts.map(({ text }) => text).join(filter.type === "or" ? " or " : " and ")
  const text = filter.type === "not" ? `not (${joined})` : `(${joined})`
  return { text, values: parts.flatMap(({ values }) => values) }
}

/** Comparisons that ask one key for several values are one: each would take the JSON of every file apart anew. */
function gathered({ type, filters }: Exclude<Filter, Comparison>): readonly Filter[] {
  if (type === "not") return filters
  const [one, list] = type === "or" ? (["eq", "in"] as const) : (["ne", "nin"] as const)
  const byKey = new Map<string, Scalar[]>()
  const others: Filter[] = []
  for (const each of filters) {
    if (each.type !== one && each.type !== list) others.push(each)
    else if (byKey.has(each.key)) byKey.get(each.key)!.push(...[each.value].flat())
    else byKey.set(each.key, [...[each.value].flat()])
  }
  return [...others, ...[...byKey].map(([key, value]) => ({ type: list, key, value }))]
}

/** The same for Kysely. */
export function passes(executor: Executor, filter: Filter): RawBuilder<boolean> {
  const { text, values } = conditionOf(filter, wordsOf(executor))
  return filled<boolean>(text, ...values)
}

function comparison(asked: Comparison, words: Words): Condition {
  const field = fieldOf(asked.key)!
  switch (asked.type) {
    case "exists":
      return asked.value ? isThere(field, words) : not(isThere(field, words))
    case "eq":
      return equalsOne(field, [asked.value], words)
    case "ne":
      return not(equalsOne(field, [asked.value], words))
    case "in":
      return equalsOne(field, asked.value, words)
    case "nin":
      return not(equalsOne(field, asked.value, words))
    case "contains":
      return contains(field, asked.value, words)
    case "starts_with":
      return begins(field, asked.value, words)
    default:
      return compares(field, SIGNS[asked.type], asked.value, words)
  }
}

const not = ({ text, values }: Condition): Condition => ({ text: `not (${text})`, values })

/** False where the column is null. */
const known = (text: string, ...values: Condition["values"]): Condition => ({ text: `(${text}) is true`, values })

function isThere(field: Field, { json }: Words): Condition {
  if (field.kind === "missing") return NEVER
  return field.kind === "json" ? json.present(field) : known(`${field.column} is not null`)
}

/** The value, or one element of an array. */
function equalsOne(field: Field, values: readonly Scalar[], words: Words): Condition {
  const wanted = scalarsOf(values)
  switch (field.kind) {
    case "missing":
      return NEVER
    case "json":
      return words.json.equalsOne(field, wanted)
    case "texts":
      return words.json.hasOne(field.column, wanted.texts)
    case "number":
      return known(words.among(field.column, "integer"), JSON.stringify(wanted.numbers.filter(Number.isSafeInteger)))
    case "time":
      return known(words.among(field.column, "text"), texts(wanted.texts.flatMap(text => instantOf(text) ?? [])))
    case "text":
      return known(words.among(field.column, "text"), texts(wanted.texts))
  }
}

function compares(field: Field, sign: Sign, value: string | number, words: Words): Condition {
  switch (field.kind) {
    case "json":
      return words.json.compares(field, sign, value)
    case "number":
      return typeof value === "number" ? known(`${field.column} ${sign} cast(? as double precision)`, value) : NEVER
    case "time": {
      const instant = typeof value === "string" ? instantOf(value) : undefined
      return instant ? known(`${field.column} ${sign} ?`, instant) : NEVER
    }
    case "text":
      return typeof value === "string" ? known(`${field.column} ${sign} ?`, words.bound(value)) : NEVER
    default:
      return NEVER
  }
}

/** A substring of a text; of an array, one element. */
function contains(field: Field, value: Scalar, words: Words): Condition {
  if (field.kind === "json") return words.json.contains(field, value)
  if (field.kind === "texts") return equalsOne(field, [value], words)
  if (!isTextual(field) || typeof value !== "string") return NEVER
  return known(words.contains(field.column), words.bound(value))
}

function begins(field: Field, value: string, words: Words): Condition {
  if (field.kind === "json") return words.json.begins(field, value)
  return isTextual(field) ? known(words.begins(field.column), words.bound(value)) : NEVER
}

/** Times are also looked into as the texts that records show. */
const isTextual = (field: Field): field is Column & { kind: "text" | "time" } =>
  field.kind === "text" || field.kind === "time"
