/** Carries out the calls of one model turn, side by side, and stops those that only repeat. */

import type { MadeCall, ToolCall } from "../backends/backend.ts"
import { canonicalJson } from "../canonical-json.ts"
import type { Guard } from "../grounding/guard.ts"
import type { Fields, Guarded } from "../guarded.ts"
import { agentToolSeconds } from "../metrics.ts"
import { type AnyTool, callTool, type ToolContext, type ToolOutcome } from "./tool.ts"

export interface StepOutcome {
  result: string
  isError: boolean
  durationMs: number
  /** Files that the result holds text or values of. */
  fileIds: string[]
}

const STEP_OUTCOME: Fields<StepOutcome> = { result: "text", isError: "own", durationMs: "own", fileIds: "own" }

/** A call as it is kept. */
export interface StepCall {
  id: string
  name: string
  arguments: unknown
}

const STEP_CALL: Fields<ToolCall> = { id: "own", name: "text", arguments: "json" }

/** Where calls and results are kept; it writes them by itself, soon. */
export interface StepRecorder {
  /** @returns the index of each step, in order */
  begin(calls: Guarded<StepCall>[]): number[]
  end(index: number, outcome: Guarded<StepOutcome>): void
}

/** Parallel calls of one turn; further ones are answered with an error. */
export const MAX_CALLS_PER_TURN = 16

/** What the model is told of calls beyond it; empty where there are none. */
export function surplusNote(calls: number): string {
  const surplus = calls - MAX_CALLS_PER_TURN
  return surplus > 0 ? `\n(${surplus} further calls were not carried out: at most ${MAX_CALLS_PER_TURN} a turn.)` : ""
}

/** Characters of the name of a tool that there is not; those there are have fewer. */
const MAX_NAME = 256

/** Identical calls that are carried out: once, again after a failure, and a few times where the result may change. */
const MAX_SAME = 1
const MAX_SAME_FAILED = 2
const MAX_SAME_CHANGING = 5

/** Asks a person whether a call may be carried out. */
export interface Approver {
  /** @returns undefined where the call may be carried out, else what the model is told. @throws the end of the work */
  refusalOf(step: number, tool: string, args: Guarded<Record<string, unknown>>): Promise<ToolOutcome | undefined>
}

/** What was called with which arguments before (`callKey`), and with what outcome. */
export type CallHistory = Map<string, CalledBefore>

/** What came of a call; one that a person refused is not asked for again. */
export type CallOutcome = ToolOutcome & { isRefused?: true }

interface CalledBefore {
  count: number
  outcome: Promise<CallOutcome>
}

export const callKey = (name: string, args: unknown): string => `${name} ${canonicalJson(args)}`

/** A call whose outcome is on its way. */
export interface BegunCall {
  step: number
  /** It counts where the same call comes again. */
  counts: boolean
  repeated: boolean
}

export interface DoneCall {
  id: string
  name: string
  /** As the model and the stored step see them. */
  arguments: Record<string, unknown>
  result: string
  isError: boolean
  repeated: boolean
}

/** A call as others may see it. */
interface GuardedCall {
  step: Guarded<ToolCall>
  arguments: Guarded<Record<string, unknown>>
}

export interface CallEnvironment {
  tools: readonly AnyTool[]
  context: ToolContext
  guard: Guard
  steps: StepRecorder
  /** Where it is absent nobody can be asked, and calls that need an approval are not carried out. */
  approver?: Approver
  history: CallHistory
  /** False in a turn in which the model was told to call nothing more. */
  offered: boolean
  /** Told of all calls of the turn before any of them waits. */
  begun?(calls: BegunCall[]): void
}

export async function carryOut(calls: MadeCall[], environment: CallEnvironment): Promise<DoneCall[]> {
  const { guard } = environment
  const shown: GuardedCall[] = []
  for (const { id, name, arguments: given } of calls) {
    const call = { id, name: await guard.text(name.slice(0, MAX_NAME)), arguments: await guard.value(given) }
    shown.push({ step: await guard.pass<ToolCall>(call, STEP_CALL), arguments: call.arguments })
  }
  const indices = environment.steps.begin(shown.map(({ step }) => step))
  const startedAt = performance.now()
  const begun = calls.map((call, at) => begin(call, shown[at]!.arguments, indices[at]!, environment))
  environment.begun?.(begun.map(({ counts, repeated }, at) => ({ step: indices[at]!, counts, repeated })))
  return Promise.all(
    begun.map(async ({ repeated, outcome }, at) => {
      const { name, arguments: given } = calls[at]!
      const ended = await conclude({ step: indices[at]!, name, given, startedAt, outcome }, environment)
      return { ...shown[at]!.step, ...ended, repeated }
    }),
  )
}

