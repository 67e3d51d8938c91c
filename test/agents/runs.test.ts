import { afterEach, expect, test } from "bun:test"
import { wholeOf } from "../../src/access/view.ts"
import type { AgentRunsDependencies } from "../../src/agents/runs.ts"
import { type ChatBackend, ContextOverflowError } from "../../src/backends/backend.ts"
import { guessTokens } from "../../src/backends/guess-tokens.ts"
import { AppError } from "../../src/errors.ts"
import { Redactor } from "../../src/redaction/redact.ts"
import { until } from "../support/until.ts"
import {
  type Harness,
  inOrder,
  type MemoryFile,
  providerOf,
  scriptedModel,
  startHarness,
  type Turn,
} from "./support.ts"

const open: Harness[] = []
async function harness(
  model: ChatBackend,
  files?: MemoryFile[],
  more?: Parameters<typeof startHarness>[2],
): Promise<Harness> {
  const started = await startHarness(model, files, more)
  open.push(started)
  return started
}
afterEach(async () => {
  for (const started of open.splice(0)) await started.stop()
})

const never = new AbortController().signal
const call = (name: string, args: Record<string, unknown> = {}): Turn => ({ calls: [{ name, arguments: args }] })
const HANGING = {
  name: "x.hang",
  description: "",
  parameters: { type: "object" },
  execute: () => new Promise<string>(() => {}),
}
const FILE = { id: "file_a", name: "contract.txt", text: "The notice period is 90 days.\nPayment is due in 30 days." }

async function refusal(work: Promise<unknown>): Promise<AppError> {
  const error = await work.then(
    () => undefined,
    thrown => thrown,
  )
  expect(error).toBeInstanceOf(AppError)
  return error as AppError
}

test("an address in the output that stands in no task and no result is warned of", async () => {
  const given = { ...FILE, text: "The notice period is 90 days, see https://example.org/a." }
  const model = scriptedModel(
    inOrder([
      { text: "https://evil.example/thought", calls: [{ name: "search_library", arguments: { query: "notice" } }] },
      { text: "https://example.org/a https://example.org/task https://evil.example/thought" },
    ]),
  )
  const { runs, caller } = await harness(model, [given])
  const run = await runs.runToEnd(caller, { task: "What is the notice? See https://example.org/task" }, never)
  expect(run.warnings).toEqual([
    { code: "foreign_link", message: expect.any(String), addresses: ["https://evil.example/thought"] },
  ])
})

test("a task goes through search and reading to a cited answer", async () => {
  const model = scriptedModel(
    inOrder([
      call("search_library", { query: "notice period" }),
      call("read_file", { file_id: "file_a" }),
      { text: "It is 90 days [1]." },
    ]),
  )
  const { runs, caller } = await harness(model, [FILE])
  const run = await runs.runToEnd(caller, { task: "What is the notice period?" }, never)
  expect(run).toMatchObject({
    status: "completed",
    finish_reason: "final_answer",
    output: "It is 90 days [1].",
    error: null,
    usage: { prompt_tokens: 30, completion_tokens: 15 },
    model: "scripted/model",
  })
  expect(run.citations).toMatchObject([
    { index: 1, file_id: "file_a", name: "contract.txt", position: { start: 0, end: 29 } },
  ])
  expect(run.steps.map(step => [step.index, step.type, step.name, step.is_error])).toEqual([
    [1, "tool_call", "search_library", false],
    [2, "tool_call", "read_file", false],
  ])
  expect(run.steps[0]!.arguments).toEqual({ query: "notice period" })
  expect(run.steps[0]!.result).toContain("The notice period is 90 days.")
  expect(run.steps[0]!.duration_ms).toBeGreaterThanOrEqual(0)
  expect(run.finished_at! >= run.started_at).toBe(true)
  expect(model.requests[1]!.turns.at(-1)).toMatchObject({ role: "tool", name: "search_library" })
  expect(model.requests[0]!.tools!.map(tool => tool.name)).toEqual([
    "search_library",
    "read_file",
    "list_files",
    "query_table",
    "calculate",
    "current_time",
  ])
})

test("calls of one turn run side by side and come back in order", async () => {
  const model = scriptedModel(
    inOrder([{ calls: ["a", "b", "c"].map(name => ({ name: `slow.${name}`, arguments: {} })) }, { text: "done" }]),
  )
  const begun: string[] = []
  const ended: string[] = []
  const slow = ["a", "b", "c"].map((name, at) => ({
    name: `slow.${name}`,
    description: "",
    parameters: { type: "object" },
    execute: async () => {
      begun.push(name)
      await until(() => begun.length === 3 && ended.length === 2 - at) // the last to be called ends first
      ended.push(name)
      return name
    },
  }))
  const { runs, caller } = await harness(model, [], {
    external: providerOf(...slow),
  })
  const run = await runs.runToEnd(caller, { task: "t", tools: ["slow.*"] }, never)
  expect(ended).toEqual(["c", "b", "a"])
  expect(run.steps.map(step => step.result)).toEqual(["a", "b", "c"])
})

