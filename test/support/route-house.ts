/** The application that each route can be asked of with success: a model, a tool server, a web site, backups, users. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startTestApp, type TestApp } from "./app.ts"
import { startOllama } from "./ollama.ts"
import { People } from "./people.ts"
import { type House, marked } from "./route-requests.ts"
import { html, startWebSite } from "./web-site.ts"

const MCP_SERVER = new URL("../fixtures/mcp/stdio-server.ts", import.meta.url).pathname
const PDF = new URL("../fixtures/documents/lease.pdf", import.meta.url).pathname

export interface RouteHouse {
  app: TestApp
  house: House
  /** Folder that sources may keep in sync. */
  root: string
  close(): Promise<void>
}

export async function openRouteHouse(settings: Record<string, string> = {}): Promise<RouteHouse> {
  const folder = mkdtempSync(join(tmpdir(), "carrel-routes-"))
  const site = startWebSite({ "/page": () => html(`<p>The ${marked} ${crypto.randomUUID()} on a page.</p>`) })
  const ollama = await startOllama()
  const never = new Promise(() => {})
  ollama.server.scenes.add("held", { text: "never", held: never })
  const config = join(folder, "mcp.json")
  writeFileSync(config, JSON.stringify({ mcpServers: { local: { command: process.execPath, args: [MCP_SERVER] } } }))
  for (const name of ["backups", "root"]) mkdirSync(join(folder, name))
  const app = await startTestApp({
    "ollama-host": ollama.server.url,
    "mcp-config": config,
    "fetch-allow": site.place,
    rerank: "auto",
    "backup-dir": join(folder, "backups"),
    "source-root": join(folder, "root"),
    ...settings,
  })
  const people = new People(app)
  const house: House = {
    owner: await app.client(),
    people,
    admin: (await people.add({ admin: true })).session,
    url: app.url,
    scenes: ollama.server.scenes,
    of: name => app.client(name),
    page: `${site.url}/page?of=walk`,
    pdf: readFileSync(PDF),
  }
  return {
    app,
    house,
    root: join(folder, "root"),
    async close() {
      await app.stop()
      ollama.server.stop()
      await site.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
