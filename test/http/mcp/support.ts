/** The official client of the Model Context Protocol, connected with a key of the tests. */
import { Client as McpClient } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js"
import { ApiKeys } from "../../../src/access/keys.ts"
import { openSqlite } from "../../../src/storage/sqlite/open.ts"
import type { Client, TestApp } from "../../support/app.ts"

/** Of a key, or of a scoped token. */
export const bearerOf = ({ key, credentials }: Client): string => credentials.authorization ?? `Bearer ${key.token}`

/** Of a request that posts a message. */
export const MESSAGE_HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" }

/** As the command line does, beside the daemon. */
export async function revokeBeside({ data }: TestApp, { key: { id } }: Client): Promise<void> {
  const database = await openSqlite(data)
  await new ApiKeys(database).revoke(id)
  await database.destroy()
}

export interface Connected {
  client: McpClient
  transport: StreamableHTTPClientTransport
}

export async function connect(url: string, key: Client, headers: Record<string, string> = {}): Promise<Connected> {
  const transport = new StreamableHTTPClientTransport(new URL("/mcp", url), {
    requestInit: { headers: { authorization: bearerOf(key), ...headers } },
  })
  const client = new McpClient({ name: "test", version: "1" })
  await client.connect(transport)
  return { client, transport }
}

export interface Called {
  isError: boolean
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: results of every tool
  data: any
  /** Of the whole result. */
  bytes: number
}

/** The client holds structured content to the schema that the tool declares, once it has listed the tools. */
export async function call(client: McpClient, name: string, args: Record<string, unknown> = {}): Promise<Called> {
  const result = (await client.callTool({ name, arguments: args })) as CallToolResult
  const [content] = result.content
  return {
    isError: result.isError ?? false,
    text: content?.type === "text" ? content.text : "",
    data: result.structuredContent,
    bytes: Buffer.byteLength(JSON.stringify(result)),
  }
}
