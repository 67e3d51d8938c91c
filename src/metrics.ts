/**
 * What `/metrics` shows, as Prometheus instruments. Rooms count here; gauges that must be asked for are registered by
 * `gauges.ts` with a function that is called at each scrape. Labels never hold names, texts or ids of users' things.
 */

import { Counter, Gauge, Histogram, Registry } from "prom-client"
import { engineTrouble } from "./errors.ts"

export const registry = new Registry()
const registers = [registry]

const answered = new Map<string, { method: string; status: number; count: number }>()
new Counter({
  name: "carrel_http_requests_total",
  help: "Answered requests",
  labelNames: ["method", "status"],
  registers,
  collect() {
    this.reset()
    for (const { method, status, count } of answered.values()) this.inc({ method, status }, count)
  },
})

/** Counts one answer. The instrument takes the counts when it is read: labels cost it more than all else of a count. */
export function countAnswer(method: string, status: number, seconds: number): void {
  const key = `${method} ${status}`
  const known = answered.get(key)
  if (known) known.count++
  else answered.set(key, { method, status, count: 1 })
  httpSeconds.observe(seconds)
}

const httpSeconds = new Histogram({
  name: "carrel_http_request_seconds",
  help: "Time until the answer's head was ready; streams go on after it",
  buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60, 600],
  registers,
})

export const commitSeconds = new Histogram({
  name: "carrel_commit_seconds",
  help: "Time that commits to the database took, most of it the disk's",
  buckets: [0.001, 0.005, 0.02, 0.1, 0.25, 0.5, 1, 2, 5, 10],
  registers,
})

export const quotaRefusals = new Counter({
  name: "carrel_quota_refusals_total",
  help: "Requests that were refused because a key has used up its quota",
  labelNames: ["quota"],
  registers,
})

export const jobSeconds = new Histogram({
  name: "carrel_job_seconds",
  help: "Time that jobs took, by task and outcome",
  labelNames: ["task", "outcome"],
  buckets: [0.05, 0.2, 1, 5, 20, 60, 300, 1800],
  registers,
})

export const stageSeconds = new Histogram({
  name: "carrel_index_stage_seconds",
  help: "Time that files spent in each stage of indexing",
  labelNames: ["stage"],
  buckets: [0.01, 0.05, 0.2, 1, 5, 20, 60, 300],
  registers,
})

export const modelSeconds = new Histogram({
  name: "carrel_model_seconds",
  help: "Time of model requests: until the first piece and in all",
  labelNames: ["provider", "until"],
  buckets: [0.05, 0.2, 1, 5, 20, 60, 300, 1800],
  registers,
})

export const modelTokens = new Counter({
  name: "carrel_model_tokens_total",
  help: "Tokens as the model servers count them",
  labelNames: ["provider", "direction"],
  registers,
})

export const agentRunSeconds = new Histogram({
  name: "carrel_agent_run_seconds",
  help: "Time from acceptance to the end of agent runs, by how they ended",
  labelNames: ["status"],
  buckets: [0.2, 1, 5, 20, 60, 300, 600, 1800],
  registers,
})

export const agentToolSeconds = new Histogram({
  name: "carrel_agent_tool_seconds",
  help: "Time of tool calls; tools of external servers count together",
  labelNames: ["tool", "outcome"],
  buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
  registers,
})

export const redactions = new Counter({
  name: "carrel_redactions_total",
  help: "Values that were replaced, by kind",
  labelNames: ["kind"],
  registers,
})

export const refusedConnections = new Counter({
  name: "carrel_refused_connections_total",
  help: "Outbound connections that --offline refused, and redirects to hosts that were not asked",
  registers,
})

const loopLag = new Gauge({
  name: "carrel_event_loop_lag_max_seconds",
  help: "Longest time since the last scrape that the event loop was late",
  registers,
})
const memory = new Gauge({ name: "carrel_resident_memory_bytes", help: "Resident memory of the daemon", registers })

const LAG_INTERVAL_MS = 100

/** Watches the event loop until the returned function is called. */
export function watchEventLoop(): () => void {
  let expected = performance.now() + LAG_INTERVAL_MS
  let worst = 0
  const timer = setInterval(() => {
    const now = performance.now()
    worst = Math.max(worst, now - expected)
    expected = now + LAG_INTERVAL_MS
  }, LAG_INTERVAL_MS)
  timer.unref()
  loopLag.remove()
  Object.assign(loopLag, {
    collect() {
      loopLag.set(Math.max(0, worst) / 1000)
      worst = 0
    },
  })
  return () => clearInterval(timer)
}

/**
 * A gauge whose values are asked for at each scrape: pairs of labels and value. It has none while the engine does not answer
 * that knows them: the others are wanted then most of all.
 * @returns what takes it away again
 */
export function watchGauge(
  name: string,
  help: string,
  labelNames: string[],
  read: () => Promise<[Record<string, string>, number][]>,
): () => void {
  if (registry.getSingleMetric(name)) registry.removeSingleMetric(name)
  const gauge: Gauge = new Gauge({
    name,
    help,
    labelNames,
    registers,
    async collect() {
      gauge.reset()
      const values = await read().catch(withoutEngine)
      if (values) for (const [labels, value] of values) gauge.set(labels, value)
      else gauge.remove() // one without labels would stand at 0
    },
  })
  return () => {
    if (registry.getSingleMetric(name) === gauge) registry.removeSingleMetric(name)
  }
}

function withoutEngine(error: unknown): undefined {
  if (engineTrouble(error)) return undefined
  throw error
}

/** Prometheus text, with the present memory. */
export function metricsText(): Promise<string> {
  memory.set(process.memoryUsage.rss())
  return registry.metrics()
}
