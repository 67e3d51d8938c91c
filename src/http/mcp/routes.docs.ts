/** What the endpoint of assistants takes and answers: the messages themselves are the protocol's. */
import { t } from "elysia"
import { type Header, operation } from "../operation.ts"
import { optional } from "../schemas.ts"

const Id = t.Union([t.String(), t.Number()])

/** Fields beyond these are the protocol's. */
const Message = t.Object(
  {
    jsonrpc: t.Literal("2.0"),
    id: optional(Id),
    method: t.Optional(t.String({ examples: ["tools/list"] })),
    params: t.Optional(t.Record(t.String(), t.Any())),
    result: t.Optional(t.Record(t.String(), t.Any())),
    error: t.Optional(t.Record(t.String(), t.Any())),
  },
  { title: "McpMessage", description: "One message of JSON-RPC 2.0" },
)

const Answered = t.Object(
  {
    id: t.Optional(t.Any({ description: "Never sent: nothing can be resumed" })),
    event: t.Literal("message"),
    data: Message,
  },
  {
    title: "McpEvent",
    examples: [{ event: "message", data: { jsonrpc: "2.0", id: 1, result: { tools: [] } } }],
  },
)

const SESSION: Header = {
  name: "Mcp-Session-Id",
  description: "As the answer to initialize names it; absent for initialize alone",
  schema: { type: "string" },
}
const VERSION: Header = {
  name: "Mcp-Protocol-Version",
  description: "As it was agreed on by initialize",
  schema: { type: "string" },
}

const SHARED = { anyKey: true, tag: "Compatible", headers: [SESSION, VERSION] } as const

export const post = operation({
  ...SHARED,
  id: "mcpSend",
  audit: "nothing",
  summary: "Model Context Protocol: send a message",
  description:
    "Streamable HTTP of the Model Context Protocol, for assistants: tools that search and read what the key may see, and files as resources. Official clients need this address and the key as bearer token. A session belongs to its key and lives as long as the daemon; 404 says that it is over. One message a request.",
  body: Message,
  example: {
    jsonrpc: "2.0",
    id: 0,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "example", version: "1.0" } },
  },
  answers: {
    200: { description: "Of a request: its answer, and before it how far it is", events: Answered },
    202: { description: "A notification or an answer was taken", type: "text/plain", example: "" },
  },
  errors: ["not_found"],
})

export const listen = operation({
  ...SHARED,
  id: "mcpListen",
  audit: "nothing",
  summary: "Model Context Protocol: listen to a session",
  answers: {
    200: { description: "Messages that belong to no request; one stream for each session", events: Answered },
  },
  errors: ["not_found", "conflict"],
})

export const end = operation({
  ...SHARED,
  id: "mcpEnd",
  audit: "nothing",
  summary: "Model Context Protocol: end a session",
  answers: { 204: { description: "It is over, and so is what it was waiting for" } },
  errors: ["not_found"],
})
