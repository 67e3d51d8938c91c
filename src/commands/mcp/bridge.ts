/** Passes the messages of a client on standard input to a daemon, and its answers back. */
import {
  isInitializeRequest,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  type JSONRPCRequest,
} from "@modelcontextprotocol/sdk/types.js"
import { EventSourceParserStream } from "eventsource-parser/stream"
import { log } from "../../log.ts"
import { firstBytes } from "../../outbound.ts"
import { Line } from "./line.ts"

/** In the range that JSON-RPC leaves to implementations. */
const NOT_REACHED = -32_000
/** Of what a daemon says about a refusal. */
const MAX_REFUSAL_BYTES = 10_000

/** Serves until the client closes its end. */
export async function passOn(endpoint: URL, token: string): Promise<void> {
  const line = new Line()
  const far = new FarEnd(endpoint, token)
  const { onmessage } = line
  line.onmessage = message => {
    onmessage?.(message)
    void relay(message, far, line)
  }
  await line.start()
  await line.finished()
  await far.leave()
}

/** Every request that is not cancelled gets an answer, be it that the daemon gave none. */
async function relay(message: JSONRPCMessage, far: FarEnd, line: Line): Promise<void> {
  const id = "method" in message && "id" in message ? message.id : undefined
  try {
    for await (const answer of far.ask(message)) await line.send(answer)
    if (line.waitsFor(id)) throw new Error("the connection to the daemon ended before the answer")
  } catch (error) {
    if (id !== undefined && !line.waitsFor(id)) return
    const text = (error as Error).message
    log.warn("a message was not passed on", { reason: text })
    if (id !== undefined) await line.send({ jsonrpc: "2.0", id, error: { code: NOT_REACHED, message: text } })
  }
}

class SessionGone extends Error {}

/** The daemon, with the session that is open there. */
class FarEnd {
  private session: string | undefined
  private version: string | undefined
  /** With which the client began, for when the session is gone. */
  private greeting: JSONRPCRequest | undefined
  private renewal: Promise<void> | undefined

  constructor(
    private readonly endpoint: URL,
    private readonly token: string,
  ) {}

  /** What the daemon answers. A session that is gone, with a daemon that was started anew, is begun again. */
  async *ask(message: JSONRPCMessage): AsyncGenerator<JSONRPCMessage> {
    if (isInitializeRequest(message)) {
      this.session = undefined
      this.greeting = message as JSONRPCRequest
      yield* this.greet(this.greeting)
      return
    }
    await this.renewal
    const { session } = this
    try {
      yield* this.post(message)
    } catch (error) {
      if (!(error instanceof SessionGone) || !this.greeting) throw error
      if (this.session === session) this.renewal ??= this.renew(this.greeting).finally(() => (this.renewal = undefined))
      await this.renewal
      yield* this.post(message)
    }
  }

  /** Ends the session. */
  async leave(): Promise<void> {
    if (this.session === undefined) return
    await this.fetch("DELETE").catch(() => {}) // a daemon that is gone has ended it
  }

  private async renew(greeting: JSONRPCRequest): Promise<void> {
    log.info("the daemon was started anew: its session is begun again")
    this.session = undefined
    for await (const _ of this.greet({ ...greeting, id: "again" })) {
      // the client was told before
    }
    for await (const _ of this.post({ jsonrpc: "2.0", method: "notifications/initialized" })) {
      // has no answer
    }
  }

  private async *greet(greeting: JSONRPCRequest): AsyncGenerator<JSONRPCMessage> {
    this.version = undefined
    for await (const answer of this.post(greeting)) {
      if ("result" in answer) this.version = (answer.result as { protocolVersion?: string }).protocolVersion
      yield answer
    }
  }

  private async *post(message: JSONRPCMessage): AsyncGenerator<JSONRPCMessage> {
    const response = await this.fetch("POST", message)
    this.session = response.headers.get("mcp-session-id") ?? this.session
    if (!response.ok) throw await refusal(response)
    const type = response.headers.get("content-type") ?? ""
    if (!type.startsWith("text/event-stream")) return void (await response.body?.cancel())
    const events = response.body!.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
    for await (const { data } of events as unknown as AsyncIterable<{ data: string }>)
      if (data) yield JSONRPCMessageSchema.parse(JSON.parse(data))
  }

  private async fetch(method: string, message?: JSONRPCMessage): Promise<Response> {
    const init = {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        accept: "application/json, text/event-stream",
        ...(message ? { "content-type": "application/json" } : {}),
        ...(this.session ? { "mcp-session-id": this.session } : {}),
        ...(this.version ? { "mcp-protocol-version": this.version } : {}),
      },
      ...(message ? { body: JSON.stringify(message) } : {}),
      redirect: "manual", // the token goes nowhere else
      timeout: false, // the runtime would end an answer that is silent for long
    } as const
    return await fetch(this.endpoint, init).catch(cause => {
      throw new Error(`the daemon at ${this.endpoint.origin} cannot be reached`, { cause })
    })
  }
}

/** Why the daemon does not take a message, in words. */
async function refusal(response: Response): Promise<Error> {
  const text = (await firstBytes(response, MAX_REFUSAL_BYTES)).toString()
  const said = messageIn(text)
  if (response.status === 404) {
    if (said?.code === "not_found") return new SessionGone(said.message)
    return new Error("there is no Model Context Protocol at the address that --url names")
  }
  return new Error(`the daemon answered ${response.status}${said ? `: ${said.message}` : ""}`)
}

function messageIn(text: string): { code: string; message: string } | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: { code?: unknown; message?: unknown } }
    return error ? { code: String(error.code), message: String(error.message) } : undefined
  } catch {
    return undefined
  }
}
