/**
 * JSON bodies that are one object with one long list of small objects: read as they arrive and taken apart item by item, so
 * that others are answered meanwhile and no more than an item is held beside what is made of it. What is accepted is what a
 * parser of the whole would accept.
 */
import { JsonOutOfBounds, parseBounded } from "../bounded-json.ts"
import { AppError, invalid } from "../errors.ts"
import { Turns } from "../threads/turns.ts"
import { refuseOtherThanJson } from "./body.ts"

export interface ItemRules {
  /** Name of the list. */
  field: string
  maxBytes: number
  maxItems: number
  /** Of one item. */
  maxItemBytes: number
  /** Longest silence of the client. */
  silenceMs: number
}

/** Of everything but the items, which count for two bytes each. */
const MAX_REST_BYTES = 1_000_000
/** Longest that the event loop is kept busy at a time. */
const TURN_MS = 5
const SLICE_BYTES = 16 * 1024

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPENING = new Set([0x7b, 0x5b])
const CLOSING = new Set([0x7d, 0x5d])
const OPEN_OBJECT = 0x7b
const OPEN_LIST = 0x5b
const BLANK = 0x20
const BLANKS = new Set([BLANK, 0x09, 0x0a, 0x0d])
const ZERO = 0x30

/**
 * @param take called with each item as it was parsed, and its place in the list
 * @returns the object without its list
 * @throws AppError unsupported_media_type, request_too_large, invalid_json, request_timeout; invalid_request naming the list
 * or the item; what `take` throws; the reason of the signal
 */
export async function readItems(
  request: Request,
  rules: ItemRules,
  take: (item: Record<string, unknown>, at: number) => void,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  refuseOtherThanJson(request)
  const tooLarge = () =>
    new AppError("request_too_large", { message: `this JSON body may have at most ${rules.maxBytes} bytes` })
  if (Number(request.headers.get("content-length") ?? 0) > rules.maxBytes) throw tooLarge()
  const items = new Items(rules, take)
  const turns = new Turns(TURN_MS, signal)
  let size = 0
  for await (const chunk of chunksOf(request, rules.silenceMs, signal)) {
    size += chunk.length
    if (size > rules.maxBytes) throw tooLarge()
    for (let at = 0; at < chunk.length; at += SLICE_BYTES) {
      items.add(chunk.subarray(at, at + SLICE_BYTES))
      await turns.next()
    }
  }
  return items.end()
}

/** The body as it arrives. @throws AppError request_timeout for a client that falls silent */
export async function* chunksOf(request: Request, silenceMs: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const body = (request.body ?? new Blob([]).stream()).getReader() as ReadableStreamDefaultReader<Uint8Array>
  const ended = Promise.withResolvers<never>()
  ended.promise.catch(() => {}) // it is raced, also when nothing waits any more
  const gone = () => ended.reject(signal.reason)
  signal.addEventListener("abort", gone, { once: true })
  const timer = setTimeout(() => ended.reject(stalled(silenceMs)), silenceMs)
  try {
    for (;;) {
      timer.refresh()
      const { done, value } = await Promise.race([body.read(), ended.promise])
      if (done) return
      yield value
    }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener("abort", gone)
    void body.cancel().catch(() => {})
  }
}

const stalled = (ms: number): AppError =>
  new AppError("request_timeout", {
    message: `nothing of the body arrived for ${ms / 1000} s`,
    headers: { Connection: "close" },
  })

/** Follows the brackets of the text: all but the items of the list is kept as it is, with a 0 in the place of each. */
class Items {
  private readonly rest = new Growing()
  private readonly item = new Growing()
  private depth = 0
  private inString = false
  private isEscaped = false
  private inList = false
  private inItem = false
  private wasListed = false
  private count = 0
  /** How the text ends before the list. */
  private readonly before: RegExp

  constructor(
    private readonly rules: ItemRules,
    private readonly take: (item: Record<string, unknown>, at: number) => void,
  ) {
    this.before = new RegExp(`[{,] ?"${rules.field}" ?: ?$`)
  }

