/** Every connection that the executable makes, as the system sees it: none but to the configured model server. */
import { expect, test } from "bun:test"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { BUILD_TIMEOUT_MS, executable } from "../support/executable.ts"
import { until } from "../support/until.ts"

const traces = Bun.spawnSync(["strace", "-o", "/dev/null", "true"]).exitCode === 0
if (!traces) console.log("skipped: strace is not installed, or may not trace here")

test.skipIf(!traces)(
  "--offline connects to the model server and nowhere else",
  async () => {
    const binary = await executable()
    const folder = mkdtempSync(join(tmpdir(), "carrel-trace-"))
    const trace = join(folder, "trace")
    const data = join(folder, "data")
    const model = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => Response.json({ models: [] }) })
    const modelPort = model.port
    const daemon = Bun.spawn(
      [
        ...["strace", "-f", "-qq", "-e", "trace=connect", "-o", trace, binary, "serve", "--data", data],
        ...["--port", "0", "--offline", "--ollama-host", `http://127.0.0.1:${modelPort}`],
      ],
      { env: { PATH: "/usr/bin:/bin", HOME: folder }, stdout: "pipe", stderr: "ignore" },
    )
    try {
      const url = await readyUrl(daemon.stdout)
      const created = Bun.spawnSync([binary, "keys", "create", "--name", "t", "--json", "--data", data])
      const key = JSON.parse(created.stdout.toString())
      const headers = { "client-id": key.client_id, "private-key": key.private_key, secret: key.secret }
      const json = { ...headers, "content-type": "application/json" }
      const form = new FormData()
      form.append("files", new Blob(["The spare gaskets are in the tin labelled Heron."]), "heron.txt")
      expect((await fetch(`${url}/external/upload`, { method: "POST", headers, body: form })).status).toBe(202)
      expect((await fetch(`${url}/external/models`, { headers })).status).toBe(200)
      const body = JSON.stringify({ message: "Where are the spare gaskets?" })
      const ask = () => fetch(`${url}/external/start-conversation`, { method: "POST", headers: json, body })
      await until(async () => (await (await ask()).text()).includes("Heron"), { everyMs: 200 })
    } finally {
      // The tracer passes no signal on; it ends with the process that it traces.
      const traced = Number(
        readFileSync(`/proc/${daemon.pid}/task/${daemon.pid}/children`, "utf8").trim().split(" ")[0],
      )
      if (traced > 0) process.kill(traced, "SIGTERM")
      await Promise.race([daemon.exited, Bun.sleep(12_000)])
      daemon.kill("SIGKILL")
      await model.stop(true)
    }
    const destinations = [...readFileSync(trace, "utf8").matchAll(/sa_family=AF_INET6?, [^}]*/g)].map(match => match[0])
    rmSync(folder, { recursive: true, force: true })
    expect(destinations.length).toBeGreaterThan(0)
    for (const destination of destinations) {
      expect(destination).toContain(`htons(${modelPort})`)
      expect(destination).toContain('"127.0.0.1"')
    }
  },
  BUILD_TIMEOUT_MS + 60_000,
)

/** The address in the daemon's `ready` line. */
async function readyUrl(output: ReadableStream<Uint8Array>): Promise<string> {
  let text = ""
  const decoder = new TextDecoder()
  for await (const chunk of output) {
    text += decoder.decode(chunk, { stream: true })
    const url = /"message":"ready".*?"url":"([^"]+)"/.exec(text)?.[1]
    if (url) return url
  }
  throw new Error(`the daemon did not become ready: ${text}`)
}
