/**
 * The web server: what every request passes, in order, then one line per route file.
 * request id → reference pages → credentials and rate limit → route → the one error body → common headers → access log
 */
import { type AnyElysia, Elysia } from "elysia"
import type { Principal } from "../access/principal.ts"
import type { Dispatch } from "../batches/dispatch.ts"
import { AppError, invalid } from "../errors.ts"
import { newId } from "../id.ts"
import { consoleAddresses, consoleAssets, graphiqlAssets } from "../native/console-assets.ts"
import { Gate } from "../threads/gate.ts"
import { peerKey } from "../threads/sockets.ts"
import { logAccess } from "./access-log.ts"
import { auditing } from "./audit.ts"
import { type AuthDependencies, authenticate } from "./auth.ts"
import { BODY_LIMIT_MS, contentTypeOf, MAX_JSON_BYTES, readJson, refuseCoding } from "./body.ts"
import { clientAddress, isLoopback } from "./client-address.ts"
import { DRESSES, isCompatible, shapeOf } from "./compatible/errors.ts"
import { compatibleAliases } from "./compatible/index.ts"
import { Connections, systemOf } from "./connections.ts"
import { consolePages } from "./console-pages.ts"
import { contextOf, type RequestContext, setContext } from "./context.ts"
import { corsHeaders, preflight } from "./cors.ts"
import { dispatchTo } from "./dispatch.ts"
import { type Alive, type Failure, failureWith } from "./ended.ts"
import { errorResponse } from "./error-response.ts"
import { GRAPHQL_PATH } from "./graphql/graphql-api.ts"
import { graphiqlPages } from "./graphql/pages.ts"
import { refuseForeignOrigin } from "./mcp/origin.ts"
import { MCP_PATH } from "./mcp/routes.ts"
import { type MethodTable, methodTable } from "./method-table.ts"
import type { NodeDoor } from "./node-door.ts"
import { type OpenRequest, OpenRequests } from "./open-requests.ts"
import { openApiDocument } from "./openapi.ts"
import { bodyRules } from "./operation.ts"
import { MAX_PICTURED_MB, readPictured } from "./pictured-json.ts"
import { PREFIX, withoutPrefix } from "./prefix.ts"
import { referencePages } from "./reference-pages.ts"
import { HEALTH_PATHS } from "./routes/health.ts"
import { apiRoutes, documentedRoutes } from "./routes/index.ts"
import type { Services } from "./services.ts"
import { bodyCheck } from "./validation.ts"

/**
 * Longest silence on a connection before a request is complete, and between requests. Streams and long calls lift it.
 * Longer than the time of a body, whose end is told, while the runtime closes without a word.
 */
const IDLE_TIMEOUT_S = BODY_LIMIT_MS.known / 1_000 + 10
/** Out of the way: the runtime would answer without a body. Uploads and JSON bodies have bounds of their own. */
const MAX_BODY_BYTES = 2 ** 52

/** Megabytes of large bodies that are read at the same time, two of the largest; in memory each is there some three times. */
const LARGE_BODIES = {
  places: 2 * MAX_PICTURED_MB,
  placesPerKey: MAX_PICTURED_MB,
  waiting: 16,
  waitingPerKey: 8,
  refusal: "too many large requests are being read",
  retryAfterSeconds: 10,
}

function routes(services: Services, failure: Failure) {
  const check = bodyCheck(() => app)
  const ruleOf = bodyRules(() => app)
  const large = new Gate(LARGE_BODIES)
  const largeBodies = (principal: Principal) => (bytes: number) =>
    large.enter(principal.keyId, Math.ceil(bytes / 1_048_576))
  const app: AnyElysia = new Elysia({
    allowUnsafeValidationDetails: true,
    normalize: "typebox",
    handler: { standardHostname: false }, // else the path of a host of three letters is read from the wrong place
  })
    .onError({ as: "global" }, async ({ error, request }) => {
      const context = contextOf(request)
      return answerError(await failure(error, context), request, context)
    })
    // Forms, and who reads JSON piece by piece, read their own stream; an empty object keeps the framework from reading it first.
    .onParse({ as: "global" }, async ({ request, route }) => {
      if (request.body) refuseCoding(request)
      const rule = ruleOf(request.method, route)
      if (rule?.form || rule?.readsBody || (rule?.bodies && contentTypeOf(request) in rule.bodies)) return {}
      const context = contextOf(request)
      const limitMs = context.principal ? BODY_LIMIT_MS.known : BODY_LIMIT_MS.stranger
      const maxBytes = rule?.maxBytes ?? MAX_JSON_BYTES
      const isShort = Number(request.headers.get("content-length") ?? Number.POSITIVE_INFINITY) <= maxBytes
      const body =
        rule?.pictures && context.principal && !(isShort && maxBytes <= MAX_JSON_BYTES)
          ? await readPictured(request, { pictures: rule.pictures, maxBytes, enter: largeBodies(context.principal) })
          : await readJson(request, limitMs, maxBytes)
      context.isRead = true
      check(request.method, route, body)
      return body
    })
    .use(documentedRoutes(services))
    .use(apiRoutes(services))
    .use(compatibleAliases(services))
  return app
}

