/** A workspace that is deleted: nothing of it is left, and nothing could read it. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openSqlite } from "../../../src/storage/sqlite/open.ts"
import { startTestApp, type TestApp } from "../../support/app.ts"
import { filesHolding } from "../../support/held.ts"
import { People } from "../../support/people.ts"
import { until } from "../../support/until.ts"

const folder = mkdtempSync(join(tmpdir(), "carrel-workspace-"))
const keyFile = join(folder, "key")
let app: TestApp
let people: People

beforeAll(async () => {
  writeFileSync(keyFile, "ab".repeat(32), { mode: 0o600 })
  app = await startTestApp({ "encryption-key-file": keyFile })
  people = new People(app)
})
afterAll(async () => {
  await app.stop()
  rmSync(folder, { recursive: true, force: true })
})

const keysIn = async () => {
  const database = await openSqlite(app.data)
  const rows = await database.selectFrom("encryption_keys").select(["id", "workspace_id"]).execute()
  await database.destroy()
  return rows
}

test("takes files, conversations, runs, keys and its own key along, and leaves the others as they are", async () => {
  const admin = await people.add({ admin: true })
  const member = await people.add()
  const made = await people.call("POST", "/workspaces", { name: "finance" }, admin.session)
  const path = `/workspaces/${made.body.id}`
  const client = await app.client("finance")
  const other = await app.client()
  const [kept] = await other.index([{ name: "kept.txt", data: "The grebe builds a nest that floats." }])
  await client.index([{ name: "gone.txt", data: "The heron wades at Quendelbach in winter." }])
  await client.post("/conversations", { message: "Where does the heron wade?" })
  await client.post("/agents/run", { task: "Find the heron." })
  await client.post("/schedules", {
    name: "s",
    every: "1d",
    request: { url: "/external/search", body: { query: "heron" } },
  })
  const keys = await keysIn()
  expect(keys.filter(({ workspace_id }) => workspace_id === made.body.id).length).toBe(1)

  expect((await people.call("DELETE", path, undefined, member.session)).status).toBe(403)
  await people.call("PUT", `${path}/members/${member.id}`, undefined, admin.session)
  const removed = await people.call("DELETE", path, undefined, admin.session)
  expect([removed.status, removed.body?.error]).toEqual([204, undefined])
  expect(removed.headers.get("x-receipt-id")).toStartWith("rcpt_")

  expect((await client.get("/libraries")).status).toBe(401)
  expect((await keysIn()).map(({ id }) => id)).toEqual(
    keys.filter(({ workspace_id }) => workspace_id !== made.body.id).map(({ id }) => id),
  )
  expect((await people.call("DELETE", path, undefined, admin.session)).status).toBe(404)
  expect((await people.call("GET", "/workspaces", undefined, admin.session)).body.data.length).toBe(1)
  await until(() => filesHolding(app.data, "gone.txt").length === 0 || filesHolding(app.data, "gone.txt"))
  expect((await other.get(`/libraries/${kept.id}/content`)).body).toContain("grebe")
  const receipt = await until(async () => {
    const found = await other.get(`/receipts/${removed.headers.get("x-receipt-id")}`)
    return found.status === 200 && found.body.signature && found
  })
  expect(receipt.body.what).toBe("workspace")
}, 90_000)

test("is refused for the one that the session is in, while something in it is held, and while somebody is in no other", async () => {
  const admin = await people.add({ admin: true })
  const own = (await people.call("GET", "/workspaces", undefined, admin.session)).body.data[0]
  expect((await people.call("DELETE", `/workspaces/${own.id}`, undefined, admin.session)).status).toBe(409)
  const made = await people.call("POST", "/workspaces", { name: "held" }, admin.session)
  const client = await app.client("held", { scopes: ["retention"] })
  const hold = await client.post("/holds", { name: "lawsuit" })
  expect(hold.status).toBe(201)
  const refused = await people.call("DELETE", `/workspaces/${made.body.id}`, undefined, admin.session)
  expect([refused.status, refused.body.error.code]).toEqual([409, "on_hold"])
  await client.delete(`/holds/${hold.body.id}`)
  expect((await people.call("DELETE", `/workspaces/${made.body.id}`, undefined, admin.session)).status).toBe(204)
})
