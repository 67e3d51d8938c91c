/** Runs that wait for a person while their daemon ends: they wait on, and go on from their rows. */
import { afterEach, describe, expect, test } from "bun:test"
import type { RunEvent } from "../../src/agents/run-record.ts"
import type { AgentRuns, AgentRunsDependencies } from "../../src/agents/runs.ts"
import type { ModelInfo } from "../../src/backends/backend.ts"
import { rejection } from "../support/rejection.ts"
import { until } from "../support/until.ts"
import { type Harness, inOrder, providerOf, scriptedModel, startHarness, type Turn } from "./support.ts"

const open: { stop(graceMs: number): Promise<void> }[] = []
afterEach(async () => {
  for (const started of open.splice(0).reverse()) await started.stop(0)
})

const never = new AbortController().signal
const call = (name: string, args: Record<string, unknown> = {}) => ({ name, arguments: args })
const SEND = call("ext.send", { to: "ada@example.org" })

const FILES = [
  { id: "file_1", text: "The heron counts boats." },
  { id: "file_2", text: "A gull sleeps." },
]

type More = Partial<AgentRunsDependencies> & { info?: Partial<ModelInfo> }

/** A model that says these turns, then answers; tools that note what they were given. */
async function start(turns: Turn[], more: More = {}) {
  const effects: unknown[] = []
  const tool = (name: string, needsApproval: boolean) => ({
    ...{ name, description: "", parameters: { type: "object" }, changes: true, needsApproval },
    execute: async (args: Record<string, unknown>) => {
      effects.push({ [name]: args })
      if (args.hang) await Promise.withResolvers().promise
      return `did ${effects.length}`
    },
  })
  const there = providerOf(tool("ext.send", true), tool("ext.look", false))
  const gone = { tools: false }
  const external = { ...there, tools: async () => (gone.tools ? [] : there.tools()) }
  const model = scriptedModel(inOrder([...turns, { text: "Done." }]))
  const harness: Harness = await startHarness(model, FILES, {
    external,
    ...more,
  })
  open.push(harness)
  const { caller } = harness
  const begin = async (more: object = {}) => {
    const request = { task: "Send it", tools: ["ext.send", "ext.look", "calculate", "search_library"], ...more }
    const run = await harness.runs.runToEnd(caller, request, never)
    expect(run.status).toBe("waiting_for_approval")
    return { run, id: run.run_id, approval: run.approvals.at(-1)! }
  }
  /** The first process never hears of it, as after a `kill -9`. */
  const restart = async () => {
    const next = await harness.secondProcess()
    open.push(next)
    expect(await next.recover()).toEqual([])
    harness.runs.abandon()
    return next
  }
  const ended = (runs: AgentRuns, id: string) =>
    until(async () => {
      const run = await runs.get(caller.view, id)
      return run.finished_at !== null && run
    })
  const approve = (runs: AgentRuns, id: string, approval: string) =>
    runs.decide(caller.view, id, approval, { decision: "approve" })
  return { ...harness, gone, model, effects, begin, restart, ended, approve }
}

