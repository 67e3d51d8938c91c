/**
 * The one way out to addresses that callers name: pages to read, sources to keep in sync, receivers of events. What a
 * caller names could as well be the metadata service of a cloud or the database next door, so each connection is checked
 * against a policy, by the addresses that its name has at that moment, and goes to an address that was checked: a name
 * that answers otherwise a moment later changes nothing. Names with one forbidden address are refused altogether.
 *
 * Proxies that the environment names are not used: they would connect to what nobody has checked.
 */
import { lookup } from "node:dns/promises"
import net, { isIP, type Socket } from "node:net"
import tls from "node:tls"
import { AppError } from "../errors.ts"
import { log } from "../log.ts"
import { refusedConnections } from "../metrics.ts"
import { toChecked } from "../outbound.ts"
import { orAbort } from "../threads/or-abort.ts"
import { kindOf, plainHost } from "./addresses.ts"
import { Exchange } from "./exchange.ts"
import type { Policy } from "./policy.ts"

/** One address after another is tried; the last one has what is left of the caller's time. */
const TRY_MS = 5_000
/** A name with hundreds of addresses is a trap. */
const MAX_ADDRESSES = 32
const DEFAULT_TIMEOUT_MS = 20_000
const DEFAULT_MAX_BYTES = 50 * 1024 * 1024
const REDIRECTS = new Set([301, 302, 303, 307, 308])

export interface EgressOptions {
  policy: Policy
  /** Every address of a name; the system's resolver by default. Tests answer as they like. */
  resolve?: (host: string) => Promise<string[]>
  /** Opens the connection to an address that was checked; tests look at what comes here. */
  open?: (ip: string, port: number) => Socket
  /** Certificate authority (PEM) that is believed beside those of the system. */
  ca?: string
}

export interface ConnectOptions {
  tls?: boolean
  signal?: AbortSignal
}

export interface EgressInit {
  method?: string
  headers?: Record<string, string>
  body?: string | Uint8Array
  signal?: AbortSignal
  /** How many are followed, each checked like the first address; 0 by default: the answer is the redirect itself. */
  redirects?: number
  /** For all of it, from the name to the last byte of the body; 20 s by default. */
  timeoutMs?: number
  /** Longest silence of the server before its first byte and between two of them; as long as `timeoutMs` by default. */
  silenceMs?: number
  /** Largest body, decoded; 50 MB by default. The body of a larger one fails with `file_too_large`. */
  maxBytes?: number
}

export class Egress {
  private readonly resolve: (host: string) => Promise<string[]>
  private readonly open: (ip: string, port: number) => Socket

  constructor(private readonly options: EgressOptions) {
    this.resolve = options.resolve ?? addressesOf
    this.open = options.open ?? ((ip, port) => toChecked(ip, port, () => net.connect(port, ip)))
  }

  /**
   * Whether an address may be reached as far as it shows now, for checks when it is stored. A name without addresses passes.
   * @throws AppError forbidden
   */
  async check(host: string, port: number): Promise<void> {
    await this.addresses(host, port).catch(error => {
      if (!(error instanceof AppError) || error.code === "forbidden" || error.code === "invalid_request") throw error
    })
  }

  /**
   * One request over a connection of its own. The answer's `url` is the address that answered, its body is decoded
   * (gzip, deflate, br) as it is read; whoever does not read it to its end cancels it.
   * @throws AppError forbidden (this or a redirect's address), fetch_failed (no complete answer), file_too_large,
   *   invalid_request (no http or https address); the signal's reason
   */
  async fetch(url: string | URL, init: EgressInit = {}): Promise<Response> {
    const { timeoutMs = DEFAULT_TIMEOUT_MS, silenceMs = timeoutMs, maxBytes = DEFAULT_MAX_BYTES, signal } = init
    const request = new Exchange({ timeoutMs, silenceMs, maxBytes, signal })
    try {
      return await this.follow(httpAddress(url), request, init)
    } catch (error) {
      request.end()
      throw request.reasonOf(error)
    }
  }

  /**
   * A connection to a host; with `tls` its certificate is checked against the name.
   * @throws AppError forbidden, fetch_failed; the signal's reason
   */
  async connect(host: string, port: number, { tls: isSecure = false, signal }: ConnectOptions): Promise<Socket> {
    const looking = this.addresses(host, port)
    const addresses = await (signal ? orAbort(looking, signal) : looking)
    let failure: unknown
    for (const [at, ip] of addresses.entries()) {
      const isLast = at === addresses.length - 1
      const limit = isLast ? signal : AbortSignal.any([AbortSignal.timeout(TRY_MS), ...(signal ? [signal] : [])])
      try {
        const socket = await established(this.open(ip, port), "connect", limit)
        return isSecure ? await this.secured(socket, plainHost(host)!, signal) : socket
      } catch (error) {
        signal?.throwIfAborted()
        failure ??= error
      }
    }
    throw new AppError("fetch_failed", { message: `no connection to ${host}: ${wordsOf(failure)}`, cause: failure })
  }

  /**
   * TLS over what `connect` gave, for protocols that begin without. The certificate is checked against the name; the socket
   * tells `secureConnect` or `error`.
   */
  secure(socket: Socket, host: string): tls.TLSSocket {
    const { ca } = this.options
    return tls.connect({
      socket,
      // An address has no name to ask for; its certificate is checked against the address itself.
      ...(isIP(host) === 0 ? { servername: host } : { host }),
      ...(ca ? { ca: [...tls.rootCertificates, ca] } : {}),
    })
  }

