/**
 * Work that nobody waits for, on nodes that are killed one after the other: a source that is kept in sync, batches, a schedule,
 * and receivers that are told. Each is carried out once by the cluster as a whole, whichever node it was begun on. A failing
 * run prints its seed; `STORM_SEED` repeats it, `STORM_ROUNDS` makes it longer.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { chanceOf } from "../crash/chance.ts"
import { AnyNode } from "../support/any-node.ts"
import { CLUSTER_TIMEOUT_MS, type Cluster, lacksCluster, NODE_NAMES, openCluster } from "../support/cluster.ts"
import type { ClusterNode } from "../support/cluster-node.ts"
import { BUILD_TIMEOUT_MS, executableCommand } from "../support/executable.ts"
import { LLAMA, type OllamaStandIn, startOllama } from "../support/ollama.ts"
import { startReceiver, type TestReceiver } from "../support/receiver.ts"
import { endedBatch, feedOf, filesOfSource, linesOf } from "../support/unattended.ts"
import { until } from "../support/until.ts"

const reason = await lacksCluster()
const SEED = Number(Bun.env.STORM_SEED ?? crypto.getRandomValues(new Uint32Array(1))[0])
const ROUNDS = Number(Bun.env.STORM_ROUNDS ?? 3)
const FILES = 200
/** Lines of each kind. */
const EACH = 8
const EVERY_S = 2
const ANSWER = "The heron nests here."

const sha256 = (bytes: Uint8Array) => new Bun.CryptoHasher("sha256").update(bytes).digest("hex")
// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
type Body = any

