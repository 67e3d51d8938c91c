/** Carries calls out over HTTP: credentials, time limits, retries, errors. */
import { errorOf, failureOf, parsed, told } from "./answers.ts"
import { type ConnectOptions, type Fetch, fetchOf } from "./connect.ts"
import { type Calls, ROUTES, type Route, VERSION } from "./generated.ts"
import { pauseAfter, wait } from "./retries.ts"

/** The three parts of a key; its `token` holds all of them. */
export interface Credentials {
  clientId: string
  privateKey: string
  secret: string
}

export interface Options extends ConnectOptions {
  /** Where Carrel answers, such as `https://carrel.internal:4747`. `CARREL_URL` where absent, else the own machine. */
  baseUrl?: string
  /** The `token` of a key, or a scoped token. `CARREL_TOKEN` where absent. */
  token?: string
  credentials?: Credentials
  /** Of one try: until the answer is there, or a stream or download has begun; an upload may take as long as it takes. 60 000. */
  timeoutMs?: number
  /** How long a call is tried again in all, from its first failure; 0 never. 60 000. */
  retryMs?: number
  /** Sent with every request. */
  headers?: Record<string, string>
  /** Given to every `fetch` as they are, such as `client` under Deno. */
  fetchOptions?: Record<string, unknown>
}

/** Of one call. */
export interface CallOptions {
  signal?: AbortSignal | undefined
  timeoutMs?: number
  retryMs?: number
  headers?: Record<string, string>
  /** Names the request, in place of a name that is made for it: sent again under it, it is carried out once. */
  idempotencyKey?: string
}

export type CallId = keyof Calls
/** What a call takes: `path`, `query`, `header` and `body`, as far as it has them. */
export type InputOf<Id extends CallId> = Omit<Calls[Id], "answer" | "event">

interface Input {
  path?: Record<string, string | number>
  query?: Record<string, unknown>
  header?: Record<string, string | undefined>
  body?: unknown
}

/** A body that is no JSON. It is opened anew for each try; `once` says that it can be opened once alone. */
export interface RawBody {
  type?: string
  open(): Promise<OpenedBody>
  once?: boolean
}

interface OpenedBody {
  body: BodyInit
  /** Of a stream, where they are known. */
  bytes?: number | undefined
}

export interface Request {
  route: Route
  input: Input
  raw?: RawBody
  accept: string
  options: CallOptions
  lastEventId?: string
}

const DEFAULT_MS = 60_000
const DEFAULT_URL = "http://127.0.0.1:4747"

export class Transport {
  readonly baseUrl: string
  readonly retryMs: number
  /** Of every request: who asks, and by what. */
  readonly #headers: Record<string, string>
  readonly #options: Options
  readonly #fetch: Fetch

  constructor(options: Options) {
    this.baseUrl = (options.baseUrl ?? variable("CARREL_URL") ?? DEFAULT_URL).replace(/\/+$/, "")
    this.retryMs = options.retryMs ?? DEFAULT_MS
    this.#headers = { "x-carrel-sdk": `typescript/${VERSION}`, ...authorizationOf(options) }
    this.#options = options
    this.#fetch = fetchOf(options, this.baseUrl)
  }

  /** @throws ApiError, ConnectionError, TimeoutError; the signal's reason */
  call<Id extends CallId>(id: Id, input: InputOf<Id>, options: CallOptions = {}): Promise<Calls[Id]["answer"]> {
    const route = ROUTES[id]
    const accept = route.answers === "json" ? "application/json" : "*/*"
    return this.read({ route, input: input as Input, accept, options })
  }

  /** The body of a call, as its route says what it is. */
  read<T>(request: Request): Promise<T> {
    const { answers } = request.route
    const taken = async (response: Response): Promise<unknown> => {
      if (answers === "bytes") return told(response.body!, request.options.signal)
      const text = await response.text()
      if (answers === "text") return text
      return text === "" && (answers === "none" || response.status !== 200) ? undefined : parsed(text)
    }
    return this.#retried(request, attempt => this.#send(request, attempt, taken)) as Promise<T>
  }

