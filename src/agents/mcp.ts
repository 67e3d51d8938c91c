/** Tools of external Model Context Protocol servers, connected when first asked for and again after they went away. */
import { basename } from "node:path"
import type { Client, ClientOptions } from "@modelcontextprotocol/sdk/client/index.js"
import type { ToolAnnotations } from "@modelcontextprotocol/sdk/types.js"
import { isTooDeep, TOO_DEEP } from "../bounded-json.ts"
import { AppError } from "../errors.ts"
import type { Guarded } from "../guarded.ts"
import { log } from "../log.ts"
import type { JsonSchema } from "../tools/json-schema.ts"
import type { ExternalTool } from "../tools/tool.ts"
import { ToolError } from "../tools/tool-error.ts"
import type { ToolProvider, ToolServer } from "./external-tools.ts"
import { boundedFetch, MAX_MESSAGE_BYTES, TOO_LARGE } from "./mcp-bounds.ts"
import type { McpServer } from "./mcp-config.ts"

/** A server that does not greet within this time is left out of the run. */
const CONNECT_TIMEOUT_MS = 10_000
/** A listing is asked for again after this time. */
const LISTING_MS = 60_000
/** Longest single call: external work may be slow, and the run has its own deadline. */
const CALL_TIMEOUT_MS = 300_000
const MAX_REASON_CHARACTERS = 300
/** Pages of one server's listing. */
const MAX_LIST_PAGES = 20

interface Line {
  client: Client
  /** The library closed it because of a message that is too large; it tells that apart, and ends calls without a reason. */
  tooLarge: boolean
}

interface Connection {
  line: Line
  tools: ExternalTool[]
  listedAt: number
}

/** Why a server does not answer. */
interface Problem {
  /** To callers. */
  told: string
  /** In full, for administrators: the words may be the server's own. */
  reason: string
}

export class McpTools implements ToolProvider {
  private readonly connections = new Map<string, Promise<Connection>>()
  private readonly problems = new Map<string, Problem>()

  constructor(
    private readonly configured: readonly McpServer[],
    private readonly version: string,
  ) {}

  async tools(): Promise<ExternalTool[]> {
    const lists = await Promise.all(
      this.configured.map(async server => {
        try {
          const { tools } = await this.connect(server)
          if (this.problems.delete(server.name)) log.info("an MCP server answers again", { server: server.name })
          return tools
        } catch (error) {
          const why = error instanceof AppError ? `: ${error.message}` : ""
          // Every run asks again: what is known already is no news.
          const level = this.problems.has(server.name) ? "debug" : "warn"
          log[level]("an MCP server does not answer", { server: server.name, reason: reasonOf(error) })
          this.problems.set(server.name, {
            told: `the MCP server ${server.name} does not answer${why}`,
            reason: reasonOf(error),
          })
          return []
        }
      }),
    )
    return lists.flat()
  }

  problemOf(toolName: string): string | undefined {
    return this.problems.get(toolName.split(".")[0]!)?.told
  }

  async servers(): Promise<ToolServer[]> {
    const tools = await this.tools()
    return this.configured.map(server => {
      const own = tools.filter(({ name }) => name.startsWith(`${server.name}.`))
      return {
        name: server.name,
        place: placeOf(server),
        connected: !this.problems.has(server.name),
        problem: this.problems.get(server.name)?.reason ?? null,
        tools: own.map(({ name, title, description, needsApproval = false }) => ({
          name,
          description: (title ?? description).slice(0, MAX_REASON_CHARACTERS),
          needs_approval: needsApproval,
        })),
      }
    })
  }

  async close(): Promise<void> {
    const open = [...this.connections.values()]
    this.connections.clear()
    await Promise.allSettled(open.map(async connection => (await connection).line.client.close()))
  }

  private async connect(server: McpServer): Promise<Connection> {
    const known = this.connections.get(server.name)
    if (known) {
      const connection = await known
      if (Date.now() - connection.listedAt > LISTING_MS) {
        connection.tools = await listTools(server, connection.line)
        connection.listedAt = Date.now()
      }
      return connection
    }
    const opening = this.open(server)
    this.connections.set(server.name, opening)
    opening.catch(() => this.connections.delete(server.name))
    return opening
  }

  private async open(server: McpServer): Promise<Connection> {
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js")
    // The library would compile the schemas that servers bring here, on the main thread; results are text to us.
    const unchecked: NonNullable<ClientOptions["jsonSchemaValidator"]> = {
      getValidator: () => input => ({ valid: true, data: input as never, errorMessage: undefined }),
    }
    const client = new Client({ name: "carrel", version: this.version }, { jsonSchemaValidator: unchecked })
    client.onclose = () => this.connections.delete(server.name)
    const line: Line = { client, tooLarge: false }
    client.onerror = ({ message }) => {
      line.tooLarge ||= message.includes("exceeded maximum size")
    }
    await client.connect(await transportOf(server), { timeout: CONNECT_TIMEOUT_MS })
    return { line, tools: await listTools(server, line), listedAt: Date.now() }
  }
}

