/** Calls that a person must allow: what waits, who decides, and that nothing is carried out before, or twice. */
import { afterEach, describe, expect, test } from "bun:test"
import { ensureWorkspace } from "../../src/access/keys.ts"
import { wholeOf } from "../../src/access/view.ts"
import { eventsOf, type RunEvent } from "../../src/agents/run-record.ts"
import { RunStore } from "../../src/agents/run-store.ts"
import type { AgentRunsDependencies } from "../../src/agents/runs.ts"
import { enter } from "../../src/nodes/registry.ts"
import { databases } from "../support/databases.ts"
import { rejection } from "../support/rejection.ts"
import { until } from "../support/until.ts"
import { type Harness, inOrder, providerOf, scriptedModel, startHarness, type Turn } from "./support.ts"

const open: Harness[] = []
afterEach(async () => {
  for (const started of open.splice(0)) await started.stop()
})

const never = new AbortController().signal
const call = (name: string, args: Record<string, unknown> = {}): Turn => ({ calls: [{ name, arguments: args }] })

/** A model that makes these calls, then answers; a tool that notes what it was given. */
async function start(turns: Turn[], more: Partial<AgentRunsDependencies> = {}) {
  const effects: unknown[] = []
  const tool = (name: string, needsApproval: boolean) => ({
    name,
    description: "",
    parameters: { type: "object" },
    changes: true,
    needsApproval,
    execute: async (args: unknown) => String(effects.push({ [name]: args })),
  })
  const external = providerOf(tool("ext.send", true), tool("ext.look", false))
  const model = scriptedModel(inOrder([...turns, { text: "Done." }]))
  const harness = await startHarness(model, [], { external, ...more })
  open.push(harness)
  const { runs, caller } = harness
  const begin = async (more: object = {}) => {
    const request = { task: "Send it", tools: ["ext.send", "ext.look", "calculate"], ...more }
    const run = await runs.runToEnd(caller, request, never)
    return { run, id: run.run_id, approval: run.approvals[0]! }
  }
  const ended = (id: string) =>
    until(async () => {
      const run = await runs.get(caller.view, id)
      return run.finished_at !== null && run
    })
  const decide = (id: string, approval: string, decision: "approve" | "deny", reason?: string) =>
    runs.decide(caller.view, id, approval, { decision, ...(reason ? { reason } : {}) })
  return { ...harness, model, effects, begin, ended, decide }
}

const SEND = call("ext.send", { to: "ada@example.org" })

test("a call waits until it is approved, is carried out once, and the run goes on; a blocking call is answered meanwhile", async () => {
  const { begin, effects, decide, ended, runs, caller, database } = await start([SEND])
  const { run, id, approval } = await begin()
  expect(run).toMatchObject({ status: "waiting_for_approval", finished_at: null, output: "" })
  expect(approval).toMatchObject({
    tool: "ext.send",
    arguments: { to: "ada@example.org" },
    status: "pending",
    step: 1,
    decided_by: null,
  })
  const waiting = { page: 1, pageSize: 9, states: ["waiting_for_approval" as const] }
  expect((await runs.list(caller.view, waiting)).data).toMatchObject([{ run_id: id, status: "waiting_for_approval" }])
  expect((await runs.list(caller.view, { ...waiting, states: ["running"] })).total).toBe(0)
  expect(effects).toEqual([])
  const [first, second] = await Promise.all([
    decide(id, approval.id, "approve", "It is right."),
    decide(id, approval.id, "approve", "It is right."),
  ])
  expect(first).toEqual(second)
  expect(first).toMatchObject({ status: "approved", reason: "It is right." })
  const done = await ended(id)
  expect(done).toMatchObject({ status: "completed", output: "Done.", steps: [{ is_error: false, result: "1" }] })
  expect(effects).toEqual([{ "ext.send": { to: "ada@example.org" } }])
  expect(await decide(id, approval.id, "approve")).toMatchObject({ status: "approved" })
  expect(await rejection(decide(id, approval.id, "deny"))).toMatchObject({ code: "conflict" })
  const told = await database.selectFrom("events").select(["type", "data"]).orderBy("seq").execute()
  expect(told.map(({ type }) => type)).toEqual(["run.waiting_for_approval", "run.completed"])
  expect(JSON.parse(told[0]!.data)).toEqual({ id, approval_id: approval.id, tool: "ext.send" })
})