describe.skipIf(reason !== undefined)(`three nodes of which ${ROUNDS} are killed`, () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "carrel-unattended-")))
  const folder = join(root, "folder")
  const chance = chanceOf(SEED)
  let cluster: Cluster
  let nodes: ClusterNode[]
  let any: AnyNode
  let model: OllamaStandIn
  let steady: TestReceiver
  let shaky: TestReceiver
  let sourceId = ""
  let batchId = ""
  let runs: Body[] = []
  /** Longest that the schedule was at work. */
  let scheduledMs = 0

  let serial = 0
  const write = (name: string) =>
    writeFileSync(join(folder, name), `word${serial++} stands here. ${"Filler of the harbour. ".repeat(chance(60))}`)
  const line = (kind: string, url: string, body: (i: number) => object) =>
    Array.from({ length: EACH }, (_, i) => ({ custom_id: `${kind}-${i}`, method: "POST", url, body: body(i) }))
  const requests = [
    ...line("conversation", "/external/conversations", i => ({ model: LLAMA.name, message: `case-slow ${i}` })),
    ...line("run", "/external/agents/run", i => ({ model: LLAMA.name, task: `case-slow ${i}`, tools: [] })),
    ...line("search", "/external/search", i => ({ query: `heron ${i}` })),
  ]
  const hooked = async (): Promise<TestReceiver> => {
    const receiver = startReceiver(0, cluster.network.here)
    receiver.secret = (await any.call("POST", "/webhooks", { url: receiver.url })).secret
    return receiver
  }

  beforeAll(
    async () => {
      console.log(`storm seed ${SEED}`)
      mkdirSync(folder)
      for (let i = 0; i < FILES; i++) write(`${i}.txt`)
      cluster = await openCluster()
      const command = await executableCommand()
      model = await startOllama([LLAMA], 0, cluster.network.here)
      model.server.scenes.add("slow", { text: ANSWER, delayMs: 40 })
      const flags = [
        ...["--ollama-host", model.server.url, "--source-root", root, "--batch-concurrency", "3"],
        ...["--rate-limit-per-minute", "1000000", "--log-level", "warn"],
      ]
      nodes = NODE_NAMES.map(name => cluster.node(name, { command, flags }))
      await Promise.all(nodes.map(node => node.start()))
      any = new AnyNode(nodes, await nodes[0]!.createKey("test"), chance)
      steady = await hooked()
      shaky = await hooked()
      shaky.answer = () => new Response(null, { status: chance(20) === 0 ? 500 : 204 })
      await storm()
    },
    CLUSTER_TIMEOUT_MS + BUILD_TIMEOUT_MS + 180_000,
  )
  afterAll(async () => {
    steady?.stop()
    shaky?.stop()
    model?.server.stop()
    await cluster?.remove()
    rmSync(root, { recursive: true, force: true })
  }, CLUSTER_TIMEOUT_MS)

  async function storm(): Promise<void> {
    sourceId = (await any.call("POST", "/sources", { type: "folder", name: "storm", config: { path: folder } })).id
    await any.call("POST", `/sources/${sourceId}/sync`, {})
    batchId = (await any.call("POST", "/batches", { requests })).id
    const begun = performance.now()
    const request = { url: "/external/conversations", body: { model: LLAMA.name, message: "case-slow planned" } }
    const { id } = await any.call("POST", "/schedules", { name: "beside", every: `${EVERY_S}s`, request })
    for (let round = 0; round < ROUNDS; round++) {
      await Bun.sleep(500 + chance(2_500))
      const victim = nodes[round % nodes.length]!
      await victim.kill()
      for (let left = 10; left > 0; left--) write(`${chance(FILES)}.txt`)
      rmSync(join(folder, readdirSync(folder)[0]!))
      await any.call("POST", `/sources/${sourceId}/sync`, {})
      await Bun.sleep(chance(2_000))
      await victim.start()
    }
    const runsOf = (): Promise<Body[]> => any.call("GET", `/schedules/${id}/runs?limit=100`)
    // A run whose node was killed keeps the next ones waiting until it is known to be dead.
    await until(async () => (await runsOf()).length > 2, { within: 120_000, everyMs: 250 })
    await any.call("PATCH", `/schedules/${id}`, { paused: true })
    scheduledMs = performance.now() - begun
    runs = await until(
      async () => {
        const found = await runsOf()
        return found.every(({ status }) => status !== "running") && found
      },
      { within: 120_000, everyMs: 250 },
    )
  }

  test("a source holds what its folder holds: nothing is lost, doubled or left behind", async () => {
    const last = await until(
      async () => {
        await any.call("POST", `/sources/${sourceId}/sync`, { force: true })
        const source = await until(async () => {
          const found = await any.call("GET", `/sources/${sourceId}`)
          return found.status !== "syncing" && found
        })
        const { added, updated, deleted, error } = source.last_sync
        return error === null && added + updated + deleted === 0 && source
      },
      { within: 120_000 },
    )
    const there = readdirSync(folder)
    expect(last.last_sync).toMatchObject({ unchanged: there.length, failed: 0, skipped: 0 })
    await any.settled()
    const files = await filesOfSource(any, sourceId)
    const wanted = there.map(name => [name, sha256(readFileSync(join(folder, name)))])
    expect(files.map(file => [file.key, file.sha256]).sort()).toEqual(wanted.sort())
    expect(files.filter(({ status }) => status !== "searchable")).toEqual([])
  }, 300_000)

  test("a batch answers each line once, and a schedule runs no more often than it should", async () => {
    const batch = await endedBatch(any, batchId)
    const total = requests.length
    expect([batch.status, batch.request_counts]).toEqual(["completed", { total, completed: total, failed: 0 }])
    const lines = await linesOf(any, batch.output_file_id)
    expect(lines.map(({ custom_id }) => custom_id).sort()).toEqual(requests.map(({ custom_id }) => custom_id).sort())
    const asked = lines.filter(({ custom_id }) => !custom_id.startsWith("search"))
    expect(asked.filter(answer => !JSON.stringify(answer).includes(ANSWER))).toEqual([])
    expect(runs.map(({ status }) => status)).toEqual(runs.map(() => "completed"))
    expect(runs.length).toBeGreaterThan(2)
    expect(runs.length).toBeLessThanOrEqual(Math.floor(scheduledMs / 1_000 / EVERY_S) + 1)
    const count = async (path: string) => (await any.call("GET", `${path}?page_size=1`)).pagination.total_items
    expect(await count("/conversations")).toBe(EACH + runs.length)
    expect(await count("/agents/runs")).toBe(EACH)
  }, 240_000)

  test("each event stands once in the feed, and every receiver has had it", async () => {
    await any.settled()
    const events = await feedOf(any)
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length)
    const told = (type: string) => events.filter(event => event.type === type).map(({ data }) => data.id)
    expect(told("batch.completed")).toEqual([batchId])
    const deleted = told("file.deleted").sort()
    expect(deleted).toEqual([...new Set(deleted)])
    const syncs = events.filter(({ type }) => type.startsWith("source.")).map(({ data }) => data.sync_id)
    expect(new Set(syncs).size).toBe(syncs.length)
    const wanted = events.map(({ id, type, data }) => `${id} ${type} ${data.id}`).sort()
    for (const receiver of [steady, shaky]) {
      const taken = () => new Set(receiver.messages.map(({ id, type, data }) => `${id} ${type} ${data.id}`))
      // The comparison says what is missing.
      await until(() => taken().size >= wanted.length, { within: 60_000 }).catch(() => {})
      expect([...taken()].sort()).toEqual(wanted)
      expect(receiver.refused).toEqual([])
    }
  }, 120_000)
})
