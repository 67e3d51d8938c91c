/** Standard input and output as one line to a client: it ends when the client has closed it and everything is answered. */
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js"
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js"
import { log } from "../../log.ts"

/** For what is still to be answered after the client has closed its end. */
const LAST_ANSWERS_MS = 60_000

export class Line extends StdioServerTransport {
  /** Ids of requests that have no answer yet. */
  private readonly waiting = new Set<unknown>()
  private readonly ended = Promise.withResolvers<void>()
  private changed = Promise.withResolvers<void>()

  constructor() {
    super()
    this.onmessage = message => this.came(message)
    this.onerror = error => log.warn("a message on standard input cannot be read", { error: String(error) })
    process.stdin.once("end", () => this.ended.resolve())
    process.stdin.once("close", () => this.ended.resolve())
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    await super.send(message)
    if ("id" in message && !("method" in message)) this.done(message.id)
  }

  /** Whether the client still wants an answer to the request of that id. */
  waitsFor(id: unknown): boolean {
    return this.waiting.has(id)
  }

  /** When nothing more will come and everything that came is answered. */
  async finished(): Promise<void> {
    await this.ended.promise
    const late = Bun.sleep(LAST_ANSWERS_MS)
    let isLate = false
    void late.then(() => {
      isLate = true
    })
    while (this.waiting.size > 0 && !isLate) await Promise.race([this.changed.promise, late])
    await new Promise<void>(resolve => process.stdout.write("", () => resolve()))
  }

  private came(message: JSONRPCMessage): void {
    if (!("method" in message)) return
    if ("id" in message) this.waiting.add(message.id)
    // No answer comes to what is cancelled.
    else if (message.method === "notifications/cancelled") this.done(message.params?.requestId)
  }

  private done(id: unknown): void {
    this.waiting.delete(id)
    this.changed.resolve()
    this.changed = Promise.withResolvers()
  }
}