export interface HttpOptions
  extends Omit<AuthDependencies, "apiKeys" | "scopedTokens" | "streamTokens" | "rateLimiter" | "usage"> {
  host: string
  port: number
  tls?: { cert: string; key: string }
  /** Addresses of reverse proxies. */
  trustedProxies: readonly string[]
  /** Origins whose pages may call the API. */
  corsOrigins: readonly string[]
  /** Origin of this server as browsers know it. */
  origin(): string
  /** Connections of one address that have not shown credentials. */
  connectionsPerAddress: number
  /** Where other nodes ask; absent on one machine. */
  nodeDoor?: NodeDoor | undefined
  /** False for a node that only works: it answers for its health and nothing else. */
  servesApi?: boolean
}

export interface HttpServer {
  url: string
  /** Requests of clients that are being answered, but for streams that have begun. */
  readonly running: number
  /** Carries a request out that came in as part of another. */
  readonly dispatch: Dispatch
  /** Stops accepting at once, waits for running requests up to `graceMs`, then closes them. */
  stop(graceMs: number): Promise<void>
}

/** Long, because what a request meets shares the state of the server: the way of each stands here from top to bottom. */
export function startServer(services: Services, options: HttpOptions): HttpServer {
  const alive: Alive = async credentials => {
    const { apiKeys, scopedTokens, streamTokens, sessions } = services
    const kinds = [apiKeys, scopedTokens, streamTokens, sessions].map(kind => kind.alive(credentials))
    return (await Promise.all(kinds)).reduce((all, some) => all.union(some))
  }
  const failure = failureWith(alive)
  const app = routes(services, failure)
  const reference = referencePages(() => openApiDocument(documentedRoutes(services), services.version))
  const console = consolePages({ assets: consoleAssets, addresses: consoleAddresses })
  const graphiql = services.graphql ? graphiqlPages(graphiqlAssets) : () => undefined
  const table = methodTable(app.routes)
  const openRequests = new OpenRequests(alive)
  const auth: AuthDependencies = { ...services, ...options }
  let running = 0

  const respond = async (given: Request, context: RequestContext, peer: string): Promise<Response> => {
    const request = withHost(given, context)
    const path = new URL(request.url).pathname
    if (options.servesApi === false && !HEALTH_PATHS.has(path)) throw new AppError("not_found")
    const reads = request.method === "GET" || request.method === "HEAD"
    const page = reference(path) ?? (await graphiql(request, path)) ?? (await console(request, path))
    context.isPage = page !== undefined
    if (page && reads) return page
    if (page) throw new AppError("method_not_allowed", { headers: { Allow: "GET, HEAD" } })
    if (services.graphql === null && isBelow(path, GRAPHQL_PATH)) throw new AppError("not_found")
    const allowed = table.allowed(path)
    const permission = preflight(request, options.corsOrigins, allowed)
    if (permission) return permission
    if (path === MCP_PATH) refuseForeignOrigin(request, [...options.corsOrigins, options.origin()])
    if (needsCredentials(path)) await authenticate(request, context, auth)
    if (context.principal) connections.know(peer, context.principal.keyId)
    if (allowed.length > 0 && !allowed.includes(request.method))
      throw new AppError("method_not_allowed", { headers: { Allow: allowed.join(", ") } })
    return app.handle(request.method === "HEAD" ? copyOf(request, context, { method: "GET", body: null }) : request)
  }

  const audited = auditing(services, table, answerError)
  const server = Bun.serve({
    hostname: options.host,
    port: options.port,
    ...(options.tls ? { tls: options.tls } : {}),
    idleTimeout: IDLE_TIMEOUT_S,
    maxRequestBodySize: MAX_BODY_BYTES,
    development: false,
    reusePort: false, // outside of development the runtime would share a port that another daemon listens on
    async fetch(request, bun) {
      const started = performance.now()
      let open: OpenRequest | undefined
      /** Answers in place of a route that is still at work. */
      let end: (reason: AppError) => void
      const { address, port } = bun.requestIP(request) ?? { address: "unknown", port: 0 }
      const peer = peerKey(address, port)
      connections.asks(peer)
      const context: RequestContext = {
        requestId: requestIdOf(request),
        address: clientAddress(address, request.headers.get("x-forwarded-for"), options.trustedProxies),
        principal: undefined,
        secure: options.tls !== undefined,
        route: () => routeOf(request, table),
        headers: corsHeaders(request, options.corsOrigins),
        keepOpen() {
          bun.timeout(request, 0)
          open ??= openRequests.open(
            context.principal?.credential ?? context.session?.credential ?? "",
            request.signal,
            end,
          )
          return open
        },
      }
      setContext(request, context)
      running++
      const response = await new Promise<Response>((resolve, reject) => {
        end = reject
        const admitted = () => {
          bun.timeout(request, 0)
          connections.admit(peer)
        }
        const answer = options.nodeDoor
          ? options.nodeDoor(request, admitted).then(ofNode => ofNode ?? respond(request, context, peer))
          : respond(request, context, peer)
        answer.then(resolve, reject)
      })
        .catch(async error => answerError(await failure(error, context), request, context))
        .then(answer => audited(request, context, answer))
      running--
      if (!isStream(response)) open?.close()
      finish(response, context)
      if (!context.isRead && hasBody(request)) connections.answeredEarly(peer)
      if (context.principal) services.traffic.count(context.principal.keyId)
      logAccess(request, response, context, performance.now() - started)
      return response
    },
    error: error => errorResponse(error, newId("req")),
  })

  const connections = new Connections(systemOf(server.port ?? 0), {
    perAddress: options.connectionsPerAddress,
    isExempt: address => isLoopback(address) || options.trustedProxies.includes(address),
  })
  if (process.platform === "linux") connections.start()

  return {
    url: `${options.tls ? "https" : "http"}://${inAddress(server.hostname!)}:${server.port}`,
    get running() {
      return running
    },
    dispatch: dispatchTo(app, audited),
    async stop(graceMs) {
      connections.stop()
      const closed = server.stop(false)
      const deadline = Date.now() + graceMs
      while (running > 0 && Date.now() < deadline) await Bun.sleep(20)
      await Promise.race([closed, Bun.sleep(Math.max(0, deadline - Date.now()))])
      await server.stop(true)
    },
  }
}

