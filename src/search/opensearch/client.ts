/**
 * Asks OpenSearch over HTTP. What the engine cannot do now is an `EngineError`; what it will never do, such as a request
 * that it does not understand, an `Error` that says what it said. Everything that is asked here may be asked twice.
 */
import { EngineError } from "../../errors.ts"

export interface OpenSearchAddress {
  /** Without credentials and without a slash at its end. */
  url: string
  /** Names of indexes begin with it and a hyphen. */
  prefix: string
  credentials?: { user: string; password: string }
  /** Authority that signed its certificate, in PEM, beside those that the process knows anyway. */
  ca?: string
}

type Method = "GET" | "POST" | "PUT" | "DELETE"

export interface AskOptions {
  /** An array goes as lines of JSON, a text as the lines that it is. */
  body?: object | readonly object[] | string
  signal?: AbortSignal | undefined
  /** For all tries together. */
  timeoutMs?: number
  /** Throws for an answer that holds no success: an `EngineError` is tried again as one without an answer is. */
  check?: (answer: unknown) => void
}

/** It has as much to do as it takes. */
export class Busy extends EngineError {
  override name = "Busy"
}

/** An answer other than success that trying again does not change. */
export class Refusal extends Error {
  override name = "Refusal"
  constructor(
    message: string,
    readonly status: number,
    /** What the engine calls it, such as `index_not_found_exception`. */
    readonly type: string | undefined,
  ) {
    super(message)
  }
}

/** Searches take milliseconds, and a few seconds where an engine is overloaded. */
const TIMEOUT_MS = 15_000
const TRIES = 4
/** A connection that was kept may have been closed by the other side; a shard may be moving. Doubles. */
const FIRST_WAIT_MS = 100
/** Statuses of an engine that cannot do it now: too busy, not reachable behind a balancer, without a master or a shard. */
export const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504])
/** Characters of the engine's words that are passed on. */
const SAID = 500

export class OpenSearchClient {
  private readonly headers: Record<string, string>

  constructor(private readonly address: OpenSearchAddress) {
    const { credentials } = address
    this.headers = credentials
      ? { authorization: `Basic ${Buffer.from(`${credentials.user}:${credentials.password}`).toString("base64")}` }
      : {}
  }

  get prefix(): string {
    return this.address.prefix
  }

  /**
   * @param path below the address, without a slash at its beginning
   * @throws EngineError · Refusal · the reason of `signal`
   */
  async ask<Answer>(method: Method, path: string, options: AskOptions = {}): Promise<Answer> {
    const { signal, timeoutMs = TIMEOUT_MS } = options
    const limit = AbortSignal.timeout(timeoutMs)
    const either = signal ? AbortSignal.any([signal, limit]) : limit
    for (let attempt = 1, waitMs = FIRST_WAIT_MS; ; attempt++, waitMs *= 2) {
      signal?.throwIfAborted()
      try {
        const answer = await this.once(method, path, options.body, either)
        options.check?.(answer)
        return answer as Answer
      } catch (error) {
        signal?.throwIfAborted()
        if (limit.aborted) throw new EngineError("search", `no answer in ${timeoutMs / 1000} s`, { cause: error })
        if (!(error instanceof EngineError) || error.answered || attempt === TRIES) throw error
      }
      await Bun.sleep(waitMs * (0.5 + Math.random()))
    }
  }

  private async once(method: Method, path: string, body: AskOptions["body"], signal: AbortSignal): Promise<unknown> {
    const isLines = Array.isArray(body) || typeof body === "string"
    const text = Array.isArray(body) ? body.map(line => `${JSON.stringify(line)}\n`).join("") : spelled(body)
    const headers = { ...this.headers, "content-type": isLines ? "application/x-ndjson" : "application/json" }
    const tls = this.address.ca ? { tls: { ca: this.address.ca } } : {}
    const init = { method, headers, signal, redirect: "manual" as const, ...tls, ...(text ? { body: text } : {}) }
    let status: number
    let answer: string
    try {
      const response = await fetch(`${this.address.url}/${path}`, init)
      status = response.status
      answer = await response.text()
    } catch (cause) {
      throw new EngineError("search", (cause as Error).message, { cause })
    }
    const said = parsed(answer)
    if (status >= 200 && status < 300 && said !== undefined) return said
    throw failureOf(status, said, `${method} ${path}: ${status} ${answer.slice(0, SAID)}`)
  }
}

const spelled = (body: object | string | undefined): string | undefined =>
  typeof body === "object" ? JSON.stringify(body) : body

/** What an engine that is no OpenSearch says, such as a balancer before it. */
function parsed(text: string): unknown {
  if (text === "") return {}
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function failureOf(status: number, said: unknown, message: string): Error {
  if (status === 429) return new Busy("search", message)
  if (PASSING.has(status)) return new EngineError("search", message)
  if (status === 401 || status === 403)
    return new EngineError("search", `it refuses the credentials: ${status}`, { answered: true })
  if (status >= 500 || said === undefined) return new EngineError("search", message, { answered: true })
  return new Refusal(message, status, (said as { error?: { type?: string } } | undefined)?.error?.type)
}