test("a wrong tool, a broken argument and a failing tool are told to the model and do not end the run", async () => {
  const broken = {
    name: "x.broken",
    description: "",
    parameters: { type: "object" },
    execute: async () => Promise.reject(new Error("secret path /etc/x")),
  }
  const model = scriptedModel(
    inOrder([
      call("serch"),
      call("search_library", { question: "x" }),
      call("read_file", { file_id: "file_none" }),
      call("x.broken"),
      call("calculate", { expression: "1 +" }),
      { text: "gave up" },
    ]),
  )
  const { runs, caller } = await harness(model, [FILE], {
    external: providerOf(broken),
  })
  const run = await runs.runToEnd(
    caller,
    { task: "t", tools: ["search_library", "read_file", "calculate", "x.broken"] },
    never,
  )
  expect(run.status).toBe("completed")
  expect(run.steps.every(step => step.is_error)).toBe(true)
  expect(run.steps[0]!.result).toContain('no tool "serch"')
  expect(run.steps[1]!.result).toMatch(/query.*question|question.*query/s)
  expect(run.steps[2]!.result).toContain("no file")
  expect(run.steps[3]!.result).not.toContain("/etc/x")
  expect(run.steps[4]!.result).toContain("cannot be read")
  expect(model.requests[2]!.turns.at(-1)!.content).toContain("question")
})

test("a result of 10 MB is cut, for the model and for the record", async () => {
  const huge = {
    name: "x.huge",
    description: "",
    parameters: { type: "object" },
    execute: async () => "x".repeat(10_000_000),
  }
  const model = scriptedModel(inOrder([call("x.huge"), { text: "ok" }]))
  const { runs, caller } = await harness(model, [], {
    external: providerOf(huge),
  })
  const run = await runs.runToEnd(caller, { task: "t", tools: ["x.huge"] }, never)
  expect(run.steps[0]!.result!.length).toBeLessThan(21_000)
  expect(run.steps[0]!.result).toContain("10000000 characters")
  expect(model.requests[1]!.turns.at(-1)!.content.length).toBeLessThan(21_000)
})

test("a tool that hangs is stopped at its own limit and the run goes on", async () => {
  const hanging = {
    name: "x.hang",
    description: "",
    parameters: { type: "object" },
    timeoutMs: 100,
    execute: () => new Promise<string>(() => {}),
  }
  const model = scriptedModel(inOrder([call("x.hang"), { text: "went on" }]))
  const { runs, caller } = await harness(model, [], {
    external: providerOf(hanging),
  })
  const run = await runs.runToEnd(caller, { task: "t", tools: ["x.hang"] }, never)
  expect(run).toMatchObject({ status: "completed", output: "went on" })
  expect(run.steps[0]).toMatchObject({ is_error: true })
})

test("a model that never stops calling ends at max_steps with its best text", async () => {
  const model = scriptedModel((_, at) => ({
    text: at === 1 ? "So far: 42." : "",
    calls: [{ name: "calculate", arguments: { expression: `${at}+1` } }],
  }))
  const { runs, caller } = await harness(model)
  const run = await runs.runToEnd(caller, { task: "t", max_steps: 4 }, never)
  expect(run).toMatchObject({ status: "completed", finish_reason: "max_steps", output: "So far: 42.", error: null })
  expect(model.requests).toHaveLength(4)
  expect(model.requests[3]!.tools).toBeUndefined()
  expect(run.steps.map(step => step.is_error)).toEqual([false, false, false, true])
})

test("an external tool whose schema cannot be read is called all the same", async () => {
  const odd = {
    name: "x.odd",
    description: "",
    parameters: { type: "object", properties: { a: { pattern: "(?=x)" } } },
    external: true,
    execute: async () => "fine",
  }
  const model = scriptedModel(inOrder([call("x.odd", { a: "y" }), { text: "ok" }]))
  const { runs, caller } = await harness(model, [], {
    external: providerOf(odd),
  })
  expect((await runs.runToEnd(caller, { task: "t", tools: ["x.odd"] }, never)).steps).toMatchObject([
    { result: "fine" },
  ])
})

test("a model that writes without end is cut off and its words are used", async () => {
  const model = scriptedModel(() => ({}))
  let written = 0
  model.chat = async function* () {
    for (;;) {
      written += 10_000
      yield { type: "text", text: "endless ".repeat(1_250) }
      await Bun.sleep(0)
    }
  }
  const { runs, caller } = await harness(model)
  const run = await runs.runToEnd(caller, { task: "t" }, never)
  expect(run.status).toBe("completed")
  expect(written).toBeLessThan(500_000)
})

