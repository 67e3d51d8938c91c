/**
 * A daemon that may be far away: requests under one key, made again where the connection, the daemon or its limits fail for
 * the moment.
 */
import { OperatorError } from "../../errors.ts"
import { firstBytes } from "../../outbound.ts"
import { rest } from "./rest.ts"

/** First wait before a request is made again; each further one is twice as long, and some of it is chance. */
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 30_000
/** Longest wait that the daemon may ask for. */
const LONGEST_ASKED_MS = 300_000
/** Longest silence of a connection: the daemon takes nothing of a body, or has the whole request and answers nothing. */
const SILENCE_MS = 300_000
/** Of what a daemon says about a refusal. */
const MAX_REFUSAL_BYTES = 1_000_000
/** The answer is about this moment: the same request may be taken later. */
const PASSING = new Set([408, 425, 429, 500, 502, 503, 504, 507])
/** The daemon is well and only has a line: one stands in it for as long as it takes. */
const IN_LINE = new Set(["rate_limited", "overloaded"])
const PREFIX = "/external-docs/external"

/** What the daemon does not do, however often it is asked. */
export class Refusal extends OperatorError {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details: readonly Record<string, unknown>[] = [],
    hint?: string,
  ) {
    super(message, hint ? { hint } : {})
  }
}

export interface Body {
  type: string
  /** Made anew for each try. `alive` is to be called as it is taken. */
  open(alive: () => void): BodyInit | Promise<BodyInit>
  /** What kept the last try's body from being read to its end here: no fault of the connection, and thrown as it is. */
  trouble?(): unknown
}

export interface DaemonOptions {
  token: string
  /** Ends everything. */
  signal: AbortSignal
  /** How long one request may fail, once the daemon has answered any; before its first answer nothing is tried again. */
  patienceMs: number
  /** Told of each wait. */
  onWait?: (why: string, ms: number) => void
  firstWaitMs?: number
}

export class Daemon {
  private readonly base: string
  private hasAnswered = false
  /** Nobody asks before: one answer speaks for all requests of the key. */
  private notBefore = 0

  constructor(
    url: URL,
    private readonly options: DaemonOptions,
  ) {
    const path = url.pathname.replace(/\/+$/, "").replace(/\/external-docs(?:\/external)?$/, "")
    this.base = `${url.origin}${path}${PREFIX}`
  }

  get signal(): AbortSignal {
    return this.options.signal
  }

  /** @throws Refusal; OperatorError where the daemon stays away; the reason of the signal */
  json<T>(method: string, path: string, value?: unknown): Promise<T> {
    if (value === undefined) return this.request<T>(method, path)
    const text = JSON.stringify(value)
    return this.request<T>(method, path, { type: "application/json", open: () => text })
  }

  /** As `json`, with a body of any kind. @throws as `json`; what `trouble` told */
  async request<T>(method: string, path: string, body?: Body): Promise<T> {
    let failingSince: number | undefined
    for (let tries = 1; ; tries++) {
      await rest(Math.max(0, this.notBefore - Date.now()), this.signal)
      const tried = await this.once<T>(method, path, body)
      if ("answer" in tried) return tried.answer
      const { why, hint, afterMs, inLine } = tried
      failingSince = inLine ? undefined : (failingSince ?? Date.now())
      const wait = afterMs ?? backOff(tries, this.options.firstWaitMs ?? FIRST_WAIT_MS)
      if (!this.hasAnswered || Date.now() + wait - (failingSince ?? Date.now()) > this.options.patienceMs)
        throw new OperatorError(why, { hint })
      this.options.onWait?.(why, wait)
      if (inLine) this.notBefore = Math.max(this.notBefore, Date.now() + wait)
      await rest(wait, this.signal)
    }
  }

