/** Views of the library that users keep, over the routes of the console. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { startTestApp, type TestApp } from "../support/app.ts"
import { People, type Session } from "../support/people.ts"

let app: TestApp
let people: People
let admin: Session
let ada: { id: string; session: Session }
let bob: Session

beforeAll(async () => {
  app = await startTestApp()
  people = new People(app)
  admin = (await people.add({ admin: true })).session
  ada = await people.add()
  bob = (await people.add()).session
})
afterAll(() => app.stop())

const FILTERS = { status: "failed", sort: "name", columns: "size,pages" }
const keep = (name: string, by = ada.session, filters: unknown = FILTERS) =>
  people.call("POST", "/views", { name, filters }, { ...by })
const namesOf = async (by: Session) =>
  (await people.call("GET", "/views", undefined, { ...by })).body.data.map(({ name }: { name: string }) => name)

test("a view is kept, renamed, changed and deleted; another session of the user sees the same", async () => {
  const { status, body } = await keep("  Failed ones ")
  expect([status, body]).toMatchObject([201, { name: "Failed ones", filters: FILTERS }])
  const path = `/views/${body.id}`
  const renamed = await people.call("PATCH", path, { name: "Broken" }, { ...ada.session })
  expect(renamed.body).toMatchObject({ id: body.id, name: "Broken", filters: FILTERS })
  const changed = await people.call("PATCH", path, { filters: { tag: "2026" } }, { ...ada.session })
  expect(changed.body).toMatchObject({ name: "Broken", filters: { tag: "2026" } })
  await keep("A first one")
  const elsewhere = await people.signIn("user2@example.org")
  expect(await namesOf(elsewhere)).toEqual(["A first one", "Broken"])
  expect((await people.call("DELETE", path, undefined, { ...ada.session })).status).toBe(204)
  expect((await people.call("DELETE", path, undefined, { ...ada.session })).status).toBe(404)
  expect(await namesOf(ada.session)).toEqual(["A first one"])
})

test("nobody else sees, changes or deletes it, administrators neither; another workspace has views of its own", async () => {
  const { body } = await keep("Mine")
  for (const other of [bob, admin]) {
    expect(await namesOf(other)).toEqual([])
    const path = `/views/${body.id}`
    expect((await people.call("PATCH", path, { name: "Stolen" }, { ...other })).status).toBe(404)
    expect((await people.call("DELETE", path, undefined, { ...other })).status).toBe(404)
  }
  expect((await keep("Mine", bob)).status).toBe(201)
  const { id } = (await people.call("POST", "/workspaces", { name: "elsewhere" }, { ...admin })).body
  await people.call("PUT", `/workspaces/${id}/members/${ada.id}`, {}, { ...admin })
  const there = await people.signIn("user2@example.org")
  await people.call("PATCH", "/me", { workspace_id: id }, { ...there })
  expect(await namesOf(there)).toEqual([])
  expect((await people.call("PATCH", `/views/${body.id}`, { name: "Here" }, { ...there })).status).toBe(404)
  // it goes with the workspace, and with the user
  expect((await keep("There", there)).status).toBe(201)
  expect((await people.call("DELETE", `/workspaces/${id}`, undefined, { ...admin })).status).toBe(204)
  expect(await namesOf(ada.session)).toContain("Mine")
})

test("a name is there once, and none is without bounds", async () => {
  const { body } = await keep("Once")
  await keep("Twice")
  expect((await keep("Once")).body.error.code).toBe("conflict")
  const renamed = await people.call("PATCH", `/views/${body.id}`, { name: "Twice" }, { ...ada.session })
  expect([renamed.status, renamed.body.error.code]).toEqual([409, "conflict"])
  expect((await people.call("PATCH", `/views/${body.id}`, { name: "Once" }, { ...ada.session })).status).toBe(200)
  for (const [name, filters] of [
    ["", {}],
    ["x".repeat(200), {}],
    ["too long", { tag: "x".repeat(1_001) }],
    ["too many", Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`k${i}`, "v"]))],
    ["no text", { tag: 7 }],
  ])
    expect((await keep(name as string, ada.session, filters)).status).toBe(400)
  for (let i = 0; (await keep(`view ${i}`, bob)).status === 201; i++) expect(i).toBeLessThan(100)
  expect(await namesOf(bob)).toHaveLength(100)
})

test("nobody who is not signed in reads them", async () => {
  expect((await people.call("GET", "/views")).status).toBe(401)
  const { status } = await (await app.client()).get("/keys/views")
  expect(status).toBe(401)
})
