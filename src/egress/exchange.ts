/** One request and its answer over connections that `Egress` opened, within bounds of time and size. */
import http, { type ClientRequest, type IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import { pipeline, type Readable, type Transform } from "node:stream"
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib"
import { AppError } from "../errors.ts"
import { VERSION } from "../native/version.ts"
import { orAbort } from "../threads/or-abort.ts"

interface Bounds {
  timeoutMs: number
  silenceMs: number
  /** Of the decoded body. */
  maxBytes: number
  signal: AbortSignal | undefined
}

interface Sent {
  method?: string
  headers?: Record<string, string>
  body?: string | Uint8Array
}

const DECODERS: Record<string, () => Transform> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}
const MAX_ENCODINGS = 2
const WITHOUT_BODY = new Set([204, 205, 304])

export class Exchange {
  private readonly abort = new AbortController()
  private readonly deadline: Timer
  private readonly leave = () => this.stop(this.bounds.signal?.reason)
  private request: ClientRequest | undefined

  constructor(private readonly bounds: Bounds) {
    const { timeoutMs, signal } = bounds
    this.deadline = setTimeout(() => this.stop(tooSlow(timeoutMs)), timeoutMs)
    this.deadline.unref()
    if (signal?.aborted) this.leave()
    signal?.addEventListener("abort", this.leave, { once: true })
  }

  /** Aborted by the caller, or when the time is over. */
  get signal(): AbortSignal {
    return this.abort.signal
  }

  /** Lets go of connection and timer. A second call does nothing. */
  end(): void {
    clearTimeout(this.deadline)
    this.bounds.signal?.removeEventListener("abort", this.leave)
    this.request?.destroy()
  }

  /** What a caller is told of an error. */
  reasonOf(error: unknown): unknown {
    if (this.signal.aborted) return this.signal.reason
    if (error instanceof AppError) return error
    const code = (error as { code?: string }).code ?? ""
    const [, words] = WORDS.find(([pattern]) => pattern.test(code)) ?? []
    return new AppError("fetch_failed", { message: words ?? "the server gave no complete answer", cause: error })
  }

  /** The connection is this request's alone, and ends with it. */
  async send(socket: Socket, url: URL, { method = "GET", headers = {}, body }: Sent): Promise<Response> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const request = http.request({
      createConnection: () => socket,
      method,
      path: url.pathname + url.search,
      setHost: false,
      headers: headersOf(url, headers, body),
    })
    this.request = request
    request.once("response", answer => {
      answer.on("error", () => {}) // told to who reads it; one that nobody reads any more would end the process
      resolve(answer)
    })
    request.on("error", reject)
    request.once("upgrade", (_, upgraded) => {
      upgraded.destroy()
      reject(new AppError("fetch_failed", { message: "the server speaks another protocol than HTTP" }))
    })
    request.end(body)
    return this.responseOf(await this.within(promise), url, method)
  }

  private responseOf(answer: IncomingMessage, url: URL, method: string): Response {
    const status = answer.statusCode ?? 0
    if (status < 200 || status > 599)
      throw new AppError("fetch_failed", { message: `the server answered with status ${status}` })
    const headers = new Headers(pairsOf(answer.rawHeaders))
    const isEmpty = method.toUpperCase() === "HEAD" || WITHOUT_BODY.has(status)
    if (isEmpty) this.end()
    const body = isEmpty ? null : this.bodyOf(decoded(answer, headers), headers)
    // Of the sender's bytes, not of those that are read here.
    if (headers.has("content-encoding")) for (const name of ["content-encoding", "content-length"]) headers.delete(name)
    const response = new Response(body, { status, headers })
    Object.defineProperty(response, "url", { value: url.href })
    return response
  }

  private bodyOf(readable: Readable, headers: Headers): ReadableStream<Uint8Array> {
    const { maxBytes } = this.bounds
    if (!headers.has("content-encoding") && Number(headers.get("content-length")) > maxBytes) throw tooLarge(maxBytes)
    const parts = readable[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>
    let length = 0
    return new ReadableStream({
      pull: async controller => {
        try {
          const { value, done } = await this.within(parts.next())
          if (done) {
            this.end()
            return controller.close()
          }
          length += value.length
          if (length > maxBytes) throw tooLarge(maxBytes)
          controller.enqueue(value)
        } catch (error) {
          this.end()
          readable.destroy()
          controller.error(this.reasonOf(error))
        }
      },
      cancel: () => {
        this.end()
        readable.destroy()
      },
    })
  }

  private async within<T>(work: Promise<T>): Promise<T> {
    const { silenceMs } = this.bounds
    const timer = setTimeout(() => this.stop(tooSlow(silenceMs)), silenceMs)
    try {
      return await orAbort(work, this.signal)
    } finally {
      clearTimeout(timer)
    }
  }

  private stop(reason: unknown): void {
    this.abort.abort(reason)
    this.end()
  }
}

function headersOf(url: URL, given: Record<string, string>, body: Sent["body"]): Record<string, string> {
  const named = Object.fromEntries(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]))
  return {
    accept: "*/*",
    "accept-encoding": "gzip, deflate, br",
    "user-agent": `Carrel/${VERSION}`,
    ...named,
    ...(body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) }),
    host: url.host,
    connection: "close",
  }
}

/** Those that the standard allows: a server may send anything. */
function pairsOf(raw: readonly string[]): [string, string][] {
  const pairs: [string, string][] = []
  for (let at = 0; at + 1 < raw.length; at += 2)
    try {
      new Headers([[raw[at]!, raw[at + 1]!]])
      pairs.push([raw[at]!, raw[at + 1]!])
    } catch {}
  return pairs
}

function decoded(answer: IncomingMessage, headers: Headers): Readable {
  const names = (headers.get("content-encoding") ?? "").toLowerCase().split(",")
  const encodings = names.map(name => name.trim()).filter(name => name !== "" && name !== "identity")
  const decoders = encodings.map(name => DECODERS[name]).reverse()
  if (decoders.length > MAX_ENCODINGS || decoders.includes(undefined))
    throw new AppError("fetch_failed", { message: `the server encodes its answer in an unknown way` })
  return decoders.reduce<Readable>((readable, decoder) => pipeline(readable, decoder!(), () => {}), answer)
}

const tooSlow = (ms: number) =>
  new AppError("fetch_failed", { message: `the server gave no complete answer within ${ms / 1000} s` })

const tooLarge = (bytes: number) =>
  new AppError("file_too_large", { message: `what the server sends is larger than ${bytes} bytes` })

const WORDS: [RegExp, string][] = [
  [/^HPE_/, "the server does not answer in HTTP"],
  [/^Z_|^ERR_(?:_ERROR|BROTLI)|BROTLI/, "the server's answer cannot be decoded"],
  [/^E(?:CONNRESET|PIPE)/, "the server closed the connection"],
]
