/** From the request to a run that can start. */
import type { ChatBackend, ModelInfo } from "../backends/backend.ts"
import { Guard } from "../grounding/guard.ts"
import { refusePrivateContext } from "../grounding/scope.ts"
import type { Guarded } from "../guarded.ts"
import { parseRedaction, type Redactor } from "../redaction/redact.ts"
import type { Evaluator } from "./evaluator.ts"
import type { ToolProvider } from "./external-tools.ts"
import { RUN_DESCRIPTION } from "./fields.ts"
import type { AgentLibrary } from "./library.ts"
import { DEFAULT_MAX_STEPS, outputOf, type RunRequest, scopeIn, toolsOf } from "./request.ts"
import type { RunInput } from "./run.ts"
import type { RunDescription } from "./run-store.ts"

/** What agents need of the model catalogue. */
export interface ModelCatalogue {
  /** @throws AppError model_not_found, model_unavailable; undefined asks for the default model */
  resolve(value: string | undefined): Promise<{ backend: ChatBackend; info: ModelInfo; name: string }>
}

export interface PrepareDependencies {
  models: ModelCatalogue
  library: AgentLibrary
  redactor: Pick<Redactor, "redact" | "redactValue" | "stream">
  /** Whether the daemon or the workspace insists on redaction. */
  redactionEnforced: (workspaceId: string) => boolean
  external?: ToolProvider
  evaluator: Pick<Evaluator, "check">
  /** Window in tokens that a run asks its model for, unless the model is loaded with a larger one or has a smaller one. */
  contextTokens: number
}

/** Who a run is for. */
export interface Caller {
  workspaceId: string
  /** May read files: has the scope `files:read`. */
  readsFiles: boolean
}

export interface PreparedRun {
  extractive: boolean
  guard: Guard
  row: Guarded<RunDescription>
  input: Omit<RunInput, "context" | "steps" | "usage">
  context: Pick<RunInput["context"], "workspaceId" | "scope">
}

/** Window of a model that does not tell. */
const UNKNOWN_CONTEXT_TOKENS = 8_192

/** Everything that can be refused is refused here, before there is a run. */
export async function prepareRun(
  caller: Caller,
  request: RunRequest,
  dependencies: PrepareDependencies,
  signal: AbortSignal,
): Promise<PreparedRun> {
  const { redactor, redactionEnforced } = dependencies
  const guard = new Guard(redactor, parseRedaction(request.redaction, redactionEnforced(caller.workspaceId)))
  try {
    return await prepare(caller, request, guard, dependencies, signal)
  } catch (error) {
    throw await guard.error(error) // what is wrong may be told in the request's own words
  }
}

async function prepare(
  { workspaceId, readsFiles }: Caller,
  request: RunRequest,
  guard: Guard,
  { models, library, external, evaluator, ...dependencies }: PrepareDependencies,
  signal: AbortSignal,
): Promise<PreparedRun> {
  await outputOf(request.output_schema, evaluator, workspaceId, signal) // a bad schema is named before any model is asked
  await guard.refusePrivateKeys("output_schema", request.output_schema)
  const tools = await toolsOf(request.tools, readsFiles, external)
  guard.trust(...tools.map(tool => tool.name))
  const scope = await scopeIn(request, workspaceId, library)
  await refusePrivateContext(guard, scope.contextId, async context_id => {
    const { total } = await library.list(workspaceId, { context_id, limit: 1 })
    return total > 0
  })
  const { backend, info, name } = await models.resolve(request.model)
  const task = await guard.text(request.task)
  // A schema is prompt as well: what the model must not see, the answer cannot be held to.
  const shownSchema = request.output_schema && (await guard.value(request.output_schema))
  const output = await outputOf(shownSchema, evaluator, workspaceId, signal)
  // A model that is loaded with a larger window keeps it: another size would load it anew.
  const wanted = Math.max(dependencies.contextTokens, backend.loadedContextTokens?.(name) ?? 0)
  const contextTokens = Math.min(info.contextLength ?? UNKNOWN_CONTEXT_TOKENS, wanted)
  const maxSteps = request.max_steps ?? DEFAULT_MAX_STEPS
  const described: RunDescription = {
    task,
    model: info.value,
    request: {
      tools: tools.map(tool => tool.name),
      file_ids: request.file_ids ?? [],
      context_id: request.context_id ?? null,
      max_steps: maxSteps,
      output_schema: output?.schema ?? null,
      redaction: guard.redacts,
    },
    additionalMetadata: request.additional_metadata ?? {},
    nerCount: guard.count,
  }
  return {
    extractive: info.provider === "builtin",
    guard,
    row: await guard.pass(described, RUN_DESCRIPTION),
    input: {
      task,
      model: { backend, name, native: info.capabilities.includes("tools"), contextTokens },
      tools,
      maxSteps,
      output,
      guard,
    },
    context: { workspaceId, scope },
  }
}
