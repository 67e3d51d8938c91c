/** What `/metrics` and the doctor count, on both databases, and what of it the doctor calls a problem. */
import { describe, expect, test } from "bun:test"
import { describeUnattended } from "../../src/commands/doctor-unattended.ts"
import type { Database } from "../../src/storage/database.ts"
import { unfinishedBatches } from "../../src/storage/unattended.ts"
import { databases } from "../support/databases.ts"

const AT = "2026-11-22T00:00:00.000Z"
const SOME = { workspace_id: "ws_1", created_at: AT, updated_at: AT }

const UNTRIED = {
  ...{ begun: 0, round: 0, leftover: null, status_code: null, body: null, is_cut: 0, error: null, finished_at: null },
}

const workspace = (database: Database) =>
  database.insertInto("workspaces").values({ id: "ws_1", name: "default", created_at: AT }).execute()

const source = (database: Database, name: string, more: { outcome?: "failed" | "guarded"; outages?: number }) =>
  database
    .insertInto("sources")
    .values({
      ...{
        id: `src_${name}`,
        name,
        type: "push",
        config: "{}",
        tags: "[]",
        include: "[]",
        exclude: "[]",
        limits: "{}",
      },
      ...{ delete_missing: 1, outcome: null, ...SOME, ...more },
    })
    .execute()

const webhook = (database: Database, name: string, disabled_reason: string | null) =>
  database
    .insertInto("webhooks")
    .values({
      ...{
        id: `whk_${name}`,
        url: `http://127.0.0.1/${name}`,
        description: "",
        secret: "",
        view: "{}",
        holder: "key_1",
      },
      ...{ status: disabled_reason ? "disabled" : "active", disabled_reason, cursor: 0, ...SOME },
    })
    .execute()

const schedule = async (database: Database, name: string, ...runs: ("running" | "completed" | "failed")[]) => {
  const id = `sched_${name}`
  await database
    .insertInto("schedules")
    .values({ id, name, holder_id: "key_1", timing: "{}", request: "{}", paused: 0, ...SOME })
    .execute()
  for (const [at, status] of runs.entries())
    await database
      .insertInto("schedule_runs")
      .values({
        id: `srun_${name}_${at}`,
        schedule_id: id,
        workspace_id: "ws_1",
        request: "{}",
        status,
        started_at: AT,
        ...UNTRIED,
      })
      .execute()
}

const batch = (database: Database, name: string, status: "in_progress" | "completed") =>
  database
    .insertInto("batches")
    .values({
      ...{ id: `batch_${name}`, workspace_id: "ws_1", holder_id: "key_1", input_file_id: "file_1", status },
      ...{
        completion_window: "24h",
        total: 9,
        completed: 2,
        failed: 1,
        created_at: AT,
        expires_at: AT,
        answer_bytes: 0,
      },
    })
    .execute()

describe.each(await databases())("the doctor over what goes on without anybody ($name)", kind => {
  test("says nothing where there is nothing", async () => {
    await using stack = new AsyncDisposableStack()
    expect(await describeUnattended(await kind.open(stack))).toEqual([])
  })

  test("names sources that fail again and again or ask, webhooks that were given up, schedules whose last run failed", async () => {
    await using stack = new AsyncDisposableStack()
    const database = await kind.open(stack)
    await workspace(database)
    await source(database, "well", {})
    await source(database, "away", { outcome: "failed", outages: 3 })
    await source(database, "emptied", { outcome: "guarded" })
    await webhook(database, "hears", null)
    await webhook(database, "gone", "the receiver answered 410")
    await webhook(database, "resting", "somebody disabled it")
    await schedule(database, "good", "failed", "completed", "running")
    await schedule(database, "bad", "completed", "failed")
    await batch(database, "going", "in_progress")
    await batch(database, "done", "completed")
    const findings = await describeUnattended(database)
    expect(findings.map(({ what, state, text }) => [what, state, text])).toEqual([
      ["sources", "ok", "1 of 3 in sync, 0 paused"],
      ["sources", "problem", "the last sync failed: away (src_away)"],
      ["sources", "problem", "so many files are gone that none was deleted: emptied (src_emptied)"],
      ["webhooks", "ok", "1 active, 2 disabled"],
      ["webhooks", "problem", "given up: http://127.0.0.1/gone (the receiver answered 410)"],
      ["schedules", "ok", "2 active, 0 paused"],
      ["schedules", "note", "the last run failed: bad (sched_bad)"],
      ["batches", "ok", "1 not done, with 6 requests to go"],
    ])
    expect((await unfinishedBatches(database)).counts).toContainEqual(["in_progress", 1])
  })

  test("a source that failed once is no problem: it is tried again by itself", async () => {
    await using stack = new AsyncDisposableStack()
    const database = await kind.open(stack)
    await workspace(database)
    await source(database, "away", { outcome: "failed", outages: 1 })
    expect((await describeUnattended(database))[1]).toMatchObject({ what: "sources", state: "note" })
  })
})
