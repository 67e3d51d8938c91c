/** What the HTTP model servers have in common: sending a chat request, reading its stream line by line, naming what failed. */
import { isTooDeep, JsonOutOfBounds, MAX_JSON_CHARACTERS, parseBounded, TOO_DEEP } from "../bounded-json.ts"
import { AppError } from "../errors.ts"
import { fetchWithin } from "../outbound.ts"
import type { ChatPiece, MadeCall } from "./backend.ts"

export interface ServerCall {
  url: string
  headers?: Record<string, string>
  body: unknown
  signal: AbortSignal
  /** Name of the server for messages: `Ollama`. */
  server: string
}

/** Waits before a busy server is asked again; then the call is given up as overloaded. */
const BUSY_WAITS_MS = [250, 500, 1_000, 2_000, 4_000]

/**
 * Sends the request until the server is not busy; yields `waiting` pieces meanwhile and returns an answer that is ok.
 * @throws AppError model_unavailable, overloaded, and whatever `refusal` makes of an error status
 */
export async function* openStream(
  call: ServerCall,
  watch: SilenceWatch,
  refusal: (status: number, text: string) => AppError,
): AsyncGenerator<ChatPiece, Response> {
  for (const wait of [...BUSY_WAITS_MS, undefined]) {
    const response = await post(call, watch)
    if (response.ok) return response
    const text = errorText(await response.text().catch(() => ""))
    if (response.status !== 503) throw refusal(response.status, text)
    if (wait === undefined)
      throw new AppError("overloaded", {
        message: "the model server is busy",
        hint: said(call.server, text),
        retryAfter: 10,
      })
    yield { type: "waiting", phase: "queued", detail: "the model server is busy" }
    watch.rest()
    await pause(wait, call.signal)
  }
  throw new AppError("internal_error")
}

async function post(call: ServerCall, watch: SilenceWatch): Promise<Response> {
  watch.heard()
  try {
    return await fetchWithin(call.url, {
      method: "POST",
      headers: { "content-type": "application/json", ...call.headers },
      body: JSON.stringify(call.body),
      signal: watch.signal,
      timeout: false, // Bun would give up after five silent minutes
      // biome-ignore lint/suspicious/noExplicitAny: `timeout` is Bun's own and missing in its types
    } as any)
  } catch (cause) {
    throw watch.explain(cause, `nothing answers at ${new URL(call.url).origin}; is ${call.server} running there?`)
  }
}

/** Aborts a request when nothing came for too long, or when the caller's signal does; tells the two apart afterwards. */
export class SilenceWatch {
  private readonly controller = new AbortController()
  private timer: Timer | undefined
  private silent = false
  private readonly onAbort = () => this.controller.abort(this.outer.reason)
  private received = false

  constructor(
    private readonly outer: AbortSignal,
    /** Longest time without a byte; a model that is loaded from a slow disk is silent for minutes. */
    private readonly silenceMs: number,
  ) {
    outer.throwIfAborted()
    outer.addEventListener("abort", this.onAbort, { once: true })
    this.heard()
  }

  get signal(): AbortSignal {
    return this.controller.signal
  }

  /** Something arrived: the silence starts anew. */
  heard(bytes = false): void {
    this.received ||= bytes
    clearTimeout(this.timer)
    this.timer = setTimeout(() => {
      this.silent = true
      this.controller.abort()
    }, this.silenceMs)
  }

  /** Waiting that is ours counts for nothing, until something is sent or heard again. */
  rest(): void {
    clearTimeout(this.timer)
  }

  close(): void {
    clearTimeout(this.timer)
    this.outer.removeEventListener("abort", this.onAbort)
    this.controller.abort() // ends the request if it still runs: leaving the loop early must stop the model
  }

  /** What a failed read or connection means. */
  explain(cause: unknown, hint: string): unknown {
    if (cause instanceof AppError) return cause
    if (this.outer.aborted) return this.outer.reason
    if (this.silent)
      return new AppError("model_error", {
        message: "the model server fell silent",
        hint: `no byte for ${Math.round(this.silenceMs / 1000)} s; raise --model-silence-seconds for slower models`,
        cause,
      })
    if (this.received)
      return new AppError("model_error", { message: "the connection to the model server broke off", hint, cause })
    return new AppError("model_unavailable", { hint, cause, retryAfter: 5 })
  }
}

/** Lines of a streamed body without their ends; a last line without an end counts. */
export async function* readLines(response: Response, watch: SilenceWatch): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  const reader = response.body!.getReader()
  let rest = ""
  try {
    for (;;) {
      const { value, done } = await reader.read().catch(cause => {
        throw watch.explain(cause, "the connection broke in the middle of the answer")
      })
      if (done) break
      watch.heard(true)
      rest += decoder.decode(value, { stream: true })
      let from = 0
      for (let at = rest.indexOf("\n"); at >= 0; at = rest.indexOf("\n", from)) {
        const line = rest.slice(from, at).trim()
        from = at + 1
        if (line) yield line
      }
      rest = rest.slice(from)
      if (rest.length > MAX_JSON_CHARACTERS) throw lineTooLong()
    }
    rest = (rest + decoder.decode()).trim()
    if (rest) yield rest
  } finally {
    void reader.cancel().catch(() => {})
  }
}

const lineTooLong = (): AppError =>
  new AppError("model_error", {
    message: `the model server sent a line of more than ${MAX_JSON_CHARACTERS} characters`,
  })

/**
 * The arguments of a call as a server delivered them: an object, or its text. What is no object counts as none, so that
 * the tool says what it lacks.
 */
export function readArguments(given: unknown): Pick<MadeCall, "arguments" | "problem"> {
  try {
    const value = typeof given === "string" ? parseBounded(given || "{}") : given
    if (isTooDeep(value)) throw new JsonOutOfBounds(TOO_DEEP)
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value)
    return { arguments: isObject ? (value as Record<string, unknown>) : {} }
  } catch (error) {
    if (!(error instanceof JsonOutOfBounds)) return { arguments: {} }
    return { arguments: {}, problem: `The call was not carried out: what its arguments hold ${error.message}.` }
  }
}

/** The message inside an error body of either form: `{"error": "…"}` or `{"error": {"message": "…"}}`. */
export function errorText(body: string): string {
  try {
    const { error } = parseBounded(body) as { error?: string | { message?: string } }
    const text = typeof error === "string" ? error : error?.message
    if (text) return text.slice(0, 500)
  } catch {
    // not JSON: a proxy's page, perhaps
  }
  return body.trim().slice(0, 200)
}

export const said = (server: string, text: string): string => `${server} said: ${text || "nothing"}`

/** The line goes to the caller alone: an error's cause is logged, and the parser would quote the line in it. */
export function notJson(server: string, line: string): AppError {
  return new AppError("model_error", {
    message: "the model server sent something that is not JSON",
    hint: said(server, line.slice(0, 200)),
  })
}

export function brokenOff(server: string): AppError {
  return new AppError("model_error", {
    message: "the model server ended its answer before it was complete",
    hint: `${server} closed the stream without its last line; its log may say why`,
  })
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  signal.addEventListener("abort", () => resolve(), { once: true })
  await promise
  clearTimeout(timer)
  signal.throwIfAborted()
}
