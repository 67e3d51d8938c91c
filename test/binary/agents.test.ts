/** What agents start of the executable itself: the thread that calculates and the process that reads tables. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { BUILD_TIMEOUT_MS, executable } from "../support/executable.ts"
import type { ModelServer } from "../support/model-server.ts"
import { startOllama } from "../support/ollama.ts"

const data = mkdtempSync(join(tmpdir(), "carrel-agents-binary-"))
const url = `http://127.0.0.1:${20_000 + (process.pid % 30_000)}`
const environment = { PATH: "/usr/bin:/bin", HOME: data }
let path: string
let model: ModelServer
let daemon: Bun.Subprocess | undefined

beforeAll(async () => {
  path = await executable()
  model = (await startOllama()).server
}, BUILD_TIMEOUT_MS)
afterAll(() => {
  daemon?.kill("SIGKILL")
  model.stop()
  rmSync(data, { recursive: true, force: true })
})

test("the compiled tools calculate, query a table and read a file", async () => {
  daemon = Bun.spawn([path, "serve", "--data", data, "--port", new URL(url).port, "--ollama-host", model.url], {
    env: environment,
    stdout: "ignore",
    stderr: "ignore",
  })
  await until(async () => (await fetch(`${url}/readyz`)).ok)
  const created = Bun.spawnSync([path, "keys", "create", "--name", "t", "--json", "--data", data], { env: environment })
  const key = JSON.parse(created.stdout.toString())
  const headers = { "client-id": key.client_id, "private-key": key.private_key, secret: key.secret }
  // biome-ignore lint/suspicious/noExplicitAny: bodies of several routes
  const call = async (method: string, route: string, body?: FormData | object): Promise<any> => {
    const isForm = body instanceof FormData
    const response = await fetch(`${url}/external${route}`, {
      method,
      headers: { ...headers, ...(body && !isForm ? { "content-type": "application/json" } : {}) },
      ...(body ? { body: isForm ? body : JSON.stringify(body) } : {}),
    })
    return response.json()
  }
  const form = new FormData()
  form.append("files", new Blob(["item,price\npen,1.25\nink,2.50\npad,4.00\n"]), "prices.csv")
  const [{ id }] = (await call("POST", "/upload", form)).files
  await until(async () => (await call("GET", `/libraries/${id}`)).status === "searchable")
  const tools = [
    { name: "calculate", arguments: { expression: "0.1 + 0.2" } },
    { name: "query_table", arguments: { file_id: id, sql: "select sum(price) as total from data" } },
    { name: "read_file", arguments: { file_id: id } },
  ]
  model.scenes.add("none", (_, count) => (count === 0 ? { tools } : { text: '{"total": 7.75}' }))
  const run = await call("POST", "/agents/run", {
    task: "Sum up",
    output_schema: { type: "object", required: ["total"] },
  })
  expect(run).toMatchObject({ status: "completed", structured_output: { total: 7.75 } })
  const results = run.steps.map((step: { result: string }) => step.result)
  expect(results).toEqual(["0.3", expect.stringContaining("total\n7.75"), expect.stringContaining("pen")])
}, 120_000)

async function until(probe: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 60_000; Date.now() < end; await Bun.sleep(50))
    if (await probe().catch(() => false)) return
  throw new Error("did not come about within a minute")
}
