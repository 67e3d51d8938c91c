/**
 * The calls of a run whose daemon ended while one of them waited for a person, as their rows tell of them. What has a result is not carried
 * out again, nor is what had begun: whether it had an effect is not known. A call that waits goes on waiting.
 */
import { fromStore } from "../guarded.ts"
import {
  type CallEnvironment,
  type CallHistory,
  type CallOutcome,
  callKey,
  conclude,
  type DoneCall,
} from "../tools/calls.ts"
import { callTool, type ToolOutcome } from "../tools/tool.ts"
import type { ApprovalRow } from "./approval-record.ts"
import type { RunApprover } from "./approver.ts"
import type { LoopState } from "./checkpoint.ts"
import type { StepRow } from "./run-record.ts"

/** From where a run goes on. */
export interface Resumption {
  loop: LoopState
  steps: readonly StepRow[]
  approvals: readonly ApprovalRow[]
}

interface Environment extends Pick<CallEnvironment, "tools" | "context" | "guard" | "steps"> {
  approver: RunApprover
  history: CallHistory
}

/** A call that had ended. */
export function doneBefore(from: Resumption, step: number): DoneCall {
  const row = rowOf(from, step)
  return {
    ...{ id: row.tool_call_id, name: row.name, arguments: JSON.parse(row.arguments) },
    ...{ result: row.result ?? "", isError: Number(row.is_error) === 1, repeated: from.loop.repeated.includes(step) },
  }
}

/** Carries the open turn to its end. Fills the history with all calls so far. */
export function carryOn(from: Resumption, environment: Environment): Promise<DoneCall[]> {
  const { open, counted } = from.loop
  const isOpen = new Set(open.steps)
  const outcomes = new Map<number, Promise<CallOutcome>>()
  for (const step of new Set([...counted, ...open.steps])) // each once: an answer can be taken once
    outcomes.set(step, isOpen.has(step) ? outcomeOf(from, step, environment) : ended(from, step))
  for (const step of counted) note(environment.history, rowOf(from, step), outcomes.get(step)!)
  return Promise.all(open.steps.map(step => carryOnCall(from, step, outcomes.get(step)!, environment)))
}

async function carryOnCall(
  from: Resumption,
  step: number,
  outcome: Promise<CallOutcome>,
  environment: Environment,
): Promise<DoneCall> {
  const before = doneBefore(from, step)
  const row = rowOf(from, step)
  if (row.result !== null) return before
  const startedAt = performance.now() - Math.max(0, Date.now() - Date.parse(row.started_at))
  const { name, arguments: given } = before
  return { ...before, ...(await conclude({ step, name, given, startedAt, outcome }, environment)) }
}

function note(history: CallHistory, row: StepRow, outcome: Promise<CallOutcome>): void {
  const key = keyOf(row)
  history.set(key, { count: (history.get(key)?.count ?? 0) + 1, outcome })
}

async function ended(from: Resumption, step: number): Promise<CallOutcome> {
  const { result, isError } = doneBefore(from, step)
  const key = keyOf(rowOf(from, step))
  const refused = from.approvals.filter(({ status }) => status === "denied" || status === "expired")
  const isRefused = refused.some(approval => keyOf(rowOf(from, approval.step)) === key)
  return { result, isError, fileIds: [], ...(isRefused ? { isRefused } : {}) }
}

async function outcomeOf(from: Resumption, step: number, environment: Environment): Promise<CallOutcome> {
  const row = rowOf(from, step)
  if (row.result !== null) return ended(from, step)
  const approval = from.approvals.find(each => each.step === step)
  if (!approval || Number(approval.taken) === 1) return CUT_OFF
  const { approver, tools, context } = environment
  const refusal = await approver.answerTo(approval.id)
  if (refusal) return { ...refusal, isRefused: true }
  const tool = tools.find(({ name }) => name === row.name)
  return tool?.external ? callTool(tool, fromStore(JSON.parse(approval.arguments)), context) : NO_TOOL
}

const keyOf = ({ name, arguments: args }: StepRow): string => callKey(name, JSON.parse(args))

function rowOf({ steps }: Resumption, step: number): StepRow {
  const row = steps.find(each => each.step === step)
  if (!row) throw new Error(`a step is missing that the run goes on from: ${step}`)
  return row
}

const failure = (result: string): ToolOutcome => ({ result, isError: true, fileIds: [] })

const CUT_OFF = failure("The call was cut off when the daemon ended. Whether it had an effect is not known.")
const NO_TOOL = failure("The call was approved and not carried out: the server of the tool does not answer any more.")
