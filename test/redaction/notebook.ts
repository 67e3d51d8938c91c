/** A Model Context Protocol server whose tool takes any arguments. */
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import { z } from "zod"

export function createNotebook(): McpServer {
  const server = new McpServer({ name: "notebook", version: "1.0.0" })
  server.registerTool(
    "note",
    { description: "Notes what it is given", inputSchema: z.object({}).passthrough() },
    async given => ({ content: [{ type: "text" as const, text: `noted ${JSON.stringify(given)}` }] }),
  )
  return server
}
