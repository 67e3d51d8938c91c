/**
 * A node of a cluster as far as conversations and runs go: the real server, chat and agents over a PostgreSQL, real membership
 * with quick heartbeats, and a stand-in for the model server. The library is empty. In this process, or as one of its own that can be
 * killed (`spawnLiveNode`).
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openAccess } from "../../src/app/access.ts"
import { openAgents } from "../../src/app/agents.ts"
import { openChat } from "../../src/app/chat.ts"
import { openChatModels } from "../../src/app/models.ts"
import { openNetwork } from "../../src/app/network.ts"
import { openServer } from "../../src/app/server.ts"
import type { Storage } from "../../src/app/storage.ts"
import type { ClusterParts } from "../../src/app/stored.ts"
import { Together } from "../../src/app/together.ts"
import { openFenced, openTools } from "../../src/app/tools.ts"
import { readConfig } from "../../src/config.ts"
import { RowAnchors } from "../../src/governance/audit/anchors.ts"
import { AuditLog } from "../../src/governance/audit/audit-log.ts"
import { AuditSubjects } from "../../src/governance/audit/subjects.ts"
import { Usage } from "../../src/governance/usage/usage.ts"
import { TokenMeter } from "../../src/grounding/tokens.ts"
import { setLogLevel } from "../../src/log.ts"
import { Nodes } from "../../src/nodes/nodes.ts"
import { Peers } from "../../src/nodes/peers.ts"
import { Signatures } from "../../src/nodes/signature.ts"
import { Redactor } from "../../src/redaction/redact.ts"
import { Idempotency } from "../../src/storage/idempotency.ts"
import { openPostgres } from "../../src/storage/postgres/open.ts"
import { until } from "./until.ts"

export const SECRET = "the secret of this cluster, long enough"

export interface LiveNodeOptions {
  /** URL. */
  database: string
  ollama: string
  secret?: string
  /** How others reach it, where that is not its own URL. */
  nodeUrl?: string
  port?: number
  role?: "all" | "api" | "worker"
  /** File with the servers of tools. */
  mcpConfig?: string
}

export interface LiveNode {
  url: string
  id: string
  stop(): Promise<void>
}

export async function startLiveNode(options: LiveNodeOptions): Promise<LiveNode> {
  const stack = new AsyncDisposableStack()
  const data = mkdtempSync(join(tmpdir(), "carrel-live-"))
  stack.defer(() => rmSync(data, { recursive: true, force: true }))
  const port = options.port ?? freePort()
  const flags = { data, port: String(port), "ollama-host": options.ollama, "rate-limit-per-minute": "1000000" }
  if (options.mcpConfig) Object.assign(flags, { "mcp-config": options.mcpConfig })
  const given = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value])
  const { config } = readConfig(given, {})
  const database = await openPostgres(options.database, { poolSize: 4 })
  stack.defer(() => database.destroy())
  const url = `http://127.0.0.1:${port}`
  const role = options.role ?? "all"
  const afterDeath: (() => Promise<unknown>)[] = []
  const heart = await openPostgres(options.database, { poolSize: 2 })
  stack.defer(() => heart.destroy())
  const node = await Nodes.join({
    database: heart,
    description: { name: "test", url: options.nodeUrl ?? url, role, version: "1" },
    deaths: async () => {
      for (const giveUp of afterDeath) await giveUp()
    },
    timing: { heartbeatMs: 500, deadAfterMs: 4_500, stopAfterMs: 3_000 },
  })
  stack.use(node)
  const disk = { isFailing: async () => false }
  const signatures = new Signatures(options.secret ?? SECRET, node)
  const cluster: ClusterParts = {
    role,
    signatures,
    peers: new Peers(signatures),
    vacuum: async () => true,
    onDeaths: giveUp => afterDeath.push(giveUp),
  }
  const usage = stack.use(await Usage.open(database, { directory: join(data, "usage") }))
  const audit = stack.use(await AuditLog.openArrived(database, new RowAnchors(), join(data, "audit")))
  const leader = { whileLeader() {} } // nothing here is the work of one node
  const kept = { database, node, leader, disk, cluster, usage, idempotency: new Idempotency(database) }
  const storage = kept as unknown as Storage
  const access = await openAccess(config, { signIn: undefined }, storage, stack)
  const embedders = { fast: { state: "answering", model: "none" } }
  const parts = {
    network: await openNetwork(config, stack),
    fenced: openFenced(stack),
    storage,
    access,
    chatModels: await openChatModels(config),
    models: { redactor: new Redactor({ entityModel: undefined }), meter: new TokenMeter(), embedders },
    index: { search: async () => ({ hits: [], total: 0, degraded: null, corrections: [], index: {} }) },
    sources: { sources: {} },
    governance: { usage, audit, auditSubjects: new AuditSubjects(database) },
    files: { library: { existing: async () => [], idsOfContext: async () => [] } },
    // biome-ignore lint/suspicious/noExplicitAny: what no conversation without library asks for is not there
  } as any
  const chat = await openChat(config, parts)
  const tools = openTools({ ...parts, chat })
  const agents = await openAgents(config, { ...parts, tools }, stack)
  const atWork = stack.use(new Together())
  atWork.add(() => chat.stop(500))
  atWork.add(() => agents.stop(500))
  openServer(config, { ...parts, chat, tools, agents }, atWork)
  return { url, id: node.id, stop: () => stack.disposeAsync() }
}

export function freePort(): number {
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } })
  const { port } = listener
  listener.stop(true)
  return port
}

export interface SpawnedNode extends LiveNode {
  pid: number
  signal(name: NodeJS.Signals): void
}

export async function spawnLiveNode(options: LiveNodeOptions): Promise<SpawnedNode> {
  const port = options.port ?? freePort()
  const given = JSON.stringify({ ...options, port })
  const child = Bun.spawn([process.execPath, import.meta.path, given], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  })
  const output = child.stdout.getReader()
  const { value } = await output.read()
  const { id } = JSON.parse(new TextDecoder().decode(value)) as { id: string }
  const url = `http://127.0.0.1:${port}`
  await until(async () => (await fetch(`${url}/readyz`)).ok)
  return {
    url,
    id,
    pid: child.pid,
    signal: name => child.kill(name),
    async stop() {
      child.kill("SIGKILL")
      await child.exited
    },
  }
}

if (import.meta.main) {
  setLogLevel("error")
  const { id } = await startLiveNode(JSON.parse(process.argv[2]!) as LiveNodeOptions)
  console.log(JSON.stringify({ id }))
}