test("a denied call is told to the model with the reason, has no effect, and is not asked for again", async () => {
  const { begin, effects, decide, ended, model } = await start([SEND, SEND])
  const { id, approval } = await begin()
  await decide(id, approval.id, "deny", "Not to her.")
  const run = await ended(id)
  expect(run.status).toBe("completed")
  expect(run.approvals).toHaveLength(1)
  expect(run.steps.map(({ is_error }) => is_error)).toEqual([true, true])
  expect(model.requests[1]!.turns.at(-1)!.content).toContain("a person denied it, saying: Not to her.")
  expect(effects).toEqual([])
  expect(await rejection(decide(id, approval.id, "approve"))).toMatchObject({ code: "conflict" })
})

test("calls that need no approval go on beside one that waits", async () => {
  const both: Turn = { calls: [...SEND.calls!, ...call("ext.look", { at: 1 }).calls!] }
  const { begin, effects, decide, ended } = await start([both])
  const { id, approval } = await begin()
  await until(async () => effects.length === 1)
  expect(effects).toEqual([{ "ext.look": { at: 1 } }])
  await decide(id, approval.id, "approve")
  await ended(id)
  expect(effects).toHaveLength(2)
})

test("nobody decides in time: the call is refused and the run goes on", async () => {
  const { begin, effects, ended } = await start([SEND])
  const { id } = await begin({ approval_timeout_seconds: 1 })
  const run = await ended(id)
  expect(run).toMatchObject({ status: "completed", approvals: [{ status: "expired", decided_by: null }] })
  expect(run.steps[0]!.result).toContain("nobody approved it in time")
  expect(effects).toEqual([])
})

test("the time of the run stands still while it waits, and it holds no place among those that go", async () => {
  const { begin, decide, ended, runs, caller } = await start([SEND], { concurrency: 1 })
  const { id, approval } = await begin({ timeout_seconds: 2 })
  const other = await runs.runToEnd(caller, { task: "Another", tools: [] }, never)
  expect(other.status).toBe("completed")
  expect(runs.load).toEqual({ running: 0, waiting: 0 })
  await Bun.sleep(2_500)
  expect((await runs.get(caller.view, id)).status).toBe("waiting_for_approval")
  await decide(id, approval.id, "approve")
  expect(await ended(id)).toMatchObject({ status: "completed" })
  expect(runs.load).toEqual({ running: 0, waiting: 0 })
})

test("cancelled while it waits: the approval is void and nothing is carried out", async () => {
  const { begin, effects, decide, runs, caller } = await start([SEND])
  const { id, approval } = await begin()
  expect(await runs.cancel(caller.view, id)).toMatchObject({
    status: "cancelled",
    approvals: [{ status: "cancelled" }],
    steps: [{ is_error: true }],
  })
  expect(await rejection(decide(id, approval.id, "approve"))).toMatchObject({ code: "conflict" })
  expect(effects).toEqual([])
})

test("the stream tells of each approval, and tells the same to whoever reads it later", async () => {
  const { begin, decide, ended, runs, caller } = await start([SEND])
  const { id, approval } = await begin()
  const seen: RunEvent[] = []
  const following = (async () => {
    for await (const event of runs.follow(caller.view, id, 0, never)) seen.push(event)
  })()
  await until(async () => seen.some(({ event }) => event === "approval_requested"))
  await decide(id, approval.id, "approve")
  await ended(id)
  await following
  expect(new Set(seen.map(({ event }) => event))).toEqual(
    new Set<RunEvent["event"]>([
      "run_started",
      "step_started",
      "approval_requested",
      "approval_decided",
      "step_completed",
      "run_finished",
      "done",
    ]),
  )
  expect(seen.map(({ id }) => id)).toEqual(seen.map((_, at) => at + 1))
  const again: RunEvent[] = []
  for await (const event of runs.follow(caller.view, id, 0, never)) again.push(event)
  expect(again).toEqual(seen)
})

test("a decision that another node takes reaches the run", async () => {
  const { begin, effects, ended, caller, database } = await start([SEND])
  const { id, approval } = await begin()
  const other = new RunStore(database, {
    id: await enter(database, { name: "n", url: null, role: "all", version: "" }),
  })
  await other.approvals.decide(caller.view, id, approval.id, "approve", null)
  expect(await ended(id)).toMatchObject({ status: "completed" })
  expect(effects).toHaveLength(1)
})

test("an approved call is taken once, and never by a node whose run was taken from it", async () => {
  const { begin, store, decide, database } = await start([SEND])
  const { id, approval } = await begin()
  const owner = await enter(database, { name: "n", url: null, role: "all", version: "" })
  await database.updateTable("agent_runs").set({ owner }).where("id", "=", id).execute()
  await decide(id, approval.id, "approve").catch(() => {})
  expect(await store.approvals.take(id, approval.id)).toMatchObject({ status: "cancelled" })
})

