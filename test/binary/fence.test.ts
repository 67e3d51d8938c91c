/** The fence around the children of the executable, attacked from the inside like that of the source in test/trust. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { BUILD_TIMEOUT_MS, executable } from "../support/executable.ts"
import { CAN_INJECT, ForeignProcess } from "../support/foreign-process.ts"
import { attack } from "../trust/attacks.ts"
import { childOf, isAlive, waitUntil } from "../trust/processes.ts"

const READY_MS = 60_000

describe.skipIf(!CAN_INJECT)("children of the executable", () => {
  const data = mkdtempSync(join(tmpdir(), "carrel-fence-"))
  let program: string
  let daemon: Bun.Subprocess
  let base: string
  let headers: Record<string, string>

  beforeAll(async () => {
    program = await executable()
    const probe = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() })
    const { port } = probe
    await probe.stop(true)
    base = `http://127.0.0.1:${port}`
    const env = { PATH: "/usr/bin:/bin", HOME: data, CARREL_OLLAMA_HOST: "http://127.0.0.1:9", SECRET_OF_DAEMON: "x" }
    daemon = Bun.spawn([program, "serve", "--data", data, "--port", String(port), "--log-level", "error"], {
      env,
      stdio: ["ignore", "ignore", "ignore"],
    })
    for (const end = Date.now() + READY_MS; Date.now() < end; await Bun.sleep(100))
      if (
        await fetch(`${base}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        )
      )
        break
    const made = Bun.spawnSync([program, "keys", "create", "--name", "t", "--json", "--data", data], { env })
    const key = JSON.parse(made.stdout.toString())
    headers = { "client-id": key.client_id, "private-key": key.private_key, secret: key.secret }
  }, BUILD_TIMEOUT_MS)
  afterAll(async () => {
    daemon?.kill("SIGKILL")
    await daemon?.exited
    rmSync(data, { recursive: true, force: true })
  })

  const upload = async (name: string, text: string) => {
    const form = new FormData()
    form.append("files", new Blob([text]), name)
    const response = await fetch(`${base}/external-docs/external/upload`, { method: "POST", headers, body: form })
    return ((await response.json()) as { files: { id: string }[] }).files[0]!.id
  }
  const statusOf = async (id: string) =>
    ((await (await fetch(`${base}/external-docs/external/libraries/${id}`, { headers })).json()) as { status: string })
      .status
  const attacked = (pid: number): string[] => {
    const taken = new ForeignProcess(pid)
    try {
      return attack(taken, { daemon: daemon.pid, data, program })
    } finally {
      taken.release()
    }
  }

  test("a reader gets at nothing, and goes on reading; none of it outlives the daemon", async () => {
    const first = await upload("a.txt", "The ficus stands in the hall.")
    await waitUntil(async () => (await statusOf(first)) === "searchable")
    const reader = await childOf(daemon.pid, "reader")
    expect(attacked(reader)).toEqual([])
    const second = await upload("b.txt", "The palm stands in the yard.")
    await waitUntil(async () => (await statusOf(second)) === "searchable")
    expect(isAlive(reader)).toBe(true)
  }, 60_000)

  test("what evaluates schemas gets at nothing either, and ends with a daemon that is killed", async () => {
    const body = JSON.stringify({ task: "x", output_schema: { type: "string" } })
    const asJson = { ...headers, "content-type": "application/json" }
    await fetch(`${base}/external-docs/external/agents/run`, { method: "POST", headers: asJson, body })
    const evaluator = await childOf(daemon.pid, "evaluate")
    expect(attacked(evaluator)).toEqual([])
    daemon.kill("SIGKILL")
    await waitUntil(() => !isAlive(evaluator))
  }, 60_000)
})