interface ConcludedCall {
  step: number
  name: string
  /** Arguments as the model wrote them, where they are still known. */
  given: unknown
  /** By `performance.now()`. */
  startedAt: number
  outcome: Promise<ToolOutcome>
}

/** Waits for the outcome of a call and records it. */
export async function conclude(
  { step, name, given, startedAt, outcome }: ConcludedCall,
  { tools, guard, steps, context }: Pick<CallEnvironment, "tools" | "guard" | "steps" | "context">,
): Promise<Pick<DoneCall, "result" | "isError">> {
  const { result, isError, fileIds } = await outcome
  const tool = tools.find(each => each.name === name)
  const label = !tool ? "unknown" : tool.external ? "external" : tool.name
  const durationMs = performance.now() - startedAt
  agentToolSeconds.observe({ tool: label, outcome: isError ? "error" : "ok" }, durationMs / 1000)
  const redacted = isError ? await guard.textAbout(result, given) : await guard.text(result)
  const ended = await guard.pass<StepOutcome>({ result: redacted, isError, durationMs, fileIds }, STEP_OUTCOME)
  context.signal.throwIfAborted() // the end of the run closes what is still open
  steps.end(step, ended)
  return { result: redacted, isError }
}

/** @param shownArguments what an external tool gets instead of the model's own words */
function begin(
  call: MadeCall,
  shownArguments: Guarded<Record<string, unknown>>,
  step: number,
  { tools, context, history, offered, approver }: CallEnvironment,
): { counts: boolean; repeated: boolean; outcome: Promise<ToolOutcome> } {
  const tool = tools.find(each => each.name === call.name)
  if (!offered) return refused("The call was not carried out: no more tools can be called in this turn.")
  if (!tool)
    return refused(
      `There is no tool ${JSON.stringify(call.name.slice(0, MAX_NAME))}. The tools are ${tools.map(each => each.name).join(", ") || "none"}.`,
    )
  if (call.problem) return refused(call.problem)
  const key = callKey(call.name, call.arguments)
  const before = history.get(key)
  const outcome = before ? again(before) : carry()
  history.set(key, { count: (before?.count ?? 0) + 1, outcome })
  return { counts: true, repeated: before !== undefined, outcome }

  async function carry(): Promise<CallOutcome> {
    if (!tool!.external) return callTool(tool!, call.arguments, context)
    if (!tool!.needsApproval) return callTool(tool!, shownArguments, context)
    if (!approver)
      return { result: "The call needs an approval, which cannot be had here.", isError: true, fileIds: [] }
    const refusal = await approver.refusalOf(step, tool!.name, shownArguments)
    return refusal ? { ...refusal, isRefused: true } : callTool(tool!, shownArguments, context)
  }
  async function again({
    count,
    outcome: earlier,
  }: {
    count: number
    outcome: Promise<CallOutcome>
  }): Promise<CallOutcome> {
    const known = await earlier
    if (known.isRefused) return known // nobody is asked the same thing twice
    const allowed = tool!.changes ? MAX_SAME_CHANGING : known.isError ? MAX_SAME_FAILED : MAX_SAME
    if (count < allowed) return carry()
    if (count === allowed)
      return {
        result: `You have made this very call before; it was not repeated. Its result was:\n${known.result}`,
        isError: true,
        fileIds: known.fileIds,
      }
    return {
      fileIds: [],
      result: `Stopped: this very call has been made ${count} times before. Use its result, change the arguments, or answer the task.`,
      isError: true,
    }
  }
}

const refused = (reason: string) => ({
  counts: false,
  repeated: true,
  outcome: Promise.resolve({ result: reason, isError: true, fileIds: [] }),
})

/** Results as one text, for models that have no tool turns. */
export const describeCalls = (done: readonly DoneCall[]): string =>
  done
    .map(
      ({ name, arguments: args, result, isError }) =>
        `${name} ${JSON.stringify(args)}${isError ? " failed" : ""}:\n${result}`,
    )
    .join("\n\n")
