/** Work on many files at once: which files it finds, how far it is, what a crash leaves. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { sql } from "kysely"
import { openSqlite } from "../../src/storage/sqlite/open.ts"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"
import { type Daemon, startDaemon } from "../support/daemon.ts"
import { until } from "../support/until.ts"

setDefaultTimeout(60_000)

let app: TestApp
let client: Client
beforeAll(async () => {
  app = await startTestApp()
  client = await app.client()
}, 60_000)
afterAll(() => app.stop())

const batch = (value: string) => ({ type: "eq", key: "metadata.batch", value })
/** Some files of a batch that nobody else has. */
async function add(name: string, count: number, fields: Record<string, string> = {}): Promise<string[]> {
  const files = Array.from({ length: count }, (_, i) => ({ name: `${name}-${i}.txt`, data: `The heron ${name} ${i}.` }))
  const records = await client.index(files, { metadata: JSON.stringify({ batch: name }), ...fields })
  return records.map(({ id }) => id)
}
const left = async (name: string, by = client): Promise<{ id: string; tags: string[]; metadata: object }[]> =>
  (await by.get(`/libraries?page_size=100&filter=${encodeURIComponent(JSON.stringify(batch(name)))}`)).body.data
const settled = (id: string, by = client) =>
  until(async () => {
    const { body } = await by.get(`/jobs/${id}`)
    return body.finished_at !== null && body
  })
async function carryOut(request: object, by = client) {
  const { status, body } = await by.post("/libraries/bulk", request)
  expect(status).toBe(202)
  return { matched: body.matched, job: await settled(body.job_id, by) }
}

