/**
 * A tool declares its name, description, arguments and action; `callTool` enforces the rest for every tool alike:
 * arguments that meet the schema, a time limit, abort, a bounded result, and errors told in words.
 */
import type { View } from "../access/view.ts"
import { AppError, engineTrouble, storeUnavailable } from "../errors.ts"
import { withoutMarks } from "../grounding/citations.ts"
import type { Passages } from "../grounding/passages.ts"
import type { Scope } from "../grounding/scope.ts"
import type { Guarded } from "../guarded.ts"
import { log } from "../log.ts"
import type { SearchService } from "../search/types.ts"
import { orAbort } from "../threads/or-abort.ts"
import { argumentsOf, type CheckedArguments } from "./arguments.ts"
import { type Evaluator, SchemaProblem } from "./evaluator.ts"
import type { JsonSchema, SchemaIssue } from "./json-schema.ts"
import type { AgentLibrary } from "./library.ts"
import type { TableReader } from "./table-reader.ts"
import { ToolError } from "./tool-error.ts"

export interface ToolContext {
  view: View
  scope: Scope
  library: AgentLibrary
  search: SearchService
  tables: TableReader
  evaluator: Evaluator
  passages: Passages
  /** Characters of a result where there is room for fewer than `MAX_RESULT_CHARACTERS`. */
  maxCharacters?: number
  now(): Date
  /** Told of each file whose text or values the result holds. */
  shows?(fileId: string): void
  /** Aborted when the run ends or this call's time is over. */
  signal: AbortSignal
}

interface ToolDescription {
  name: string
  /** For people; its name where absent. */
  title?: string
  /** For the model: what it gives and when to use it. */
  description: string
  /** JSON Schema of the arguments object. */
  parameters: JsonSchema
  /** Longest one call may take; `TOOL_TIMEOUT_MS` where absent. */
  timeoutMs?: number
  /** True when the same call may give another result later. */
  changes?: boolean
  /** True when it shows what files hold: callers without the scope `files:read` do not get it. */
  readsFiles?: boolean
  /** True when it sets the marks `[n]` itself; in all other results they are made harmless. */
  numbersPassages?: boolean
}

/** A tool of the daemon's own; it gets the arguments as the model wrote them. */
export interface Tool<Arguments = Record<string, unknown>> extends ToolDescription {
  external?: false
  /** @throws ToolError for what the model should read and can act on */
  execute(args: Arguments, context: ToolContext): Promise<string>
}

/** A tool outside the daemon: it gets only what has passed the guard. */
export interface ExternalTool extends ToolDescription {
  external: true
  /** A person must allow each call. */
  needsApproval?: boolean
  /** @throws ToolError for what the model should read and can act on */
  execute(args: Guarded<Record<string, unknown>>, context: ToolContext): Promise<string>
}

export type AnyTool = Tool | ExternalTool

const TOOL_TIMEOUT_MS = 60_000
/** Characters of a result that the model and the stored step get; about 5 000 tokens. */
export const MAX_RESULT_CHARACTERS = 20_000

export interface ToolOutcome {
  result: string
  isError: boolean
  /** Files that the result holds text or values of. */
  fileIds: string[]
}

/** Carries out one call. Never throws, and ends soon after `context.signal` aborts even when the tool does not. */
export function callTool(tool: Tool, args: unknown, context: ToolContext, timeoutMs?: number): Promise<ToolOutcome>
export function callTool(
  tool: ExternalTool,
  args: Guarded<Record<string, unknown>>,
  context: ToolContext,
  timeoutMs?: number,
): Promise<ToolOutcome>
export async function callTool(
  tool: AnyTool,
  args: unknown,
  context: ToolContext,
  timeoutMs = tool.timeoutMs ?? TOOL_TIMEOUT_MS,
): Promise<ToolOutcome> {
  const shown = new Set<string>()
  const outcome = (result: string, isError: boolean): ToolOutcome => ({ result, isError, fileIds: [...shown] })
  const limit = new AbortController()
  const signal = AbortSignal.any([context.signal, limit.signal])
  const timer = setTimeout(() => limit.abort(), timeoutMs)
  try {
    const checked = await orAbort(checkArguments(tool, args, { ...context, signal }), signal)
    if ("problem" in checked) return outcome(checked.problem, true)
    const result = await orAbort(
      Promise.try(() => tool.execute(checked.args as never, { ...context, signal, shows: id => shown.add(id) })),
      signal,
    )
    const text = truncated(String(result), context.maxCharacters) // first: a result may have millions of characters
    return outcome(tool.numbersPassages ? text : withoutMarks(text), false)
  } catch (error) {
    if (context.signal.aborted) return outcome("The call was stopped because the run ended.", true)
    if (limit.signal.aborted)
      return outcome(`The tool gave no result within ${timeoutMs / 1000} s and was stopped.`, true)
    return outcome(withoutMarks(truncated(explain(tool, error), context.maxCharacters)), true)
  } finally {
    clearTimeout(timer)
    limit.abort() // whatever the tool still holds on to is no longer wanted
  }
}

function explain(tool: AnyTool, error: unknown): string {
  if (error instanceof ToolError || error instanceof AppError) return error.message
  const engine = engineTrouble(error)
  if (engine) return `${storeUnavailable(engine).message}: go on without it, and say so in your answer.`
  log.warn("an agent tool failed", { tool: tool.name, ...withoutWords(error) })
  return `The tool ${tool.name} failed inside and gave no result.`
}

/** Where an error arose. Its message may quote what the tool was given, and content is never logged. */
function withoutWords(error: unknown): { name: string; at: string[] } {
  if (!(error instanceof Error)) return { name: typeof error, at: [] }
  const frames = (error.stack ?? "").split("\n").filter(line => /^\s*at /.test(line))
  return { name: error.name, at: frames.slice(0, 8).map(line => line.trim()) }
}

function truncated(text: string, most = MAX_RESULT_CHARACTERS): string {
  if (text.length <= most) return text
  const cut = text.slice(0, most).replace(/[\uD800-\uDBFF]$/, "")
  return `${cut}\n… [cut here: the whole result has ${text.length} characters; ask for less]`
}

const checkArguments = (tool: AnyTool, given: unknown, context: ToolContext): Promise<CheckedArguments> =>
  argumentsOf(tool, given, tool.external ? args => issuesOfExternal(tool, args, context) : undefined)

/** A server may bring a schema that we cannot check; it checks its arguments itself. */
async function issuesOfExternal(tool: AnyTool, args: unknown, context: ToolContext): Promise<SchemaIssue[]> {
  try {
    return (await context.evaluator.check(tool.parameters, [args], context.view.workspaceId, context.signal))[0]!
  } catch (error) {
    if (!(error instanceof SchemaProblem)) throw error
    log.warn("the arguments of an external tool are not checked: its schema cannot be used", {
      tool: tool.name,
      reason: error.message,
    })
    return []
  }
}
