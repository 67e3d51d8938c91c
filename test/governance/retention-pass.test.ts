/** A pass over the rules, on both databases: cut short, gone on with, made by two nodes at once. */

import { describe, expect, test } from "bun:test"
import { ensureWorkspace } from "../../src/access/keys.ts"
import { wholeOf } from "../../src/access/view.ts"
import { RunStore } from "../../src/agents/run-store.ts"
import type { AuditEntry } from "../../src/governance/audit/entry.ts"
import { Holds } from "../../src/governance/holds/holds.ts"
import { applyDue } from "../../src/governance/retention/hourly.ts"
import type { PassDependencies, Step } from "../../src/governance/retention/pass.ts"
import { Retention } from "../../src/governance/retention/retention.ts"
import { Idempotency } from "../../src/storage/idempotency.ts"
import { databases } from "../support/databases.ts"
import { rejection } from "../support/rejection.ts"

const KINDS = await databases()
const DAY_MS = 24 * 3_600_000
const RUNS = 40
const SIGNAL = new AbortController().signal
const NONE = { conversations: 0, runs: 0, files: 0, events: 0, audit: 0 }

describe.each(KINDS)("a pass on $name", ({ open }) => {
  async function made(stack: AsyncDisposableStack) {
    const database = await open(stack)
    const workspaceId = await ensureWorkspace(database)
    const view = wholeOf(workspaceId)
    const node = { id: "node_1" }
    const store = new RunStore(database, node)
    const described = { task: "t", model: "m", request: {}, additionalMetadata: {}, nerCount: 0 } as never
    const at = new Date(Date.now() - 10 * DAY_MS)
    const add = async (endUser: string | null = null, finishedAt: string | null = at.toISOString()) => {
      const run = { view, keyId: "k", endUser, described, startedAt: at, deadlineAt: at }
      const id = await store.insert(run, undefined)
      const status = finishedAt ? ("completed" as const) : ("running" as const)
      await database.updateTable("agent_runs").set({ status, finished_at: finishedAt }).where("id", "=", id).execute()
      return id
    }
    const ids: string[] = []
    for (let i = 0; i < RUNS; i++) ids.push(await add())
    const removeRun = ({ id, receipt, check }: Step) => store.delete(view, id, receipt, check)
    const audited: unknown[] = []
    const append = async ({ action, actor, details }: AuditEntry) => void audited.push([action, actor.type, details])
    const audit = { countBefore: async () => 0, forgetBefore: async () => 0, append }
    const never = () => Promise.reject(new Error("no rule is about it"))
    const dependencies = (runs: (step: Step) => Promise<unknown> = removeRun): PassDependencies => ({
      ...{ database, node, audit, removing: { runs, conversations: never, files: never } },
    })
    const retention = new Retention(database, audit)
    await retention.set(view, [{ kind: "runs", after_days: 5 }])
    const left = async () =>
      (await database.selectFrom("agent_runs").select("id").orderBy("id").execute()).map(r => r.id)
    const told = async () => {
      const events = await database
        .selectFrom("events")
        .select("data")
        .where("type", "=", "retention.applied")
        .execute()
      return events.map(({ data }) => JSON.parse(data).counts)
    }
    /** Each thing stands in the receipts as often as it was removed. */
    const receipted = async () =>
      (await database.selectFrom("removals").select("resource_id").orderBy("resource_id").execute()).map(
        r => r.resource_id,
      )
    return { database, workspaceId, view, ids, add, removeRun, dependencies, retention, left, told, receipted, audited }
  }

  test("that is cut short again and again goes on, counts each removal once and tells of them once", async () => {
    await using stack = new AsyncDisposableStack()
    const { ids, add, removeRun, dependencies, retention, view, left, told, receipted, audited } = await made(stack)
    const young = await add(null, new Date().toISOString())
    const going = await add(null, null)
    for (const isCommitted of [false, true, false, true]) {
      let steps = 0
      const dying = async (step: Step) => {
        if (++steps === 8) {
          if (isCommitted) await removeRun(step)
          throw new Error("the power is gone")
        }
        return removeRun(step)
      }
      expect((await rejection(applyDue(dependencies(dying), SIGNAL))).message).toBe("the power is gone")
      expect(await told()).toEqual([])
    }
    expect((await left()).length).toBe(RUNS + 2 - 7 - 8 - 7 - 8)
    await applyDue(dependencies(), SIGNAL)
    expect(await left()).toEqual([young, going].sort())
    expect(await told()).toEqual([{ ...NONE, runs: RUNS }])
    expect(await receipted()).toEqual([...ids].sort())
    expect((await retention.get(view)).last_applied).toMatchObject({ counts: { ...NONE, runs: RUNS } })
    expect(audited).toEqual([["retention.apply", "system", { ...NONE, runs: RUNS }]])
    await applyDue(dependencies(), SIGNAL) // the hour is not over
    expect(await told()).toHaveLength(1)
  })

  test("that two nodes make at once removes each thing once", async () => {
    await using stack = new AsyncDisposableStack()
    const { ids, dependencies, left, told, receipted } = await made(stack)
    await Promise.all([1, 2, 3].map(() => applyDue(dependencies(), SIGNAL)))
    expect(await left()).toEqual([])
    expect(await told()).toEqual([{ ...NONE, runs: RUNS }])
    expect(await receipted()).toEqual([...ids].sort())
  })

  test("ends where the rules are changed meanwhile, and removes nothing more", async () => {
    await using stack = new AsyncDisposableStack()
    const { view, removeRun, dependencies, retention, left, told } = await made(stack)
    let steps = 0
    const changing = async (step: Step) => {
      if (++steps === 6) await retention.set(view, [{ kind: "runs", after_days: 50 }])
      return removeRun(step)
    }
    await applyDue(dependencies(changing), SIGNAL)
    expect([steps, (await left()).length]).toEqual([6, RUNS - 5])
    expect(await told()).toEqual([{ ...NONE, runs: 5 }])
  })

  test("leaves what is held, also since it was found, and what is used again meanwhile", async () => {
    await using stack = new AsyncDisposableStack()
    const { database, view, ids, add, removeRun, dependencies, left, told } = await made(stack)
    const [held, late] = [await add("ana"), await add("bo")]
    const holds = new Holds(database, new Idempotency(database))
    await holds.create(view, { name: "before", end_user: "ana" })
    let steps = 0
    const holding = async (step: Step) => {
      if (++steps === 1) {
        await holds.create(view, { name: "meanwhile", end_user: "bo" })
        const finished_at = new Date().toISOString()
        await database.updateTable("agent_runs").set({ finished_at }).where("id", "=", ids.at(-1)!).execute()
      }
      return removeRun(step)
    }
    await applyDue(dependencies(holding), SIGNAL)
    expect(await left()).toEqual([held, late, ids.at(-1)!].sort())
    expect(await told()).toEqual([{ ...NONE, runs: RUNS - 1 }])
  })

  test("stops between two removals when its node no longer leads", async () => {
    await using stack = new AsyncDisposableStack()
    const { removeRun, dependencies, left, told } = await made(stack)
    const leading = new AbortController()
    let steps = 0
    const losing = async (step: Step) => {
      if (++steps === 3) leading.abort(new Error("another node leads"))
      return removeRun(step)
    }
    expect((await rejection(applyDue(dependencies(losing), leading.signal))).message).toBe("another node leads")
    expect((await left()).length).toBe(RUNS - 3)
    await applyDue(dependencies(), SIGNAL)
    expect(await told()).toEqual([{ ...NONE, runs: RUNS }])
  })
})
