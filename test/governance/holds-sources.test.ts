/** Sources whose files are held: a sync leaves them as they are, says so, and catches up once the hold is lifted. */
import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"
import { until } from "../support/until.ts"

setDefaultTimeout(60_000)
const root = realpathSync(mkdtempSync(join(tmpdir(), "carrel-held-")))
let app: TestApp
let client: Client
let folder: string
let count = 0

beforeAll(async () => {
  app = await startTestApp({ "source-root": root })
})
afterAll(async () => {
  await app.stop()
  rmSync(root, { recursive: true, force: true })
})
beforeEach(async () => {
  client = await app.client(`workspace-${++count}`)
  folder = join(root, `folder-${count}`)
  mkdirSync(folder)
})

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
type Body = any
const put = (name: string, text: string) => writeFileSync(join(folder, name), text)
const remove = (name: string) => rmSync(join(folder, name))
async function source(settings: object = {}): Promise<string> {
  const given = { type: "folder", name: "papers", config: { path: folder }, ...settings }
  return (await client.post("/sources", given)).body.id
}
async function sync(id: string, options: object = {}): Promise<Body> {
  expect((await client.post(`/sources/${id}/sync`, options)).status).toBe(202)
  const done = await until(async () => {
    const { body } = await client.get(`/sources/${id}`)
    return body.status !== "syncing" && body
  })
  await until(async () => (await client.get(`/sources/${id}/coverage`)).body.pending === 0)
  return { status: done.status, ...done.last_sync }
}
const items = async (id: string): Promise<Record<string, [string, string | undefined]>> => {
  const { body } = await client.get(`/sources/${id}/coverage?page_size=100`)
  return Object.fromEntries(body.items.map(({ key, status, error }: Body) => [key, [status, error?.code]]))
}
const texts = async () => {
  const { data } = (await client.get("/libraries?page_size=100")).body
  const entries = data.map(async ({ id, name }: Body) => [name, (await client.get(`/libraries/${id}/content`)).body])
  return Object.fromEntries((await Promise.all(entries)).sort())
}
const hold = async (filter: object) => (await client.post("/holds", { name: "Case", filter })).body.id as string
const named = (value: string) => ({ type: "starts_with", key: "file.name", value })

test("what has changed there stays as it is here, and others follow", async () => {
  for (const name of ["held.txt", "free.txt"]) put(name, `${name}, as it was`)
  const id = await source()
  await sync(id)
  const holding = await hold(named("held"))
  for (const name of ["held.txt", "free.txt"]) put(name, `${name}, changed since then`)
  expect(await sync(id)).toMatchObject({ status: "idle", skipped: 1, failed: 0 })
  expect(await texts()).toEqual({ "held.txt": "held.txt, as it was", "free.txt": "free.txt, changed since then" })
  expect(await items(id)).toEqual({ "held.txt": ["skipped", "on_hold"], "free.txt": ["searchable", undefined] })
  await client.delete(`/holds/${holding}`)
  await sync(id)
  expect(await texts()).toMatchObject({ "held.txt": "held.txt, changed since then" })
  expect(await items(id)).toEqual({ "held.txt": ["searchable", undefined], "free.txt": ["searchable", undefined] })
})

test("what is gone there stays here and is told of, goes once the hold is lifted, and is as it was where it comes back", async () => {
  for (const name of ["held-1.txt", "held-2.txt", "free.txt", "other.txt"]) put(name, `${name}, as it was`)
  const id = await source()
  await sync(id)
  const holding = await hold(named("held"))
  for (const name of ["held-1.txt", "held-2.txt", "free.txt"]) remove(name)
  const { deleted } = await sync(id)
  expect(deleted).toBe(1)
  expect(Object.keys(await texts())).toEqual(["held-1.txt", "held-2.txt", "other.txt"])
  expect(await items(id)).toMatchObject({
    "held-1.txt": ["skipped", "on_hold"],
    "other.txt": ["searchable", undefined],
  })
  put("held-1.txt", "held-1.txt, as it was")
  await sync(id)
  expect((await items(id))["held-2.txt"]).toEqual(["skipped", "on_hold"])
  await client.delete(`/holds/${holding}`)
  await sync(id)
  expect(Object.keys(await texts())).toEqual(["held-1.txt", "other.txt"])
  expect(await items(id)).toEqual({ "held-1.txt": ["searchable", undefined], "other.txt": ["searchable", undefined] })
})

