/** Runs that wait for a person while their daemon is killed, with a real tool outside it that leaves its mark in a file. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ApiKeys, ensureWorkspace } from "../../src/access/keys.ts"
import { openPostgres } from "../../src/storage/postgres/open.ts"
import { Client } from "../support/app.ts"
import { type Daemon, startDaemon } from "../support/daemon.ts"
import { postgres } from "../support/engines.ts"
import { spawnLiveNode } from "../support/live-node.ts"
import type { ModelServer } from "../support/model-server.ts"
import { startOllama } from "../support/ollama.ts"
import { until } from "../support/until.ts"
import { chanceOf } from "./chance.ts"

const SERVER = new URL("../fixtures/mcp/stdio-server.ts", import.meta.url).pathname
/** Deaths at any moment around the decision. */
const KILLS = 8
/** Its square is about what approval, call and answer take: more deaths fall before the decision is stored. */
const AROUND_MS = 20

const stack = new AsyncDisposableStack()
const directory = mkdtempSync(join(tmpdir(), "carrel-approvals-"))
stack.defer(() => rmSync(directory, { recursive: true, force: true }))
const config = join(directory, "mcp.json")
let model: ModelServer

beforeAll(async () => {
  writeFileSync(config, JSON.stringify({ mcpServers: { local: { command: process.execPath, args: [SERVER] } } }))
  model = (await startOllama()).server
  stack.defer(() => model.stop())
})
afterAll(() => stack.disposeAsync())

/** A model that looks at the time, writes a line to a file of its own, then answers; the body of such a run. */
function writing(scene: string) {
  const path = join(directory, `${scene}.txt`)
  const asked = { count: 0 }
  model.scenes.add(scene, (_, count) => {
    asked.count = count + 1
    if (count === 0) return { tools: [{ name: "current_time", arguments: {} }] }
    return count === 1
      ? { tools: [{ name: "local.note", arguments: { path, line: scene } }] }
      : { text: "Written.", delayMs: 50 }
  })
  const lines = () => (existsSync(path) ? readFileSync(path, "utf8") : "")
  return { lines, asked, body: { task: `case-${scene} Write it down`, tools: ["local.note", "current_time"] } }
}

// biome-ignore lint/suspicious/noExplicitAny: the record of a run
const over = (get: () => Promise<any>) =>
  until(
    async () => {
      const run = await get()
      return run.finished_at !== null && run
    },
    { within: 60_000 },
  )

describe("one daemon", () => {
  let daemon: Daemon
  beforeAll(async () => {
    daemon = await startDaemon(["--ollama-host", model.url, "--mcp-config", config])
    stack.defer(() => daemon.remove())
  }, 60_000)
  const runOf = (id: string) => daemon.call("GET", `/agents/runs/${id}`)
  const decide = (run: { run_id: string; approvals: { id: string }[] }, decision: string) =>
    daemon.call("POST", `/agents/runs/${run.run_id}/approvals/${run.approvals[0]!.id}`, { decision })
  const begin = async (scene: string) => {
    const work = writing(scene)
    const run = await daemon.call("POST", "/agents/run", work.body)
    expect(run.status).toBe("waiting_for_approval")
    return { ...work, run }
  }

  test("killed and stopped while runs wait: they wait on as they were; approved, denied and cancelled they end so", async () => {
    const [first, second, third] = await Promise.all([begin("approved"), begin("denied"), begin("cancelled")])
    for (const end of ["kill", "stop", "kill"] as const) {
      await daemon[end]()
      await daemon.start()
      for (const { run } of [first, second, third]) expect(await runOf(run.run_id)).toEqual(run)
    }
    await decide(first.run, "approve")
    await decide(second.run, "deny")
    const cancelled = await daemon.call("POST", `/agents/runs/${third.run.run_id}/cancel`)
    expect(cancelled).toMatchObject({ status: "cancelled", approvals: [{ status: "cancelled" }] })
    const [approved, denied] = await Promise.all([first, second].map(({ run }) => over(() => runOf(run.run_id))))
    expect(approved).toMatchObject({ status: "completed", output: "Written.", steps: [{}, { is_error: false }] })
    expect(denied).toMatchObject({ status: "completed", steps: [{}, { is_error: true }] })
    expect([first, second, third].map(({ lines }) => lines())).toEqual(["approved\n", "", ""])
    expect([first, second, third].map(({ asked }) => asked.count)).toEqual([3, 3, 2])
  }, 120_000)

  test(`killed ${KILLS} times around the decision: a call is carried out once at most, and a run that still waits goes on`, async () => {
    const chance = chanceOf(19)
    const ends: string[] = []
    for (let kill = 0; kill < KILLS; kill++) {
      const { run, lines } = await begin(`kill${kill}`)
      const deciding = decide(run, "approve").catch(() => {})
      await Bun.sleep(chance(AROUND_MS) ** 2)
      await daemon.kill()
      await deciding
      await daemon.start()
      const found = await runOf(run.run_id)
      if (found.status === "waiting_for_approval") await decide(run, "approve")
      const ended = await over(() => runOf(run.run_id))
      ends.push(ended.status)
      if (ended.status === "completed") expect(lines()).toBe(`kill${kill}\n`)
      else {
        expect(ended).toMatchObject({ status: "failed", error: { code: "interrupted" } })
        expect(["", `kill${kill}\n`]).toContain(lines())
        expect(ended.approvals[0].status).toBe("approved") // what had no answer was not ended
      }
    }
    expect(ends).toHaveLength(KILLS)
  }, 300_000)
})

const database = await postgres()
describe.skipIf(!database)("two nodes", () => {
  test("a run whose node is killed waits on another node, is decided there, and its stream goes on", async () => {
    const options = { database: database!, ollama: model.url, mcpConfig: config }
    const [dying, living] = [
      stack.adopt(await spawnLiveNode(options), node => node.stop()),
      stack.adopt(await spawnLiveNode(options), node => node.stop()),
    ]
    const records = stack.adopt(await openPostgres(database!, { poolSize: 1 }), each => each.destroy())
    const key = await new ApiKeys(records).create(await ensureWorkspace(records, "default"), { name: "test" })
    const [there, here] = [dying, living].map(node => new Client(() => node.url, key)) as [Client, Client]
    const { body, lines, asked } = writing("cluster")
    const { body: run } = await there.post("/agents/run", body)
    expect(run.status).toBe("waiting_for_approval")
    const address = `/agents/runs/${run.run_id}`
    const following = here.raw("GET", `${address}/events`).then(response => response.text())
    dying.signal("SIGKILL")
    const ownerOf = async () => {
      const { owner } = await records
        .selectFrom("agent_runs")
        .select("owner")
        .where("id", "=", run.run_id)
        .executeTakeFirstOrThrow()
      return owner
    }
    await until(async () => (await ownerOf()) === living.id, { within: 30_000 })
    expect((await here.get(address)).body).toEqual(run)
    expect((await here.post(`${address}/approvals/${run.approvals[0].id}`, { decision: "approve" })).status).toBe(200)
    expect(await over(async () => (await here.get(address)).body)).toMatchObject({
      status: "completed",
      output: "Written.",
    })
    expect(lines()).toBe("cluster\n")
    expect(asked.count).toBe(3)
    const events = [...(await following).matchAll(/^event: (.*)$/gm)].map(([, event]) => event)
    expect(events.slice(-3)).toEqual(["step_completed", "run_finished", "done"])
    expect(events.filter(event => event === "approval_decided")).toHaveLength(1)
  }, 120_000)
})
