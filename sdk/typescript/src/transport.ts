/** Carries calls out over HTTP: credentials, time limits, retries, errors. */
import { ApiError, ConnectionError, TimeoutError } from "./api-error.ts"
import { type Calls, ERROR_CLASSES, type ErrorCode, ROUTES, type Route, VERSION } from "./generated.ts"

/** The three parts of a key; its `token` holds all of them. */
export interface Credentials {
  clientId: string
  privateKey: string
  secret: string
}

export interface Options {
  /** Where Carrel answers, such as `https://carrel.internal:4747`. `CARREL_URL` where absent, else the own machine. */
  baseUrl?: string
  /** The `token` of a key, or a scoped token. `CARREL_TOKEN` where absent. */
  token?: string
  credentials?: Credentials
  /** Until an answer begins; an upload may take as long as it takes. 60 000. */
  timeoutMs?: number
  /** How long a call is tried again in all, from its first failure; 0 never. 60 000. */
  retryMs?: number
  /** Sent with every request. */
  headers?: Record<string, string>
  /** Given to every `fetch` as they are: `proxy` and `tls` under Bun, `dispatcher` under Node. */
  fetchOptions?: Record<string, unknown>
  /** In place of the platform's own. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>
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
  open(): BodyInit
  once?: boolean
}

export interface Request {
  route: Route
  input: Input
  raw?: RawBody
  accept: string
  options: CallOptions
  lastEventId?: string
}

/** Change nothing, so that they may be sent twice. */
const HARMLESS: ReadonlySet<string> = new Set<string>([
  ...[ROUTES.search, ROUTES.findDocuments, ROUTES.redact, ROUTES.previewRetention].map(({ path }) => path),
  ...[ROUTES.createEmbeddings, ROUTES.rerank, ROUTES.rerankV2, ROUTES.createToken].map(({ path }) => path),
])
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 8_000
const DEFAULT_MS = 60_000
const DEFAULT_URL = "http://127.0.0.1:4747"

export class Transport {
  readonly baseUrl: string
  readonly retryMs: number
  readonly #authorization: Record<string, string>
  readonly #options: Options

  constructor(options: Options) {
    this.baseUrl = (options.baseUrl ?? variable("CARREL_URL") ?? DEFAULT_URL).replace(/\/+$/, "")
    this.retryMs = options.retryMs ?? DEFAULT_MS
    this.#authorization = authorizationOf(options)
    this.#options = options
  }

  /** @throws ApiError, ConnectionError, TimeoutError; the signal's reason */
  async call<Id extends CallId>(id: Id, input: InputOf<Id>, options: CallOptions = {}): Promise<Calls[Id]["answer"]> {
    const route = ROUTES[id]
    const accept = route.answers === "json" ? "application/json" : "*/*"
    return this.read({ route, input: input as Input, accept, options })
  }

