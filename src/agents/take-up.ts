/**
 * A run that waited for a person when its daemon ended, taken up from its rows. It waits on without anything: its model and tools are
 * looked for once a call has its answer, and it fails then where the model is gone.
 */
import { AppError } from "../errors.ts"
import type { Guard } from "../grounding/guard.ts"
import { guardFor } from "../grounding/under-guard.ts"
import type { Ticket } from "../threads/gate.ts"
import { BUILTIN_TOOLS } from "../tools/index.ts"
import type { AnyTool } from "../tools/tool.ts"
import { answered } from "./approver.ts"
import type { Undertaking } from "./carry-through.ts"
import type { Checkpoint } from "./checkpoint.ts"
import type { ToolProvider } from "./external-tools.ts"
import { outputOf } from "./output.ts"
import { modelOf, type PrepareDependencies, type ReadyRun, scopeIn } from "./prepare.ts"
import type { FoundRun } from "./run-record.ts"
import type { RunDescription } from "./run-rows.ts"
import type { RunStore } from "./run-store.ts"

/** Who waits for a person holds no place. */
export const NO_PLACE: Ticket = {
  turn: async () => {},
  async *positions() {},
  leave() {},
}

export type TakeUpDependencies = PrepareDependencies & { store: RunStore }

export async function takeUp(
  { row, steps }: FoundRun,
  checkpoint: Checkpoint,
  dependencies: TakeUpDependencies,
): Promise<Undertaking> {
  const { view, redaction, nerCount, isPartlyRead, passages, loop } = checkpoint
  const { store, usage } = dependencies
  const { prompt_tokens, completion_tokens, end_user: endUser } = row
  const { context_id: contextId }: RunDescription["request"] = JSON.parse(row.request)
  const guard = await guardFor(dependencies, view.workspaceId, redaction)
  const account = usage.reopen(view, { endUser, contextId }, { prompt_tokens, completion_tokens })
  return {
    guard,
    account,
    before: { nerCount, isPartlyRead, passages, steps: steps.length },
    async begin(run) {
      const { signal } = run.abort
      const isAnswered = async () => (await store.approvals.isAnswered(run.id)) || undefined
      await run.pace.pausedFor(() => answered(run, isAnswered), signal)
      const found = await store.find(run.id)
      if (!found) throw new AppError("not_found")
      const from = { loop, steps: found.steps, approvals: found.approvals }
      if (guard.key === checkpoint.guardKey) trustAll(guard, [found.row.task, passages, ...texts(from)])
      return { ready: await readyAgain(found, checkpoint, { guard, account }, dependencies, signal), from }
    },
  }
}

async function readyAgain(
  { row }: FoundRun,
  { view, approvalSeconds, redaction }: Checkpoint,
  { guard, account }: Pick<Undertaking, "guard" | "account">,
  dependencies: TakeUpDependencies,
  signal: AbortSignal,
): Promise<ReadyRun> {
  const { library, external, evaluator, meter } = dependencies
  const {
    tools: names,
    max_steps: maxSteps,
    output_schema,
    ...scope
  }: RunDescription["request"] = JSON.parse(row.request)
  const tools = await toolsStillThere(names, external)
  guard.trust(...tools.map(tool => tool.name))
  const output = await outputOf(output_schema, evaluator, view.workspaceId, signal)
  if (output) trustAll(guard, output.schema)
  const model = await modelOf(row.model, view, account, dependencies)
  const task = await guard.text(row.task)
  return {
    extractive: false,
    guard,
    approvalSeconds,
    redaction,
    input: { task, model, meter, tools, maxSteps, output, guard },
    context: { view, scope: await scopeIn(scope, view, library, guard, false) },
  }
}

/** In the order in which they were asked for. */
async function toolsStillThere(names: readonly string[], external: ToolProvider | undefined): Promise<AnyTool[]> {
  const outside = names.some(name => name.includes(".")) ? ((await external?.tools()) ?? []) : []
  const all: AnyTool[] = [...BUILTIN_TOOLS, ...outside]
  return names.flatMap(name => all.find(tool => tool.name === name) ?? [])
}

/** What the run stored of its work went through the same policy. */
const texts = ({ loop, steps, approvals }: Pick<FoundRun, "steps" | "approvals"> & Pick<Checkpoint, "loop">) => [
  loop,
  ...steps.flatMap(({ name, arguments: args, result }) => [name, JSON.parse(args), result]),
  ...approvals.flatMap(({ arguments: args, reason }) => [JSON.parse(args), reason]),
]

function trustAll(guard: Guard, value: unknown): void {
  if (typeof value !== "string" && (typeof value !== "object" || value === null)) return
  guard.trust(value)
  if (typeof value === "string") return
  for (const [key, inner] of Object.entries(value)) {
    guard.trust(key)
    trustAll(guard, inner)
  }
}
