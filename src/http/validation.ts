/** Checks JSON bodies against the schemas of their routes, and says in words what is wrong with a field. */
import { type AnyElysia, getSchemaValidator, type TSchema } from "elysia"
import { AppError, type ErrorDetail, invalid } from "../errors.ts"
import { isClosed, isOptional } from "./schemas.ts"

/** Bad fields that are named; a body may hold a hundred thousand. */
const MAX_ISSUES = 64
/** Characters of a field's path that are repeated. */
const MAX_NAME = 200

export interface SchemaIssue {
  /** What the schema library calls this kind of issue. */
  type?: number
  path?: string
  message?: string
  schema?: SchemaHint
  value?: unknown
  /** What each choice of a union objects to. */
  errors?: Iterable<SchemaIssue>[]
}
interface SchemaHint {
  type?: string
  const?: unknown
  properties?: Record<string, unknown>
  enum?: unknown[]
  pattern?: string
  anyOf?: SchemaHint[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
}

/** Of the schema library: a field that must be there, and one that its object does not know. */
const MISSING = 45
const UNKNOWN = 42

interface Validator {
  Check(value: unknown): boolean
  Errors(value: unknown): Iterable<SchemaIssue>
}

/**
 * A check of the bodies of all routes of `app`, to be made before the framework's own: that one writes every bad value
 * into a message, which takes long for a large one and fails for `{"toString": "x"}`. It also drops unknown fields before
 * it looks.
 * @returns a function that throws AppError invalid_request naming every bad field
 */
export function bodyCheck(app: () => AnyElysia): (method: string, route: string, body: unknown) => void {
  const validators = new Map<string, Validator | undefined>()
  const validatorOf = (method: string, route: string): Validator | undefined => {
    const key = `${method} ${route}`
    if (!validators.has(key)) {
      const schema = app().routes.find(each => each.method === method && each.path === route)?.hooks?.body
      validators.set(key, schema && compile(schema as TSchema))
    }
    return validators.get(key)
  }
  return (method, route, body) => {
    const validator = validatorOf(method, route)
    if (!validator || validator.Check(body)) return
    if (body === undefined) throw invalid("body", "must be a JSON object")
    throw invalidFields(take(validator.Errors(body), MAX_ISSUES))
  }
}

/** The copy keeps the framework, which notes things in the schemas that it compiles, from changing the route's own. */
function compile(schema: TSchema): Validator {
  const compiled = getSchemaValidator(
    { ...schema },
    { additionalProperties: !isClosed(schema), forceAdditionalProperties: true },
  ) as unknown as Validator
  return {
    Check: value => (isOptional(schema) && value === undefined) || compiled.Check(value),
    Errors: value => compiled.Errors(value),
  }
}

/** Every bad field once, with the rule that it breaks. */
export function invalidFields(found: readonly SchemaIssue[]): AppError {
  const issues = new Map<string, string>()
  for (const item of found.flatMap(causesOf)) {
    const field = (item.path ?? "").slice(0, MAX_NAME).replace(/^\//, "").replaceAll("/", ".") || "body"
    if (!issues.has(field)) issues.set(field, issueOf(item))
  }
  if (issues.size === 0) issues.set("body", "does not have the documented form")
  const details: ErrorDetail[] = [...issues].map(([field, issue]) => ({ field, issue }))
  return new AppError("invalid_request", { message: `${details[0]!.field}: ${details[0]!.issue}`, details })
}

function issueOf({ type, schema, message }: SchemaIssue): string {
  if (type === MISSING) return "is missing"
  if (type === UNKNOWN) return `is not a known field; known are ${Object.keys(schema?.properties ?? {}).join(", ")}`
  return schema ? ruleOf(schema) : (message ?? "is not valid")
}

/** Of "an object or null" that is an object with a bad field: the bad field. */
function causesOf(issue: SchemaIssue): SchemaIssue[] {
  const kind = Array.isArray(issue.value) ? "array" : issue.value === null ? "null" : typeof issue.value
  const isOfKind = ({ type, anyOf }: SchemaHint): boolean => type === kind || (anyOf?.some(isOfKind) ?? false)
  const at = kind === "array" || kind === "object" ? issue.schema?.anyOf?.findIndex(isOfKind) : -1
  const inner = take(issue.errors?.[at ?? -1] ?? [], MAX_ISSUES).flatMap(causesOf)
  return inner.length > 0 ? inner : [issue]
}

const oneOf = (values: readonly unknown[]): string =>
  `must be ${values.length > 1 ? "one of " : ""}${values.join(", ")}`

/** A schema in words: `must be a whole number from 1 to 100`. */
function ruleOf(schema: SchemaHint): string {
  if (schema.enum) return oneOf(schema.enum)
  const choices = schema.anyOf?.filter(choice => choice.type !== "null") ?? []
  if (choices.length > 0 && choices.every(choice => choice.const !== undefined))
    return oneOf(choices.map(choice => choice.const))
  // A number in a query is described as a union of its text and its value.
  const number = choices.find(choice => choice.type === "integer" || choice.type === "number")
  if (number) return ruleOf(number)
  if (choices.length > 0) return [...new Set(choices.map(ruleOf))].join(", or ")
  const { type, pattern, minimum, maximum, minLength, maxLength, minItems, maxItems } = schema
  if (schema.const !== undefined) return `must be ${String(schema.const)}`
  if (type === "integer") return `must be a whole number${range(minimum, maximum, "")}`
  if (type === "number") return `must be a number${range(minimum, maximum, "")}`
  if (type === "string" && pattern) return `must match ${pattern}`
  if (type === "string")
    return minLength === 1 && maxLength === undefined
      ? "must not be empty"
      : `must be a text${range(minLength, maxLength, "character")}`
  if (type === "array") return `must be a list${range(minItems, maxItems, "item")}`
  if (type === "object") return "must be a JSON object"
  if (type === "boolean") return "must be true or false"
  return "is not valid"
}

function range(low: number | undefined, high: number | undefined, unit: string): string {
  const counted = (count: number) => (unit ? `${count} ${unit}${count === 1 ? "" : "s"}` : String(count))
  const lead = unit ? " of" : ""
  if (low !== undefined && high !== undefined) return `${unit ? lead : " from"} ${low} to ${counted(high)}`
  if (low !== undefined) return `${lead} at least ${counted(low)}`
  return high === undefined ? "" : `${lead} at most ${counted(high)}`
}

function take<T>(items: Iterable<T>, limit: number): T[] {
  const taken: T[] = []
  for (const item of items) {
    taken.push(item)
    if (taken.length === limit) break
  }
  return taken
}
