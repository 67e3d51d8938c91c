/** The fenced process that evaluates schemas and expressions: `carrel evaluate`. */
import { serveParent } from "../threads/child-side.ts"
import { Lru } from "../threads/lru.ts"
import type { Evaluated, Evaluation } from "./evaluator.ts"
import type { JsonSchema, SchemaIssue, Validator } from "./json-schema.ts"

/** Compiled schemas that are kept: a run asks for its own again and again. */
const MAX_KEPT = 20
const kept = new Lru<string, Validator>({ entries: MAX_KEPT })

/** Serves until the parent closes the line. @param told see serveParent */
export const serveEvaluations = (told: string | undefined): Promise<void> =>
  serveParent<Evaluation, Evaluated>(told, evaluation =>
    evaluation.kind === "calculate" ? calculate(evaluation.expression) : check(evaluation.schema, evaluation.values),
  )

async function calculate(expression: string): Promise<Evaluated> {
  const { ExpressionProblem, evaluate } = await import("./expression.ts")
  try {
    return { value: evaluate(expression) }
  } catch (error) {
    return { problem: error instanceof ExpressionProblem ? error.message : "The expression cannot be calculated." }
  }
}

async function check(schema: JsonSchema, values: unknown[]): Promise<Evaluated> {
  let validate: Validator
  try {
    validate = await validatorOf(schema)
  } catch (error) {
    return { problem: (error as Error).message.slice(0, MAX_PROBLEM_CHARACTERS) }
  }
  return { issues: values.map(value => validate(value).map(shortened)) }
}

async function validatorOf(schema: JsonSchema): Promise<Validator> {
  const text = JSON.stringify(schema)
  const known = kept.get(text)
  if (known) return known
  const { compileSchema } = await import("./json-schema.ts")
  return kept.set(text, compileSchema(schema))
}

const MAX_PROBLEM_CHARACTERS = 1_000
/** Names of fields and allowed values are the schema's own, of any length. */
const shortened = ({ field, issue }: SchemaIssue): SchemaIssue => ({
  field: field.slice(0, MAX_PROBLEM_CHARACTERS),
  issue: issue.slice(0, MAX_PROBLEM_CHARACTERS),
})