test("held files that are gone there are no mass deletion anew at every sync", async () => {
  const names = Array.from({ length: 30 }, (_, i) => `held-${i}.txt`)
  for (const name of [...names, "free.txt"]) put(name, `${name}, as it was`)
  const id = await source()
  await sync(id)
  await hold(named("held"))
  for (const name of names) remove(name)
  expect((await sync(id)).status).toBe("guarded")
  expect((await sync(id, { force: true })).status).toBe("idle")
  remove("free.txt")
  put("other.txt", "something new")
  expect(await sync(id)).toMatchObject({ status: "idle", deleted: 1, added: 1 })
  expect(Object.keys(await texts())).toHaveLength(31)
})

test("a source that is removed with its files leaves those that are held, also where the hold goes by the source", async () => {
  for (const name of ["a.txt", "b.txt"]) put(name, `${name}, as it was`)
  const id = await source()
  await sync(id)
  const holding = await hold({ type: "eq", key: "file.source_id", value: id })
  await client.delete(`/sources/${id}?delete_files=true`)
  await until(async () => (await client.get(`/sources/${id}`)).status === 404)
  const { data } = (await client.get("/libraries")).body
  expect(data.map(({ name, source }: Body) => [name, source]).sort()).toEqual([
    ["a.txt", null],
    ["b.txt", null],
  ])
  for (const file of data) expect((await client.delete(`/libraries/${file.id}`)).status).toBe(409)
  await client.delete(`/holds/${holding}`)
  for (const file of data) expect((await client.delete(`/libraries/${file.id}`)).status).toBe(204)
})

test("what a program brings in the place of a held file is refused by its key, and the others are taken", async () => {
  const id = await source({ type: "push", config: undefined })
  const bring = (files: Record<string, string>) => {
    const form = new FormData()
    form.append("source_id", id)
    for (const [key, text] of Object.entries(files)) {
      form.append("source_key", key)
      form.append("files", new Blob([text]), key)
    }
    return client.send("POST", "/upload", form)
  }
  const settled = () =>
    until(async () => (await client.get("/libraries?status=queued,indexing")).body.pagination.total_items === 0)
  await bring({ "held.txt": "first", "free.txt": "first" })
  await settled()
  const holding = await hold(named("held"))
  const { status, body } = await bring({ "held.txt": "second", "free.txt": "second" })
  expect(status).toBe(202)
  expect(body.rejected).toMatchObject([{ source_key: "held.txt", error: { code: "on_hold" } }])
  expect(await texts()).toEqual({ "held.txt": "first", "free.txt": "second" })
  expect(await items(id)).toMatchObject({ "held.txt": ["skipped", "on_hold"] })
  expect((await bring({ "held.txt": "third" })).body.error.code).toBe("on_hold")
  expect((await bring({ "held.txt": "first" })).body.files[0].unchanged).toBe(true)
  const manifest = await client.post(`/sources/${id}/manifest`, { entries: [{ key: "free.txt", fingerprint: "x" }] })
  expect(manifest.body.deleted).toBe(0)
  expect(Object.keys(await texts())).toEqual(["free.txt", "held.txt"])
  await client.delete(`/holds/${holding}`)
  await settled()
  expect((await bring({ "held.txt": "third" })).status).toBe(202)
  expect(await texts()).toMatchObject({ "held.txt": "third" })
})
