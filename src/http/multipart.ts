/** Streaming multipart/form-data: file parts are handed on as they arrive, so memory stays flat whatever their size and number. */
import type { Writable } from "node:stream"
import { Busboy, type BusboyFileStream } from "@fastify/busboy"
import { AppError } from "../errors.ts"
import { Turns } from "../threads/turns.ts"

/** Above the largest metadata (16 KB) with room for its error to be found by its own rule. */
const MAX_FIELD_BYTES = 64 * 1024
const MAX_FIELDS = 1_000
/** As many as may wait to be indexed by default. */
const MAX_FILES = 100_000
/** Longest silence of a client amid its form, where others do not wait for its place; an upload has no other time limit. */
export const PATIENCE: Patience = { ms: 120_000 }
/** The same where others are refused for want of a place: longer than a line of bad quality is mute. */
export const CROWDED_PATIENCE: Patience = { ms: 20_000 }
/** How often the time is looked at. */
const LOOK_MS = 500
/** File handlers under way at the same time: what is waited for is the disk, which takes several syncs at once. */
const HANDLERS = 8
/** Parsed in one piece: a form of tiny files has a part every 150 bytes, and each costs 20 to 50 µs. */
const SLICE_BYTES = 16 * 1024
/** Longest that parsing keeps the event loop to itself, but for the slice that it is in. */
const TURN_MS = 5

export interface FilePart {
  name: string
  fileName: string
  mimeType: string
  stream: AsyncIterable<Uint8Array>
}

export interface MultipartHandlers {
  /** What it leaves unread of the part's stream is dropped. A throw rejects the whole call. */
  file(part: FilePart): Promise<void>
  /** A throw rejects the whole call. */
  field(name: string, value: string): void
  /** What becomes of a client that says nothing amid its form; asked anew with every look at the time. */
  patience?(): Patience
}

export interface Patience {
  /** Longest silence in milliseconds. */
  ms: number
  /** Bytes a second that the client has to send on average after that time, counted from when this was first asked for. */
  leastRate?: number
  /** What the call then fails with, in place of request_timeout. */
  error?: AppError
}

/**
 * Reads a whole form. File handlers begin in the order of the parts, a few of them at the same time.
 * @throws AppError unsupported_media_type; invalid_multipart; request_timeout for a client that stalls; what a handler
 * threw; the reason when `signal` aborts
 */
export async function receiveMultipart(
  request: Request,
  handlers: MultipartHandlers,
  signal = request.signal,
): Promise<void> {
  const type = request.headers.get("content-type") ?? ""
  if (!/^multipart\/form-data/i.test(type))
    throw new AppError("unsupported_media_type", { message: "Content-Type must be multipart/form-data" })
  const parser = openParser(type)
  const failure = Promise.withResolvers<never>()
  failure.promise.catch(() => {}) // it is raced, also when nothing waits any more
  const fail = failure.reject
  const parts = new Parts(handlers.file, fail)
  parser.on("file", (name: string, stream: BusboyFileStream, fileName: string, _encoding: string, mimeType: string) =>
    parts.add({ name, fileName: unescaped(fileName), mimeType }, stream),
  )
  parser.on("field", (name: string, value: string, nameTruncated: boolean, valueTruncated: boolean) => {
    if (nameTruncated || valueTruncated) fail(broken(`the part ${name.slice(0, 100)} is too long`))
    else refusing(fail, () => handlers.field(name, value))
  })
  parser.on("filesLimit", () => fail(broken(`more than ${MAX_FILES} files`)))
  parser.on("fieldsLimit", () => fail(broken(`more than ${MAX_FIELDS} text parts`)))
  parser.on("error", (cause: unknown) => fail(broken("the body is not well-formed multipart/form-data", cause)))
  const finished = new Promise<void>(resolve => parser.once("finish", resolve))
  const gone = () => fail(signal.reason)
  signal.addEventListener("abort", gone, { once: true })
  if (signal.aborted) gone()
  const silence = watchSilence(handlers.patience ?? (() => PATIENCE), fail)
  const body = (request.body ?? new Blob([]).stream()).getReader()
  try {
    await Promise.race([failure.promise, pump(silence.over(body), parser, parts).then(() => finished)])
    await Promise.race([failure.promise, parts.settled()])
  } catch (error) {
    void body.cancel().catch(() => {})
    await parts.abandon(error) // what was being stored is undone before the caller hears of it
    throw error
  } finally {
    silence.end()
    signal.removeEventListener("abort", gone)
  }
}

interface Source {
  read(): Promise<{ done: boolean; value?: Uint8Array }>
}

/** Feeds the parser no faster than parts are dealt with, and lets the event loop go on meanwhile. */
async function pump(body: Source, parser: Writable, parts: Parts): Promise<void> {
  const turns = new Turns(TURN_MS)
  for (;;) {
    const { done, value } = await body.read()
    if (done || !value) break
    for (let at = 0; at < value.byteLength; at += SLICE_BYTES) {
      const slice = Buffer.from(value.buffer, value.byteOffset + at, Math.min(SLICE_BYTES, value.byteLength - at))
      await new Promise<void>(resolve => parser.write(slice, () => resolve()))
      await parts.room()
      await turns.next()
    }
  }
  parser.end()
}