test("the same call is not carried out again and again", async () => {
  let count = 0
  const counting = {
    name: "x.count",
    description: "",
    parameters: { type: "object" },
    execute: async () => String(++count),
  }
  const model = scriptedModel(request => (request.tools ? call("x.count") : { text: "the count is 1" }))
  const { runs, caller } = await harness(model, [], {
    external: providerOf(counting),
  })
  const run = await runs.runToEnd(caller, { task: "t", tools: ["x.count"], max_steps: 20 }, never)
  expect(count).toBe(1)
  expect(run.output).toBe("the count is 1")
  expect(model.requests.length).toBeLessThan(6)
  expect(run.steps.at(-1)!.is_error).toBe(true)
})

test("the deadline gives agent_timeout, not before it, aborts the model and keeps the steps", async () => {
  const model = scriptedModel(inOrder([call("calculate", { expression: "1+1" }), { hang: true }]))
  const { runs, caller } = await harness(model)
  const started = performance.now()
  const error = await refusal(runs.runToEnd(caller, { task: "t", timeout_seconds: 2 }, never))
  expect(performance.now() - started).toBeGreaterThan(1_900)
  expect(error).toMatchObject({ code: "agent_timeout", status: 408 })
  const run = await runs.get(caller.view, error.details![0]!.run_id as string)
  expect(run).toMatchObject({ status: "timed_out", finish_reason: "timeout", error: { code: "agent_timeout" } })
  expect(run.steps[0]!.result).toBe("2")
  expect(model.aborted).toBeGreaterThan(0)
})

test("at the deadline a tool that hangs is closed in the record", async () => {
  const { runs, caller } = await harness(
    scriptedModel(() => call("x.hang")),
    [],
    { external: providerOf(HANGING) },
  )
  const error = await refusal(runs.runToEnd(caller, { task: "t", tools: ["x.hang"], timeout_seconds: 1 }, never))
  const run = await runs.get(caller.view, error.details![0]!.run_id as string)
  expect(run.steps).toMatchObject([
    { name: "x.hang", is_error: true, result: "The call was stopped: the run passed its timeout." },
  ])
})

const DAYS = {
  type: "object",
  properties: { days: { type: "integer" } },
  required: ["days"],
  additionalProperties: false,
}

test("an answer that meets the schema comes back as structured_output", async () => {
  const { runs, caller } = await harness(scriptedModel(inOrder([{ text: 'Here it is:\n```json\n{"days": 90}\n```' }])))
  const run = await runs.runToEnd(caller, { task: "t", output_schema: DAYS }, never)
  expect(run).toMatchObject({ status: "completed", structured_output: { days: 90 } })
})

test("an answer that misses the schema is repaired once, with the reason", async () => {
  const model = scriptedModel(inOrder([{ text: '{"days": "ninety"}' }, { text: '{"days": 90}' }]))
  const { runs, caller } = await harness(model)
  const run = await runs.runToEnd(caller, { task: "t", output_schema: DAYS }, never)
  expect(run.structured_output).toEqual({ days: 90 })
  expect(model.requests[1]!.turns.at(-1)!.content).toContain("days must be integer")
  expect(model.requests[1]!.responseFormat).toEqual(DAYS)
})

test("a schema that is never met fails the run with what was wrong", async () => {
  const model = scriptedModel(() => ({ text: '{"days": "ninety"}' }))
  const { runs, caller } = await harness(model)
  const error = await refusal(runs.runToEnd(caller, { task: "t", output_schema: DAYS }, never))
  expect(error).toMatchObject({ code: "output_schema_violation", status: 422 })
  expect(error.details![0]!.run_id).toStartWith("run_")
  expect(error.details![1]).toEqual({ field: "days", issue: "must be integer" })
  expect(model.requests).toHaveLength(2)
  const run = await runs.get(caller.view, error.details![0]!.run_id as string)
  expect(run).toMatchObject({ status: "failed", structured_output: null, error: { code: "output_schema_violation" } })
})

test("a model that fails gives model_error with the run and the server's words", async () => {
  const model = scriptedModel(
    inOrder([
      call("calculate", { expression: "1+1" }),
      { error: new AppError("model_error", { hint: "out of memory" }) },
    ]),
  )
  const { runs, caller } = await harness(model)
  const error = await refusal(runs.runToEnd(caller, { task: "t" }, never))
  expect(error).toMatchObject({ code: "model_error", status: 502, hint: "out of memory" })
  const run = await runs.get(caller.view, error.details![0]!.run_id as string)
  expect(run).toMatchObject({ status: "failed", finish_reason: "error", error: { code: "model_error" } })
  expect(run.steps).toHaveLength(1)
})

