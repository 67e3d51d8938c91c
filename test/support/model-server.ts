/** The part that all stand-ins for model servers share: an HTTP server over raw sockets that can break in every way. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { piecesOf, type RecordedRequest, Scenes, type ScriptedTurn } from "./model-script.ts"

export interface Wire {
  contentType: string
  thinking(text: string): string
  piece(text: string): string
  tools(calls: NonNullable<ScriptedTurn["tools"]>): string
  error(text: string): string
  /** Something that is not JSON, where JSON belongs. */
  garbage(text: string): string
  last(turn: ScriptedTurn, request: RecordedRequest): string
}

export class ModelServer {
  readonly scenes = new Scenes()
  readonly requests: RecordedRequest[] = []
  /** Every request as it came: address, headers and body, also those that are not chats. */
  readonly heard: string[] = []
  /** Chat requests that are being answered. */
  open = 0
  /** Sends chat requests on to this address. */
  redirectTo: string | undefined
  private readonly sockets = new Set<Socket>()
  private readonly server = createServer((request, response) => void this.answer(request, response))

  constructor(
    private readonly wire: Wire,
    private readonly chatPath: string,
    private readonly other: (path: string, body: RecordedRequest) => { status?: number; body: unknown } | undefined,
  ) {
    this.server.on("connection", socket => {
      this.sockets.add(socket)
      socket.on("close", () => this.sockets.delete(socket))
    })
  }

  async listen(port = 0, host = "127.0.0.1"): Promise<this> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.server.listen(port, host, resolve)
    await promise
    return this
  }

  get url(): string {
    const { address, port } = this.server.address() as AddressInfo
    return `http://${address}:${port}`
  }

  stop(): void {
    this.server.close()
    for (const socket of this.sockets) socket.destroy()
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await textOf(request)
    const body = parsed(text)
    const path = request.url ?? "/"
    this.heard.push(`${request.method} ${path}\n${JSON.stringify(request.headers)}\n${text}`)
    if (path !== this.chatPath) {
      const { status = 200, body: answer } = this.other(path, body) ?? { status: 404, body: { error: "not found" } }
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer))
      return
    }
    this.requests.push(body)
    if (this.redirectTo) {
      response.writeHead(307, { location: this.redirectTo + path }).end()
      return
    }
    this.open++
    try {
      await this.chat(body, response)
    } finally {
      this.open--
    }
  }

  private async chat(request: RecordedRequest, response: ServerResponse): Promise<void> {
    const turn = this.scenes.script(request, 0)
    const gone = new Promise<void>(resolve => response.on("close", resolve))
    const pause = (ms: number) => Promise.race([Bun.sleep(ms), gone])
    if (turn.firstDelayMs) await pause(turn.firstDelayMs)
    if (turn.held && turn.holdAfter === undefined) await Promise.race([turn.held, gone])
    if (turn.hang) return gone
    if (turn.emptyStream && request.stream)
      return void response.writeHead(200, { "content-type": this.wire.contentType }).end()
    if (turn.status) {
      response
        .writeHead(turn.status, { "content-type": "application/json" })
        .end(JSON.stringify({ error: turn.error ?? "internal" }))
      return
    }
    response.writeHead(200, { "content-type": this.wire.contentType })
    const write = (text: string) => writeChunks(response, text, turn.chunkBytes)
    for (const word of turn.thinking?.match(/\s*\S+/g) ?? []) await write(this.wire.thinking(word))
    const pieces = piecesOf(turn)
    for (const [i, piece] of [...pieces, null].entries()) {
      if (turn.held && turn.holdAfter === i) await Promise.race([turn.held, gone])
      if (response.destroyed) return
      if (turn.hangAfter === i) return gone
      if (turn.resetAfter === i) return void response.destroy()
      if (turn.endAfter === i) return void response.end()
      if (turn.errorAfter === i) return void response.end(this.wire.error(turn.error ?? "the runner has terminated"))
      if (turn.garbageAfter === i) await write(this.wire.garbage(turn.error ?? "<html>bad gateway</html>"))
      if (piece !== null) await write(this.wire.piece(piece))
      if (turn.delayMs) await pause(turn.delayMs)
    }
    if (turn.tools) await write(this.wire.tools(turn.tools))
    await write(this.wire.last(turn, request))
    response.end()
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString()
}

function parsed(text: string): RecordedRequest {
  try {
    return JSON.parse(text || "{}")
  } catch {
    return {}
  }
}

async function writeChunks(response: ServerResponse, text: string, size?: number): Promise<void> {
  const bytes = Buffer.from(text)
  if (!size) return void response.write(bytes)
  for (let at = 0; at < bytes.length; at += size) {
    response.write(bytes.subarray(at, at + size))
    await Bun.sleep(0)
  }
}