/** Arguments and paths may hold secrets. */
const placeOf = (server: McpServer): string => ("command" in server ? basename(server.command) : server.url.host)

/** One line for the log. The message may be the server's own. */
const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/\s+/g, " ").slice(0, MAX_REASON_CHARACTERS)

async function transportOf(server: McpServer) {
  if ("command" in server) {
    const { StdioClientTransport, getDefaultEnvironment } = await import("@modelcontextprotocol/sdk/client/stdio.js")
    const { command, args, env } = server
    const environment = { ...getDefaultEnvironment(), ...env }
    return new StdioClientTransport({
      command,
      args,
      env: environment,
      stderr: "ignore",
      maxBufferSize: MAX_MESSAGE_BYTES,
    })
  }
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js")
  return new StreamableHTTPClientTransport(server.url, {
    requestInit: { headers: server.headers },
    fetch: boundedFetch,
  })
}

async function listTools(server: McpServer, line: Line): Promise<ExternalTool[]> {
  const tools: ExternalTool[] = []
  let cursor: string | undefined
  for (let page = 0; page < MAX_LIST_PAGES; page++) {
    const listed = await line.client.listTools(cursor === undefined ? {} : { cursor }, { timeout: CONNECT_TIMEOUT_MS })
    for (const { name, title, description, inputSchema, annotations } of listed.tools) {
      if (isTooDeep(inputSchema)) {
        log.warn("a tool of an MCP server is left out: its schema is nested too deep", { server: server.name })
        continue
      }
      tools.push({
        name: `${server.name}.${name}`,
        ...(title ? { title } : {}),
        description: description ?? name,
        parameters: inputSchema as JsonSchema,
        timeoutMs: CALL_TIMEOUT_MS,
        changes: true,
        external: true,
        needsApproval: needsApproval(server, name, annotations),
        execute: (args, { signal }) => callExternal(line, name, args, signal),
      })
    }
    cursor = listed.nextCursor
    if (cursor === undefined) break
  }
  return tools
}

/** What a server says of its tools is a hint; the operator's rule goes before. */
function needsApproval({ approval }: McpServer, tool: string, hints: ToolAnnotations | undefined): boolean {
  if (approval === "always" || approval === "never") return approval === "always"
  if (approval) return approval.includes(tool)
  // Writing is destructive unless it is said not to be, as the protocol has it.
  return hints?.readOnlyHint !== true && (hints?.destructiveHint ?? hints?.readOnlyHint === false)
}

const NOT_READ = `The result of this tool has more than ${MAX_MESSAGE_BYTES / 2 ** 20} MB and was not read. Ask for less.`

async function callExternal(
  line: Line,
  name: string,
  args: Guarded<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<string> {
  let answer: Awaited<ReturnType<Client["callTool"]>>
  try {
    answer = await line.client.callTool({ name, arguments: args }, undefined, { signal, timeout: CALL_TIMEOUT_MS })
  } catch (error) {
    if (line.tooLarge || (error as { code?: unknown }).code === TOO_LARGE) throw new ToolError(NOT_READ)
    throw new ToolError(`The server of this tool answered with an error: ${(error as Error).message}`)
  }
  const text = textOf(answer)
  if (answer.isError) throw new ToolError(text || "The tool failed without a reason.")
  return text || "(no result)"
}

function textOf(answer: Awaited<ReturnType<Client["callTool"]>>): string {
  const { content, structuredContent } = answer as { content?: unknown; structuredContent?: unknown }
  const parts = (Array.isArray(content) ? content : []).map(
    (part: {
      type?: string
      text?: string
      resource?: { uri?: string; text?: string }
      uri?: string
      mimeType?: string
    }) => {
      if (part.type === "text") return part.text ?? ""
      if (part.type === "resource") return part.resource?.text ?? `[resource ${part.resource?.uri ?? ""}]`
      if (part.type === "resource_link") return `[resource ${part.uri ?? ""}]`
      return `[${part.type ?? "part"} ${part.mimeType ?? ""} left out: only text can be read]`
    },
  )
  if (parts.length > 0 || structuredContent === undefined) return parts.join("\n")
  if (isTooDeep(structuredContent)) throw new ToolError(`The result of this tool ${TOO_DEEP}.`)
  return JSON.stringify(structuredContent)
}