test.each<[string, Parameters<typeof scriptedModel>[0], (seen: { turns: number; hanging: number }) => boolean]>([
  ["while the model is silent", inOrder([{ hang: true }]), ({ turns }) => turns === 1],
  ["while a tool hangs", inOrder([call("x.hang")]), ({ hanging }) => hanging === 1],
  [
    "between steps",
    (_, at) => ({ ...call("calculate", { expression: `1+${at}` }), delayMs: 20 }),
    ({ turns }) => turns >= 3,
  ],
])("a run cancelled %s answers its blocking caller with status cancelled", async (_, script, isThere) => {
  const model = scriptedModel(script)
  const hung: Promise<string>[] = []
  const hanging = {
    ...HANGING,
    execute: () => {
      hung.push(HANGING.execute())
      return hung.at(-1)!
    },
  }
  const { runs, caller } = await harness(model, [], { external: providerOf(hanging) })
  const blocking = runs.runToEnd(caller, { task: "t", tools: ["calculate", "x.hang"], max_steps: 100 }, never)
  await until(() => isThere({ turns: model.requests.length, hanging: hung.length }), { everyMs: 1 })
  const { data } = await runs.list(caller.view, { page: 1, pageSize: 1, states: ["running"] })
  const cancelled = await runs.cancel(caller.view, data[0]!.run_id)
  expect(cancelled.status).toBe("cancelled")
  expect(await blocking).toMatchObject({ status: "cancelled", finish_reason: "cancelled", run_id: cancelled.run_id })
  expect(cancelled.steps.every(step => step.result !== null)).toBe(true)
  expect((await runs.cancel(caller.view, data[0]!.run_id)).status).toBe("cancelled")
})

test("a client that goes away cancels its run, and only that", async () => {
  const model = scriptedModel(inOrder([{ hang: true }]))
  const { runs, caller } = await harness(model)
  const client = new AbortController()
  const gone = runs.runToEnd(caller, { task: "mine" }, client.signal)
  const other = await runs.startDetached(caller, { task: "other" })
  await until(() => model.requests.length === 2)
  client.abort()
  await gone.catch(() => {})
  const { data } = await runs.list(caller.view, { page: 1, pageSize: 10 })
  expect(data.map(run => [run.task, run.status])).toEqual(
    expect.arrayContaining([
      ["mine", "cancelled"],
      ["other", "running"],
    ]),
  )
  expect(model.aborted).toBe(1)
  await runs.cancel(caller.view, other.run_id)
})

test("an idempotency key gives the same run, a retry waits for it, another body is a conflict", async () => {
  const model = scriptedModel(() => ({ text: "once", delayMs: 100 }))
  const { runs, caller } = await harness(model)
  const options = { idempotencyKey: "k1" }
  const [first, second] = await Promise.all([
    runs.runToEnd(caller, { task: "t" }, never, options),
    runs.runToEnd(caller, { task: "t" }, never, options),
  ])
  expect(second.run_id).toBe(first.run_id)
  expect((await runs.runToEnd(caller, { task: "t" }, never, options)).run_id).toBe(first.run_id)
  expect(model.requests).toHaveLength(1)
  expect(await refusal(runs.runToEnd(caller, { task: "other" }, never, options))).toMatchObject({ code: "conflict" })
})

test("a run alive when the process died is failed as interrupted at the next start", async () => {
  const { runs, caller, secondProcess } = await harness(
    scriptedModel(inOrder([call("calculate", { expression: "1+1" }), { hang: true }])),
  )
  const { run_id } = await runs.startDetached(caller, { task: "t" })
  await until(async () => (await runs.get(caller.view, run_id)).steps[0]?.result === "2")
  const next = await secondProcess() // the first one never hears of it, as after kill -9
  expect(await next.recover()).toEqual([run_id])
  const run = await next.get(caller.view, run_id)
  expect(run).toMatchObject({ status: "failed", error: { code: "interrupted" } })
  expect(run.steps[0]!.result).toBe("2")
})

test("events tell the whole run, can be taken up anywhere, and end with done", async () => {
  const model = scriptedModel(
    inOrder([
      { ...call("calculate", { expression: "1+1" }), delayMs: 50 },
      { text: "2", delayMs: 50 },
    ]),
  )
  const { runs, caller } = await harness(model)
  const { run_id } = await runs.startDetached(caller, { task: "t" })
  const live = await Array.fromAsync(runs.follow(caller.view, run_id, 0, never))
  expect(live.map(event => [event.id, event.event])).toEqual([
    [1, "run_started"],
    [2, "step_started"],
    [3, "step_completed"],
    [4, "run_finished"],
    [5, "done"],
  ])
  expect(await Array.fromAsync(runs.follow(caller.view, run_id, 0, never))).toEqual(live)
  expect(await Array.fromAsync(runs.follow(caller.view, run_id, 3, never))).toEqual(live.slice(3))
})

