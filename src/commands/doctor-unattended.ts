/** What the doctor says of what goes on without anybody looking: what asks for somebody is a problem. */
import { webhooksGivenUp } from "../events/webhooks.ts"
import type { Database } from "../storage/database.ts"
import {
  type SourceState,
  scheduleStates,
  sourceStates,
  unfinishedBatches,
  waitingDeliveries,
  webhookCounts,
} from "../storage/unattended.ts"
import { type Finding, someOf } from "./finding.ts"

/** A source that failed less often in a row may be back by itself. */
const OUTAGES = 3

/** Nothing of what there is none of. */
export async function describeUnattended(database: Database): Promise<Finding[]> {
  return [
    ...(await sources(database)),
    ...(await webhooks(database)),
    ...(await schedules(database)),
    ...(await batches(database)),
  ]
}

async function sources(database: Database): Promise<Finding[]> {
  const what = "sources"
  const states = await sourceStates(database)
  if (states.length === 0) return []
  const named = (those: SourceState[]) => someOf(those.map(({ id, name }) => `${name} (${id})`))
  const failed = states.filter(({ health }) => health === "failed")
  const guarded = states.filter(({ health }) => health === "guarded")
  const paused = states.filter(({ health }) => health === "paused").length
  const well = states.length - failed.length - guarded.length - paused
  const findings: Finding[] = [{ what, state: "ok", text: `${well} of ${states.length} in sync, ${paused} paused` }]
  if (failed.length > 0)
    findings.push({
      what,
      state: failed.some(({ outages }) => outages >= OUTAGES) ? "problem" : "note",
      text: `the last sync failed: ${named(failed)}`,
      remedy:
        "see last_sync.error of the source, or its page in the console; it is tried again by itself, and until then nothing of it is deleted",
    })
  if (guarded.length > 0)
    findings.push({
      what,
      state: "problem",
      text: `so many files are gone that none was deleted: ${named(guarded)}`,
      remedy: "decide on its page in the console, or sync it with `force`",
    })
  return findings
}

async function webhooks(database: Database): Promise<Finding[]> {
  const what = "webhooks"
  const counts = await webhookCounts(database)
  if (counts.size === 0) return []
  const waiting = await waitingDeliveries(database)
  const text = `${counts.get("active") ?? 0} active, ${counts.get("disabled") ?? 0} disabled`
  const findings: Finding[] = [{ what, state: "ok", text }]
  const givenUp = await webhooksGivenUp(database)
  if (waiting > 0)
    findings.push({
      what,
      state: "note",
      text: `${waiting} events were not taken and are sent again later`,
      remedy: "see the deliveries of the webhooks, in the console under Settings",
    })
  if (givenUp.length > 0)
    findings.push({
      what,
      state: "problem",
      text: `given up: ${someOf(givenUp.map(({ url, reason }) => `${url} (${reason})`))}`,
      remedy: "mend the receiver and enable the webhook: it goes on with the events that are kept; or delete it",
    })
  return findings
}

async function schedules(database: Database): Promise<Finding[]> {
  const what = "schedules"
  const states = await scheduleStates(database)
  if (states.length === 0) return []
  const failing = states.filter(({ health }) => health === "failing")
  const paused = states.filter(({ health }) => health === "paused").length
  const findings: Finding[] = [{ what, state: "ok", text: `${states.length - paused} active, ${paused} paused` }]
  if (failing.length > 0)
    findings.push({
      what,
      state: "note",
      text: `the last run failed: ${someOf(failing.map(({ id, name }) => `${name} (${id})`))}`,
      remedy: "see its runs, in the console under Agents",
    })
  return findings
}

async function batches(database: Database): Promise<Finding[]> {
  const { counts, requests } = await unfinishedBatches(database)
  const unfinished = counts.reduce((sum, [, count]) => sum + count, 0)
  if (unfinished === 0) return []
  return [{ what: "batches", state: "ok", text: `${unfinished} not done, with ${requests} requests to go` }]
}
