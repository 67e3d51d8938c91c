/**
 * Questions about one place in a JSON object that a column holds as text. SQLite and PostgreSQL put them in words of their
 * own: `sqlite/json-words.ts`, `postgres/json-words.ts`. What is not there, or is of another kind, is answered by false and
 * never by null. Strings compare by code point and may hold whatever JSON can, numbers compare as numbers, and a boolean is
 * neither. A path goes into objects, not into arrays.
 */
import type { Value } from "./database.ts"

/** SQL with a `?` for each of its values. */
export interface Condition {
  text: string
  values: Value[]
}

export type Sign = "<" | "<=" | ">" | ">="

/** Where: a column, and the names that lead from its object to the place, one at least. */
export interface JsonPlace {
  column: string
  path: readonly string[]
}

/** A row of `tally`. */
export interface TalliedValue {
  kind: string
  value: string | number
  count: number
}

/** What a place is compared with: values of one or several kinds. */
export interface JsonScalars {
  texts: readonly string[]
  numbers: readonly number[]
  booleans: readonly boolean[]
}

export interface JsonWords {
  /** Whether something other than null is there. */
  present(place: JsonPlace): Condition
  /** Whether one of the values is there, or is an element of the array that is there. */
  equalsOne(place: JsonPlace, values: JsonScalars): Condition
  compares(place: JsonPlace, sign: Sign, value: string | number): Condition
  /** Whether the text that is there holds another one, or the array the value. */
  contains(place: JsonPlace, value: string | number | boolean): Condition
  begins(place: JsonPlace, text: string): Condition
  /** Whether the column's value, an array, has one of the texts. */
  hasOne(column: string, texts: readonly string[]): Condition
  /**
   * How many rows of `files` that meet a condition have each value there, or in the array there: a query for `kind`, `value`
   * and `count`, the most frequent first, to be read by `scalarOf`. An empty path stands for the column's own value.
   */
  tally(place: JsonPlace, where: Condition, limit: number): Condition
  scalarOf(row: TalliedValue): string | number | boolean
  /** How many rows of `files` that meet a condition have an object of each `name` in the array of a column: `value`, `count`. */
  tallyNamed(column: string, name: string, where: Condition): Condition
}

export const plain = (text: string): Condition => ({ text, values: [] })

export const or = (parts: readonly Condition[]): Condition =>
  parts.length === 0
    ? plain("false")
    : { text: `(${parts.map(({ text }) => text).join(" or ")})`, values: parts.flatMap(({ values }) => values) }

/** Values by their kinds. */
export const scalarsOf = (values: readonly (string | number | boolean)[]): JsonScalars => ({
  texts: values.filter(value => typeof value === "string"),
  numbers: values.filter(value => typeof value === "number"),
  booleans: [...new Set(values.filter(value => typeof value === "boolean"))],
})
