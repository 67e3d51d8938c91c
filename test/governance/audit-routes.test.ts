/** What the routes of the audit log leave in and out, of a real application. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"

setDefaultTimeout(60_000)
let app: TestApp
let key: Client
beforeAll(async () => {
  app = await startTestApp()
  key = (await app.client()).under("/external")
  expect((await key.post("/holds", { name: "Case 1" })).status).toBe(201)
  expect((await key.post("/holds", { name: "" })).status).toBe(400)
  const narrowed = (await app.client("default", { context_ids: ["alpha"] })).under("/external")
  expect((await narrowed.post("/holds", { name: "Case 2" })).status).toBe(403)
})
afterAll(() => app.stop())

const outcomes = (rows: { outcome: string }[]) => rows.map(({ outcome }) => outcome)

test("rows of every outcome are told where none is asked for, and only those of one where it is", async () => {
  const { body } = await key.get("/audit?action=hold.create")
  expect(outcomes(body.data)).toEqual(["success", "failure", "denied"])
  for (const outcome of ["success", "denied", "failure"])
    expect(outcomes((await key.get(`/audit?action=hold.create&outcome=${outcome}`)).body.data)).toEqual([outcome])
})

test("an export holds rows of every outcome", async () => {
  const { body } = await key.get("/audit.jsonl?action=hold.create")
  const rows = String(body)
    .trim()
    .split("\n")
    .map(line => JSON.parse(line))
  expect(outcomes(rows)).toEqual(["success", "failure", "denied"])
})
