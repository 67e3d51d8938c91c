/** A folder that is kept in sync: what is taken, what follows its changes, and what is never touched. */
import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test"
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"
import { until } from "../support/until.ts"

setDefaultTimeout(60_000)

const root = realpathSync(mkdtempSync(join(tmpdir(), "carrel-root-")))
let app: TestApp
let client: Client
let folder = ""
let serial = 0

beforeAll(async () => {
  app = await startTestApp({ "source-root": root })
  client = await app.client()
}, 60_000)
afterAll(async () => {
  await app.stop()
  rmSync(root, { recursive: true, force: true })
})
beforeEach(() => {
  folder = join(root, `folder-${serial++}`)
  mkdirSync(folder)
})

function put(name: string, text = `The heron of ${name} waits.`): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true })
  writeFileSync(join(folder, name), text)
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
type Body = any

async function create(settings: object = {}, by = client): Promise<string> {
  const { status, body } = await by.post("/sources", {
    type: "folder",
    name: "notes",
    config: { path: folder },
    ...settings,
  })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body.id
}
/** Asks for a sync and waits for its end. */
async function sync(id: string, options: object = {}, by = client): Promise<Body> {
  const asked = await by.post(`/sources/${id}/sync`, options)
  if (asked.status !== 202) throw new Error(JSON.stringify(asked.body))
  const { last_sync } = await idle(id, by)
  return last_sync
}
const idle = (id: string, by = client): Promise<Body> =>
  until(async () => {
    const { body } = await by.get(`/sources/${id}`)
    return body.status !== "syncing" && body
  })
const coverage = async (id: string, query = ""): Promise<Body> =>
  (await client.get(`/sources/${id}/coverage${query}`)).body
const covered = (id: string): Promise<Body> =>
  until(async () => {
    const body = await coverage(id, "?page_size=100")
    return body.pending === 0 && body
  })
const filesOf = async (id: string): Promise<Body[]> => {
  const filter = JSON.stringify({ type: "eq", key: "file.source_id", value: id })
  return (await client.get(`/libraries?page_size=100&filter=${encodeURIComponent(filter)}`)).body.data
}
const keysOf = async (id: string): Promise<string[]> => (await filesOf(id)).map(file => file.source.key).sort()
const eventsOf = async (id: string): Promise<string[]> =>
  (await client.get("/events?types=source.synced,source.failed,source.guarded&limit=1000")).body.data
    .filter((event: Body) => event.data.id === id)
    .map((event: Body) => event.type)

describe("a folder with a schedule is watched", () => {
  test("changes are taken in long before the schedule, new folders and deletions too", async () => {
    put("a.txt")
    const id = await create({ schedule: "1d" })
    await until(async () => (await keysOf(id)).length === 1)
    // The watch begins with the first look for such sources.
    await until(async () => (await client.get(`/sources/${id}/history`)).body.pagination.total_items === 2)
    put("new/folder/b.txt")
    await until(async () => (await keysOf(id)).length === 2)
    put("new/folder/c.txt")
    await until(async () => (await keysOf(id)).length === 3)
    rmSync(join(folder, "a.txt"))
    await until(async () => (await keysOf(id)).length === 2)
  })
})