test("past concurrency and queue a run is refused as overloaded, and the queue is fair between keys", async () => {
  const gate = Promise.withResolvers<void>()
  const order: string[] = []
  const model = scriptedModel(() => ({ text: "done" }))
  const chat = model.chat.bind(model)
  model.chat = async function* (request) {
    order.push(String(request.turns[1]!.content))
    await gate.promise
    yield* chat(request)
  }
  const { runs, caller } = await harness(model, [], { concurrency: 1, maxWaiting: 3 })
  const start = (task: string, keyId: string) => runs.runToEnd({ ...caller, keyId }, { task }, never)
  const all: Promise<unknown>[] = []
  for (const [task, key] of [
    ["a1", "a"],
    ["a2", "a"],
    ["a3", "a"],
    ["b1", "b"],
  ] as const) {
    all.push(start(task, key))
    await until(() => order.length === 1 && runs.load.running + runs.load.waiting === all.length)
  }
  expect(await refusal(start("a4", "a"))).toMatchObject({
    code: "overloaded",
    status: 503,
    retryAfter: expect.any(Number),
  })
  gate.resolve()
  await Promise.all(all)
  expect(order).toEqual(["a1", "a2", "b1", "a3"])
})

test("a run that waits for its turn times out on its own deadline", async () => {
  const { runs, caller } = await harness(scriptedModel(inOrder([{ hang: true }])), [], { concurrency: 1 })
  const { run_id } = await runs.startDetached(caller, { task: "first" })
  expect(await refusal(runs.runToEnd(caller, { task: "second", timeout_seconds: 1 }, never))).toMatchObject({
    code: "agent_timeout",
  })
  await runs.cancel(caller.view, run_id)
  expect(runs.load).toEqual({ running: 0, waiting: 0 })
})

test("other workspaces' runs and files do not exist", async () => {
  const { runs, caller } = await harness(
    scriptedModel(() => ({ text: "x" })),
    [FILE, { ...FILE, id: "file_foreign", workspaceId: "ws_other" }],
  )
  const { run_id } = await runs.runToEnd(caller, { task: "t" }, never)
  expect(await refusal(runs.get(wholeOf("ws_other"), run_id))).toMatchObject({ code: "not_found" })
  expect(await refusal(runs.cancel(wholeOf("ws_other"), run_id))).toMatchObject({ code: "not_found" })
  expect((await runs.list(wholeOf("ws_other"), { page: 1, pageSize: 10 })).total).toBe(0)
  expect(await refusal(runs.runToEnd(caller, { task: "t", file_ids: ["file_foreign"] }, never))).toMatchObject({
    code: "not_found",
  })
  expect(await refusal(runs.runToEnd(caller, { task: "t", context_id: "conv_foreign" }, never))).toMatchObject({
    code: "not_found",
  })
})

test("tools see only the files that the run was given", async () => {
  const model = scriptedModel(
    inOrder([
      {
        calls: [
          { name: "search_library", arguments: { query: "notice period" } },
          { name: "list_files", arguments: {} },
          { name: "read_file", arguments: { file_id: "file_b" } },
        ],
      },
      { text: "ok" },
    ]),
  )
  const { runs, caller } = await harness(model, [
    FILE,
    { id: "file_b", name: "secret.txt", text: "The notice period of the secret is 5 days." },
  ])
  const run = await runs.runToEnd(caller, { task: "t", file_ids: ["file_a"] }, never)
  expect(run.steps.map(step => step.is_error)).toEqual([false, false, true])
  expect(JSON.stringify(run.steps.map(step => step.result))).not.toContain("secret")
})

test("a conversation without files shows none", async () => {
  const calls = ["search_library", "list_files"].map(name => ({
    name,
    arguments: name === "search_library" ? { query: "notice" } : {},
  }))
  const model = scriptedModel(inOrder([{ calls }, { text: "ok" }, { calls }, { text: "ok" }]))
  const { runs, caller } = await harness(model, [FILE], {
    conversationFiles: async (_, id) => (id === "conv_full" ? ["file_a"] : []),
  })
  const full = await runs.runToEnd(caller, { task: "t", context_id: "conv_full" }, never)
  expect(full.steps.map(step => step.result?.includes("contract"))).toEqual([true, true])
  const run = await runs.runToEnd(caller, { task: "t", context_id: "conv_1" }, never)
  expect(run.steps.map(step => step.result).join()).not.toContain("contract")
  expect(run.steps[1]!.result).toBe("There are no files.")
})