for (const native of [true, false])
  describe(native ? "a model that calls tools" : "a model that writes the text protocol", () => {
    const info: Partial<ModelInfo> = native ? {} : { capabilities: ["chat"] }
    const turn = (...calls: { name: string; arguments: Record<string, unknown> }[]): Turn =>
      native ? { calls } : { text: JSON.stringify({ tool_calls: calls }) }

    test("goes on from what was done: no call and no turn is repeated, and it reads what it would have read", async () => {
      const turns = [
        turn(call("calculate", { expression: "20+3" }), call("search_library", { query: "heron" })),
        turn(call("ext.look", { at: 1 }), SEND, call("calculate", { expression: "1+1" })),
        turn(call("calculate", { expression: "20+3" }), call("calculate", { expression: "1+1" })),
        turn(call("search_library", { query: "gull" })),
        { text: native ? "Done [1]." : JSON.stringify({ final_answer: "Done [1]." }) },
      ]
      const undisturbed = await start(turns, { info })
      const first = await undisturbed.begin()
      await undisturbed.approve(undisturbed.runs, first.id, first.approval.id)
      const wanted = await undisturbed.ended(undisturbed.runs, first.id)

      const { begin, restart, ended, approve, effects, model, caller } = await start(turns, { info })
      const { run, id, approval } = await begin()
      await until(() => effects.length === 1)
      const next = await restart()
      const waiting = await next.get(caller.view, id)
      expect(waiting).toMatchObject({ status: "waiting_for_approval", approvals: run.approvals })
      expect(model.requests).toHaveLength(2)
      await approve(next, id, approval.id)
      const done = await ended(next, id)
      expect(done).toMatchObject({ status: "completed", output: "Done [1].", usage: wanted.usage })
      expect(done.citations).toEqual(wanted.citations)
      expect(done.citations).toHaveLength(1)
      const told = (steps: typeof done.steps) => steps.map(({ name, result, is_error }) => ({ name, result, is_error }))
      expect(told(done.steps)).toEqual(told(wanted.steps))
      expect(effects).toEqual([{ "ext.look": { at: 1 } }, { "ext.send": SEND.arguments }])
      expect(model.requests.map(({ turns }) => turns)).toEqual(undisturbed.model.requests.map(({ turns }) => turns))
    })
  })

test("a refusal after the restart is told to the model, and nothing is asked for again", async () => {
  const { begin, restart, ended, effects, model, caller } = await start([{ calls: [SEND] }, { calls: [SEND] }])
  const { id, approval } = await begin()
  const next = await restart()
  await next.decide(caller.view, id, approval.id, { decision: "deny", reason: "Not to her." })
  const run = await ended(next, id)
  expect(run).toMatchObject({ status: "completed", approvals: [{ status: "denied" }] })
  expect(model.requests[1]!.turns.at(-1)!.content).toContain("a person denied it, saying: Not to her.")
  expect(run.steps.map(({ is_error }) => is_error)).toEqual([true, true])
  expect(effects).toEqual([])
})

test("what a person refused before the restart is not asked for after it", async () => {
  const second = call("ext.send", { to: "eve@example.org" })
  const { begin, restart, ended, approve, runs, effects, caller } = await start([
    { calls: [SEND] },
    { calls: [second] },
    { calls: [SEND] },
  ])
  const { id, approval } = await begin()
  await runs.decide(caller.view, id, approval.id, { decision: "deny" })
  const waiting = await until(async () => {
    const { approvals } = await runs.get(caller.view, id)
    return approvals[1]
  })
  const next = await restart()
  await approve(next, id, waiting.id)
  expect((await ended(next, id)).approvals.map(({ status }) => status)).toEqual(["denied", "approved"])
  expect(effects).toEqual([{ "ext.send": second.arguments }])
})

test("a decision that was stored when the daemon died is carried out after the next start", async () => {
  const { begin, restart, ended, store, effects, caller, runs } = await start([{ calls: [SEND] }])
  const { id, approval } = await begin()
  runs.abandon() // it hears of nothing any more
  await store.approvals.decide(caller.view, id, approval.id, "approve", null)
  const next = await restart()
  expect(await ended(next, id)).toMatchObject({ status: "completed" })
  expect(effects).toHaveLength(1)
})

test("a call that was taken is never carried out again: what had begun when the daemon died is told so", async () => {
  const slow = call("ext.send", { hang: true })
  const { begin, restart, ended, approve, effects, model, runs, caller, database } = await start([
    { calls: [slow, SEND, call("ext.look", { hang: true })] },
  ])
  const { id } = await begin()
  const { approvals } = await until(async () => {
    const run = await runs.get(caller.view, id)
    return run.approvals.length === 2 && run
  })
  const of = (args: object) => approvals.find(each => JSON.stringify(each.arguments) === JSON.stringify(args))!.id
  await approve(runs, id, of(slow.arguments))
  await until(() => effects.length === 2)
  const next = await restart()
  expect((await next.get(caller.view, id)).status).toBe("waiting_for_approval")
  await approve(next, id, of(SEND.arguments))
  const run = await ended(next, id)
  expect(run.steps.map(({ result }) => result)).toEqual([
    "The call was cut off when the daemon ended. Whether it had an effect is not known.",
    "did 3",
    "The call was cut off when the daemon ended. Whether it had an effect is not known.",
  ])
  expect(effects).toHaveLength(3)
  expect(model.requests).toHaveLength(2)
  expect(await database.selectFrom("agent_runs").select("checkpoint").execute()).toEqual([{ checkpoint: null }])
})

