/** Approvals over HTTP, with a real tool outside the daemon that leaves its mark in a file. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"
import type { ModelServer } from "../support/model-server.ts"
import { startOllama } from "../support/ollama.ts"
import { until } from "../support/until.ts"

const SERVER = new URL("../fixtures/mcp/stdio-server.ts", import.meta.url).pathname
const directory = mkdtempSync(join(tmpdir(), "carrel-approvals-"))
const config = join(directory, "mcp.json")

let model: ModelServer
let app: TestApp
let client: Client

beforeAll(async () => {
  writeFileSync(config, JSON.stringify({ mcpServers: { local: { command: process.execPath, args: [SERVER] } } }))
  model = (await startOllama()).server
  app = await startTestApp({ "ollama-host": model.url, "mcp-config": config })
  client = await app.client()
}, 60_000)
afterAll(async () => {
  await app.stop()
  model.stop()
  rmSync(directory, { recursive: true, force: true })
})

/** A model that writes one line to a file of its own, then answers; the body of such a run. */
function writing(scene: string) {
  const path = join(directory, `${scene}.txt`)
  model.scenes.add(scene, (_, count) =>
    count % 2 === 0 ? { tools: [{ name: "local.note", arguments: { path, line: scene } }] } : { text: "Written." },
  )
  return { path, body: { task: `case-${scene} Write it down`, tools: ["local.note"] } }
}

test("a blocking call whose run waits is 202 with its address; approved over HTTP, the tool acts once", async () => {
  const { path, body } = writing("once")
  const begun = await client.post("/agents/run", body)
  expect([begun.status, begun.body.status]).toEqual([202, "waiting_for_approval"])
  const address = `/agents/runs/${begun.body.run_id}`
  expect(begun.headers.get("location")).toBe(`/external-docs/external${address}`)
  expect(begun.headers.get("preference-applied")).toBeNull()
  const [approval] = begun.body.approvals
  expect(approval).toMatchObject({ tool: "local.note", arguments: { path, line: "once" }, status: "pending" })
  const decisions = await Promise.all(
    [1, 2, 3].map(() => client.post(`${address}/approvals/${approval.id}`, { decision: "approve" })),
  )
  expect(decisions.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(decisions[0]!.body.decided_by).toMatchObject({ type: "key", end_user: null })
  const run = await until(async () => {
    const { body: seen } = await client.get(address)
    return seen.finished_at && seen
  })
  expect(run).toMatchObject({ status: "completed", output: "Written.", approvals: [{ status: "approved" }] })
  expect(readFileSync(path, "utf8")).toBe("once\n")
  expect((await client.post(`${address}/approvals/${approval.id}`, { decision: "deny" })).status).toBe(409)
})

test("keys without the scope, other workspaces and other end users decide nothing; bad decisions are 400", async () => {
  const { path, body } = writing("strangers")
  const { body: run } = await client.post("/agents/run", { ...body, end_user: "ada" })
  const address = `/agents/runs/${run.run_id}/approvals/${run.approvals[0].id}`
  const approve = { decision: "approve" }
  const searcher = await client.scoped({ scopes: ["search"] })
  expect((await searcher.post(address, approve)).status).toBe(403)
  const eve = await client.scoped({ scopes: ["agents"], end_user: "eve" })
  expect((await eve.post(address, approve)).status).toBe(404)
  expect((await client.post(address, { decision: "perhaps" })).status).toBe(400)
  expect((await client.post(address, { ...approve, arguments: { path: "/other" } })).status).toBe(400) // nobody edits a call
  expect((await client.post(`/agents/runs/${run.run_id}/approvals/appr_none`, approve)).status).toBe(404)
  await client.post(`/agents/runs/${run.run_id}/cancel`)
  expect((await client.post(address, approve)).status).toBe(409)
  expect(existsSync(path)).toBe(false)
})
