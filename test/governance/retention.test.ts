/** What rules find due goes, once its time is over, and nothing else does. */
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, setSystemTime, test } from "bun:test"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"
import { until } from "../support/until.ts"

setDefaultTimeout(60_000)
const DAY_MS = 24 * 3_600_000
const root = realpathSync(mkdtempSync(join(tmpdir(), "carrel-retention-")))
let app: TestApp
let client: Client
let count = 0

beforeAll(async () => {
  app = await startTestApp({ "source-root": root })
})
afterEach(() => void setSystemTime())
afterAll(async () => {
  await app.stop()
  rmSync(root, { recursive: true, force: true })
})

const fresh = async () => {
  client = await app.client(`workspace-${++count}`)
}
/** Of this test; the clock of another one may be ahead of it. */
const later = (days: number) => setSystemTime(new Date(Date.now() + days * DAY_MS))
const file = async (name: string, fields: Record<string, string> = {}) =>
  (await client.index([{ name, data: `The ${name} heron stands in the reeds.` }], fields))[0].id as string
const talk = async (fields: Record<string, unknown> = {}) => {
  const { body } = await client.post("/start-conversation", { message: "Where does the heron stand?", ...fields })
  return body.conversation_id as string
}
const run = async (fields: Record<string, unknown> = {}) =>
  (await client.post("/agents/run", { task: "Where does the heron stand?", ...fields })).body.run_id as string
const rules = (...given: object[]) => client.send("PUT", "/retention", { rules: given })
const preview = async (...given: object[]) =>
  (await client.post("/retention/preview", given.length > 0 ? { rules: given } : undefined)).body.counts
const NONE = { conversations: 0, runs: 0, files: 0, events: 0, audit: 0 }
/** The pass that began after this moment is over. */
const applied = async () => {
  const since = new Date().toISOString()
  return until(async () => {
    const { last_applied } = (await client.get("/retention")).body
    return last_applied && last_applied.started_at >= since && last_applied
  })
}
const isThere = async (path: string) => (await client.get(path)).status === 200

test("what is over its time goes, and what is younger, elsewhere or held stays", async () => {
  await fresh()
  const old = {
    talk: await talk(),
    elsewhere: await talk({ context_id: "keep" }),
    run: await run(),
    held: await run({ end_user: "ana" }),
    file: await file("old.txt", { tags: "draft" }),
    untagged: await file("untagged.txt"),
    heldFile: await file("held.txt", { tags: "draft", metadata: '{"case":14}' }),
  }
  await client.post("/holds", { name: "Ana", end_user: "ana" })
  await client.post("/holds", { name: "Case", filter: { type: "eq", key: "metadata.case", value: 14 } })
  const draft = { type: "eq", key: "file.tags", value: "draft" }
  const given = [
    { kind: "conversations", after_days: 30, context_id: "go" },
    { kind: "runs", after_days: 30 },
    { kind: "files", after_days: 30, filter: draft },
    { kind: "files", after_days: 60, filter: draft },
  ]
  const going = await talk({ context_id: "go" })
  later(31)
  const young = {
    talk: await talk({ context_id: "go" }),
    run: await run(),
    file: await file("young.txt", { tags: "draft" }),
  }
  await client.post("/send", { conversation_id: old.talk, message: "And now?", context_id: "go" }) // it is used again
  expect(await preview(...given)).toEqual({ ...NONE, conversations: 1, runs: 1, files: 1 })
  expect((await rules(...given)).body).toMatchObject({ rules: given })
  expect(await preview()).toEqual({ ...NONE, conversations: 1, runs: 1, files: 1 })
  const { counts } = await applied()
  expect(counts).toEqual({ ...NONE, conversations: 1, runs: 1, files: 1 })
  for (const path of [`/conversations/${going}`, `/agents/runs/${old.run}`, `/libraries/${old.file}`])
    expect([path, await isThere(path)]).toEqual([path, false])
  for (const path of [
    ...[`/conversations/${old.talk}`, `/conversations/${old.elsewhere}`, `/conversations/${young.talk}`],
    ...[`/agents/runs/${old.held}`, `/agents/runs/${young.run}`],
    ...[`/libraries/${old.untagged}`, `/libraries/${old.heldFile}`, `/libraries/${young.file}`],
  ])
    expect([path, await isThere(path)]).toEqual([path, true])
  const { data } = (await client.get("/events?types=retention.applied,file.deleted")).body
  const applications = data.filter((event: { type: string }) => event.type === "retention.applied")
  expect(applications.map((event: { data: object }) => event.data)).toEqual([
    { id: expect.stringMatching(/^rpass_/), counts },
  ])
  const [deleted] = data.filter((event: { type: string }) => event.type === "file.deleted")
  expect(deleted.data).toMatchObject({ id: old.file, receipt_id: expect.stringMatching(/^rcpt_/) })
})

test("rules are applied every hour, tell of nothing where nothing was due, and no more once they are gone", async () => {
  await fresh()
  const [first, second] = [await file("first.txt"), await file("second.txt")]
  await rules({ kind: "files", after_days: 10 })
  expect((await applied()).counts).toEqual(NONE)
  later(9)
  await client.patch(`/libraries/${second}`, { tags: ["used"] })
  setSystemTime(new Date(Date.now() + DAY_MS + 60_000))
  expect((await applied()).counts).toEqual({ ...NONE, files: 1 })
  expect([await isThere(`/libraries/${first}`), await isThere(`/libraries/${second}`)]).toEqual([false, true])
  expect((await client.get("/events?types=retention.applied")).body.data).toHaveLength(1)
  expect((await rules()).body.rules).toEqual([])
  later(100)
  await Bun.sleep(7_000) // longer than the leader takes to look
  expect(await isThere(`/libraries/${second}`)).toBe(true)
})

