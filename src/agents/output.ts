/** Answers that must meet a schema: the schema as it was asked for, and what a model wrote held to it. */
import { AppError, invalid } from "../errors.ts"
import { type Evaluator, SchemaProblem } from "../tools/evaluator.ts"
import { describeIssues, findJson, type JsonSchema, type SchemaIssue, whyNoJson } from "../tools/json-schema.ts"

/** One value of each type: a schema may compile at once and take forever to be applied. */
const SAMPLES = ["", 0, true, null, [""], { answer: "" }]

/** How answers are held to a schema. */
export interface OutputCheck {
  schema: JsonSchema
  /** What is wrong with each of the values. */
  issuesOf(values: unknown[], signal: AbortSignal): Promise<SchemaIssue[][]>
}

/**
 * @param schema as the caller gave it, or as the model may see it
 * @throws AppError invalid_request saying what is wrong with the schema
 */
export async function outputOf(
  schema: JsonSchema | null | undefined,
  evaluator: Pick<Evaluator, "check">,
  workspaceId: string,
  signal: AbortSignal,
): Promise<OutputCheck | null> {
  if (!schema) return null
  try {
    await evaluator.check(schema, SAMPLES, workspaceId, signal)
  } catch (error) {
    throw error instanceof SchemaProblem ? invalid("output_schema", error.message) : error
  }
  return {
    schema,
    async issuesOf(values, runSignal) {
      try {
        return await evaluator.check(schema, values, workspaceId, runSignal)
      } catch (error) {
        if (!(error instanceof SchemaProblem)) throw error
        return values.map(() => [{ field: "", issue: `the answer could not be checked: the schema ${error.message}` }])
      }
    },
  }
}

/** The JSON value in the answer that meets the schema; the plain text counts where the schema asks for a string. */
export async function checkOutput(
  answer: string,
  output: OutputCheck,
  cut: boolean,
  signal: AbortSignal,
): Promise<{ value: unknown } | { issues: SchemaIssue[] }> {
  const found = findJson(answer)
  const candidates = found === undefined ? [answer] : [found, answer]
  const issues = await output.issuesOf(candidates, signal)
  const good = issues.findIndex(each => each.length === 0)
  if (good >= 0) return { value: candidates[good] }
  return { issues: found === undefined ? [{ field: "", issue: `the answer ${whyNoJson(answer, cut)}` }] : issues[0]! }
}

export function violation(issues: SchemaIssue[]): AppError {
  return new AppError("output_schema_violation", {
    message: `the answer never met output_schema: ${describeIssues(issues)}`,
    details: issues.map(issue => ({ ...issue })),
  })
}