test("cancelled at any moment a run ends once, with every step closed and nothing left behind", async () => {
  const model = scriptedModel((_, at) => ({
    calls: [1, 2].map(n => ({ name: "x.wait", arguments: { at, n } })),
    delayMs: at % 3,
  }))
  const wait = {
    name: "x.wait",
    description: "",
    parameters: { type: "object" },
    execute: async ({ n }: Record<string, unknown>) => Bun.sleep(Number(n) * 3).then(() => "ok"),
  }
  const { runs, caller, database } = await harness(model, [], {
    external: providerOf(wait),
  })
  for (let afterMs = 0; afterMs < 60; afterMs += 4) {
    const { run_id } = await runs.startDetached(caller, { task: "t", tools: ["x.wait"], max_steps: 100 })
    const events = Array.fromAsync(runs.follow(caller.view, run_id, 0, never))
    await Bun.sleep(afterMs)
    const run = await runs.cancel(caller.view, run_id)
    expect(run.status).toBe("cancelled")
    expect(run.steps.every(step => step.result !== null && step.duration_ms !== null)).toBe(true)
    expect(run.steps.map(step => step.index)).toEqual(run.steps.map((_, at) => at + 1))
    expect((await events).map(event => event.id)).toEqual(
      Array.from({ length: 3 + 2 * run.steps.length }, (_, at) => at + 1),
    )
    await Bun.sleep(20)
    expect(await runs.get(caller.view, run_id)).toEqual(run)
  }
  const running = await database.selectFrom("agent_runs").select("id").where("status", "=", "running").execute()
  expect(running).toEqual([])
  expect(runs.load).toEqual({ running: 0, waiting: 0 })
})

test.each<[string, Parameters<Harness["runs"]["runToEnd"]>[1], string]>([
  ["an unknown tool", { task: "t", tools: ["search_library", "shell"] }, "invalid_request"],
  ["a broken output schema", { task: "t", output_schema: { type: "nonsense" } }, "invalid_request"],
  [
    "an output schema with a pattern that is not linear-time",
    { task: "t", output_schema: { type: "string", pattern: "(?=a)b" } },
    "invalid_request",
  ],
  ["an unknown model", { task: "t", model: "no/such" }, "model_not_found"],
  [
    "a bad redaction pattern",
    { task: "t", redaction: { custom_patterns: [{ name: "X", pattern: "(" }] } },
    "invalid_pattern",
  ],
])("%s is refused before there is a run", async (_, request, code) => {
  const { runs, caller } = await harness(scriptedModel(() => ({ text: "x" })))
  expect(await refusal(runs.runToEnd(caller, request, never))).toMatchObject({ code })
  expect((await runs.list(caller.view, { page: 1, pageSize: 10 })).total).toBe(0)
  expect(runs.load).toEqual({ running: 0, waiting: 0 })
})

test("private data reaches neither the model nor the record", async () => {
  const model = scriptedModel(
    inOrder([
      call("search_library", { query: "who is jane@example.com" }),
      { text: "Ask bob@example.org or [REDACTED_EMAIL] [1]." },
    ]),
  )
  const { runs, caller } = await harness(model, [
    { id: "file_a", name: "x.txt", text: "who to ask: carol@example.net" },
  ])
  const redaction = { enabled: true, kinds: ["EMAIL"] }
  const run = await runs.runToEnd(caller, { task: "Write to alice@example.com", redaction }, never)
  const everything = JSON.stringify([run, model.requests.map(request => request.turns)])
  for (const name of ["alice", "bob", "carol", "jane"]) expect(everything).not.toContain(`${name}@`)
  expect(run.ner_count).toBe(4)
  expect(run.output).toBe("Ask [REDACTED_EMAIL] or [REDACTED_EMAIL] [1].")
  expect(run.steps[0]!.arguments).toEqual({ query: "who is [REDACTED_EMAIL]" })
  expect(model.requests[1]!.turns.at(-1)!.content).toContain("[REDACTED_EMAIL]")
})

test("a name that was recognised once in a run stays redacted, where nothing around it gives it away", async () => {
  const entityModel = {
    model: "none",
    find: async (text: string) =>
      [...text.matchAll(/(?<=contact is )\p{Lu}\p{L}+ \p{Lu}\p{L}+/gu)].map(({ index, 0: name }) => ({
        kind: "NAME" as const,
        start: index,
        end: index + name.length,
        score: 0.9,
      })),
    close: async () => {},
  }
  const model = scriptedModel(
    inOrder([
      call("search_library", { query: "contact" }),
      call("search_library", { query: "Ada Lovelace" }),
      { text: "Ada Lovelaces Ada Lovelace." },
    ]),
  )
  const { runs, caller } = await harness(
    model,
    [{ id: "file_a", name: "x.txt", text: "The contact is Ada Lovelace" }],
    {
      redactor: new Redactor({ entityModel }),
    },
  )
  const run = await runs.runToEnd(caller, { task: "Who?", redaction: { kinds: ["NAME"] } }, never)
  expect(run.steps[1]!.arguments).toEqual({ query: "[REDACTED_NAME]" })
  expect(run.output).toBe("Ada Lovelaces [REDACTED_NAME].")
})

