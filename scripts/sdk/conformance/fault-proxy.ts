/** Stands between an SDK and the product, and breaks what a scenario says. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"

/** What happens to the next requests that it is said of; then they pass again. */
export interface Fault {
  /** Regular expression for `METHOD /path?query`. */
  on: string
  /** How many requests; 1. */
  times?: number
  /** An answer in place of the product's; `text` as it is, `json` encoded. */
  reply?: { status: number; headers?: Record<string, string>; json?: unknown; text?: string }
  /** The connection is reset: before the product gets the request, or after it has answered. */
  reset?: "before" | "after"
  /** The connection is reset after so many bytes of the request's body. */
  cut_request?: number
  /** The connection is reset after so many bytes of the answer's body. */
  cut_answer?: number
  /** After so many bytes of the answer's body nothing more comes. */
  stall?: number
  /** The answer comes in pieces of so many bytes. */
  slow?: { bytes: number; every_ms: number }
}

export interface Sent {
  /** `METHOD /path?query` */
  line: string
  key: string | undefined
}

/** One request with this header has its answer cut there; sent again with the same value it passes. */
const CUT_HEADER = "x-cut-answer"
const HOP_BY_HOP = ["connection", "keep-alive", "transfer-encoding", "host", "accept-encoding", CUT_HEADER]

export class FaultProxy {
  /** Requests since `begin`. */
  sent: Sent[] = []
  /** Bytes of the body that was answered last. */
  lastBytes = 0
  /** Called once a request was answered. */
  onAnswered: ((line: string) => void) | undefined
  private faults: { fault: Fault; left: number }[] = []
  private readonly cut = new Set<string>()
  private readonly sockets = new Set<Socket>()
  private readonly server = createServer((request, response) => {
    this.pass(request, response).catch(() => response.destroy())
  })

  constructor(private readonly target: () => string) {
    this.server.on("connection", socket => {
      this.sockets.add(socket)
      socket.on("close", () => this.sockets.delete(socket))
    })
  }

  async listen(): Promise<this> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.server.listen(0, "127.0.0.1", resolve)
    await promise
    return this
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  begin(): void {
    this.sent = []
    this.faults = []
    this.cut.clear()
  }

  inject(faults: readonly Fault[]): void {
    this.faults = faults.map(fault => ({ fault, left: fault.times ?? 1 }))
  }

  stop(): void {
    this.server.close()
    for (const socket of this.sockets) socket.destroy()
  }

  private faultOf(line: string, request: IncomingMessage): Partial<Fault> {
    const cut = request.headers[CUT_HEADER] as string | undefined
    if (cut !== undefined && !this.cut.has(cut)) {
      this.cut.add(cut)
      return { cut_answer: Number(cut) }
    }
    const found = this.faults.find(({ fault, left }) => left > 0 && new RegExp(fault.on).test(line))
    if (!found) return {}
    found.left--
    return found.fault
  }

  private async pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const line = `${request.method} ${request.url}`
    const fault = this.faultOf(line, request)
    this.sent.push({ line, key: request.headers["idempotency-key"] as string | undefined })
    if (fault.reset === "before") return void request.socket.destroy()
    const body = await bodyOf(request, fault.cut_request)
    if (body === undefined) return void request.socket.destroy()
    if (fault.reply) {
      const { status, headers, json, text } = fault.reply
      response.writeHead(status, { "content-type": "application/json", ...headers })
      return void response.end(text ?? JSON.stringify(json ?? {}))
    }
    const gone = new AbortController()
    response.on("close", () => response.writableFinished || gone.abort())
    const answer = await fetch(this.target() + request.url, {
      method: request.method!,
      headers: passed(Object.entries(request.headers) as [string, string][]),
      ...(body.length > 0 ? { body: new Uint8Array(body) } : {}),
      redirect: "manual",
      signal: gone.signal,
    })
    if (fault.reset === "after") {
      await answer.arrayBuffer()
      return void request.socket.destroy()
    }
    response.writeHead(answer.status, passed([...answer.headers]))
    await this.write(answer.body, response, fault)
    this.onAnswered?.(line)
  }

  private async write(body: ReadableStream<Uint8Array> | null, to: ServerResponse, fault: Partial<Fault>) {
    const end = fault.cut_answer ?? fault.stall ?? Number.POSITIVE_INFINITY
    let told = 0
    to.flushHeaders()
    for await (const chunk of body ?? []) {
      for (const piece of piecesOf(chunk.subarray(0, end - told), fault.slow?.bytes)) {
        to.write(piece)
        told += piece.length
        if (fault.slow) await Bun.sleep(fault.slow.every_ms)
      }
      if (told >= end) break
    }
    if (fault.stall !== undefined) return
    if (fault.cut_answer !== undefined) {
      await Bun.sleep(1) // what was written leaves before the reset
      return void to.socket?.destroy()
    }
    this.lastBytes = told
    to.end()
  }
}

const passed = (headers: Iterable<[string, string]>): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => !HOP_BY_HOP.includes(name)))

/** Undefined where it was cut. */
async function bodyOf(request: IncomingMessage, cut = Number.POSITIVE_INFINITY): Promise<Buffer | undefined> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of request) {
    parts.push(part)
    bytes += part.length
    if (bytes >= cut) return undefined
  }
  return Buffer.concat(parts)
}

function* piecesOf(chunk: Uint8Array, bytes = chunk.length): Generator<Uint8Array> {
  for (let at = 0; at < chunk.length; at += bytes) yield chunk.subarray(at, at + bytes)
}