  add(bytes: Uint8Array): void {
    let from = 0
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i]!
      const wasInItem = this.inItem
      this.follow(byte)
      if (this.inItem && !wasInItem) from = i
      if (wasInItem && !this.inItem) this.endItem(bytes.subarray(from, i + 1))
      else if (!this.inItem) this.addToRest(byte)
    }
    if (this.inItem) this.addToItem(bytes.subarray(from))
  }

  /** @throws AppError invalid_json; invalid_request where the list is missing, or holds something else */
  end(): Record<string, unknown> {
    const { field } = this.rules
    const whole = parse(this.rest.take())
    if (typeof whole !== "object" || whole === null || Array.isArray(whole))
      throw invalid("body", "must be a JSON object")
    const { [field]: list, ...others } = whole as Record<string, unknown>
    if (list === undefined) throw invalid(field, "is missing")
    if (!Array.isArray(list)) throw invalid(field, "must be a list")
    if (list.length !== this.count) throw invalid(field, "must be a list of objects")
    return others
  }

  /** What the byte is in the text. */
  private follow(byte: number): void {
    if (this.inString) {
      if (this.isEscaped) this.isEscaped = false
      else if (byte === BACKSLASH) this.isEscaped = true
      else if (byte === QUOTE) this.inString = false
    } else if (byte === QUOTE) this.inString = true
    else if (OPENING.has(byte)) this.open(byte)
    else if (CLOSING.has(byte)) this.close()
  }

  private open(byte: number): void {
    if (this.depth === 1 && byte === OPEN_LIST && this.isList()) this.inList = true
    else if (this.depth === 2 && this.inList && byte === OPEN_OBJECT) this.inItem = true
    this.depth++
  }

  private close(): void {
    this.depth--
    if (this.depth === 2) this.inItem = false
    else if (this.depth === 1) this.inList = false
  }

  /** Whether what opens now is the value of the list's field. */
  private isList(): boolean {
    const { field } = this.rules
    if (!this.before.test(this.rest.tail(field.length + 8))) return false
    if (this.wasListed) throw invalid(field, "is told twice")
    this.wasListed = true
    return true
  }

  private addToRest(byte: number): void {
    // Between two items a client may put lines of blanks; one says as much.
    const kept = !this.inString && BLANKS.has(byte) ? BLANK : byte
    if (kept === BLANK && !this.inString && this.rest.last === BLANK) return
    this.rest.push(kept)
    if (this.rest.length > MAX_REST_BYTES + 2 * this.rules.maxItems)
      throw invalid("body", `must have at most ${MAX_REST_BYTES} bytes beside ${this.rules.field}`)
  }

  private addToItem(bytes: Uint8Array): void {
    this.item.add(bytes)
    const { field, maxItemBytes } = this.rules
    if (this.item.length > maxItemBytes)
      throw invalid(`${field}.${this.count}`, `must have at most ${maxItemBytes} bytes`)
  }

  private endItem(bytes: Uint8Array): void {
    const { field, maxItems } = this.rules
    this.addToItem(bytes)
    if (this.count === maxItems) throw invalid(field, `must be at most ${maxItems}`)
    const item = parse(this.item.take(), `${field}.${this.count}`)
    this.rest.push(ZERO)
    this.take(item as Record<string, unknown>, this.count++)
  }
}

/** @param place named where it is nested too deep. @throws AppError invalid_json, invalid_request */
function parse(bytes: Uint8Array, place = "body"): unknown {
  try {
    return parseBounded(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
  } catch (cause) {
    if (cause instanceof JsonOutOfBounds) throw invalid(place, cause.message)
    throw new AppError("invalid_json", { cause })
  }
}

/** Bytes that become more. */
class Growing {
  private bytes = Buffer.allocUnsafe(1_024)
  length = 0

  get last(): number | undefined {
    return this.length > 0 ? this.bytes[this.length - 1] : undefined
  }

  push(byte: number): void {
    this.makeRoom(1)
    this.bytes[this.length++] = byte
  }

  add(bytes: Uint8Array): void {
    this.makeRoom(bytes.length)
    this.bytes.set(bytes, this.length)
    this.length += bytes.length
  }

  /** The last of them, as text of one character a byte. */
  tail(count: number): string {
    return this.bytes.toString("latin1", Math.max(0, this.length - count), this.length)
  }

  /** All so far, valid until more are added; it is empty again. */
  take(): Uint8Array {
    const { length } = this
    this.length = 0
    return this.bytes.subarray(0, length)
  }

  private makeRoom(more: number): void {
    if (this.length + more <= this.bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, this.length + more))
    this.bytes.copy(larger, 0, 0, this.length)
    this.bytes = larger
  }
}
