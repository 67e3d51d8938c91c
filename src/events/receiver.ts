/**
 * One receiver of events: takes one message at a time, signed as Standard Webhooks says, over a connection that is kept for
 * the next one. The connection goes to an address that was checked; it is not kept for long, so that a name which has
 * another address by now, or none that is allowed, is looked up again.
 */
import http, { type IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import { Webhook } from "standardwebhooks"
import type { Egress } from "../egress/egress.ts"
import { AppError } from "../errors.ts"
import { VERSION } from "../native/version.ts"
import { orAbort } from "../threads/or-abort.ts"
import { askedWait } from "./retries.ts"

/** An attempt takes no longer. */
const LIMIT_MS = 20_000
/** What the receiver says beyond the status is not waited for longer. */
const BODY_MS = 2_000
/** Bytes of its answer that are kept. */
const KEPT_BYTES = 1_000
/** Age at which a connection is not used again. */
const CONNECTION_MS = 10_000

export interface Message {
  /** The event's: the same at every attempt. */
  id: string
  /** JSON of type, timestamp and data. */
  body: string
}

export interface Outcome {
  /** Null where there was no answer. */
  statusCode: number | null
  /** Its first bytes as text. */
  response: string | null
  /** Why it was not taken; null where it was. */
  error: string | null
  durationMs: number
  /** What the receiver asks for. */
  retryAfterMs: number | undefined
}

export interface ReceiverOptions {
  url: string
  /** `whsec_…`; each signs. */
  secrets: readonly string[]
  egress: Pick<Egress, "connect">
  /** For tests. */
  limitMs?: number
}

export class Receiver {
  private readonly url: URL
  private readonly signers: Webhook[]
  private readonly agent: http.Agent
  private connectedAt = 0

  constructor(private readonly options: ReceiverOptions) {
    this.url = new URL(options.url)
    this.signers = options.secrets.map(secret => new Webhook(secret))
    this.agent = this.newAgent()
  }

  /** Never rejects but for the signal's sake: then nobody knows whether the receiver has it. */
  async send(message: Message, signal: AbortSignal): Promise<Outcome> {
    const { limitMs = LIMIT_MS } = this.options
    const began = performance.now()
    const limit = AbortSignal.timeout(limitMs)
    const outcome = await this.attempt(message, AbortSignal.any([signal, limit])).catch(error => {
      signal.throwIfAborted()
      return failed(limit.aborted ? `no answer within ${limitMs / 1_000} s` : reasonOf(error))
    })
    return { ...outcome, durationMs: Math.round(performance.now() - began) }
  }

  close(): void {
    this.agent.destroy()
  }

  private async attempt(message: Message, signal: AbortSignal): Promise<Omit<Outcome, "durationMs">> {
    if (performance.now() - this.connectedAt > CONNECTION_MS) this.agent.destroy()
    const answer = await this.answerTo(message, signal)
    const { statusCode = 0, headers } = answer
    const response = await firstBytes(answer, signal)
    const isTaken = statusCode >= 200 && statusCode < 300
    return {
      statusCode,
      response,
      error: isTaken ? null : refusalOf(statusCode),
      retryAfterMs: isTaken ? undefined : askedWait(headers["retry-after"]),
    }
  }

  /** A connection that was kept may have been closed meanwhile: then another one is tried. */
  private async answerTo(message: Message, signal: AbortSignal): Promise<IncomingMessage> {
    const connectedAt = this.connectedAt
    try {
      return await this.request(message, signal)
    } catch (error) {
      const wasKept = connectedAt === this.connectedAt && connectedAt > 0
      if (!wasKept || signal.aborted || !CLOSED.has(codeOf(error))) throw error
      this.agent.destroy()
      return this.request(message, signal)
    }
  }

  private request({ id, body }: Message, signal: AbortSignal): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const { pathname, search, host } = this.url
    const at = new Date()
    const request = http.request({
      method: "POST",
      path: pathname + search,
      setHost: false,
      agent: this.agent,
      headers: {
        host,
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
        "user-agent": `Carrel/${VERSION}`,
        "webhook-id": id,
        "webhook-timestamp": Math.floor(at.getTime() / 1_000),
        "webhook-signature": this.signers.map(signer => signer.sign(id, at, body)).join(" "),
      },
    })
    request.once("response", resolve)
    request.on("error", reject)
    request.once("upgrade", (_, socket: Duplex) => {
      socket.destroy()
      reject(new AppError("fetch_failed", { message: "the receiver speaks another protocol than HTTP" }))
    })
    const stop = () => request.destroy()
    signal.addEventListener("abort", stop, { once: true })
    request.once("close", () => signal.removeEventListener("abort", stop))
    request.end(body)
    return orAbort(promise, signal)
  }

  /** Of one connection, which is this receiver's alone. */
  private newAgent(): http.Agent {
    const { egress } = this.options
    const { hostname, port, protocol } = this.url
    const isSecure = protocol === "https:"
    const connect = (done: (error: unknown, socket?: Duplex) => void) => {
      const limit = AbortSignal.timeout(this.options.limitMs ?? LIMIT_MS)
      egress.connect(hostname, Number(port || (isSecure ? 443 : 80)), { tls: isSecure, signal: limit }).then(
        socket => {
          this.connectedAt = performance.now()
          done(null, socket)
        },
        error => done(error),
      )
    }
    class OneConnection extends http.Agent {
      override createConnection(_: unknown, done: (error: unknown, socket?: Duplex) => void) {
        connect(done)
        return undefined as never
      }
    }
    return new OneConnection({ keepAlive: true, maxSockets: 1 })
  }
}

const CLOSED = new Set(["ECONNRESET", "EPIPE", "ERR_SOCKET_CLOSED"])
const codeOf = (error: unknown): string => String((error as { code?: unknown }).code ?? "")

const failed = (error: string): Omit<Outcome, "durationMs"> => ({
  ...{ statusCode: null, response: null, error },
  retryAfterMs: undefined,
})

/** For who looks at the deliveries; never an address that a name has. */
const reasonOf = (error: unknown): string =>
  error instanceof AppError ? error.message : "the receiver gave no complete answer"

const refusalOf = (status: number): string =>
  status >= 300 && status < 400
    ? `answered with status ${status}: redirects are not followed`
    : `answered with status ${status}`

/** The connection ends where there is more than is kept. */
async function firstBytes(answer: IncomingMessage, signal: AbortSignal): Promise<string | null> {
  const parts: Buffer[] = []
  let size = 0
  answer.on("error", () => {})
  const read = async () => {
    for await (const part of answer) {
      parts.push(part)
      size += part.length
      if (size > KEPT_BYTES) break
    }
  }
  await orAbort(read(), AbortSignal.any([signal, AbortSignal.timeout(BODY_MS)])).catch(() => answer.destroy())
  const text = Buffer.concat(parts).subarray(0, KEPT_BYTES).toString().replaceAll("\0", "\uFFFD")
  return text === "" ? null : text
}
