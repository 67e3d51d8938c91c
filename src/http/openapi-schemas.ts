/** The schemas of routes as the OpenAPI document shows them: what has a title is named once, and every body has an example. */
import type { TSchema } from "elysia"
import { isClosed } from "./schemas.ts"

type Json = Record<string, unknown>
interface Schema extends Json {
  title?: string
  type?: string
  const?: unknown
  enum?: unknown[]
  default?: unknown
  examples?: unknown[]
  minimum?: number
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
}

/** Keywords whose value is a schema, a list of them, or a map of them. */
const ONE = new Set(["items", "not"])
const LISTS = new Set(["anyOf", "oneOf", "allOf"])
const MAPS = new Set(["properties", "$defs"])

export class ComponentSchemas {
  private readonly named = new Map<string, Json>()

  /** The schema as it is served: a reference to a component where it has a title. */
  serve(given: TSchema | object): Json {
    const schema = given as Schema
    const { title } = schema
    if (title === undefined) return this.plain(schema)
    if (!this.named.has(title)) {
      this.named.set(title, {}) // keeps the order of first use, also for those that it names in turn
      this.named.set(title, this.plain(schema))
    }
    return { $ref: `#/components/schemas/${title}` }
  }

  get all(): Record<string, Json> {
    return Object.fromEntries([...this.named].sort(([left], [right]) => (left < right ? -1 : 1)))
  }

  private plain(schema: Schema): Json {
    const number = numberOfQuery(schema)
    if (number) return number
    const served: Json = {}
    for (const [keyword, value] of Object.entries(schema)) {
      // The framework closes objects to drop what they do not name; only those of `closed` refuse it.
      if (keyword === "unevaluatedProperties" || (keyword === "additionalProperties" && !isClosed(schema))) continue
      if (keyword === "patternProperties" || keyword === "noValidate") continue // any JSON object
      if (ONE.has(keyword)) served[keyword] = this.serve(value as Schema)
      else if (LISTS.has(keyword)) served[keyword] = (value as Schema[]).map(each => this.serve(each))
      else if (MAPS.has(keyword))
        served[keyword] = Object.fromEntries(
          Object.entries(value as object).map(([name, each]) => [name, this.serve(each)]),
        )
      else served[keyword] = value
    }
    return asEnum(served) ?? asNullable(served) ?? served
  }
}

/** A number in a query is taken as its text as well; it is documented as the number that it stands for. */
function numberOfQuery({ anyOf, ...rest }: Schema): Json | undefined {
  const number = anyOf?.some(({ format }) => format === "integer") && anyOf.find(({ type }) => type === "integer")
  return number ? { ...number, ...rest } : undefined
}

/** One of several constants. */
function asEnum({ anyOf, ...rest }: Schema): Json | undefined {
  if (!anyOf?.every(choice => typeof choice.const === "string")) return undefined
  return { type: "string", enum: anyOf.map(choice => choice.const), ...rest }
}

/** A value of one type, or null. */
function asNullable({ anyOf, ...rest }: Schema): Json | undefined {
  const [choice, none] = anyOf ?? []
  if (anyOf?.length !== 2 || none?.type !== "null" || typeof choice?.type !== "string") return undefined
  const { const: only, enum: among = only === undefined ? undefined : [only], type, ...inner } = choice
  return { ...inner, ...rest, type: [type, "null"], ...(among ? { enum: [...among, null] } : {}) }
}

/** Stands where a text has no example; a test finds it. */
export const NO_EXAMPLE = "NO EXAMPLE"

/** A value of the schema, made from the examples, defaults and choices that stand in it. */
export function exampleOf(given: TSchema | object): unknown {
  const schema = given as Schema
  const { examples, type, anyOf, items, properties } = schema
  if (examples) return examples[0]
  if ("default" in schema) return schema.default
  if ("const" in schema) return schema.const
  if (schema.enum) return schema.enum[0]
  if (anyOf) return exampleOf(anyOf[0]!)
  if (type === "array") return items ? [exampleOf(items)] : []
  if (type === "object")
    return Object.fromEntries(Object.entries(properties ?? {}).map(([name, each]) => [name, exampleOf(each)]))
  if (type === "integer" || type === "number") return schema.minimum ?? 0
  if (type === "boolean") return false
  return type === "string" ? NO_EXAMPLE : null
}
