import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import net from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fetchWithin, refuseOutbound } from "../../src/outbound.ts"
import { startTestApp, type TestApp } from "../support/app.ts"
import { type Daemon, startDaemon } from "../support/daemon.ts"
import { startOllama } from "../support/ollama.ts"
import { rejection } from "../support/rejection.ts"

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

/** A server that sends every caller on, and one that records who came. */
function startRedirect(status: number) {
  const came: { path: string; body: string; authorization: string | null }[] = []
  const elsewhere = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname } = new URL(request.url)
      came.push({ path: pathname, body: await request.text(), authorization: request.headers.get("authorization") })
      return Response.json({ models: [{ name: "far:1b", digest: "1", size: 1 }], data: [{ id: "far" }] })
    },
  })
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: request => Response.redirect(new URL(new URL(request.url).pathname, elsewhere.url).href, status),
  })
  const stop = () => Promise.all([server.stop(true), elsewhere.stop(true)])
  return { came, url: `http://127.0.0.1:${server.port}`, stop }
}

const refusals = async (daemon: Daemon): Promise<number> => {
  const text = await (await fetch(`${daemon.url}/metrics`)).text()
  return Number(/^carrel_refused_connections_total (\d+)/m.exec(text)?.[1])
}

describe.each([
  ["with --offline", ["--offline"]],
  ["without --offline", []],
])("a redirect of a configured server, %s", (_, flags) => {
  test.each([302, 307])(
    "a model server that answers %d with another host gets nothing sent there, and that is counted",
    async status => {
      const redirect = startRedirect(status)
      const openai = ["--openai-base-url", `${redirect.url}/v1`, "--openai-api-key", "sk-operator"]
      const daemon = await startDaemon([...flags, "--ollama-host", redirect.url, ...openai])
      try {
        const models = await daemon.call("GET", "/models")
        expect(models.map((model: { value: string }) => model.value)).toEqual(["builtin/extractive"])
        expect(redirect.came).toEqual([])
        expect(await refusals(daemon)).toBeGreaterThan(0)
      } finally {
        await daemon.remove()
        await redirect.stop()
      }
    },
    60_000,
  )

  test("a chat request that is sent on reaches nobody, and the error names both addresses", async () => {
    const redirect = startRedirect(307)
    const model = await startOllama()
    const daemon = await startDaemon([...flags, "--ollama-host", model.server.url])
    try {
      const asked = { message: "a private question", model: "ollama/llama3.2:3b" }
      expect((await daemon.call("POST", "/start-conversation", asked)).messages).toHaveLength(2)
      model.server.redirectTo = redirect.url
      const { message } = await rejection(daemon.call("POST", "/start-conversation", asked))
      expect(message).toContain("answered 502")
      expect(message).toContain(`${model.server.url} redirects to http://`)
      expect(redirect.came).toEqual([])
      expect(await refusals(daemon)).toBe(1)
    } finally {
      await daemon.remove()
      model.server.stop()
      await redirect.stop()
    }
  }, 60_000)

  test("a tool server that sends its callers on is left out, and its headers go nowhere", async () => {
    const redirect = startRedirect(307)
    const folder = mkdtempSync(join(tmpdir(), "carrel-offline-"))
    const file = join(folder, "mcp.json")
    const wiki = { url: `${redirect.url}/mcp`, headers: { authorization: "Bearer operator" } }
    writeFileSync(file, JSON.stringify({ mcpServers: { wiki } }))
    const daemon = await startDaemon([...flags, "--mcp-config", file])
    try {
      const run = daemon.call("POST", "/agents/run", { task: "look it up", tools: ["wiki.find"] })
      expect((await rejection(run)).message).toContain("redirects to another address")
      expect(redirect.came).toEqual([])
      expect(await refusals(daemon)).toBeGreaterThan(0)
    } finally {
      await daemon.remove()
      await redirect.stop()
      rmSync(folder, { recursive: true, force: true })
    }
  }, 60_000)
})

test("a redirect within the origin is followed with its body, and a circle of them ends", async () => {
  const seen: string[] = []
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname } = new URL(request.url)
      seen.push(`${request.method} ${pathname} ${await request.text()}`)
      if (pathname === "/circle") return new Response(null, { status: 307, headers: { location: "/circle" } })
      return pathname === "/old"
        ? new Response(null, { status: 308, headers: { location: "/new" } })
        : new Response("here")
    },
  })
  try {
    const response = await fetchWithin(`${server.url}old`, { method: "POST", body: "question" })
    expect(await response.text()).toBe("here")
    expect(seen).toEqual(["POST /old question", "POST /new question"])
    expect((await fetchWithin(`${server.url}circle`)).status).toBe(307)
    expect(seen.length).toBe(8)
  } finally {
    await server.stop(true)
  }
})

test("--offline refuses a redirect whoever asked, and lets one among allowed hosts pass", async () => {
  const far = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("far") })
  const near = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => Response.redirect(far.url.href, 302) })
  let allow = refuseOutbound([near.url.href])
  try {
    expect(await rejection(fetch(near.url))).toMatchObject({ code: "forbidden" })
    allow()
    allow = refuseOutbound([near.url.href, far.url.href])
    expect(await (await fetch(near.url)).text()).toBe("far")
  } finally {
    allow()
    await near.stop(true)
    await far.stop(true)
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
