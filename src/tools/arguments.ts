/** What a model gives a tool, mended where it can mean only one thing, and held to the schema that the tool declares. */
import { compileSchema, describeIssues, type JsonSchema, type SchemaIssue, type Validator } from "./json-schema.ts"

/** `problem` is for the model: it names what is wrong, and the schema. */
export type CheckedArguments = { args: Record<string, unknown> } | { problem: string }

interface Declared {
  name: string
  parameters: JsonSchema
}

type FindIssues = (args: Record<string, unknown>) => SchemaIssue[] | Promise<SchemaIssue[]>

const validators = new WeakMap<Declared, Validator>()

function validatorOf(tool: Declared): Validator {
  const validate = validators.get(tool) ?? compileSchema(tool.parameters)
  validators.set(tool, validate)
  return validate
}

/** @param issuesOf for schemas that are not our own, which never run on the main thread */
export async function argumentsOf(
  tool: Declared,
  given: unknown,
  issuesOf: FindIssues = args => validatorOf(tool)(args),
): Promise<CheckedArguments> {
  if (given === null || typeof given !== "object" || Array.isArray(given))
    return { problem: `The arguments of ${tool.name} must be a JSON object.` }
  const args = mended(given as Record<string, unknown>, tool.parameters)
  const issues = await issuesOf(args)
  if (issues.length === 0) return { args }
  return {
    problem: `The arguments of ${tool.name} are not valid: ${describeIssues(issues)}. They must meet this JSON Schema: ${JSON.stringify(tool.parameters)}`,
  }
}

/** What small models get wrong without meaning anything else: null for "not given", numbers and booleans as text. */
function mended(given: Record<string, unknown>, schema: JsonSchema): Record<string, unknown> {
  const properties = (schema.properties ?? {}) as Record<string, { type?: unknown }>
  const required = Array.isArray(schema.required) ? schema.required : []
  const args: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(given)) {
    const type = properties[name]?.type
    if (
      value === null &&
      name in properties &&
      !required.includes(name) &&
      type !== "null" &&
      !(Array.isArray(type) && type.includes("null"))
    )
      continue
    args[name] = value
    if (typeof value !== "string") continue
    if ((type === "integer" || type === "number") && value.trim() !== "" && Number.isFinite(Number(value)))
      args[name] = Number(value)
    if (type === "boolean" && /^(true|false)$/i.test(value)) args[name] = value.toLowerCase() === "true"
  }
  return args
}
