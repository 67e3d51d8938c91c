/**
 * JSON Schemas, compiled once and applied to what a model wrote. Compiling and applying a schema that a caller or a server
 * brings may take forever: those are for `Evaluator`; here on the main thread come only schemas of our own.
 * `pattern` runs on a linear-time engine, because both the schema and the text may be hostile.
 */
import { Ajv, type Options, type ValidateFunction } from "ajv"
import { Ajv2019 } from "ajv/dist/2019.js"
import { Ajv2020 } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import { RE2JS } from "re2js"
import { isTextTooDeep, parseBounded, TOO_DEEP } from "../bounded-json.ts"

export type JsonSchema = Record<string, unknown>

const MAX_SCHEMA_DEPTH = 40

/** One thing that is wrong: `field` is the path into the value, `a.b.0`, or empty for the whole. */
export interface SchemaIssue {
  field: string
  issue: string
}

/** Returns what is wrong with the value, nothing when it meets the schema. */
export type Validator = (value: unknown) => SchemaIssue[]

const linearTime = Object.assign(
  (pattern: string) => {
    const compiled = RE2JS.compile(pattern)
    // Ajv tells patterns apart by toString().
    return { test: (text: string) => compiled.matcher(text).find(), toString: () => `linearTime(${pattern})` }
  },
  { code: "linearTime" },
)

const OPTIONS: Options = {
  allErrors: true,
  strict: false,
  validateSchema: true,
  logger: false,
  allowUnionTypes: true,
  // biome-ignore lint/suspicious/noExplicitAny: Ajv's type asks for the whole RegExp interface but uses test() alone
  code: { regExp: linearTime as any },
}

type Draft = "draft-07" | "2019-09" | "2020-12"

function draftOf(schema: JsonSchema): Draft {
  const named = typeof schema.$schema === "string" ? schema.$schema : ""
  if (named.includes("draft-0")) return "draft-07"
  return named.includes("2019-09") ? "2019-09" : "2020-12"
}

function compilerOf(draft: Draft): Ajv {
  const compiler =
    draft === "draft-07" ? new Ajv(OPTIONS) : draft === "2019-09" ? new Ajv2019(OPTIONS) : new Ajv2020(OPTIONS)
  addFormats.default(compiler)
  return compiler
}

/**
 * @throws Error whose message says what is wrong with the schema; a schema without `$schema` is read as 2020-12,
 * and as draft-07 where that fails (an `items` list, for one).
 */
export function compileSchema(schema: JsonSchema): Validator {
  const text = JSON.stringify(schema)
  if (depthOf(schema) > MAX_SCHEMA_DEPTH) throw new Error(`must be nested at most ${MAX_SCHEMA_DEPTH} deep`)
  if (text.includes('"$async"')) throw new Error("$async is not supported")
  const draft = draftOf(schema)
  try {
    return validatorOf(compilerOf(draft).compile(schema))
  } catch (error) {
    if (schema.$schema !== undefined || draft !== "2020-12") throw error
    try {
      return validatorOf(compilerOf("draft-07").compile(schema))
    } catch {
      throw error
    }
  }
}

function validatorOf(validate: ValidateFunction): Validator {
  return value => {
    if (validate(value)) return []
    const issues = new Map<string, SchemaIssue>()
    for (const error of validate.errors ?? []) {
      const field = error.instancePath.slice(1).replaceAll("/", ".")
      const extra = error.params.additionalProperty ?? error.params.unevaluatedProperty
      const allowed = Array.isArray(error.params.allowedValues) ? `: ${JSON.stringify(error.params.allowedValues)}` : ""
      const issue = `${error.message ?? "is not valid"}${extra === undefined ? "" : `: ${String(extra)}`}${allowed}`
      issues.set(`${field} ${issue}`, { field, issue })
    }
    return [...issues.values()].slice(0, 20)
  }
}

function depthOf(value: unknown, depth = 0): number {
  if (value === null || typeof value !== "object" || depth > MAX_SCHEMA_DEPTH) return depth
  return Math.max(depth, ...Object.values(value).map(child => depthOf(child, depth + 1)))
}

export const describeIssues = (issues: SchemaIssue[]): string =>
  issues.map(({ field, issue }) => (field ? `${field} ${issue}` : issue)).join("; ")

/**
 * The JSON value in what a model wrote: the whole text, a fenced block, or the first object or list in it.
 * Undefined when there is none.
 */
export function findJson(text: string): unknown {
  const trimmed = text.trim()
  for (const candidate of [trimmed, fencedBlock(trimmed)?.trim(), firstBalanced(trimmed)]) {
    if (!candidate) continue
    try {
      return parseBounded(candidate)
    } catch {
      // not JSON, or too deep: the next form may hold
    }
  }
  return undefined
}

/** Why `findJson` found nothing in the text. @param cut the text is the beginning of a longer one */
export const whyNoJson = (text: string, cut: boolean): string =>
  isTextTooDeep(text) ? TOO_DEEP : cut ? "was too long and was cut off" : "is not valid JSON"

const FENCE = "```"

/** What stands between the first two fences, without the word `json` behind the first. */
function fencedBlock(text: string): string | undefined {
  const start = text.indexOf(FENCE)
  const end = start < 0 ? -1 : text.indexOf(FENCE, start + FENCE.length)
  if (end < 0) return undefined
  const inner = text.slice(start + FENCE.length, end)
  return inner.slice(0, 4).toLowerCase() === "json" ? inner.slice(4) : inner
}

/** From the first brace or bracket to the one that closes it, strings respected. */
function firstBalanced(text: string): string | undefined {
  const start = text.search(/[{[]/)
  if (start < 0) return undefined
  let depth = 0
  let inString = false
  for (let i = start; i < text.length; i++) {
    const character = text[i]
    if (inString) {
      if (character === "\\") i++
      else if (character === '"') inString = false
    } else if (character === '"') inString = true
    else if (character === "{" || character === "[") depth++
    else if ((character === "}" || character === "]") && --depth === 0) return text.slice(start, i + 1)
  }
  return undefined
}
