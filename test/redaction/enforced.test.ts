/** Where redaction is not the request's choice: the daemon's setting, and a workspace's. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Workspaces } from "../../src/access/workspaces.ts"
import { openSqlite } from "../../src/storage/sqlite/open.ts"
import { startTestApp, type TestApp } from "../support/app.ts"
import { People } from "../support/people.ts"

const SECRET = "anna.berg@example.com"
const ask = { message: `Write to ${SECRET} about the boats.`, redaction: false, use_library: false }

describe("a workspace that insists on redaction", () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp()
    await app.client("strict")
    await app.client("free")
    const database = await openSqlite(app.data)
    const workspaces = new Workspaces(database)
    const strict = (await workspaces.list()).find(workspace => workspace.name === "strict")!
    await workspaces.change(strict.id, { enforce_redaction: true })
    await database.destroy()
    await app.restart()
  })
  afterAll(() => app.stop())

  test("redacts what asks not to be, and stores nothing else", async () => {
    const client = await app.client("strict")
    const { body } = await client.post("/start-conversation", ask)
    expect((await client.get(`/conversations/${body.conversation_id}`)).body.settings.redaction).toBe(true)
    expect(body.messages[0].content).toBe("Write to [REDACTED_EMAIL] about the boats.")
    const run = await client.post("/agents/run", { task: `Mail ${SECRET}`, redaction: false })
    expect(JSON.stringify(run.body)).not.toContain(SECRET)
    const text = await client.post("/redact", { text: SECRET, redaction: { enabled: false } })
    expect(text.body.text).toBe("[REDACTED_EMAIL]")
  })

  test("leaves other workspaces their choice", async () => {
    const client = await app.client("free")
    const { body } = await client.post("/start-conversation", ask)
    expect(body.messages[0].content).toContain(SECRET)
  })
})

test("a daemon that insists redacts every workspace", async () => {
  const app = await startTestApp({ "enforce-redaction": "true" })
  try {
    const client = await app.client("free")
    const { body } = await client.post("/start-conversation", ask)
    expect(JSON.stringify(body)).not.toContain(SECRET)
    const people = new People(app)
    const { session } = await people.add()
    expect((await people.call("GET", "/redaction", undefined, session)).body).toMatchObject({
      enforced_by: "daemon",
      kinds: expect.arrayContaining([{ kind: "EMAIL", category: "personal", label: "e-mail" }]),
    })
  } finally {
    await app.stop()
  }
})