const hasBody = ({ headers }: Request): boolean =>
  (headers.get("content-length") ?? "0") !== "0" || headers.has("transfer-encoding")

/** A stream closes its request itself, with its last event. */
const isStream = (response: Response): boolean =>
  response.headers.get("content-type")?.startsWith("text/event-stream") ?? false

/** A client that went away gets no answer, and its departure is no error of ours: the access log says 499. */
function answerError(error: unknown, request: Request, context: RequestContext): Response {
  context.failure = error
  if (request.signal.aborted) return new Response(null, { status: 499 })
  const shape = shapeOf(pathOf(request))
  return errorResponse(error, context.requestId, shape && DRESSES[shape].dress, context.route)
}

const isBelow = (path: string, above: string): boolean => path === above || path.startsWith(`${above}/`)

/** As it was declared, whatever prefix it came under, without what its caller put into the path. */
const routeOf = (request: Request, table: MethodTable): string => {
  const pattern = table.find(request.method, pathOf(request))?.pattern ?? "(no route)"
  return `${request.method} ${pattern.startsWith(PREFIX) ? pattern.slice(PREFIX.length) : pattern}`
}

/** Of a request whose Host is malformed as well. */
const pathOf = ({ url }: Request): string => (URL.canParse(url) ? new URL(url).pathname : url)

/** Everything under /external but the keys, which the console uses with a session, and all that follows others' shapes. */
export function needsCredentials(path: string): boolean {
  if (isCompatible(path) || path === MCP_PATH || path === GRAPHQL_PATH) return true
  const inner = withoutPrefix(path)
  if (inner !== "/external" && !inner.startsWith("/external/")) return false
  return inner !== "/external/keys" && !inner.startsWith("/external/keys/")
}

/** What a Host header may hold (RFC 9110 §7.2): a name, or an address, and perhaps a port. */
const HOST = /^(?:[\w.~-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i

/**
 * The request under an address that can be read. HTTP/1.0 asks without a Host, as some health checks do; the runtime itself
 * refuses that of HTTP/1.1.
 * @throws AppError invalid_request for a malformed Host: no address can be made of it
 */
function withHost(request: Request, context: RequestContext): Request {
  const host = request.headers.get("host")
  if (host === null) return copyOf(request, context, {}, `http://localhost${request.url}`)
  if (!HOST.test(host) || !URL.canParse(request.url)) throw invalid("Host", "is not a host name with an optional port")
  // The framework finds the path by the length of `http://`.
  if (context.secure) return copyOf(request, context, {}, request.url.replace(/^https:/, "http:"))
  return request
}

/** The web server sends no body for HEAD; the routes need not know of it. */
function copyOf(request: Request, context: RequestContext, change: RequestInit, url = request.url): Request {
  const { method, headers, body, signal } = request
  const copy = new Request(url, { method, headers, signal, ...(body ? { body } : {}), ...change })
  setContext(copy, context)
  return copy
}

/** A client's own id is echoed when it is harmless. */
function requestIdOf(request: Request): string {
  const given = request.headers.get("x-request-id")
  return given && /^[A-Za-z0-9_-]{1,128}$/.test(given) ? given : newId("req")
}

function finish(response: Response, context: RequestContext): void {
  for (const [name, value] of Object.entries(context.headers)) response.headers.set(name, value)
  response.headers.set("X-Request-Id", context.requestId)
  response.headers.set("X-Content-Type-Options", "nosniff")
  if (!response.headers.has("Cache-Control")) response.headers.set("Cache-Control", "no-store")
}

const inAddress = (host: string): string => (host.includes(":") && !host.startsWith("[") ? `[${host}]` : host)