test("old events go, but for the newest; not under a hold on everything", async () => {
  await fresh()
  await file("a.txt")
  await file("b.txt")
  const listed = async () => (await client.get("/events")).body.data.length
  expect(await listed()).toBe(2)
  later(3)
  const { body: hold } = await client.post("/holds", { name: "All" })
  expect(await preview({ kind: "events", after_days: 2 })).toEqual(NONE)
  await rules({ kind: "events", after_days: 2 })
  expect((await applied()).counts).toEqual(NONE)
  expect(await listed()).toBe(2)
  await client.delete(`/holds/${hold.id}`)
  expect(await preview({ kind: "events", after_days: 2 })).toEqual({ ...NONE, events: 1 })
  setSystemTime(new Date(Date.now() + 3_700_000))
  expect((await applied()).counts).toEqual({ ...NONE, events: 1 })
})

test("a file of a source that a rule deleted stays away until it changes there", async () => {
  await fresh()
  const folder = join(root, "papers")
  mkdirSync(folder)
  for (const name of ["a.txt", "b.txt"]) writeFileSync(join(folder, name), `The heron of ${name} waits.`)
  const made = await client.post("/sources", { type: "folder", name: "papers", config: { path: folder } })
  const sync = async () => {
    await client.post(`/sources/${made.body.id}/sync`, {})
    await until(async () => (await client.get(`/sources/${made.body.id}`)).body.status === "idle")
    await until(async () => (await client.get("/libraries?status=queued,indexing")).body.pagination.total_items === 0)
    return (await client.get("/libraries")).body.data.map(({ name }: { name: string }) => name).sort()
  }
  expect(await sync()).toEqual(["a.txt", "b.txt"])
  later(20)
  await rules({ kind: "files", after_days: 10 })
  expect((await applied()).counts).toEqual({ ...NONE, files: 2 })
  expect(await sync()).toEqual([])
  const { items } = (await client.get(`/sources/${made.body.id}/coverage`)).body
  expect(items.map((item: { status: string; error: object }) => [item.status, item.error])).toEqual([
    ["skipped", expect.objectContaining({ code: "deleted" })],
    ["skipped", expect.objectContaining({ code: "deleted" })],
  ])
  writeFileSync(join(folder, "b.txt"), "The heron of b.txt has flown.")
  expect(await sync()).toEqual(["b.txt"])
})

describe("rules that cannot be", () => {
  const refusal = async (...given: unknown[]) => {
    const { status, body } = await client.send("PUT", "/retention", { rules: given })
    return [status, body.error?.code, body.error?.details?.[0]?.field]
  }
  const FILTER = { type: "eq", key: "file.tags", value: "draft" }
  test("are refused by their field, and change nothing", async () => {
    await fresh()
    await rules({ kind: "runs", after_days: 5 })
    const bad: [unknown, string][] = [
      [{ kind: "keys", after_days: 1 }, "kind"],
      [{ kind: "runs" }, "after_days"],
      [{ kind: "runs", after_days: 0 }, "after_days"],
      [{ kind: "runs", after_days: 1.5 }, "after_days"],
      [{ kind: "runs", after_days: "3" }, "after_days"],
      [{ kind: "runs", after_days: 40_000 }, "after_days"],
      [{ kind: "runs", after_days: 1, days: 1 }, "days"],
      [{ kind: "runs", after_days: 1, filter: FILTER }, "filter"],
      [{ kind: "events", after_days: 1, context_id: "a" }, "context_id"],
      [{ kind: "files", after_days: 1, context_id: "a b" }, "context_id"],
    ]
    for (const [rule, field] of bad)
      expect([rule, await refusal({ kind: "files", after_days: 1 }, rule)]).toEqual([
        rule,
        [400, "invalid_request", `rules.1.${field}`],
      ])
    expect(await refusal({ kind: "files", after_days: 1, filter: { type: "is", key: "file.name" } })).toEqual([
      ...[422, "invalid_filter", "rules.0.filter.type"],
    ])
    const tooMany = Array.from({ length: 51 }, () => ({ kind: "runs", after_days: 1 }))
    expect((await refusal(...tooMany))[0]).toBe(400)
    expect((await client.get("/retention")).body.rules).toEqual([
      { kind: "runs", after_days: 5, context_id: null, filter: null },
    ])
  })

  test("and those of callers who do not see the whole workspace are forbidden", async () => {
    await fresh()
    await file("a.txt")
    const callers = [
      await app.client(`workspace-${count}`, { context_ids: ["garage"] }),
      await app.client(`workspace-${count}`, { scopes: ["files:write"] }),
      await client.scoped({ end_user: "ana" }),
    ]
    for (const each of callers) {
      expect((await each.send("PUT", "/retention", { rules: [] })).status).toBe(403)
      expect((await each.get("/retention")).status).toBe(403)
      expect((await each.post("/retention/preview", { rules: [{ kind: "files", after_days: 1 }] })).status).toBe(403)
    }
  })
})