describe("a folder that is kept in sync", () => {
  test("brings its files, each under its path, and finds them", async () => {
    put("a.txt", "The bittern booms.")
    put("deep/er/b.md", "# Grebe\n\nThe grebe dives.")
    put("deep/picture.xyz")
    put("empty.txt", "")
    const id = await create({ tags: ["birds"], context_id: "fen", acl: ["group:fen"] })
    expect(await sync(id)).toMatchObject({
      added: 2,
      updated: 0,
      deleted: 0,
      unchanged: 0,
      skipped: 2,
      failed: 0,
      error: null,
    })
    const { items, ...totals } = await covered(id)
    expect(totals).toMatchObject({ total: 4, searchable: 2, pending: 0, failed: 0, unsupported: 1, skipped: 1 })
    expect(items.map(({ key, status }: Body) => [key, status])).toEqual([
      ["a.txt", "searchable"],
      ["deep/er/b.md", "searchable"],
      ["deep/picture.xyz", "unsupported"],
      ["empty.txt", "skipped"],
    ])
    const [file] = (await filesOf(id)).filter(each => each.name === "b.md")
    expect(file).toMatchObject({
      context_id: "fen",
      tags: ["birds"],
      acl: ["group:fen"],
      source: { source_id: id, key: "deep/er/b.md" },
    })
    const { body } = await client.post("/search", { query: "bittern", mode: "keyword" })
    expect(body.hits.map((hit: Body) => hit.file.name)).toEqual(["a.txt"])
    expect(await eventsOf(id)).toEqual(["source.synced"])
  })

  test("follows changes: new, changed, touched, renamed and deleted files", async () => {
    for (const name of ["kept.txt", "changed.txt", "touched.txt", "old-name.txt", "gone.txt"]) put(name)
    const id = await create()
    await sync(id)
    await covered(id)
    const before = new Map((await filesOf(id)).map(file => [file.name, file.id]))
    put("changed.txt", "The ousel sings.")
    put("touched.txt")
    put("new.txt")
    renameSync(join(folder, "old-name.txt"), join(folder, "new-name.txt"))
    rmSync(join(folder, "gone.txt"))
    const dry = await client.post(`/sources/${id}/sync`, { dry_run: true })
    expect(dry.status).toBe(200)
    expect(dry.body).toMatchObject({ dry_run: true, added: 2, updated: 2, deleted: 2, unchanged: 1, guarded: 0 })
    expect(dry.body.sample.deleted.sort()).toEqual(["gone.txt", "old-name.txt"])
    expect((await filesOf(id)).length).toBe(5)
    // The same bytes are not indexed again.
    expect(await sync(id)).toMatchObject({ added: 2, updated: 1, deleted: 2, unchanged: 2 })
    await covered(id)
    const after = new Map((await filesOf(id)).map(file => [file.name, file.id]))
    expect([...after.keys()].sort()).toEqual(["changed.txt", "kept.txt", "new-name.txt", "new.txt", "touched.txt"])
    for (const name of ["changed.txt", "kept.txt", "touched.txt"]) expect(after.get(name)).toBe(before.get(name)!)
    expect((await client.post("/search", { query: "ousel", mode: "keyword" })).body.hits.length).toBe(1)
    expect(await sync(id)).toMatchObject({ added: 0, updated: 0, deleted: 0, unchanged: 5 })
    const { body } = await client.get(`/sources/${id}/history`)
    expect(body.pagination.total_items).toBe(3)
  })

  test("leaves out what include, exclude and max_bytes leave out, also files that it had", async () => {
    for (const name of ["a.txt", "b.md", "drafts/c.txt", "drafts/d.md", "long.txt"]) put(name)
    put("long.txt", "long ".repeat(100))
    const id = await create()
    expect(await sync(id)).toMatchObject({ added: 5 })
    await client.patch(`/sources/${id}`, { include: ["*.txt"], exclude: ["drafts/"], max_bytes: 100 })
    expect(await sync(id)).toMatchObject({ deleted: 4, unchanged: 1, skipped: 4 })
    expect(await keysOf(id)).toEqual(["a.txt"])
    const { items } = await coverage(id, "?status=skipped")
    expect(items.map(({ key, error }: Body) => [key, error.code])).toEqual([
      ["b.md", "excluded"],
      ["drafts/c.txt", "excluded"],
      ["drafts/d.md", "excluded"],
      ["long.txt", "file_too_large"],
    ])
    await client.patch(`/sources/${id}`, { include: [], exclude: [], max_bytes: null })
    expect(await sync(id)).toMatchObject({ added: 4, unchanged: 1 })
  })

  test("deletes nothing where the folder, or a part of it, cannot be read", async () => {
    for (let i = 0; i < 3; i++) put(`part/${i}.txt`)
    const id = await create()
    await sync(id)
    renameSync(folder, `${folder}-away`)
    expect(await sync(id)).toMatchObject({ deleted: 0, error: { code: "source_unavailable" } })
    expect(await idle(id)).toMatchObject({ status: "failed" })
    expect(Date.parse((await idle(id)).next_sync_at) - Date.now()).toBeGreaterThan(40_000)
    // As a mount that is not there: the empty folder below it shows.
    mkdirSync(folder)
    expect(await sync(id)).toMatchObject({ deleted: 0, error: { code: "source_unavailable" } })
    rmSync(folder, { recursive: true })
    renameSync(`${folder}-away`, folder)
    expect(await sync(id)).toMatchObject({ unchanged: 3, error: null })
    expect(await eventsOf(id)).toEqual(["source.synced", "source.failed", "source.failed", "source.synced"])
    rmSync(join(folder, "part"), { recursive: true })
    mkdirSync(join(folder, "other"))
    expect(await sync(id)).toMatchObject({ deleted: 3, error: null })
  })

  test("a folder that cannot be read is no outage where nothing below it is meant", async () => {
    put("a.txt")
    put("sealed/in.txt")
    const id = await create({ exclude: ["sealed/"] })
    // Nothing that is asked for below it has a path that the system takes; unlike rights, this also holds for root.
    const deep = Bun.spawnSync([
      "bash",
      "-c",
      `cd "$0/sealed" && for i in {1..20}; do mkdir ${"d".repeat(250)} && cd ${"d".repeat(250)}; done`,
      folder,
    ])
    expect(deep.exitCode).toBe(0)
    expect(await sync(id)).toMatchObject({ added: 1, error: null })
    await client.patch(`/sources/${id}`, { exclude: [], include: ["*.md", "notes/"] })
    expect(await sync(id)).toMatchObject({ deleted: 0, error: { code: "source_unavailable" } })
    await client.patch(`/sources/${id}`, { include: ["/a.txt", "notes/"] })
    expect(await sync(id)).toMatchObject({ unchanged: 1, deleted: 0, error: null })
  })

  test("a mass deletion waits until it is forced", async () => {
    for (let i = 0; i < 20; i++) put(`${i}.txt`)
    const id = await create()
    await sync(id)
    for (let i = 0; i < 12; i++) rmSync(join(folder, `${i}.txt`))
    put("new.txt")
    expect(await sync(id)).toMatchObject({ added: 1, deleted: 0, guarded: 12, error: null })
    expect(await idle(id)).toMatchObject({ status: "guarded" })
    expect((await filesOf(id)).length).toBe(21)
    const refused = await client.post(`/sources/${id}/sync`, {})
    expect([refused.status, refused.body.error.code]).toEqual([409, "guarded"])
    expect((await client.post(`/sources/${id}/sync`, { dry_run: true })).body).toMatchObject({
      deleted: 0,
      guarded: 12,
    })
    expect(await sync(id, { force: true })).toMatchObject({ deleted: 12, guarded: 0 })
    expect((await filesOf(id)).length).toBe(9)
    expect(await eventsOf(id)).toEqual(["source.synced", "source.guarded", "source.synced"])
  })

  test("what was held back is judged anew when the source is told to have other files, and still held back", async () => {
    for (let i = 0; i < 20; i++) put(`${i}.txt`)
    const id = await create()
    await sync(id)
    await client.patch(`/sources/${id}`, { exclude: ["1*.txt"] })
    expect(await sync(id)).toMatchObject({ deleted: 0, guarded: 11 })
    await client.patch(`/sources/${id}`, { name: "other", exclude: ["1*.txt"] })
    expect((await client.post(`/sources/${id}/sync`, {})).status).toBe(409)
    await client.patch(`/sources/${id}`, { exclude: ["11.txt", "1*.txt"] })
    expect(await sync(id)).toMatchObject({ deleted: 0, guarded: 11 })
    await client.patch(`/sources/${id}`, { exclude: [] })
    expect(await sync(id)).toMatchObject({ deleted: 0, guarded: 0, unchanged: 20 })
    expect(await idle(id)).toMatchObject({ status: "idle" })
    expect((await filesOf(id)).length).toBe(20)
  })

  test("deletes only what is its own, and nothing where it is not to delete", async () => {
    put("note.txt")
    const [uploaded] = await client.index([{ name: "note.txt", data: "The heron of note.txt waits." }])
    const id = await create({ delete_missing: false })
    await sync(id)
    expect((await filesOf(id)).length).toBe(1)
    put("other.txt")
    rmSync(join(folder, "note.txt"))
    expect(await sync(id)).toMatchObject({ added: 1, deleted: 0 })
    expect(await keysOf(id)).toEqual(["note.txt", "other.txt"])
    await client.patch(`/sources/${id}`, { delete_missing: true })
    expect(await sync(id)).toMatchObject({ deleted: 1 })
    expect((await client.get(`/libraries/${uploaded.id}`)).status).toBe(200)
  })

  test("a file that somebody deleted stays away until it changes, or by force", async () => {
    put("a.txt")
    put("b.txt")
    const id = await create()
    await sync(id)
    for (const file of await filesOf(id)) await client.delete(`/libraries/${file.id}`)
    expect(await sync(id)).toMatchObject({ added: 0, skipped: 2 })
    expect((await coverage(id)).items[0]).toMatchObject({ key: "a.txt", status: "skipped", error: { code: "deleted" } })
    put("a.txt", "It came back.")
    expect(await sync(id)).toMatchObject({ added: 1, skipped: 1 })
    expect(await sync(id, { force: true })).toMatchObject({ added: 1, unchanged: 1 })
  })

  test("removing it keeps its files as files like others, or takes them along", async () => {
    put("a.txt")
    const kept = await create()
    await sync(kept)
    const [file] = await filesOf(kept)
    expect((await client.delete(`/sources/${kept}`)).status).toBe(204)
    expect((await client.get(`/sources/${kept}`)).status).toBe(404)
    expect((await client.get(`/libraries/${file.id}`)).body.source).toBeNull()
    const gone = await create()
    await sync(gone)
    const [other] = await filesOf(gone)
    expect(other.id).not.toBe(file.id)
    expect((await client.delete(`/sources/${gone}?delete_files=true`)).status).toBe(204)
    expect((await client.get(`/libraries/${other.id}`)).status).toBe(404)
    expect((await client.get(`/libraries/${file.id}`)).status).toBe(200)
  })

  test("another context, other tags and another acl hold at once for the files that it has", async () => {
    put("a.txt")
    const id = await create({ context_id: "old", tags: ["one"] })
    await sync(id)
    await covered(id)
    const { status } = await client.patch(`/sources/${id}`, { context_id: "new", tags: ["two"], acl: ["user:7"] })
    expect(status).toBe(200)
    expect((await filesOf(id))[0]).toMatchObject({ context_id: "new", tags: ["two"], acl: ["user:7"] })
  })

  test("a pause holds it, and its end goes on", async () => {
    put("a.txt")
    const id = await create({ schedule: "1d" })
    await idle(id)
    expect((await client.patch(`/sources/${id}`, { paused: true })).body).toMatchObject({
      status: "paused",
      next_sync_at: null,
    })
    expect((await client.post(`/sources/${id}/sync`, {})).status).toBe(409)
    const { body } = await client.patch(`/sources/${id}`, { paused: false })
    expect(body.status).toBe("idle")
    expect(Date.parse(body.next_sync_at)).toBeGreaterThan(Date.now())
  })

  test("a schedule syncs by itself", async () => {
    const id = await create({ schedule: "1s" })
    await idle(id)
    put("late.txt")
    await until(async () => (await keysOf(id)).length === 1)
    await until(async () => (await client.get(`/sources/${id}`)).body.next_sync_at !== null)
  })
})

test("a folder that is not there is refused with the field that names it", async () => {
  const path = join(root, "none")
  const { status, body } = await client.post("/sources", { type: "folder", name: "notes", config: { path } })
  expect(status).toBe(400)
  expect(body.error.details).toEqual([{ field: "config.path", issue: "the folder is not there" }])
})