  /** The body of a call, as its route says what it is. */
  async read<T>(request: Request): Promise<T> {
    return this.#retried(request, async (attempt): Promise<unknown> => {
      const response = await this.#send(request, attempt)
      const { answers } = request.route
      if (answers === "bytes") return response.body
      const text = await whole(response, request.options.signal)
      if (answers === "text") return text
      return text === "" ? undefined : JSON.parse(text)
    }) as Promise<T>
  }

  /** The answer itself, once it has begun well. */
  open(request: Request): Promise<Response> {
    return this.#retried(request, attempt => this.#send(request, attempt))
  }

  async #send(
    { route, input, raw, accept, options, lastEventId }: Request,
    key: string | undefined,
  ): Promise<Response> {
    const { signal, timeoutMs = this.#options.timeoutMs ?? DEFAULT_MS } = options
    signal?.throwIfAborted()
    const limit = new AbortController()
    const timer = raw ? undefined : setTimeout(() => limit.abort(), timeoutMs)
    const body = raw ? raw.open() : input.body === undefined ? undefined : JSON.stringify(input.body)
    const type = raw ? raw.type : body === undefined ? undefined : "application/json"
    const given = { ...this.#options.headers, ...input.header, ...options.headers }
    const headers: Record<string, string> = {
      ...{ accept, "x-carrel-sdk": `typescript/${VERSION}`, ...this.#authorization },
      ...(type ? { "content-type": type } : {}),
      ...(key ? { "idempotency-key": key } : {}),
      ...(lastEventId ? { "last-event-id": lastEventId } : {}),
      ...(Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Record<
        string,
        string
      >),
    }
    const init: RequestInit & { duplex?: "half" } = {
      ...(this.#options.fetchOptions as RequestInit),
      ...{ method: route.method, headers, signal: signal ? AbortSignal.any([signal, limit.signal]) : limit.signal },
      ...(body === undefined ? {} : { body }),
      // Credentials go nowhere else. With `window` besides, Node keeps no copy of a body in case of a redirect.
      ...{ redirect: "error", window: null },
      ...(body instanceof ReadableStream ? { duplex: "half" } : {}),
    }
    try {
      const send = this.#options.fetch ?? fetch
      const response = await send(`${this.baseUrl}${addressOf(route, input)}`, init)
      if (!response.ok) throw await errorOf(response)
      return response
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
    const isSafe = route.method !== "POST" || key !== undefined || HARMLESS.has(route.path)
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

/** Milliseconds until the next try; undefined where another makes no sense. */
export function pauseAfter(error: unknown, tries: number, isSafe: boolean): number | undefined {
  const own = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tries) * (0.5 + Math.random() / 2)
  if (error instanceof ConnectionError || error instanceof TimeoutError) return isSafe ? own : undefined
  if (!(error instanceof ApiError)) return undefined
  // 429 and 503 are said before anything is done; 502 is said of what was tried.
  const isRefused = error.status === 429 || error.status === 503
  if (!isRefused && !(error.status === 502 && isSafe)) return undefined
  return error.retryAfter === undefined ? own : error.retryAfter * 1_000 + Math.random() * 250
}

/** @throws the signal's reason */
export function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal!.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop)
      resolve()
    }, ms)
    if (signal?.aborted) stop()
    else signal?.addEventListener("abort", stop, { once: true })
  })
}

/** @throws ConnectionError where the answer breaks off */
async function whole(response: Response, signal: AbortSignal | undefined): Promise<string> {
  try {
    return await response.text()
  } catch (error) {
    signal?.throwIfAborted()
    throw new ConnectionError("the answer broke off", { cause: error })
  }
}

function failureOf(error: unknown, signal: AbortSignal | undefined, limit: AbortSignal, timeoutMs: number): unknown {
  if (error instanceof ApiError) return error
  if (signal?.aborted) return signal.reason
  if (limit.aborted) return new TimeoutError(`no answer within ${timeoutMs} ms`)
  return new ConnectionError("the server cannot be reached, or the connection was cut", { cause: error })
}

async function errorOf(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => "")
  const { error } = jsonOf(text) as { error?: Record<string, never> }
  const requestId = error?.request_id ?? response.headers.get("x-request-id") ?? undefined
  const after = response.headers.get("retry-after")
  return apiError({
    ...{ code: `http_${response.status}`, message: `the server answered with status ${response.status}` },
    ...error,
    status: response.status,
    requestId,
    retryAfter: after === null ? undefined : secondsOf(after),
  })
}

/** The error of a body or of an event, in the class of its code. */
export function apiError({
  code,
  ...rest
}: ConstructorParameters<typeof ApiError>[0] & Record<string, unknown>): ApiError {
  const Class = Object.hasOwn(ERROR_CLASSES, code) ? ERROR_CLASSES[code as ErrorCode] : ApiError
  return new Class({ code, ...rest })
}

function jsonOf(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null ? value : {}
  } catch {
    return {}
  }
}

/** Seconds, or a date. */
function secondsOf(header: string): number | undefined {
  if (/^\d+$/.test(header)) return Number(header)
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, (at - Date.now()) / 1_000)
}

function addressOf({ path }: Route, { path: parts = {}, query = {} }: Input): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = parts[name]
    if (value === undefined || value === "") throw new TypeError(`${name} is missing`)
    return encodeURIComponent(value)
  })
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