  /** One try. @throws Refusal; what `trouble` told; the reason of the signal */
  private async once<T>(method: string, path: string, body?: Body): Promise<{ answer: T } | Passing> {
    const silence = new AbortController()
    const timer = setTimeout(() => silence.abort(new Error("it says nothing any more")), SILENCE_MS)
    try {
      const response = await fetch(this.base + path, {
        method,
        headers: {
          authorization: `Bearer ${this.options.token}`,
          accept: "application/json",
          ...(body ? { "content-type": body.type } : {}),
        },
        ...(body ? { body: await body.open(() => void timer.refresh()) } : {}),
        signal: AbortSignal.any([this.signal, silence.signal]),
        redirect: "manual", // the token goes nowhere else
        timeout: false, // the runtime would end a long upload
      } as RequestInit)
      if (!response.ok) return await this.passingOf(response)
      const answer = (response.status === 204 ? undefined : await response.json()) as T
      this.hasAnswered = true
      return { answer }
    } catch (error) {
      this.signal.throwIfAborted()
      const trouble = body?.trouble?.()
      if (trouble !== undefined) throw trouble
      if (error instanceof OperatorError) throw error
      if (error instanceof SyntaxError && !this.hasAnswered) throw notCarrel(this.base)
      return this.unreachable(error)
    } finally {
      clearTimeout(timer)
    }
  }

  /** @throws Refusal where the same request would not be taken later either */
  private async passingOf(response: Response): Promise<Passing> {
    const { status } = response
    const error = errorIn((await firstBytes(response, MAX_REFUSAL_BYTES)).toString())
    // A proxy before a daemon that is away answers by itself; anything else that is not ours comes from no daemon.
    if (!error && (!PASSING.has(status) || !this.hasAnswered)) throw notCarrel(this.base, status)
    if (error) this.hasAnswered = true
    const { code = "", message = `the daemon answered ${status}`, hint, details } = error ?? {}
    if (!PASSING.has(status)) throw new Refusal(status, code, message, details, hint ?? HINTS[status])
    const seconds = Number(response.headers.get("retry-after") ?? Number.NaN)
    return {
      why: message,
      hint: hint ?? AGAIN,
      inLine: IN_LINE.has(code),
      ...(seconds >= 0 ? { afterMs: Math.min(seconds * 1_000, LONGEST_ASKED_MS) } : {}),
    }
  }

  private unreachable(error: unknown): Passing {
    const { code, message } = error as { code?: string; message?: string }
    return {
      why: `the daemon at ${new URL(this.base).origin} cannot be reached: ${code ?? message}`,
      hint: this.hasAnswered ? AGAIN : "--url is the address that the daemon prints when it starts",
      inLine: false,
    }
  }
}

/** Why a request was not taken this time. */
interface Passing {
  why: string
  hint: string
  /** The daemon is well: see `IN_LINE`. */
  inLine: boolean
  /** The daemon says when. */
  afterMs?: number
}

const AGAIN = "run the command again when that is over: it goes on from there"

const backOff = (tries: number, firstMs: number): number =>
  Math.min(LONGEST_WAIT_MS, firstMs * 2 ** Math.min(tries - 1, 16)) * (0.5 + Math.random() / 2)

/** Where the daemon itself gives none. */
const HINTS: Record<number, string> = {
  401: "CARREL_TOKEN, or the file of --token-file, holds the token of a key as `carrel keys create` prints it",
}

const notCarrel = (base: string, status?: number): OperatorError =>
  new OperatorError(`there is no Carrel at ${base}${status ? `: it answers ${status}` : ""}`, {
    hint: "--url is the address that the daemon prints when it starts, such as http://127.0.0.1:4747",
  })

interface ToldError {
  code: string
  message: string
  hint?: string
  details?: Record<string, unknown>[]
}

function errorIn(text: string): ToldError | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: Partial<ToldError> }
    return typeof error?.code === "string" && typeof error.message === "string" ? (error as ToldError) : undefined
  } catch {
    return undefined
  }
}