test("external tools get redacted arguments", async () => {
  const seen: unknown[] = []
  const mail = {
    name: "x.mail",
    description: "",
    parameters: { type: "object" },
    external: true,
    execute: async (args: unknown) => `sent as number ${seen.push(args)}`,
  }
  const { runs, caller } = await harness(
    scriptedModel(inOrder([call("x.mail", { to: "eve@example.com" }), { text: "ok" }])),
    [],
    { external: providerOf(mail) },
  )
  await runs.runToEnd(caller, { task: "t", tools: ["x.mail"], redaction: { kinds: ["EMAIL"] } }, never)
  expect(seen).toEqual([{ to: "[REDACTED_EMAIL]" }])
})

test("without native tool calling the text protocol carries calls, repairs and the answer", async () => {
  const model = scriptedModel(
    inOrder([
      { text: '{"tool_calls": [{"name": "calculate", "arguments": {"expression": "6*7"}}]' },
      { text: '```json\n{"tool_calls": [{"name": "calculate", "arguments": {"expression": "6*7"}}]}\n```' },
      { text: '{"final_answer": "It is 42."}' },
    ]),
  )
  const { runs, caller } = await harness(model, [], { info: { capabilities: ["chat"] } })
  const run = await runs.runToEnd(caller, { task: "6*7?" }, never)
  expect(run).toMatchObject({ status: "completed", output: "It is 42." })
  expect(run.steps).toMatchObject([{ name: "calculate", result: "42", is_error: false }])
  expect(model.requests[0]!.tools).toBeUndefined()
  expect(model.requests[0]!.turns[0]!.content).toContain("tool_calls")
  expect(model.requests[1]!.turns.at(-1)!.content).toContain("not valid JSON")
  expect(model.requests[2]!.turns.at(-1)!.content).toContain("42")
})

test("a model that only ever writes broken calls ends after a bounded number of repairs", async () => {
  const model = scriptedModel(() => ({ text: '{"tool_calls": [' }))
  const { runs, caller } = await harness(model, [], { info: { capabilities: ["chat"] } })
  const run = await runs.runToEnd(caller, { task: "t", max_steps: 50 }, never)
  expect(run.status).toBe("completed")
  expect(model.requests.length).toBeLessThan(6)
})

const deep = (levels: number, open = "[", close = "]") => open.repeat(levels) + close.repeat(levels)

test("a reply that is nested too deep is the answer as it stands, and a call in it is told to the model", async () => {
  const answer = `{"final_answer": ${deep(200_000)}}`
  const chatOnly = { info: { capabilities: ["chat" as const] } }
  const { runs, caller } = await harness(
    scriptedModel(() => ({ text: answer })),
    [],
    chatOnly,
  )
  const run = await runs.runToEnd(caller, { task: "t" }, never)
  expect(run).toMatchObject({ status: "completed", output: answer })
  const error = await refusal(runs.runToEnd(caller, { task: "t", output_schema: DAYS }, never))
  expect(error).toMatchObject({ code: "output_schema_violation", status: 422 })
  expect(error.message).toContain("nested deeper than 64 levels")

  const call = `{"tool_calls": [{"name": "calculate", "arguments": {"expression": ${deep(200_000)}}}]}`
  const model = scriptedModel(inOrder([{ text: call }, { text: '{"final_answer": "done"}' }]))
  const second = await harness(model, [], chatOnly)
  expect(await second.runs.runToEnd(second.caller, { task: "t" }, never)).toMatchObject({ output: "done", steps: [] })
  expect(model.requests[1]!.turns.at(-1)!.content).toContain("nested deeper than 64 levels")
})

test("an answer that is cut at the limit is said to be too long, not to be no JSON", async () => {
  const long = JSON.stringify({ days: 90, words: "word ".repeat(150_000) })
  const { runs, caller } = await harness(scriptedModel(() => ({ text: long })))
  const error = await refusal(runs.runToEnd(caller, { task: "t", output_schema: DAYS }, never))
  expect(error).toMatchObject({ code: "output_schema_violation", status: 422 })
  expect(error.message).toContain("too long")
  expect(error.message).not.toContain("not valid JSON")
})

test("a run that gives up early names the turns it took", async () => {
  const { runs, caller } = await harness(scriptedModel(() => ({ text: "  " })))
  const run = await runs.runToEnd(caller, { task: "t", max_steps: 20 }, never)
  expect(run.output).toContain("within 4 turns")
})

test("a call that a small model writes into its text is carried out", async () => {
  const model = scriptedModel(
    inOrder([{ text: '{"name": "calculate", "parameters": {"expression": "2+2"}}' }, { text: "4" }]),
  )
  const { runs, caller } = await harness(model)
  const run = await runs.runToEnd(caller, { task: "2+2?" }, never)
  expect(run.steps).toMatchObject([{ name: "calculate", result: "4" }])
  expect(run.output).toBe("4")
})

