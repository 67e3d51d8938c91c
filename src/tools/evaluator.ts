/**
 * Evaluates what callers and models bring: schemas and expressions. Either can be written to take forever, or all memory, so
 * they run in fenced processes that can be killed while the daemon serves everybody else.
 */
import { ChildPool } from "../threads/child-pool.ts"
import { ChildEnded, type ChildLimits, fencedCommand } from "../threads/fenced-child.ts"
import type { JsonSchema, SchemaIssue } from "./json-schema.ts"
import { ToolError } from "./tool-error.ts"

export interface Evaluator {
  /**
   * @param key who asks, a workspace
   * @throws ToolError saying what is wrong with the expression, or that it took too long
   */
  calculate(expression: string, key: string, signal: AbortSignal): Promise<string>
  /**
   * What is wrong with each of the values; without values only the schema is looked at.
   * @throws SchemaProblem saying what is wrong with the schema, or that it is too complex; AppError overloaded
   */
  check(schema: JsonSchema, values: unknown[], key: string, signal: AbortSignal): Promise<SchemaIssue[][]>
}

/** What the writer of the schema can act on. */
export class SchemaProblem extends Error {}

/** Daemon → evaluating process. */
export type Evaluation =
  | { kind: "calculate"; expression: string }
  | { kind: "check"; schema: JsonSchema; values: unknown[] }

/** Evaluating process → daemon. */
export type Evaluated = { value: string } | { issues: SchemaIssue[][] } | { problem: string }

/** The first use loads the libraries, from source for a second; a schema of a hundred fields takes .02 s after that. */
const LIMITS: ChildLimits = { cpuMs: 3_000, timeoutMs: 20_000, memoryBytes: 500_000_000 }
/** One workspace uses two of them at most. */
const MAX_PROCESSES = 3
const MAX_WAITING = 64
/** Characters of a schema as JSON. */
const MAX_SCHEMA_CHARACTERS = 64_000

export class EvaluatorProcesses implements Evaluator {
  private readonly pool: ChildPool<Evaluation, Evaluated>

  constructor(private readonly limits: ChildLimits = LIMITS) {
    this.pool = new ChildPool({
      command: fencedCommand("evaluate", { memoryBytes: limits.memoryBytes }),
      places: MAX_PROCESSES,
      waiting: MAX_WAITING,
      refusal: "too many schemas and expressions are being evaluated at present",
      retryAfterSeconds: 5,
      answersPerChild: 500,
      keepWarmMs: 30_000,
    })
  }

  async calculate(expression: string, key: string, signal: AbortSignal): Promise<string> {
    try {
      const answer = await this.pool.ask({ kind: "calculate", expression }, key, { limits: this.limits, signal })
      if ("value" in answer) return answer.value
      throw new ToolError("problem" in answer ? answer.problem : UNREADABLE)
    } catch (error) {
      if (error instanceof ChildEnded)
        throw new ToolError(error.reason === "died" ? UNREADABLE : `The expression took too much ${error.reason}.`)
      throw signal.aborted ? new ToolError("The calculation was stopped.") : error
    }
  }

  async check(schema: JsonSchema, values: unknown[], key: string, signal: AbortSignal): Promise<SchemaIssue[][]> {
    if (JSON.stringify(schema).length > MAX_SCHEMA_CHARACTERS)
      throw new SchemaProblem(`must have at most ${MAX_SCHEMA_CHARACTERS} characters`)
    try {
      const answer = await this.pool.ask({ kind: "check", schema, values }, key, { limits: this.limits, signal })
      if ("issues" in answer) return answer.issues
      throw new SchemaProblem("problem" in answer ? answer.problem : "cannot be evaluated")
    } catch (error) {
      if (error instanceof ChildEnded)
        throw new SchemaProblem(
          error.reason === "died"
            ? "cannot be evaluated"
            : `is too complex: evaluating it takes too much ${error.reason}`,
        )
      throw error
    }
  }

  /** Ends what is under way. */
  stop(): Promise<void> {
    return this.pool.stop()
  }
}

const UNREADABLE = "The expression cannot be calculated."
