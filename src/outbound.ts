/**
 * The ways out of this process.
 *
 * A server that the operator configured may send us on (a redirect), and its word must not widen what the operator
 * allowed: `fetchWithin` follows within the origin that was asked and refuses the rest, so that neither a prompt nor a
 * key reaches a host that nobody named.
 *
 * The offline guarantee goes further: with `--offline` nothing in this process connects anywhere but to the configured
 * servers, engines and nodes, and to what `egress/` lets through because the operator listed it. Attempts are refused
 * before a name is looked up, and counted; so are redirects to elsewhere, whoever asked.
 */
import http from "node:http"
import net from "node:net"
import { AppError } from "./errors.ts"
import { log } from "./log.ts"
import { refusedConnections } from "./metrics.ts"

type Fetch = typeof globalThis.fetch
type Input = Parameters<Fetch>[0]
type Init = Parameters<Fetch>[1]

const REDIRECTS = new Set([301, 302, 303, 307, 308])
/** A chain this long is a circle. */
const MAX_REDIRECTS = 5

/**
 * Fetches, and follows redirects within the origin (scheme, host, port) of the address alone.
 * @throws AppError model_error for a redirect to elsewhere; it is counted
 */
export function fetchWithin(input: Input, init?: Init): Promise<Response> {
  const { origin } = new URL(addressOf(input))
  return followed(globalThis.fetch, input, init, target => {
    if (target.origin === origin) return
    refuse(target)
    throw new AppError("model_error", {
      message: "the server redirects to another address",
      hint: `${origin} redirects to ${target.origin}, which was not followed; if that address is yours, set it instead`,
    })
  })
}

/** @param admit throws for a target that must not be followed */
async function followed(fetch: Fetch, input: Input, init: Init, admit: (target: URL) => void): Promise<Response> {
  let address = addressOf(input)
  let response = await fetch(input, { ...init, redirect: "manual" })
  for (let count = 0; ; count++) {
    const location = REDIRECTS.has(response.status) ? response.headers.get("location") : null
    if (location === null || !URL.canParse(location, address)) return response
    const target = new URL(location, address)
    admit(target)
    const method = (init?.method ?? (input instanceof Request ? input.method : "GET")).toUpperCase()
    // A body is sent again only where the server asks for that; 301 to 303 would turn the request into another one.
    const sendable = method === "GET" || method === "HEAD" || (response.status >= 307 && !(input instanceof Request))
    if (!sendable || count === MAX_REDIRECTS) return response
    await response.body?.cancel()
    address = target.href
    response = await fetch(address, { ...initOf(input, init), redirect: "manual" })
  }
}

/** The beginning of an answer's body, `limit` bytes at most; the rest is not waited for. */
export async function firstBytes(response: Response, limit: number): Promise<Buffer<ArrayBuffer>> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of response.body ?? []) {
    parts.push(part)
    length += part.length
    if (length >= limit) break // leaving the loop closes the connection
  }
  return Buffer.concat(parts, Math.min(length, limit))
}

const addressOf = (input: Input): string => (input instanceof Request ? input.url : String(input))

const initOf = (input: Input, init: Init): Init =>
  input instanceof Request ? { method: input.method, headers: input.headers, signal: input.signal, ...init } : init

/** Hosts, with their ports, of the given addresses: `http://127.0.0.1:11434` → `127.0.0.1:11434`. */
const destinationsOf = (urls: readonly string[]): Set<string> =>
  new Set(urls.filter(Boolean).map(url => destination(new URL(url))))

const destination = (url: URL): string => place(url.hostname, url.port || (PORTS[url.protocol] ?? "80"))

const PORTS: Record<string, string> = { "https:": "443", "postgres:": "5432", "postgresql:": "5432" }

/** An IPv6 address stands in brackets in an address and without them elsewhere. */
const place = (host: string, port: unknown): string =>
  `${net.isIPv6(host) ? new URL(`http://[${host}]`).hostname : host}:${port}`

function refuse(target: URL): void {
  refusedConnections.inc()
  log.warn("a redirect was not followed", { destination: destination(target) })
}

interface AgentOptions {
  host?: string | null
  port?: number | string | null
  socketPath?: string | null
}

/** Destination of a connection that is being begun although no setting names it. */
let admitted: string | undefined

/** Begins a request to another node, which is let through; nodes come and go. */
export const toNode = <T>(url: URL, begin: () => T): T => admitting(destination(url), begin)

/** Begins a connection to an address that `egress/` has checked. */
export const toChecked = <T>(ip: string, port: number, begin: () => T): T => admitting(place(ip, port), begin)

function admitting<T>(target: string, begin: () => T): T {
  admitted = target
  try {
    return begin()
  } finally {
    admitted = undefined
  }
}

/**
 * From now on every connection to another destination than those of `allowed` fails, but for `toNode` and `toChecked`.
 * @returns takes the guard away again
 */
export function refuseOutbound(allowed: readonly string[]): () => void {
  const destinations = destinationsOf(allowed)
  const check = (target: string) => {
    if (destinations.has(target) || target === admitted) return
    refusedConnections.inc()
    log.warn("an outbound connection was refused", { destination: target })
    throw new AppError("forbidden", {
      message: `offline: no connection to ${target}`,
      hint: "the daemon runs with --offline; only the configured servers may be reached",
    })
  }
  const { fetch } = globalThis
  const connect = net.Socket.prototype.connect
  globalThis.fetch = Object.assign(
    async (input: Input, init?: Init) => {
      const address = addressOf(input)
      if (!/^https?:/i.test(address)) return fetch(input, init)
      check(destination(new URL(address)))
      // The runtime follows redirects by itself and would ask nobody.
      if (init?.redirect === "manual" || init?.redirect === "error") return fetch(input, init)
      return followed(fetch, input, init, target => check(destination(target)))
    },
    { preconnect: fetch.preconnect },
  )
  net.Socket.prototype.connect = function guarded(this: net.Socket, ...args: unknown[]) {
    const [first, second] = (Array.isArray(args[0]) ? args[0] : args) as [unknown, unknown]
    const options = (typeof first === "object" && first !== null ? first : { port: first, host: second }) as {
      path?: string
      host?: string
      port?: number
      socket?: unknown
    }
    // TLS over a connection that stands, which was checked itself.
    const isNew = options.path === undefined && !(options.socket instanceof net.Socket)
    if (isNew && typeof first !== "string") check(place(options.host ?? "localhost", options.port))
    return Reflect.apply(connect, this, args)
  } as typeof connect
  // The runtime's HTTP client of Node.js opens its connections past the class above.
  const agents = http.Agent.prototype as unknown as { addRequest(request: unknown, options: AgentOptions): void }
  const { addRequest } = agents
  agents.addRequest = function guarded(this: unknown, request, options) {
    if (!options.socketPath) check(place(options.host ?? "localhost", options.port))
    return Reflect.apply(addRequest, this, [request, options])
  }
  return () => {
    globalThis.fetch = fetch
    net.Socket.prototype.connect = connect
    agents.addRequest = addRequest
  }
}
