/** From the request to a run that can start. */
import { endUserOf } from "../access/end-user.ts"
import { type Filter, filterOf } from "../access/filter/filter.ts"
import type { View } from "../access/view.ts"
import type { Account } from "../account.ts"
import type { ModelCatalog } from "../backends/index.ts"
import { AppError } from "../errors.ts"
import type { Usage } from "../governance/usage/usage.ts"
import type { Guard } from "../grounding/guard.ts"
import { type Scope, scopeOf } from "../grounding/scope.ts"
import type { TokenMeter } from "../grounding/tokens.ts"
import { type RedactionRules, underGuard } from "../grounding/under-guard.ts"
import { windowOf } from "../grounding/window.ts"
import type { Guarded } from "../guarded.ts"
import { checkMetadata } from "../library/labels.ts"
import { keptRedaction } from "../redaction/redact.ts"
import type { Evaluator } from "../tools/evaluator.ts"
import type { AgentLibrary } from "../tools/library.ts"
import type { ToolProvider } from "./external-tools.ts"
import type { RunModel } from "./model-turn.ts"
import { outputOf } from "./output.ts"
import { DEFAULT_APPROVAL_SECONDS, DEFAULT_MAX_STEPS, type RunRequest, toolsOf } from "./request.ts"
import type { RunInput } from "./run.ts"
import { RUN_DESCRIPTION, type RunDescription } from "./run-rows.ts"

export interface PrepareDependencies extends RedactionRules {
  models: Pick<ModelCatalog, "resolve">
  /** Whom what models take is counted for. */
  usage: Usage
  library: AgentLibrary
  external?: ToolProvider
  evaluator: Evaluator
  meter: TokenMeter
  /** Window in tokens that a run asks its model for, unless the model is loaded with a larger one or has a smaller one. */
  contextTokens: number
}

/** Who a run is for. */
export interface Caller {
  view: View
  /** May read files: has the scope `files:read`. */
  readsFiles: boolean
}

/** A run that lacks nothing but its turn. */
export interface ReadyRun {
  extractive: boolean
  guard: Guard
  /** How long each call waits for a person. */
  approvalSeconds: number
  /** As it was asked for; see `keptRedaction`. */
  redaction: unknown
  input: Omit<RunInput, "context" | "steps" | "approver" | "from">
  context: Pick<RunInput["context"], "view" | "scope">
}

export interface PreparedRun extends ReadyRun {
  row: Guarded<RunDescription>
}

/** Everything that can be refused is refused here, before there is a run. */
export const prepareRun = (
  caller: Caller,
  request: RunRequest,
  dependencies: PrepareDependencies,
  signal: AbortSignal,
): Promise<PreparedRun> =>
  underGuard(
    dependencies,
    caller.view.workspaceId,
    request.redaction,
    guard => prepare(caller, request, guard, dependencies, signal),
    signal,
  )

async function prepare(
  { view, readsFiles }: Caller,
  request: RunRequest,
  guard: Guard,
  dependencies: PrepareDependencies,
  signal: AbortSignal,
): Promise<PreparedRun> {
  const { usage, library, external, evaluator, meter, redactionEnforced } = dependencies
  const metadata = checkMetadata(request.additional_metadata ?? {}, "additional_metadata")
  // A bad schema is named before any model is asked.
  const asked = await outputOf(request.output_schema, evaluator, view.workspaceId, signal)
  await guard.refusePrivateKeys("output_schema", request.output_schema)
  const tools = await toolsOf(request.tools, readsFiles, external)
  guard.trust(...tools.map(tool => tool.name))
  const filter = filterOf(request.filter)
  const scope = await scopeIn({ ...request, filter }, view, library, guard)
  const endUser = endUserOf(view, request.end_user)
  const account = await usage.account(view, { endUser, contextId: request.context_id })
  const model = await modelOf(request.model, view, account, dependencies)
  const task = await guard.text(request.task)
  // A schema is prompt as well: what the model must not see, the answer cannot be held to.
  const shown = asked && guard.redacts ? await guard.value(asked.schema) : undefined
  const output = shown ? await outputOf(shown, evaluator, view.workspaceId, signal) : asked
  const maxSteps = request.max_steps ?? DEFAULT_MAX_STEPS
  const described: RunDescription = {
    task,
    model: model.info.value,
    request: {
      tools: tools.map(tool => tool.name),
      file_ids: request.file_ids ?? [],
      context_id: request.context_id ?? null,
      filter,
      max_steps: maxSteps,
      output_schema: output?.schema ?? null,
      redaction: guard.redacts,
    },
    additionalMetadata: metadata,
    nerCount: guard.count,
  }
  return {
    extractive: model.info.provider === "builtin",
    guard,
    approvalSeconds: request.approval_timeout_seconds ?? DEFAULT_APPROVAL_SECONDS,
    redaction: keptRedaction(request.redaction, await redactionEnforced(view.workspaceId)) ?? null,
    row: await guard.pass(described, RUN_DESCRIPTION),
    input: { task, model, meter, tools, maxSteps, output, guard },
    context: { view, scope },
  }
}

/** @throws AppError model_not_found; model_unavailable */
export async function modelOf(
  value: string | undefined,
  view: View,
  account: Account,
  { models, contextTokens }: Pick<PrepareDependencies, "models" | "contextTokens">,
): Promise<RunModel> {
  const resolved = await models.resolve(value, view.models, account)
  const { backend, info, name } = resolved
  // A model that is loaded with a larger window keeps it: another size would load it anew.
  const wanted = Math.max(contextTokens, backend.loadedContextTokens?.(name) ?? 0)
  return { ...resolved, native: info.capabilities.includes("tools"), contextTokens: Math.min(windowOf(info), wanted) }
}

/** The files that the run may see. @param isNamed false for a scope that was checked before: files of it may be gone since. @throws AppError not_found for a file or conversation that the caller does not see */
export function scopeIn(
  {
    file_ids,
    context_id,
    filter,
  }: Pick<RunRequest, "file_ids"> & { context_id?: string | null; filter: Filter | null },
  view: View,
  library: AgentLibrary,
  guard: Guard,
  isNamed = true,
): Promise<Scope> {
  const asked = {
    fileIds: file_ids ?? [],
    contextId: context_id ?? null,
    filter,
    named: { files: isNamed, context: isNamed, filter: isNamed },
  }
  const known = {
    existing: async (ids: readonly string[], passing: Filter | null) => {
      const narrowed = { file_ids: [...ids], ...(passing ? { filter: passing } : {}), limit: ids.length }
      const { files } = await library.list(view, narrowed)
      return files.map(({ id }) => id)
    },
    hasContext: async (contextId: string) => {
      const { total } = await library.list(view, { context_id: contextId, limit: 1 })
      return total > 0
    },
    filesOfConversation: async (conversationId: string) => {
      if (library.conversationFiles) return library.conversationFiles(view, conversationId)
      throw new AppError("not_found", { message: `there is no conversation ${conversationId}` })
    },
  }
  return scopeOf(asked, known, guard)
}
