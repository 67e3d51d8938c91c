/** A run as it was asked for, and the checks that need more than the shape of the body. */
import { AppError } from "../errors.ts"
import { BUILTIN_TOOLS } from "../tools/index.ts"
import type { JsonSchema } from "../tools/json-schema.ts"
import type { AnyTool } from "../tools/tool.ts"
import type { ToolProvider } from "./external-tools.ts"

/** The body of `POST …/agents/run`, spelled as on the wire; its shape has been checked. */
export interface RunRequest {
  task: string
  model?: string
  tools?: string[]
  file_ids?: string[]
  context_id?: string
  filter?: unknown
  timeout_seconds?: number
  /** Of each call that needs an approval. */
  approval_timeout_seconds?: number
  max_steps?: number
  output_schema?: JsonSchema | null
  redaction?: unknown
  additional_metadata?: Record<string, unknown>
  /** Whom the run is for: the customer's own user. */
  end_user?: string
}

export const DEFAULT_TIMEOUT_SECONDS = 600
export const MAX_TIMEOUT_SECONDS = 1_800
/** How long a call waits for a person. */
export const DEFAULT_APPROVAL_SECONDS = 3_600
export const MAX_APPROVAL_SECONDS = 86_400
export const DEFAULT_MAX_STEPS = 20
export const MAX_STEPS = 100

/**
 * The tools that the request allows: by default all that are built in. Tools of external servers act outside the
 * daemon, so they join only where the request names them, as `server.tool` or `server.*`.
 * @param readsFiles whether the caller may read files; without it the tools that do are left out
 * @throws AppError invalid_request naming every unknown tool; forbidden for a named one that reads files
 */
export async function toolsOf(
  names: string[] | undefined,
  readsFiles: boolean,
  external: ToolProvider | undefined,
): Promise<AnyTool[]> {
  if (names === undefined) return BUILTIN_TOOLS.filter(tool => readsFiles || !tool.readsFiles)
  const outside = names.some(name => name.includes(".")) ? ((await external?.tools()) ?? []) : []
  const chosen = new Set<AnyTool>()
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
  const barred = [...chosen].filter(tool => tool.readsFiles && !readsFiles).map(tool => tool.name)
  if (barred.length > 0)
    throw new AppError("forbidden", {
      message: `the key lacks the scope files:read, which ${barred.join(", ")} needs`,
      details: barred.map(tool => ({ tool, scope: "files:read" })),
    })
  return [...chosen]
}
