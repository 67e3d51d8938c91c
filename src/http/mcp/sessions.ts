/**
 * Sessions of Model Context Protocol clients over HTTP: what each has begun, in memory. A session belongs to the key or token
 * that opened it and ends with the daemon, by DELETE, when it was long unused, or when its owner opens too many; to everybody
 * else, and afterwards, it is not there (404), and a client begins a new one. In a cluster a session lives on one node, and
 * can be asked on any.
 */
import type { Server } from "@modelcontextprotocol/sdk/server/index.js"
import type { WebStandardStreamableHTTPServerTransport as Transport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js"
import { AppError, type ErrorCode, invalid } from "../../errors.ts"
import type { McpCaller, McpHouse } from "./call.ts"
import { type OtherNodes, type Part, type PassedOn, partsOf } from "./other-nodes.ts"

export interface SessionLimits {
  /** A key that opens more loses the one that was unused for longest. */
  perKey: number
  /** Of all keys together. */
  all: number
  /** A session without requests and without a stream ends after it. */
  idleMs: number
}

/** A session takes some 20 KB. */
export const SESSION_LIMITS: SessionLimits = { perKey: 200, all: 2_000, idleMs: 3_600_000 }
const SWEEP_MS = 60_000

interface Session {
  id: string
  owner: string
  transport: Transport
  server: Server
  usedAt: number
  /** Requests that are answered now, with the stream that a client listens to. */
  open: number
  /** Ids of messages that wait for their answer. */
  waiting: Set<unknown>
}

/** One request for the endpoint. */
export interface McpRequest {
  request: Request
  /** The message that was posted. */
  message: unknown
  caller: McpCaller
}

interface Handled {
  response: Response
  /** To be called once when the answer is over. */
  closed: () => void
}

/** The node that a session lives on stands in its id. */
const NODE_OF_SESSION = /^mcp_[0-9a-f]{32}_(\w+)$/

const SESSION_HEADER = "mcp-session-id"
const CALLER = "caller"

export class McpSessions {
  private readonly sessions = new Map<string, Session>()
  private timer: Timer | undefined

  constructor(
    private readonly house: McpHouse,
    private readonly limits: SessionLimits = SESSION_LIMITS,
    private readonly others?: OtherNodes,
  ) {}

  /**
   * The answer of the session that the request names, or of a new one.
   * @throws AppError not_found for a session that is not there for the caller; invalid_request; overloaded; conflict for a second stream
   */
  async handle(asked: McpRequest): Promise<Handled> {
    const { headers, method } = asked.request
    const id = headers.get(SESSION_HEADER)
    const node = id !== null && !this.sessions.has(id) ? NODE_OF_SESSION.exec(id)?.[1] : undefined
    if (id === null || node === undefined || !this.others || node === this.others.self) return this.handleHere(asked)
    const { message, caller } = asked
    const { principal, requestId, signal } = caller
    const passed = { method, headers: ofProtocol(headers), message, caller: { principal, requestId } }
    const response = await this.others.ask(node, id, passed, signal)
    if (!response) throw notThere()
    return { response, closed() {} }
  }

  /** The same of a session of this node, for a node that was asked for it. */
  async *answerNode(session: string, { caller, ...passed }: PassedOn, signal: AbortSignal): AsyncGenerator<Part> {
    const { method, message } = passed
    const headers = { ...passed.headers, [SESSION_HEADER]: session }
    const request = new Request("http://node/mcp", { method, headers })
    try {
      const { response, closed } = await this.handleHere({ request, message, caller: { ...caller, signal } })
      try {
        yield* partsOf(response, signal)
      } finally {
        closed()
      }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      yield { error: { code: error.code, message: error.message } }
    }
  }

  private async handleHere({ request, message, caller }: McpRequest): Promise<Handled> {
    const session = await this.sessionOf(request, message, caller)
    const id = idOf(message)
    if (id !== undefined && session.waiting.has(id))
      throw invalid("id", "is that of a request which is not answered yet")
    session.usedAt = Date.now()
    session.open++
    if (id !== undefined) session.waiting.add(id)
    const closed = () => {
      session.open--
      session.waiting.delete(id)
      session.usedAt = Date.now()
    }
    try {
      const { keyId, scopes } = caller.principal
      const authInfo = { token: "", clientId: keyId, scopes: [...scopes], extra: { [CALLER]: caller } }
      const response = await session.transport.handleRequest(request, { parsedBody: message, authInfo })
      if (response.status >= 400) throw await refusalOf(response)
      return { response, closed }
    } catch (error) {
      closed()
      throw error
    } finally {
      // One that refused its first message has no id by which it could be asked again.
      if (!this.sessions.has(session.id)) await session.server.close()
    }
  }

  /** Ends all of them. */
  async close(): Promise<void> {
    clearInterval(this.timer)
    this.timer = undefined
    await Promise.all([...this.sessions.values()].map(session => this.end(session)))
  }

  private async sessionOf(request: Request, message: unknown, { principal }: McpCaller): Promise<Session> {
    const id = request.headers.get(SESSION_HEADER)
    if (id === null) {
      if (!isInitialize(message)) throw invalid("Mcp-Session-Id", "is missing: a session begins with initialize")
      return this.open(principal.holderId)
    }
    const session = this.sessions.get(id)
    if (session?.owner !== principal.holderId) throw notThere()
    return session
  }

  private async open(owner: string): Promise<Session> {
    await this.makeRoom(owner)
    const { protocolServer } = await import("./protocol.ts")
    const { WebStandardStreamableHTTPServerTransport } = await import(
      "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js"
    )
    const node = this.others ? `_${this.others.self}` : ""
    const id = `mcp_${crypto.randomUUID().replaceAll("-", "")}${node}`
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessioninitialized: () => {
        this.sessions.set(id, session)
        this.timer ??= setInterval(() => void this.sweep(), SWEEP_MS)
        this.timer.unref()
      },
    })
    const server = protocolServer(this.house, {
      callerOf: ({ authInfo }) => authInfo!.extra![CALLER] as McpCaller,
      cancelled: request => transport.closeSSEStream(request),
    })
    const session: Session = { id, owner, transport, server, usedAt: Date.now(), open: 0, waiting: new Set() }
    server.onclose = () => this.sessions.delete(id)
    await server.connect(transport)
    return session
  }

  /** @throws AppError overloaded where every session is at work */
  private async makeRoom(owner: string): Promise<void> {
    for (const [among, most] of [
      [(session: Session) => session.owner === owner, this.limits.perKey],
      [() => true, this.limits.all],
    ] as const) {
      const some = [...this.sessions.values()].filter(among)
      if (some.length < most) continue
      const idle = some.filter(({ waiting }) => waiting.size === 0).sort((a, b) => a.usedAt - b.usedAt)
      if (!idle[0]) throw new AppError("overloaded", { message: "too many sessions are open", retryAfter: 5 })
      await this.end(idle[0])
    }
  }

  /** Ends those that are unused for long; it also does by itself. */
  async sweep(now = Date.now()): Promise<void> {
    for (const session of this.sessions.values())
      if (session.open === 0 && now - session.usedAt > this.limits.idleMs) await this.end(session)
    if (this.sessions.size > 0) return
    clearInterval(this.timer)
    this.timer = undefined
  }

  /** Streams of it end, and what it waits for is aborted. */
  private async end({ id, server }: Session): Promise<void> {
    this.sessions.delete(id)
    await server.close()
  }
}

const notThere = (): AppError =>
  new AppError("not_found", { message: "there is no such session: begin a new one with initialize" })

/** What the protocol says in headers. */
const PROTOCOL_HEADERS = ["accept", "content-type", "mcp-protocol-version"]

function ofProtocol(headers: Headers): Record<string, string> {
  const kept = PROTOCOL_HEADERS.map(name => [name, headers.get(name)] as const)
  return Object.fromEntries(kept.filter((entry): entry is [string, string] => entry[1] !== null))
}

const isInitialize = (message: unknown): boolean => (message as { method?: unknown } | null)?.method === "initialize"

/** Of a request; undefined of a notification and of an answer. */
function idOf(message: unknown): unknown {
  const { id, method } = (message ?? {}) as { id?: unknown; method?: unknown }
  return typeof method === "string" ? id : undefined
}

const CODES: Readonly<Record<number, ErrorCode>> = { 404: "not_found", 409: "conflict", 405: "method_not_allowed" }

/** What the library refuses, in the shape of all errors. */
async function refusalOf(response: Response): Promise<AppError> {
  const { error } = (await response.json().catch(() => ({}))) as { error?: { message?: string } }
  return new AppError(CODES[response.status] ?? "invalid_request", error?.message ? { message: error.message } : {})
}
