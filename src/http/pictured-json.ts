/**
 * JSON bodies that may hold pictures in base64: some hundred megabytes, of which all but the pictures is small. They are taken
 * apart as they arrive, a few milliseconds at a time, and long texts are set aside, so that the parser sees a short body and
 * others are answered meanwhile. What is accepted is what a parser of the whole would accept.
 */
import { isAscii } from "node:buffer"
import { JsonOutOfBounds, MAX_JSON_DEPTH, parseBounded } from "../bounded-json.ts"
import { AppError, invalid } from "../errors.ts"
import type { Ticket } from "../threads/gate.ts"
import { Turns } from "../threads/turns.ts"
import { refuseOtherThanJson } from "./body.ts"
import { chunksOf } from "./json-items.ts"

/** Largest body with pictures: 110 MB by contract, eight pictures of 10 MB in base64 and what belongs to them. */
export const MAX_PICTURED_MB = 110
const MAX_PICTURED_BYTES = MAX_PICTURED_MB * 1_048_576
/** Smaller bodies need no place among the large ones. */
const LARGE_BYTES = 4 * 1_048_576
/** Longest silence of a client that sends one, and its longest time in all: others may wait for its room. */
const SILENCE_MS = 30_000
const LIMIT_MS = 5 * 60_000
/** Texts from this length on are set aside. */
const LONG_BYTES = 16_384
/** Longest text: all that was ever accepted beside pictures, and more than any picture. */
const MAX_TEXT_BYTES = 32 * 1_048_576
const TURN_MS = 5
const SLICE_BYTES = 64 * 1024

const QUOTE = 0x22
const BACKSLASH = 0x5c

export interface PicturedRules {
  /** Where pictures stand, as `images.0.data`: these texts do not count against `maxBytes`. */
  pictures: RegExp
  /** Of everything else. */
  maxBytes: number
  /** Room among large bodies, taken once it is one. @param bytes of it at most @throws AppError overloaded */
  enter(bytes: number): Ticket
}

/**
 * @returns undefined for an empty body
 * @throws AppError unsupported_media_type, request_too_large, invalid_json, request_timeout, overloaded; invalid_request for
 * what is no object or nested too deep; the reason of the signal
 */
export async function readPictured(request: Request, rules: PicturedRules): Promise<unknown> {
  if (!request.body) return undefined
  refuseOtherThanJson(request)
  const late = AbortSignal.timeout(LIMIT_MS)
  const signal = AbortSignal.any([request.signal, late])
  const told = Number(request.headers.get("content-length") ?? 0)
  if (told > MAX_PICTURED_BYTES) throw tooLarge()
  let ticket: Ticket | undefined
  const enter = async (bytes: number) => {
    ticket = rules.enter(bytes)
    await ticket.turn(signal)
  }
  try {
    if (told > LARGE_BYTES) await enter(told)
    const body = new Pictured(rules)
    const turns = new Turns(TURN_MS, signal)
    let size = 0
    for await (const chunk of chunksOf(request, SILENCE_MS, signal)) {
      size += chunk.length
      if (size > MAX_PICTURED_BYTES) throw tooLarge()
      if (size > LARGE_BYTES && !ticket) await enter(MAX_PICTURED_BYTES)
      for (let at = 0; at < chunk.length; at += SLICE_BYTES) {
        body.add(chunk.subarray(at, at + SLICE_BYTES))
        await turns.next()
      }
    }
    return size === 0 ? undefined : await body.end(turns)
  } catch (error) {
    throw late.aborted && !request.signal.aborted ? tooLate() : error
  } finally {
    ticket?.leave()
  }
}

const tooLate = (): AppError =>
  new AppError("request_timeout", {
    message: `body: must arrive within ${LIMIT_MS / 1000} s`,
    headers: { Connection: "close" },
  })

const tooLarge = (): AppError =>
  new AppError("request_too_large", { message: `this JSON body may have at most ${MAX_PICTURED_BYTES} bytes` })

/** Follows the quotes of the text: what is long between two of them is set aside, with a mark in its place. */
class Pictured {
  private readonly rest: Uint8Array[] = []
  private restBytes = 0
  /** The text between two quotes, as far as it came; undefined outside of any. */
  private text: Uint8Array[] | undefined
  private textBytes = 0
  private isEscaped = false
  private readonly long: Uint8Array[][] = []
  /** Nobody who wrote the body knows it. */
  private readonly mark = `set aside ${crypto.randomUUID()} `

  constructor(private readonly rules: PicturedRules) {}