  /** The answer itself, once it has begun well. */
  open(request: Request): Promise<Response> {
    return this.#retried(request, attempt => this.#send(request, attempt, async response => response))
  }

  /** @param taken reads of the answer what belongs to the time limit */
  async #send<T>(
    { route, input, raw, accept, options, lastEventId }: Request,
    key: string | undefined,
    taken: (response: Response) => Promise<T>,
  ): Promise<T> {
    const { signal, timeoutMs = this.#options.timeoutMs ?? DEFAULT_MS } = options
    signal?.throwIfAborted()
    const limit = new AbortController()
    const timer = raw ? undefined : setTimeout(() => limit.abort(), timeoutMs)
    const opened = await raw?.open()
    const body = opened?.body ?? (input.body === undefined ? undefined : JSON.stringify(input.body))
    const type = raw ? raw.type : body === undefined ? undefined : "application/json"
    const headers: Record<string, string> = { accept, ...this.#headers }
    if (type) headers["content-type"] = type
    if (opened?.bytes !== undefined) headers["content-length"] = `${opened.bytes}`
    if (key) headers["idempotency-key"] = key
    if (lastEventId) headers["last-event-id"] = lastEventId
    for (const given of [this.#options.headers, input.header, options.headers])
      for (const [name, value] of Object.entries(given ?? {})) if (value !== undefined) headers[name] = value
    const init: RequestInit & { duplex?: "half" } = {
      ...(this.#options.fetchOptions as RequestInit),
      method: route.method,
      headers,
      signal: signal ? AbortSignal.any([signal, limit.signal]) : limit.signal,
      // No redirect is followed: credentials go nowhere else. With "error" and `window` Node keeps no copy of a body for one.
      redirect: raw ? "error" : "manual",
      window: null,
    }
    if (body !== undefined) init.body = body
    if (body instanceof ReadableStream) init.duplex = "half"
    try {
      const response = await this.#fetch(`${this.baseUrl}${addressOf(route, input)}`, init)
      if (!response.ok) throw await errorOf(response)
      return await taken(response)
    } catch (error) {
      throw failureOf(error, signal, limit.signal, timeoutMs)
    } finally {
      clearTimeout(timer)
    }
  }

  /** Tries again as long as that is safe and makes sense. */
  async #retried<T>(request: Request, attempt: (key: string | undefined) => Promise<T>): Promise<T> {
    const { route, raw, options } = request
    const key = options.idempotencyKey ?? (route.idempotent ? crypto.randomUUID() : undefined)
    const isSafe = route.method !== "POST" || key !== undefined || route.harmless === true
    const retryMs = options.retryMs ?? this.retryMs
    let endsAt: number | undefined
    for (let tries = 0; ; tries++) {
      try {
        return await attempt(key)
      } catch (error) {
        options.signal?.throwIfAborted()
        endsAt ??= Date.now() + retryMs
        const pause = raw?.once ? undefined : pauseAfter(error, tries, isSafe)
        if (pause === undefined || Date.now() + pause > endsAt) throw error
        await wait(pause, options.signal)
      }
    }
  }

  /** Nothing of the credentials. */
  toJSON() {
    return { baseUrl: this.baseUrl }
  }
}

function addressOf({ path }: Route, { path: parts = {}, query = {} }: Input): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = parts[name]
    if (value === undefined || value === "") throw new TypeError(`${name} is missing`)
    return encodeURIComponent(value)
  })
  if (Object.keys(query).length === 0) return filled
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue
    search.set(
      name,
      Array.isArray(value) ? value.join(",") : typeof value === "object" ? JSON.stringify(value) : `${value}`,
    )
  }
  return search.size > 0 ? `${filled}?${search}` : filled
}

function authorizationOf({ token, credentials }: Options): Record<string, string> {
  if (credentials) {
    const { clientId, privateKey, secret } = credentials
    return { "client-id": clientId, "private-key": privateKey, secret }
  }
  const given = token ?? variable("CARREL_TOKEN")
  if (!given) throw new TypeError("give a token or credentials, or set CARREL_TOKEN")
  return { authorization: `Bearer ${given}` }
}

/** An environment variable, where there are any. */
function variable(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } }
  return process?.env?.[name] || undefined
}
