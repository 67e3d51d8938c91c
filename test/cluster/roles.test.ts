/** Nodes beside others than themselves: of another role, of another version. */
import { afterAll, expect, test } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePorts } from "../../scripts/cluster/engine.ts"
import { ClusterNode, type Credentials } from "../support/cluster-node.ts"
import { onServer, openSearch, postgres, storage } from "../support/engines.ts"
import { readEvents } from "../support/events.ts"

const TIMEOUT_MS = 240_000
/** A node that worked would have begun long before. */
const IDLE_MS = 4_000

const [database, blobs, search] = [await postgres(), await storage(), await openSearch()]
const canRun = database !== undefined && blobs !== undefined && search !== undefined
const folder = mkdtempSync(join(tmpdir(), "carrel-roles-"))
const secretFile = join(folder, "secret")
writeFileSync(secretFile, "s".repeat(64), { mode: 0o600 })
const nodes: ClusterNode[] = []
afterAll(async () => {
  for (const node of nodes) await node.remove()
  rmSync(folder, { recursive: true, force: true })
})

async function nodeOf(role: "api" | "worker"): Promise<ClusterNode> {
  const urls = {
    database_url: database!,
    blob_url: blobs!,
    search_url: `${search!.url}?prefix=${search!.prefix}`,
    ca_file: search!.caFile,
  }
  const [port] = (await freePorts(1)) as [number]
  const host = { address: "127.0.0.1", under: [] }
  const flags = ["--role", role, "--log-level", "warn", "--file-wait-seconds", "120"]
  const node = new ClusterNode({ name: role, host, port, urls, secretFile, flags })
  nodes.push(node)
  await node.start()
  return node
}

test.skipIf(!canRun)(
  "a node comes back where a later version has added tables, and its commands work",
  async () => {
    const node = await nodeOf("api")
    await onServer(database!, "insert into migrations (name, applied_at) values ('9998-next', '')")
    expect(await node.stop()).toBe(0)
    await node.start()
    expect((await node.run("keys", "list")).code).toBe(0)
    expect(await node.stop()).toBe(0)
    await onServer(database!, "update cluster set contract = contract + 1")
    expect((await node.run("keys", "list")).err).toContain("newer version")
    node.launch()
    expect(await node.ended()).toBe(1)
    await onServer(database!, "update cluster set contract = contract - 1")
  },
  TIMEOUT_MS,
)

test.skipIf(!canRun)(
  "a file waits for a node that works, and the events and the reply that wait for it on the other go on then",
  async () => {
    const api = await nodeOf("api")
    const url = `${api.url}/external`
    const { id: _, ...credentials } = await api.createKey()
    const headers: Credentials = credentials
    const form = new FormData()
    form.append("files", new Blob(["The ferry to the islands leaves at nine."]), "ferry.txt")
    const uploaded = await fetch(`${url}/upload`, { method: "POST", headers, body: form })
    const [{ id }] = ((await uploaded.json()) as { files: { id: string }[] }).files as [{ id: string }]
    const statuses: unknown[] = []
    const followed = fetch(`${url}/libraries/${id}/events`, { headers }).then(response =>
      readEvents(response, ({ data }) => {
        statuses.push(data.status)
        return false
      }),
    )
    const details: unknown[] = []
    const replied = fetch(`${url}/conversations`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ message: "When does the ferry leave?", file_ids: [id] }),
    }).then(response =>
      readEvents(response, ({ event, data }) => {
        if (event === "status") details.push(data.detail)
        if (event === "message_completed") details.push(data.content)
        return false
      }),
    )
    await Bun.sleep(IDLE_MS)
    expect([...new Set(statuses)]).toEqual(["queued"])
    await nodeOf("worker")
    await Promise.all([followed, replied])
    expect([statuses[0], statuses.at(-1)]).toEqual(["queued", "searchable"])
    expect(details).toContainEqual(expect.stringContaining("waiting until"))
    expect(details.at(-1)).toContain("nine")
  },
  TIMEOUT_MS,
)
