/** What agents start of the executable itself: the thread that calculates and the process that reads tables. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { type Daemon, startDaemon } from "../support/daemon.ts"
import { BUILD_TIMEOUT_MS, executable } from "../support/executable.ts"
import type { ModelServer } from "../support/model-server.ts"
import { startOllama } from "../support/ollama.ts"

let path: string
let model: ModelServer
let daemon: Daemon | undefined

beforeAll(async () => {
  path = await executable()
  model = (await startOllama()).server
}, BUILD_TIMEOUT_MS)
afterAll(async () => {
  await daemon?.remove()
  model.stop()
})

test("the compiled tools calculate, query a table and read a file", async () => {
  daemon = await startDaemon(["--ollama-host", model.url], { command: [path], env: { PATH: "/usr/bin:/bin" } })
  const { id } = await daemon.index("prices.csv", "item,price\npen,1.25\nink,2.50\npad,4.00\n")
  const tools = [
    { name: "calculate", arguments: { expression: "0.1 + 0.2" } },
    { name: "query_table", arguments: { file_id: id, sql: "select sum(price) as total from data" } },
    { name: "read_file", arguments: { file_id: id } },
  ]
  model.scenes.add("none", (_, count) => (count === 0 ? { tools } : { text: '{"total": 7.75}' }))
  const run = await daemon.call("POST", "/agents/run", {
    task: "Sum up",
    output_schema: { type: "object", required: ["total"] },
  })
  expect(run).toMatchObject({ status: "completed", structured_output: { total: 7.75 } })
  const results = run.steps.map((step: { result: string }) => step.result)
  expect(results).toEqual(["0.3", expect.stringContaining("total\n7.75"), expect.stringContaining("pen")])
}, 120_000)