  private async secured(socket: Socket, host: string, signal: AbortSignal | undefined): Promise<Socket> {
    const secure = this.secure(socket, host)
    try {
      return await established(secure, "secureConnect", signal)
    } catch (error) {
      socket.destroy()
      throw error
    }
  }

  /** Those of a host, each of them admitted. */
  private async addresses(written: string, port: number): Promise<string[]> {
    const { policy } = this.options
    const host = plainHost(written)
    if (host === undefined) throw new AppError("invalid_request", { message: "the address names no host" })
    const isLocal = host === "localhost" || host.endsWith(".localhost")
    if (policy.offline && isIP(host) === 0 && !isLocal && !policy.allow.names(host, port))
      throw this.refusal(host, port)
    const isAdmitted = (ip: string) => policy.allow.allows(host, ip, port) || policy.free.includes(kindOf(ip))
    // RFC 6761: no server is asked for these. Either address will do.
    const local = isLocal ? ["127.0.0.1", "::1"].filter(isAdmitted) : []
    const addresses = isLocal ? local : isIP(host) === 0 ? await this.addressesOf(host) : [host]
    if (addresses.length === 0 || !addresses.every(isAdmitted)) throw this.refusal(host, port)
    return addresses
  }

  private async addressesOf(host: string): Promise<string[]> {
    const found = await this.resolve(host).catch((cause: unknown) => {
      throw new AppError("fetch_failed", { message: `the name ${host} has no address`, cause })
    })
    if (found.length === 0) throw new AppError("fetch_failed", { message: `the name ${host} has no address` })
    if (found.length > MAX_ADDRESSES)
      throw new AppError("fetch_failed", { message: `the name ${host} has too many addresses` })
    return [...new Set(found)]
  }

  /** Says nothing of what a name resolves to: that is the network's own. */
  private refusal(host: string, port: number): AppError {
    const { offline, setting } = this.options.policy
    const destination = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`
    refusedConnections.inc()
    log.warn("an outbound connection was refused", { destination, setting })
    return new AppError("forbidden", {
      message: `${destination} may not be reached`,
      hint: `${offline ? "the daemon runs with --offline; " : ""}${setting} lists the hosts and networks that may be reached beside those that always may`,
    })
  }

  private async follow(first: URL, request: Exchange, init: EgressInit): Promise<Response> {
    const { redirects = 0 } = init
    let url = first
    let sent = init
    for (let count = 0; ; count++) {
      const isSecure = url.protocol === "https:"
      const port = Number(url.port || (isSecure ? 443 : 80))
      const socket = await this.connect(url.hostname, port, { tls: isSecure, signal: request.signal })
      const response = await request.send(socket, url, sent)
      const location = REDIRECTS.has(response.status) && redirects > 0 ? response.headers.get("location") : null
      if (location === null) return response
      await response.body?.cancel()
      if (count === redirects)
        throw new AppError("fetch_failed", { message: `more than ${redirects} redirects, or a circle of them` })
      if (!URL.canParse(location, url))
        throw new AppError("fetch_failed", { message: "the server redirects to no address" })
      const target = httpAddress(new URL(location, url))
      sent = redirected(sent, response.status, target.origin === url.origin)
      url = target
    }
  }
}

/** As browsers do: 303, and 301 and 302 after a POST, are asked for by GET; credentials stay with the origin that they were meant for. */
function redirected(init: EgressInit, status: number, isSameOrigin: boolean): EgressInit {
  const method = init.method?.toUpperCase() ?? "GET"
  const becomesGet = (status === 303 && method !== "HEAD") || (status < 303 && method === "POST")
  const dropped = new Set([
    ...(isSameOrigin ? [] : ["authorization", "cookie", "proxy-authorization"]),
    ...(becomesGet ? ["content-type", "content-length", "content-encoding"] : []),
  ])
  const headers = Object.fromEntries(
    Object.entries(init.headers ?? {}).filter(([name]) => !dropped.has(name.toLowerCase())),
  )
  const { body, ...rest } = init
  return { ...rest, headers, ...(becomesGet ? { method: "GET" } : body === undefined ? {} : { body }) }
}

/** @throws AppError invalid_request for another scheme, and for credentials in the address: they would end up in lists and logs */
function httpAddress(url: string | URL): URL {
  const address = URL.canParse(url) ? new URL(url) : undefined
  if (!address || !/^https?:$/.test(address.protocol))
    throw new AppError("invalid_request", { message: "the address must begin with http:// or https://" })
  if (address.username !== "" || address.password !== "")
    throw new AppError("invalid_request", { message: "the address must not hold a user name or password" })
  return address
}

const addressesOf = async (host: string): Promise<string[]> =>
  (await lookup(host, { all: true })).map(({ address }) => address)

async function established<S extends Socket>(
  socket: S,
  event: "connect" | "secureConnect",
  signal: AbortSignal | undefined,
): Promise<S> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  socket.once(event, () => resolve())
  socket.once("close", () => reject(new Error("the connection was closed")))
  socket.on("error", reject) // stays, so that a late one ends nobody
  try {
    await (signal ? orAbort(promise, signal) : promise)
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  }
}

/** Of an error of the runtime, for people; never an address that a name resolved to. */
function wordsOf(error: unknown): string {
  const { code } = error as { code?: string }
  return (
    WORDS[code ?? ""] ?? (code && /CERT|TLS|SSL|SIGNED|VERIFY/.test(code) ? `its certificate: ${code}` : "no answer")
  )
}
const WORDS: Record<string, string> = {
  ECONNREFUSED: "it was refused",
  ECONNRESET: "it was closed",
  EHOSTUNREACH: "there is no way to it",
  ENETUNREACH: "there is no way to it",
}
