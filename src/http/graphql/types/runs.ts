/** Agent runs, their steps and what people were asked to allow. */

import type { RunState, RunSummary, StepRecord } from "../../../agents/run-record.ts"
import { cursorOf } from "../../cursor.ts"
import { type Asked, there } from "../asked.ts"
import { type ConnectionArguments, connection, firstOf, ofWindow, placeAfter, windowOf } from "../connection.ts"
import { citationNodes } from "./citations.ts"
import { type OwnedArguments, ownedFilter } from "./conversations.ts"

interface RunsArguments extends OwnedArguments {
  status?: RunState[] | null
}

const LIST = "runs"
const STEPS = "steps"

const runNode = (record: RunSummary, asked: Asked) => ({
  ...record,
  id: record.run_id,
  citations: () => citationNodes(record.citations, asked),
  approvals: () => asked.loaders.approvals.load(record.run_id),
  async steps(given: ConnectionArguments) {
    const window = windowOf(given, STEPS)
    const found = await asked.loaders.steps(window).load(record.run_id)
    const place = (step: StepRecord) => step.index
    return ofWindow(found, window, { list: STEPS, place, node: step => step, total: record.step_count })
  },
})

/** @throws AppError not_found */
export async function run({ id }: { id: string }, asked: Asked) {
  return runNode(there(await asked.loaders.runs.load(id), "run", id, asked), asked)
}

export async function runs(given: RunsArguments, asked: Asked) {
  const { lists } = asked.house.agents
  const filter = { ...ownedFilter(given), ...(given.status?.length ? { states: given.status } : {}) }
  const [after] = placeAfter(given, LIST, ["string"]) ?? []
  const { items, hasMore } = await lists.after(asked.view, { ...filter, after, limit: firstOf(given, 20) })
  const entries = items.map(record => ({ node: runNode(record, asked), cursor: cursorOf(LIST, record.run_id) }))
  const total = () => lists.total(asked.view, filter)
  return connection(entries, { hasMore, isBehind: after !== undefined, total })
}