test("who does not see the run decides nothing", async () => {
  const { begin, runs, effects, database, caller } = await start([SEND])
  const { id, approval } = await begin()
  const strangers = [
    wholeOf(await ensureWorkspace(database, "other")),
    { ...caller.view, own: { ownerId: "key_9", maker: null, endUser: null } },
    { ...caller.view, own: { ownerId: null, maker: null, endUser: "somebody" } },
  ]
  for (const view of strangers)
    expect(await rejection(runs.decide(view as never, id, approval.id, { decision: "approve" }))).toMatchObject({
      code: "not_found",
    })
  const elsewhere = await rejection(runs.decide(caller.view, id, "appr_none", { decision: "approve" }))
  expect(elsewhere).toMatchObject({ code: "not_found" })
  expect(effects).toEqual([])
})

test("under redaction the approval shows what the tool would get, and a reason is stored and told redacted", async () => {
  const { begin, decide, ended, database, model } = await start([SEND])
  const { id, approval } = await begin({ redaction: true })
  expect(approval.arguments).toEqual({ to: "[REDACTED_EMAIL]" })
  await decide(id, approval.id, "deny", "Ask eve@example.org first")
  const run = await ended(id)
  expect(run.approvals[0]!.reason).toBe("Ask [REDACTED_EMAIL] first")
  expect(JSON.stringify(await database.selectFrom("agent_approvals").selectAll().execute())).not.toContain("eve@")
  expect(JSON.stringify(model.requests)).not.toContain("eve@")
})

describe.each(await databases())("approvals in $name", ({ open: openDatabase }) => {
  test("of decisions at once one counts, the call is taken once, and the end of the run voids what is pending", async () => {
    await using stack = new AsyncDisposableStack()
    const database = await openDatabase(stack)
    const view = wholeOf(await ensureWorkspace(database, "default"))
    const node = { name: "n", url: null, role: "all", version: "" } as const
    const [mine, other] = await Promise.all(
      [1, 2].map(async () => new RunStore(database, { id: await enter(database, node) })),
    )
    const described = { task: "t", model: "m", request: {}, additionalMetadata: {}, nerCount: 0 } as never
    const now = new Date()
    const runId = await mine!.insert(
      { view, keyId: "k", endUser: null, described, startedAt: now, deadlineAt: now },
      undefined,
    )
    const asked = (seconds: number) =>
      ({
        step: 1,
        tool: "x.y",
        arguments: { a: 1 },
        expiresAt: new Date(Date.now() + seconds * 1_000).toISOString(),
      }) as never
    const FROM = {} as never
    expect(await other!.approvals.ask(runId, asked(60), FROM)).toBeUndefined()
    const id = (await mine!.approvals.ask(runId, asked(60), FROM))!
    expect(await mine!.approvals.take(runId, id)).toBeUndefined()
    const decisions = await Promise.allSettled(
      [mine, other, mine, other].map((store, at) =>
        store!.approvals.decide(view, runId, id, at < 2 ? "approve" : "deny", null),
      ),
    )
    const counted = decisions.filter(({ status }) => status === "fulfilled")
    expect(counted).toHaveLength(2)
    const { status } = (await mine!.find(runId))!.approvals[0]!
    const taken = await Promise.all([1, 2, 3].map(() => mine!.approvals.take(runId, id)))
    if (status === "approved") expect(taken.filter(each => each!.status === "approved")).toHaveLength(1)
    else expect(taken.map(each => each!.status)).toEqual(["denied", "denied", "denied"])
    const late = (await mine!.approvals.ask(runId, asked(-1), FROM))!
    expect(await rejection(other!.approvals.decide(view, runId, late, "approve", null))).toMatchObject({
      code: "conflict",
    })
    expect(await mine!.approvals.take(runId, late)).toMatchObject({ status: "expired" })
    await mine!.approvals.ask(runId, asked(60), FROM)
    expect(await other!.ownerOf(runId)).toMatchObject({ isRunning: true, isWaiting: true })
    await mine!.endCancelled(runId, "over")
    const found = (await other!.find(runId))!
    expect(found.approvals.map(each => each.status)).toEqual([status, "expired", "cancelled"])
    const numbers = eventsOf(found).map(event => event.id)
    expect(numbers).toEqual(numbers.map((_, at) => at + 1))
    expect(await mine!.delete(view, runId, undefined)).toMatch(/^rcpt_/)
    expect(await database.selectFrom("agent_approvals").select("id").execute()).toEqual([])
  })
})