describe("work on many files", () => {
  test("deletes those that pass the filter and no others", async () => {
    await add("gone", 5)
    await add("kept", 2)
    const { matched, job } = await carryOut({ action: "delete", filter: batch("gone") })
    expect(matched).toBe(5)
    expect(job).toMatchObject({ kind: "bulk_delete", status: "completed", done: 5, total: 5, failed: [] })
    expect(await left("gone")).toEqual([])
    expect((await left("kept")).length).toBe(2)
    expect((await client.post("/search", { query: "gone", mode: "keyword" })).body.hits).toEqual([])
  })

  test("patches each as the change of one file does", async () => {
    await add("patched", 3)
    const patch = { tags: ["archive"], metadata: { batch: "patched", seen: true } }
    const { job } = await carryOut({ action: "patch", filter: batch("patched"), patch })
    expect(job).toMatchObject({ kind: "bulk_patch", status: "completed", done: 3, total: 3 })
    const files = await left("patched")
    expect(files.map(({ tags, metadata }) => ({ tags, metadata }))).toEqual(Array(3).fill(patch))
  })

  test("adds and removes tags and fields beside what each file has", async () => {
    await add("beside", 2, { tags: "old,shared" })
    const [other] = await add("beside", 1, { tags: "own", on_duplicate: "keep_both" })
    const patch = {
      add_tags: ["new", "shared"],
      remove_tags: ["old", "missing"],
      add_metadata: { year: 2026 },
      remove_metadata: ["gone"],
    }
    await client.patch(`/libraries/${other}`, { add_metadata: { gone: true, year: 1999, kept: { deep: [1] } } })
    const { job } = await carryOut({ action: "patch", filter: batch("beside"), patch })
    expect(job).toMatchObject({ status: "completed", done: 3, failed: [] })
    const files = await left("beside")
    const [own, ...others] = files.map(({ tags, metadata }) => ({ tags, metadata }))
    expect(own).toEqual({
      tags: ["own", "new", "shared"],
      metadata: { batch: "beside", kept: { deep: [1] }, year: 2026 },
    })
    expect(others).toEqual(Array(2).fill({ tags: ["shared", "new"], metadata: { batch: "beside", year: 2026 } }))
  })

  test("a file that would have too much fails by itself; what contradicts itself is refused at once", async () => {
    await add("full", 1, { tags: Array.from({ length: 100 }, (_, i) => `t${i}`).join(",") })
    await add("full", 1, { on_duplicate: "keep_both" })
    const { job } = await carryOut({ action: "patch", filter: batch("full"), patch: { add_tags: ["more"] } })
    expect([job.status, job.failed.length]).toEqual(["completed", 1])
    expect((await left("full")).map(({ tags }) => tags.length).sort()).toEqual([1, 100])
    for (const patch of [
      { tags: ["a"], add_tags: ["b"] },
      { metadata: {}, remove_metadata: ["b"] },
      { add_tags: ["x".repeat(200)] },
    ]) {
      const { status, body } = await client.post("/libraries/bulk", { action: "patch", filter: batch("full"), patch })
      expect([status, body.error.code]).toEqual([400, "invalid_request"])
    }
  })

  test("goes over all files though the patch takes them out of the filter", async () => {
    await add("before", 3)
    const { job } = await carryOut({
      action: "patch",
      filter: batch("before"),
      patch: { metadata: { batch: "after" } },
    })
    expect(job).toMatchObject({ done: 3, total: 3 })
    expect((await left("after")).length).toBe(3)
  })

  test.each(["delete", "reindex", "patch"])(
    "%s leaves alone what does not pass any more when its turn comes",
    async action => {
      const name = `turn-${action}`
      const [first, second] = await add(name, 2)
      // Both are read as one page; the first, when it is dealt with, takes the second out of the filter.
      const event = action === "delete" ? "delete" : "update of updated_at"
      const database = await openSqlite(app.data)
      const run = (text: string) => sql.raw(text).execute(database)
      await run(`create trigger turn after ${event} on files when old.id = '${first}'
      begin update files set metadata = '{"batch":"out"}' where id = '${second}'; end`)
      const before = (await client.get(`/libraries/${second}`)).body
      const { matched, job } = await carryOut({
        ...{ action, filter: batch(name) },
        ...(action === "patch" ? { patch: { tags: ["late"] } } : {}),
      })
      await run("drop trigger turn")
      await database.destroy()
      expect([matched, job.done, job.failed]).toEqual([2, 1, []])
      expect((await client.get(`/libraries/${second}`)).body).toEqual({ ...before, metadata: { batch: "out" } })
    },
  )

  test.each([
    ["ends with its key", "revoked_at = '2026-01-01T00:00:00Z'", { status: "cancelled", done: 1 }],
    ["does no more than its key may by then", `context_ids = '["none"]'`, { status: "completed", done: 1, total: 1 }],
  ])("%s", async (name, change, ended) => {
    const [first, second] = await add(name.replaceAll(" ", "-"), 2)
    const key = await app.client()
    const database = await openSqlite(app.data)
    const run = (text: string) => sql.raw(text).execute(database)
    await run(`create trigger over after delete on files when old.id = '${first}'
      begin update api_keys set ${change} where id = '${key.key.id}'; end`)
    const filter = { type: "in", key: "file.id", value: [first, second] }
    const { body } = await key.post("/libraries/bulk", { action: "delete", filter })
    expect(await settled(body.job_id)).toMatchObject(ended)
    await run("drop trigger over")
    await database.destroy()
    expect((await client.get(`/libraries/${second}`)).status).toBe(200)
  })

  test("indexes again", async () => {
    const ids = await add("again", 2)
    const { job } = await carryOut({ action: "reindex", filter: batch("again") })
    expect(job).toMatchObject({ kind: "bulk_reindex", status: "completed", done: 2 })
    for (const id of ids) expect(await client.settled(id)).toMatchObject({ status: "searchable" })
  })

  test("says first what it would find, and does nothing", async () => {
    await add("looked-at", 25)
    const { status, body } = await client.post("/libraries/bulk", {
      action: "delete",
      filter: batch("looked-at"),
      dry_run: true,
    })
    expect(status).toBe(200)
    expect(body.matched).toBe(25)
    expect(body.sample).toHaveLength(20)
    expect((await left("looked-at")).length).toBe(25)
  })

  test("does nothing for a field that it does not know, such as a misspelt dry_run", async () => {
    await add("misspelt", 2)
    const asked = { action: "delete", filter: batch("misspelt"), dryrun: true }
    const { status, body } = await client.post("/libraries/bulk", asked)
    expect([status, body.error.code, body.error.details[0].field]).toEqual([400, "invalid_request", "dryrun"])
    expect((await left("misspelt")).length).toBe(2)
  })

  test("completes where nothing passes", async () => {
    const { matched, job } = await carryOut({ action: "delete", filter: batch("nothing") })
    expect(matched).toBe(0)
    expect(job).toMatchObject({ status: "completed", done: 0, total: 0, failed: [] })
  })

  test("reaches no file that its caller does not see, and names those that it may not change", async () => {
    await add("mixed", 2, { context_id: "a" })
    await add("mixed", 1, { context_id: "b" })
    const narrow = await app.client("default", { context_ids: ["a"] })
    const moved = await carryOut({ action: "patch", filter: batch("mixed"), patch: { context_id: "b" } }, narrow)
    expect(moved.matched).toBe(2)
    expect(moved.job).toMatchObject({ status: "completed", done: 2, total: 2 })
    expect(moved.job.failed.sort()).toEqual((await left("mixed", narrow)).map(({ id }) => id).sort())
    expect((await carryOut({ action: "delete", filter: batch("mixed") }, narrow)).matched).toBe(2)
    expect((await left("mixed")).length).toBe(1)
  })

  test("is of its caller: another key that sees less than all, and another workspace, do not find the job", async () => {
    const { body } = await client.post("/libraries/bulk", { action: "delete", filter: batch("nothing") })
    await settled(body.job_id)
    const narrow = await app.client("default", { context_ids: ["a"] })
    const other = await app.client("other")
    for (const each of [narrow, other]) expect((await each.get(`/jobs/${body.job_id}`)).status).toBe(404)
    expect((await client.get("/jobs/job_none")).status).toBe(404)
  })

  const PASSING = { action: "delete", filter: batch("x") }
  test.each<[string, object, number, string]>([
    ["no action", { filter: batch("x") }, 400, "action"],
    ["an unknown action", { ...PASSING, action: "move" }, 400, "action"],
    ["no filter", { action: "delete" }, 400, "filter"],
    ["a filter of null", { action: "delete", filter: null }, 422, "filter"],
    ["an empty filter", { action: "delete", filter: {} }, 422, "filter.type"],
    ["a patch without one", { ...PASSING, action: "patch" }, 400, "patch"],
    ["an empty patch", { ...PASSING, action: "patch", patch: {} }, 400, "patch"],
    ["a patch beside another action", { ...PASSING, patch: { tags: [] } }, 400, "patch"],
    ["a patch that no file could take", { ...PASSING, action: "patch", patch: { name: "x.exe" } }, 400, "name"],
    ["a patch of another type", { ...PASSING, action: "patch", patch: { tags: "a" } }, 400, "patch.tags"],
  ])("is refused for %s", async (_, request, status, field) => {
    const answer = await client.post("/libraries/bulk", request)
    expect(answer).toMatchObject({ status, body: { error: { details: [{ field }] } } })
  })
})

