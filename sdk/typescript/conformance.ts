/** Runs calls for the conformance scenarios: one JSON line in, one JSON line out. See ../conformance/README.md. */
import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { createInterface } from "node:readline"
import {
  ApiError,
  type CallOptions,
  Carrel,
  type ReplyStream,
  type UploadFields,
  type UploadFile,
  verifyWebhook,
} from "./src/index.ts"
import { PAUSE } from "./src/retries.ts"

// biome-ignore lint/suspicious/noExplicitAny: bodies of every call
type Any = any

interface Line {
  client: { base_url: string; token: string; retry_ms: number }
  call: string
  ids: string[]
  body: Any
  files?: { name?: string; text?: string; bytes?: number; path?: string; stream?: boolean }[]
  options: {
    retry_ms?: number
    timeout_ms?: number
    cancel_after_ms?: number
    idempotency_key?: string
    headers?: Record<string, string>
  }
  /** Of an iterator: how many are read. */
  limit?: number
  sweep?: { to: number; step: number; parallel: number }
}

function optionsOf({ options, sweep: _ }: Line, signal?: AbortSignal): CallOptions {
  const { retry_ms, timeout_ms, idempotency_key, headers } = options
  return {
    ...(retry_ms === undefined ? {} : { retryMs: retry_ms }),
    ...(timeout_ms === undefined ? {} : { timeoutMs: timeout_ms }),
    ...(idempotency_key === undefined ? {} : { idempotencyKey: idempotency_key }),
    ...(headers ? { headers } : {}),
    ...(signal ? { signal } : {}),
  }
}

async function* generated(bytes: number): AsyncGenerator<Uint8Array> {
  const chunk = new Uint8Array(65_536).fill(97)
  for (let left = bytes; left > 0; left -= chunk.length) yield chunk.subarray(0, Math.min(left, chunk.length))
}

function uploadOf({ name, text, bytes, path, stream }: NonNullable<Line["files"]>[number]): UploadFile {
  const named = name === undefined ? {} : { name }
  if (path !== undefined) return { source: stream ? createReadStream(path) : path, ...named }
  if (bytes !== undefined) return { source: stream ? generated(bytes) : new Uint8Array(bytes).fill(97), ...named }
  const encoded = new TextEncoder().encode(text)
  return { source: stream ? new Blob([encoded]).stream() : encoded, ...named }
}

const most = async <T>(items: AsyncIterable<T>, limit = Number.POSITIVE_INFINITY): Promise<T[]> => {
  const taken: T[] = []
  for await (const item of items) {
    taken.push(item)
    if (taken.length >= limit) break
  }
  return taken
}

async function digest(stream: ReadableStream<Uint8Array>) {
  const hash = createHash("sha256")
  let bytes = 0
  const reader = stream.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return { bytes, sha256: hash.digest("hex") }
    bytes += value.length
    hash.update(value)
  }
}

async function replied(reply: ReplyStream, as: string | undefined, limit?: number) {
  if (as === "text") return (await most(reply.text(), limit)).join("")
  if (as === "final") return reply.finalMessage()
  return most(reply, limit)
}

type Run = (carrel: Carrel, line: Line & { id: string; o: CallOptions }) => unknown

const AREAS = [
  "models",
  "files",
  "conversations",
  "agents",
  "sources",
  "events",
  "webhooks",
  "batches",
  "keys",
  "tokens",
]

