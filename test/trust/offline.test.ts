import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import net from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { refuseOutbound } from "../../src/outbound.ts"
import { startTestApp, type TestApp } from "../support/app.ts"

describe("--offline", () => {
  let app: TestApp
  let model: ReturnType<typeof Bun.serve>
  beforeAll(async () => {
    model = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => Response.json({ models: [] }) })
    app = await startTestApp({ offline: "true", "ollama-host": `http://127.0.0.1:${model.port}` })
  })
  afterAll(async () => {
    await app.stop()
    await model.stop(true)
  })

  test("refuses other hosts before a name is looked up, and counts them", async () => {
    expect(fetch("https://example.com/")).rejects.toThrow("offline: no connection to example.com:443")
    expect(() => net.connect(80, "example.org")).toThrow("offline: no connection to example.org:80")
    expect(() => net.connect({ host: "192.0.2.1", port: 443 })).toThrow("offline")
  })

  test("lets the configured model server through", async () => {
    expect((await fetch(`http://127.0.0.1:${model.port}/api/tags`)).status).toBe(200)
  })
})

test("--offline lets the named tool servers of this machine through as well", async () => {
  const tools = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("tools") })
  const folder = mkdtempSync(join(tmpdir(), "carrel-offline-"))
  const file = join(folder, "mcp.json")
  writeFileSync(file, JSON.stringify({ mcpServers: { wiki: { url: `http://127.0.0.1:${tools.port}/mcp` } } }))
  const app = await startTestApp({ offline: "true", "mcp-config": file })
  try {
    expect((await fetch(`http://127.0.0.1:${tools.port}/mcp`)).status).toBe(200)
  } finally {
    await app.stop()
    await tools.stop(true)
    rmSync(folder, { recursive: true, force: true })
  }
})

describe("without --offline", () => {
  test("the guard is gone once it is taken away", async () => {
    const original = globalThis.fetch
    const allow = refuseOutbound([])
    expect(globalThis.fetch).not.toBe(original)
    allow()
    expect(globalThis.fetch).toBe(original)
  })
})
