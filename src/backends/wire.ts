/** What the HTTP model servers have in common: sending a request, reading its stream within bounds, naming what failed. */
import { createParser } from "eventsource-parser"
import { isTooDeep, JsonOutOfBounds, MAX_JSON_CHARACTERS, parseBounded, TOO_DEEP } from "../bounded-json.ts"
import { AppError } from "../errors.ts"
import { fetchWithin, firstBytes } from "../outbound.ts"
import type { ChatImage, ChatPiece, ChatTurn, MadeCall, ToolCall } from "./backend.ts"
import type { SilenceWatch } from "./silence-watch.ts"

export interface ServerCall {
  url: string
  init: RequestInit
  /** Name of the server for messages: `Ollama`. */
  server: string
  /** What an error status means. */
  refusal(status: number, text: string): AppError
}

/** Bytes of an answer that is read as a whole; thousands of models, or the vectors of a batch, take less. */
const MAX_ANSWER_BYTES = 32 * 2 ** 20
/** Of what a server says about an error. */
const MAX_ERROR_BYTES = 65_536
/** Waits before a busy server is asked again; then the call is given up as overloaded. */
const BUSY_WAITS_MS = [250, 500, 1_000, 2_000, 4_000]

/** The server has no room now. */
class ServerBusy extends AppError {}

/** Sends one request. @returns an answer that is ok. @throws AppError model_unavailable, and whatever `refusal` makes of a status */
export async function send({ url, init, server, refusal }: ServerCall, watch: SilenceWatch): Promise<Response> {
  watch.heard()
  const response = await fetchWithin(url, {
    ...init,
    signal: watch.signal,
    timeout: false, // Bun would give up after five silent minutes
    // biome-ignore lint/suspicious/noExplicitAny: `timeout` is Bun's own and missing in its types
  } as any).catch(cause => {
    throw watch.explain(cause, `nothing answers at ${new URL(url).origin}; is ${server} running there?`)
  })
  if (response.ok) return response
  const text = errorText(await firstBytes(response, MAX_ERROR_BYTES).then(String, () => ""))
  if (response.status !== 503) throw refusal(response.status, text)
  throw new ServerBusy("overloaded", { message: "the model server is busy", hint: said(server, text), retryAfter: 10 })
}

/** Repeats `attempt` until the server is not busy; yields `waiting` pieces meanwhile. @throws AppError overloaded */
export async function* untilFree<T>(
  attempt: () => Promise<T>,
  watch: SilenceWatch,
  signal: AbortSignal,
): AsyncGenerator<ChatPiece, T> {
  for (const wait of BUSY_WAITS_MS) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof ServerBusy)) throw error
    }
    yield { type: "waiting", phase: "queued", detail: "the model server is busy" }
    watch.rest()
    await pause(wait, signal)
  }
  return attempt()
}

/** The same answer, read as a whole. @throws Error for one that is larger than any honest one */
export async function whole(response: Response): Promise<Response> {
  const bytes = await firstBytes(response, MAX_ANSWER_BYTES + 1)
  if (bytes.length > MAX_ANSWER_BYTES) throw new Error(`the answer has more than ${MAX_ANSWER_BYTES} bytes`)
  return new Response(bytes, { status: response.status })
}

/** The text of a streamed body as it comes. */
async function* readText(response: Response, watch: SilenceWatch): AsyncGenerator<string> {
  if (!response.body) return // a 204 has none
  const decoder = new TextDecoder()
  const reader = response.body.getReader()
  try {
    for (;;) {
      const { value, done } = await reader.read().catch(cause => {
        throw watch.explain(cause, "the connection broke in the middle of the answer")
      })
      if (done) break
      watch.heard(true)
      yield decoder.decode(value, { stream: true })
    }
    yield decoder.decode()
  } finally {
    void reader.cancel().catch(() => {})
  }
}

/**
 * Lines of a streamed body without their ends, those that came together in one list; a last line without an end counts.
 * @throws AppError for one too long
 */
export async function* readLineBatches(response: Response, watch: SilenceWatch): AsyncGenerator<string[]> {
  let rest = ""
  for await (const text of readText(response, watch)) {
    const lines = (rest + text).split("\n")
    rest = lines.pop()!
    const full = lines.map(line => line.trim()).filter(Boolean)
    if (full.length > 0) yield full
    if (rest.length > MAX_JSON_CHARACTERS) throw tooLong("a line")
  }
  if (rest.trim()) yield [rest.trim()]
}

/** A line that is an event by itself. Some servers end each with a single newline, where the standard has a blank line. */
const WHOLE_LINE = /^data: ?\{.*\}\r?$/

/** The data of each server-sent event; a last one without an end counts. @throws AppError for one too long */
export async function* readEvents(response: Response, watch: SilenceWatch): AsyncGenerator<string> {
  const ready: string[] = []
  /** Characters that the parser may be holding. */
  let held = 0
  const parser = createParser({
    onEvent({ data }) {
      ready.push(data)
      held = 0
    },
    onComment() {
      held = 0
    },
  })
  let rest = ""
  for await (const text of readText(response, watch)) {
    held += text.length
    const lines = (rest + text).split("\n")
    rest = lines.pop()!
    for (const line of lines) parser.feed(WHOLE_LINE.test(line) ? `${line}\n\n` : `${line}\n`)
    yield* ready.splice(0)
    if (held > MAX_JSON_CHARACTERS) throw tooLong("an event")
  }
  parser.feed(`${rest}\n\n`)
  yield* ready
}

const tooLong = (what: string): AppError =>
  new AppError("model_error", {
    message: `the model server sent ${what} of more than ${MAX_JSON_CHARACTERS} characters`,
  })

/** How a server spells what turns hold beside their text. */
interface Spelling {
  withImages(text: string, images: ChatImage[]): object
  call(call: ToolCall): object
  result(turn: ChatTurn & { role: "tool" }): object
}

export function spelled(turn: ChatTurn, { withImages, call, result }: Spelling) {
  const { role, content } = turn
  if (turn.role === "user" && turn.images?.length) return { role, content, ...withImages(content, turn.images) }
  if (turn.role === "assistant" && turn.toolCalls?.length)
    return { role, content, tool_calls: turn.toolCalls.map(call) }
  return turn.role === "tool" ? { role, content, ...result(turn) } : { role, content }
}

/**
 * The arguments of a call as a server delivered them: an object, or its text. Anything else counts as no arguments, so
 * that the tool says what it lacks.
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

/** The objects in what a server should have sent as a list of them. */
export const objectsIn = <T extends object>(list: readonly T[] | null | undefined): T[] =>
  Array.isArray(list) ? list.filter(entry => typeof entry === "object" && entry !== null) : []

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

export const noSuchModel = (model: string, hint: string): AppError =>
  new AppError("model_not_found", { message: `the model server has no model ${model}`, hint })

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