const OF_THEIR_OWN: Record<string, Run> = {
  search: (carrel, { body, o }) => carrel.search(body, o),
  redact: (carrel, { body, o }) => carrel.redact(body, o),
  "files.upload": (carrel, { files = [], body, o }) =>
    carrel.files.upload(files.map(uploadOf), body as UploadFields, o),
  "files.upload_dir": (carrel, { body, o }) => carrel.files.uploadDir(body.path, { ...body.fields, ...o }),
  "files.download": async (carrel, { id, o }) => digest(await carrel.files.download(id, o)),
  "files.wait_until_searchable": (carrel, { ids, o }) => carrel.files.waitUntilSearchable(ids, o),
  "conversations.stream": (carrel, { body: { as, ...body }, o, limit }) =>
    replied(carrel.conversations.stream(body, o), as, limit),
  "conversations.send": (carrel, { id, body: { as, ...body }, o, limit }) =>
    replied(carrel.conversations.send(id, body, o), as, limit),
  "conversations.regenerate": (carrel, { ids, body: { as, ...body }, o, limit }) =>
    replied(carrel.conversations.regenerate(ids[0]!, ids[1]!, body, o), as, limit),
  "conversations.follow": (carrel, { id, body, o, limit }) =>
    replied(carrel.conversations.follow(id, o), body?.as, limit),
  "agents.follow": (carrel, { id, o, limit }) => most(carrel.agents.follow(id, o), limit),
  "batches.results": (carrel, { id, o }) => most(carrel.batches.results(id, o)),
  "events.follow": async (carrel, { body, o, limit }) => {
    let cursor: string | undefined = body.after
    const save = (id: string) => {
      cursor = id
    }
    const events = carrel.events.follow({ ...o, types: body.types, once: true, cursor: { load: () => cursor, save } })
    return { events: await most(events, limit), cursor }
  },
  "webhooks.verify": (_, { body }) => verifyWebhook(body.text, body.headers, body.secret),
}

/** The others: ids, then the body where there is one, then the options. */
function plainly(carrel: Carrel, { call, ids, body, o, limit }: Parameters<Run>[1]): unknown {
  const [area, word] = call.split(".") as [string, string]
  if (!AREAS.includes(area)) throw new Error(`no such call: ${call}`)
  const name = word.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
  const resource = (carrel as Any)[area]
  const takesQuery = word === "list" && ["files", "conversations", "agents", "events"].includes(area)
  const takesBody = ["sources.sync", "keys.rotate"].includes(call) || takesQuery || body !== undefined
  const got = resource[name](...ids, ...(takesBody ? [body ?? {}] : []), o)
  return typeof got[Symbol.asyncIterator] === "function" ? most(got as AsyncIterable<unknown>, limit) : got
}

async function carriedOut(carrel: Carrel, line: Line, more: Record<string, string> = {}): Promise<object> {
  const abort = line.options.cancel_after_ms === undefined ? undefined : new AbortController()
  const timer = abort && setTimeout(() => abort.abort(), line.options.cancel_after_ms)
  const o = optionsOf(
    { ...line, options: { ...line.options, headers: { ...line.options.headers, ...more } } },
    abort?.signal,
  )
  try {
    const given = { ...line, id: line.ids[0]!, o }
    return { result: (await (OF_THEIR_OWN[line.call] ?? plainly)(carrel, given)) ?? null }
  } catch (error) {
    return { error: told(error) }
  } finally {
    clearTimeout(timer)
  }
}

function told(error: Any) {
  const name = error.name === "AbortError" ? "Cancelled" : error.constructor.name
  if (!(error instanceof ApiError)) return { class: name, message: String(error) }
  const { code, status, requestId, retryAfter, message, details, hint } = error
  return { class: name, code, status, message, details, hint, request_id: requestId, retry_after: retryAfter }
}

/** The same call with its answer cut at each place; what is told, each once. */
async function swept(carrel: Carrel, line: Line): Promise<object> {
  const { to, step, parallel } = line.sweep!
  const seen = new Set<string>()
  let next = 0
  let calls = 0
  const worker = async () => {
    for (let at = next; at <= to; at = next) {
      next += step
      calls++
      seen.add(JSON.stringify(await carriedOut(carrel, line, { "x-cut-answer": `${at}` })))
    }
  }
  await Promise.all(Array.from({ length: parallel }, worker))
  return { result: { calls, answers: [...seen].map(text => JSON.parse(text)) } }
}

PAUSE.firstMs = 50 // of the many tries that scenarios ask for
for await (const text of createInterface({ input: process.stdin })) {
  const line = JSON.parse(text) as Line
  const { base_url: baseUrl, token, retry_ms: retryMs } = line.client
  const carrel = new Carrel({ baseUrl, token, retryMs })
  process.stdout.write(`${JSON.stringify(await (line.sweep ? swept : carriedOut)(carrel, line))}\n`)
}