test("a run that had all its answers when its daemon died has failed, as one that was going", async () => {
  const { begin, approve, effects, runs, caller, secondProcess } = await start([
    { calls: [call("ext.send", { hang: true })] },
  ])
  const { id, approval } = await begin()
  await approve(runs, id, approval.id)
  await until(() => effects.length === 1)
  const next = await secondProcess()
  expect(await next.recover()).toEqual([id])
  expect(await next.get(caller.view, id)).toMatchObject({ status: "failed", error: { code: "interrupted" } })
})

test("nobody decides while the daemon is down: the call is refused after the start, and the run goes on", async () => {
  const { begin, restart, ended, runs, effects } = await start([{ calls: [SEND] }])
  const { id } = await begin({ approval_timeout_seconds: 1 })
  runs.abandon()
  await Bun.sleep(1_100) // the time of the approval
  const run = await ended(await restart(), id)
  expect(run).toMatchObject({ status: "completed", approvals: [{ status: "expired" }] })
  expect(effects).toEqual([])
})

test("the time of the run stands still while the daemon is down, and goes on afterwards", async () => {
  const { begin, restart, ended, approve } = await start([{ calls: [SEND] }, { hang: true }])
  const { id, approval } = await begin({ timeout_seconds: 2 })
  await Bun.sleep(2_100) // longer than the run may go
  const next = await restart()
  await approve(next, id, approval.id)
  const run = await ended(next, id)
  expect(run).toMatchObject({ status: "timed_out", steps: [{ is_error: false }] })
})

test("it is cancelled, watched and taken up again at the next start, as often as the daemon ends", async () => {
  const { begin, restart, runs, effects, caller } = await start([{ calls: [SEND] }])
  const { id, approval } = await begin()
  const seen: RunEvent[] = []
  const watch = async (runs: AgentRuns) => {
    for await (const event of runs.follow(caller.view, id, seen.at(-1)?.id ?? 0, never)) seen.push(event)
  }
  let watching = watch(runs)
  await until(() => seen.some(({ event }) => event === "approval_requested"))
  await runs.stop(60_000)
  await watching // the stream of the daemon that ends is over, without an end of the run
  expect(seen.map(({ event }) => event)).toEqual(["run_started", "step_started", "approval_requested"])
  await (await restart()).stop(60_000)
  const next = await restart()
  watching = watch(next)
  expect((await next.get(caller.view, id)).status).toBe("waiting_for_approval")
  expect(next.load).toEqual({ running: 0, waiting: 0 })
  expect(await next.cancel(caller.view, id)).toMatchObject({
    status: "cancelled",
    approvals: [{ status: "cancelled" }],
  })
  await watching
  expect(seen.at(-1)).toMatchObject({ event: "done" })
  expect(seen.map(({ id }) => id)).toEqual(seen.map((_, at) => at + 1))
  expect(await rejection(next.decide(caller.view, id, approval.id, { decision: "approve" }))).toMatchObject({
    code: "conflict",
  })
  expect(effects).toEqual([])
})

