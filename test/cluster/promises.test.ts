/** What every node of a cluster promises at once, with three nodes of the executable on hosts of their own. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { chanceOf } from "../crash/chance.ts"
import { AnyNode } from "../support/any-node.ts"
import { CLUSTER_TIMEOUT_MS, type Cluster, lacksCluster, NODE_NAMES, openCluster } from "../support/cluster.ts"
import type { ClusterNode, Credentials } from "../support/cluster-node.ts"
import { readEvents } from "../support/events.ts"
import { BUILD_TIMEOUT_MS, executableCommand } from "../support/executable.ts"
import { LLAMA, type OllamaStandIn, startOllama } from "../support/ollama.ts"
import { until } from "../support/until.ts"

const reason = await lacksCluster()
/** What becomes of a dead node's work is promised within it. */
const DEATH_MS = 30_000
const LIMIT = 60
const BURST = 40
const LONG = Array.from({ length: 3_000 }, (_, i) => `word${i}`).join(" ")

describe.skipIf(reason !== undefined)("three nodes", () => {
  let cluster: Cluster
  let nodes: ClusterNode[]
  let any: AnyNode
  let credentials: Credentials
  let model: OllamaStandIn

  beforeAll(async () => {
    cluster = await openCluster()
    const command = await executableCommand()
    model = await startOllama([LLAMA], 0, cluster.network.here)
    model.server.scenes.add("long", { text: LONG, delayMs: 20 })
    const flags = ["--ollama-host", model.server.url, "--rate-limit-per-minute", "1000000", "--log-level", "warn"]
    nodes = NODE_NAMES.map(name => cluster.node(name, { command, flags }))
    await Promise.all(nodes.map(node => node.start()))
    credentials = await nodes[0]!.createKey("test")
    any = new AnyNode(nodes, credentials, chanceOf(1))
  }, CLUSTER_TIMEOUT_MS + BUILD_TIMEOUT_MS)
  afterAll(async () => {
    model?.server.stop()
    await cluster?.remove()
  }, CLUSTER_TIMEOUT_MS)

  const statusOn = async (node: ClusterNode, key: Credentials, path = "/libraries"): Promise<number> => {
    const { "client-id": clientId, "private-key": privateKey, secret } = key
    const headers = { "client-id": clientId, "private-key": privateKey, secret }
    return (await fetch(`${node.url}/external${path}`, { headers })).status
  }
  const everywhere = (key: Credentials) => Promise.all(nodes.map(node => statusOn(node, key)))

  test("a key is known everywhere once it is made, and refused everywhere once it is revoked", async () => {
    for (let round = 0; round < 5; round++) {
      const key = await nodes[round % 3]!.createKey(`short ${round}`)
      expect(await everywhere(key)).toEqual([200, 200, 200])
      const revoked = await nodes[(round + 1) % 3]!.run("keys", "revoke", key.id)
      expect(revoked.code, revoked.err).toBe(0)
      expect(await everywhere(key)).toEqual([401, 401, 401])
    }
  })

  test("a file that one node acknowledged each shows at once, and finds from when one says searchable", async () => {
    const form = new FormData()
    form.append("files", new Blob(["The kittiwake stands in this file."]), "kittiwake.txt")
    const { files } = await any.call("POST", "/upload", form)
    const on = async (node: ClusterNode, path: string, init: RequestInit = {}) =>
      (await any.fetch(path, init, node.url)).json() as Promise<{ status: string; hits: { file: { id: string } }[] }>
    await until(async () => (await on(nodes[0]!, `/libraries/${files[0].id}`)).status === "searchable")
    const body = JSON.stringify({ query: "kittiwake", mode: "keyword" })
    const init = { method: "POST", headers: { "content-type": "application/json" }, body }
    for (const node of nodes)
      expect((await on(node, "/search", init)).hits.map(({ file }) => file.id)).toEqual([files[0].id])
    await any.call("DELETE", `/libraries/${files[0].id}`)
    for (const node of nodes) expect((await on(node, "/search", init)).hits).toEqual([])
  })

  test("all nodes together pass no more requests of a key than its limit", async () => {
    const key = await nodes[0]!.createKey("limited", "--rate-limit-per-minute", String(LIMIT))
    const answers = await Promise.all(
      nodes.flatMap(node => Array.from({ length: BURST }, () => statusOn(node, key, "/models"))),
    )
    const passed = answers.filter(status => status === 200).length
    expect(new Set(answers)).toEqual(new Set([200, 429]))
    expect(passed).toBeLessThanOrEqual(LIMIT)
    expect(passed).toBeGreaterThan(LIMIT / 2)
  })

  test("what a killed node had under way ends within 30 s: the reply with its part, the run as interrupted", async () => {
    const [first, second, third] = nodes as [ClusterNode, ClusterNode, ClusterNode]
    const post = (node: ClusterNode, path: string, body: object, headers = {}) =>
      any.fetch(
        path,
        {
          method: "POST",
          headers: { "content-type": "application/json", ...headers },
          body: JSON.stringify(body),
          signal: null,
        },
        node.url,
      )
    const run = (await (
      await post(first, "/agents/run", { task: "case-long", model: LLAMA.name, tools: [] }, { prefer: "respond-async" })
    ).json()) as { run_id: string }
    const response = await post(first, "/conversations", { message: "case-long tell", model: LLAMA.name })
    let [conversation, message, deltas] = ["", "", 0]
    await readEvents(response, ({ event, data }) => {
      if (event === "conversation_created") conversation = data.conversation_id
      if (event === "message_started") message = data.message_id
      if (event === "message_delta") deltas++
      return deltas > 40
    })
    const followed = readEvents(await any.fetch(`/conversations/${conversation}/events`, { signal: null }, second.url))
    await Bun.sleep(1_500)
    await first.kill()
    const begun = performance.now()
    const events = (await followed).map(({ event }) => event)
    expect(events.slice(-2)).toEqual(["error", "done"])
    const reply = await until(
      async () => {
        const { messages } = (await (await any.fetch(`/conversations/${conversation}`, {}, third.url)).json()) as {
          messages: { id: string; content: string; finish_reason: string | null }[]
        }
        const found = messages.find(({ id }) => id === message)
        return found?.finish_reason != null && found
      },
      { within: DEATH_MS, everyMs: 250 },
    )
    expect(reply.finish_reason).toBe("error")
    expect(LONG).toStartWith(reply.content)
    expect(reply.content.length).toBeGreaterThan(100)
    const ended = await until(
      async () => {
        const found = (await (await any.fetch(`/agents/runs/${run.run_id}`, {}, third.url)).json()) as {
          status: string
          error?: { code: string }
        }
        return found.status !== "running" && found
      },
      { within: DEATH_MS, everyMs: 250 },
    )
    expect([ended.status, ended.error?.code]).toEqual(["failed", "interrupted"])
    expect(performance.now() - begun).toBeLessThan(DEATH_MS)
    await first.start()
  })

  test("a node cut from the database is not ready within 15 s, and is again when the link is back", async () => {
    const cut = nodes[1]!
    await cluster.network.cut("n2", "postgres")
    await until(async () => (await cut.probe("/readyz")) !== 200, { within: 15_000, everyMs: 250 })
    expect(await Promise.all([nodes[0]!, nodes[2]!].map(node => statusOn(node, credentials)))).toEqual([200, 200])
    await cluster.network.mendAll()
    await until(
      async () => {
        if (!cut.isRunning) cut.launch()
        return (await cut.probe("/readyz")) === 200
      },
      { everyMs: 250 },
    )
    expect(await statusOn(cut, credentials)).toBe(200)
  })
})
