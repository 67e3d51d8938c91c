import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"
import { LLAMA, type OllamaStandIn, startOllama } from "../support/ollama.ts"

let app: TestApp
let client: Client
let model: OllamaStandIn
beforeAll(async () => {
  model = await startOllama([LLAMA])
  app = await startTestApp({ "ollama-host": model.server.url })
  client = await app.client()
})
afterAll(async () => {
  await app.stop()
  model.server.stop()
})

/** Sample lines by name and labels: `carrel_files{status="failed"}` → 0. */
async function scrape(): Promise<Map<string, number>> {
  const text = await (await fetch(`${app.url}/metrics`)).text()
  return new Map(
    text
      .split("\n")
      .filter(line => line && !line.startsWith("#"))
      .map(line => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1))]),
  )
}

describe("/metrics", () => {
  test("tells of queue, files, index, models, redaction, runs, disk and loop", async () => {
    const before = await scrape()
    // Longer than what is read and cut in one step.
    const [file] = await client.index([{ name: "heron.txt", data: "The heron stands in the reeds.\n\n".repeat(3_000) }])
    await client.index([{ name: "empty.txt", data: "   \n" }])
    await client.post("/start-conversation", {
      message: "Who wrote to ann@example.org?",
      model: LLAMA.name,
      redaction: { enabled: true, kinds: ["EMAIL"] },
    })
    await client.post("/agents/run", { task: "Say hello.", model: LLAMA.name, tools: [] })
    const after = await scrape()
    const grown = (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0)
    expect(file.status).toBe("searchable")

    expect(after.get('carrel_jobs{task="index_file"}')).toBe(0)
    expect(after.get('carrel_oldest_job_seconds{task="index_file"}')).toBe(0)
    expect(after.get('carrel_files{status="searchable"}')).toBe(1)
    expect(after.get('carrel_files{status="failed"}')).toBe(1)
    expect(after.get('carrel_files{status="queued"}')).toBe(0)
    expect(after.get('carrel_index_entries{kind="passages"}')).toBe(file.chunk_count)
    expect(after.get('carrel_index_entries{kind="vectors"}')).toBe(file.chunk_count)
    expect(after.get('carrel_index_bytes{kind="keyword"}')).toBeGreaterThan(0)
    expect(after.get('carrel_index_bytes{kind="vector"}')).toBeGreaterThan(0)
    expect(after.get("carrel_replies")).toBe(0)
    expect(after.get('carrel_agent_runs{state="running"}')).toBe(0)
    expect(after.get("carrel_disk_free_bytes")).toBeGreaterThan(0)
    expect(after.get("carrel_resident_memory_bytes")).toBeGreaterThan(2 ** 20)
    expect(after.get("carrel_event_loop_lag_max_seconds")).toBeGreaterThanOrEqual(0)
    expect(after.get("carrel_refused_connections_total")).toBeGreaterThanOrEqual(0)
    for (const stage of ["extracting", "chunking", "embedding", "committing"])
      expect({ stage, grown: grown(`carrel_index_stage_seconds_count{stage="${stage}"}`) > 0 }).toEqual({
        stage,
        grown: true,
      })
    expect(grown('carrel_job_seconds_count{task="index_file",outcome="done"}')).toBe(2)
    for (const until of ["first", "end"])
      expect(grown(`carrel_model_seconds_count{provider="ollama",until="${until}"}`)).toBeGreaterThanOrEqual(2)
    for (const direction of ["prompt", "completion"])
      expect(grown(`carrel_model_tokens_total{provider="ollama",direction="${direction}"}`)).toBeGreaterThan(0)
    expect(grown('carrel_redactions_total{kind="EMAIL"}')).toBeGreaterThanOrEqual(1)
    expect(grown('carrel_agent_run_seconds_count{status="completed"}')).toBe(1)
    expect(grown('carrel_http_requests_total{method="POST",status="200"}')).toBe(2)
    expect(grown("carrel_http_request_seconds_count")).toBeGreaterThan(4)
  }, 30_000)

  test("tells how sources, schedules, webhooks and batches are", async () => {
    await client.post("/sources", { type: "push", name: "Export" })
    const { body } = await client.post("/webhooks", { url: "http://127.0.0.1:9/" })
    await client.patch(`/webhooks/${body.id}`, { status: "disabled" })
    await client.post("/schedules", { name: "A", every: "1d", request: { url: "/external/search", body: {} } })
    const figures = await scrape()
    for (const [name, value] of [
      ['carrel_sources{status="idle"}', 1],
      ['carrel_sources{status="failed"}', 0],
      ['carrel_webhooks{status="active"}', 0],
      ['carrel_webhooks{status="disabled"}', 1],
      ["carrel_webhook_deliveries_waiting", 0],
      ['carrel_schedules{status="active"}', 1],
      ['carrel_schedules{status="failing"}', 0],
      ['carrel_batches{status="in_progress"}', 0],
      ["carrel_batch_requests_waiting", 0],
    ] as const)
      expect([name, figures.get(name)]).toEqual([name, value])
  })

  test("holds no name, text or id of anyone's things", async () => {
    const text = await (await fetch(`${app.url}/metrics`)).text()
    expect(text).not.toMatch(/heron|example\.org|file_|key_|conv_|run_0/)
  })

  test("answers the loopback only, and nobody behind a proxy", async () => {
    for (const header of ["x-forwarded-for", "x-real-ip", "forwarded"]) {
      const response = await fetch(`${app.url}/metrics`, { headers: { [header]: "127.0.0.1" } })
      expect([response.status, (await response.text()).includes("carrel_")]).toEqual([401, false])
    }
  })
})