/** The file parts of a form that are not dealt with yet, in their order. */
class Parts {
  private readonly waiting: (() => void)[] = []
  private readonly open = new Set<BusboyFileStream>()
  private readonly running = new Set<Promise<void>>()
  private changed = Promise.withResolvers<void>()
  private failed = false

  constructor(
    private readonly handle: (part: FilePart) => Promise<void>,
    private readonly fail: (error: unknown) => void,
  ) {}

  add(part: Omit<FilePart, "stream">, stream: BusboyFileStream): void {
    stream.on("error", () => {}) // whoever reads the part sees it too; unheard, it would end the process
    this.open.add(stream)
    this.waiting.push(() => this.start(part, stream))
    this.startNext()
  }

  /** Resolves when the parser may go on: no more than one slice's parts are in memory. */
  async room(): Promise<void> {
    while (this.waiting.length > 0 && !this.failed) await this.changed.promise
  }

  async settled(): Promise<void> {
    while (this.running.size > 0 || this.waiting.length > 0) await this.changed.promise
  }

  /** Ends what is under way; resolves when no handler works any more. */
  async abandon(error: unknown): Promise<void> {
    this.failed = true
    this.waiting.length = 0
    this.signal()
    const cause = error instanceof Error ? error : new Error(String(error))
    for (const stream of this.open) stream.destroy(cause)
    await Promise.all(this.running)
  }

  private start(part: Omit<FilePart, "stream">, stream: BusboyFileStream): void {
    const work = this.handle({ ...part, stream: chunksOf(stream) })
      .catch(error => this.fail(error))
      .finally(() => {
        this.open.delete(stream)
        this.running.delete(work)
        stream.resume() // the parts behind an unread rest arrive only when that is gone
        this.startNext()
        this.signal()
      })
    this.running.add(work)
  }

  private startNext(): void {
    while (!this.failed && this.running.size < HANDLERS) {
      const start = this.waiting.shift()
      if (!start) return
      start()
    }
  }

  private signal(): void {
    this.changed.resolve()
    this.changed = Promise.withResolvers<void>()
  }
}

/** Fails once a client that is listened to has been silent for too long. */
function watchSilence(patience: () => Patience, fail: (error: unknown) => void) {
  let since = Number.POSITIVE_INFINITY // a wait for our own disk is no silence of the client
  let received = 0
  let rated: { from: number; received: number } | undefined
  const look = () => {
    const now = performance.now()
    const { ms, error, leastRate } = patience()
    rated = leastRate === undefined ? undefined : (rated ?? { from: now, received })
    const isSlow =
      rated && now - rated.from > ms && received - rated.received < (leastRate! * (now - rated.from)) / 1000
    if (now - since > ms || isSlow) fail(error ?? stalled(ms))
  }
  const timer = setInterval(look, Math.min(LOOK_MS, patience().ms))
  return {
    over: (body: Source): Source => ({
      async read() {
        since = performance.now()
        const read = await body.read()
        since = Number.POSITIVE_INFINITY
        received += read.value?.byteLength ?? 0
        return read
      },
    }),
    end: () => clearInterval(timer),
  }
}

function openParser(type: string) {
  try {
    return new Busboy({
      headers: { "content-type": type },
      limits: { fieldSize: MAX_FIELD_BYTES, fields: MAX_FIELDS, files: MAX_FILES },
      // Our own rule cuts names; the parser's would take a backslash for part of the name on this platform.
      preservePath: true,
      // Any part with a file name is a file, whatever its Content-Type. An empty name is a form's field without a file.
      isPartAFile: (_name, _type, fileName) => fileName !== undefined && fileName !== "",
    })
  } catch (cause) {
    throw broken("the boundary is missing or malformed", cause)
  }
}

/** What is thrown to the parser ends the process. */
function refusing(fail: (error: unknown) => void, handle: () => void): void {
  try {
    handle()
  } catch (error) {
    fail(error)
  }
}

/** Browsers and curl write these three as percent codes, and no others (WHATWG, multipart/form-data). */
const unescaped = (fileName: string): string => fileName.replace(/%(22|0A|0D)/gi, code => decodeURIComponent(code))

/** Leaves the stream open when its reader stops early. */
async function* chunksOf(stream: BusboyFileStream): AsyncGenerator<Uint8Array> {
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) yield chunk as Uint8Array
}

const stalled = (ms: number): AppError =>
  new AppError("request_timeout", {
    message: `no part of the form arrived for ${ms / 1000} s`,
    headers: { Connection: "close" },
  })

const broken = (message: string, cause?: unknown): AppError => new AppError("invalid_multipart", { message, cause })
