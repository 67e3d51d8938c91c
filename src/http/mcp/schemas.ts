/** Parts of JSON Schemas that several tools share. */
import type { JsonSchema } from "../../tools/json-schema.ts"

type Properties = Record<string, JsonSchema>

/** An object that has all of `properties`, and perhaps some of `more`. */
export const record = (properties: Properties, more: Properties = {}): JsonSchema => ({
  type: "object",
  properties: { ...properties, ...more },
  required: Object.keys(properties),
})

/** The same of arguments: a misspelt one is told. */
export const args = (properties: Properties, more: Properties = {}): JsonSchema => ({
  ...record(properties, more),
  additionalProperties: false,
})

export const listOf = (items: JsonSchema): JsonSchema => ({ type: "array", items })

export const TEXT: JsonSchema = { type: "string" }
export const COUNT: JsonSchema = { type: "integer", minimum: 0 }
export const TEXT_OR_NULL: JsonSchema = { type: ["string", "null"] }
export const COUNT_OR_NULL: JsonSchema = { type: ["integer", "null"] }
export const URL_TEXT: JsonSchema = { type: "string", description: "Opens the file, at the passage where there is one" }
export const NEXT_START: JsonSchema = {
  type: "integer",
  minimum: 0,
  description: "There is more: call again with this as start",
}

/** Arguments of tools. */
export const CONTEXT_ID: JsonSchema = {
  type: "string",
  minLength: 1,
  maxLength: 128,
  description: "Only files of this context, such as a project",
}
export const FILTER: JsonSchema = {
  type: "object",
  description:
    'Only files that meet it: {"type": "eq", "key": "metadata.year", "value": 2026}; types eq ne gt gte lt lte in nin contains starts_with exists, and groups {"type": "and" | "or" | "not", "filters": [...]}; keys file.id .name .type .size .context_id .tags .created_at .updated_at and metadata.<path>',
}
export const START: JsonSchema = {
  type: "integer",
  minimum: 0,
  maximum: 100_000,
  description: "Leave out so many first",
}
