/** The audit log tells of what was answered, once, whenever the daemon is killed. */
import { afterAll, describe, expect, test } from "bun:test"
import { type Daemon, startDaemon } from "../support/daemon.ts"
import { inEnvironment, nodeSettings } from "../support/node-settings.ts"
import { chanceOf } from "./chance.ts"

const ROUNDS = 5
const chance = chanceOf(11)
const settings = await nodeSettings()

const kinds: [string, () => Promise<Daemon>][] = [["SQLite", () => startDaemon()]]
if (settings) kinds.push(["PostgreSQL", () => startDaemon([], { env: inEnvironment(settings()) })])

describe.each(kinds)("on %s", (_, start) => {
  let daemon: Daemon | undefined
  afterAll(() => daemon?.remove())

  test("after a storm of kills every answer has its row once, and the chain is whole", async () => {
    daemon = await start()
    const { id } = await daemon.index("heron.txt", "The heron nests in April.")
    const { token } = await daemon.call("POST", "/tokens", { scopes: ["search"] })
    const narrow = { authorization: `Bearer ${token}` }
    const answered = new Map<string, string>()
    const ask = async (n: number) => {
      const request = `storm-${n}`
      const form = new FormData()
      form.append("files", new Blob([`Herons nest in tall trees, ${n}.`]), `${n}.txt`)
      const all: [string, string, string, FormData | string | null, Record<string, string>][] = [
        ["file.upload", "POST", "/upload", form, daemon!.credentials],
        ["file.download", "GET", `/libraries/${id}/content`, null, daemon!.credentials],
        ["file.update", "PATCH", `/libraries/${id}`, JSON.stringify({ tags: [`t${n % 7}`] }), daemon!.credentials],
        ["request.refuse", "GET", "/libraries", null, narrow],
      ]
      const [action, method, path, body, credentials] = all[n % all.length]!
      const type: Record<string, string> = typeof body === "string" ? { "content-type": "application/json" } : {}
      const response = await fetch(`${daemon!.url}/external${path}`, {
        method,
        headers: { ...credentials, ...type, "x-request-id": request },
        body,
      })
      // What has the status has the answer: its row was written before.
      answered.set(request, `${action} ${response.status < 300 ? "success" : "denied"}`)
      await response.arrayBuffer()
    }
    let count = 0
    for (let round = 0; round < ROUNDS; round++) {
      let stopped = false
      const worker = async () => {
        while (!stopped) await ask(++count).catch(() => Bun.sleep(5))
      }
      const workers = Array.from({ length: 6 }, worker)
      await Bun.sleep(300 + chance(900))
      await daemon.kill()
      stopped = true
      await Promise.all(workers)
      await daemon.start()
    }
    const exported = await fetch(`${daemon.url}/external/audit.jsonl`, { headers: daemon.credentials })
    const rows = (await exported.text())
      .split("\n")
      .filter(Boolean)
      .map(line => JSON.parse(line))
    const told = Map.groupBy(rows, row => row.request_id as string)
    expect(answered.size).toBeGreaterThan(40)
    const wrong = [...answered].filter(([request, what]) => {
      const [row, ...more] = told.get(request) ?? []
      return more.length > 0 || `${row?.action} ${row?.outcome}` !== what
    })
    expect(wrong).toEqual([])
    const { ok, rows: verified } = await daemon.call("GET", "/audit/verify")
    expect([ok, verified >= rows.length]).toEqual([true, true])
  }, 180_000)
})
