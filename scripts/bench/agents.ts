/**
 * What a run costs beside its model: a scripted model that answers at once calls a tool that does nothing, over a real
 * database on disk. Prints milliseconds per step; at most 5 are allowed. `bun scripts/bench/agents.ts [STEPS]`
 */

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ensureWorkspace } from "../../src/access/keys.ts"
import { wholeOf } from "../../src/access/view.ts"
import { RunStore } from "../../src/agents/run-store.ts"
import { AgentRuns } from "../../src/agents/runs.ts"
import type { ChatBackend } from "../../src/backends/backend.ts"
import { CountedBackend } from "../../src/backends/counted.ts"
import { Usage } from "../../src/governance/usage/usage.ts"
import { TokenMeter } from "../../src/grounding/tokens.ts"
import { setLogLevel } from "../../src/log.ts"
import { Redactor } from "../../src/redaction/redact.ts"
import { Idempotency } from "../../src/storage/idempotency.ts"
import { openSqlite } from "../../src/storage/sqlite/open.ts"
import type { AgentLibrary } from "../../src/tools/library.ts"

const LIMIT_MS = 5
const RUNS = 5
const steps = Math.min(99, Number(process.argv[2] ?? 50))
setLogLevel("error")

/** Calls `list_files` with ever new arguments, then answers; takes no time of its own. */
const model: ChatBackend = {
  provider: "bench",
  list: async () => [],
  async *chat({ turns }) {
    const made = turns.filter(turn => turn.role === "tool").length
    if (made < steps)
      yield { type: "tool_call", call: { id: `call_${made}`, name: "list_files", arguments: { name: `part ${made}` } } }
    else yield { type: "text", text: "done" }
    yield { type: "end", reason: "stop", usage: { promptTokens: 1, completionTokens: 1 } }
  },
}

const library: AgentLibrary = {
  list: async () => ({ files: [], total: 0 }),
  find: async () => undefined,
  readText: async () => undefined,
  chunkAt: async () => undefined,
  listen: () => () => {},
  original: () => unused(),
}

const unused = () => Promise.reject(new Error("not part of this measurement"))
const data = mkdtempSync(join(tmpdir(), "carrel-bench-"))
const database = await openSqlite(data)
const info = {
  value: "bench/model",
  label: "",
  provider: "bench",
  status: "loaded",
  statusReason: null,
  local: true,
  capabilities: ["chat", "tools"],
  contextLength: 131_072,
  sizeBytes: null,
  checkedAt: "",
} as const
const runs = new AgentRuns({
  store: new RunStore(database, { id: "bench" }),
  idempotency: new Idempotency(database),
  usage: await Usage.open(database, { directory: join(data, "usage") }),
  meter: new TokenMeter(),
  models: {
    resolve: async (_, __, account) => ({
      backend: new CountedBackend(model, account),
      account,
      info: { ...info, capabilities: [...info.capabilities] },
      name: "model",
    }),
  },
  library,
  search: { search: unused },
  redactor: new Redactor({ entityModel: undefined }),
  redactionEnforced: async () => false,
  tables: { read: unused },
  evaluator: { calculate: unused, check: unused },
  concurrency: 1,
  maxWaiting: 0,
  contextTokens: 131_072,
})
const caller = { view: wholeOf(await ensureWorkspace(database, "default")), keyId: "key_bench", readsFiles: true }
const perStep: number[] = []
for (let i = 0; i <= RUNS; i++) {
  const started = performance.now()
  const run = await runs.runToEnd(caller, { task: "bench", max_steps: steps + 1 }, new AbortController().signal)
  if (run.steps.length !== steps) throw new Error(`${run.steps.length} steps instead of ${steps}`)
  if (i > 0) perStep.push((performance.now() - started) / steps) // the first run warms up
}
await runs.stop(0)
await database.destroy()
rmSync(data, { recursive: true, force: true })
perStep.sort((left, right) => left - right)
const median = perStep[Math.floor(perStep.length / 2)]!
console.log(
  `${steps} steps, ${RUNS} runs: median ${median.toFixed(2)} ms a step, worst run ${perStep.at(-1)!.toFixed(2)} ms (limit ${LIMIT_MS} ms)`,
)
process.exit(median <= LIMIT_MS ? 0 : 1)