  add(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      const end = this.text ? this.endOfText(bytes, at) : bytes.indexOf(QUOTE, at)
      const part = bytes.subarray(at, end < 0 ? bytes.length : end)
      if (this.text) this.addToText(part)
      else this.addToRest(part)
      if (end < 0) return
      if (this.text) this.endText()
      else this.text = []
      at = end + 1
    }
  }

  /** @throws AppError */
  async end(turns: Turns): Promise<unknown> {
    if (this.text) throw new AppError("invalid_json")
    const value = this.parsed(Buffer.concat(this.rest))
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw invalid("body", "must be a JSON object")
    return this.filled(value, "", turns)
  }

  /** Of the quote that ends the text; -1 where it goes on. */
  private endOfText(bytes: Uint8Array, from: number): number {
    for (let at = from; ; ) {
      if (at >= bytes.length) return -1
      if (this.isEscaped) {
        this.isEscaped = false
        at++
        continue
      }
      const quote = bytes.indexOf(QUOTE, at)
      const slash = bytes.indexOf(BACKSLASH, at)
      if (slash < 0 || (quote >= 0 && quote < slash)) return quote
      this.isEscaped = true
      at = slash + 1
    }
  }

  private addToText(part: Uint8Array): void {
    this.text!.push(part)
    this.textBytes += part.length
    if (this.textBytes > MAX_TEXT_BYTES)
      throw new AppError("request_too_large", {
        message: `one text of the body may have at most ${MAX_TEXT_BYTES} bytes`,
      })
  }

  private endText(): void {
    const parts = this.text!
    if (this.textBytes < LONG_BYTES) this.addToRest(quoted(parts))
    else {
      this.addToRest(quoted([Buffer.from(this.mark + this.long.length)]))
      this.long.push(parts)
    }
    this.text = undefined
    this.textBytes = 0
  }

  private addToRest(part: Uint8Array): void {
    this.rest.push(part)
    this.count(part.length)
  }

  private count(bytes: number): void {
    this.restBytes += bytes
    const { maxBytes } = this.rules
    if (this.restBytes > maxBytes)
      throw new AppError("request_too_large", {
        message: `a JSON body may have at most ${maxBytes} bytes beside its pictures`,
      })
  }

  /** The value with its long texts. @param place of the value in the body */
  private async filled(value: unknown, place: string, turns: Turns): Promise<unknown> {
    if (typeof value === "string") return this.isMark(value) ? this.setAside(value, place, turns) : value
    if (typeof value !== "object" || value === null) return value
    const inside = (name: string | number) => (place ? `${place}.${name}` : String(name))
    if (Array.isArray(value)) {
      for (const [at, item] of value.entries())
        if (mayHold(item)) value[at] = await this.filled(item, inside(at), turns)
      return value
    }
    const object = value as Record<string, unknown>
    for (const [name, item] of Object.entries(object)) {
      if (this.isMark(name)) throw invalid("body", `must have no names of more than ${LONG_BYTES} bytes`)
      if (mayHold(item)) object[name] = await this.filled(item, inside(name), turns)
    }
    return object
  }

  private isMark(text: string): boolean {
    return text.startsWith(this.mark)
  }

  private async setAside(mark: string, place: string, turns: Turns): Promise<unknown> {
    const parts = this.long[Number(mark.slice(this.mark.length))]!
    const isPicture = this.rules.pictures.test(place)
    if (!isPicture) this.count(parts.reduce((sum, part) => sum + part.length, 0))
    await turns.next()
    const bytes = Buffer.concat(parts)
    parts.length = 0
    const plain = isAscii(bytes) ? bytes.toString("latin1") : ""
    return PLAIN.test(plain) ? plain : this.parsed(quoted([bytes]))
  }

  private parsed(bytes: Uint8Array): unknown {
    try {
      return parseBounded(new TextDecoder("utf-8", { fatal: true }).decode(bytes), MAX_TEXT_BYTES + 2)
    } catch (cause) {
      if (cause instanceof JsonOutOfBounds)
        throw invalid("body", `must not be nested deeper than ${MAX_JSON_DEPTH} levels`)
      throw new AppError("invalid_json", { cause })
    }
  }
}

/** Needs no parser: base64, also behind the head of a data URL. */
const PLAIN = /^[A-Za-z0-9+/=:;,._-]+$/

const mayHold = (value: unknown): boolean => typeof value === "string" || (typeof value === "object" && value !== null)

const quoted = (parts: readonly Uint8Array[]): Uint8Array => Buffer.concat([QUOTES, ...parts, QUOTES])
const QUOTES = Buffer.from('"')