test("of nodes that take over at once one carries it on, and who decides elsewhere reaches it", async () => {
  const { begin, secondProcess, runs, ended, approve, effects, model, database } = await start([{ calls: [SEND] }])
  const { id, approval } = await begin()
  runs.abandon()
  const others = [await secondProcess(), await secondProcess()]
  open.push(...others)
  const { owner } = await database.selectFrom("agent_runs").select("owner").executeTakeFirstOrThrow()
  await database.updateTable("nodes").set({ ended_at: null }).where("id", "!=", owner).execute() // each ended the one before
  await Promise.all([...others, ...others].map(each => each.recover()))
  expect(others.flatMap(({ here }) => here.all)).toHaveLength(1)
  await approve(others[0]!, id, approval.id)
  expect(await ended(others[1]!, id)).toMatchObject({ status: "completed" })
  expect(effects).toHaveLength(1)
  expect(model.requests).toHaveLength(2)
})

test("a node that others took for dead, and does not know it, does not carry its own run out twice", async () => {
  const { begin, runs, ended, approve, effects, model, database } = await start([{ calls: [SEND] }])
  const { id, approval } = await begin()
  await database.updateTable("nodes").set({ ended_at: new Date().toISOString() }).execute()
  const [carried] = runs.here.all
  expect(await runs.recover()).toEqual([])
  expect(runs.here.all[0]).toBe(carried!)
  await approve(runs, id, approval.id)
  expect(await ended(runs, id)).toMatchObject({ status: "completed" })
  expect(effects).toHaveLength(1)
  expect(model.requests).toHaveLength(2)
})

test("a tool whose server is gone meanwhile is told to the model as such", async () => {
  const { begin, restart, ended, approve, effects, gone } = await start([{ calls: [SEND] }])
  const { id, approval } = await begin()
  gone.tools = true
  const next = await restart()
  await approve(next, id, approval.id)
  const run = await ended(next, id)
  expect(run).toMatchObject({ status: "completed", steps: [{ is_error: true }] })
  expect(run.steps[0]!.result).toContain("the server of the tool does not answer any more")
  expect(effects).toEqual([])
})

test("a model that is gone ends the run before the approved call is carried out", async () => {
  const { begin, restart, ended, approve, effects, model } = await start([{ calls: [SEND] }])
  const { id, approval } = await begin()
  const next = await restart()
  model.isGone = true
  await approve(next, id, approval.id)
  expect(await ended(next, id)).toMatchObject({ status: "failed", error: { code: "model_not_found" } })
  expect(effects).toEqual([])
})

test("the text of a deleted file is not in what a run goes on from", async () => {
  const { begin, restart, ended, approve, database, model } = await start([
    { calls: [call("search_library", { query: "heron" })] },
    { calls: [SEND] },
  ])
  const { id, approval } = await begin()
  const { checkpoint } = await database.selectFrom("agent_runs").select("checkpoint").executeTakeFirstOrThrow()
  expect(checkpoint).toContain("file_1")
  expect(checkpoint).not.toContain("heron counts")
  await database.updateTable("agent_steps").set({ result: "[deleted]" }).where("step", "=", 1).execute()
  const next = await restart()
  await approve(next, id, approval.id)
  await ended(next, id)
  expect(JSON.stringify(model.requests[2]!.turns)).not.toContain("heron counts")
})

test("under redaction nothing private is stored, and the run goes on redacted", async () => {
  const turns: Turn[] = [
    { text: "Eve is eve@example.org.", calls: [SEND] },
    { text: "Sent to ada@example.org and bob@example.org." },
  ]
  const { begin, restart, ended, approve, database, effects, model } = await start(turns)
  const { id, approval } = await begin({ redaction: true, task: "Write to mia@example.org" })
  const stored = JSON.stringify(await database.selectFrom("agent_runs").selectAll().execute())
  expect(stored).not.toContain("@example")
  const next = await restart()
  await approve(next, id, approval.id)
  const run = await ended(next, id)
  expect(run.output).toBe("Sent to [REDACTED_EMAIL] and [REDACTED_EMAIL].")
  expect(run.ner_count).toBe(5)
  expect(effects).toEqual([{ "ext.send": { to: "[REDACTED_EMAIL]" } }])
  expect(JSON.stringify(model.requests[1]!.turns)).not.toContain("@example")
})