describe("a daemon that is killed", () => {
  let daemon: Daemon | undefined
  afterAll(() => daemon?.remove())

  const COUNT = 120
  const KILLS = 3

  test("goes on with the work behind the last file, and counts each once", async () => {
    daemon = await startDaemon()
    const { call } = daemon
    const texts = Array.from({ length: COUNT }, (_, i) => i)
    for (let from = 0; from < COUNT; from += 40)
      await Promise.all(texts.slice(from, from + 40).map(i => daemon!.upload(`heron-${i}.txt`, `The heron ${i}.`)))
    await daemon.upload("kept.md", "The heron stays.")
    await daemon.settled()
    const filter = { type: "eq", key: "file.type", value: "txt" }
    const { job_id } = await call("POST", "/libraries/bulk", { action: "delete", filter })
    for (let kill = 1; kill <= KILLS; kill++) {
      await until(async () => (await call("GET", `/jobs/${job_id}`)).done >= (kill * COUNT) / (KILLS + 2), {
        everyMs: 1,
      })
      await daemon.kill()
      await daemon.start()
    }
    const job = await until(
      async () => {
        const found = await call("GET", `/jobs/${job_id}`)
        return found.finished_at !== null && found
      },
      { within: 120_000 },
    )
    expect(job).toMatchObject({ status: "completed", done: COUNT, total: COUNT, failed: [] })
    const { data } = await call("GET", "/libraries")
    expect(data.map(({ name }: { name: string }) => name)).toEqual(["kept.md"])
  }, 240_000)
})