test("the window is never passed, however much the tools give", async () => {
  const big = {
    name: "x.big",
    description: "",
    parameters: { type: "object" },
    execute: async (args: unknown) => `${JSON.stringify(args)} ${"word ".repeat(3_500)}`,
  }
  const model = scriptedModel((_, at) => (at < 10 ? call("x.big", { at }) : { text: "done" }))
  const { runs, caller } = await harness(model, [], {
    contextTokens: 8_192,
    external: providerOf(big),
  } as Partial<AgentRunsDependencies>)
  const run = await runs.runToEnd(caller, { task: "the task itself", tools: ["x.big"] }, never)
  expect(run.output).toBe("done")
  for (const request of model.requests) {
    const tokens = request.turns.reduce((sum, turn) => sum + guessTokens(turn.content), 0)
    expect(tokens + request.options.max_tokens!).toBeLessThan(8_192)
    expect(request.turns[1]!.content).toBe("the task itself")
  }
  const [second, last] = [model.requests[1]!, model.requests.at(-1)!]
  expect(second.turns.at(-1)!.content.length).toBeGreaterThan(10_000)
  expect(last.turns.at(-1)!.content.length).toBeGreaterThan(10_000)
})

test("a prompt that the server finds too long is sent again, smaller", async () => {
  const model = scriptedModel((_, at) =>
    at === 0 ? { error: new ContextOverflowError("prompt exceeds context") } : { text: "fits now" },
  )
  const { runs, caller } = await harness(model)
  const run = await runs.runToEnd(caller, { task: "word ".repeat(12_000) }, never)
  expect(run.output).toBe("fits now")
  const [first, second] = model.requests.map(request => request.turns[1]!.content.length)
  expect(second!).toBeLessThan(first! * 0.8)
})

test("a 20-second silence is no failure", async () => {
  if (!Bun.env.SLOW_TESTS) return
  const { runs, caller } = await harness(scriptedModel(() => ({ text: "late", delayMs: 20_000 })))
  expect(await runs.runToEnd(caller, { task: "t" }, never)).toMatchObject({ output: "late" })
}, 30_000)

test("builtin/extractive searches, reads and quotes with citations, without a model", async () => {
  const { runs, caller } = await harness(
    scriptedModel(() => ({ error: new AppError("internal_error") })),
    [FILE],
    { info: { provider: "builtin", value: "builtin/extractive", capabilities: ["chat"] } },
  )
  const run = await runs.runToEnd(caller, { task: "What is the notice period?" }, never)
  expect(run).toMatchObject({ status: "completed", model: "builtin/extractive", finish_reason: "final_answer" })
  expect(run.output).toContain("“The notice period is 90 days.” [1]")
  expect(run.citations).toMatchObject([{ index: 1, file_id: "file_a" }])
  expect(run.steps.map(step => step.name)).toEqual(["search_library", "read_file"])
  const none = await runs.runToEnd(caller, { task: "Zebra?" }, never)
  expect(none.output).toStartWith("Nothing in the library")
  expect(none.output).not.toContain("count")
  const counted = await runs.runToEnd(caller, { task: "How many zebras?" }, never)
  expect(counted.output).toContain("To count or add up, in tables too, a language model is needed: connect one")
  const shaped = await runs.runToEnd(
    caller,
    {
      task: "notice period",
      output_schema: {
        type: "object",
        properties: { answer: { type: "string" } },
        required: ["answer"],
        additionalProperties: false,
      },
    },
    never,
  )
  expect((shaped.structured_output as { answer: string }).answer).toContain("90 days")
  expect(await refusal(runs.runToEnd(caller, { task: "notice period", output_schema: DAYS }, never))).toMatchObject({
    code: "output_schema_violation",
  })
})

test("a disk that is full fails the run and says so", async () => {
  const model = scriptedModel((_, at) => ({ ...call("calculate", { expression: `1+${at}` }), delayMs: 30 }))
  const { runs, caller, store } = await harness(model)
  store.saveSteps = () => Promise.reject(Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" }))
  const error = await refusal(runs.runToEnd(caller, { task: "t" }, never))
  expect(error).toMatchObject({ code: "insufficient_storage", status: 507 })
  const run = await runs.get(caller.view, error.details![0]!.run_id as string)
  expect(run).toMatchObject({ status: "failed", error: { code: "insufficient_storage" } })
  expect(model.requests.length).toBeLessThan(4)
})

test("stopping lets a short run finish and fails a long one as interrupted", async () => {
  const model = scriptedModel(request =>
    String(request.turns[1]!.content) === "short" ? { text: "made it", delayMs: 100 } : { hang: true },
  )
  const { runs, caller } = await harness(model)
  const short = runs.runToEnd(caller, { task: "short" }, never)
  const long = await runs.startDetached(caller, { task: "long" })
  await until(() => model.requests.length === 2)
  await runs.stop(3_000)
  expect(await short).toMatchObject({ output: "made it" })
  expect(await runs.get(caller.view, long.run_id)).toMatchObject({
    status: "failed",
    error: { code: "interrupted" },
  })
  expect(await refusal(runs.runToEnd(caller, { task: "late" }, never))).toMatchObject({ code: "overloaded" })
})
