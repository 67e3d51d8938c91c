/** A run as it was asked for, and the checks that need more than the shape of the body. */
import { AppError, invalid } from "../errors.ts"
import type { ToolProvider } from "./external-tools.ts"
import { compileSchema, type JsonSchema, type Validator } from "./json-schema.ts"
import type { AgentLibrary, Scope } from "./library.ts"
import { BUILTIN_TOOLS } from "./tools/index.ts"
import type { Tool } from "./tools/tool.ts"

/** The body of `POST …/agents/run`, spelled as on the wire; its shape has been checked. */
export interface RunRequest {
  task: string
  model?: string
  tools?: string[]
  file_ids?: string[]
  context_id?: string
  timeout_seconds?: number
  max_steps?: number
  output_schema?: JsonSchema | null
  redaction?: unknown
  additional_metadata?: Record<string, unknown>
}

export const DEFAULT_TIMEOUT_SECONDS = 600
export const MAX_TIMEOUT_SECONDS = 1_800
export const DEFAULT_MAX_STEPS = 20
export const MAX_STEPS = 100

/**
 * The tools that the request allows: by default all that are built in. Tools of external servers act outside the
 * daemon, so they join only where the request names them, as `server.tool` or `server.*`.
 * @throws AppError invalid_request naming every unknown tool
 */
export async function toolsOf(names: string[] | undefined, external: ToolProvider | undefined): Promise<Tool[]> {
  if (names === undefined) return [...BUILTIN_TOOLS]
  const outside = names.some(name => name.includes(".")) ? ((await external?.tools()) ?? []) : []
  const chosen = new Set<Tool>()
  const unknown: { field: string; issue: string }[] = []
  for (const [at, name] of names.entries()) {
    const found = name.endsWith(".*")
      ? outside.filter(tool => tool.name.startsWith(name.slice(0, -1)))
      : [...BUILTIN_TOOLS, ...outside].filter(tool => tool.name === name)
    for (const tool of found) chosen.add(tool)
    if (found.length === 0)
      unknown.push({
        field: `tools.${at}`,
        issue: external?.problemOf(name) ?? `there is no tool ${JSON.stringify(name.slice(0, 100))}`,
      })
  }
  if (unknown.length > 0)
    throw new AppError("invalid_request", {
      message: `${unknown[0]!.field}: ${unknown[0]!.issue}; the tools are ${[...BUILTIN_TOOLS, ...outside].map(tool => tool.name).join(", ")}`,
      details: unknown,
    })
  return [...chosen]
}

/**
 * The files that the run may see.
 * @throws AppError not_found for a file or conversation that the workspace lacks
 */
export async function scopeOf(
  { file_ids, context_id }: RunRequest,
  workspaceId: string,
  library: AgentLibrary,
): Promise<Scope> {
  const given = file_ids && file_ids.length > 0 ? [...new Set(file_ids)] : null
  for (const id of given ?? [])
    if (!(await library.find(workspaceId, id))) throw new AppError("not_found", { message: `there is no file ${id}` })
  if (!context_id?.startsWith("conv_")) return { fileIds: given, contextId: context_id ?? null }
  if (!library.conversationFiles) throw new AppError("not_found", { message: `there is no conversation ${context_id}` })
  const files = await library.conversationFiles(workspaceId, context_id)
  return { fileIds: given ? given.filter(id => files.includes(id)) : files, contextId: null }
}

/** @throws AppError invalid_request saying what is wrong with the schema */
export function outputOf(schema: JsonSchema | null | undefined): { schema: JsonSchema; validate: Validator } | null {
  if (!schema) return null
  try {
    return { schema, validate: compileSchema(schema) }
  } catch (error) {
    throw invalid("output_schema", (error as Error).message)
  }
}
